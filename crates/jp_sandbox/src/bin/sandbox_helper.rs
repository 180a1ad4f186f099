//! The helper as a program of its own, for tests and for hosts that cannot execute themselves.

use std::process::ExitCode;

fn main() -> ExitCode {
    #[cfg(target_os = "linux")]
    return jp_sandbox::linux::helper::serve();
    #[cfg(not(target_os = "linux"))]
    return ExitCode::FAILURE;
}

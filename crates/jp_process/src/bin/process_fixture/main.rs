//! One program for three roles in the tests: the helper, a child that misbehaves on purpose, and a
//! parent that uses this crate and can be killed or measured.

#[cfg(target_os = "linux")]
mod plain;
#[cfg(target_os = "linux")]
mod roles;
#[cfg(target_os = "linux")]
mod waiting;

use std::process::ExitCode;

fn main() -> ExitCode {
    #[cfg(target_os = "linux")]
    return roles::play();
    #[cfg(not(target_os = "linux"))]
    return ExitCode::FAILURE;
}

//! `jp export`: the same as `jp conversation export`.

use std::process::ExitCode;

fn main() -> ExitCode {
    jp_conversation_export::main("export", "export")
}

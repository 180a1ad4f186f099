//! `jp-tools`: the bundled tools as a program of their own.

fn main() -> std::process::ExitCode {
    jp_tool::main(jp_tools::entries())
}

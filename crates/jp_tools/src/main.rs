//! `jp-tools`: the bundled tools as a program of their own.

fn main() -> std::process::ExitCode {
    jp_tools::main()
}

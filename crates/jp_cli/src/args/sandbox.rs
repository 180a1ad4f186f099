//! The command line of `jp sandbox`.

use camino::Utf8PathBuf;
use clap::{
    Subcommand, ValueHint,
    builder::{NonEmptyStringValueParser, PossibleValuesParser},
};
use jp_sandbox::presets::Preset;

use super::path;

/// Look at the sandbox and use it
#[derive(Debug, Subcommand)]
#[command(arg_required_else_help = true)]
pub(crate) enum Sandbox {
    /// Say what this machine offers to confine programs with
    ///
    /// Each feature is tried, not looked up. What is missing is named with what it costs and how to
    /// get it.
    Doctor,
    Run(Box<SandboxRun>),
}

/// Run a program confined, and end as it does
///
/// Without a policy the program reads the machine without what is sensitive, and writes in the root and
/// in a temporary directory of its own. With rules for files it gets what they grant. What it was
/// denied is told when it fails, with what would allow it.
///
/// It ends with the exit code of the program, and with 128 and the number of the signal that ended it.
/// With 4 where the policy cannot be kept, or some changes were refused; with 5 where a review was
/// declined.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  jp sandbox run -- make                       write here and nowhere else
  jp sandbox run --no-net -- ./configure       without a network
  jp sandbox run --net crates.io -- cargo add  with one host
  jp sandbox run --dry-run -- ./migrate.sh     show what it would change")]
pub(crate) struct SandboxRun {
    /// The program and its arguments
    #[arg(value_name = "COMMAND", required = true, trailing_var_arg = true, value_hint = ValueHint::CommandWithArguments)]
    pub(crate) command: Vec<std::ffi::OsString>,

    /// Print how it would be confined, and do not run it
    #[arg(long, conflicts_with_all = ["dry_run", "review", "stat"])]
    pub(crate) plan: bool,

    #[command(flatten)]
    pub(crate) access: Access,

    #[command(flatten)]
    pub(crate) changes: Changes,
}

/// What a program may touch.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "What it may touch")]
pub(crate) struct Access {
    /// The directory that the rules are about; the workspace or the current directory by default
    #[arg(long, value_name = "DIR", value_parser = path, value_hint = ValueHint::DirPath)]
    pub(crate) root: Option<Utf8PathBuf>,

    /// Rules in a TOML file, as in the configuration of a tool: [[access.fs]] and so on
    #[arg(long, value_name = "FILE", value_parser = path, value_hint = ValueHint::FilePath)]
    pub(crate) policy: Option<Utf8PathBuf>,

    /// Let it read a place outside of the root
    #[arg(long, value_name = "PATH", value_parser = path, value_hint = ValueHint::AnyPath)]
    pub(crate) read: Vec<Utf8PathBuf>,

    /// Let it write a place outside of the root
    #[arg(long, value_name = "PATH", value_parser = path, value_hint = ValueHint::AnyPath)]
    pub(crate) write: Vec<Utf8PathBuf>,

    /// Let it use a toolchain and its caches
    #[arg(long, value_name = "NAME", value_parser = preset_names())]
    pub(crate) preset: Vec<String>,

    /// Let it talk to HOST, or HOST:PORT, and to no other that no option or rule names
    #[arg(long, value_name = "HOST", value_parser = NonEmptyStringValueParser::new(), value_hint = ValueHint::Hostname)]
    pub(crate) net: Vec<String>,

    /// Let it talk to nobody, whatever the rules say
    #[arg(long, conflicts_with = "net")]
    pub(crate) no_net: bool,

    /// Show it a sensitive path, such as .env, without asking
    #[arg(long, value_name = "PATH", value_parser = path, value_hint = ValueHint::AnyPath)]
    pub(crate) allow_sensitive: Vec<Utf8PathBuf>,
}

/// What becomes of what a program changes.
#[derive(Debug, Clone, Copy, clap::Args)]
#[command(next_help_heading = "What it changes")]
pub(crate) struct Changes {
    /// Show what it would change, and change nothing
    #[arg(long)]
    pub(crate) dry_run: bool,

    /// Show what it would change, and ask before anything is changed
    #[arg(long, conflicts_with = "dry_run")]
    pub(crate) review: bool,

    /// With --dry-run or --review, show one line for each change
    #[arg(long)]
    pub(crate) stat: bool,
}

fn preset_names() -> PossibleValuesParser {
    PossibleValuesParser::new(Preset::ALL.map(Preset::as_str))
}

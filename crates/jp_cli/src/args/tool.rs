//! `jp tool`

use camino::Utf8PathBuf;
use clap::{Subcommand, ValueEnum, ValueHint};

use super::{Changes, path};

/// Run tools and look at them
#[derive(Debug, Subcommand)]
#[command(arg_required_else_help = true)]
pub(crate) enum Tool {
    List(ToolList),
    Show(ToolShow),
    Run(ToolRun),
    Session(ToolSession),
    Explain(ToolExplain),
    Allow(ToolAllow),
    Check(ToolCheck),
    New(ToolNew),
    Trace(ToolTrace),
}

/// List the tools of this workspace
///
/// A tool that does not say in the configuration what it takes is asked. What it answers is kept until
/// its program changes. It ends with 1 when one of them cannot be used.
#[derive(Debug, clap::Args)]
pub(crate) struct ToolList {
    /// Ask every program again what tools are in it
    #[arg(long)]
    pub(crate) refresh: bool,
}

/// Say what a tool does, what it takes, and where that was written
#[derive(Debug, clap::Args)]
pub(crate) struct ToolShow {
    /// The name of the tool
    #[arg(value_name = "NAME")]
    pub(crate) name: String,

    /// Ask its program again
    #[arg(long)]
    pub(crate) refresh: bool,
}

/// Call a tool, as the assistant would
///
/// Arguments are written as key=value; values are read as the tool's parameters say. `key:=JSON` gives
/// a value of any type, `a.b=c` a part of an object, and a key that is repeated makes a list. Where a
/// tool needs one argument only, its name may be left out.
///
/// The tool runs confined by its rules. What it prints goes to stdout. It ends with 0 when the tool did
/// what it was asked for and with 1 when it failed, also when it says itself that something was denied to
/// it; with 2 for wrong arguments, 3 when the call needs a yes or the tool an answer and nobody can be
/// asked, 4 when jp refused to start it, to go on with it or to make all of its changes, 5 when it was
/// declined, 124 when it took too long, and 130 when it was interrupted.
///
/// With --dry-run the tools that come with jp run without being asked about: nothing they do is kept.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  jp tool run fs_grep_files pattern=TODO
  jp tool run fs_read_file path=src/main.rs start_line=10 end_line=20
  jp tool run fs_modify_file --dry-run path=README.md --json '{\"edits\": [...]}'
  jp tool run fs_create_file path=notes.txt content=hello --yes --answer overwrite_file=true")]
pub(crate) struct ToolRun {
    /// The name of the tool
    #[arg(value_name = "NAME")]
    pub(crate) name: String,

    #[command(flatten)]
    pub(crate) call: CallArgs,

    /// Do not ask whether the tool may run
    #[arg(short, long)]
    pub(crate) yes: bool,

    #[command(flatten)]
    pub(crate) changes: Changes,

    /// Append what a sealed tool asks for to FILE, a JSON object a line
    #[arg(long, value_name = "FILE", value_parser = path, value_hint = ValueHint::FilePath)]
    pub(crate) trace: Option<Utf8PathBuf>,
}

/// What a tool is called with, whoever it is of.
#[derive(Debug, clap::Args)]
pub(crate) struct CallArgs {
    /// Its arguments
    #[arg(value_name = "KEY=VALUE")]
    pub(crate) arguments: Vec<String>,

    /// Arguments as a JSON object: the text itself, @FILE, or - for stdin
    #[arg(long, value_name = "JSON")]
    pub(crate) json: Option<String>,

    /// Answer a question of the tool before it is asked
    #[arg(long = "answer", value_name = "ID=VALUE")]
    pub(crate) answers: Vec<String>,

    /// Write the call to this conversation: an id, `last`, or `new`
    #[arg(long, value_name = "ID")]
    pub(crate) conversation: Option<String>,

    /// Show it a sensitive path, such as .env, without asking
    #[arg(long, value_name = "PATH", value_parser = path, value_hint = ValueHint::AnyPath)]
    pub(crate) allow_sensitive: Vec<Utf8PathBuf>,
}

/// Talk to a tool that stays alive, line by line
///
/// Each line of stdin is a command, in words or in JSON, and is answered by the state of the tool. At
/// the end of the input everything is ended.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
What can be written:
  spawn [ID] [key=value ...]   start it
  fetch [ID]                   ask where it stands
  apply [ID] VALUE             give it input, or the answer to its question
  abort [ID]                   end it")]
pub(crate) struct ToolSession {
    /// The name of the tool
    #[arg(value_name = "NAME")]
    pub(crate) name: String,

    /// Do not ask whether the tool may run
    #[arg(short, long)]
    pub(crate) yes: bool,

    /// Append what a sealed tool asks for to FILE, a JSON object a line
    #[arg(long, value_name = "FILE", value_parser = path, value_hint = ValueHint::FilePath)]
    pub(crate) trace: Option<Utf8PathBuf>,
}

/// Say what a tool may touch, and why
///
/// Without a question it prints every rule, what it grants, and where it was written. With one it
/// prints the decision, the rule that decides, and what to add to allow it; it ends with exit code
/// 0 where that is allowed and 4 where it is not.
#[derive(Debug, clap::Args)]
pub(crate) struct ToolExplain {
    /// The name of the tool
    #[arg(value_name = "NAME")]
    pub(crate) name: String,

    #[command(flatten)]
    pub(crate) question: Question,
}

/// Write the rule that allows a tool something
///
/// It is the rule that `jp tool explain` suggests: as narrow as what is asked for, with nothing taken away
/// that was allowed before. It is shown first, and written into the file of the workspace in which the tool
/// is configured, else into `.jp/config.toml`; comments and layout stay. Where a rule would allow something
/// beside, nothing is written, and what to write by hand is printed.
///
/// It ends with 0 when it is allowed now, with 4 when nothing was written, and with 5 when it was declined.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  jp tool allow format --update src
  jp tool allow lookup --url https://api.example.com/v1
  jp tool allow build --command 'cargo check'")]
pub(crate) struct ToolAllow {
    /// The name of the tool
    #[arg(value_name = "NAME")]
    pub(crate) name: String,

    #[command(flatten)]
    pub(crate) question: Question,

    /// Do not ask
    #[arg(short, long)]
    pub(crate) yes: bool,
}

/// What a tool might do; at most one of them.
#[derive(Debug, clap::Args)]
#[group(multiple = false)]
#[command(next_help_heading = "Questions")]
pub(crate) struct Question {
    /// May it read this file or list this directory?
    #[arg(long, value_name = "PATH")]
    pub(crate) read: Option<Utf8PathBuf>,

    /// May it make this file or directory?
    #[arg(long, value_name = "PATH")]
    pub(crate) create: Option<Utf8PathBuf>,

    /// May it change this file?
    #[arg(long, value_name = "PATH")]
    pub(crate) update: Option<Utf8PathBuf>,

    /// May it remove this file or directory?
    #[arg(long, value_name = "PATH")]
    pub(crate) delete: Option<Utf8PathBuf>,

    /// May it run this file?
    #[arg(long, value_name = "PATH")]
    pub(crate) execute: Option<Utf8PathBuf>,

    /// May it fetch this URL?
    #[arg(long, value_name = "URL")]
    pub(crate) url: Option<String>,

    /// May it read this environment variable?
    #[arg(long, value_name = "VAR")]
    pub(crate) env: Option<String>,

    /// May it start this program with these arguments?
    #[arg(long, value_name = "COMMAND")]
    pub(crate) command: Option<String>,
}

/// Check that a program is a tool as the protocol says
///
/// Starts the program as jp would: asks for its description, and runs each of its tools with good,
/// missing, wrong and hostile arguments, with answers to its questions, with a cancellation, and as one
/// that stays alive. Each line says what conforms and what does not.
///
/// With `--runtime vfs` the program is sealed, and the check is its host: it serves what the tool asks
/// for, refuses it, answers late, at length and out of order, and goes away in the middle of a call.
///
/// The program runs in the sandbox without a network, in a workspace made for the check, and what it
/// writes there is thrown away. A relative path in the command is seen from the current directory.
///
/// It ends with 0 when nothing failed, with 1 when something did, with 2 when there is no such program,
/// and with 4 when the machine cannot keep apart what the program writes.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  jp tool check -- ./my-tool
  jp tool check -- python3 my_tool.py
  jp tool check --root ~/project -- ./my-tool   where it finds what it works on
  jp tool check --runtime vfs --record said.jsonl -- ./my-sealed-tool")]
pub(crate) struct ToolCheck {
    /// The program and its arguments, as in `command` of the configuration
    #[arg(value_name = "COMMAND", required = true, last = true, value_hint = ValueHint::CommandWithArguments)]
    pub(crate) command: Vec<String>,

    /// Check only this tool of the program, under this name
    #[arg(long, value_name = "TOOL")]
    pub(crate) name: Option<String>,

    /// How the tool runs, as in `runtime` of the configuration
    #[arg(long, value_enum, value_name = "RUNTIME", default_value_t)]
    pub(crate) runtime: ToolRuntime,

    /// Call it with these arguments, one object of JSON, instead of some that are made up
    #[arg(long, value_name = "JSON", value_parser = object)]
    pub(crate) arguments: Option<Arguments>,

    /// Files of the program beside those in the command, as in `program_files` of the configuration
    #[arg(long, value_name = "PATH", value_parser = path, value_hint = ValueHint::AnyPath)]
    pub(crate) program_files: Vec<Utf8PathBuf>,

    /// With --runtime vfs: add every message of every check to this file, one object of JSON a line
    #[arg(long, value_name = "FILE", value_parser = path, value_hint = ValueHint::FilePath)]
    pub(crate) record: Option<Utf8PathBuf>,

    /// How long one run may take, in seconds
    #[arg(long, value_name = "SECS", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=3600))]
    pub(crate) timeout: u64,

    /// Use this directory as the workspace; nothing is changed there
    #[arg(long, value_name = "DIR", value_parser = path, value_hint = ValueHint::DirPath)]
    pub(crate) root: Option<Utf8PathBuf>,
}

/// How the program of a tool runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum ToolRuntime {
    /// The call on stdin, the result on stdout
    #[default]
    Stdio,
    /// Sealed: it asks the host for everything it uses
    Vfs,
}

/// Arguments for a tool.
#[derive(Debug, Clone)]
pub(crate) struct Arguments(pub(crate) serde_json::Map<String, serde_json::Value>);

pub(super) fn object(text: &str) -> Result<Arguments, String> {
    serde_json::from_str(text).map(Arguments).map_err(|error| error.to_string())
}

/// Make a small tool to start from
///
/// Writes a program that describes itself, checks its arguments and passes `jp tool check`, and prints
/// what to add to the configuration. Nothing that exists is overwritten.
#[derive(Debug, clap::Args)]
pub(crate) struct ToolNew {
    /// The name of the tool: letters, digits and underscores
    #[arg(value_name = "NAME")]
    pub(crate) name: String,

    /// What it is written in
    #[arg(long, value_enum, value_name = "LANGUAGE")]
    pub(crate) lang: Language,

    /// How it runs, as in `runtime` of the configuration
    #[arg(long, value_enum, value_name = "RUNTIME", default_value_t)]
    pub(crate) runtime: ToolRuntime,

    /// Where to put it; the current directory by default
    #[arg(long, value_name = "DIR", value_parser = path, value_hint = ValueHint::DirPath)]
    pub(crate) dir: Option<Utf8PathBuf>,

    /// Add it to the configuration of this workspace
    #[arg(long)]
    pub(crate) register: bool,

    /// For Rust: build on the crate `jp_tool` in this directory
    #[arg(long, value_name = "DIR", value_parser = path, value_hint = ValueHint::DirPath)]
    pub(crate) jp_tool: Option<Utf8PathBuf>,
}

/// Show what a tool has asked for, from a file that --trace has written
///
/// One line for each request: when it came, which tool sent it, what it was about, what was decided and by
/// which rule, what came of it, and how many milliseconds it took. The last lines count them. With --format
/// json the records are printed as they are, one a line.
///
/// It ends with 1 if the file holds something that is not a record; everything else is still shown.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  jp tool trace calls.jsonl --denied
  tail -f calls.jsonl | jp tool trace -")]
pub(crate) struct ToolTrace {
    /// The file; - for stdin
    #[arg(value_name = "FILE", value_parser = path, value_hint = ValueHint::FilePath)]
    pub(crate) file: Utf8PathBuf,

    /// Only what was denied
    #[arg(long)]
    pub(crate) denied: bool,
}

/// A language that a tool can be started in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Language {
    /// A Cargo project on `serde_json`, or on `jp_tool` with --jp-tool
    Rust,
    /// A script for Python 3, without dependencies
    Python,
    /// A script for a POSIX shell, without dependencies
    Shell,
    /// A script for Node.js, without dependencies
    Js,
}

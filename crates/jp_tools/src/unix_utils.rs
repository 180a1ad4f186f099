//! `unix_utils`: small programs that work on text and change nothing.
//!
//! Harmless programs have harmful options: `sort -o` writes a file, `sort --compress-program` starts
//! another program, `uniq a b` writes `b`, `date -s` sets the clock. So not only the programs are
//! listed but also the options of each ([`table`]), and what is not listed is refused. Whatever names
//! a file has to stay in the workspace.
//!
//! The rules for files are not asked here: a program opens its files by itself, and what it may open
//! is up to the sandbox around it.

mod arguments;
mod table;

use std::{fmt::Write, time::Duration};

use camino::Utf8Path;
use jp_tool::{
    Call, JsonSchema, ToolError,
    access::path::{Files, Kind, Root},
};
use serde::Deserialize;

use crate::{
    program::{Program, Ran},
    text::{self, beginning},
};

/// How much of the output is given, in bytes.
const MAX_OUTPUT: usize = 128 << 10;
const MAX_ERRORS: usize = 4 << 10;
const MAX_TIME: Duration = Duration::from_secs(10);
/// How long all arguments may be; systems have a limit of their own, and say less about it.
const MAX_ARGUMENTS: usize = 64 << 10;

/// Run a small program that works on text.
///
/// There is no shell: no pipes, no redirections, no patterns such as `*.txt`; give `stdin` instead of
/// a pipe. The programs run in the root of the workspace, see only files in it, and only options that
/// read and compute are accepted. Programs: base64, basename, bc, cat, cksum, comm, cmp, cut, date,
/// diff, dirname, expand, expr, file, fold, head, jq, join, md5sum, nl, od, paste, rev, seq, sha1sum,
/// sha256sum, sha512sum, sort, strings, tac, tail, tr, tsort, uname, unexpand, uniq, wc.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct UnixUtils {
    /// The name of the program.
    #[schemars(with = "table::Name")]
    util: String,
    /// Its arguments, one by one, without quotes.
    #[serde(default)]
    args: Vec<String>,
    /// What the program reads from its standard input.
    #[serde(default)]
    stdin: String,
}

pub(crate) fn unix_utils(args: UnixUtils, call: &Call) -> Result<String, ToolError> {
    let util = table::find(&args.util).ok_or_else(|| {
        let name = beginning(&args.util, 40);
        ToolError::new(format!("no program {name:?} here, only {}", table::names().join(", ")))
    })?;
    check_arguments(&args)?;
    let paths = arguments::paths(util, &args.args)
        .map_err(|error| ToolError::new(format!("{}: {error}", util.name)))?;
    check_paths(&paths, call)?;
    if let Some(access) = &call.context.access {
        access.check_command(util.name, &args.args)?;
    }
    let program = Program {
        name: util.name,
        args: &args.args,
        env: &[("TZ", "UTC")],
        dir: &call.context.root,
        stdin: args.stdin.as_bytes(),
        max_time: MAX_TIME,
        max_output: MAX_OUTPUT,
    };
    let ran = program.run().map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => {
            ToolError::new(format!("{} is not installed here", util.name))
        }
        _ => ToolError::new(format!("cannot start {}: {error}", util.name)),
    })?;
    answer(util, &ran)
}

/// The tool where no program can be started by it. The host could start one, but would not give it what
/// the caller wants it to read.
pub(crate) fn sealed<C>(_args: UnixUtils, _call: &C) -> Result<String, ToolError> {
    Err(ToolError::new("unix_utils starts programs itself: it needs `runtime = \"stdio\"`"))
}

/// The command as a person would type it.
pub(crate) fn show<C>(args: UnixUtils, _call: &C) -> String {
    let words: Vec<String> = std::iter::once(&args.util)
        .chain(&args.args)
        .map(|word| if is_plain(word) { word.clone() } else { format!("{word:?}") })
        .collect();
    let stdin = if args.stdin.is_empty() {
        String::new()
    } else {
        format!(" < {}", text::count(args.stdin.len(), "byte", "bytes"))
    };
    format!("{}{stdin}", words.join(" "))
}

fn is_plain(word: &str) -> bool {
    let is_safe = |c: char| c.is_ascii_alphanumeric() || "-_=+./,:@%".contains(c);
    !word.is_empty() && word.chars().all(is_safe)
}

fn check_arguments(args: &UnixUtils) -> Result<(), ToolError> {
    if args.args.iter().map(|arg| arg.len() + 1).sum::<usize>() > MAX_ARGUMENTS {
        let message = format!("argument `args`: longer than {MAX_ARGUMENTS} bytes in all");
        return Err(ToolError::new(message));
    }
    if args.args.iter().any(|arg| arg.contains('\0')) {
        return Err(ToolError::new("argument `args`: a NUL character cannot be passed"));
    }
    Ok(())
}

/// What leads out of the workspace is refused, and so is what is no file: a directory would let a
/// program choose for itself what to read, and a FIFO would make it wait.
fn check_paths(paths: &[&str], call: &Call) -> Result<(), ToolError> {
    let root = Root::open(&call.context.root)?;
    let files = Files::new(root, None);
    for path in paths {
        if files.metadata(Utf8Path::new(path))?.kind != Kind::File {
            return Err(ToolError::new(format!("{}: not a regular file", text::name(path))));
        }
    }
    Ok(())
}

fn answer(util: &table::Util, ran: &Ran) -> Result<String, ToolError> {
    let mut out = String::from_utf8_lossy(&ran.stdout.bytes).into_owned();
    let errors = String::from_utf8_lossy(&ran.stderr.bytes);
    let errors = beginning(errors.trim(), MAX_ERRORS);
    if ran.stdout.is_cut {
        let _ = write!(out, "\n[cut after {MAX_OUTPUT} bytes]");
    }
    let Some(status) = ran.status else {
        let seconds = MAX_TIME.as_secs();
        let message = format!("{} was stopped after {seconds} seconds", util.name);
        return Err(ToolError::new(message).because(beginning(&out, MAX_ERRORS)));
    };
    // It was ended by us when it had said enough.
    let is_fine = status.success() || ran.stdout.is_cut;
    match status.code() {
        _ if is_fine => {
            if !errors.is_empty() {
                let _ = write!(out, "\n[{errors}]");
            }
            Ok(if out.is_empty() { "[no output]".to_owned() } else { out })
        }
        Some(1) if util.one_is_an_answer => Ok(format!("{out}\n[exit code 1]")),
        Some(code) => {
            let what = if errors.is_empty() { beginning(out.trim(), MAX_ERRORS) } else { errors };
            Err(ToolError::new(format!("{} failed with exit code {code}: {what}", util.name)))
        }
        None => Err(ToolError::new(format!("{} was ended by a signal: {errors}", util.name))),
    }
}

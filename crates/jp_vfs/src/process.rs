//! Programs that a tool asks the host to run.
//!
//! A program sees no variable of the host but those that the tool named and a rule lets it have, and what
//! it prints goes back without their values. It works in a real directory with the files of the project:
//! in the project itself where that is one, else in a copy, from which what changed is brought back under
//! the rules of the tool.

use std::{fmt, time::Duration};

use camino::Utf8Path;
use jp_project::{ProjectError, SyncError};
use jp_secret::{Scrubber, Secret};
use jp_tool::{
    access::{AccessPolicy, CommandRule},
    vfs::{ErrorCode, ErrorObject, ProcessRun, ProcessRunResult},
};

use crate::{
    approve::BoxFuture,
    fs::{internal, invalid},
    gate::{Gate, Granted, Held, Means, Place},
    host::Host,
    limits::Limits,
    reply,
    serve::Stop,
};

/// What can start programs, confined by the rules of the tool that wants them.
pub trait Programs: fmt::Debug + Send + Sync {
    /// Runs a program from its start to its end. Dropping the future ends it, with all that it started.
    fn run<'a>(&'a self, run: ProgramRun<'a>) -> BoxFuture<'a, Result<Ran, ProgramError>>;
}

/// A program that is to be run.
#[derive(Debug, Clone, Copy)]
pub struct ProgramRun<'a> {
    /// Where the tool is configured: `conversation.tools.x`.
    pub key: &'a str,
    /// The rules of the tool, which hold for the program too.
    pub policy: &'a AccessPolicy,
    /// A directory with the files of the project, which is where it works.
    pub directory: &'a Utf8Path,
    /// Its name, or its path.
    pub program: &'a str,
    /// Its arguments.
    pub args: &'a [String],
    /// Its variables, in addition to what no program can do without.
    pub variables: &'a [(String, String)],
    /// How long it may take.
    pub time: Duration,
    /// How much it may print to each output.
    pub output_bytes: usize,
}

/// A program that has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ran {
    /// What it printed.
    pub stdout: Vec<u8>,
    /// What it printed for people.
    pub stderr: Vec<u8>,
    /// Its exit code; 128 and the number of the signal if it died of one.
    pub exit_code: i32,
    /// What it changed and is not kept; everything else is.
    pub lost: Option<Lost>,
}

/// Why not all that a program changed is in the directory in which it ran.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Lost {
    /// The rules do not allow it.
    Refused(String),
    /// It could not be made.
    Failed(String),
}

/// Why a program was not run, or not to its end.
#[derive(Debug, thiserror::Error)]
pub enum ProgramError {
    /// There is no such program.
    #[error("{0}")]
    NotFound(String),
    /// It cannot be confined by the rules.
    #[error("{0}")]
    Refused(String),
    /// It took too long, and was ended.
    #[error("the program did not end within {} seconds", .0.as_secs())]
    Time(Duration),
    /// It printed too much, and was ended.
    #[error("the program printed more than {0} bytes")]
    Output(usize),
    /// Something else.
    #[error("{0}")]
    Failed(String),
}

/// Says no to what can be no program or no argument of one, before a person is asked about it.
pub(crate) fn check(params: &ProcessRun) -> Result<(), ErrorObject> {
    let ProcessRun { program, args, .. } = params;
    if program.is_empty() {
        return Err(invalid("params of `process.run`: `program` is empty"));
    }
    if args.iter().chain([program]).any(|word| word.contains('\0')) {
        return Err(invalid("params of `process.run`: a word of a command cannot contain NUL"));
    }
    Ok(())
}

/// Runs a program. Its turn ends when the copy in which it worked is gone, also if it is called off before.
pub(crate) async fn run(
    granted: Granted<'_, ProcessRun, CommandRule>,
    gate: &Gate,
    means: &Means,
    host: &Host,
    turn: Option<Held>,
) -> Result<Ran, Stop> {
    let params = granted.params();
    let variables = variables(params, granted.means(), host);
    let values: Vec<_> = variables.iter().map(|(_, value)| Secret::new(value.as_str())).collect();
    let scrubber = Scrubber::new(&values).map_err(|error| internal(error.to_string()))?;
    let place = gate.workplace(means, turn).await?;
    let run = ProgramRun {
        key: gate.access().key(),
        policy: means.policy(),
        directory: place.path(),
        program: &params.program,
        args: &params.args,
        variables: &variables,
        time: host.limits().process_timeout,
        output_bytes: usize::try_from(host.limits().file_bytes).unwrap_or(usize::MAX),
    };
    let mut ran = host.programs()?.run(run).await.map_err(|error| refusal(&error, &scrubber))?;
    for output in [&mut ran.stdout, &mut ran.stderr] {
        *output = scrubber.bytes(std::mem::take(output));
    }
    let brought = bring_back(place, &ran, &scrubber).await;
    gate.note_change();
    brought.map(|()| ran)
}

/// What a program printed as text, if it fits into one answer.
pub(crate) fn result(ran: Ran, limits: &Limits) -> Result<ProcessRunResult, ErrorObject> {
    reply::check_fits([ran.stdout.as_slice(), ran.stderr.as_slice()], 0, limits)?;
    let text = |bytes| {
        String::from_utf8(bytes)
            .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
    };
    let (stdout, stderr) = (text(ran.stdout), text(ran.stderr));
    Ok(ProcessRunResult { stdout, stderr, exit_code: ran.exit_code })
}

/// The variables that were asked for, as far as the rule lets the program have them.
fn variables(params: &ProcessRun, rule: &CommandRule, host: &Host) -> Vec<(String, String)> {
    let allowed = params.envs.iter().filter(|name| rule.forwards(name));
    let found = allowed.filter_map(|name| Some((name.clone(), host.variable(name)?.to_owned())));
    found.collect()
}

/// Brings back what the program changed, if it worked in a copy, also where not all that it changed is in the copy.
/// Where something is lost, what it said is part of the error: nobody can run it again to see it.
async fn bring_back(place: Place, ran: &Ran, scrubber: &Scrubber) -> Result<(), Stop> {
    let synced = place.bring_back().await?;
    let lost = ran.lost.as_ref().map(|lost| match lost {
        Lost::Refused(why) => (ErrorCode::AccessDenied, why.clone()),
        Lost::Failed(why) => (ErrorCode::InternalError, why.clone()),
    });
    let left = synced.err().map(|error| match &error {
        SyncError::Refused { .. } | SyncError::Project(ProjectError::Access(_)) => {
            (ErrorCode::AccessDenied, error.to_string())
        }
        _ => (ErrorCode::InternalError, error.to_string()),
    });
    let (codes, reasons): (Vec<_>, Vec<_>) = lost.into_iter().chain(left).unzip();
    // What has failed can mean that nothing is back, so it counts more than what was refused.
    let is_failure = codes.contains(&ErrorCode::InternalError);
    let code = if is_failure { ErrorCode::InternalError } else { ErrorCode::AccessDenied };
    if reasons.is_empty() {
        return Ok(());
    }
    let (reasons, said) = (scrubber.text(reasons.join("; ")), said(ran));
    let message =
        format!("the program has run, but not all its changes are kept: {reasons}; {said}");
    Err(ErrorObject::new(code, message).into())
}

/// How a program ended and the end of what it wrote, in a few lines.
fn said(ran: &Ran) -> String {
    const MOST: usize = 2_000;
    let code = ran.exit_code;
    let last = |name: &str, bytes: &[u8]| {
        let bytes = bytes.trim_ascii();
        let text = String::from_utf8_lossy(&bytes[bytes.len().saturating_sub(MOST)..]);
        // Where a character was cut in two its rest is no text.
        let text = text.trim_start_matches(char::REPLACEMENT_CHARACTER);
        (!text.is_empty()).then(|| format!("\n{name}: {text}"))
    };
    let streams = [last("stderr", &ran.stderr), last("stdout", &ran.stdout)];
    format!("it ended with code {code}{}", streams.into_iter().flatten().collect::<String>())
}

fn refusal(error: &ProgramError, scrubber: &Scrubber) -> Stop {
    let code = match error {
        ProgramError::NotFound(_) => ErrorCode::NotFound,
        ProgramError::Refused(_) => ErrorCode::AccessDenied,
        ProgramError::Time(_) => ErrorCode::Timeout,
        ProgramError::Output(_) => ErrorCode::TooLarge,
        ProgramError::Failed(_) => ErrorCode::InternalError,
    };
    ErrorObject::new(code, scrubber.text(error.to_string())).into()
}

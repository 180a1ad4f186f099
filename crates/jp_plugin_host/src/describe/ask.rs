//! Asks one file what it is.

use std::{
    ffi::{OsStr, OsString},
    time::Duration,
};

use camino::{Utf8Path, Utf8PathBuf};
use jp_confine::{
    Command, CommandLine, ConfineError, Confiner, Needs, ProgramParts, Running, Streams, Subject,
    Word,
};
use jp_plugin::{Describe, HostToPlugin, MessageError, PluginToHost, to_host};
use jp_process::{Bounds, Finished, Input, Output, Stop, Stopped};
use jp_sandbox::{
    confinement::Tier,
    plan::{Lifetime, Profile},
};
use tokio::time::timeout;

use crate::catalog::Binary;

/// How long a plugin may take to describe itself.
pub const PATIENCE: Duration = Duration::from_secs(2);

/// How much it may say, in bytes.
pub const MOST: usize = 256 * 1024;

/// So much of something else that it says is quoted.
const QUOTED: usize = 200;

/// The variable that tells a plugin where it lies.
pub(crate) const FILE: &str = "JP_PLUGIN_FILE";

/// A directory that nobody sees: who is sealed sees no workspace, and who is not needs none.
const NOWHERE: &str = "/dev/null";

/// Why a plugin did not describe itself.
#[derive(Debug, thiserror::Error)]
pub(super) enum AskError {
    /// Nobody trusts it, and it cannot be sealed.
    #[error("it cannot be sealed here: {0}")]
    NoSeal(String),
    /// It did not start.
    #[error("it cannot be started: {0}")]
    Start(String),
    /// It did not answer in time.
    #[error("it did not describe itself within {} seconds", PATIENCE.as_secs())]
    Time,
    /// It said too much.
    #[error("it said more than {MOST} bytes about itself")]
    TooMuch,
    /// It said nothing.
    #[error("it said nothing about itself and {0}")]
    Nothing(String),
    /// It said something else.
    #[error("it did not describe itself: {0}")]
    Other(String),
}

/// Runs the file for nothing but its answer.
pub(super) async fn ask(
    confiner: &Confiner,
    binary: &Binary,
    sha256: [u8; 32],
    sealed: bool,
    search: &OsStr,
) -> Result<Describe, AskError> {
    let running = if sealed {
        start_sealed(confiner, &binary.canonical, sha256, search).await?
    } else {
        start_open(confiner, &binary.canonical, sha256).await?
    };
    let mut question = serde_json::to_vec(&HostToPlugin::Describe).unwrap_or_default();
    question.push(b'\n');
    let stop = Stop { terminate_after: Duration::ZERO, kill_after: Duration::from_millis(100) };
    let bounds = Bounds { output: MOST, time: Some(PATIENCE), stop };
    let ended = running.finish(question, bounds, std::future::pending()).await;
    let (finished, _) = ended.map_err(|error| AskError::Start(causes(&error)))?;
    read(&finished)
}

/// Starts it where it sees itself and the programs of the system.
async fn start_sealed(
    confiner: &Confiner,
    file: &Utf8Path,
    sha256: [u8; 32],
    search: &OsStr,
) -> Result<Running, AskError> {
    let machine = confiner.machine().await.map_err(|error| AskError::NoSeal(causes(&error)))?;
    if machine.tier() == Tier::None {
        return Err(AskError::NoSeal("this machine has no sandbox".to_owned()));
    }
    let parts = parts(file, search).await?;
    let profile = Profile::Sealed { may_execute_system: true };
    let subject = subject(profile, &parts.program, &parts.files);
    let prepared = match confiner.prepare(subject).await {
        Ok(prepared) => prepared,
        Err(error @ ConfineError::Refused(_)) => return Err(AskError::NoSeal(causes(&error))),
        Err(error) => return Err(AskError::Start(causes(&error))),
    };
    if prepared.warning.is_some() {
        return Err(AskError::NoSeal("the seal would not be tight".to_owned()));
    }
    let command = Command {
        path: &parts.path,
        args: parts.args,
        extra: extra(file),
        directory: &parts.directory,
        observe: false,
        // A script is read by its interpreter, which is what is executed.
        sha256: (parts.program == file).then_some(sha256),
    };
    let started = confiner.start(prepared, command, streams()).await;
    started.map_err(|error| AskError::Start(causes(&error)))
}

/// What it consists of. Its own bytes lead to the files that are looked at, which may be many, and may be
/// where a disk answers slowly; meanwhile others are asked.
async fn parts(file: &Utf8Path, search: &OsStr) -> Result<ProgramParts, AskError> {
    let (file, search) = (file.to_owned(), search.to_owned());
    let resolved = tokio::task::spawn_blocking(move || {
        jp_confine::resolve(CommandLine {
            words: &[Word { text: file.into_os_string(), literal: true }],
            search_path: &search,
            directory: "/".into(),
            program_files: &[],
        })
    });
    let resolved = timeout(PATIENCE, resolved).await.map_err(|_| AskError::Time)?;
    let resolved = resolved.map_err(|error| AskError::Start(causes(&error)))?;
    resolved.map_err(|error| AskError::Start(causes(&error)))
}

/// Starts what somebody trusts, and nothing else: the bytes that are executed have this checksum.
async fn start_open(
    confiner: &Confiner,
    file: &Utf8Path,
    sha256: [u8; 32],
) -> Result<Running, AskError> {
    let failed = |error: ConfineError| AskError::Start(causes(&error));
    let prepared = confiner.prepare(subject(Profile::Off, file, &[])).await.map_err(failed)?;
    let command = Command {
        path: file,
        args: vec![file.as_os_str().to_owned()],
        extra: extra(file),
        directory: "/".into(),
        observe: false,
        sha256: Some(sha256),
    };
    confiner.start(prepared, command, streams()).await.map_err(failed)
}

fn subject<'a>(
    profile: Profile,
    program: &'a Utf8Path,
    program_files: &'a [Utf8PathBuf],
) -> Subject<'a> {
    const NEEDS: &Needs = &Needs { presets: Vec::new(), read: Vec::new(), write: Vec::new() };
    Subject {
        policy: None,
        key: "",
        root: NOWHERE.into(),
        profile: Some(profile),
        lifetime: Lifetime::Call,
        transactional: false,
        needs: NEEDS,
        approved: &[],
        program,
        program_files,
    }
}

/// A script that is executed by its checksum is not told by its name where it lies.
fn extra(file: &Utf8Path) -> Vec<(OsString, OsString)> {
    vec![(FILE.into(), file.as_os_str().to_owned())]
}

/// What it complains about is for those who write plugins, and they have `jp plugin check`.
fn streams() -> Streams {
    Streams { stdin: Input::Pipe, stdout: Output::Pipe, stderr: Output::Null }
}

/// The answer: its first line, except for empty ones and messages for the log.
fn read(finished: &Finished) -> Result<Describe, AskError> {
    let lines = finished.stdout.bytes.split(|byte| *byte == b'\n');
    for line in lines.filter(|line| !line.trim_ascii().is_empty()) {
        return match to_host::parse(line) {
            Ok(PluginToHost::Log(_)) => continue,
            Ok(PluginToHost::Describe(said)) => Ok(said),
            Err(_) if finished.stdout.truncated => Err(AskError::TooMuch),
            Ok(_) => Err(AskError::Other(format!("it said `{}`", quote(line)))),
            Err(MessageError::Refused(refusal)) => Err(AskError::Other(refusal.message)),
            Err(MessageError::Framing(error)) => {
                Err(AskError::Other(format!("{error}; it said `{}`", quote(line))))
            }
        };
    }
    match finished.stopped {
        Some(Stopped::Time) => Err(AskError::Time),
        Some(_) => Err(AskError::TooMuch),
        None => Err(AskError::Nothing(finished.exit.to_string())),
    }
}

fn quote(line: &[u8]) -> String {
    String::from_utf8_lossy(&line[..line.len().min(QUOTED)]).into_owned()
}

fn causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        text = format!("{text}: {cause}");
        next = cause.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use jp_process::{Captured, Exit};
    use jp_sandbox::event::Ended;

    use super::*;

    const ANSWER: &str =
        r#"{"type":"describe","name":"x","version":"1","description":"X","command":["x"]}"#;

    fn finished(said: &str, truncated: bool, stopped: Option<Stopped>) -> Finished {
        Finished {
            exit: Exit::by_itself(Ended::Code(3)),
            stdout: Captured { bytes: said.as_bytes().to_vec(), truncated },
            stderr: Captured::default(),
            stopped,
        }
    }

    fn check(said: &str, expected: &str) {
        let found = match read(&finished(said, false, None)) {
            Ok(said) => format!("ok {}", said.name),
            Err(error) => error.to_string(),
        };
        assert_eq!(found, expected, "{said}");
    }

    #[test]
    fn answers() {
        check(ANSWER, "ok x");
        check(&format!("\n\r\n{ANSWER}\nrubbish"), "ok x");
        check(&format!("{}\n{ANSWER}", r#"{"type":"log","level":"info","message":"m"}"#), "ok x");
        // 072-106
        check(r#"{"type":"describe","name":"x","version":"1","description":""}"#, "ok x");
        check("", "it said nothing about itself and exited with code 3");
    }

    #[test]
    fn what_is_none() {
        // 072-104, 072-105, 072-107
        for (said, why) in [
            (r#"{"type":"describe","name":"x","version":"1"}"#, "description"),
            (r#"{"type":"describe","name":"x","description":"1"}"#, "version"),
            (r#"{"type":"describe","version":"x","description":"1"}"#, "name"),
            (r#"{"type":"describe","name":1,"version":"1","description":"X"}"#, "string"),
            (&ANSWER.replace(r#"["x"]"#, r#""x""#), "sequence"),
            (&ANSWER.replace(r#"["x"]"#, "[]"), "one to 8 words"),
            (&ANSWER.replace(r#"["x"]"#, r#"["../x"]"#), "../x"),
            (&ANSWER.replace(r#"["x"]"#, r#"["-x"]"#), "-x"),
            (r#"{"type":"ready"}"#, "it said"),
            ("Usage: x [OPTIONS]", "it said `Usage: x [OPTIONS]`"),
            ("\u{1b}[2J", "it said"),
        ] {
            let error = read(&finished(said, false, None)).unwrap_err().to_string();
            assert!(error.contains(why), "{said}: {error}");
        }
        let long = read(&finished(&"x".repeat(100_000), false, None)).unwrap_err().to_string();
        assert!(long.len() < 400, "{long}");
    }

    #[test]
    fn stopped_before_it_answered() {
        let time = Some(Stopped::Time);
        assert!(matches!(read(&finished("", false, time)), Err(AskError::Time)));
        assert!(matches!(read(&finished(&ANSWER[..20], true, None)), Err(AskError::TooMuch)));
        // One that answers and goes on has answered.
        assert!(read(&finished(&format!("{ANSWER}\n"), false, time)).is_ok());
    }
}

//! Running cargo: never for longer, never with more output, never with more of it at once than stated.
//!
//! What comes from a model is passed as a value of an option or after `--`, and is a type of
//! `names.rs`. Cargo leads a process group of its own, and the whole group is killed when a run is
//! given up, be it for the time, for the output or because the client cancelled the call.

mod metadata;
mod scratch;

use std::{io, process::Stdio, time::Duration};

use camino::{Utf8Path, Utf8PathBuf};
use thiserror::Error;
use tokio::{
    io::{AsyncRead, AsyncReadExt},
    process::Command,
    sync::{OnceCell, Semaphore},
    time::timeout,
};

pub(crate) use self::{
    metadata::{Metadata, Package},
    scratch::Scratch,
};

/// What a run may print: the metadata of a large workspace has some megabytes.
const MAX_OUTPUT: usize = 128 << 20;
/// What is kept of its messages: the end, where the errors are.
const MAX_MESSAGES: usize = 8 << 10;
/// Building documentation is work for all cores; two at once only get in each other's way.
const AT_ONCE: usize = 2;

/// Cargo, in a workspace.
#[derive(Debug)]
pub(crate) struct Cargo {
    program: Utf8PathBuf,
    directory: Utf8PathBuf,
    offline: bool,
    room: Semaphore,
    host: OnceCell<String>,
}

/// A run of cargo that came to nothing.
#[derive(Debug, Error)]
pub(crate) enum CargoError {
    #[error("cannot start `{0}`; is cargo installed?")]
    Start(Utf8PathBuf, #[source] io::Error),
    #[error(
        "`cargo {0}` took longer than {1} seconds and was ended; calling again goes on from there"
    )]
    TooLong(String, u64),
    #[error("`cargo {0}` printed more than {1} MiB and was ended")]
    TooMuch(String, usize),
    #[error("`cargo {0}` failed: {1}")]
    Failed(String, String),
    #[error("cannot read what `cargo {0}` prints")]
    Read(String, #[source] io::Error),
    #[error("cannot understand what `cargo {0}` prints")]
    Parse(String, #[source] serde_json::Error),
    #[error("`cargo --version --verbose` does not say for which platform it is")]
    NoHost,
    #[error("cannot write {0}")]
    Write(Utf8PathBuf, #[source] io::Error),
}

/// How long a run may take.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Patience {
    /// Reading what is there.
    Look,
    /// Something from the network.
    Fetch,
    /// Compiling.
    Build,
}

impl Patience {
    pub(crate) fn limit(self) -> Duration {
        match self {
            Self::Look => Duration::from_mins(1),
            Self::Fetch => Duration::from_mins(5),
            Self::Build => Duration::from_mins(10),
        }
    }
}

impl Cargo {
    /// Cargo, run in this directory, whose settings (`.cargo/config.toml`) then count.
    pub(crate) fn new(program: Utf8PathBuf, directory: Utf8PathBuf) -> Self {
        let room = Semaphore::new(AT_ONCE);
        Self { program, directory, offline: false, room, host: OnceCell::new() }
    }

    /// The same, told to keep off the network whatever it is asked for.
    pub(crate) fn offline(self, offline: bool) -> Self {
        Self { offline, ..self }
    }

    pub(crate) fn directory(&self) -> &Utf8Path {
        &self.directory
    }

    /// The platform that cargo itself runs on, as it says.
    pub(crate) async fn host(&self) -> Result<&str, CargoError> {
        let ask = || async {
            let output = self.run(&["--version", "--verbose"], Patience::Look).await?;
            host_in(&String::from_utf8_lossy(&output)).ok_or(CargoError::NoHost)
        };
        self.host.get_or_try_init(ask).await.map(String::as_str)
    }

    /// What a run printed, if it ended well.
    pub(crate) async fn run(
        &self,
        words: &[&str],
        patience: Patience,
    ) -> Result<Vec<u8>, CargoError> {
        let verb = words.first().copied().unwrap_or_default().to_owned();
        // The semaphore is never closed.
        let _room = self.room.acquire().await.ok();
        let mut command = Command::new(self.program.as_std_path());
        command.args(words).current_dir(&self.directory).kill_on_drop(true);
        command.env("CARGO_TERM_COLOR", "never").env("CARGO_TERM_PROGRESS_WHEN", "never");
        // A toolchain that the workspace names and nobody has installed is not fetched by asking about it.
        command.env("RUSTUP_AUTO_INSTALL", "0");
        if self.offline {
            command.env("CARGO_NET_OFFLINE", "true");
        }
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        #[cfg(unix)]
        command.process_group(0);
        let mut child =
            command.spawn().map_err(|error| CargoError::Start(self.program.clone(), error))?;
        let group = Group::of(&child);
        let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
        let work = async {
            let (output, messages) = tokio::join!(whole(stdout, &verb), tail(stderr));
            let status =
                child.wait().await.map_err(|error| CargoError::Read(verb.clone(), error))?;
            Ok((output?, messages, status))
        };
        let limit = patience.limit();
        let (output, messages, status) = timeout(limit, work)
            .await
            .map_err(|_| CargoError::TooLong(verb.clone(), limit.as_secs()))??;
        group.ended();
        if status.success() { Ok(output) } else { Err(CargoError::Failed(verb, errors(&messages))) }
    }
}

/// The processes of a run; all are killed unless it was seen to end.
#[derive(Debug)]
struct Group {
    #[cfg(unix)]
    leader: Option<rustix::process::Pid>,
}

#[cfg(unix)]
impl Group {
    fn of(child: &tokio::process::Child) -> Self {
        let id = child.id().and_then(|id| i32::try_from(id).ok());
        Self { leader: id.and_then(rustix::process::Pid::from_raw) }
    }

    fn ended(mut self) {
        self.leader = None;
    }
}

#[cfg(unix)]
impl Drop for Group {
    fn drop(&mut self) {
        if let Some(leader) = self.leader {
            // A group that is gone already needs no killing.
            let _ = rustix::process::kill_process_group(leader, rustix::process::Signal::KILL);
        }
    }
}

#[cfg(not(unix))]
impl Group {
    fn of(_child: &tokio::process::Child) -> Self {
        Self {}
    }

    fn ended(self) {}
}

/// Everything that a stream says, up to the limit.
async fn whole(stream: Option<impl AsyncRead + Unpin>, verb: &str) -> Result<Vec<u8>, CargoError> {
    let mut output = Vec::new();
    let Some(stream) = stream else { return Ok(output) };
    let mut stream = stream.take(MAX_OUTPUT as u64 + 1);
    let read = stream.read_to_end(&mut output).await;
    read.map_err(|error| CargoError::Read(verb.to_owned(), error))?;
    if output.len() > MAX_OUTPUT {
        return Err(CargoError::TooMuch(verb.to_owned(), MAX_OUTPUT >> 20));
    }
    Ok(output)
}

/// The end of what a stream says.
async fn tail(stream: Option<impl AsyncRead + Unpin>) -> Vec<u8> {
    let (mut kept, mut piece) = (Vec::new(), [0; 4096]);
    let Some(mut stream) = stream else { return kept };
    while let Ok(length @ 1..) = stream.read(&mut piece).await {
        kept.extend_from_slice(&piece[..length]);
        let surplus = kept.len().saturating_sub(MAX_MESSAGES);
        kept.drain(..surplus);
    }
    kept
}

/// The platform in what cargo says about itself: a name that is fit to be the value of an option.
fn host_in(text: &str) -> Option<String> {
    let host = text.lines().find_map(|line| line.strip_prefix("host: "))?.trim();
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    (!host.is_empty() && host.chars().all(plain)).then(|| host.to_owned())
}

/// What cargo says went wrong, without what it says about its progress.
fn errors(messages: &[u8]) -> String {
    let text = String::from_utf8_lossy(messages);
    let start = text.find("error").unwrap_or(0);
    let text = text[start..].trim();
    if text.is_empty() { "it does not say why".to_owned() } else { text.to_owned() }
}

#[cfg(all(test, unix))]
mod tests;

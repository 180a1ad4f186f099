//! A sealed tool that writes, and then goes wrong.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write as _};
use std::os::fd::{AsFd as _, BorrowedFd};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use jp_tool::vfs::{ErrorCode, VfsError, VfsHost};
use serde::{Deserialize, Serialize};

use super::random::Random;
use super::{BIG, content};
use crate::failure::{Failure, Result};

/// How many files a tool writes, over and over.
const FILES: u64 = 4;

/// What a tool does.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Job {
    pub(super) fault: Fault,
    /// Which tool it is; each has files of its own.
    pub(super) number: u64,
    pub(super) seed: u64,
    /// Where it notes what was acknowledged.
    pub(super) log: String,
}

/// What goes wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Fault {
    None,
    /// It is killed while it works.
    Killed,
    /// The host calls it off while it works.
    HostCancel,
    /// Nobody holds the session any more.
    HostGone,
    /// It leaves in the middle of a line.
    HalfLine,
    /// It leaves without a word.
    Leaves,
    /// It asks and asks, and reads no answer.
    Flood,
    /// It asks for much, and reads no answer.
    NeverReads,
    /// It reads little at a time.
    SlowReader,
    /// It leaves, and what it has started keeps its streams.
    HoldsPipe,
    /// Its last line has no end.
    NoNewline,
    /// It says nothing.
    Silent,
}

impl Fault {
    pub(super) const ALL: &[Self] = &[
        Self::None,
        Self::Killed,
        Self::HostCancel,
        Self::HostGone,
        Self::HalfLine,
        Self::Leaves,
        Self::Flood,
        Self::NeverReads,
        Self::SlowReader,
        Self::HoldsPipe,
        Self::NoNewline,
        Self::Silent,
    ];
}

/// Writes, notes, goes wrong.
pub(crate) fn run() -> Result {
    let mut tool = Misfit::connect()?;
    if tool.write()? == Written::All {
        tool.misbehave()?;
    }
    Ok(())
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Written {
    All,
    CalledOff,
}

/// A tool, and the streams behind its client.
struct Misfit {
    host: VfsHost,
    job: Job,
    output: File,
    random: Random,
}

impl Misfit {
    fn connect() -> Result<Self> {
        let own = |fd: BorrowedFd<'_>| fd.try_clone_to_owned().map(File::from);
        let connect = || -> io::Result<_> {
            let (input, output) = (own(io::stdin().as_fd())?, own(io::stdout().as_fd())?);
            let is_slow = Arc::new(AtomicBool::new(false));
            let input = Slow { input, is_slow: is_slow.clone() };
            let host = VfsHost::over(input, output.try_clone()?).map_err(io::Error::other)?;
            Ok((host, output, is_slow))
        };
        let (host, output, is_slow) = connect().map_err(Failure::because("no host"))?;
        let job = host.option::<Job>("job").ok().flatten();
        let job = job.ok_or_else(|| Failure::new("no job"))?;
        is_slow.store(job.fault == Fault::SlowReader, Ordering::Relaxed);
        let random = Random::new(job.seed);
        Ok(Self { host, job, output, random })
    }

    fn write(&mut self) -> Result<Written> {
        let Job { fault, number, log, .. } = &self.job;
        let writes = match fault {
            // Until somebody ends it.
            Fault::Killed | Fault::HostCancel | Fault::HostGone => u64::MAX,
            _ => self.random.below(20) + 1,
        };
        let log = OpenOptions::new().create(true).append(true).open(log);
        let mut log = log.map_err(Failure::because("cannot note"))?;
        for version in 1..=writes {
            let path = format!("t{}/{number}/f{}.txt", number % 16, self.random.below(FILES));
            match self.host.write(&path, content::of(version)) {
                Ok(()) => {}
                Err(VfsError::Cancelled | VfsError::Closed) => return Ok(Written::CalledOff),
                // What was under way when the host called off the tool.
                Err(error) if error.code() == Some(ErrorCode::Cancelled) => {
                    return Ok(Written::CalledOff);
                }
                Err(error) => return Err(Failure::because("cannot write")(error)),
            }
            let note = format!("{path} {version}\n");
            log.write_all(note.as_bytes()).map_err(Failure::because("cannot note"))?;
            if self.random.below(3) == 0 {
                let _ = self.host.read(&path);
            }
        }
        Ok(Written::All)
    }

    fn misbehave(mut self) -> Result {
        match self.job.fault {
            Fault::None | Fault::SlowReader => self.host.result("done"),
            Fault::Killed | Fault::HostCancel | Fault::HostGone | Fault::Leaves => {}
            Fault::HalfLine => self.say(br#"{"jsonrpc":"2.0","id":77,"method":"fs.wri"#),
            Fault::NoNewline => {
                self.say(br#"{"jsonrpc":"2.0","method":"result","params":{"content":"done"}}"#);
            }
            Fault::Flood => self.ask_for_ever("fs.exists", "t0"),
            Fault::NeverReads => self.ask_for_ever("fs.read", BIG),
            Fault::HoldsPipe => {
                let child = Command::new("sleep").arg("3").spawn();
                drop(child.map_err(Failure::because("cannot start a child"))?);
            }
            Fault::Silent => thread::sleep(Duration::from_mins(5)),
        }
        Ok(())
    }

    /// Whether it arrives is no concern of ours any more.
    fn say(&mut self, text: &[u8]) {
        let _ = self.output.write_all(text);
    }

    fn ask_for_ever(&mut self, method: &str, path: &str) {
        let request = |id: u64| {
            format!(
                r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{{"path":"{path}"}}}}"#
            )
        };
        let lines: String = (1_000_000..1_000_100).map(|id| request(id) + "\n").collect();
        while self.output.write_all(lines.as_bytes()).is_ok() {}
    }
}

/// A stream of which little is read at a time, if wanted.
struct Slow {
    input: File,
    is_slow: Arc<AtomicBool>,
}

impl Read for Slow {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if !self.is_slow.load(Ordering::Relaxed) {
            return self.input.read(buffer);
        }
        thread::sleep(Duration::from_millis(1));
        let few = buffer.len().min(1_000);
        self.input.read(&mut buffer[..few])
    }
}

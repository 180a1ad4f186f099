//! One session with a tool that stays alive: a line to it, a line back, and its end.

use std::time::Duration;

use jp_confine::Running;
use jp_process::Exit;
use jp_tool::Action;
use serde_json::{Map, Value};
use tokio::{
    io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader},
    net::unix::pipe,
    task::JoinHandle,
    time::timeout,
};

use super::End;
use crate::{
    cmd::tool::check::{
        bench::{Bench, PROMPT, refused},
        calls::to_line,
        said::{Manner, Said},
        subject::Subject,
    },
    error::{Error, Result},
};

/// The longest line that is read.
const LONGEST: u64 = 1024 * 1024;

/// A tool that is alive. Dropped, it is ended.
pub(super) struct Talk<'a> {
    bench: &'a Bench<'a>,
    running: Running,
    stdin: Option<pipe::Sender>,
    stdout: BufReader<pipe::Receiver>,
    /// Reads what the program writes for people, so that it never has to wait for a reader.
    _messages: JoinHandle<()>,
    patience: Duration,
}

/// How a session ended.
pub(super) struct Ended {
    /// How the program ended, if it did.
    pub(super) exit: Option<Exit>,
    /// What it printed after the last answer.
    pub(super) more: Option<String>,
}

impl<'a> Talk<'a> {
    /// Starts the tool and hears what it says first.
    pub(super) async fn start(
        bench: &'a Bench<'a>,
        subject: &Subject,
        good: &Map<String, Value>,
    ) -> Result<(Self, Said)> {
        let invocation = subject.invocation(bench, Action::Run, good.clone(), Map::new());
        let mut running = bench.start(&invocation).await?;
        let child = &mut running.child;
        let streams = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(stdin), Some(stdout), Some(stderr)) = streams else {
            return Err(Error::failure("the program has no streams"));
        };
        let messages = tokio::spawn(drain(stderr));
        let (stdin, stdout, patience) = (Some(stdin), BufReader::new(stdout), bench.patience);
        let mut talk = Self { bench, running, stdin, stdout, _messages: messages, patience };
        let said = talk.exchange(&to_line(&invocation)).await?;
        Ok((talk, said))
    }

    /// Says a line, and hears one.
    pub(super) async fn tell(&mut self, line: &str) -> Result<Said> {
        self.exchange(format!("{line}\n").as_bytes()).await
    }

    async fn exchange(&mut self, line: &[u8]) -> Result<Said> {
        let (bench, patience) = (self.bench, self.patience);
        let talk = async {
            if let Some(stdin) = &mut self.stdin {
                // A program that ended does not read; what it said before can still be heard.
                let _ = stdin.write_all(line).await;
            }
            self.line().await
        };
        match bench.during("talking", timeout(patience, talk)).await {
            Ok(Ok(line)) => Ok(Said::read(&line, Manner::States)),
            Ok(Err(error)) => Err(Error::failure(error)),
            Err(_) => {
                let reason = format!("it did not answer within {} seconds", patience.as_secs());
                Ok(Said::Unclear { reason })
            }
        }
    }

    /// The next line that is not empty; empty at the end.
    async fn line(&mut self) -> std::io::Result<Vec<u8>> {
        let mut line = Vec::new();
        loop {
            let length = (&mut self.stdout).take(LONGEST).read_until(b'\n', &mut line).await?;
            if length == 0 || !line.trim_ascii().is_empty() {
                return Ok(line);
            }
            line.clear();
        }
    }

    /// Ends the tool, however it takes that.
    pub(super) async fn end(&mut self) -> Result {
        self.running.child.kill().await.map(drop).map_err(Error::failure)
    }

    /// Sees to the end of the tool, and makes it end if it does not.
    pub(super) async fn end_by(mut self, how: End) -> Result<Ended> {
        if how == End::WithInput {
            drop(self.stdin.take());
        }
        let bench = self.bench;
        let wait = timeout(PROMPT, self.running.child.wait());
        let exit = match bench.during("waiting for the end", wait).await {
            Ok(exit) => Some(exit.map_err(Error::failure)?),
            Err(_) => None,
        };
        if exit.is_none() {
            self.end().await?;
        }
        let mut more = Vec::new();
        let mut rest = (&mut self.stdout).take(LONGEST);
        // A pipe that somebody else holds does not end; what matters is in it by now.
        let _ = timeout(PROMPT, rest.read_to_end(&mut more)).await;
        let more = String::from_utf8_lossy(&more).trim().to_owned();
        if let Some(exit) = &exit {
            self.running.end(exit).map_err(refused)?;
        }
        Ok(Ended { exit, more: (!more.is_empty()).then_some(more) })
    }
}

async fn drain(mut stderr: pipe::Receiver) {
    let mut bytes = [0; 4096];
    while matches!(stderr.read(&mut bytes).await, Ok(length) if length > 0) {}
}

//! One run of a tool, with the check between it and the host.
//!
//! Reading and writing are tasks of their own, so a tool that does neither cannot hold up the check, which
//! ends it when its time is over.

use std::{
    io,
    time::{Duration, Instant},
};

use jp_confine::Running;
use jp_process::Exit;
use jp_tool::{
    ToolState,
    vfs::{ErrorCode, ErrorObject, HostNotification, Id, Response, ToTool},
};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader},
    net::unix::pipe,
    sync::mpsc::{self, UnboundedSender},
    time::{sleep_until, timeout},
};

use super::{
    super::{
        bench::{PROMPT, refused},
        questions,
    },
    fault::{Answers, Fault},
    hear::{Asks, Heard},
    transcript::{From, Transcript},
};
use crate::error::{Error, Result};

/// The most that a tool may write in one run.
const MOST_OUTPUT: u64 = 64 << 20;

/// So much of its stderr is kept.
const MOST_MESSAGES: usize = 64 << 10;

/// So many questions of a tool that stays alive are answered before it is called off.
const MOST_ANSWERS: usize = 5;

/// What is played.
#[derive(Debug)]
pub(super) struct Script {
    /// The first message.
    pub(super) init: Value,
    pub(super) fault: Fault,
    pub(super) stays_alive: bool,
    /// How long it may take until the last word.
    pub(super) patience: Duration,
    /// How long the tool may take to end when it was told to.
    pub(super) grace: Duration,
}

/// What was seen of a run.
#[derive(Debug)]
pub(super) struct Played {
    pub(super) heard: Heard,
    pub(super) transcript: Transcript,
    /// What it was ended for, after how long.
    pub(super) late: Option<(Wait, Duration)>,
    pub(super) exit: Exit,
    pub(super) stderr: String,
    pub(super) took: Duration,
    /// Whether answers came in another order than their requests.
    pub(super) reordered: bool,
    /// Whether the call was called off, or the input has ended.
    pub(super) interrupted: bool,
    /// Whether there was any input.
    pub(super) was_called: bool,
    /// What it changed in the project.
    pub(super) changed: Vec<String>,
}

/// What is waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wait {
    LastWord,
    /// The end, after the last word.
    End,
    /// The end, after `cancel`.
    Cancelled,
    /// The end, after that of the input.
    HungUp,
}

/// The two pipes to the one who serves requests.
#[derive(Debug)]
pub(super) struct Host {
    pub(super) to: pipe::Sender,
    pub(super) from: pipe::Receiver,
}

/// Plays a script from the start of a program to its end.
pub(super) async fn play(mut running: Running, host: Host, script: Script) -> Result<Played> {
    let child = &mut running.child;
    let streams = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let (Some(stdin), Some(stdout), Some(stderr)) = streams else {
        return Err(Error::failure("the program has no streams"));
    };
    let messages = tokio::spawn(collect(stderr));
    let (mut from_tool, mut from_host) = (lines(stdout), lines(host.from));
    let mut play = Play::new(script, writer(stdin), writer(host.to));
    play.begin();
    let exit = loop {
        tokio::select! {
            Some(line) = from_tool.recv() => play.hear(&line),
            Some(line) = from_host.recv() => play.answer(line),
            () = at(play.answers.due()) => play.give(),
            () = at(Some(play.deadline)) => {
                play.late = Some((play.wait, play.limit));
                break running.child.kill().await;
            }
            exit = running.child.wait() => break exit,
        }
    };
    // What it wrote before its end can still be read.
    while let Ok(Some(line)) = timeout(PROMPT, from_tool.recv()).await {
        play.hear(&line);
    }
    let exit = exit.map_err(Error::failure)?;
    running.end(&exit).map_err(refused)?;
    let stderr =
        timeout(PROMPT, messages).await.ok().and_then(std::result::Result::ok).unwrap_or_default();
    Ok(play.finish(exit, stderr))
}

/// A run that goes on.
struct Play {
    script: Script,
    began: Instant,
    wait: Wait,
    limit: Duration,
    deadline: Instant,
    late: Option<(Wait, Duration)>,
    /// Its input, while it is open.
    to_tool: Option<UnboundedSender<Vec<u8>>>,
    to_host: UnboundedSender<Vec<u8>>,
    answers: Answers,
    given: usize,
    heard: Heard,
    transcript: Transcript,
}

impl Play {
    fn new(
        script: Script,
        to_tool: UnboundedSender<Vec<u8>>,
        to_host: UnboundedSender<Vec<u8>>,
    ) -> Self {
        let (began, limit) = (Instant::now(), script.patience);
        Self {
            answers: Answers::new(script.fault),
            script,
            began,
            wait: Wait::LastWord,
            limit,
            deadline: began + limit,
            late: None,
            to_tool: Some(to_tool),
            to_host,
            given: 0,
            heard: Heard::default(),
            transcript: Transcript::default(),
        }
    }

    fn begin(&mut self) {
        if self.script.fault == Fault::NoInput {
            self.hang_up();
        } else {
            self.send(format!("{}\n", self.script.init).into_bytes());
        }
    }

    fn hear(&mut self, line: &[u8]) {
        self.transcript.add(self.began.elapsed(), From::Tool, line);
        match self.heard.hear(line, self.script.stays_alive) {
            Asks::Nothing => {}
            Asks::Answer(id) => self.request(id, line),
            Asks::Host => self.tell_host(line),
            Asks::Input(state) => self.input(&state),
            Asks::End => self.wait_for(Wait::End, PROMPT),
        }
    }

    fn request(&mut self, id: Id, line: &[u8]) {
        match self.script.fault {
            _ if self.wait != Wait::LastWord => self.refuse(id, ErrorCode::Cancelled),
            // This is how the host does it, too.
            Fault::Cancel => {
                self.refuse(id, ErrorCode::Cancelled);
                self.cancel();
            }
            Fault::HangUp => self.hang_up(),
            Fault::Refused { code, from } if self.heard.requests >= from => self.refuse(id, code),
            _ => self.tell_host(line),
        }
    }

    /// What a tool that stays alive gets to hear about its state.
    fn input(&mut self, state: &ToolState) {
        let answer = match state {
            ToolState::Waiting { question, .. } => questions::answer(&question.clone().into()),
            _ => None,
        };
        match (self.script.fault, answer) {
            (Fault::HangUp, _) => self.hang_up(),
            (Fault::Cancel, _) => self.cancel(),
            (_, Some(input)) if self.given < MOST_ANSWERS => {
                self.given += 1;
                let apply =
                    json!({ "jsonrpc": "2.0", "method": "apply", "params": { "input": input } });
                self.send(format!("{apply}\n").into_bytes());
            }
            _ => self.cancel(),
        }
    }

    /// Passes on what the host has to say. `init` is ours, and `cancel` too.
    fn answer(&mut self, line: Vec<u8>) {
        if let Ok(ToTool::Response(Response { id: Some(id), .. })) = ToTool::parse(&line) {
            self.heard.answered(&id);
            for line in self.answers.take(line, Instant::now()) {
                self.send(line);
            }
        }
    }

    fn give(&mut self) {
        for line in self.answers.give(Instant::now()) {
            self.send(line);
        }
    }

    fn refuse(&mut self, id: Id, code: ErrorCode) {
        self.heard.answered(&id);
        let error = ErrorObject::new(code, format!("{code:?}: `jp tool check` refuses this"));
        let response = Response::<Value>::failure(id, error);
        self.send(to_line(&response));
    }

    fn cancel(&mut self) {
        self.send(to_line(&HostNotification::Cancel));
        self.wait_for(Wait::Cancelled, self.script.grace);
    }

    fn hang_up(&mut self) {
        self.note("the input of the tool ends");
        self.to_tool = None;
        self.wait_for(Wait::HungUp, self.script.grace);
    }

    fn wait_for(&mut self, wait: Wait, limit: Duration) {
        // Who was told to end and says a last word has no more time for it.
        if matches!(self.wait, Wait::LastWord) {
            (self.wait, self.limit, self.deadline) = (wait, limit, Instant::now() + limit);
        }
    }

    /// Whoever has closed its input does not hear it, which is no business of the host.
    fn send(&mut self, line: Vec<u8>) {
        if let Some(to_tool) = &self.to_tool {
            self.transcript.add(self.began.elapsed(), From::Host, &line);
            let _ = to_tool.send(line);
        }
    }

    fn tell_host(&self, line: &[u8]) {
        let _ = self.to_host.send(line.to_vec());
    }

    fn note(&mut self, what: &str) {
        self.transcript.add(self.began.elapsed(), From::Check, what.as_bytes());
    }

    fn finish(mut self, exit: Exit, stderr: String) -> Played {
        match self.late {
            Some(_) => self.note("the tool is still there, and is ended"),
            None => self.note(&format!("the tool {exit}")),
        }
        Played {
            interrupted: matches!(self.wait, Wait::Cancelled | Wait::HungUp),
            was_called: self.script.fault != Fault::NoInput,
            late: self.late,
            exit,
            stderr,
            took: self.began.elapsed(),
            reordered: self.answers.reordered,
            heard: self.heard,
            transcript: self.transcript,
            changed: Vec::new(),
        }
    }
}

impl Played {
    /// The last of what was said.
    pub(super) fn exchange(&self) -> Vec<String> {
        self.transcript.end()
    }
}

async fn at(time: Option<Instant>) {
    match time {
        Some(time) => sleep_until(time.into()).await,
        None => std::future::pending().await,
    }
}

fn lines(from: pipe::Receiver) -> mpsc::Receiver<Vec<u8>> {
    let (to, lines) = mpsc::channel(64);
    tokio::spawn(async move {
        let mut from = BufReader::new(from.take(MOST_OUTPUT));
        let mut line = Vec::new();
        while matches!(from.read_until(b'\n', &mut line).await, Ok(read) if read > 0) {
            if to.send(std::mem::take(&mut line)).await.is_err() {
                return;
            }
        }
    });
    lines
}

fn writer(mut to: pipe::Sender) -> UnboundedSender<Vec<u8>> {
    let (lines, mut from) = mpsc::unbounded_channel::<Vec<u8>>();
    tokio::spawn(async move {
        while let Some(line) = from.recv().await {
            to.write_all(&line).await?;
        }
        io::Result::Ok(())
    });
    lines
}

async fn collect(mut stderr: pipe::Receiver) -> String {
    let (mut kept, mut part) = (Vec::new(), [0; 8192]);
    while let Ok(read @ 1..) = stderr.read(&mut part).await {
        let left = MOST_MESSAGES.saturating_sub(kept.len());
        kept.extend(&part[..read.min(left)]);
    }
    String::from_utf8_lossy(&kept).trim().to_owned()
}

fn to_line(message: &impl serde::Serialize) -> Vec<u8> {
    super::super::calls::to_line(message)
}

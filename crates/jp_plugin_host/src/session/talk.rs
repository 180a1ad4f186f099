//! What a plugin says, one line after the other, and what is done about it.
//!
//! The reader never waits for an answer to be made or read. What can be answered at once is; the rest runs in
//! threads, a few at a time. How much may wait is bounded in bytes, on both sides: a plugin that asks and does
//! not read is not read from any more, until it does.

use std::{
    mem,
    ops::Range,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use jp_plugin::{
    MessageError, PluginToHost, QUOTED, Refusal, Request, VERSION, count_values,
    to_host::{self, Asked, Exit, Ready},
    to_plugin::{Error, HostToPlugin},
};
use tokio::{io::AsyncReadExt as _, net::unix::pipe, sync::mpsc, task::JoinSet};

use super::{
    Violation,
    lines::{Lines, TooLong},
    outbox::Outbox,
    schedule::{Begun, Charge, Claim, Schedule, Task, changes, remove_one},
    trace,
};
use crate::{
    output::Printing,
    services::{Answer, Cost, Events, Services, encode},
};

/// While so many bytes wait to be read by the plugin, nothing more is carried out for it.
const MOST_UNREAD: usize = 16 << 20;
/// While so much is carried out, waits for it or waits to be read, the plugin is not read from.
const MOST_WAITING: usize = 24 << 20;
/// How many requests are answered in one go.
const IN_A_ROW: usize = 32;
/// How many requests run at the same time.
const AT_ONCE: usize = 8;
/// How many pieces of a long answer wait for the one before.
const PIECES: usize = 4;
/// What a request costs beside its line.
const EACH: usize = 256;
/// What a value of a pushed event costs in memory. The most costly is an object with one field.
const VALUE: usize = 400;

/// How a plugin ended its talk.
#[derive(Debug)]
pub(super) enum Last {
    /// By saying so.
    Exit(Exit),
    /// Without a word.
    Closed,
    /// By something that cannot be a message.
    Violation(Violation),
}

pub(super) struct Talk {
    pub(super) plugin: Arc<str>,
    pub(super) services: Arc<Services>,
    pub(super) outbox: Arc<Outbox>,
    pub(super) printing: Printing,
    /// Whether it waits for the plugin, and for nothing else.
    pub(super) is_listening: Arc<AtomicBool>,
    lines: Lines,
    schedule: Schedule,
    /// Requests that are carried out and change something.
    changes: JoinSet<Vec<Claim>>,
    /// Those that are only answered.
    reads: JoinSet<Vec<Claim>>,
    /// What the latter have claimed.
    read_claims: Vec<Claim>,
}

/// How much was started.
#[derive(Debug, PartialEq, Eq)]
enum Started {
    /// All that could be.
    All,
    /// As much as is started in one go.
    Some,
}

/// What comes after a line.
enum Next {
    Line,
    Last(Last),
}

impl Talk {
    pub(super) fn new(
        plugin: Arc<str>,
        services: Arc<Services>,
        outbox: Arc<Outbox>,
        printing: Printing,
    ) -> Self {
        Self {
            plugin,
            services,
            outbox,
            printing,
            is_listening: Arc::default(),
            lines: Lines::default(),
            schedule: Schedule::default(),
            changes: JoinSet::new(),
            reads: JoinSet::new(),
            read_claims: Vec::new(),
        }
    }

    /// Listens to the end. Everything that was asked to be changed before it is done then.
    pub(super) async fn run(mut self, mut from: pipe::Receiver) -> (Last, Printing) {
        let last = self.listen(&mut from).await;
        self.outbox.close();
        match last {
            Last::Exit(_) | Last::Closed => {
                self.schedule.keep_changes();
                // Whoever writes into a pipe that nobody reads would wait, or be killed.
                tokio::spawn(drain(from));
            }
            Last::Violation(_) => self.schedule = Schedule::default(),
        }
        // Nobody gets what they read, so nothing waits for them, however long they take.
        self.reads.detach_all();
        self.schedule.give_back(&mem::take(&mut self.read_claims));
        loop {
            if self.start_what_can() == Started::Some {
                tokio::task::yield_now().await;
                continue;
            }
            match self.changes.join_next().await {
                Some(ended) => drop(self.ended(ended)),
                None => break,
            }
        }
        self.services.release();
        (last, self.printing)
    }

    async fn listen(&mut self, from: &mut pipe::Receiver) -> Last {
        let mut is_over = false;
        loop {
            while self.may_read() {
                let line = match self.lines.next() {
                    None if is_over => match self.lines.rest() {
                        None => return Last::Closed,
                        rest => rest,
                    },
                    line => line,
                };
                let Some(line) = line else { break };
                if let Next::Last(last) = self.line(line).await {
                    return last;
                }
                // Whoever wants to stop must be heard, however much there is to read.
                tokio::task::coop::consume_budget().await;
            }
            let started = self.start_what_can();
            self.outbox.flush();
            if started == Started::Some {
                tokio::task::yield_now().await;
                continue;
            }
            let reads = !is_over && self.may_read();
            self.is_listening.store(reads && self.running() == 0, Ordering::Release);
            tokio::select! {
                read = from.read_buf(self.lines.room()), if reads => {
                    // What cannot be read any more has ended.
                    is_over = !matches!(read, Ok(1..));
                }
                Some(ended) = self.changes.join_next() => drop(self.ended(ended)),
                Some(ended) = self.reads.join_next() => {
                    for claim in self.ended(ended) {
                        remove_one(&mut self.read_claims, claim);
                    }
                }
                () = self.outbox.room(), if !reads || !self.schedule.is_empty() => {}
            }
            self.is_listening.store(false, Ordering::Release);
        }
    }

    fn may_read(&self) -> bool {
        self.schedule.bytes() < MOST_WAITING && self.outbox.bytes() < MOST_WAITING
    }

    async fn line(&mut self, line: Result<Range<usize>, TooLong>) -> Next {
        let bytes = match line {
            Ok(range) => self.lines.bytes(range),
            Err(TooLong(range)) => {
                let quote = quote(self.lines.bytes(range));
                return Next::Last(Last::Violation(Violation::TooLong { quote }));
            }
        };
        if bytes.trim_ascii().is_empty() {
            return Next::Line;
        }
        let length = bytes.len();
        let Some(values) = count_values(bytes) else {
            let Some(refusal) = to_host::refuse_values(bytes) else {
                return Next::Last(Last::Violation(Violation::TooMany { quote: quote(bytes) }));
            };
            self.refuse(refusal);
            return Next::Line;
        };
        match to_host::parse(bytes) {
            Ok(PluginToHost::Request(asked)) => self.ask(asked, length, values),
            Ok(PluginToHost::Print(print)) => self.printing.print(print).await,
            Ok(PluginToHost::Log(log)) => trace::log(&self.plugin, &log),
            Ok(PluginToHost::Exit(exit)) => return Next::Last(Last::Exit(exit)),
            Ok(PluginToHost::Ready(Ready { version: Some(version) }))
                if version > VERSION.into() =>
            {
                return Next::Last(Last::Violation(Violation::Version(version)));
            }
            Ok(PluginToHost::Ready(_)) => tracing::debug!(plugin = %self.plugin, "ready"),
            // It was not asked, and to tell it again does no harm.
            Ok(PluginToHost::Describe(_)) => {}
            Err(MessageError::Refused(refusal)) => {
                self.refuse(refusal);
            }
            Err(MessageError::Framing(why)) => {
                let quote = quote(bytes);
                return Next::Last(Last::Violation(Violation::Framing { why, quote }));
            }
        }
        Next::Line
    }

    fn refuse(&mut self, refusal: Refusal) {
        let id = refusal.id.as_ref().map_or(0, |id| id.as_str().len());
        let bytes = EACH + id + refusal.request.len() + refusal.message.len();
        self.schedule.add(Task::Refuse(refusal), bytes);
    }

    fn ask(&mut self, asked: Asked, length: usize, values: usize) {
        let bytes = match &asked.request {
            Request::PushEvents(_) => EACH + 2 * length + VALUE * values,
            _ => EACH + length,
        };
        self.schedule.add(Task::Serve(asked), bytes);
    }

    /// Starts what can run now, but not so much that nobody else comes to his turn. What is answered at once
    /// is to be flushed.
    fn start_what_can(&mut self) -> Started {
        if self.outbox.is_closed() {
            // Nobody would read what is only asked for to be known.
            self.schedule.keep_changes();
        }
        for _ in 0..IN_A_ROW {
            if self.outbox.bytes() >= MOST_UNREAD {
                return Started::All;
            }
            let is_full = self.running() >= AT_ONCE;
            let fits = |task: &Task| !is_full || is_quick(task);
            let Some(Begun { task, claims, cost }) = self.schedule.next(fits) else {
                return Started::All;
            };
            match task {
                Task::Refuse(refusal) => {
                    self.outbox.add(encode(&HostToPlugin::Error(Error {
                        id: refusal.id,
                        request: refusal.request,
                        conversation: None,
                        message: refusal.message,
                    })));
                    self.schedule.give_back(&claims);
                }
                Task::Serve(asked) if Services::cost(&asked.request) == Cost::Little => {
                    // Which answers in one line.
                    if let Answer::Line(line) = self.services.serve(asked) {
                        self.outbox.add(line);
                    }
                    self.schedule.give_back(&claims);
                }
                Task::Serve(asked) => self.start(asked, claims, cost),
            }
        }
        Started::Some
    }

    /// How many requests are carried out.
    fn running(&self) -> usize {
        self.changes.len() + self.reads.len()
    }

    fn start(&mut self, asked: Asked, claims: Vec<Claim>, cost: Charge) {
        let (services, outbox) = (Arc::clone(&self.services), Arc::clone(&self.outbox));
        let jobs = if changes(&asked.request) {
            &mut self.changes
        } else {
            self.read_claims.extend(&claims);
            &mut self.reads
        };
        jobs.spawn_blocking(move || {
            // What it was asked with is in memory until it is done.
            let _cost = cost;
            match services.serve(asked) {
                Answer::Line(line) => outbox.push(line),
                Answer::Events(events) => send_events(&events, &outbox),
            }
            claims
        });
    }

    /// A request was carried out, which gives back these claims.
    fn ended(&mut self, ended: Result<Vec<Claim>, tokio::task::JoinError>) -> Vec<Claim> {
        match ended {
            Ok(claims) => {
                self.schedule.give_back(&claims);
                claims
            }
            Err(error) => {
                // Its claims stay, so nothing that builds on it runs.
                tracing::error!(%error, "a request of a plugin was not carried out");
                Vec::new()
            }
        }
    }
}

fn is_quick(task: &Task) -> bool {
    match task {
        Task::Refuse(_) => true,
        Task::Serve(asked) => Services::cost(&asked.request) == Cost::Little,
    }
}

/// Sends events as they are decoded, so that a long conversation is in memory once.
fn send_events(events: &Events, outbox: &Outbox) {
    let mut sender: Option<mpsc::Sender<Vec<u8>>> = None;
    events.write(|piece| {
        let is_sent = if let Some(sender) = &sender {
            sender.blocking_send(piece).is_ok()
        } else {
            let (more, next) = mpsc::channel(PIECES);
            outbox.push_pieces(piece, next);
            sender = Some(more);
            true
        };
        outbox.poke();
        is_sent
    });
    // That there are no more pieces is to be noticed too.
    drop(sender);
    outbox.poke();
}

/// The beginning of a line that is no message, as text.
fn quote(line: &[u8]) -> String {
    String::from_utf8_lossy(&line[..line.len().min(QUOTED)]).into_owned()
}

async fn drain(mut from: pipe::Receiver) {
    let mut ignored = [0; 4 << 10];
    while let Ok(1..) = from.read(&mut ignored).await {}
}

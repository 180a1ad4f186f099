//! The thread of a session: it waits for the tool, answers, and minds the time.
//!
//! Both pipes are non-blocking, and one `poll` waits for whatever comes first: a line, room for an answer,
//! or the bell that says that something was done elsewhere. An alarm rings the bell when somebody's patience
//! may have ended: to be told once costs nothing, to set a limit for each wait costs a tenth of the wait.

mod alarm;
mod clock;
mod requests;

use std::{
    collections::HashMap,
    error::Error as _,
    io,
    os::fd::{AsFd, OwnedFd},
    sync::Arc,
    time::{Duration, Instant},
};

use jp_tool::{
    ToolState,
    vfs::{
        Call, ErrorCode, ErrorObject, HostNotification, Id, InvalidNotification, Notification,
        ToHost, ToolNotification,
    },
};
use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    io::Errno,
};
use tokio::runtime::Handle;

use self::{
    alarm::Alarm,
    clock::{Clock, Debts},
    requests::UnderWay,
};
use super::{
    End, Inbound, Pipes, Shared,
    job::{Turn, Turns},
    lines::{Arrived, Line, Lines},
    outbox::{Outbox, Sent},
};
use crate::{gate::Gate, host::Host, record::Attempt, reply};

/// How much may wait to be read by the tool before it is not read from.
const MOST_UNREAD: usize = 16 << 20;
/// How many requests may be under way, and how long they may be together.
const MOST_REQUESTS: usize = 1_024;
const MOST_REQUESTED: usize = 16 << 20;
/// So much is answered before what was answered is sent: together costs less, and early starts the tool.
const TOGETHER: usize = 64 << 10;
/// How many lines are taken one by one before others are listened to, and how many that came together or for how
/// long, so that somebody who says that this is enough is heard soon.
const MOST_AHEAD: u32 = 32;
const MOST_LINES: u32 = 64;
const MOST_TIME: Duration = Duration::from_millis(10);
/// How much fits into a pipe, if the system agrees: fewer turns for the same bytes. The system gives a user
/// so many pages for all pipes, so this is not as much as one could have.
const PIPE: usize = 256 << 10;
const NOW: Timespec = Timespec { tv_sec: 0, tv_nsec: 0 };

/// The state of a session.
#[derive(Debug)]
pub(super) struct Talk {
    gate: Arc<Gate>,
    host: Arc<Host>,
    shared: Arc<Shared>,
    runtime: Handle,
    /// Gone when the tool does not read any more.
    to_tool: Option<OwnedFd>,
    from_tool: OwnedFd,
    lines: Lines,
    outbox: Outbox,
    /// Whether lines have arrived that nobody has looked at.
    has_lines: bool,
    /// Whether no more will arrive.
    is_at_end: bool,
    /// How often lines were taken since others were listened to.
    ahead: u32,
    under_way: HashMap<Id, UnderWay>,
    serial: u64,
    turns: Turns,
    /// The length of all that is under way.
    requested: usize,
    /// The turns of answers that are unread, while too much is: nobody else takes them.
    unread: Vec<Turn>,
    clock: Clock,
    alarm: Option<Alarm>,
    /// Whether the tool was told to end.
    is_cancelled: bool,
}

/// What comes after a turn.
#[derive(Debug)]
enum Next {
    /// The next turn.
    Turn,
    /// Nothing: this is the end.
    End(Box<End>),
    /// Nothing: nobody wants the session any more.
    Quit,
}

impl From<End> for Next {
    fn from(end: End) -> Self {
        Self::End(Box::new(end))
    }
}

impl Talk {
    pub(super) fn new(
        pipes: Pipes,
        gate: Arc<Gate>,
        host: Arc<Host>,
        shared: Arc<Shared>,
        runtime: Handle,
        stays_alive: bool,
    ) -> io::Result<Self> {
        for pipe in [&pipes.to_tool, &pipes.from_tool] {
            rustix::io::ioctl_fionbio(pipe, true)?;
            let _ = rustix::pipe::fcntl_setpipe_size(pipe, PIPE);
        }
        Ok(Self {
            clock: Clock::new(host.limits().request_timeout, stays_alive),
            lines: Lines::new(host.limits().message_bytes),
            gate,
            host,
            shared,
            runtime,
            to_tool: Some(pipes.to_tool),
            from_tool: pipes.from_tool,
            outbox: Outbox::default(),
            has_lines: false,
            is_at_end: false,
            ahead: 0,
            under_way: HashMap::new(),
            serial: 0,
            turns: Turns::default(),
            requested: 0,
            unread: Vec::new(),
            alarm: None,
            is_cancelled: false,
        })
    }

    /// Adds a notification to what is sent.
    pub(super) fn notify(&mut self, notification: &HostNotification) {
        reply::notification(notification, self.outbox.open());
    }

    /// Serves the tool until its end, then reads over what it may still have to say, until nobody holds the
    /// session any more.
    pub(super) fn run(mut self) {
        let _last_word = LastWord(self.shared.clone());
        let end = loop {
            match self.turn() {
                Ok(Next::Turn) => {}
                Ok(Next::End(end)) => break Some(*end),
                Ok(Next::Quit) => break None,
                Err(error) => break Some(End::Lost(error.to_string())),
            }
        };
        for under_way in self.under_way.values() {
            under_way.cancel.cancel();
        }
        if let Some(end) = end {
            // Answers to what it asked before its last word, if it has room for them.
            let _ = self.send();
            self.shared.tell_end(end);
            // The end of its input is the sign to go, if it has not gone yet.
            self.to_tool = None;
            self.read_over();
        }
    }

    /// One wait and what comes of it.
    fn turn(&mut self) -> io::Result<Next> {
        self.send()?;
        if !self.reads_ahead()? {
            self.set_alarm();
            let ready = self.wait()?;
            if ready.bell {
                for inbound in self.shared.receive() {
                    match self.inbound(inbound) {
                        Next::Turn => {}
                        other => return Ok(other),
                    }
                }
            }
            if ready.line {
                self.fill()?;
            }
        }
        if self.has_lines
            && let Some(end) = self.read()?
        {
            return Ok(end.into());
        }
        Ok(Next::Turn)
    }

    /// Takes what has arrived without asking whether something has: a tool that waits for each answer often
    /// has its next request ready when the answer is just sent. Nobody looks at the bell meanwhile, so it is
    /// done a few times in a row at most, and not while others work for the tool.
    fn reads_ahead(&mut self) -> io::Result<bool> {
        let may = self.outbox.is_empty() && self.under_way.is_empty() && self.ahead < MOST_AHEAD;
        let is_ahead = may && self.can_read() && self.has_arrived()?;
        self.ahead = if is_ahead { self.ahead + 1 } else { 0 };
        Ok(is_ahead)
    }

    /// Whether something was there to be taken. If not, a tool that is to run on the same core gets it for a moment:
    /// one that only needs to write its next request is not worth falling asleep for.
    fn has_arrived(&mut self) -> io::Result<bool> {
        let mut arrived = self.fill()?;
        if arrived == Arrived::NothingYet {
            rustix::thread::sched_yield();
            arrived = self.fill()?;
        }
        Ok(arrived == Arrived::Bytes)
    }

    fn fill(&mut self) -> io::Result<Arrived> {
        let arrived = self.lines.fill(self.from_tool.as_fd())?;
        self.is_at_end = arrived == Arrived::End;
        self.has_lines |= arrived != Arrived::NothingYet;
        Ok(arrived)
    }

    fn can_read(&self) -> bool {
        self.has_room() && !self.has_lines && !self.is_at_end
    }

    /// Whether more can be taken on.
    fn has_room(&self) -> bool {
        self.outbox.held() < MOST_UNREAD
            && self.under_way.len() < MOST_REQUESTS
            && self.requested < MOST_REQUESTED
    }

    fn wait(&self) -> io::Result<Ready> {
        let bell = || PollFd::new(&self.shared.bell, PollFlags::IN);
        let (mut polled, mut count) = ([bell(), bell(), bell()], 1);
        // A pipe whose other end is closed is always ready, so one that may not be read is left out.
        let can_read = self.can_read();
        if can_read {
            polled[count] = PollFd::new(&self.from_tool, PollFlags::IN);
            count += 1;
        }
        if let Some(to_tool) = self.to_tool.as_ref().filter(|_| !self.outbox.is_empty()) {
            polled[count] = PollFd::new(to_tool, PollFlags::OUT);
            count += 1;
        }
        // Lines that are there already are not waited for.
        let goes_on = self.has_lines && self.has_room();
        match poll(&mut polled[..count], goes_on.then_some(&NOW)) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        let is_ready = |index: usize| !polled[index].revents().is_empty();
        Ok(Ready { bell: is_ready(0), line: can_read && is_ready(1) })
    }

    /// Sends what the tool takes.
    fn send(&mut self) -> io::Result<()> {
        if self.outbox.is_empty() {
            return Ok(());
        }
        let Some(to_tool) = &self.to_tool else {
            self.outbox.clear();
            self.clock.sent(Sent::Closed);
            return Ok(());
        };
        let sent = self.outbox.write(to_tool.as_fd())?;
        self.clock.sent(sent);
        if sent == Sent::Closed {
            self.to_tool = None;
            self.outbox.clear();
        }
        if self.outbox.held() < MOST_UNREAD {
            self.unread.clear();
        }
        Ok(())
    }

    /// Looks at the lines that have arrived, as far as there is room for what comes of them.
    fn read(&mut self) -> io::Result<Option<End>> {
        let mut lines = std::mem::replace(&mut self.lines, Lines::new(0));
        let end = self.read_from(&mut lines);
        self.lines = lines;
        end
    }

    /// Lines that are left over stay where they are: a tool can have sent thousands, and between them the bell has
    /// to be heard.
    fn read_from(&mut self, lines: &mut Lines) -> io::Result<Option<End>> {
        let mut sends_at = self.outbox.len() + TOGETHER;
        let mut turn = LinesInARow::default();
        while self.has_room() && !turn.is_over() {
            let Some(line) = lines.next() else {
                self.has_lines = false;
                break;
            };
            turn.took_one();
            let end = match line {
                Line::Whole(range) => self.line(lines.bytes(range)),
                Line::TooLong => self.too_long(),
            };
            if end.is_some() {
                return Ok(end);
            }
            if self.outbox.len() >= sends_at {
                self.send()?;
                sends_at = self.outbox.len() + TOGETHER;
            }
        }
        if !self.is_at_end || self.has_lines {
            return Ok(None);
        }
        let rest = lines.rest();
        Ok(rest.and_then(|rest| self.line(lines.bytes(rest))).or(Some(End::Closed)))
    }

    fn line(&mut self, line: &[u8]) -> Option<End> {
        if line.trim_ascii().is_empty() {
            return None;
        }
        // Nearly every line has this form, and reading it takes a third of the time.
        if let Some((id, call)) = Call::parse_usual(line) {
            return self.request(id, line.len(), || Ok(call));
        }
        match ToHost::parse(line) {
            Ok(ToHost::Request(request)) => {
                // Only looked at closer if somebody wants to know.
                let is_recorded = self.host.recorder().is_some();
                let attempt = || is_recorded.then(|| Attempt::of(&request));
                self.request(request.id.clone(), line.len(), || {
                    Call::parse(&request).map_err(|error| (error, attempt()))
                })
            }
            Ok(ToHost::Notification(notification)) => self.notification(&notification),
            Err(refusal) => {
                self.shared.tell_stray(line);
                self.no_message(refusal.id.as_ref(), refusal.error, line.len())
            }
        }
    }

    fn too_long(&mut self) -> Option<End> {
        let longest = self.host.limits().message_bytes;
        let message = format!("the line is longer than {longest} bytes");
        let error = ErrorObject::new(ErrorCode::TooLarge, message);
        self.no_message(None, error, longest)
    }

    fn notification(&mut self, notification: &Notification<'_>) -> Option<End> {
        match ToolNotification::parse(notification) {
            Ok(ToolNotification::Result(params)) => Some(End::Result(params.content)),
            Ok(ToolNotification::Error(error)) => Some(End::Failed(error)),
            Ok(ToolNotification::State(state)) => {
                self.clock.heard_state();
                let is_last = matches!(state, ToolState::Stopped { .. });
                let end = is_last.then(|| End::Stopped(state.clone()));
                self.shared.tell_state(state);
                end
            }
            Ok(ToolNotification::Cancel(params)) => {
                self.clock.heard();
                self.call_off(&params.request_id)
            }
            // Its last word has to be understood; anything else can be done without.
            Err(InvalidNotification::Params { method, source })
                if matches!(&*method, "result" | "error") =>
            {
                Some(End::Unreadable(format!("params of `{method}`: {source}")))
            }
            Err(error) => {
                let why = error.source().map(|why| format!(": {why}")).unwrap_or_default();
                tracing::warn!("the host ignores a notification: {error}{why}");
                None
            }
        }
    }

    fn inbound(&mut self, inbound: Inbound) -> Next {
        let end = match inbound {
            Inbound::Answered(answered) => self.answered(answered),
            Inbound::Line(line) => {
                self.outbox.push(line);
                None
            }
            Inbound::Apply(input) => {
                self.clock.gave_input();
                self.notify(&HostNotification::Apply(input));
                None
            }
            Inbound::Cancel => self.cancel(),
            Inbound::Alarm => {
                self.alarm = None;
                let debts = self.debts();
                self.clock.impatience(debts)
            }
            Inbound::Quit => return Next::Quit,
        };
        end.map_or(Next::Turn, Next::from)
    }

    fn cancel(&mut self) -> Option<End> {
        if std::mem::replace(&mut self.is_cancelled, true) {
            return None;
        }
        let ids: Vec<_> = self.under_way.keys().cloned().collect();
        let end = ids.iter().filter_map(|id| self.call_off(id)).next_back();
        self.notify(&HostNotification::Cancel);
        end
    }

    /// Sees to it that patience has an end. One that is set for later than needed is set anew; one for
    /// earlier only rings for nothing.
    fn set_alarm(&mut self) {
        let debts = self.debts();
        let Some(deadline) = self.clock.deadline(debts) else { return };
        if self.alarm.as_ref().is_none_or(|alarm| deadline < alarm.at()) {
            self.alarm = Some(Alarm::set(deadline, self.shared.clone(), &self.runtime));
        }
    }

    fn debts(&self) -> Debts {
        Debts { word: self.under_way.is_empty() && !self.is_cancelled }
    }

    /// Reads what the tool writes after its last word, so that it can end by itself.
    fn read_over(&mut self) {
        self.lines = Lines::new(0);
        loop {
            let mut polled = [
                PollFd::new(&self.shared.bell, PollFlags::IN),
                PollFd::new(&self.from_tool, PollFlags::IN),
            ];
            let _ = poll(&mut polled, None);
            let [bell, line] = polled.map(|one| !one.revents().is_empty());
            if bell && self.shared.receive().iter().any(|one| matches!(one, Inbound::Quit)) {
                return;
            }
            if line
                && !matches!(
                    self.lines.fill(self.from_tool.as_fd()),
                    Ok(Arrived::Bytes | Arrived::NothingYet)
                )
            {
                return;
            }
            while self.lines.next().is_some() {}
        }
    }
}

/// Whoever waits for the end must not wait for ever, also if this thread fails.
struct LastWord(Arc<Shared>);

impl Drop for LastWord {
    fn drop(&mut self) {
        self.0.tell_end(End::Lost("the host failed to serve the tool".to_owned()));
    }
}

/// How many lines were looked at in a row. The time is only asked for from the second one on: most come alone.
#[derive(Debug, Default)]
struct LinesInARow {
    count: u32,
    since: Option<Instant>,
}

impl LinesInARow {
    fn took_one(&mut self) {
        self.count += 1;
        if self.count == 2 {
            self.since = Some(Instant::now());
        }
    }

    /// Whether others have to be listened to before the next one.
    fn is_over(&self) -> bool {
        self.count >= MOST_LINES || self.since.is_some_and(|since| since.elapsed() >= MOST_TIME)
    }
}

#[derive(Debug, Clone, Copy)]
struct Ready {
    bell: bool,
    line: bool,
}

//! The thread of a session: it waits for the tool, answers, and minds the time.
//!
//! Both pipes are non-blocking, and one `poll` waits for whatever comes first: a line, room for an answer,
//! the bell that says that something was done elsewhere, or the end of somebody's patience.

mod requests;

use std::{
    collections::HashMap,
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

use self::requests::UnderWay;
use super::{
    End, Inbound, Pipes, Shared,
    job::Turns,
    lines::{Arrived, Line, Lines},
    outbox::{Outbox, Sent},
};
use crate::{gate::Gate, host::Host, reply};

/// How much may wait to be read by the tool before it is not read from.
const MOST_UNREAD: usize = 32 << 20;
/// How many requests may be under way, and how long they may be together.
const MOST_REQUESTS: usize = 1_024;
const MOST_REQUESTED: usize = 32 << 20;
/// So much is answered before what was answered is sent: together costs less, and early starts the tool.
const TOGETHER: usize = 64 << 10;
/// How much fits into a pipe, if the system agrees: fewer turns for the same bytes. The system gives a user
/// so many pages for all pipes, so this is not as much as one could have.
const PIPE: usize = 256 << 10;

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
    under_way: HashMap<Id, UnderWay>,
    serial: u64,
    turns: Turns,
    /// The length of all that is under way.
    requested: usize,
    /// Whether the tool is expected to say something. One that stays alive is not, between two inputs.
    is_expected: bool,
    /// Whether the tool was told to end.
    is_cancelled: bool,
    /// When it last did something that counts.
    last_word: Instant,
    /// When it last read something, or when there was last something new to read.
    last_read: Instant,
    /// Whether there was something left to read after the last attempt to send.
    has_backlog: bool,
    /// Whether it may say where it stands and then wait for input.
    stays_alive: bool,
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
        let now = Instant::now();
        Ok(Self {
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
            under_way: HashMap::new(),
            serial: 0,
            turns: Turns::default(),
            requested: 0,
            is_expected: true,
            is_cancelled: false,
            last_word: now,
            last_read: now,
            has_backlog: false,
            stays_alive,
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
                Ok(None) => {}
                Ok(Some(end)) => break end,
                Err(error) => break Some(End::Lost(error.to_string())),
            }
        };
        for under_way in self.under_way.values() {
            under_way.cancel.cancel();
        }
        if let Some(end) = end {
            self.shared.tell_end(end);
            // The end of its input is the sign to go, if it has not gone yet.
            self.to_tool = None;
            self.read_over();
        }
    }

    /// One wait and what comes of it. `Some(None)`: nobody wants the session any more.
    fn turn(&mut self) -> io::Result<Option<Option<End>>> {
        self.send()?;
        let goes_on = self.has_lines && self.has_room();
        let deadline = if goes_on { Some(Instant::now()) } else { self.deadline() };
        let ready = self.wait(deadline)?;
        if ready.bell {
            for inbound in self.shared.receive() {
                if let Some(end) = self.inbound(inbound) {
                    return Ok(Some(end));
                }
            }
        }
        if ready.line && !self.has_lines {
            self.is_at_end = self.lines.fill(self.from_tool.as_fd())? == Arrived::End;
            self.has_lines = true;
        }
        if self.has_lines
            && let Some(end) = self.read()
        {
            return Ok(Some(Some(end)));
        }
        Ok(self.impatience().map(Some))
    }

    /// Whether more can be taken on.
    fn has_room(&self) -> bool {
        self.outbox.len() < MOST_UNREAD
            && self.under_way.len() < MOST_REQUESTS
            && self.requested < MOST_REQUESTED
    }

    fn wait(&self, deadline: Option<Instant>) -> io::Result<Ready> {
        let can_read = self.has_room() && !self.has_lines && !self.is_at_end;
        let mut polled = vec![PollFd::new(&self.shared.bell, PollFlags::IN)];
        // A pipe whose other end is closed is always ready, so one that may not be read is left out.
        if can_read {
            polled.push(PollFd::new(&self.from_tool, PollFlags::IN));
        }
        if let Some(to_tool) = self.to_tool.as_ref().filter(|_| !self.outbox.is_empty()) {
            polled.push(PollFd::new(to_tool, PollFlags::OUT));
        }
        match poll(&mut polled, deadline.map(until).as_ref()) {
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
            return Ok(());
        };
        let sent = self.outbox.write(to_tool.as_fd())?;
        if !self.has_backlog || sent != Sent::Part(false) {
            self.last_read = Instant::now();
        }
        self.has_backlog = matches!(sent, Sent::Part(_));
        if sent == Sent::Closed {
            self.to_tool = None;
            self.outbox.clear();
        }
        Ok(())
    }

    /// Looks at the lines that have arrived, as far as there is room for what comes of them.
    fn read(&mut self) -> Option<End> {
        let mut lines = std::mem::replace(&mut self.lines, Lines::new(0));
        let mut end = None;
        while end.is_none() && self.has_room() && self.outbox.len() < TOGETHER {
            let Some(line) = lines.next() else {
                self.has_lines = false;
                break;
            };
            end = match line {
                Line::Whole(range) => self.line(lines.bytes(range)),
                Line::TooLong => self.too_long(),
            };
        }
        if end.is_none() && self.is_at_end && !self.has_lines {
            let rest = lines.rest();
            end = rest.and_then(|rest| self.line(lines.bytes(rest))).or(Some(End::Closed));
        }
        self.lines = lines;
        end
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
                self.request(request.id.clone(), line.len(), || Call::parse(&request))
            }
            Ok(ToHost::Notification(notification)) => self.notification(&notification),
            Err(refusal) => self.no_message(refusal.id.as_ref(), refusal.error, line.len()),
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
            Ok(ToolNotification::Result(params)) => return Some(End::Result(params.content)),
            Ok(ToolNotification::Error(error)) => return Some(End::Failed(error)),
            Ok(ToolNotification::State(state)) => {
                self.shared.tell_state(state.clone());
                if matches!(state, ToolState::Stopped { .. }) {
                    return Some(End::Stopped(state));
                }
                self.is_expected = !self.stays_alive;
            }
            Ok(ToolNotification::Cancel(params)) => {
                self.last_word = Instant::now();
                return self.call_off(&params.request_id);
            }
            Err(InvalidNotification::Unknown { method }) => {
                tracing::debug!(method, "a notification that nobody knows");
                return None;
            }
            Err(InvalidNotification::Params { method, source })
                if !matches!(&*method, "result" | "error") =>
            {
                tracing::warn!("params of `{method}`: {source}");
                return None;
            }
            Err(error @ InvalidNotification::Params { .. }) => {
                let cause = std::error::Error::source(&error).map(ToString::to_string);
                let cause = cause.unwrap_or_default();
                return Some(End::Unreadable(format!("{error}: {cause}")));
            }
        }
        self.last_word = Instant::now();
        None
    }

    fn inbound(&mut self, inbound: Inbound) -> Option<Option<End>> {
        match inbound {
            Inbound::Answered(answered) => return self.answered(answered).map(Some),
            Inbound::Line(line) => self.outbox.push(line),
            Inbound::Apply(input) => {
                self.is_expected = true;
                self.last_word = Instant::now();
                self.notify(&HostNotification::Apply(input));
            }
            Inbound::Cancel => return self.cancel().map(Some),
            Inbound::Quit => return Some(None),
        }
        None
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

    /// When patience ends, if nothing happens until then.
    fn deadline(&self) -> Option<Instant> {
        let patience = self.host.limits().request_timeout;
        let silent = (self.is_expected && self.under_way.is_empty() && !self.is_cancelled)
            .then(|| self.last_word.max(self.last_read) + patience);
        let deaf = (!self.outbox.is_empty()).then(|| self.last_read + patience);
        silent.into_iter().chain(deaf).min()
    }

    fn impatience(&self) -> Option<End> {
        let now = Instant::now();
        if self.deadline().is_none_or(|deadline| now < deadline) {
            return None;
        }
        let patience = self.host.limits().request_timeout;
        Some(if self.outbox.is_empty() { End::Silent(patience) } else { End::Deaf(patience) })
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

#[derive(Debug, Clone, Copy)]
struct Ready {
    bell: bool,
    line: bool,
}

fn until(deadline: Instant) -> Timespec {
    let left = deadline.saturating_duration_since(Instant::now());
    // Rounded up, so that the deadline has really passed.
    let left = if left.is_zero() { left } else { left + Duration::from_millis(1) };
    Timespec {
        tv_sec: i64::try_from(left.as_secs()).unwrap_or(i64::MAX),
        tv_nsec: left.subsec_nanos().into(),
    }
}

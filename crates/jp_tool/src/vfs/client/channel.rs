//! The two streams, and who waits for what.
//!
//! One thread does it all: it writes requests, then reads until the answer it wants is there. Answers
//! to other requests that come first are kept. [`Window`] sees to it that this cannot lock up.

use std::collections::VecDeque;
use std::fmt;
use std::io::{self, Read, Write};

use rustc_hash::FxHashMap;
use serde_json::Value;

use super::answer::Line;
use super::lines::Lines;
use super::window::Window;
use super::{Told, VfsError};
use crate::vfs::{
    CancelParams, ErrorObject, HostNotification, Id, Init, InvalidMessage, ToolNotification,
    write_line,
};

pub(super) struct Channel {
    input: Box<dyn Read + Send>,
    output: Box<dyn Write + Send>,
    lines: Lines,
    /// What is to be written. Requests wait here for others, so that one write takes them all.
    unsent: Vec<u8>,
    last_id: i64,
    window: Window,
    /// Answers that came before somebody asked for them.
    arrived: FxHashMap<i64, Arrived>,
    /// Input that came while something else was waited for.
    inputs: VecDeque<Value>,
    /// The host wants the tool to end.
    is_cancelled: bool,
    /// The tool has said how the call ended.
    has_ended: bool,
}

/// An answer that came early.
enum Arrived {
    Line(Vec<u8>),
    Refused(ErrorObject),
}

impl Channel {
    pub(super) fn new(input: Box<dyn Read + Send>, output: Box<dyn Write + Send>) -> Self {
        Self {
            input,
            output,
            lines: Lines::default(),
            unsent: Vec::new(),
            last_id: 0,
            window: Window::default(),
            arrived: FxHashMap::default(),
            inputs: VecDeque::new(),
            is_cancelled: false,
            has_ended: false,
        }
    }

    /// Reads the first line. `None`: there is none.
    pub(super) fn init(&mut self) -> Result<Option<Init>, VfsError> {
        let Some(line) = self.lines.next(&mut self.input)? else { return Ok(None) };
        match Line::read(self.lines.get(&line))? {
            Line::Notification(HostNotification::Init(init)) => Ok(Some(*init)),
            _ => Err(InvalidMessage::new("the first one has to be `init`").into()),
        }
    }

    pub(super) fn is_cancelled(&self) -> bool {
        self.is_cancelled
    }

    /// Puts a request on its way. It may wait here until somebody wants its answer.
    pub(super) fn send(
        &mut self,
        write: impl FnOnce(&Id, &mut Vec<u8>) -> io::Result<()>,
    ) -> Result<i64, VfsError> {
        if self.has_ended {
            return Err(VfsError::Ended);
        }
        if self.is_cancelled {
            return Err(VfsError::Cancelled);
        }
        let id = self.last_id + 1;
        let before = self.unsent.len();
        if let Err(error) = write(&Id::Integer(id), &mut self.unsent) {
            self.unsent.truncate(before);
            return Err(error.into());
        }
        let request = self.unsent.len() - before;
        if !self.window.fits(request) {
            let request = self.unsent.split_off(before);
            self.wait_for_room(request.len())?;
            self.unsent.extend_from_slice(&request);
        }
        self.last_id = id;
        self.window.open(id, request);
        Ok(id)
    }

    /// Waits for an answer, and reads it.
    pub(super) fn wait<T>(
        &mut self,
        id: i64,
        read: impl FnOnce(&[u8]) -> Result<T, VfsError>,
    ) -> Result<T, VfsError> {
        self.flush()?;
        loop {
            match self.arrived.remove(&id) {
                Some(Arrived::Line(line)) => return read(&line),
                Some(Arrived::Refused(error)) => return Err(VfsError::Refused(error)),
                None if self.is_cancelled => return Err(VfsError::Cancelled),
                None => {}
            }
            // The answer that is waited for is read where it lies.
            let line = self.lines.next(&mut self.input)?.ok_or(VfsError::Closed)?;
            match Line::read(self.lines.get(&line))? {
                Line::Answer(found) if found == id => {
                    self.window.close(id);
                    return read(self.lines.get(&line));
                }
                Line::Answer(found) if self.window.close(found) => {
                    let line = self.lines.get(&line).to_vec();
                    self.arrived.insert(found, Arrived::Line(line));
                }
                // The host repeats itself, or answers what nobody wants to know any more.
                Line::Answer(_) => {}
                other => self.note(other),
            }
        }
    }

    /// Gives up an answer, and tells the host.
    pub(super) fn forget(&mut self, id: i64) -> Result<(), VfsError> {
        if self.arrived.remove(&id).is_some() || !self.window.forget(id) {
            return Ok(());
        }
        let params = CancelParams { request_id: Id::Integer(id) };
        self.notify(&ToolNotification::Cancel(params))
    }

    /// Tells the host something, after all that was sent before.
    pub(super) fn notify(&mut self, notification: &ToolNotification) -> Result<(), VfsError> {
        write_line(notification, &mut self.unsent).map_err(io::Error::from)?;
        self.flush()
    }

    /// Says how the call ended. Only the first time counts.
    pub(super) fn end(&mut self, notification: &ToolNotification) -> Result<(), VfsError> {
        if self.has_ended {
            return Err(VfsError::Ended);
        }
        self.has_ended = true;
        self.notify(notification)
    }

    /// Waits for what the host wants next.
    pub(super) fn next(&mut self) -> Result<Told, VfsError> {
        self.flush()?;
        loop {
            if self.is_cancelled {
                return Ok(Told::Cancel);
            }
            if let Some(input) = self.inputs.pop_front() {
                return Ok(Told::Apply(input));
            }
            self.receive()?;
        }
    }

    /// Reads answers until there is room. All that was sent before has to be on its way, or the
    /// answers would not come.
    fn wait_for_room(&mut self, bytes: usize) -> Result<(), VfsError> {
        self.flush()?;
        while !(self.window.is_low() && self.window.fits(bytes)) {
            self.receive()?;
            if self.is_cancelled {
                return Err(VfsError::Cancelled);
            }
        }
        Ok(())
    }

    /// Reads one line that nobody waits for right now.
    fn receive(&mut self) -> Result<(), VfsError> {
        let line = self.lines.next(&mut self.input)?.ok_or(VfsError::Closed)?;
        match Line::read(self.lines.get(&line))? {
            Line::Answer(found) => {
                if self.window.close(found) {
                    let line = self.lines.get(&line).to_vec();
                    self.arrived.insert(found, Arrived::Line(line));
                }
            }
            other => self.note(other),
        }
        Ok(())
    }

    /// Remembers what a line says that is no answer.
    fn note(&mut self, line: Line) {
        match line {
            Line::Notification(HostNotification::Cancel) => self.is_cancelled = true,
            Line::Notification(HostNotification::Apply(apply)) => {
                self.inputs.push_back(apply.input);
            }
            // The host could not make out the id, of a line that is too long for example. A long one
            // is sent alone; should there be several, none of them can be told from the others.
            Line::Lost(error) => {
                for id in self.window.close_all() {
                    self.arrived.insert(id, Arrived::Refused(error.clone()));
                }
            }
            // Waiting for a person is waiting all the same.
            Line::Notification(HostNotification::Pending(_) | HostNotification::Init(_))
            | Line::Unknown
            | Line::Answer(_) => {}
        }
    }

    fn flush(&mut self) -> Result<(), VfsError> {
        if self.unsent.is_empty() {
            return Ok(());
        }
        let written = self.output.write_all(&self.unsent).and_then(|()| self.output.flush());
        self.unsent.clear();
        match written {
            // The host ends a tool by closing the streams.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Err(VfsError::Closed),
            written => Ok(written?),
        }
    }
}

impl fmt::Debug for Channel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Channel").field("window", &self.window).finish_non_exhaustive()
    }
}

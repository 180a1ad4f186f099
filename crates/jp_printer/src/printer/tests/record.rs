//! Writers for the tests: one that remembers, and one whose reader has gone.

use std::{
    io::{self, Write},
    sync::{Arc, Mutex},
};

use crate::channel::Stream;

/// What both streams received, in order, and when they were flushed.
#[derive(Clone, Default)]
pub(super) struct Record(Arc<Mutex<Vec<(Stream, Event)>>>);

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Event {
    Write(String),
    Flush,
}

pub(super) struct Recorder(Stream, Record);

impl Record {
    pub(super) fn writer(&self, stream: Stream) -> Recorder {
        Recorder(stream, self.clone())
    }

    pub(super) fn events(&self) -> Vec<(Stream, Event)> {
        self.0.lock().unwrap().clone()
    }

    pub(super) fn written(&self, wanted: Stream) -> String {
        let text = |(stream, event)| match event {
            Event::Write(text) if stream == wanted => Some(text),
            _ => None,
        };
        self.events().into_iter().filter_map(text).collect()
    }
}

impl Write for Recorder {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8(bytes.to_vec()).unwrap();
        self.1.0.lock().unwrap().push((self.0, Event::Write(text)));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.1.0.lock().unwrap().push((self.0, Event::Flush));
        Ok(())
    }
}

/// A pipe whose reader has gone.
pub(super) struct Closed;

impl Write for Closed {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(io::ErrorKind::BrokenPipe.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Err(io::ErrorKind::BrokenPipe.into())
    }
}

//! The line to the host: one request at a time.

use std::{
    fmt,
    io::{self, BufRead, Read as _, Write},
    sync::{Mutex, PoisonError},
};

use jp_tool::{
    MAX_LINE,
    vfs::{ErrorCode, ErrorObject, HostNotification, Id, Params, ToTool, write_line},
};

/// The streams between the tool and the host.
pub(crate) struct Link(Mutex<Streams>);

struct Streams {
    input: Box<dyn BufRead + Send>,
    output: Box<dyn Write + Send>,
    last: i64,
}

impl Link {
    /// A line on these streams; `init` was read already.
    pub(crate) fn new(
        input: impl BufRead + Send + 'static,
        output: impl Write + Send + 'static,
    ) -> Self {
        Self(Mutex::new(Streams { input: Box::new(input), output: Box::new(output), last: 0 }))
    }

    /// Sends a request and waits for the answer. A line that breaks is a refusal like any other: no
    /// request will be answered any more.
    pub(crate) fn ask<P: Params>(&self, params: &P) -> Result<P::Result, ErrorObject> {
        let mut streams = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        streams.ask(params).unwrap_or_else(|error| {
            Err(ErrorObject::new(ErrorCode::InternalError, format!("the host is gone: {error}")))
        })
    }

    /// Sends a notification.
    pub(crate) fn tell(&self, message: &impl serde::Serialize) -> io::Result<()> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).send(message)
    }
}

impl Streams {
    fn ask<P: Params>(&mut self, params: &P) -> io::Result<Result<P::Result, ErrorObject>> {
        self.last += 1;
        let id = Id::from(self.last);
        self.send(&params.request(&id))?;
        loop {
            let line = self.receive()?;
            match ToTool::parse(&line).map_err(io::Error::other)? {
                ToTool::Response(response) if response.id.as_ref() == Some(&id) => {
                    let read = |result| P::read_result(result).map_err(io::Error::other);
                    return response.outcome.map(read).map_or_else(|e| Ok(Err(e)), |r| r.map(Ok));
                }
                ToTool::Notification(notification)
                    if matches!(
                        HostNotification::parse(&notification),
                        Ok(HostNotification::Cancel)
                    ) =>
                {
                    let error = ErrorObject::new(ErrorCode::Cancelled, "the call was cancelled");
                    return Ok(Err(error));
                }
                ToTool::Response(_) | ToTool::Notification(_) => {}
            }
        }
    }

    fn send(&mut self, message: &impl serde::Serialize) -> io::Result<()> {
        let mut line = Vec::new();
        write_line(message, &mut line)?;
        self.output.write_all(&line)?;
        self.output.flush()
    }

    fn receive(&mut self) -> io::Result<Vec<u8>> {
        let mut line = Vec::new();
        let limit = u64::try_from(2 * MAX_LINE).unwrap_or(u64::MAX);
        if self.input.by_ref().take(limit).read_until(b'\n', &mut line)? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(line)
    }
}

impl fmt::Debug for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Link").finish_non_exhaustive()
    }
}

//! What the author of a sealed tool uses: one method for each thing that the host can do.
//!
//! ```no_run
//! use std::process::ExitCode;
//!
//! use jp_tool::vfs::{self, VfsHost};
//! use jp_tool::{JsonSchema, ToolError};
//! use serde::Deserialize;
//!
//! /// Say how large a file is.
//! #[derive(Deserialize, JsonSchema)]
//! struct FileSize {
//!     /// The file, relative to the root of the project.
//!     path: String,
//! }
//!
//! fn file_size(args: FileSize, host: &VfsHost) -> Result<String, ToolError> {
//!     let size = host.metadata(args.path)?.size.unwrap_or(0);
//!     Ok(format!("{size} bytes"))
//! }
//!
//! fn main() -> ExitCode {
//!     vfs::main([vfs::tool("file_size", file_size)])
//! }
//! ```
//!
//! [`main`] checks the arguments, describes the tool and reports errors, as
//! [`jp_tool::main`](crate::main) does for other tools. Whoever wants to do that by hand begins with
//! [`connect`]:
//!
//! ```no_run
//! use jp_tool::{ContentBlock, vfs};
//!
//! fn main() {
//!     let host = vfs::connect();
//!     let text = host.read("src/main.rs").unwrap();
//!     host.write("src/main.rs", text.to_uppercase()).unwrap();
//!     host.result(vec![ContentBlock::text("Modified src/main.rs")]);
//! }
//! ```
//!
//! Each method waits for its answer. Where many things are wanted, [`VfsHost::read_many`],
//! [`VfsHost::call_all`] and [`VfsHost::send`] ask for the next before the last one is there.

mod answer;
mod channel;
mod end;
mod entry;
mod error;
mod files;
mod lines;
mod many;
mod stdio;
mod web;
mod window;

use std::fmt;
use std::io::{Read, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use self::channel::Channel;
pub use self::entry::{main, run, stateful, tool};
pub use self::error::{ConnectError, VfsError};
pub use self::files::FilePart;
pub use self::many::Ticket;
pub use self::stdio::{connect, try_connect};
pub use self::web::HttpReply;
use super::{Init, Params};
use crate::sdk::arguments;
use crate::{Action, Question, Stop, ToolError};

/// The longest line of the host that is read, in bytes. It is long because a file of 10 MB can take
/// six times as much when each of its bytes has to be written as an escape.
pub const MAX_MESSAGE: usize = 256 << 20;

/// The host of a tool. A copy of it talks to the same host.
///
/// Several threads can use it; one waits until the answer of the other is there.
#[derive(Clone)]
pub struct VfsHost {
    shared: Arc<Shared>,
}

struct Shared {
    init: Init,
    channel: Mutex<Channel>,
}

/// What the host tells a tool that stays alive.
#[derive(Debug, Clone, PartialEq)]
pub enum Told {
    /// Here is input: while running as it is, while waiting the answer to the question.
    Apply(Value),
    /// End. Whoever does not is ended.
    Cancel,
}

impl VfsHost {
    /// The host at the other end of two streams. Reads `init`, and waits for it.
    pub fn over(
        input: impl Read + Send + 'static,
        output: impl Write + Send + 'static,
    ) -> Result<Self, ConnectError> {
        let mut channel = Channel::new(Box::new(input), Box::new(output));
        match channel.init() {
            Ok(Some(init)) => {
                Ok(Self { shared: Arc::new(Shared { init, channel: Mutex::new(channel) }) })
            }
            Ok(None) => Err(ConnectError::Empty),
            Err(VfsError::Io(error)) => Err(error.into()),
            Err(error) => Err(ConnectError::NotInit(Box::new(error))),
        }
    }

    /// The call, as it came.
    pub fn init(&self) -> &Init {
        &self.shared.init
    }

    /// The name under which the tool was called.
    pub fn name(&self) -> &str {
        &self.init().tool.name
    }

    /// What the tool is asked to do.
    pub fn action(&self) -> Action {
        self.init().context.action
    }

    /// The version of the protocol that the host speaks. A newer one has more methods;
    /// [`capabilities`](Self::capabilities) says which.
    pub fn protocol_version(&self) -> &str {
        &self.init().protocol_version
    }

    /// The arguments of the call. The error names the one that is wrong, missing or not known.
    pub fn arguments<T: DeserializeOwned>(&self) -> Result<T, ToolError> {
        arguments::read(self.init().tool.arguments.clone())
    }

    /// The answer to a question, if it was asked and answered. The error names the question when
    /// the answer has another type.
    pub fn answer<T: DeserializeOwned>(&self, id: &str) -> Result<Option<T>, ToolError> {
        arguments::one("the answer", id, &self.init().tool.answers)
    }

    /// The answer to this question. Where there is none yet, `?` ends the tool with the question;
    /// it is started again, with the answer, from the beginning.
    pub fn ask<T: DeserializeOwned>(&self, question: Question) -> Result<T, Stop> {
        let answer = self.answer(&question.id)?;
        answer.ok_or_else(|| Stop::Question(Box::new(question)))
    }

    /// A value that the configuration sets for this tool. The error names it when it has another
    /// type.
    pub fn option<T: DeserializeOwned>(&self, key: &str) -> Result<Option<T>, ToolError> {
        arguments::one("the option", key, self.options())
    }

    /// What the configuration sets for this tool.
    pub fn options(&self) -> &Map<String, Value> {
        &self.init().tool.options
    }

    /// Asks for anything that the host can do, with all its parameters.
    pub fn call<P: Params>(&self, params: &P) -> Result<P::Result, VfsError> {
        let mut channel = self.channel();
        let id = channel.send(many::write(params))?;
        channel.wait(id, answer::read::<P>)
    }

    fn channel(&self) -> MutexGuard<'_, Channel> {
        // Whoever panicked meanwhile did so in code of ours that leaves nothing half done.
        self.shared.channel.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for VfsHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("VfsHost").field("init", self.init()).finish_non_exhaustive()
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests;

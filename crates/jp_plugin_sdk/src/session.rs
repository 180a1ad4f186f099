//! A plugin that runs, for code that waits: ask the host, print, log, learn that it is time to end.

mod each;
mod locked;

use std::{
    sync::{Arc, mpsc},
    thread,
    time::Duration,
};

use jp_plugin::{
    Channel, Format, HostToPlugin, Level, Log, PluginToHost, Print, Request,
    to_host::{Conversation, CreateConversation, ReadConfig},
    to_plugin::{Init, Summary},
};
use serde::Serialize;
use serde_json::{Map, Value, value::RawValue};

pub use self::locked::Locked;
use crate::{
    answer,
    core::{Core, Reply},
    error::RequestError,
    shutdown::Why,
};

type Result<T = ()> = std::result::Result<T, RequestError>;

/// How much of a plain text goes into one message, in bytes. Escaped it is at most six times as long,
/// which is below the longest line.
const PIECE: usize = 1 << 20;

/// The host, as a plugin sees it. Copies are the same session; any thread may use one.
#[derive(Debug, Clone)]
pub struct Session {
    core: Arc<Core>,
    init: Arc<Init>,
}

impl Session {
    pub(crate) fn new(core: Arc<Core>, init: Box<Init>) -> Self {
        Self { core, init: Arc::from(init) }
    }

    /// What the host said at the beginning: workspace, configuration, arguments, paths.
    pub fn init(&self) -> &Init {
        &self.init
    }

    /// The words after the command.
    pub fn args(&self) -> &[String] {
        &self.init.args
    }

    /// All conversations, the latest first.
    pub fn list_conversations(&self) -> Result<Vec<Summary>> {
        answer::conversations(self.ask(Request::ListConversations)?)
    }

    /// The events of a conversation, as they are stored, with encoded texts decoded. Those that no [`Value`] can
    /// hold, because they are nested too deep or have a number beyond all bounds, are left out, and the log is told.
    pub fn read_events(&self, conversation: &str) -> Result<Vec<Value>> {
        let answer = self.ask(Request::ReadEvents(about(conversation)))?;
        let (events, log) = answer::events(answer)?;
        log.map_or(Ok(()), |log| self.core.outbox.send(&log))?;
        Ok(events)
    }

    /// The same events as text, for whoever passes them on or reads them into types.
    pub fn read_raw_events(&self, conversation: &str) -> Result<Vec<Box<RawValue>>> {
        answer::raw_events(self.ask(Request::ReadEvents(about(conversation)))?)
    }

    /// The configuration, or the part of it under a path such as `assistant.model`.
    pub fn read_config(&self, path: Option<&str>) -> Result<Value> {
        let path = path.map(str::to_owned);
        answer::config(self.ask(Request::ReadConfig(ReadConfig { path }))?)
    }

    /// Locks a conversation for writing, until the guard is dropped.
    pub fn lock(&self, conversation: &str) -> Result<Locked> {
        self.core.hold(conversation)?;
        let request = Request::Lock(about(conversation));
        let answer = wait(|reply| self.core.ask_in_order(request, reply));
        match answer.and_then(|answer| answer::locked(&answer)) {
            Ok(()) => Ok(Locked::new(self.clone(), conversation.to_owned())),
            Err(error) => {
                self.core.release(conversation);
                Err(error)
            }
        }
    }

    /// Makes a conversation; it is locked.
    pub fn create_conversation(&self, title: Option<&str>) -> Result<Locked> {
        let title = title.map(str::to_owned);
        let request = Request::CreateConversation(CreateConversation { title });
        let conversation = answer::created(self.ask(request)?)?;
        self.core.hold(&conversation)?;
        Ok(Locked::new(self.clone(), conversation))
    }

    /// Shows a text as it is. No line end is added.
    pub fn print(&self, text: &str) -> Result {
        pieces(text).try_for_each(|text| self.print_with(plain(text)))
    }

    /// Shows Markdown, rendered.
    pub fn print_markdown(&self, text: &str) -> Result {
        self.print_with(Print { format: Format::Markdown, ..plain(text) })
    }

    /// Shows a value as JSON. One that is too long for a message is shown as plain text, as the host shows
    /// what is too long to be laid out: on one line.
    pub fn print_json(&self, value: &impl Serialize) -> Result {
        let text = serde_json::to_string(value).map_err(RequestError::Json)?;
        match self.print_with(Print { format: Format::Json, ..plain(&text) }) {
            Err(RequestError::TooLong(_)) => self.print(&(text + "\n")),
            done => done,
        }
    }

    /// Shows code, colored for its language.
    pub fn print_code(&self, language: &str, text: &str) -> Result {
        let language = Some(language.to_owned());
        self.print_with(Print { format: Format::Code, language, ..plain(text) })
    }

    /// Shows a text that is not the result itself: a heading, how far it is.
    pub fn print_chrome(&self, text: &str) -> Result {
        self.print_with(Print { channel: Channel::Chrome, ..plain(text) })
    }

    /// Shows a text in any channel and format.
    pub fn print_with(&self, print: Print) -> Result {
        self.core.outbox.send(&PluginToHost::Print(print))
    }

    /// Writes to the log of the host.
    pub fn log(&self, level: Level, message: &str, fields: Map<String, Value>) -> Result {
        let message = message.to_owned();
        self.core.outbox.send(&PluginToHost::Log(Log { level, message, fields }))
    }

    /// Why the plugin is to end, if it is.
    pub fn shutdown(&self) -> Option<Why> {
        self.core.shutdown.why()
    }

    /// Waits until the plugin is to end.
    pub fn wait_for_shutdown(&self) -> Why {
        self.core.shutdown.wait()
    }

    /// Waits until the plugin is to end, at most so long.
    pub fn wait_for_shutdown_at_most(&self, most: Duration) -> Option<Why> {
        self.core.shutdown.wait_for(most)
    }

    /// Calls this when the plugin is to end, on a thread of its own, so that it may ask the host.
    pub fn on_shutdown(&self, callback: impl FnOnce(Why) + Send + 'static) {
        self.core.shutdown.then(move |why| drop(thread::spawn(move || callback(why))));
    }

    fn ask(&self, request: Request) -> Result<HostToPlugin> {
        wait(|reply| self.core.ask(request, reply))
    }
}

/// Sends something and waits for the answer.
fn wait(send: impl FnOnce(Reply)) -> Result<HostToPlugin> {
    let (sender, receiver) = mpsc::sync_channel(1);
    send(Box::new(move |answer| drop(sender.send(answer))));
    receiver.recv().unwrap_or(Err(RequestError::Closed))
}

pub(crate) fn about(conversation: &str) -> Conversation {
    Conversation { conversation: conversation.to_owned() }
}

pub(crate) fn plain(text: &str) -> Print {
    let (channel, format) = (Channel::Content, Format::Plain);
    Print { channel, format, language: None, text: text.to_owned() }
}

/// A text in pieces that fit into a message each.
pub(crate) fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest.take()?;
        let (piece, more) = text.split_at(text.floor_char_boundary(PIECE));
        rest = (!more.is_empty()).then_some(more);
        Some(piece)
    })
}

//! What a tool says, line by line: told apart as the host does it, with everything kept that is wrong.

use std::collections::HashSet;

use jp_tool::{
    Content, ToolError, ToolState,
    vfs::{Answer, Call, Id, InvalidNotification, Notification, Request, ToHost, ToolNotification},
};

use super::super::finding::short;

/// So many mistakes of one kind are kept.
const MOST: usize = 20;

/// So much of what it wrote is kept, in bytes.
const KEPT: usize = 4 << 20;

/// What a tool has said so far.
#[derive(Debug, Default)]
pub(super) struct Heard {
    /// Its last word.
    pub(super) last: Option<Last>,
    /// The line of its last word.
    pub(super) line: Vec<u8>,
    /// Lines that are no messages, and why.
    pub(super) stray: Vec<String>,
    /// Messages that a host does not understand.
    pub(super) mistakes: Vec<String>,
    /// Messages after the last word.
    pub(super) after: Vec<String>,
    /// How many requests there were.
    pub(super) requests: usize,
    /// What it wrote.
    pub(super) stdout: Vec<u8>,
    under_way: HashSet<Id>,
}

/// The last word of a tool.
#[derive(Debug)]
pub(super) enum Last {
    Result(Answer),
    Error(ToolError),
    Stopped(Content),
    /// It makes no sense.
    Unreadable(String),
}

/// What a line asks of the host.
#[derive(Debug)]
pub(super) enum Asks {
    Nothing,
    /// An answer to this request.
    Answer(Id),
    /// To be told, because only a host knows what to do with it.
    Host,
    /// It stays alive, and this is where it stands.
    Input(ToolState),
    /// It has said its last word.
    End,
}

impl Heard {
    /// Takes in a line.
    pub(super) fn hear(&mut self, line: &[u8], stays_alive: bool) -> Asks {
        let left = KEPT.saturating_sub(self.stdout.len());
        self.stdout.extend(&line[..line.len().min(left)]);
        if self.last.is_some() {
            note(&mut self.after, text(line));
            return Asks::Nothing;
        }
        match ToHost::parse(line) {
            Ok(ToHost::Request(request)) => self.request(&request),
            Ok(ToHost::Notification(notification)) => self.told(&notification, line, stays_alive),
            Err(refusal) => {
                note(&mut self.stray, format!("{} ({})", text(line), refusal.error.message()));
                Asks::Host
            }
        }
    }

    /// A request was answered.
    pub(super) fn answered(&mut self, id: &Id) {
        self.under_way.remove(id);
    }

    /// The message, where the tool says that it failed.
    pub(super) fn error(&self) -> Option<&str> {
        match &self.last {
            Some(Last::Error(error)) => Some(&error.message),
            _ => None,
        }
    }

    fn request(&mut self, request: &Request<'_>) -> Asks {
        self.requests += 1;
        if let Err(error) = Call::parse(request) {
            note(&mut self.mistakes, short(error.message()));
        }
        if !self.under_way.insert(request.id.clone()) {
            let id = serde_json::to_string(&request.id).unwrap_or_default();
            note(&mut self.mistakes, format!("two requests under way have the id {}", short(&id)));
        }
        Asks::Answer(request.id.clone())
    }

    fn told(&mut self, told: &Notification<'_>, line: &[u8], stays_alive: bool) -> Asks {
        let last = match ToolNotification::parse(told) {
            Ok(ToolNotification::Result(params)) => Last::Result(params.content),
            Ok(ToolNotification::Error(error)) => Last::Error(error),
            Ok(ToolNotification::State(ToolState::Stopped { result })) => Last::Stopped(result),
            Ok(ToolNotification::State(state)) if stays_alive => return Asks::Input(state),
            Ok(ToolNotification::State(_)) => {
                note(&mut self.mistakes, "`state`, though it does not stay alive".to_owned());
                return Asks::Nothing;
            }
            Ok(ToolNotification::Cancel(_)) => return Asks::Host,
            Err(error @ InvalidNotification::Unknown { .. }) => {
                note(&mut self.mistakes, error.to_string());
                return Asks::Nothing;
            }
            Err(InvalidNotification::Params { method, source }) if is_last(&method) => {
                Last::Unreadable(format!("params of `{method}`: {source}"))
            }
            Err(InvalidNotification::Params { method, source }) => {
                note(&mut self.mistakes, format!("params of `{method}`: {source}"));
                return Asks::Nothing;
            }
        };
        self.last = Some(last);
        self.line = line.to_vec();
        Asks::End
    }
}

fn is_last(method: &str) -> bool {
    ["result", "error"].contains(&method)
}

fn note(notes: &mut Vec<String>, what: String) {
    if notes.len() < MOST {
        notes.push(what);
    }
}

fn text(line: &[u8]) -> String {
    let start = &line[..line.len().min(1000)];
    format!("{:?}", short(&String::from_utf8_lossy(start)))
}

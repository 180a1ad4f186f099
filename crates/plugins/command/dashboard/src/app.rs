//! Everything that is shown, and what keys do to it.

mod keys;

use jp_plugin_sdk::Summary;

pub(crate) use self::keys::Step;
use crate::{list::List, reader::Reader, theme::Theme, transcript::Transcript};

/// The state of the dashboard.
#[derive(Debug)]
pub(crate) struct App {
    pub(crate) workspace: String,
    pub(crate) theme: Theme,
    pub(crate) list: List,
    pub(crate) reader: Reader,
    pub(crate) pane: Pane,
    pub(crate) over: Over,
    /// What the user should know, until the next key.
    pub(crate) notice: Option<String>,
}

/// What keys act on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pane {
    List,
    /// The conversation has the whole screen.
    Reader,
}

/// What lies over the panes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Over {
    Nothing,
    Help,
    /// The text that is searched for is being typed.
    Search(String),
}

impl App {
    pub(crate) fn new(workspace: String, assistant: String, theme: Theme) -> Self {
        Self {
            workspace,
            theme,
            list: List::default(),
            reader: Reader::new(assistant, theme),
            pane: Pane::List,
            over: Over::Nothing,
            notice: None,
        }
    }

    /// Takes over what conversations there are.
    pub(crate) fn listing(&mut self, conversations: Vec<Summary>) {
        self.list.update(conversations);
        self.follow();
    }

    /// Takes over what is in one of them.
    pub(crate) fn transcript(&mut self, id: &str, transcript: Result<Transcript, String>) {
        self.reader.show(id, transcript);
    }

    /// Says what is wrong with the host.
    pub(crate) fn trouble(&mut self, what: String) {
        self.notice = Some(what);
    }

    /// Shows only conversations with this in their title or id.
    pub(crate) fn filter(&mut self, text: &str) {
        self.list.filter(text);
        self.follow();
    }

    pub(crate) fn select(&mut self, id: &str) {
        self.list.select(id);
        self.follow();
    }

    /// The conversation whose events are needed.
    pub(crate) fn wanted(&self) -> Option<&str> {
        self.list.selected().map(|entry| entry.id.as_str())
    }

    /// The reader shows what is selected.
    fn follow(&mut self) {
        let selected = self.list.selected().map(|entry| entry.id.as_str());
        self.reader.turn_to(selected);
        if selected.is_none() {
            self.pane = Pane::List;
        }
    }
}

#[cfg(test)]
mod tests;

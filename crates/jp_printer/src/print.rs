//! One thing to print, and where its text came from.

use crate::{Channel, Format};

/// A text with everything the printer needs to know about it.
///
/// Built from the channel outwards: `Print::content(text).format(Format::Markdown).untrusted()`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Print<'a> {
    pub channel: Channel,
    pub format: Format,
    /// The language of `code`; other formats ignore it.
    pub language: Option<&'a str>,
    pub text: &'a str,
    pub trust: Trust,
    /// How far every line is moved to the right.
    pub indent: usize,
}

/// Whether the words are ours.
///
/// Anything a plugin, a tool, a model or a stored conversation wrote is untrusted: it may carry
/// sequences that move the cursor, set the clipboard or repaint what was said before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trust {
    /// Written by this program; it may carry our own styles.
    Ours,
    /// Written by anybody else.
    Untrusted,
}

impl<'a> Print<'a> {
    /// A plain text of our own.
    pub fn new(channel: Channel, text: &'a str) -> Self {
        Self {
            channel,
            format: Format::default(),
            language: None,
            text,
            trust: Trust::Ours,
            indent: 0,
        }
    }

    pub fn content(text: &'a str) -> Self {
        Self::new(Channel::Content, text)
    }

    pub fn chrome(text: &'a str) -> Self {
        Self::new(Channel::Chrome, text)
    }

    pub fn tool_call(text: &'a str) -> Self {
        Self::new(Channel::ToolCall, text)
    }

    pub fn tool_result(text: &'a str) -> Self {
        Self::new(Channel::ToolResult, text)
    }

    pub fn reasoning(text: &'a str) -> Self {
        Self::new(Channel::Reasoning, text)
    }

    pub fn error(text: &'a str) -> Self {
        Self::new(Channel::Error, text)
    }

    #[must_use]
    pub fn format(mut self, format: Format) -> Self {
        self.format = format;
        self
    }

    #[must_use]
    pub fn language(mut self, language: Option<&'a str>) -> Self {
        self.language = language;
        self
    }

    /// Moves every line of text output to the right. What stands at the margin is then ours: text
    /// from outside cannot pass itself off as one of our headings.
    #[must_use]
    pub fn indent(mut self, columns: usize) -> Self {
        self.indent = columns;
        self
    }

    /// Says that the text (and the language) came from outside.
    #[must_use]
    pub fn untrusted(mut self) -> Self {
        self.trust = Trust::Untrusted;
        self
    }
}

//! How a text is rendered, and the one place that decides what is taken out of it first.

mod code;
mod json;
mod markdown;

use std::borrow::Cow;

use crate::{
    ControlSequences, MIN_WIDTH, Print, Settings, StreamSettings, Trust,
    color::Ink,
    sanitize::{Styles, sanitize},
};

/// What a text is written in. An unknown name is `plain`, which shows any text as it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Format {
    /// Shown as it is; no newline is added.
    #[default]
    Plain,
    /// Rendered for the width of the stream.
    Markdown,
    /// Laid out over lines. Text that is not JSON is shown as `plain`.
    Json,
    /// Highlighted by its language, where that is known.
    Code,
}

impl Format {
    /// Every format, in the order they are documented.
    pub const ALL: [Self; 4] = [Self::Plain, Self::Markdown, Self::Json, Self::Code];

    /// The format of that wire name; an unknown name is the default, [`Format::Plain`].
    pub fn from_name(name: &str) -> Self {
        Self::ALL.into_iter().find(|format| format.as_str() == name).unwrap_or_default()
    }

    /// The name on the wire and in JSON output.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Markdown => "markdown",
            Self::Json => "json",
            Self::Code => "code",
        }
    }
}

/// Renders a print for a stream.
///
/// Markdown, JSON and code end in a newline, because they are blocks; `plain` is left as it came.
pub(crate) fn render<'a>(
    print: &Print<'a>,
    settings: &Settings,
    stream: StreamSettings,
) -> Cow<'a, str> {
    let ink = stream.color.map(|depth| Ink { theme: settings.theme, depth });
    let hazards = Hazards::of(print, settings, stream);
    let text = hazards.remove(print.text);
    let text = match print.format {
        Format::Plain => text,
        Format::Json => json::render(&text, ink).map_or(text, Cow::Owned),
        Format::Code => Cow::Owned(code::render(&text, print.language, ink)),
        Format::Markdown => {
            let width = settings.columns(stream).saturating_sub(print.indent).max(MIN_WIDTH);
            Cow::Owned(markdown::render(&text, &markdown::Options { ink, width, hazards }))
        }
    };
    if print.indent == 0 { text } else { Cow::Owned(indented(&text, print.indent)) }
}

/// Every line moved to the right, empty ones left empty.
fn indented(text: &str, columns: usize) -> String {
    let margin = " ".repeat(columns);
    text.split_inclusive('\n')
        .flat_map(|line| [if line == "\n" { "" } else { margin.as_str() }, line])
        .collect()
}

/// What is done to a text before a terminal sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Hazards {
    Pass,
    Remove(Styles),
}

impl Hazards {
    fn of(print: &Print<'_>, settings: &Settings, stream: StreamSettings) -> Self {
        let opted_out = settings.control_sequences == ControlSequences::Keep;
        match (print.format, print.trust) {
            (_, Trust::Untrusted) if opted_out => Self::Pass,
            // A renderer brings its own styles, and foreign ones would upset the widths it counts.
            (Format::Markdown | Format::Json | Format::Code, _) => Self::Remove(Styles::Strip),
            (Format::Plain, _) if stream.color.is_none() => Self::Remove(Styles::Strip),
            (Format::Plain, Trust::Ours) => Self::Pass,
            (Format::Plain, Trust::Untrusted) => Self::Remove(Styles::Keep),
        }
    }

    fn remove(self, text: &str) -> Cow<'_, str> {
        match self {
            Self::Pass => Cow::Borrowed(text),
            Self::Remove(styles) => sanitize(text, styles),
        }
    }
}

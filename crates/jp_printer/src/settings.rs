//! What the caller decides for the printer: modes, and what each stream can show.

use crate::Theme;

/// The width text is wrapped at where a stream is not a terminal and no width is configured.
pub const DEFAULT_WIDTH: usize = 80;

/// Narrower than this is treated as this: below it, wrapping helps nobody.
pub const MIN_WIDTH: usize = 20;

/// Wider than this is treated as this, which bounds the cost of every rule and indent.
pub const MAX_WIDTH: usize = 500;

/// How a [`crate::Printer`] behaves. The default is text, in no colour, for a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    pub output: OutputMode,
    /// Keeps `content` and `error`, and leaves out the rest.
    pub quiet: bool,
    pub stdout: StreamSettings,
    pub stderr: StreamSettings,
    pub control_sequences: ControlSequences,
    /// The colours of Markdown, code and JSON.
    pub theme: Theme,
    /// The widest a line of Markdown may get, however wide the terminal is.
    pub max_width: Option<usize>,
}

/// What one of the two streams can show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StreamSettings {
    /// `None` where the stream gets no colour at all.
    pub color: Option<ColorDepth>,
    /// The columns of the terminal; `None` where the stream is a file or a pipe.
    pub width: Option<usize>,
}

/// Whether prints are rendered for a person or written as lines of JSON.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OutputMode {
    #[default]
    Text,
    Json,
}

/// What happens to terminal control sequences in untrusted text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ControlSequences {
    /// Everything but colours is removed.
    #[default]
    Strip,
    /// The user opted out, and every byte reaches the terminal.
    Keep,
}

/// How many colours the terminal knows. Colours of a theme are mapped to the nearest it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColorDepth {
    Ansi16,
    Ansi256,
    TrueColor,
}

impl Settings {
    /// The columns Markdown may fill on that stream.
    pub(crate) fn columns(&self, stream: StreamSettings) -> usize {
        let columns = match (stream.width, self.max_width) {
            (Some(width), Some(max)) => width.min(max),
            (Some(width), None) | (None, Some(width)) => width,
            (None, None) => DEFAULT_WIDTH,
        };
        columns.clamp(MIN_WIDTH, MAX_WIDTH)
    }
}

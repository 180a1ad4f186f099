//! What the user sees: channels, formats, Markdown and code for a terminal.
//!
//! Everything a person reads goes through a [`Printer`]. The caller says what a text is (a
//! [`Channel`]), how it is to be rendered (a [`Format`]) and where it came from (a [`Trust`]); the
//! printer chooses the stream, leaves out what `--quiet` leaves out, turns prints into lines of
//! JSON where that was asked for, and renders the rest.
//!
//! ```
//! use jp_printer::{Format, Print, Printer, Settings};
//!
//! # fn main() -> std::io::Result<()> {
//! let printer = Printer::new(Settings::default(), Vec::new(), Vec::new());
//! printer.print(Print::content("## Results\n\n- one\n- two\n").format(Format::Markdown))?;
//! printer.print(Print::error("the plugin stopped\n").untrusted())?;
//! printer.flush()
//! # }
//! ```
//!
//! # What it does
//!
//! - `content` goes to the first writer (stdout), every other channel to the second (stderr), in
//!   the order printed.
//! - Text that came from outside is stripped of everything a terminal would act on ([`sanitize`]).
//! - Markdown is wrapped, indented and aligned to the width; code and JSON are highlighted.
//! - With colour off the output is tidy Markdown in ASCII decoration, so a log keeps its structure.
//!
//! # What it does not do
//!
//! It does not look at the terminal, the environment or the clock: colour, width and theme are
//! handed in through [`Settings`]. It asks no questions, opens no files and starts no pager. It does
//! not end lines for the caller in `plain` text, and it never panics on a closed pipe: the
//! [`std::io::Error`] of kind `BrokenPipe` is returned, and the program decides how to leave.
//!
//! Building a printer is cheap. Syntax definitions and themes are decoded at their first use.

mod channel;
mod color;
mod format;
mod print;
mod printer;
mod sanitize;
mod settings;
mod text;
mod theme;

pub use channel::Channel;
pub use format::Format;
pub use print::{Print, Trust};
pub use printer::Printer;
pub use sanitize::{Styles, sanitize, visible};
pub use settings::{
    ColorDepth, ControlSequences, DEFAULT_WIDTH, MAX_WIDTH, MIN_WIDTH, OutputMode, Settings,
    StreamSettings,
};
pub use text::{display_width, fence, json_line, single_line, truncate_to_width};
pub use theme::{Theme, UnknownTheme, theme_names};

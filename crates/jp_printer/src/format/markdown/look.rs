//! How Markdown looks: in colour for a terminal, or as tidy Markdown for a log.
//!
//! With colour, structure is shown by style and drawn lines. Without, the marks of Markdown stay
//! (`#`, `**`, backticks, `>`, `-`) and all decoration is ASCII: a log file, a mail or another
//! program then still sees what was a heading and what was code.

use anstyle::{AnsiColor, Effects, Style};
use pulldown_cmark::{BlockQuoteKind, HeadingLevel};

use crate::color::Ink;

/// The styles of each kind of text; all of them plain where there is no colour.
#[derive(Clone, Copy, Debug)]
pub(super) struct Look {
    pub(super) ink: Option<Ink>,
    heading: Style,
    pub(super) emphasis: Style,
    pub(super) strong: Style,
    pub(super) strike: Style,
    pub(super) code: Style,
    pub(super) link: Style,
    /// Addresses, fences, bars and rules: there, but in the background.
    pub(super) faint: Style,
    pub(super) bullet: Style,
    pub(super) done: Style,
}

impl Look {
    pub(super) fn new(ink: Option<Ink>) -> Self {
        match ink {
            None => Self::plain(),
            Some(ink) => Self::colored(ink),
        }
    }

    fn plain() -> Self {
        let plain = Style::new();
        Self {
            ink: None,
            heading: plain,
            emphasis: plain,
            strong: plain,
            strike: plain,
            code: plain,
            link: plain,
            faint: plain,
            bullet: plain,
            done: plain,
        }
    }

    fn colored(ink: Ink) -> Self {
        let plain = Style::new();
        let color = |scope, fallback: AnsiColor| {
            let themed = ink.scope(scope).get_fg_color();
            plain.fg_color(Some(themed.unwrap_or(fallback.into())))
        };
        Self {
            ink: Some(ink),
            heading: color("markup.heading", AnsiColor::Blue),
            emphasis: plain.italic(),
            strong: plain.bold(),
            strike: plain.strikethrough(),
            code: color("markup.raw.inline", AnsiColor::Cyan),
            link: color("markup.underline.link", AnsiColor::Blue).underline(),
            faint: plain.dimmed(),
            bullet: color("markup.list", AnsiColor::Yellow),
            done: color("markup.inserted", AnsiColor::Green),
        }
    }

    /// Whether the marks of Markdown stand for the styles.
    pub(super) fn keeps_marks(&self) -> bool {
        self.ink.is_none()
    }

    pub(super) fn mark(&self, mark: &'static str) -> &'static str {
        if self.keeps_marks() { mark } else { "" }
    }

    /// The levels of a heading differ by more than colour.
    pub(super) fn heading(&self, level: HeadingLevel) -> Style {
        if self.keeps_marks() {
            return self.heading;
        }
        self.heading
            | match level {
                HeadingLevel::H1 => Effects::BOLD | Effects::UNDERLINE,
                HeadingLevel::H2 => Effects::BOLD,
                HeadingLevel::H3 => Effects::new(),
                HeadingLevel::H4 | HeadingLevel::H5 | HeadingLevel::H6 => Effects::ITALIC,
            }
    }

    /// The bullet of an item inside that many lists.
    pub(super) fn bullet(&self, depth: usize) -> &'static str {
        if self.keeps_marks() {
            return "-";
        }
        match depth % 3 {
            1 => "•",
            2 => "◦",
            _ => "▪",
        }
    }

    pub(super) fn bar(&self) -> &'static str {
        if self.keeps_marks() { ">" } else { "│" }
    }

    pub(super) fn rule(&self) -> &'static str {
        if self.keeps_marks() { "-" } else { "─" }
    }

    /// The style of a quote's bar and title, and the title, where the quote is of a known kind.
    pub(super) fn alert(&self, kind: BlockQuoteKind) -> (Style, &'static str) {
        let (color, title, mark) = match kind {
            BlockQuoteKind::Note => (AnsiColor::Blue, "Note", "[!NOTE]"),
            BlockQuoteKind::Tip => (AnsiColor::Green, "Tip", "[!TIP]"),
            BlockQuoteKind::Important => (AnsiColor::Magenta, "Important", "[!IMPORTANT]"),
            BlockQuoteKind::Warning => (AnsiColor::Yellow, "Warning", "[!WARNING]"),
            BlockQuoteKind::Caution => (AnsiColor::Red, "Caution", "[!CAUTION]"),
        };
        if self.keeps_marks() { (Style::new(), mark) } else { (color.on_default(), title) }
    }
}

/// `text` in a style, closed again.
pub(super) fn styled(text: &str, style: Style) -> String {
    format!("{}{text}{}", style.render(), style.render_reset())
}

/// The style of something inside something else: effects add up, the inner colour wins.
pub(super) fn inside(outer: Style, inner: Style) -> Style {
    outer
        .fg_color(inner.get_fg_color().or(outer.get_fg_color()))
        .effects(outer.get_effects() | inner.get_effects())
}

//! What everything looks like: a few roles, in colors or without.
//!
//! Only the sixteen colors of the terminal are used, so that the theme is that of the user, light or dark.
//! Without colors weight and brightness make the same distinctions.

use ratatui::style::{Color, Modifier, Style};

/// The look of every role.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Theme {
    pub(crate) text: Style,
    /// What is there when somebody looks for it.
    pub(crate) quiet: Style,
    /// Names and headings.
    pub(crate) strong: Style,
    /// The one color that leads the eye.
    pub(crate) accent: Style,
    /// The line that keys act on.
    pub(crate) selected: Style,
    /// What the assistant says.
    pub(crate) assistant: Style,
    /// Calls of tools.
    pub(crate) tool: Style,
    /// Code in a text.
    pub(crate) code: Style,
    /// What went wrong.
    pub(crate) error: Style,
    /// What was searched for.
    pub(crate) found: Style,
}

impl Theme {
    pub(crate) fn new(colors: bool) -> Self {
        let plain = Style::new();
        let colored = |color| if colors { plain.fg(color) } else { plain };
        Self {
            text: plain,
            quiet: plain.add_modifier(Modifier::DIM),
            strong: plain.add_modifier(Modifier::BOLD),
            accent: colored(Color::Cyan).add_modifier(Modifier::BOLD),
            selected: plain.add_modifier(Modifier::REVERSED),
            assistant: colored(Color::Green).add_modifier(Modifier::BOLD),
            tool: colored(Color::Yellow),
            code: colored(Color::Blue),
            error: colored(Color::Red).add_modifier(Modifier::BOLD),
            found: colored(Color::Yellow).add_modifier(Modifier::UNDERLINED | Modifier::BOLD),
        }
    }
}

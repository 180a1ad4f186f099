//! All keys, in a window over the others.

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    text::{Line, Span},
    widgets::{Block, Clear, Widget as _},
};

use crate::theme::Theme;

const KEYS: &[(&str, &str)] = &[
    ("↑ ↓  j k", "one line"),
    ("PgUp PgDn", "one page; also b, space"),
    ("Home End", "start and end; also g, G"),
    ("enter →", "open the conversation"),
    ("esc ←", "back to the list"),
    ("/  n N", "search; next, one before"),
    ("[ ]", "turn before, next turn"),
    ("J K  ^D ^U", "scroll the preview"),
    ("e", "expand thoughts and tools"),
    ("q  ^C", "quit"),
];

/// How wide the column of keys is.
const COLUMN: usize = 12;

/// How wide the window is.
const WIDTH: u16 = 44;

/// Draws the window; without its border where there is no room for one.
pub(super) fn draw(theme: Theme, area: Rect, buffer: &mut Buffer) {
    let height = u16::try_from(KEYS.len()).unwrap_or(0) + 2;
    let (width, height) = (WIDTH.min(area.width), height.min(area.height));
    let window = Rect {
        x: area.x + (area.width - width) / 2,
        y: area.y + (area.height - height) / 2,
        width,
        height,
    };
    Clear.render(window, buffer);
    let mut inside = window;
    if usize::from(height) > KEYS.len() {
        let frame = Block::bordered().title(" Keys ").border_style(theme.accent);
        inside = frame.inner(window);
        frame.render(window, buffer);
    }
    for ((key, does), y) in KEYS.iter().zip(inside.y..inside.bottom()) {
        let line = Line::from(vec![
            Span::styled(format!(" {key:COLUMN$}"), theme.strong),
            Span::styled(*does, theme.text),
        ]);
        buffer.set_line(inside.x, y, &line, inside.width);
    }
}

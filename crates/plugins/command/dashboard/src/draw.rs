//! The picture: what is where, in windows of every size.
//!
//! ```text
//! 84 columns or more      20 lines or more       smaller
//! ┌──────┬──────────┐     ┌──────────┐           ┌──────────┐
//! │ list │ reader   │     │ list     │           │ list     │
//! │      │          │     ├──────────┤           │          │
//! │      │          │     │ reader   │           │          │
//! └──────┴──────────┘     └──────────┘           └──────────┘
//! ```
//!
//! With enter the reader has all of it.

mod help;

use jiff::Timestamp;
use ratatui::{
    Frame,
    buffer::Buffer,
    layout::{Constraint, Layout, Rect},
    style::Style,
    text::{Line, Span},
};
use unicode_width::UnicodeWidthStr as _;

use crate::{
    app::{App, Over, Pane},
    list::Entry,
    text::fit,
    when,
};

/// The smallest window in which something can be read.
const LEAST: (u16, u16) = (40, 10);

/// From here on list and reader are beside each other.
const WIDE: u16 = 84;

/// From here on they are above each other.
const TALL: u16 = 20;

/// From here on the list has a column for the number of events.
const ROOMY: usize = 48;

/// What is said of keys at the bottom, the important ones first.
const LIST_KEYS: &[(&str, &str)] =
    &[("↑↓", "select"), ("enter", "open"), ("?", "help"), ("q", "quit"), ("/", "search")];
const READER_KEYS: &[(&str, &str)] = &[
    ("↑↓", "scroll"),
    ("esc", "back"),
    ("?", "help"),
    ("q", "quit"),
    ("/", "find"),
    ("e", "expand"),
    ("[ ]", "turns"),
];

/// Draws everything.
pub(crate) fn app(app: &mut App, frame: &mut Frame<'_>, now: Timestamp) {
    let area = frame.area();
    let buffer = frame.buffer_mut();
    if area.width < LEAST.0 || area.height < LEAST.1 {
        return too_small(area, buffer);
    }
    let rows =
        Layout::vertical([Constraint::Length(1), Constraint::Fill(1), Constraint::Length(1)]);
    let [head, body, foot] = rows.areas(area);
    header(app, head, buffer);
    match app.pane {
        Pane::Reader => reader(app, body, buffer),
        Pane::List if body.width >= WIDE => beside(app, body, buffer, now),
        Pane::List if area.height >= TALL => above(app, body, buffer, now),
        Pane::List => list(app, body, buffer, now),
    }
    footer(app, foot, buffer);
    if app.over == Over::Help {
        help::draw(app.theme, area, buffer);
    }
}

fn beside(app: &mut App, area: Rect, buffer: &mut Buffer, now: Timestamp) {
    let columns = (area.width * 2 / 5).clamp(34, 60);
    let parts = Layout::horizontal([
        Constraint::Length(columns),
        Constraint::Length(1),
        Constraint::Fill(1),
    ]);
    let [left, line, right] = parts.areas(area);
    list(app, left, buffer, now);
    for y in line.y..line.bottom() {
        buffer.set_string(line.x, y, "│", app.theme.quiet);
    }
    reader(app, right, buffer);
}

fn above(app: &mut App, area: Rect, buffer: &mut Buffer, now: Timestamp) {
    let parts =
        Layout::vertical([Constraint::Percentage(40), Constraint::Length(1), Constraint::Fill(1)]);
    let [top, line, bottom] = parts.areas(area);
    list(app, top, buffer, now);
    buffer.set_string(line.x, line.y, "─".repeat(line.width.into()), app.theme.quiet);
    reader(app, bottom, buffer);
}

/// The workspace, and how many conversations there are.
fn header(app: &App, area: Rect, buffer: &mut Buffer) {
    let (all, shown) = app.list.counts();
    let counted = match (all, app.list.filtered_by()) {
        (1, "") => "1 conversation ".to_owned(),
        (_, "") => format!("{all} conversations "),
        (_, filter) => format!("{shown} of {all} with `{filter}` "),
    };
    let room = usize::from(area.width).saturating_sub(" jp dashboard   ".len());
    let counted = fit(&counted, room).into_owned();
    let workspace = fit(&app.workspace, room.saturating_sub(counted.width() + 1)).into_owned();
    let left = Line::from(vec![
        Span::styled(" jp dashboard  ", app.theme.accent),
        Span::styled(workspace, app.theme.strong),
    ]);
    buffer.set_line(area.x, area.y, &left, area.width);
    right(buffer, area, &counted, app.theme.quiet);
}

/// What is being typed, what is wrong, or what the next key can be.
fn footer(app: &App, area: Rect, buffer: &mut Buffer) {
    let theme = app.theme;
    let width = usize::from(area.width).saturating_sub(2);
    let line = match (&app.over, &app.notice, app.pane) {
        (Over::Search(text), ..) => {
            // The end of a long text is what is being typed.
            let from =
                text.char_indices().rev().nth(width.saturating_sub(3)).map_or(0, |(at, _)| at);
            Line::from(vec![
                Span::styled(" /", theme.accent),
                Span::raw(&text[from..]),
                Span::styled(" ", theme.selected),
            ])
        }
        (_, Some(notice), _) => Line::styled(format!(" {}", fit(notice, width)), theme.error),
        (_, None, Pane::List) => keys(app, LIST_KEYS, width),
        (_, None, Pane::Reader) => keys(app, READER_KEYS, width),
    };
    buffer.set_line(area.x, area.y, &line, area.width);
}

/// As many keys as there is room for.
fn keys(app: &App, keys: &[(&'static str, &'static str)], width: usize) -> Line<'static> {
    let (mut spans, mut used) = (Vec::new(), 0);
    for (key, does) in keys {
        used += key.width() + does.width() + 3;
        if used <= width + 2 {
            spans.push(Span::styled(format!(" {key} "), app.theme.strong));
            spans.push(Span::styled(format!("{does} "), app.theme.quiet));
        }
    }
    Line::from(spans)
}

fn list(app: &mut App, area: Rect, buffer: &mut Buffer, now: Timestamp) {
    let (theme, (all, shown)) = (app.theme, app.list.counts());
    if shown == 0 {
        let words: &[&str] = match all {
            0 => &["There are no conversations yet.", "`jp conversation new` makes one."],
            _ => &["No conversation has this in", "its title or id. Esc shows all."],
        };
        return centered(words, area, buffer, theme.quiet);
    }
    app.list.height = area.height.into();
    let entries: Vec<_> = app.list.visible().collect();
    let ages: Vec<_> = entries.iter().map(|(entry, _)| when::ago(entry.when, now)).collect();
    let oldest = ages.iter().map(|age| age.width()).max().unwrap_or(0);
    for (((entry, is_selected), age), y) in entries.into_iter().zip(&ages).zip(area.y..) {
        let style = if is_selected { theme.selected } else { theme.text };
        buffer.set_style(Rect { y, height: 1, ..area }, style);
        let columns = columns(entry, &format!("{age:>oldest$}"), area.width.into());
        let quiet = if is_selected { Style::new() } else { theme.quiet };
        let title = if entry.title.is_some() { Style::new() } else { quiet };
        let line = Line::from(vec![
            Span::styled(if entry.has_news { "•" } else { " " }, theme.accent),
            Span::styled(columns.0, title),
            Span::styled(columns.1, quiet),
        ]);
        buffer.set_line(area.x, y, &line, area.width);
    }
}

/// The title, and what stands at the right of it, in so many columns less one.
fn columns(entry: &Entry, age: &str, width: usize) -> (String, String) {
    let count = if width >= ROOMY { format!("  {:>6}", entry.events) } else { String::new() };
    let right = format!("{count}  {age} ");
    let room = width.saturating_sub(right.width() + 1);
    let untitled = format!("(untitled) {}", entry.id);
    let title = fit(entry.title.as_deref().unwrap_or(&untitled), room).into_owned();
    let fill = " ".repeat(room.saturating_sub(title.width()));
    (title, fill + &right)
}

fn reader(app: &mut App, area: Rect, buffer: &mut Buffer) {
    let theme = app.theme;
    let Some(entry) = app.list.selected() else { return };
    let untitled = format!("(untitled) {}", entry.id);
    let title = entry.title.clone().unwrap_or(untitled);
    let [head, _, body] =
        Layout::vertical([Constraint::Length(1), Constraint::Length(1), Constraint::Fill(1)])
            .areas(area);
    let body = Rect { x: body.x + 1, width: body.width.saturating_sub(2), ..body };
    if let Some(reason) = app.reader.failure() {
        let words = ["This conversation cannot be read:", reason];
        centered(&words, body, buffer, theme.error);
    } else if app.reader.is_waiting() {
        centered(&["reading …"], body, buffer, theme.quiet);
    } else {
        let lines = app.reader.lines(body.width.into(), body.height.into());
        if lines.is_empty() {
            centered(&["Nothing was said here yet."], body, buffer, theme.quiet);
        }
        for (line, y) in lines.iter().zip(body.y..) {
            buffer.set_line(body.x, y, line, body.width);
        }
    }
    let place = format!("{} ", app.reader.place());
    let room = usize::from(head.width).saturating_sub(place.width() + 3);
    buffer.set_string(head.x + 1, head.y, fit(&title, room), theme.strong);
    right(buffer, head, &place, theme.quiet);
}

fn too_small(area: Rect, buffer: &mut Buffer) {
    let (width, height) = LEAST;
    let needed = format!("needs {width} × {height}");
    centered(&["Window too small:", &needed], area, buffer, Style::new());
}

fn right(buffer: &mut Buffer, area: Rect, text: &str, style: Style) {
    let width = u16::try_from(text.width()).unwrap_or(u16::MAX).min(area.width);
    buffer.set_stringn(area.right() - width, area.y, text, width.into(), style);
}

fn centered(lines: &[&str], area: Rect, buffer: &mut Buffer, style: Style) {
    let height = u16::try_from(lines.len()).unwrap_or(0);
    let top = area.y + area.height.saturating_sub(height) / 2;
    for (line, y) in lines.iter().zip(top..area.bottom()) {
        let text = fit(line, area.width.into());
        let width = u16::try_from(text.width()).unwrap_or(area.width);
        let x = area.x + area.width.saturating_sub(width) / 2;
        buffer.set_stringn(x, y, text, area.width.into(), style);
    }
}

//! What is on the screen after which keys, in windows of several sizes.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use insta::assert_snapshot;
use jiff::Timestamp;
use ratatui::{Terminal, backend::TestBackend, style::Modifier};
use serde_json::{Value, json, value::RawValue};

use super::*;
use crate::draw;

const WIDE: (u16, u16) = (100, 16);
const TALL: (u16, u16) = (60, 20);
const SMALL: (u16, u16) = (40, 10);

fn summary(id: &str, title: Option<&str>, when: &str, events_count: u64) -> Summary {
    Summary {
        id: id.to_owned(),
        title: title.map(str::to_owned),
        last_activated_at: format!("2025-07-20T{when}Z"),
        events_count,
    }
}

fn summaries() -> Vec<Summary> {
    vec![
        summary("17530074001", Some("Refactor the configuration"), "10:29:50", 42),
        summary("17530074002", None, "10:20:00", 3),
        summary("17530074003", Some("漢字 and \u{1b}[31mescapes\u{1b}[0m"), "07:00:00", 120),
    ]
}

fn app() -> App {
    let mut app = App::new("my-project".to_owned(), "JP".to_owned(), Theme::new(false));
    app.listing(summaries());
    app
}

fn transcript(events: &[Value]) -> Transcript {
    let raw = |event: &Value| RawValue::from_string(event.to_string()).unwrap();
    Transcript::read(&events.iter().map(raw).collect::<Vec<_>>())
}

fn said(text: &str) -> Transcript {
    transcript(&[
        json!({ "type": "turn_start" }),
        json!({ "type": "chat_request", "content": text }),
    ])
}

/// Draws, as [`crate::show`] does, and returns the letters on the screen.
fn screen(app: &mut App, size: (u16, u16)) -> String {
    let text = drawn(app, size).to_string();
    // Behind a line it says which of its cells are hidden by wide letters.
    let letters = |line: &str| line.trim_end_matches('"').trim_end().to_owned();
    let letters = |line: &str| letters(line.split_once("\" Hidden").map_or(line, |it| it.0));
    text.lines().map(|line| letters(&line[1..])).collect::<Vec<_>>().join("\n")
}

fn drawn(app: &mut App, (width, height): (u16, u16)) -> TestBackend {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    let now: Timestamp = "2025-07-20T10:30:00Z".parse().unwrap();
    terminal.draw(|frame| draw::app(app, frame, now)).unwrap();
    terminal.backend().clone()
}

/// Presses keys: letters stand for themselves.
fn press(app: &mut App, keys: &str) {
    for letter in keys.chars() {
        let code = match letter {
            '⏎' => KeyCode::Enter,
            '⎋' => KeyCode::Esc,
            '↓' => KeyCode::Down,
            '↑' => KeyCode::Up,
            '⌫' => KeyCode::Backspace,
            letter => KeyCode::Char(letter),
        };
        assert_eq!(app.key(KeyEvent::new(code, KeyModifiers::NONE)), Step::Stay, "{letter}");
    }
}

#[test]
fn list_and_reader_are_beside_each_other() {
    let mut app = app();
    app.transcript("17530074001", Ok(said("Hello, can you make it shorter?")));
    assert_snapshot!(screen(&mut app, WIDE));
}

#[test]
fn list_and_reader_are_above_each_other() {
    let mut app = app();
    app.transcript("17530074001", Ok(said("Hello, can you make it shorter?")));
    assert_snapshot!(screen(&mut app, TALL));
}

#[test]
fn a_small_window_has_one_of_them() {
    let mut app = app();
    app.transcript(
        "17530074001",
        Ok(said("Hello, can you make it shorter? It is far too long as it is.")),
    );
    assert_snapshot!(screen(&mut app, SMALL));
    press(&mut app, "⏎");
    assert_snapshot!(screen(&mut app, SMALL));
    press(&mut app, "⎋");
    assert!(screen(&mut app, SMALL).contains("(untitled)"));
    assert_snapshot!(screen(&mut app, (39, 10)));
}

#[test]
fn no_size_of_window_is_a_problem() {
    let mut app = app();
    app.transcript("17530074001", Ok(said("Some words.")));
    for (width, height) in
        [(1, 1), (1, 50), (300, 1), (40, 10), (41, 11), (83, 19), (84, 20), (500, 200)]
    {
        for keys in ["", "?", "?", "/", "x", "⎋", "⏎", "⎋"] {
            press(&mut app, keys);
            drawn(&mut app, (width, height));
        }
    }
}

#[test]
fn every_key_is_explained() {
    let mut app = app();
    press(&mut app, "?");
    assert_snapshot!(screen(&mut app, TALL));
    assert_snapshot!(screen(&mut app, SMALL));
    press(&mut app, "x");
    assert!(!screen(&mut app, SMALL).contains("quit the"));
}

#[test]
fn every_kind_of_event_is_shown() {
    let mut app = app();
    app.transcript("17530074001", Ok(transcript(&every_event())));
    press(&mut app, "⏎");
    assert_snapshot!(screen(&mut app, (72, 48)));
    press(&mut app, "e");
    assert_snapshot!(screen(&mut app, (72, 70)));
}

/// One of each, the unknown and the broken included.
fn every_event() -> Vec<Value> {
    vec![
        json!({ "type": "config_delta", "delta": { "assistant": { "name": "X" } } }),
        json!({ "type": "turn_start" }),
        json!({ "type": "chat_request", "content": "How many?", "schema": { "type": "integer" }, "author": "Ada" }),
        json!({ "type": "chat_response", "reasoning": "Counting first.\nThen answering." }),
        json!({ "type": "tool_call_request", "id": "1", "name": "fs_grep", "arguments": { "pattern": "fn main", "paths": ["src"] } }),
        json!({ "type": "tool_call_response", "id": "1", "content": "1\n2\n3\n4\n5", "is_error": false }),
        json!({ "type": "tool_call_request", "id": "2", "name": "fs_modify", "arguments": { "text": "one\ntwo" } }),
        json!({ "type": "inquiry_request", "id": "q", "source": "fs_modify", "question": { "text": "Apply it?" } }),
        json!({ "type": "inquiry_response", "id": "q", "answer": true }),
        json!({ "type": "tool_call_response", "id": "2", "content": "no such file", "is_error": true }),
        json!({ "type": "chat_response", "message": "# Forty-two\n\n```rust\nfn main() {}\n```\n\nA line that is long enough to be broken where the window ends, and that happens here." }),
        json!({ "type": "chat_response", "data": { "count": 42 } }),
        json!({ "type": "from_the_future", "field": [1, 2] }),
        json!({ "type": "chat_request" }),
        json!({ "no": "type" }),
        json!("not even an object"),
    ]
}

#[test]
fn the_list_is_searched_while_typing() {
    let mut app = app();
    press(&mut app, "/co");
    assert_snapshot!(screen(&mut app, SMALL));
    press(&mut app, "x⌫⏎");
    assert_eq!(app.wanted(), Some("17530074001"));
    assert!(screen(&mut app, SMALL).contains("1 of 3 with `co`"));
    press(&mut app, "/zz");
    assert_snapshot!(screen(&mut app, SMALL));
    assert_eq!(app.wanted(), None);
    press(&mut app, "⎋");
    assert!(screen(&mut app, SMALL).contains("3 conversations"));
}

#[test]
fn the_text_of_a_conversation_is_searched() {
    let mut app = app();
    let lines: Vec<_> = (0..50)
        .map(|n| if n % 20 == 7 { format!("Needle {n}") } else { format!("line {n}") })
        .collect();
    app.transcript("17530074001", Ok(said(&lines.join("\n"))));
    press(&mut app, "⏎");
    assert!(screen(&mut app, SMALL).contains("line 49"));
    let mut check = |keys: &str, want: &str| {
        press(&mut app, keys);
        let shown = screen(&mut app, SMALL);
        assert!(shown.contains(want), "{want} after {keys}:\n{shown}");
    };
    check("/needle⏎", "Needle 47");
    check("n", "Needle 7");
    check("n", "Needle 27");
    check("N", "Needle 7");
    check("N", "Needle 47");
    check("/absent⏎", "`absent` is not in this");
    check("⎋n", "/ searches in this");
}

#[test]
fn what_is_found_is_marked() {
    let mut app = app();
    app.transcript("17530074001", Ok(said("a Needle in it")));
    screen(&mut app, SMALL);
    press(&mut app, "⏎/needle⏎");
    let backend = drawn(&mut app, SMALL);
    let marked = |cell: &&ratatui::buffer::Cell| cell.modifier.contains(Modifier::UNDERLINED);
    let marked: String = backend
        .buffer()
        .content()
        .iter()
        .filter(marked)
        .map(ratatui::buffer::Cell::symbol)
        .collect();
    assert_eq!(marked, "Needle");
}

#[test]
fn who_reads_at_the_end_stays_at_the_end() {
    let mut app = app();
    let text = |lines: usize| (0..lines).map(|n| format!("line {n}\n")).collect::<String>();
    app.transcript("17530074001", Ok(said(&text(30))));
    press(&mut app, "⏎");
    assert!(screen(&mut app, SMALL).contains("line 29"));
    app.transcript("17530074001", Ok(said(&text(40))));
    assert!(screen(&mut app, SMALL).contains("line 39"));
    // Three lines up, and it stays there.
    press(&mut app, "↑↑↑");
    let before = screen(&mut app, SMALL);
    assert!(before.contains("line 36") && !before.contains("line 37"), "{before}");
    app.transcript("17530074001", Ok(said(&text(50))));
    let after = screen(&mut app, SMALL);
    assert!(after.contains("line 36") && !after.contains("line 37"), "{after}");
    press(&mut app, "G");
    assert!(screen(&mut app, SMALL).contains("line 49"));
}

#[test]
fn what_comes_too_late_is_not_shown() {
    let mut app = app();
    press(&mut app, "↓");
    app.transcript("17530074001", Ok(said("of the first")));
    assert!(screen(&mut app, WIDE).contains("reading …"));
    app.transcript("17530074002", Ok(said("of the second")));
    assert!(screen(&mut app, WIDE).contains("of the second"));
}

#[test]
fn news_have_a_mark_until_they_are_looked_at() {
    let mut app = app();
    let mut news = summaries();
    news[1].events_count += 1;
    app.listing(news);
    assert!(screen(&mut app, SMALL).contains("\n•(untitled)"));
    press(&mut app, "↓↑");
    assert!(!screen(&mut app, SMALL).contains('•'));
}

#[test]
fn what_is_wrong_is_said() {
    let mut app = app();
    app.trouble("the index is damaged".to_owned());
    app.transcript("17530074001", Err("it has more than 48 MiB".to_owned()));
    let shown = screen(&mut app, WIDE);
    assert!(
        shown.contains("the index is damaged") && shown.contains("it has more than 48 MiB"),
        "{shown}"
    );
    let mut empty = App::new(String::new(), String::new(), Theme::new(true));
    empty.listing(Vec::new());
    press(&mut empty, "⏎jkGg");
    assert!(screen(&mut empty, SMALL).contains("There are no conversations yet."));
}

#[test]
fn nothing_is_colored_without_colors() {
    let is_colored = |colors| {
        let mut app = App::new("p".to_owned(), "JP".to_owned(), Theme::new(colors));
        app.listing(summaries());
        app.transcript("17530074001", Ok(transcript(&every_event())));
        let backend = drawn(&mut app, (100, 60));
        let plain = ratatui::style::Color::Reset;
        backend.buffer().content().iter().any(|cell| cell.fg != plain || cell.bg != plain)
    };
    assert!(is_colored(true) && !is_colored(false));
}

#[test]
fn leaving_is_a_key_away() {
    for pane in ["", "⏎"] {
        let mut app = app();
        press(&mut app, pane);
        let key = |code, modifiers| KeyEvent::new(code, modifiers);
        assert_eq!(app.key(key(KeyCode::Char('q'), KeyModifiers::NONE)), Step::Leave);
        press(&mut app, "/q");
        assert_eq!(app.key(key(KeyCode::Char('c'), KeyModifiers::CONTROL)), Step::Leave);
    }
}

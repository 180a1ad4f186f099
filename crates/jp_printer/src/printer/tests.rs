//! The printer as the program sees it: prints in, two streams out.

mod record;
mod streams;

use self::record::{Event, Record};
use super::*;
use crate::{ColorDepth, Format};

fn printed(settings: Settings, prints: &[Print<'_>]) -> Record {
    let record = Record::default();
    let printer =
        Printer::new(settings, record.writer(Stream::Stdout), record.writer(Stream::Stderr));
    for print in prints {
        printer.print(*print).unwrap();
    }
    record
}

/// What a print looks like on the stream of its channel.
fn shown(settings: Settings, print: Print<'_>) -> String {
    printed(settings, &[print]).written(print.channel.stream()).replace('\u{1b}', "␛")
}

fn colored() -> Settings {
    let stream = StreamSettings { color: Some(ColorDepth::TrueColor), width: Some(40) };
    Settings { stdout: stream, stderr: stream, ..Settings::default() }
}

/// 072-234 to 072-239.
#[test]
fn each_channel_has_its_stream() {
    for (name, stream, id) in [
        ("content", Stream::Stdout, "072-234"),
        ("chrome", Stream::Stderr, "072-235"),
        ("tool_call", Stream::Stderr, "072-236"),
        ("tool_result", Stream::Stderr, "072-237"),
        ("reasoning", Stream::Stderr, "072-238"),
        ("error", Stream::Stderr, "072-239"),
    ] {
        let record = printed(Settings::default(), &[Print::new(Channel::from_name(name), "x")]);
        assert_eq!(record.events(), [(stream, Event::Write("x".to_owned()))], "{id}");
    }
}

#[test]
fn names_are_those_of_the_wire() {
    for channel in Channel::ALL {
        assert_eq!(Channel::from_name(channel.as_str()), channel);
    }
    for format in Format::ALL {
        assert_eq!(Format::from_name(format.as_str()), format);
    }
}

/// 072-232, 072-233: what is left out, and what nobody knows, is the default.
#[test]
fn unknown_names_fall_back() {
    for name in ["", "Content", "toolcall", "tool-call", "nonsense"] {
        assert_eq!(Channel::from_name(name), Channel::Content);
        assert_eq!(Format::from_name(name), Format::Plain);
    }
    assert_eq!(Channel::default().as_str(), "content");
    assert_eq!(Format::default().as_str(), "plain");
}

/// 072-240, 072-241.
#[test]
fn quiet_keeps_content_and_error() {
    for output in [OutputMode::Text, OutputMode::Json] {
        let settings = Settings { quiet: true, output, ..Settings::default() };
        let kept: Vec<_> = Channel::ALL
            .into_iter()
            .filter(|channel| !shown(settings, Print::new(*channel, "x")).is_empty())
            .collect();
        assert_eq!(kept, [Channel::Content, Channel::Error], "{output:?}");
    }
}

#[test]
fn a_caller_can_ask_first() {
    let printer = |quiet| {
        let settings = Settings { quiet, ..Settings::default() };
        Printer::new(settings, io::sink(), io::sink())
    };
    for channel in Channel::ALL {
        assert!(printer(false).shows(channel));
        assert_eq!(printer(true).shows(channel), channel.survives_quiet());
    }
}

/// Every channel with every format, in no colour.
#[test]
fn channels_and_formats() {
    let mut lines = Vec::new();
    for channel in Channel::ALL {
        for format in Format::ALL {
            let text = match format {
                Format::Plain => "as *it* is",
                Format::Markdown => "# Title\n\n* item",
                Format::Json => r#"{"a":[1]}"#,
                Format::Code => "let x = 1;",
            };
            let print = Print::new(channel, text).format(format).language(Some("rust")).untrusted();
            let (name, format, stream) = (channel.as_str(), format.as_str(), channel.stream());
            let text = shown(Settings::default(), print);
            lines.push(format!("{name} {format} {stream:?} {text:?}"));
        }
    }
    insta::assert_snapshot!(lines.join("\n"), @r##"
    content plain Stdout "as *it* is"
    content markdown Stdout "# Title\n\n- item\n"
    content json Stdout "{\n  \"a\": [\n    1\n  ]\n}\n"
    content code Stdout "let x = 1;\n"
    chrome plain Stderr "as *it* is"
    chrome markdown Stderr "# Title\n\n- item\n"
    chrome json Stderr "{\n  \"a\": [\n    1\n  ]\n}\n"
    chrome code Stderr "let x = 1;\n"
    tool_call plain Stderr "as *it* is"
    tool_call markdown Stderr "# Title\n\n- item\n"
    tool_call json Stderr "{\n  \"a\": [\n    1\n  ]\n}\n"
    tool_call code Stderr "let x = 1;\n"
    tool_result plain Stderr "as *it* is"
    tool_result markdown Stderr "# Title\n\n- item\n"
    tool_result json Stderr "{\n  \"a\": [\n    1\n  ]\n}\n"
    tool_result code Stderr "let x = 1;\n"
    reasoning plain Stderr "as *it* is"
    reasoning markdown Stderr "# Title\n\n- item\n"
    reasoning json Stderr "{\n  \"a\": [\n    1\n  ]\n}\n"
    reasoning code Stderr "let x = 1;\n"
    error plain Stderr "as *it* is"
    error markdown Stderr "# Title\n\n- item\n"
    error json Stderr "{\n  \"a\": [\n    1\n  ]\n}\n"
    error code Stderr "let x = 1;\n"
    "##);
}

/// 072-230 and 072-243: `plain` is the text and nothing else.
#[test]
fn plain_text_passes() {
    for text in ["hello\n", "hello", "", "# no *markdown*\n\n\n", "\ttabs\n", "漢字 👩‍👩‍👧"]
    {
        for settings in [Settings::default(), colored()] {
            for print in [Print::content(text), Print::content(text).untrusted()] {
                assert_eq!(shown(settings, print), text);
            }
        }
    }
}

/// 072-244: Markdown in the theme and the width that were configured.
#[test]
fn markdown_follows_theme_and_width() {
    let text = "# Title\n\nwords that go on for longer than a narrow terminal is wide";
    let print = Print::content(text).format(Format::Markdown);
    insta::assert_snapshot!(shown(colored(), print), @"
    ␛[1m␛[4m␛[34mTitle␛[0m

    words that go on for longer than a
    narrow terminal is wide
    ");

    let nord = Settings { theme: "Nord".parse().unwrap(), max_width: Some(30), ..colored() };
    insta::assert_snapshot!(shown(nord, print), @"
    ␛[1m␛[4m␛[38;2;136;192;208mTitle␛[0m

    words that go on for longer
    than a narrow terminal is wide
    ");
}

#[test]
fn the_width_has_bounds_and_a_default() {
    for (width, max_width, columns) in [
        (None, None, 80),
        (None, Some(100), 100),
        (Some(120), None, 120),
        (Some(120), Some(100), 100),
        (Some(60), Some(100), 60),
        (Some(0), None, 20),
        (Some(19), None, 20),
        (None, Some(3), 20),
        (Some(usize::MAX), None, 500),
    ] {
        let stream = StreamSettings { width, color: None };
        let settings = Settings { max_width, stdout: stream, ..Settings::default() };
        let rule = shown(settings, Print::content("---").format(Format::Markdown));
        assert_eq!(rule.trim_end().len(), columns, "{width:?} {max_width:?}");
    }
}

/// 072-246: highlighted where colours are on. Text that is not JSON is plain.
#[test]
fn json_is_highlighted_or_plain() {
    let json = |text| Print::content(text).format(Format::Json).untrusted();
    insta::assert_snapshot!(shown(colored(), json(r#"{"a":[1,"x",null]}"#)), @r#"
    {
      ␛[34m"a"␛[0m: [
        ␛[33m1␛[0m,
        ␛[32m"x"␛[0m,
        ␛[33mnull␛[0m
      ]
    }
    "#);
    insta::assert_snapshot!(shown(Settings::default(), json(r#"{"a":[1,"x",null]}"#)), @r#"
    {
      "a": [
        1,
        "x",
        null
      ]
    }
    "#);
    assert_eq!(shown(colored(), json("not {json")), "not {json");
    assert_eq!(shown(Settings::default(), json("")), "");
}

/// 072-247, through the printer: code is coloured on the stream that has colours, and only there.
#[test]
fn colors_belong_to_a_stream() {
    let mut settings = colored();
    settings.stdout.color = None;
    let code = |channel| Print::new(channel, "let x;").format(Format::Code).language(Some("rust"));
    insta::assert_snapshot!(shown(settings, code(Channel::Content)), @"let x;");
    insta::assert_snapshot!(shown(settings, code(Channel::ToolResult)), @"␛[35mlet␛[0m x;");
}

/// 072-249: removed from untrusted text in every format and mode. 072-250: unless the user opts out.
#[test]
fn control_sequences_go_unless_the_user_wants_them() {
    let attack = "a\u{1b}[2Jb\u{1b}]52;c;eA==\u{7}c\u{9b}5nd\u{7f}";
    for format in Format::ALL {
        for output in [OutputMode::Text, OutputMode::Json] {
            for base in [Settings::default(), colored()] {
                let print = Print::content(attack).format(format).untrusted();
                let strip = Settings { output, ..base };
                let text = shown(strip, print);
                assert!(text.contains("abcd"), "{format:?} {output:?}: {text:?}");
                assert!(!text.contains(['␛', '\u{9b}', '\u{7}', '\u{7f}']), "{text:?}");

                let keep = Settings { control_sequences: ControlSequences::Keep, ..strip };
                let text = shown(keep, print);
                assert!(text.contains("[2J") && text.contains('\u{9b}'), "{format:?}: {text:?}");
            }
        }
    }
}

#[test]
fn our_own_styles_follow_the_stream() {
    let ours = Print::content("\u{1b}[1mbold\u{1b}[0m");
    assert_eq!(shown(colored(), ours), "␛[1mbold␛[0m");
    assert_eq!(shown(Settings::default(), ours), "bold");
    // The opt-out is for what others wrote.
    let keep = Settings { control_sequences: ControlSequences::Keep, ..Settings::default() };
    assert_eq!(shown(keep, ours), "bold");
}

#[test]
fn foreign_styles_pass_in_color_and_are_closed() {
    let theirs = Print::content("\u{1b}[31mred").untrusted();
    assert_eq!(shown(colored(), theirs), "␛[31mred␛[0m");
    assert_eq!(shown(Settings::default(), theirs), "red");
}

/// 072-242: one object on one line, whatever the text is.
#[test]
fn json_mode_writes_lines_of_json() {
    let json = Settings { output: OutputMode::Json, ..colored() };
    let record = printed(
        json,
        &[
            Print::content("two\nlines \"quoted\"\n").untrusted(),
            Print::content("# md\u{1b}[31m red").format(Format::Markdown).untrusted(),
            Print::content("").format(Format::Code).language(Some("ru\u{1b}[2Jst")).untrusted(),
            Print::content("\u{1b}[1mours\u{1b}[0m\r\n"),
            Print::error("went wrong"),
        ],
    );
    insta::assert_snapshot!(record.written(Stream::Stdout), @r##"
    {"channel":"content","format":"plain","text":"two\nlines \"quoted\"\n"}
    {"channel":"content","format":"markdown","text":"# md red"}
    {"channel":"content","format":"code","language":"rust","text":""}
    {"channel":"content","format":"plain","text":"ours\n"}
    "##);
    insta::assert_snapshot!(record.written(Stream::Stderr), @r#"{"channel":"error","format":"plain","text":"went wrong"}"#);
    for line in record.written(Stream::Stdout).lines() {
        assert!(serde_json::from_str::<Map<String, Value>>(line).is_ok(), "{line}");
    }
}

//! The attacks as a table, and the promises as properties that a terminal parser checks.

use proptest::prelude::*;

use super::*;

/// 072-249: sequences other than colours are removed.
#[test]
fn attacks_lose_their_teeth() {
    for (name, text, expected) in ATTACKS {
        assert_eq!(sanitize(text, Styles::Keep), *expected, "{name}, styles kept");
        assert_eq!(sanitize(text, Styles::Strip), *expected, "{name}, styles stripped");
    }
}

/// What somebody agrees to is all there, and nothing of it is obeyed.
#[test]
fn what_can_be_seen_is_everything() {
    for (text, expected) in [
        (
            "plain\tand\nlines, \u{1f469}\u{200d}\u{1f4bb}",
            "plain\tand\nlines, \u{1f469}\u{200d}\u{1f4bb}",
        ),
        ("hi #\x1b]0;\nrm -rf src\n#\x07", "hi #\\u{1b}]0;\nrm -rf src\n#\\u{7}"),
        ("a\x1b[2Jb\r\u{9b}1Ac", "a\\u{1b}[2Jb\\u{d}\\u{9b}1Ac"),
        ("safe\u{202e}txt.exe\u{feff}", "safe\\u{202e}txt.exe\\u{feff}"),
        ("\x1bPq hidden \x1b\\", "\\u{1b}Pq hidden \\u{1b}\\"),
    ] {
        assert_eq!(visible(text), expected);
    }
    for (name, text, _) in ATTACKS {
        assert_eq!(sanitize(&visible(text), Styles::Strip), visible(text), "{name}");
    }
}

const ATTACKS: &[(&str, &str, &str)] = &[
    ("cursor up", "a\x1b[1Ab", "ab"),
    ("cursor to", "a\x1b[3;4Hb", "ab"),
    ("erase the screen", "a\x1b[2Jb", "ab"),
    ("erase the line", "a\x1b[Kb", "ab"),
    ("alternate screen", "a\x1b[?1049hb", "ab"),
    ("mouse reports", "a\x1b[?1003;1006hb", "ab"),
    ("report the cursor", "a\x1b[6nb", "ab"),
    ("report the terminal", "a\x1b[cb\x1b[>cb", "abb"),
    ("report the title", "a\x1b[21tb", "ab"),
    ("modify keys, which ends in m", "a\x1b[>4;2mb", "ab"),
    ("query keys, which ends in m", "a\x1b[?4mb", "ab"),
    ("cursor shape, with a space", "a\x1b[5 qb", "ab"),
    ("soft reset", "a\x1b[!pb", "ab"),
    ("scroll region", "a\x1b[1;2rb", "ab"),
    ("repeat a character", "a\x1b[999999999bb", "ab"),
    ("intermediates before m", "a\x1b[31 mb", "ab"),
    ("parameters after intermediates", "a\x1b[ 31mb", "ab"),
    ("title, ended by BEL", "a\x1b]0;title\x07b", "ab"),
    ("title, ended by ST", "a\x1b]2;title\x1b\\b", "ab"),
    ("title, ended by 8-bit ST", "a\x1b]2;title\u{9c}b", "ab"),
    ("clipboard", "a\x1b]52;c;cm0gLXJmIC8=\x07b", "ab"),
    ("hyperlink", "\x1b]8;;https://evil.example\x1b\\text\x1b]8;;\x1b\\", "text"),
    ("notification", "a\x1b]777;notify;x;y\x07b", "ab"),
    ("palette", "a\x1b]4;1;rgb:00/00/00\x07b", "ab"),
    ("file transfer", "a\x1b]1337;File=name=eA==:eA==\x07b", "ab"),
    ("string that never ends", "a\x1b]0;title b", "a0;title b"),
    ("string cut by a sequence", "a\x1b]0;x\x1b[2Jb", "ab"),
    ("string cut by CAN", "a\x1b]0;x\x18b", "ab"),
    ("string cut by SUB", "a\x1bP0;x\x1ab", "ab"),
    ("string in a string", "a\u{9d}0;x\u{9d}0;y\x07b", "ab"),
    ("device control", "a\x1bPq#0;2;0;0;0\x1b\\b", "ab"),
    ("request a setting", "a\x1bP$qm\x1b\\b", "ab"),
    ("multiplexer passthrough", "a\x1bPtmux;\x1b\x1b]52;c;eA==\x07\x1b\\b", "ab"),
    ("application command", "a\x1b_Ga=T;AAAA\x1b\\b", "ab"),
    ("privacy message", "a\x1b^secret\x1b\\b", "ab"),
    ("start of string", "a\x1bXsecret\x1b\\b", "ab"),
    ("8-bit CSI", "a\u{9b}2Jb", "ab"),
    ("8-bit OSC", "a\u{9d}0;title\u{9c}b", "ab"),
    ("8-bit DCS", "a\u{90}q\u{9c}b", "ab"),
    ("8-bit APC", "a\u{9f}x\u{9c}b", "ab"),
    ("8-bit PM", "a\u{9e}x\u{9c}b", "ab"),
    ("8-bit SOS", "a\u{98}x\u{9c}b", "ab"),
    ("8-bit index and next line", "a\u{84}b\u{85}c", "abc"),
    ("full reset", "a\x1bcb", "ab"),
    ("7-bit reverse index", "a\x1bMb", "ab"),
    ("save and restore", "a\x1b7b\x1b8c", "abc"),
    ("keypad mode", "a\x1b=b\x1b>c", "abc"),
    ("character set", "a\x1b(0b\x1b)Bc", "abc"),
    ("screen alignment", "a\x1b#8b", "ab"),
    ("8-bit controls on", "a\x1b Gb", "ab"),
    ("bare escape", "a\x1b", "a"),
    ("escape before a letter of another script", "a\x1bäb", "aäb"),
    ("escape before a control", "a\x1b\x07[2Jb", "a[2Jb"),
    ("two escapes", "a\x1b\x1b[2Jb", "ab"),
    ("sequence cut by a newline", "a\x1b[3\n1mb", "a\n1mb"),
    ("sequence cut by the end", "a\x1b[31", "a"),
    ("sequence cut by a letter", "a\x1b[31äb", "aäb"),
    ("nested, so that a removal joins the rest", "a\x1b\x1b[1A[2Jb", "a[2Jb"),
    ("bell", "a\x07b", "ab"),
    ("backspace", "yes\x08\x08\x08no", "yesno"),
    ("lone carriage return", "harmless\rrm -rf /", "harmless\nrm -rf /"),
    ("carriage return at the end", "a\r", "a\n"),
    ("carriage return and newline", "a\r\nb", "a\nb"),
    ("vertical tab and form feed", "a\x0bb\x0cc", "abc"),
    ("shift out and in", "a\x0eb\x0fc", "abc"),
    ("enquiry", "a\x05b", "ab"),
    ("null", "a\0b", "ab"),
    ("delete", "a\x7fb", "ab"),
    ("direction override", "a\u{202e}cba\u{202c}", "acba"),
    ("direction embedding", "a\u{202a}b\u{202b}c\u{202d}d", "abcd"),
    ("direction isolate", "a\u{2066}b\u{2067}c\u{2068}d\u{2069}", "abcd"),
];

#[test]
fn styles_are_rebuilt_from_an_allowed_list() {
    for (text, kept) in [
        // A style still on at the end is turned off.
        ("\x1b[31mred", "\x1b[31mred\x1b[0m"),
        ("\x1b[31mred\x1b[0m", "\x1b[31mred\x1b[0m"),
        ("\x1b[31mred\x1b[m", "\x1b[31mred\x1b[0m"),
        ("\x1b[31;0mplain", "\x1b[31;0mplain"),
        ("\x1b[0;1mbold", "\x1b[0;1mbold\x1b[0m"),
        ("\u{9b}31mred\u{9b}0m", "\x1b[31mred\x1b[0m"),
        ("\x1b[1;4;97;100mx\x1b[0m", "\x1b[1;4;97;100mx\x1b[0m"),
        ("\x1b[38;5;208mx\x1b[0m", "\x1b[38;5;208mx\x1b[0m"),
        ("\x1b[38;2;1;2;3;48;2;4;5;6mx\x1b[0m", "\x1b[38;2;1;2;3;48;2;4;5;6mx\x1b[0m"),
        ("\x1b[38:2::1:2:3mx\x1b[0m", "\x1b[38;2;1;2;3mx\x1b[0m"),
        ("\x1b[48:5:7mx\x1b[0m", "\x1b[48;5;7mx\x1b[0m"),
        ("\x1b[4:3mx\x1b[4:0m", "\x1b[4mx\x1b[24m\x1b[0m"),
        // Eight is a colour here, and not the style that conceals.
        ("\x1b[38;5;8mx\x1b[0m", "\x1b[38;5;8mx\x1b[0m"),
        ("\x1b[48;2;8;8;8mx\x1b[0m", "\x1b[48;2;8;8;8mx\x1b[0m"),
        // Here it conceals.
        ("\x1b[8mx", "x"),
        ("\x1b[008mx", "x"),
        ("\x1b[1;8;31mx\x1b[0m", "\x1b[1;31mx\x1b[0m"),
        ("\x1b[38;2;1;2;3;8mx\x1b[0m", "\x1b[38;2;1;2;3mx\x1b[0m"),
        ("\x1b[58;5;8mx", "x"),
        ("\x1b[8:1mx", "x"),
        // Blinking, fonts and unknown numbers.
        ("\x1b[5;6;11;200mx", "x"),
        // What is malformed ends the sequence.
        ("\x1b[1;38;8;31mx\x1b[0m", "\x1b[1mx\x1b[0m"),
        ("\x1b[38;5;256mx", "x"),
        ("\x1b[1;99999999999999999999;31mx\x1b[0m", "\x1b[1mx\x1b[0m"),
    ] {
        assert_eq!(sanitize(text, Styles::Keep), kept, "{text:?}");
        assert!(!sanitize(text, Styles::Strip).contains(ESC), "{text:?}");
    }
}

#[test]
fn a_sequence_of_too_many_parameters_is_dropped() {
    let text = format!("\x1b[{}mx", "31;".repeat(10_000));
    assert_eq!(sanitize(&text, Styles::Keep), "x");
}

#[test]
fn clean_text_is_borrowed() {
    for text in ["", "plain\n\ttext", "äöü 漢字 👩‍👩‍👧 e\u{301}", "\u{200d}\u{feff}"]
    {
        assert!(matches!(sanitize(text, Styles::Strip), Cow::Borrowed(same) if same == text));
    }
}

/// Each introducer would look through the rest of the text if a string did not end at the next.
#[test]
fn many_unfinished_strings_are_read_once() {
    for introducer in ["\x1b]", "\u{9d}", "\x1bP", "\x1b["] {
        let text = introducer.repeat(200_000);
        assert_eq!(sanitize(&text, Styles::Keep), "");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn only_newlines_tabs_and_styles_are_left(text in hostile()) {
        let kept = sanitize(&text, Styles::Keep);
        let seen = Terminal::watch(&kept);
        prop_assert!(seen.is_harmless(), "{:?} left {:?}: {:?}", text, kept, seen);
        prop_assert!(!seen.styled_at_end, "{:?} left {:?}", text, kept);

        let stripped = sanitize(&text, Styles::Strip);
        prop_assert!(!stripped.contains(is_hazard), "{:?} left {:?}", text, stripped);
    }

    #[test]
    fn twice_is_once(text in hostile()) {
        for styles in [Styles::Keep, Styles::Strip] {
            let once = sanitize(&text, styles).into_owned();
            prop_assert_eq!(sanitize(&once, styles), once.as_str());
        }
    }

    #[test]
    fn clean_text_is_unchanged(text in "[^\\p{Cc}\u{202a}-\u{202e}\u{2066}-\u{2069}]*") {
        prop_assert_eq!(sanitize(&text, Styles::Keep), text.as_str());
        prop_assert_eq!(sanitize(&text, Styles::Strip), text.as_str());
    }

    #[test]
    fn stripping_is_keeping_without_the_styles(text in hostile()) {
        let kept = sanitize(&text, Styles::Keep);
        prop_assert_eq!(sanitize(&kept, Styles::Strip), sanitize(&text, Styles::Strip));
    }
}

/// Text in which sequences, their parts and ordinary words follow each other at random.
fn hostile() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        any::<char>().prop_map(String::from),
        "[\u{0}-\u{20}\u{7f}-\u{a0}]",
        prop::sample::select(vec![
            "\x1b", "\x1b[", "\x1b]", "\x1bP", "\x1b_", "\u{9b}", "\u{9d}", "\u{9c}", "\x1b\\",
            "\x07", "m", "8", ";", ":", "31", "38;5;", "48:2:", "0", "?", ">", " ", "\r", "\n",
            "ä", "漢", "\u{202e}", "J", "word",
        ])
        .prop_map(str::to_owned),
        "\x1b\\[[0-9;:]{0,12}m",
    ];
    prop::collection::vec(part, 0..24).prop_map(|parts| parts.concat())
}

/// What a terminal made of a text, in the eyes of a parser that is not ours.
#[derive(Debug, Default)]
struct Terminal {
    acted: Vec<String>,
    styled_at_end: bool,
}

impl Terminal {
    fn watch(text: &str) -> Self {
        let mut seen = Self::default();
        vte::Parser::new().advance(&mut seen, text.as_bytes());
        // The parser does not report what it is in the middle of.
        if let Some(escape) = text.rfind(ESC)
            && !text[escape..].contains('m')
        {
            seen.acted.push("unfinished".to_owned());
        }
        seen
    }

    fn is_harmless(&self) -> bool {
        self.acted.is_empty()
    }
}

impl vte::Perform for Terminal {
    fn print(&mut self, c: char) {
        if is_hazard(c) {
            self.acted.push(format!("print {c:?}"));
        }
    }

    fn execute(&mut self, byte: u8) {
        if !matches!(byte, b'\n' | b'\t') {
            self.acted.push(format!("execute {byte:#x}"));
        }
    }

    fn csi_dispatch(&mut self, params: &vte::Params, marks: &[u8], _: bool, action: char) {
        if action != 'm' || !marks.is_empty() {
            self.acted.push(format!("csi {marks:?} {action}"));
            return;
        }
        let mut codes = params.iter().map(|group| group[0]);
        while let Some(code) = codes.next() {
            match (code, code == 38 || code == 48) {
                (_, true) => {
                    let arguments = if codes.next() == Some(5) { 1 } else { 3 };
                    codes.by_ref().take(arguments).for_each(drop);
                    self.styled_at_end = true;
                }
                (8, _) => self.acted.push("conceal".to_owned()),
                (code, _) => self.styled_at_end = code != 0,
            }
        }
    }

    fn esc_dispatch(&mut self, _: &[u8], _: bool, byte: u8) {
        self.acted.push(format!("escape {byte:#x}"));
    }

    fn osc_dispatch(&mut self, _: &[&[u8]], _: bool) {
        self.acted.push("osc".to_owned());
    }

    fn hook(&mut self, _: &vte::Params, _: &[u8], _: bool, _: char) {
        self.acted.push("dcs".to_owned());
    }
}

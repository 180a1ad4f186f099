//! Values in all their forms, and texts that must stay as they are.

use proptest::prelude::*;

use super::*;

const TOKEN: &str = "ghp_7Zk/q+9\"x&yé";

fn scrubber(values: &[&str]) -> Scrubber {
    let secrets: Vec<Secret> = values.iter().map(|value| Secret::new(*value)).collect();
    Scrubber::new(&secrets).unwrap()
}

fn scrubbed(values: &[&str], text: &str) -> String {
    scrubber(values).text(text.to_owned())
}

fn all_percent(value: &[u8], upper: bool) -> String {
    value
        .iter()
        .map(|byte| if upper { format!("%{byte:02X}") } else { format!("%{byte:02x}") })
        .collect()
}

fn all_unicode(value: &str) -> String {
    value.encode_utf16().map(|unit| format!("\\u{unit:04x}")).collect()
}

#[test]
fn every_form_of_a_value_is_replaced() {
    // D11-141
    let percent = all_percent(TOKEN.as_bytes(), true);
    for form in [
        TOKEN.to_owned(),
        "ghp_7Zk/q+9\\\"x&yé".to_owned(),
        "ghp_7Zk\\/q+9\\\"x\\u0026y\\u00e9".to_owned(),
        all_unicode(TOKEN),
        // A string of JSON in a string of JSON.
        all_unicode(TOKEN).replace('\\', "\\\\"),
        percent.clone(),
        all_percent(TOKEN.as_bytes(), false),
        "ghp_7Zk%2Fq%2B9%22x%26y%C3%A9".to_owned(),
        "ghp_7Zk%2fq+9%22x&yé".to_owned(),
        percent.replace('%', "%25"),
        percent.replace('%', "\\u0025"),
        "ghp_7Zk/q+9&quot;x&amp;yé".to_owned(),
        TOKEN.bytes().map(|byte| format!("{byte:02x}")).collect(),
        TOKEN.bytes().map(|byte| format!("{byte:02X}")).collect(),
    ] {
        assert_eq!(scrubbed(&[TOKEN], &form), REDACTED, "{form}");
        assert_eq!(scrubbed(&[TOKEN], &format!("<{form}>")), "<[REDACTED]>", "{form}");
    }
}

#[test]
fn a_value_inside_of_base64_is_replaced() {
    for before in ["", "u", "us", "usr", "user:"] {
        for after in ["", "@", "@host"] {
            let text = format!("{before}{TOKEN}{after}");
            for encoded in [
                base64_simd::STANDARD.encode_to_string(&text),
                base64_simd::URL_SAFE_NO_PAD.encode_to_string(&text),
            ] {
                let left = scrubbed(&[TOKEN], &encoded);
                assert!(left.contains(REDACTED), "{text}: {left}");
                // At each end of the value some of its bits share a character with what is around.
                let most = base64_simd::STANDARD.encode_to_string(format!("{before}{after}")).len();
                assert!(left.len() <= REDACTED.len() + most + 4, "{text}: {left}");
            }
        }
    }
}

#[test]
fn a_long_value_is_found_across_lines() {
    let key = "0123456789abcdefghijklmnopqrstuvwxyz";
    let encoded = base64_simd::STANDARD.encode_to_string(key);
    let (one, two) = encoded.split_at(20);
    for text in [format!("{one}\n{two}"), format!("{one}\r\n    {two}"), format!("{one}\\n{two}")] {
        assert_eq!(scrubbed(&[key], &text), REDACTED, "{text}");
    }
    assert_eq!(scrubbed(&["test"], "a te\nst"), "a te\nst");
}

#[test]
fn the_lines_of_a_key_count_alone() {
    let key = "-----BEGIN KEY-----\nMIIEvQIBADANBgkqhkiG9w0B\nAQEFAASCBKcwggSjAgEAAoIB\nshort\n-----END KEY-----\n";
    for (text, expected) in [
        (key.to_owned(), "[REDACTED]\n"),
        (key.replace('\n', "\r\n"), "[REDACTED]\r\n"),
        (key.replace('\n', "\\n"), "[REDACTED]\\n"),
        ("2: AQEFAASCBKcwggSjAgEAAoIB".to_owned(), "2: [REDACTED]"),
        ("-----BEGIN KEY-----, a short one".to_owned(), "-----BEGIN KEY-----, a short one"),
    ] {
        assert_eq!(scrubbed(&[key], &text), expected);
    }
}

#[test]
fn what_overlaps_leaves_no_half() {
    for (values, text, expected) in [
        (&["abcdef", "defghi"][..], "1abcdefghi2", "1[REDACTED]2"),
        (&["secret", "secretsecret"], "xsecretsecretx", "x[REDACTED]x"),
        (&["token", "tokenize"], "token tokenize", "[REDACTED] [REDACTED]"),
        (&["aaaa"], "aaaaaaa", "[REDACTED]"),
        (&["[REDACTED]"], "[REDACTED]", "[REDACTED]"),
    ] {
        assert_eq!(scrubbed(values, text), expected, "{text}");
    }
}

#[test]
fn short_values_are_replaced_where_they_stand_alone() {
    for (value, text, expected) in [
        ("", "anything", "anything"),
        (" \n", "any thing\n", "any thing\n"),
        ("1", "1 of 10, v1, 1", "[REDACTED] of 10, v1, [REDACTED]"),
        ("abc", "abc abcd xabc \"abc\"", "[REDACTED] abcd xabc \"[REDACTED]\""),
        ("ab", "ab_ éab abé", "ab_ éab abé"),
        ("abcd", "xabcdx", "x[REDACTED]x"),
    ] {
        assert_eq!(scrubbed(&[value], text), expected, "{value:?} in {text:?}");
    }
}

#[test]
fn space_around_a_value_does_not_hide_it() {
    assert_eq!(scrubbed(&["  token-1\n"], "got token-1."), "got [REDACTED].");
}

#[test]
fn a_value_that_is_no_text_leaves_text_behind() {
    // The value is the second half of é and the first half of another é.
    let secret = Secret::new([&[0xA9][..], b"abc", &[0xC3]].concat());
    let scrubber = Scrubber::new([&secret]).unwrap();
    assert_eq!(scrubber.text("1éabcé2".to_owned()), "1[REDACTED]2");
    let binary = [0x80, 0x80, 0x80, 0x80, 0x80, 0xA9, b'a', b'b', b'c', 0xC3, 0xFF].to_vec();
    assert!(scrubber.bytes(binary).starts_with(&[0x80, 0x80]));
}

#[test]
fn what_holds_no_value_is_the_same_afterwards() {
    for text in ["", "plain", "100% \\ of \\u12 %zz\r\n\r\n", "\\\\\\"] {
        assert_eq!(scrubbed(&[TOKEN], text), text);
    }
    assert_eq!(scrubbed(&[], "anything"), "anything");
}

#[test]
fn values_between_two_windows_are_found() {
    let form = all_unicode(TOKEN);
    let edges = [form.len() + 2, form.len(), form.len() / 2, 7, 6, 5, 4, 3, 2, 1, 0];
    for before in edges.map(|bytes| WINDOW - bytes).into_iter().chain([WINDOW + 1]) {
        let text = format!("{}{form}{}", "\\".repeat(before & !1), " ".repeat(3000));
        assert!(scrubbed(&[TOKEN], &text).contains(REDACTED), "{before}");
    }
}

#[test]
fn too_much_to_look_for_is_refused() {
    let secret = Secret::new("x".repeat(MOST + 1));
    assert_eq!(Scrubber::new([&secret]).unwrap_err(), ScrubError::TooMuch { bytes: MOST + 1 });
    let secret = Secret::new((b'a'..b'x').cycle().take(MOST).collect::<Vec<_>>());
    let scrubber = Scrubber::new([&secret]).unwrap();
    assert_eq!(scrubber.bytes(secret.reveal().to_vec()), REDACTED.as_bytes());
}

#[test]
fn nothing_of_a_value_is_printed() {
    assert!(!format!("{:?}", scrubber(&["token-1"])).contains("token"));
}

proptest! {
    #[test]
    fn no_form_of_a_value_survives(
        value in "[!-~é]{6,40}".prop_filter("is part of what is written instead", |value| {
            !value.contains(['[', ']'])
        }),
        before in "[ -~é]{0,8}",
        after in "[ -~é]{0,8}",
    ) {
        let scrubber = scrubber(&[&value]);
        let around = format!("{before}{value}{after}");
        let json: String = value.chars().map(|c| match c {
            '"' | '\\' => format!("\\{c}"),
            c => c.to_string(),
        }).collect();
        for form in [
            value.clone(),
            json,
            all_unicode(&value),
            all_percent(value.as_bytes(), true),
            all_percent(value.as_bytes(), false),
            value.bytes().map(|byte| format!("{byte:02x}")).collect(),
        ] {
            let left = scrubber.text(format!("{after} {form} {before}"));
            prop_assert!(!left.contains(&form), "{form} in {left}");
        }
        prop_assert!(!scrubber.text(around.clone()).contains(&value));
        let encoded = scrubber.text(base64_simd::STANDARD.encode_to_string(&around));
        for piece in encoded.split(REDACTED) {
            // Whatever place a reader takes for the beginning.
            for skip in 0..4.min(piece.len() + 1) {
                let piece = piece[skip..].trim_end_matches('=');
                let whole = piece.len() - usize::from(piece.len() % 4 == 1);
                let decoded = base64_simd::forgiving_decode_to_vec(&piece.as_bytes()[..whole]);
                let decoded = decoded.unwrap_or_default();
                prop_assert!(!decoded.windows(value.len()).any(|it| it == value.as_bytes()));
            }
        }
    }

    #[test]
    fn bytes_that_are_text_stay_text(text in ".{0,60}", value in proptest::collection::vec(any::<u8>(), 4..8)) {
        let scrubber = Scrubber::new([&Secret::new(value)]).unwrap();
        prop_assert!(String::from_utf8(scrubber.bytes(text.into_bytes())).is_ok());
    }
}

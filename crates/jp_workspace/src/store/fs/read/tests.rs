//! What is found in a file piece by piece is what is found in its bytes as a whole.

use std::io::Write as _;

use jp_conversation::committed_len;

use super::*;

fn file(bytes: &[u8]) -> File {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(bytes).unwrap();
    file
}

/// Every text of these three bytes up to a length, in an order that repeats nothing.
fn texts(longest: u32) -> impl Iterator<Item = Vec<u8>> {
    (0..=longest).flat_map(|length| {
        (0..3_usize.pow(length)).map(move |number| {
            let digit = |place: u32| number / 3_usize.pow(place) % 3;
            (0..length).map(|place| b"a \n"[digit(place)]).collect()
        })
    })
}

#[test]
fn the_end_of_the_last_batch_is_found_in_windows_of_any_size() {
    let mut file = file(b"");
    for text in texts(7) {
        file.set_len(0).unwrap();
        file.write_all_at(&text, 0).unwrap();
        let length = text.len() as u64;
        for window in 1..=length + 1 {
            let found = committed_by(window, &file, length).unwrap();
            let text = String::from_utf8_lossy(&text);
            assert_eq!(found, committed_len(text.as_bytes()) as u64, "{text:?} by {window}");
        }
    }
    // Whoever has just cut something off has left less than was there a moment ago.
    file.set_len(0).unwrap();
    file.write_all(b"").unwrap();
    file.write_all_at(b"a\nb \n", 0).unwrap();
    for window in 1..20 {
        assert_eq!(committed_by(window, &file, 12).unwrap(), 2, "{window}");
    }
}

#[test]
fn a_line_that_is_too_long_hides_no_other() {
    let told = |text: &str, longest: u64| {
        let (file, mut told) = (file(text.as_bytes()), Vec::new());
        let take = |line: Line<'_>| {
            told.push(match line {
                Line::Whole(line) => String::from_utf8_lossy(line).into_owned(),
                Line::TooLong => "too long".to_owned(),
            });
        };
        lines_up_to(longest, &file, 0, text.len() as u64, take).unwrap();
        told.join("|")
    };
    let check = |text: &str, longest: u64, want: &str| {
        assert_eq!(told(text, longest), want, "{longest}");
    };
    check("ab\n\n abc \nabcd\ne\n", 100, "ab|abc|abcd|e");
    check("ab\n\nabc\nabcd\ne\n", 3, "ab|abc|too long|e");
    check("ab\n\nabc\nabcd\ne\n", 1, "too long|too long|too long|e");
    // Over several pieces.
    let piece = usize::try_from(PIECE).unwrap();
    let long = "x".repeat(piece * 3);
    check(&format!("a\n{long}\nb\n"), PIECE, "a|too long|b");
    check(&format!("a\n{long}\nb\n"), PIECE * 3, &format!("a|{long}|b"));
}

#[test]
fn what_has_no_end_is_not_held() {
    let empty = file(b"{}\n");
    empty.set_len(400 << 20).unwrap();
    assert_eq!(committed(&empty, 400 << 20).unwrap(), 3);
    empty.set_len(LIMIT + WINDOW + 3).unwrap();
    let error = committed(&empty, LIMIT + WINDOW + 3).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::FileTooLarge);
}

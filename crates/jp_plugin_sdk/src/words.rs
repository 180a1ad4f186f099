//! What plugins say to people in the same words: numbers, lines, times.
//!
//! Text of a conversation was written by anybody; [`one_line`] leaves nothing in it that moves a cursor.

/// A number in groups of three digits.
pub fn number(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::with_capacity(digits.len() * 4 / 3 + 1);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// So many things: `1 event`, `20,000 events`.
pub fn count(number: usize, thing: &str) -> String {
    let s = if number == 1 { "" } else { "s" };
    // No machine has addresses of more than 64 bits.
    format!("{} {thing}{s}", self::number(u64::try_from(number).unwrap_or(u64::MAX)))
}

/// The text in one line: one space for white space and control characters between words, none around.
pub fn one_line(text: &str) -> String {
    let words = text.split(|c: char| c.is_whitespace() || c.is_control());
    let mut line = String::new();
    for word in words.filter(|word| !word.is_empty()) {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    line
}

/// The first characters of a text, and `…` if there are more.
pub fn shorten(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// A time as it is stored, to the minute: `2026-03-18 13:19`. What is not as usual is left as it is, in
/// one line.
pub fn minute(stamp: &str) -> String {
    match usual(stamp) {
        Some((day, time)) => format!("{day} {}", &time[..5]),
        None => one_line(stamp),
    }
}

/// The time of day of a time as it is stored: `13:19:05`. What is not as usual is left as it is, in one
/// line.
pub fn time_of_day(stamp: &str) -> String {
    usual(stamp).map_or_else(|| one_line(stamp), |(_, time)| time.to_owned())
}

/// The day, and the time of day to the second, of a time in the form in which they are stored.
fn usual(stamp: &str) -> Option<(&str, &str)> {
    let is_usual = stamp.is_ascii() && stamp.len() >= 19 && stamp.as_bytes()[10] == b'T';
    is_usual.then(|| (&stamp[..10], &stamp[11..19]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped() {
        let check = |number, want: &str| assert_eq!(count(number, "event"), want);
        check(0, "0 events");
        check(1, "1 event");
        check(999, "999 events");
        check(20_000, "20,000 events");
        check(1_234_567, "1,234,567 events");
        assert_eq!(number(u64::MAX), "18,446,744,073,709,551,615");
    }

    #[test]
    fn lines_have_nothing_that_moves_a_cursor() {
        let check = |text: &str, want: &str| assert_eq!(one_line(text), want, "{text:?}");
        check("", "");
        check(" \u{1b}\n", "");
        check(" a\tb \r\n\n c\u{7}d ", "a b c d");
        check("\u{9b}2J", "2J");
    }

    #[test]
    fn a_text_is_cut_between_letters() {
        assert_eq!(shorten("äöü", 3), "äöü");
        assert_eq!(shorten("äöü", 2), "äö…");
        assert_eq!(shorten("", 0), "");
    }

    #[test]
    fn times_are_short() {
        let check = |stamp: &str, want: [&str; 2]| {
            assert_eq!([minute(stamp), time_of_day(stamp)], want, "{stamp}");
        };
        check("2026-03-18T13:19:05.281973Z", ["2026-03-18 13:19", "13:19:05"]);
        check("yester\nday", ["yester day"; 2]);
        check("2026-03-18 13:19:05.28", ["2026-03-18 13:19:05.28"; 2]);
        check("éééééééééééééééééééé", ["éééééééééééééééééééé"; 2]);
    }
}

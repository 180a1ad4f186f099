//! Text of other people, made fit for a terminal: cleaned, cut, wrapped.
//!
//! The danger is text that a terminal would act on. A conversation holds whatever a model or a tool wrote,
//! escape sequences included, so everything that is shown goes through [`clean`] first.

use std::borrow::Cow;

use unicode_segmentation::UnicodeSegmentation as _;
use unicode_width::UnicodeWidthStr as _;

/// What a tab takes.
const TAB: &str = "    ";

/// The text with nothing in it that a terminal would act on: control characters are shown as pictures of
/// themselves, and what turns the direction of writing around is left out. Line ends stay.
pub(crate) fn clean(text: &str) -> String {
    let mut cleaned = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\r' if letters.peek() == Some(&'\n') => {}
            '\n' => cleaned.push('\n'),
            '\t' => cleaned.push_str(TAB),
            '\0'..='\x1f' => cleaned.extend(char::from_u32(0x2400 + u32::from(letter))),
            '\x7f' => cleaned.push('\u{2421}'),
            '\u{80}'..='\u{9f}' => cleaned.push('\u{fffd}'),
            '\u{61c}'
            | '\u{200e}'
            | '\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2066}'..='\u{2069}' => {}
            letter => cleaned.push(letter),
        }
    }
    cleaned
}

/// The text in so many columns, with `…` where something is missing.
pub(crate) fn fit(text: &str, width: usize) -> Cow<'_, str> {
    if text.width() <= width {
        return Cow::Borrowed(text);
    }
    let (mut kept, mut used) = (String::new(), 1);
    for grapheme in text.graphemes(true) {
        used += grapheme.width();
        if used > width {
            break;
        }
        kept.push_str(grapheme);
    }
    if width > 0 {
        kept.push('…');
    }
    Cow::Owned(kept)
}

/// One line in pieces of at most so many columns, broken between words where there are any. An empty line
/// is one empty piece. White space at a break is left out.
pub(crate) fn wrap(line: &str, width: usize) -> Vec<String> {
    let width = width.max(1);
    let mut pieces = vec![String::new()];
    let mut used = 0;
    for word in line.split_word_bounds() {
        let wide = word.width();
        if used + wide <= width {
            push(&mut pieces, word);
            used += wide;
            continue;
        }
        if word.trim().is_empty() {
            // The break is where the space is; the next word begins a line.
            used = width;
            continue;
        }
        if used > 0 {
            end_piece(&mut pieces);
            used = 0;
        }
        for grapheme in word.graphemes(true) {
            let wide = grapheme.width();
            if used > 0 && used + wide > width {
                end_piece(&mut pieces);
                used = 0;
            }
            push(&mut pieces, grapheme);
            used += wide;
        }
    }
    trim_end(&mut pieces);
    pieces
}

fn push(pieces: &mut [String], text: &str) {
    if let Some(last) = pieces.last_mut() {
        last.push_str(text);
    }
}

fn end_piece(pieces: &mut Vec<String>) {
    trim_end(pieces);
    pieces.push(String::new());
}

fn trim_end(pieces: &mut [String]) {
    if let Some(last) = pieces.last_mut() {
        last.truncate(last.trim_end().len());
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn nothing_is_left_that_a_terminal_acts_on() {
        let check = |text: &str, want: &str| assert_eq!(clean(text), want, "{text:?}");
        check("plain ü 漢字 👩‍👩‍👧", "plain ü 漢字 👩‍👩‍👧");
        check("a\r\nb\nc", "a\nb\nc");
        check("over\rwritten", "over␍written");
        check("\x1b[31mred\x1b]0;title\x07", "␛[31mred␛]0;title␇");
        check("\u{9b}2J\x7f\0", "\u{fffd}2J␡␀");
        check("a\tb", "a    b");
        check("\u{202e}evil\u{2066}", "evil");
    }

    #[test]
    fn text_is_cut_by_columns() {
        let check = |text: &str, width, want: &str| assert_eq!(fit(text, width), want, "{text:?}");
        check("short", 5, "short");
        check("longer", 5, "long…");
        check("漢字漢字", 5, "漢字…");
        check("漢字漢字", 4, "漢…");
        check("x", 0, "");
        check("xy", 1, "…");
    }

    #[test]
    fn lines_break_between_words() {
        let check =
            |line: &str, width, want: &[&str]| assert_eq!(wrap(line, width), want, "{line:?}");
        check("", 10, &[""]);
        check("one two three", 7, &["one two", "three"]);
        check("one two three", 8, &["one two", "three"]);
        check("    indented text", 12, &["    indented", "text"]);
        check("incomprehensible", 6, &["incomp", "rehens", "ible"]);
        check("a incomprehensible", 6, &["a", "incomp", "rehens", "ible"]);
        check("漢字漢字", 5, &["漢字", "漢字"]);
        check("漢", 1, &["漢"]);
        check("spaces     at the break", 6, &["spaces", "at the", "break"]);
    }

    proptest! {
        #[test]
        fn wrapped_text_is_narrow_and_whole(line in "[a-z漢 ü👩]{0,80}", width in 2_usize..30) {
            let pieces = wrap(&line, width);
            prop_assert!(pieces.iter().all(|piece| piece.width() <= width), "{:?}", pieces);
            let letters = |text: &str| text.chars().filter(|it| !it.is_whitespace()).collect::<String>();
            prop_assert_eq!(letters(&pieces.concat()), letters(&line));
        }

        #[test]
        fn cleaned_text_has_no_controls(text in any::<String>()) {
            prop_assert!(clean(&text).chars().all(|it| it == '\n' || !it.is_control()));
        }
    }
}

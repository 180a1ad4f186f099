//! The lines of a note that show why it was found.
//!
//! An excerpt is whole lines with their numbers, so that it can be cited and more of the note can be asked
//! for. Only a line that is very long is cut, around what was found in it.

use super::query::Query;
use crate::fold;

/// How many lines are shown before and after the best one.
const AROUND: usize = 1;
/// The longest line that is shown whole, in characters.
const MAX_LINE: usize = 300;

/// Some lines of a note.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Excerpt {
    /// The number of the first line, counted from one.
    pub first_line: usize,
    /// The number of the last line.
    pub last_line: usize,
    /// The lines.
    pub text: String,
    /// Whether something was cut from a line.
    pub is_cut: bool,
}

/// The lines around the best one, or those at the beginning. `None` for a note without text.
pub(super) fn around(text: &str, best: Option<usize>, query: &Query) -> Option<Excerpt> {
    let first = match best {
        Some(line) => line.saturating_sub(AROUND),
        None => text.lines().position(|line| !line.trim().is_empty())?,
    };
    let last = best.map_or(first + 2 * AROUND, |line| line + AROUND);
    let mut lines: Vec<&str> = text.lines().skip(first).take(last - first + 1).collect();
    // Empty lines around it show nothing.
    let blank = lines.iter().take_while(|line| line.trim().is_empty()).count();
    let first = first + lines.drain(..blank).count();
    let blank = lines.iter().rev().take_while(|line| line.trim().is_empty()).count();
    lines.truncate(lines.len() - blank);
    if lines.is_empty() {
        return None;
    }
    let shown: Vec<String> = lines.iter().map(|line| shorten(line, query)).collect();
    let is_cut = lines.iter().zip(&shown).any(|(line, shown)| line != shown);
    Some(Excerpt {
        first_line: first + 1,
        last_line: first + lines.len(),
        text: shown.join("\n"),
        is_cut,
    })
}

/// A line, or the part of it around the first term.
fn shorten(line: &str, query: &Query) -> String {
    if line.chars().nth(MAX_LINE).is_none() {
        return line.to_owned();
    }
    let found = place(line, query).saturating_sub(MAX_LINE / 3);
    let part: String = line.chars().skip(found).take(MAX_LINE).collect();
    let before = if found > 0 { "…" } else { "" };
    let after = if line.chars().nth(found + MAX_LINE).is_some() { "…" } else { "" };
    format!("{before}{part}{after}")
}

/// How many characters of a line are before the first term. Compared text can have another length than
/// what is stored, so it is measured piece by piece.
fn place(line: &str, query: &Query) -> usize {
    let mut folded = String::new();
    fold::for_search(line, &mut folded);
    let terms = query.wanted.iter().flatten();
    let Some(found) = terms.filter_map(|term| term.finder.find(folded.as_bytes())).min() else {
        return 0;
    };
    let mut bytes = 0;
    let mut one = [0; 4];
    line.chars()
        .take_while(|char| {
            fold::for_search(char.encode_utf8(&mut one), &mut folded);
            bytes += folded.len();
            bytes <= found
        })
        .count()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn excerpt(text: &str, best: Option<usize>, query: &str) -> Excerpt {
        around(text, best, &Query::parse(query).unwrap()).unwrap()
    }

    #[test]
    fn lines_have_numbers() {
        let text = "\none\ntwo\nthree\nfour";
        let middle = excerpt(text, Some(2), "two");
        assert_eq!((middle.first_line, middle.last_line), (2, 4));
        assert_eq!(middle.text, "one\ntwo\nthree");
        assert_eq!(excerpt(text, Some(4), "four").last_line, 5);
        assert_eq!(excerpt(text, None, "").first_line, 2);
        let gaps = excerpt("one\n\n  \nfour\n\nsix", Some(3), "four");
        assert_eq!((gaps.first_line, gaps.last_line, gaps.text.as_str()), (4, 4, "four"));
        assert_eq!(around("", None, &Query::default()), None);
    }

    #[test]
    fn a_long_line_is_cut_around_the_term() {
        let line = format!("{} needle {}", "é".repeat(5000), "x".repeat(5000));
        let excerpt = excerpt(&line, Some(0), "needle");
        assert!(excerpt.is_cut && excerpt.text.contains("needle"), "{excerpt:?}");
        assert!(excerpt.text.starts_with('…') && excerpt.text.ends_with('…'));
        assert!(excerpt.text.chars().count() <= MAX_LINE + 2);
    }

    proptest! {
        #[test]
        fn any_line_can_be_shortened(before in ".{0,400}", after in ".{0,400}") {
            let line = format!("{before} zebra {after}").replace(['\n', '\r'], " ");
            let excerpt = excerpt(&line, Some(0), "zebra");
            prop_assert!(excerpt.text.chars().count() <= MAX_LINE + 2);
        }
    }
}

//! Parts of a text, by lines.

use std::fmt;

/// A range of lines, counted from one, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lines {
    /// The first line.
    pub first: usize,
    /// The last line; to the end if there is none.
    pub last: Option<usize>,
}

/// Lines of a text, as many as fit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// The lines.
    pub text: String,
    /// Which lines they are; the last is the one before the first where there are none.
    pub first: usize,
    /// The number of the last line that is here.
    pub last: usize,
    /// How many lines the whole text has.
    pub total: usize,
    /// Whether lines that were asked for are missing because they did not fit.
    pub is_cut: bool,
    /// Whether a line is shortened.
    pub has_short_line: bool,
}

impl Lines {
    /// All of them.
    pub const ALL: Self = Self { first: 1, last: None };

    /// Reads `L3`, `L3-L7` or `L3-7`.
    pub fn parse(text: &str) -> Option<Self> {
        let number = |text: &str| text.trim_start_matches('L').parse().ok().filter(|n| *n > 0);
        let (first, last) = match text.split_once('-') {
            Some((first, last)) => (number(first)?, number(last)?),
            None => (number(text)?, number(text)?),
        };
        (first <= last).then_some(Self { first, last: Some(last) })
    }

    /// These lines of a text, up to so many bytes, and of each line not more than that.
    pub fn of(self, text: &str, max_bytes: usize, max_line: usize) -> Part {
        let total = text.lines().count();
        let first = self.first.max(1);
        let end = self.last.map_or(total, |last| last.min(total));
        let mut part = Part {
            text: String::new(),
            first,
            last: first - 1,
            total,
            is_cut: false,
            has_short_line: false,
        };
        for line in text.lines().take(end).skip(first - 1) {
            let shown = &line[..line.floor_char_boundary(max_line)];
            if !part.text.is_empty() && part.text.len() + shown.len() > max_bytes {
                part.is_cut = true;
                break;
            }
            part.has_short_line |= shown.len() < line.len();
            if part.last >= first {
                part.text.push('\n');
            }
            part.text.push_str(shown);
            part.last += 1;
        }
        part
    }
}

impl fmt::Display for Lines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.last {
            Some(last) if last != self.first => write!(f, "L{}-L{last}", self.first),
            _ => write!(f, "L{}", self.first),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn ranges_of_lines() {
        let text = "one\ntwo\r\n\nfour\n";
        for (first, last, want, until) in [
            (1, None, "one\ntwo\n\nfour", 4),
            (2, Some(3), "two\n", 3),
            (4, Some(99), "four", 4),
            (5, None, "", 4),
            (0, Some(1), "one", 1),
            (3, Some(2), "", 2),
        ] {
            let part = Lines { first, last }.of(text, 1000, 1000);
            assert_eq!((part.text.as_str(), part.last, part.total), (want, until, 4), "{first}");
            assert!(!part.is_cut && !part.has_short_line);
        }
    }

    #[test]
    fn what_does_not_fit_is_left_out() {
        let part = Lines::ALL.of("aaaa\nbbbb\ncccc", 8, 8);
        assert_eq!((part.text.as_str(), part.last, part.is_cut), ("aaaa\nbbbb", 2, true));
        let part = Lines::ALL.of(&"é".repeat(100_000), 10, 99);
        assert!(part.text.len() == 98 && part.has_short_line && part.last == 1);
    }

    #[test]
    fn ranges_are_written_and_read() {
        for (text, want) in [
            ("L3", Some((3, 3))),
            ("L3-L7", Some((3, 7))),
            ("L3-7", Some((3, 7))),
            ("L7-L3", None),
            ("L0", None),
            ("L", None),
            ("Lx-L", None),
        ] {
            let range = Lines::parse(text).map(|lines| (lines.first, lines.last.unwrap()));
            assert_eq!(range, want, "{text}");
        }
        assert_eq!(Lines { first: 3, last: Some(3) }.to_string(), "L3");
    }

    proptest! {
        #[test]
        fn pieces_are_the_whole(text in "[a\n]{0,200}", step in 1_usize..7) {
            let total = text.lines().count();
            let mut pieces = Vec::new();
            for first in (1..=total).step_by(step) {
                let lines = Lines { first, last: Some(first + step - 1) };
                pieces.push(lines.of(&text, 10_000, 10_000).text);
            }
            prop_assert_eq!(pieces.join("\n"), text.lines().collect::<Vec<_>>().join("\n"));
        }
    }
}

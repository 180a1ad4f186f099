//! A text as somebody else reads it, who still knows where every byte came from.
//!
//! A program that undoes escapes turns some bytes into others. Here the same is done to search the
//! result; what is found there is then named by its place in the original. Between the two there are
//! runs: `abc` is a run of three steps from one byte to one, `%41%42` is one of two steps from three
//! bytes to one. Text that is all of one kind is one run, however long.

use std::ops::Range;

/// One way to read a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reading {
    /// As the inside of a string of JSON or of a programming language: `\"`, `\n`, `\u0041`, `\x41`.
    Escaped,
    /// As a part of a URL: `%41`.
    Percent,
    /// Without the ends of lines, and without the space that lines begin with.
    Lines,
}

/// A text in one reading.
#[derive(Debug)]
pub(super) struct View {
    bytes: Vec<u8>,
    runs: Vec<Run>,
}

/// Steps of one kind, one after the other.
#[derive(Debug)]
struct Run {
    /// Where it begins in the view and in the source.
    at: usize,
    from: usize,
    /// How many bytes a step makes, and of how many.
    makes: usize,
    takes: usize,
}

/// What becomes of the beginning of a text: how many bytes it takes, and what they mean.
struct Step {
    takes: usize,
    means: Means,
}

enum Means {
    Nothing,
    Byte(u8),
    Character(char),
}

impl View {
    /// The text in a reading; `None` if that changes nothing.
    pub(super) fn of(source: &[u8], reading: Reading) -> Option<Self> {
        let begins = |byte: &u8| match reading {
            Reading::Escaped => *byte == b'\\',
            Reading::Percent => *byte == b'%',
            Reading::Lines => matches!(byte, b'\n' | b'\r'),
        };
        source.iter().position(begins)?;
        let mut view = Self { bytes: Vec::with_capacity(source.len()), runs: Vec::new() };
        let mut from = 0;
        let mut changed = false;
        while let Some(plain) = source[from..].iter().position(begins) {
            view.copy(&source[from..from + plain], from);
            from += plain;
            let step = match reading {
                Reading::Escaped => escape(&source[from..]),
                Reading::Percent => percent(&source[from..]),
                Reading::Lines => Some(line_end(&source[from..])),
            };
            if let Some(step) = step {
                view.take(&step, from);
                from += step.takes;
                changed = true;
            } else {
                view.copy(&source[from..=from], from);
                from += 1;
            }
        }
        view.copy(&source[from..], from);
        changed.then_some(view)
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The place in the source of a place in the view that is not empty.
    pub(super) fn source(&self, range: &Range<usize>) -> Range<usize> {
        self.step(range.start).start..self.step(range.end - 1).end
    }

    /// The bytes of the source that one byte of the view was made of.
    fn step(&self, at: usize) -> Range<usize> {
        // The last run that begins here or before. Runs that make nothing begin where the next one
        // does, and that is the one that is found.
        let index = self.runs.partition_point(|run| run.at <= at).saturating_sub(1);
        match self.runs.get(index) {
            Some(run) if run.makes > 0 => {
                let start = run.from + (at - run.at) / run.makes * run.takes;
                start..start + run.takes
            }
            _ => at..at + 1,
        }
    }

    fn copy(&mut self, bytes: &[u8], from: usize) {
        if !bytes.is_empty() {
            self.run(1, 1, from);
            self.bytes.extend_from_slice(bytes);
        }
    }

    fn take(&mut self, step: &Step, from: usize) {
        let mut buffer = [0; 4];
        let made: &[u8] = match &step.means {
            Means::Nothing => &[],
            Means::Byte(byte) => std::slice::from_ref(byte),
            Means::Character(character) => character.encode_utf8(&mut buffer).as_bytes(),
        };
        self.run(made.len(), step.takes, from);
        self.bytes.extend_from_slice(made);
    }

    /// Goes on with the last run, or begins another.
    fn run(&mut self, makes: usize, takes: usize, from: usize) {
        let same = self.runs.last().is_some_and(|run| (run.makes, run.takes) == (makes, takes));
        // Of a run that makes nothing the places are never asked for.
        if !same {
            self.runs.push(Run { at: self.bytes.len(), from, makes, takes });
        }
    }
}

fn percent(text: &[u8]) -> Option<Step> {
    let byte = u8::try_from(hex(text.get(1..3)?)?).ok()?;
    Some(Step { takes: 3, means: Means::Byte(byte) })
}

fn line_end(text: &[u8]) -> Step {
    let more = text[1..].iter().take_while(|byte| matches!(byte, b'\n' | b'\r' | b' ' | b'\t'));
    Step { takes: 1 + more.count(), means: Means::Nothing }
}

fn escape(text: &[u8]) -> Option<Step> {
    let byte = |byte: u8| Some(Step { takes: 2, means: Means::Byte(byte) });
    match text.get(1)? {
        b'n' => byte(b'\n'),
        b'r' => byte(b'\r'),
        b't' => byte(b'\t'),
        b'b' => byte(8),
        b'f' => byte(12),
        b'x' => {
            let value = u8::try_from(hex(text.get(2..4)?)?).ok()?;
            Some(Step { takes: 4, means: Means::Byte(value) })
        }
        b'u' => unicode(text),
        same @ (b'"' | b'\'' | b'\\' | b'/') => byte(*same),
        _ => None,
    }
}

/// `\u0041`, or two of them that are one character.
fn unicode(text: &[u8]) -> Option<Step> {
    let first = hex(text.get(2..6)?)?;
    let character = |takes, code| {
        let character = char::from_u32(code)?;
        Some(Step { takes, means: Means::Character(character) })
    };
    if !(0xD800..0xDC00).contains(&first) {
        return character(6, first);
    }
    let second = text.get(6..12).filter(|next| next.starts_with(b"\\u"))?;
    let second = hex(&second[2..]).filter(|code| (0xDC00..0xE000).contains(code))?;
    character(12, 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00))
}

fn hex(digits: &[u8]) -> Option<u32> {
    digits.iter().try_fold(0, |value, digit| Some(value << 4 | char::from(*digit).to_digit(16)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_in_a_view_is_found_in_its_source() {
        let check = |reading, source: &str, view: &str, part: &str, expected: &str| {
            let seen = View::of(source.as_bytes(), reading).unwrap();
            assert_eq!(String::from_utf8_lossy(seen.bytes()), view, "{source}");
            let at = view.find(part).unwrap();
            let range = seen.source(&(at..at + part.len()));
            assert_eq!(&source[range], expected, "{part} in {source}");
        };
        check(Reading::Percent, "a%42c%44%45f", "aBcDEf", "cDE", "c%44%45");
        check(Reading::Percent, "%41%42%43", "ABC", "B", "%42");
        check(Reading::Percent, "%41 100%, %zz, %4", "A 100%, %zz, %4", "zz", "zz");
        check(Reading::Escaped, r#"{"a":"x\"y\n"}"#, "{\"a\":\"x\"y\n\"}", "x\"y", r#"x\"y"#);
        check(Reading::Escaped, r"\\n\/\x41\u0042!", r"\n/AB!", "/AB", r"\/\x41\u0042");
        check(Reading::Escaped, r"a\u00e9\u00E9b", "aééb", "é", r"\u00e9");
        check(Reading::Escaped, r"a\ud83d\ude00b", "a😀b", "😀b", r"\ud83d\ude00b");
        check(Reading::Escaped, r"\ud83d\n\q\", "\\ud83d\n\\q\\", "d83d\n", r"d83d\n");
        check(Reading::Lines, "ab\r\n  cd\n\nef", "abcdef", "bcde", "b\r\n  cd\n\ne");
        check(Reading::Lines, "\nab\ncd", "abcd", "ab", "ab");
        check(Reading::Lines, "ab\ncd", "abcd", "cd", "cd");
    }

    #[test]
    fn a_reading_that_changes_nothing_is_none() {
        for (source, reading) in [
            ("plain", Reading::Escaped),
            ("100%", Reading::Percent),
            (r"C:\dir", Reading::Escaped),
            ("one line", Reading::Lines),
        ] {
            assert!(View::of(source.as_bytes(), reading).is_none(), "{source}");
        }
    }
}

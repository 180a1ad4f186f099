//! Lists and words in messages, read no further than anybody needs them.
//!
//! An element takes up to forty times as much memory as the two bytes it can be written in, so a line of 16 MiB
//! could become a gigabyte. The limits are looked at while a list is read: to count what has been read is too late.

use std::collections::VecDeque;
use std::fmt;
use std::marker::PhantomData;

use serde::de::{Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

/// The most lines of a trace that are kept, of its beginning and of its end, and the most bytes of each.
const MOST_TRACED: usize = 50;
const MOST_TRACED_BYTES: usize = 32 << 10;
/// The longest line of a trace.
const LONGEST_LINE: usize = 16 << 10;

/// What stands in a text in place of what is left out.
const CUT: &str = " […] ";

/// How long a list may be.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bound {
    /// What it is called.
    pub(crate) name: &'static str,
    /// The most elements.
    pub(crate) elements: usize,
    /// The most bytes of all elements together.
    pub(crate) bytes: usize,
    /// How many bytes an element counts beside its own.
    pub(crate) beside: usize,
}

impl Bound {
    /// A list of which only the elements are counted.
    pub(crate) const fn elements(name: &'static str, elements: usize) -> Self {
        Self { name, elements, bytes: usize::MAX, beside: 0 }
    }

    /// Reads a list.
    pub(crate) fn list<'de, T, D>(self, deserializer: D) -> Result<Vec<T>, D::Error>
    where
        T: Deserialize<'de> + Measured,
        D: Deserializer<'de>,
    {
        deserializer.deserialize_seq(ListVisitor { bound: self, element: PhantomData })
    }

    /// Reads a list that may be `null`.
    pub(crate) fn list_or_null<'de, T, D>(self, deserializer: D) -> Result<Option<Vec<T>>, D::Error>
    where
        T: Deserialize<'de> + Measured,
        D: Deserializer<'de>,
    {
        deserializer.deserialize_option(OrNull(ListVisitor { bound: self, element: PhantomData }))
    }
}

/// What has a length that counts.
pub(crate) trait Measured {
    /// How many bytes it has.
    fn bytes(&self) -> usize;
}

impl Measured for String {
    fn bytes(&self) -> usize {
        self.len()
    }
}

/// Reads a word of so many bytes at most. It is repeated in errors and shown to people, where a long one grows.
pub(crate) fn text<'de, D: Deserializer<'de>>(
    name: &'static str,
    most: usize,
    deserializer: D,
) -> Result<String, D::Error> {
    deserializer.deserialize_str(TextVisitor { name, most })
}

/// A text that is not too long: what it is about stands at its beginning, and what came of it at its end.
pub(crate) fn shortened(text: String, most: usize) -> String {
    if text.len() <= most {
        return text;
    }
    let half = most.saturating_sub(CUT.len()) / 2;
    let (start, end) = (text.floor_char_boundary(half), text.ceil_char_boundary(text.len() - half));
    format!("{}{CUT}{}", &text[..start], &text[end..])
}

/// Reads what led to an error. Somebody who fails should be heard, so what is too much is left out: in the middle, as
/// the last lines are the causes of all the others.
pub(crate) fn trace<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    deserializer.deserialize_seq(TraceVisitor)
}

struct ListVisitor<T> {
    bound: Bound,
    element: PhantomData<T>,
}

impl<'de, T: Deserialize<'de> + Measured> Visitor<'de> for ListVisitor<T> {
    type Value = Vec<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a sequence")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Vec<T>, A::Error> {
        let Bound { name, elements: most, bytes: most_bytes, beside } = self.bound;
        let (mut elements, mut bytes): (Vec<T>, usize) = (Vec::new(), 0);
        while let Some(element) = seq.next_element::<T>()? {
            if elements.len() == most {
                return Err(A::Error::custom(format!("more than {most} `{name}`")));
            }
            bytes = bytes.saturating_add(element.bytes() + beside);
            if bytes > most_bytes {
                return Err(A::Error::custom(format!("more than {most_bytes} bytes of `{name}`")));
            }
            elements.push(element);
        }
        Ok(elements)
    }
}

struct OrNull<T>(ListVisitor<T>);

impl<'de, T: Deserialize<'de> + Measured> Visitor<'de> for OrNull<T> {
    type Value = Option<Vec<T>>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.expecting(f)
    }

    fn visit_none<E: Error>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_seq(self.0).map(Some)
    }
}

struct TextVisitor {
    name: &'static str,
    most: usize,
}

impl Visitor<'_> for TextVisitor {
    type Value = String;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<String, E> {
        let Self { name, most } = self;
        if text.len() > most {
            return Err(E::custom(format!("more than {most} bytes of `{name}`")));
        }
        Ok(text.to_owned())
    }
}

struct TraceVisitor;

impl<'de> Visitor<'de> for TraceVisitor {
    type Value = Vec<String>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a sequence")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Vec<String>, A::Error> {
        let (mut first, mut last) = (Traced::default(), Traced::default());
        let (mut is_full, mut left_out) = (false, 0_usize);
        while let Some(line) = seq.next_element::<String>()? {
            let line = shortened(line, LONGEST_LINE);
            is_full |= !first.has_room(&line);
            if !is_full {
                first.push(line);
                continue;
            }
            while !last.has_room(&line) {
                last.forget_first();
                left_out += 1;
            }
            last.push(line);
        }
        let mut lines: Vec<String> = first.lines.into();
        if left_out > 0 {
            // This takes the place of one more.
            last.forget_first();
            lines.push(format!("[{} more left out]", left_out + 1));
        }
        lines.extend(last.lines);
        Ok(lines)
    }
}

/// Lines of one end of a trace.
#[derive(Default)]
struct Traced {
    lines: VecDeque<String>,
    bytes: usize,
}

impl Traced {
    /// Whether one more may be kept. One alone always may.
    fn has_room(&self, line: &str) -> bool {
        self.lines.len() < MOST_TRACED && self.bytes + line.len() <= MOST_TRACED_BYTES
    }

    fn push(&mut self, line: String) {
        self.bytes += line.len();
        self.lines.push_back(line);
    }

    fn forget_first(&mut self) {
        self.bytes -= self.lines.pop_front().map_or(0, |line| line.len());
    }
}

#[cfg(test)]
mod tests {
    use crate::ToolError;
    use crate::vfs::{FsGrep, HttpGet, HttpPost, ProcessRun};

    fn many(count: usize, element: &str) -> String {
        format!("[{}]", vec![element; count].join(","))
    }

    /// Whether parameters of which one is this list can be read; if not, why.
    fn refusal<T: serde::de::DeserializeOwned>(rest: &str, name: &str, list: &str) -> String {
        let text = format!("{{{rest},\"{name}\":{list}}}");
        let read = serde_json::from_str::<T>(&text);
        read.err().map(|error| error.to_string()).unwrap_or_default()
    }

    #[test]
    fn lists_have_a_largest_length() {
        type Refusal = fn(&str, &str, &str) -> String;
        let header = r#"{"name":"a","value":"b"}"#;
        for (refusal, rest, name, element, most) in [
            (refusal::<FsGrep> as Refusal, r#""pattern":"a""#, "paths", "\"a\"", 1_000),
            (refusal::<FsGrep>, r#""pattern":"a""#, "extensions", "\"a\"", 1_000),
            (refusal::<HttpGet>, r#""url":"a""#, "headers", header, 64),
            (refusal::<HttpPost>, r#""url":"a""#, "headers", header, 64),
        ] {
            assert_eq!(refusal(rest, name, &many(most, element)), "", "{name}");
            let error = refusal(rest, name, &many(most + 1, element));
            assert!(error.starts_with(&format!("more than {most} `{name}`")), "{name}: {error}");
            let error = refusal(rest, name, "7");
            assert!(error.starts_with("invalid type: integer `7`, expected a sequence"), "{error}");
        }
        assert_eq!(refusal::<FsGrep>(r#""pattern":"a""#, "paths", "null"), "");
    }

    #[test]
    fn words_are_no_longer_than_a_system_takes() {
        let long = |length: usize| format!("\"{}\"", "a".repeat(length));
        for (name, length, most) in [
            ("args", (1 << 20) - 9, 2),
            ("args", 1, 209_715),
            ("args", 0, 233_016),
            // A name in `git add` of many files.
            ("args", 100, 19_239),
            ("envs", 1, 209_715),
        ] {
            let refusal = |count| {
                refusal::<ProcessRun>(r#""program":"a""#, name, &many(count, &long(length)))
            };
            assert_eq!(refusal(most), "", "{length}");
            let error = refusal(most + 1);
            assert!(error.starts_with(&format!("more than 2097152 bytes of `{name}`")), "{error}");
        }
        let error = refusal::<ProcessRun>(r#""program":"a""#, "args", "7");
        assert!(error.starts_with("invalid type: integer `7`, expected a sequence"), "{error}");
    }

    #[test]
    fn the_name_of_a_program_has_a_largest_length() {
        let named = |length: usize| {
            let program = format!("\"{}\"", "é".repeat(length / 2));
            refusal::<ProcessRun>(r#""args":[]"#, "program", &program)
        };
        assert_eq!(named(4_096), "");
        let error = named(4_098);
        assert!(error.starts_with("more than 4096 bytes of `program`"), "{error}");
        let error = refusal::<ProcessRun>(r#""args":[]"#, "program", "7");
        assert!(error.starts_with("invalid type: integer `7`, expected a string"), "{error}");
    }

    #[test]
    fn a_trace_is_cut() {
        let read = |lines: &[String]| {
            let error = serde_json::json!({ "message": "m", "trace": lines });
            serde_json::from_str::<ToolError>(&error.to_string()).unwrap().trace
        };
        for (count, length, left_out) in [
            (0, 0, None),
            (100, 6, None),
            (101, 6, Some((50, 2))),
            (5_000, 6, Some((50, 4_901))),
            // As many bytes as there can be, and more.
            (64, 1_024, None),
            (65, 1_024, Some((32, 2))),
            (4, 16 << 10, None),
            (5, 16 << 10, Some((2, 2))),
        ] {
            let lines: Vec<_> = (0..count).map(|n| format!("{n:>length$}")).collect();
            let mut expected = lines.clone();
            if let Some((kept, number)) = left_out {
                expected.splice(kept..kept + number, [format!("[{number} more left out]")]);
            }
            assert!(read(&lines) == expected, "{count} of {length}: {:?}", read(&lines));
        }
        // Of a long line the middle is left out.
        let long = format!("a{}z", "é".repeat(1 << 20));
        let [line] = &read(&[long])[..] else { panic!("one line is one line") };
        assert!(line.len() <= 16 << 10 && line.starts_with("aé") && line.ends_with("éz"));
    }
}

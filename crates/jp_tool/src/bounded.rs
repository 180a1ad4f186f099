//! Lists and words in messages, read no further than anybody needs them.
//!
//! An element takes up to forty times as much memory as the two bytes it can be written in, so a line of 16 MiB
//! could become a gigabyte. The limits are looked at while a list is read: to count what has been read is too late.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{Error, IgnoredAny, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

/// The most lines of a trace that are kept.
const MOST_TRACED: usize = 100;

/// How long a list may be.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bound {
    /// What it is called.
    pub(crate) name: &'static str,
    /// The most elements.
    pub(crate) elements: usize,
    /// The most bytes of all elements together.
    pub(crate) bytes: usize,
}

impl Bound {
    /// A list of which only the elements are counted.
    pub(crate) const fn elements(name: &'static str, elements: usize) -> Self {
        Self { name, elements, bytes: usize::MAX }
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

/// Reads what led to an error. Somebody who fails should be heard, so what is too much is left out.
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
        let Bound { name, elements: most, bytes: most_bytes } = self.bound;
        let (mut elements, mut bytes): (Vec<T>, usize) = (Vec::new(), 0);
        while let Some(element) = seq.next_element::<T>()? {
            if elements.len() == most {
                return Err(A::Error::custom(format!("more than {most} `{name}`")));
            }
            bytes = bytes.saturating_add(element.bytes());
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
        let mut lines: Vec<String> = Vec::new();
        while lines.len() < MOST_TRACED {
            let Some(line) = seq.next_element()? else { return Ok(lines) };
            lines.push(line);
        }
        let mut left_out: usize = 0;
        while seq.next_element::<IgnoredAny>()?.is_some() {
            left_out += 1;
        }
        if left_out > 0 {
            // This takes the place of one more.
            lines.truncate(MOST_TRACED - 1);
            lines.push(format!("[{} more left out]", left_out + 1));
        }
        Ok(lines)
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
        let run = r#""program":"a""#;
        for (refusal, rest, name, element, most) in [
            (refusal::<ProcessRun> as Refusal, run, "args", "\"a\"", 10_000),
            (refusal::<ProcessRun>, run, "envs", "\"a\"", 10_000),
            (refusal::<FsGrep>, r#""pattern":"a""#, "paths", "\"a\"", 1_000),
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
        let long = format!("\"{}\"", "a".repeat(1 << 20));
        assert_eq!(refusal::<ProcessRun>(r#""program":"a""#, "args", &many(2, &long)), "");
        let error = refusal::<ProcessRun>(r#""program":"a""#, "args", &many(3, &long));
        assert!(error.starts_with("more than 2097152 bytes of `args`"), "{error}");
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
        for (count, kept, last) in [
            (0, 0, None),
            (100, 100, Some("a")),
            (101, 100, Some("[2 more left out]")),
            (5_000, 100, Some("[4901 more left out]")),
        ] {
            let text = format!("{{\"message\":\"m\",\"trace\":{}}}", many(count, "\"a\""));
            let error: ToolError = serde_json::from_str(&text).unwrap();
            let trace = error.trace;
            assert_eq!((trace.len(), trace.last().map(String::as_str)), (kept, last));
        }
    }
}

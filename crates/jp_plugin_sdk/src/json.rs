//! JSON of somebody else, as much of it as memory should hold.
//!
//! The danger is twofold. A value takes up to a hundred times as much memory as the two bytes that it can
//! be written in, so [`values_in`] counts them before any is made. And as people read it, the space in front
//! of the lines can be most of it: a list of ones, a hundred lists deep, takes a hundred times as much as
//! it was stored in. So what is to be cut ([`start`]) is never written whole, and what is to be whole
//! ([`pretty`]) is written without those spaces if they are most of it.

use std::io;

pub use jp_plugin::values_in;
use serde::Serialize;

/// So much may always be written with spaces, in bytes.
const SMALL: usize = 1 << 20;
/// What is larger may grow so many times.
const GROWTH: usize = 4;

/// All of a value, in lines.
pub fn pretty(value: &impl Serialize) -> String {
    // What was read from JSON has a form in it.
    let tight = serde_json::to_string(value).unwrap_or_default();
    let most = tight.len().saturating_mul(GROWTH).max(SMALL);
    match start(value, most) {
        Start { text, is_all: true } => text,
        Start { .. } => tight,
    }
}

/// The beginning of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Start {
    pub text: String,
    /// Whether it is also the end.
    pub is_all: bool,
}

/// The first bytes of a value in lines, at most so many.
pub fn start(value: &impl Serialize, most: usize) -> Start {
    let mut bounded = Bounded { bytes: Vec::new(), most };
    let is_all = serde_json::to_writer_pretty(&mut bounded, value).is_ok();
    let text = String::from_utf8(bounded.bytes).unwrap_or_else(|cut| {
        // It can end within a letter.
        let valid = cut.utf8_error().valid_up_to();
        let mut bytes = cut.into_bytes();
        bytes.truncate(valid);
        String::from_utf8(bytes).unwrap_or_default()
    });
    Start { text, is_all }
}

/// Takes so many bytes, and fails at the next.
struct Bounded {
    bytes: Vec<u8>,
    most: usize,
}

impl io::Write for Bounded {
    fn write(&mut self, new: &[u8]) -> io::Result<usize> {
        let taken = new.len().min(self.most - self.bytes.len());
        self.bytes.extend_from_slice(&new[..taken]);
        // Nothing taken of something is the error of whoever wants to write all of it.
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn values_are_counted_outside_of_texts() {
        let check = |text: &str, want| assert_eq!(values_in(text.as_bytes()), want, "{text}");
        check("", 0);
        check("[1,2,3]", 3);
        check(r#"{"a":[{}],"b":"[,{\",\\"}"#, 4);
        check(r#""\\",["#, 2);
    }

    #[test]
    fn a_beginning_ends_where_it_has_to() {
        let value = json!(["é"]);
        let check = |most: usize, text: &str, is_all: bool| {
            assert_eq!(start(&value, most), Start { text: text.to_owned(), is_all }, "{most}");
        };
        check(0, "", false);
        check(5, "[\n  \"", false);
        check(6, "[\n  \"", false);
        check(7, "[\n  \"é", false);
        check(9, "[\n  \"é\"\n", false);
        check(10, "[\n  \"é\"\n]", true);
    }

    #[test]
    fn what_is_deep_is_written_without_spaces() {
        let deep = |ones: usize| (0..100).fold(json!(vec![1; ones]), |inner, _| json!([inner]));
        assert!(pretty(&deep(10)).contains("\n    ["));
        let large = pretty(&deep(100_000));
        assert!(large.len() < 300_000, "{}", large.len());
        assert_eq!(serde_json::from_str::<Value>(&large).unwrap(), deep(100_000));
    }
}

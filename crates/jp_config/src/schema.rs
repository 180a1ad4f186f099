//! The JSON Schema of the configuration, as it stands in a file of this crate.
//!
//! It says what the types say: a test derives it from them and compares. Deriving it takes longer than
//! everything else that happens when a configuration is loaded, and most of it concerns nobody, so the
//! file has one definition a line, and a line is read when something refers to it.

#[cfg(test)]
pub(crate) mod derived;

use std::sync::OnceLock;

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::shape::Model;

/// The root first, then one definition a line: an object whose only key is its name.
pub(crate) const LINES: &str = include_str!("schema.jsonl");

/// The JSON Schema (draft 2020-12) of a configuration file.
pub fn schema() -> Value {
    let (root, definitions) = lines();
    let mut schema: Value = read(root);
    let definitions = definitions.map(|(name, text)| (name.to_owned(), read(text)));
    schema["$defs"] = definitions.collect::<Map<_, _>>().into();
    schema
}

/// The same as text, as `config schema` prints it and as the file beside a configuration holds it.
pub fn schema_text() -> String {
    format!("{:#}\n", schema())
}

/// The configuration's shape. It is begun once, when the first layer has to be checked.
pub(crate) fn model() -> &'static Model {
    static MODEL: OnceLock<Model> = OnceLock::new();
    MODEL.get_or_init(|| {
        let (root, definitions) = lines();
        Model::lazy(read(root), definitions)
    })
}

/// A schema of the file.
pub(crate) fn read<'a, T: Deserialize<'a>>(text: &'a str) -> T {
    serde_json::from_str(text).expect("every line of the file is JSON, as a test finds out")
}

/// The root, and the name and text of each definition.
fn lines() -> (&'static str, impl Iterator<Item = (&'static str, &'static str)>) {
    let mut start = 0;
    let mut lines =
        ENDS.iter().map(move |end| &LINES[std::mem::replace(&mut start, end + 1)..*end]);
    let named = |line: &'static str| line.strip_prefix("{\"")?.strip_suffix('}')?.split_once("\":");
    (lines.next().unwrap_or_default(), lines.filter_map(named))
}

/// Where the lines end. The compiler looks for them, so that no start of the program has to.
static ENDS: [usize; count(LINES.as_bytes())] = ends(LINES.as_bytes());

const fn count(text: &[u8]) -> usize {
    let (mut at, mut count) = (0, 0);
    while at < text.len() {
        count += (text[at] == b'\n') as usize;
        at += 1;
    }
    count
}

const fn ends<const COUNT: usize>(text: &[u8]) -> [usize; COUNT] {
    let (mut ends, mut at, mut line) = ([0; COUNT], 0, 0);
    while at < text.len() {
        if text[at] == b'\n' {
            ends[line] = at;
            line += 1;
        }
        at += 1;
    }
    ends
}

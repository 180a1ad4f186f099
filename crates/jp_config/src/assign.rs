//! `--cfg key.path=value`: one value for one key, typed by the schema.
//!
//! In a shell quotes are eaten, so a key that takes a string takes the text as it is:
//! `assistant.name=JP` needs none, and `x=007` stays `007`. Everywhere else the value is TOML,
//! and a word that is no TOML is left for the check to call a string where none belongs.

use toml::de::DeValue;

use crate::dotted::{self, Segment};
use crate::error::{Finding, Findings};
use crate::node::{Data, Entry, Node, Origin, Sort, Table};
use crate::parse::Reader;
use crate::shape::{Kind, Model, Shape};
use crate::source::Source;

/// What is no part of a value at its edges.
const BLANKS: [char; 4] = [' ', '\t', '\n', '\r'];

/// Reads an assignment into a tree with one leaf.
pub(crate) fn assignment(
    source: &Source,
    layer: u32,
    model: &Model,
    findings: &mut Findings,
) -> Option<Node> {
    if !Reader::new(layer, 0, findings).fits(source) {
        return None;
    }
    let text = source.text.as_str();
    let Some((equals, _)) = dotted::unquoted(text).find(|(_, it)| *it == '=') else {
        let at = origin(layer, 0, text.len());
        let finding = Finding::new(at, String::new(), "there is no `=` after the key");
        findings.push(finding.help("write `key.path=value`"));
        return None;
    };
    let segments = match dotted::parse(&text[..equals]) {
        Ok(segments) => segments,
        Err(error) => {
            let at = origin(layer, error.span.start, error.span.end);
            findings.push(Finding::new(at, String::new(), error.message));
            return None;
        }
    };
    let value = value(&text[equals + 1..], equals + 1, &segments, layer, model, findings)?;
    Some(nest(segments, value, layer))
}

/// The value, read as the shape of the key wants it.
fn value(
    raw: &str,
    offset: usize,
    segments: &[Segment],
    layer: u32,
    model: &Model,
    findings: &mut Findings,
) -> Option<Node> {
    let offset = offset + (raw.len() - raw.trim_start_matches(BLANKS).len());
    let text = raw.trim_matches(BLANKS);
    let path: Vec<String> = segments.iter().map(|it| it.name.clone()).collect();
    let takes = Takes::of(model.at(&path), model);
    let at = origin(layer, offset, offset + text.len());
    let as_text = || Node { data: Data::Text(text.to_owned()), origin: at };

    if takes.only_text && !text.starts_with(['"', '\'']) {
        return Some(as_text());
    }
    if text.is_empty() {
        let key = dotted::join(&path);
        let message = format!("`{key}` is given no value");
        findings.push(Finding::new(at, key, message).help("an empty string is written `\"\"`"));
        return None;
    }
    let mut reader = Reader::new(layer, offset, findings).below(path);
    match DeValue::parse(text) {
        // `3` where a string or a table is wanted is the string "3".
        Ok(value) if takes.text && !takes.admits(value.get_ref()) => Some(as_text()),
        Ok(value) => reader.node(value.get_ref(), value.span()),
        // What begins like TOML was meant as TOML; anything else is a word.
        Err(error) if text.starts_with(['"', '\'', '[', '{']) => {
            reader.not_toml(
                &error,
                "the shell may have taken the quotes; put the whole argument in `'…'`",
            );
            None
        }
        Err(_) => Some(as_text()),
    }
}

/// What sorts of value a key takes.
struct Takes {
    /// Strings are among them.
    text: bool,
    /// Strings are all of them.
    only_text: bool,
    /// The sorts that are taken as TOML.
    sorts: Vec<Sort>,
}

impl Takes {
    fn of(shape: Option<&Shape>, model: &Model) -> Self {
        let mut sorts = Vec::new();
        if let Some(shape) = shape {
            collect(shape, model, &mut sorts);
        }
        let text = sorts.contains(&Sort::Text);
        Self { text, only_text: text && sorts.len() == 1, sorts }
    }

    fn admits(&self, value: &DeValue<'_>) -> bool {
        self.sorts.contains(&match value {
            DeValue::Boolean(_) => Sort::Bool,
            DeValue::Integer(_) => Sort::Integer,
            DeValue::Float(_) => Sort::Float,
            DeValue::String(_) => Sort::Text,
            DeValue::Array(_) => Sort::List,
            DeValue::Table(_) => Sort::Table,
            // No key takes a date; where a string will do, its text is one.
            DeValue::Datetime(_) => return false,
        })
    }
}

fn collect(shape: &Shape, model: &Model, sorts: &mut Vec<Sort>) {
    match &model.resolve(shape).kind {
        Kind::Text(_) | Kind::Choice(_) => sorts.push(Sort::Text),
        Kind::List(_) => sorts.push(Sort::List),
        Kind::Table(_) => sorts.push(Sort::Table),
        Kind::Either(either) => either.iter().for_each(|it| collect(it, model, sorts)),
        // Where no string belongs the value is TOML, whatever its sort.
        _ => {}
    }
}

/// Wraps the value in a table for each part of the key.
fn nest(segments: Vec<Segment>, value: Node, layer: u32) -> Node {
    segments.into_iter().rev().fold(value, |node, segment| {
        let key = origin(layer, segment.span.start, segment.span.end);
        let table = Table::from([(segment.name, Entry { key, node })]);
        Node { data: Data::Table(table), origin: key }
    })
}

fn origin(layer: u32, start: usize, end: usize) -> Origin {
    let place = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    Origin { layer, start: place(start), end: place(end) }
}

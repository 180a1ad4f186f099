//! Reads the text of a layer into a tree that knows where everything was written.
//!
//! TOML can say a few things that the rest of the program cannot hold (dates, numbers without a
//! value, numbers beyond 64 bits); they are refused here, each at its place. Size and depth are
//! bounded before anything else walks the tree.

use std::ops::Range;

use toml::de::{DeArray, DeFloat, DeInteger, DeTable, DeValue};

use crate::dotted::{MAX_DEPTH, Step};
use crate::error::{Finding, Findings};
use crate::layer::MAX_LAYER_BYTES;
use crate::node::{Data, Entry, Node, Origin, Table};
use crate::phrase;
use crate::source::Source;

/// Reads a file. `None` if it is not TOML at all; what is wrong is among the findings either way.
pub(crate) fn file(source: &Source, layer: u32, findings: &mut Findings) -> Option<Node> {
    let mut reader = Reader::new(layer, 0, findings).below(source.under.clone());
    if !reader.fits(source) {
        return None;
    }
    let (table, errors) = DeTable::parse_recoverable(&source.text);
    if !errors.is_empty() {
        reader.syntax(source, errors);
        return None;
    }
    let table = reader.table(table.get_ref());
    let origin = reader.origin(0..0);
    let content = Node { data: Data::Table(table), origin };
    Some(source.under.iter().rev().fold(content, |node, key| {
        let table = Table::from_iter([(key.clone(), Entry { key: origin, node })]);
        Node { data: Data::Table(table), origin }
    }))
}

/// Reads single values out of a longer text.
pub(crate) struct Reader<'a> {
    layer: u32,
    /// Where the text that is read begins in the layer.
    offset: usize,
    path: Vec<Step>,
    findings: &'a mut Findings,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(layer: u32, offset: usize, findings: &'a mut Findings) -> Self {
        Self { layer, offset, path: Vec::new(), findings }
    }

    /// Reads inside the key `path`, which messages then name.
    pub(crate) fn below(mut self, path: Vec<String>) -> Self {
        self.path = path.into_iter().map(Step::Key).collect();
        self
    }

    /// Whether the layer is small enough to be read.
    pub(crate) fn fits(&mut self, source: &Source) -> bool {
        if source.text.len() <= MAX_LAYER_BYTES {
            return true;
        }
        let message = format!(
            "`{}` is larger than {} KiB, the most a configuration may have",
            source.name,
            MAX_LAYER_BYTES / 1024
        );
        let start = Origin { layer: self.layer, start: 0, end: 0 };
        self.findings.push(Finding::new(start, String::new(), message));
        false
    }

    /// The tree for a value, or `None` if it cannot be held; the reason is among the findings.
    pub(crate) fn node(&mut self, value: &DeValue<'_>, span: Range<usize>) -> Option<Node> {
        let origin = self.origin(span.clone());
        let data = match value {
            DeValue::Boolean(it) => Data::Bool(*it),
            DeValue::String(it) => Data::Text(it.to_string()),
            DeValue::Integer(it) => Data::Integer(self.integer(it, span)?),
            DeValue::Float(it) => Data::Float(self.float(it, span)?),
            DeValue::Datetime(_) => {
                return self.refuse(
                    span,
                    "is a date, which no setting takes",
                    "put it in quotes to make it a string",
                );
            }
            DeValue::Array(list) => {
                if self.too_deep(span) {
                    return None;
                }
                Data::List(self.list(list))
            }
            DeValue::Table(table) => {
                if self.too_deep(span) {
                    return None;
                }
                Data::Table(self.table(table))
            }
        };
        Some(Node { data, origin })
    }

    /// A value that is no TOML, with TOML's own explanation.
    pub(crate) fn not_toml(&mut self, error: &toml::de::Error, help: &str) {
        let origin = self.origin(error.span().unwrap_or(0..0));
        let key = self.key();
        let message = format!("`{key}`: {}", error.message());
        self.findings.push(Finding::new(origin, key, message).help(help));
    }

    fn list(&mut self, list: &DeArray<'_>) -> Vec<Node> {
        let mut nodes = Vec::with_capacity(list.len());
        for (index, value) in list.iter().enumerate() {
            self.path.push(Step::Element(index));
            nodes.extend(self.node(value.get_ref(), value.span()));
            self.path.pop();
        }
        nodes
    }

    fn table(&mut self, table: &DeTable<'_>) -> Table {
        let mut entries = Table::with_capacity(table.len());
        for (key, value) in table {
            self.path.push(Step::Key(key.get_ref().to_string()));
            let node = self.node(value.get_ref(), value.span());
            self.path.pop();
            if let Some(node) = node {
                let key_origin = self.origin(key.span());
                entries.insert(key.get_ref().to_string(), Entry { key: key_origin, node });
            }
        }
        entries
    }

    fn integer(&mut self, integer: &DeInteger<'_>, span: Range<usize>) -> Option<i64> {
        match i64::from_str_radix(integer.as_str(), integer.radix()) {
            Ok(it) => Some(it),
            Err(_) => self.refuse(
                span,
                "is an integer of more than 64 bits",
                "put it in quotes to make it a string",
            ),
        }
    }

    fn float(&mut self, float: &DeFloat<'_>, span: Range<usize>) -> Option<f64> {
        match float.as_str().parse::<f64>() {
            Ok(it) if it.is_finite() => Some(it),
            _ => self.refuse(span, "is not a finite number", "no setting takes `inf` or `nan`"),
        }
    }

    fn too_deep(&mut self, span: Range<usize>) -> bool {
        if self.path.len() < MAX_DEPTH {
            return false;
        }
        let origin = self.origin(span);
        // The key would be as long as the nesting is deep.
        let key = phrase::trail(&self.path[..1]);
        let message = format!("`{key}` is nested more than {MAX_DEPTH} levels deep");
        self.findings.push(Finding::new(origin, key, message));
        true
    }

    fn refuse<T>(&mut self, span: Range<usize>, message: &str, help: &str) -> Option<T> {
        let key = self.key();
        let message = format!("`{key}` {message}");
        self.findings.push(Finding::new(self.origin(span), key, message).help(help));
        None
    }

    /// Mistakes in the TOML itself. One on a line is enough: the others follow from it.
    fn syntax(&mut self, source: &Source, mut errors: Vec<toml::de::Error>) {
        errors.sort_by_key(|it| it.span().map_or(0, |span| span.start));
        errors.dedup_by_key(|it| source.line_number(it.span().map_or(0, |span| span.start)));
        for error in errors {
            let span = error.span().unwrap_or(0..0);
            let origin = self.origin(span.clone());
            let finding = match source.text.get(span).filter(|it| is_word(it)) {
                // A word that begins like `nan` or `inf` would be called a wrong number.
                Some(word) if error.message().starts_with("invalid float") => {
                    Finding::new(origin, String::new(), format!("`{word}` is not a value"))
                        .help("put it in quotes to make it a string")
                }
                _ => Finding::new(origin, String::new(), error.message()).label("not valid TOML"),
            };
            self.findings.push(finding);
        }
    }

    fn key(&self) -> String {
        phrase::trail(&self.path)
    }

    fn origin(&self, span: Range<usize>) -> Origin {
        // A layer is at most a mebibyte, so its positions fit.
        let place = |at: usize| u32::try_from(self.offset + at).unwrap_or(u32::MAX);
        Origin { layer: self.layer, start: place(span.start), end: place(span.end) }
    }
}

fn is_word(text: &str) -> bool {
    text.len() < 40 && text.bytes().all(|it| it.is_ascii_alphabetic())
}

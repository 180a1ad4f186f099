//! The texts of a load, kept so that a byte of a layer can be named as file, line and column long
//! after it was read.

use std::ops::Range;
use std::sync::Arc;

use crate::dotted;
use crate::layer::{Layer, LayerKind};
use crate::node::Origin;

/// How much of an assignment names it.
const MAX_NAME: usize = 200;

/// The texts of all layers. Index 0 stands for the built-in defaults, which have none.
#[derive(Debug)]
pub(crate) struct Sources(Vec<Arc<Source>>);

/// One layer's text.
#[derive(Debug)]
pub(crate) struct Source {
    pub(crate) kind: LayerKind,
    /// What the user calls it, safe to print.
    pub(crate) name: String,
    pub(crate) text: String,
    /// The table that the text is the content of.
    pub(crate) under: Vec<String>,
    /// Where each line begins.
    lines: Vec<usize>,
}

/// A place in a layer, as people count: from one, in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Position {
    pub(crate) line: usize,
    pub(crate) column: usize,
}

impl Sources {
    pub(crate) fn new(layers: Vec<Layer>) -> Self {
        let defaults = Layer::new(LayerKind::Default, "default", String::new());
        let given = layers.into_iter().map(Source::new);
        Self([Source::new(defaults)].into_iter().chain(given).map(Arc::new).collect())
    }

    /// The same texts and one more; the second result is the number by which an [`Origin`] names it.
    pub(crate) fn and(&self, layer: Layer) -> (Self, u32) {
        let mut sources = self.0.clone();
        let number = u32::try_from(sources.len()).unwrap_or(u32::MAX);
        sources.push(Arc::new(Source::new(layer)));
        (Self(sources), number)
    }

    /// The layers that were given, with the number by which an [`Origin`] names each.
    pub(crate) fn given(&self) -> impl Iterator<Item = (u32, &Source)> {
        (0..).zip(self.0.iter().map(Arc::as_ref)).skip(1)
    }

    pub(crate) fn of(&self, origin: Origin) -> &Source {
        // A number that was never given cannot occur; the defaults are a harmless answer to it.
        self.0.get(origin.layer as usize).unwrap_or(&self.0[0])
    }

    pub(crate) fn position(&self, origin: Origin) -> Position {
        let source = self.of(origin);
        let at = source.boundary(origin.start as usize);
        let before = &source.text[source.lines[source.line_at(at)]..at];
        Position { line: source.line_number(at), column: before.chars().count() + 1 }
    }

    pub(crate) fn line_number(&self, origin: Origin) -> usize {
        self.of(origin).line_number(origin.start as usize)
    }
}

impl Source {
    fn new(layer: Layer) -> Self {
        let Layer { kind, name, text, under } = layer;
        // A byte order mark says nothing in UTF-8 and would shift the columns of the first line.
        let text = match text.strip_prefix('\u{FEFF}') {
            Some(rest) => rest.to_owned(),
            None => text,
        };
        let breaks = text.bytes().enumerate().filter(|(_, it)| *it == b'\n');
        let lines = [0].into_iter().chain(breaks.map(|(at, _)| at + 1)).collect();
        Self { kind, name: display_name(kind, &name), text, under, lines }
    }

    /// The line of the byte `at`, from one. Cheap, unlike the column, which takes as long as the
    /// line is.
    pub(crate) fn line_number(&self, at: usize) -> usize {
        self.line_at(at) + 1
    }

    /// The line on which the bytes of `origin` begin, and which part of it they are.
    pub(crate) fn line(&self, origin: Origin) -> (&str, Range<usize>) {
        let (start, end) = (self.boundary(origin.start as usize), origin.end as usize);
        let line = self.line_at(start);
        let from = self.lines[line];
        let to = self.lines.get(line + 1).map_or(self.text.len(), |next| next - 1);
        let text = self.text[from..to].trim_end_matches('\r');
        let start = (start - from).min(text.len());
        let end = self.boundary(end).saturating_sub(from).clamp(start, text.len());
        (text, start..end)
    }

    fn line_at(&self, at: usize) -> usize {
        self.lines.partition_point(|start| *start <= at).saturating_sub(1)
    }

    /// The nearest beginning of a character at or before `at`.
    fn boundary(&self, at: usize) -> usize {
        self.text.floor_char_boundary(at)
    }
}

/// The name to print. An assignment is named by its text, which can be of any length.
fn display_name(kind: LayerKind, name: &str) -> String {
    match name.char_indices().nth(MAX_NAME) {
        Some((end, _)) if kind == LayerKind::Assignment => {
            format!("{}…", dotted::printable(&name[..end]))
        }
        _ => dotted::printable(name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_counted_in_lines_and_characters_from_one() {
        let sources = Sources::new(vec![Layer::file("x", "\u{FEFF}a = 1\r\nключ = 2\n\nz")]);
        let (layer, source) = sources.given().next().unwrap();
        let check = |at: usize, line: usize, column: usize| {
            let start = u32::try_from(at).unwrap();
            let origin = Origin { layer, start, end: start };
            assert_eq!(sources.position(origin), Position { line, column }, "{at}");
        };
        check(0, 1, 1);
        check(4, 1, 5);
        check(7, 2, 1);
        check(source.text.find("= 2").unwrap(), 2, 6);
        check(source.text.find('z').unwrap(), 4, 1);
        check(source.text.len(), 4, 2);
        check(9999, 4, 2);
    }

    #[test]
    fn a_line_is_cut_out_with_the_part_that_is_meant() {
        let sources = Sources::new(vec![Layer::file("x", "a = 1\r\nb = [\n1]\n")]);
        let line = |start, end| {
            let origin = Origin { layer: 1, start, end };
            let (text, part) = sources.of(origin).line(origin);
            (text.to_owned(), part)
        };
        assert_eq!(line(4, 5), ("a = 1".to_owned(), 4..5));
        assert_eq!(line(11, 15), ("b = [".to_owned(), 4..5));
        assert_eq!(line(16, 16), (String::new(), 0..0));
    }
}

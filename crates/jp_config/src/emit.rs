//! Writes a tree as TOML, optionally with a remark behind every value.
//!
//! The toml crate writes values; it does not write remarks, and it may spread a string over
//! several lines, where a remark would become part of it. So every value here is one line, or one
//! line for each element of a list.

use crate::dotted;
use crate::node::{Data, Node, Table};

/// A list that would make a line longer than this is spread over several lines.
const MAX_LINE: usize = 88;

/// Remarks are aligned up to this column; longer lines push their own remark out.
const MAX_ALIGNED: usize = 48;

/// What to say behind a value.
pub(crate) type Remark<'a> = &'a dyn Fn(&Node) -> String;

/// The table at `path` as TOML. Headers carry the whole key, so the text is a configuration.
pub(crate) fn table(path: &[String], table: &Table, remark: Option<Remark<'_>>) -> String {
    let mut emitter = Emitter { remark, text: String::new() };
    emitter.table(&mut path.to_vec(), table);
    emitter.text
}

/// A single value as TOML, with its remark.
pub(crate) fn value(node: &Node, remark: Option<Remark<'_>>) -> String {
    let emitter = Emitter { remark, text: String::new() };
    aligned(&emitter.lines("", node))
}

/// The value on one line, without a remark.
pub(crate) fn inline(node: &Node) -> String {
    match &node.data {
        Data::Bool(it) => it.to_string(),
        Data::Integer(it) => it.to_string(),
        // The debug form always has a point or an exponent, so it stays a float.
        Data::Float(it) => format!("{it:?}"),
        Data::Text(it) => dotted::quote(it),
        Data::List(list) => {
            let elements: Vec<String> = list.iter().map(inline).collect();
            format!("[{}]", elements.join(", "))
        }
        Data::Table(table) if table.is_empty() => "{}".to_owned(),
        Data::Table(table) => {
            let pair = |(key, it): (&String, &crate::node::Entry)| {
                format!("{} = {}", dotted::key(key), inline(&it.node))
            };
            let pairs: Vec<String> = table.iter().map(pair).collect();
            format!("{{ {} }}", pairs.join(", "))
        }
    }
}

struct Emitter<'a> {
    remark: Option<Remark<'a>>,
    text: String,
}

/// A line of TOML and the remark behind it.
type Line = (String, Option<String>);

impl Emitter<'_> {
    fn table(&mut self, path: &mut Vec<String>, table: &Table) {
        let (sections, leaves): (Vec<_>, Vec<_>) =
            table.iter().partition(|(_, it)| it.node.as_table().is_some_and(|it| !it.is_empty()));
        if !leaves.is_empty() || table.is_empty() {
            if !self.text.is_empty() {
                self.text.push('\n');
            }
            if !path.is_empty() {
                self.text.extend(["[", &dotted::join(path), "]\n"]);
            }
            let lines: Vec<Line> = leaves
                .into_iter()
                .flat_map(|(key, it)| self.lines(&format!("{} = ", dotted::key(key)), &it.node))
                .collect();
            self.text.push_str(&aligned(&lines));
        }
        for (key, entry) in sections {
            path.push(key.clone());
            if let Some(table) = entry.node.as_table() {
                self.table(path, table);
            }
            path.pop();
        }
    }

    /// A value behind `start`, on as many lines as it needs.
    fn lines(&self, start: &str, node: &Node) -> Vec<Line> {
        let one_line = format!("{start}{}", inline(node));
        match &node.data {
            Data::List(list) if self.wants_lines(&one_line, list) => {
                let element = |it: &Node| (format!("    {},", inline(it)), self.remark(it));
                let open = (format!("{start}["), None);
                let close = ("]".to_owned(), None);
                [open].into_iter().chain(list.iter().map(element)).chain([close]).collect()
            }
            Data::List(list) => {
                vec![(one_line, self.remark(list.first().unwrap_or(node)))]
            }
            _ => vec![(one_line, self.remark(node))],
        }
    }

    /// Whether a list takes a line for each element: it is long, or they differ in their remarks.
    fn wants_lines(&self, one_line: &str, list: &[Node]) -> bool {
        let remarks: Vec<Option<String>> = list.iter().map(|it| self.remark(it)).collect();
        let differ = remarks.windows(2).any(|pair| pair[0] != pair[1]);
        differ || (one_line.chars().count() > MAX_LINE && !list.is_empty())
    }

    fn remark(&self, node: &Node) -> Option<String> {
        self.remark.map(|remark| remark(node))
    }
}

/// The lines as text, their remarks in one column.
fn aligned(lines: &[Line]) -> String {
    let width = |(line, _): &Line| line.chars().count();
    let remarked = lines.iter().filter(|(_, remark)| remark.is_some());
    let column = remarked.map(width).filter(|it| *it <= MAX_ALIGNED).max().unwrap_or(0);
    let mut text = String::new();
    for line in lines {
        text.push_str(&line.0);
        if let Some(remark) = &line.1 {
            let blanks = column.saturating_sub(width(line)) + 2;
            text.push_str(&" ".repeat(blanks));
            text.push_str("# ");
            text.push_str(remark);
        }
        text.push('\n');
    }
    text
}

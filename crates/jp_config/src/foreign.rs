//! What the files of a workspace say, apart from what the user says.
//!
//! A workspace may come from anybody. Where its words would start a program, a person looks at them first,
//! and what they agreed to must be exactly what is compared later: so this is the part of the configuration
//! that files of the workspace gave, as a value to compare and as text to look at.

use serde_json::Value;

use crate::config::Config;
use crate::emit;
use crate::layer::LayerKind;
use crate::node::{Data, Entry, Node, Origin};
use crate::source::Sources;

/// What files of a workspace say about something.
#[derive(Debug, Clone, PartialEq)]
pub struct Foreign {
    /// The values.
    pub value: Value,
    /// The same as TOML, with whole keys.
    pub toml: String,
    /// Where the first of them was written: `file:line`.
    pub place: String,
}

impl Config {
    /// What files of the workspace say at a dotted key and below it; `None` if they say nothing about it.
    pub fn foreign(&self, path: &str) -> Option<Foreign> {
        let found = self.find(Some(path)).ok()?;
        let mut first = None;
        let node = part(&found.node, &self.sources, &mut first)?;
        let toml = match node.as_table() {
            Some(table) => emit::table(&found.path, table, None),
            None => emit::value(&node, None),
        };
        let place = first.map(|origin| self.remark(origin)).unwrap_or_default();
        Some(Foreign { value: node.to_json(), toml, place })
    }
}

/// The part of a value that files of the workspace gave. An empty table or list is theirs if they wrote it.
fn part(node: &Node, sources: &Sources, first: &mut Option<Origin>) -> Option<Node> {
    let is_foreign = |origin: Origin| {
        matches!(sources.of(origin).kind, LayerKind::Workspace | LayerKind::Directory)
    };
    let data = match &node.data {
        Data::Table(table) if !table.is_empty() => {
            let kept = table.iter().filter_map(|(key, entry)| {
                let node = part(&entry.node, sources, first)?;
                Some((key.clone(), Entry { key: entry.key, node }))
            });
            let kept: crate::node::Table = kept.collect();
            if kept.is_empty() {
                return None;
            }
            Data::Table(kept)
        }
        Data::List(list) if !list.is_empty() => {
            let kept: Vec<_> = list.iter().filter_map(|it| part(it, sources, first)).collect();
            if kept.is_empty() {
                return None;
            }
            Data::List(kept)
        }
        data => {
            if !is_foreign(node.origin) {
                return None;
            }
            first.get_or_insert(node.origin);
            data.clone()
        }
    };
    Some(Node { data, origin: node.origin })
}

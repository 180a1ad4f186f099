//! What must be there once all layers are merged. A layer may leave anything out, so this is the
//! one check that sees the result only. What is missing is reported where the table that lacks it
//! was begun.

use std::collections::HashSet;

use crate::dotted;
use crate::error::{Finding, Findings};
use crate::finish::Merged;
use crate::node::{Data, Node, Origin, Table};
use crate::shape::{Kind, Model, Shape, TableShape};

/// Reports every key that must be there and is not, unless it may be among what was wrong.
pub(crate) fn check(model: &Model, merged: &Merged, errors: &mut Findings) {
    if !merged.incomplete {
        let mut walk = Required { model, damaged: &merged.damaged, errors, path: Vec::new() };
        walk.node(&merged.root, merged.root.origin, &model.root);
    }
}

/// Walks the tree along its shape.
struct Required<'a> {
    model: &'a Model,
    damaged: &'a HashSet<Vec<String>>,
    errors: &'a mut Findings,
    path: Vec<String>,
}

impl Required<'_> {
    /// `at` is what introduced the node: its key, or the node itself in a list.
    fn node(&mut self, node: &Node, at: Origin, shape: &Shape) {
        // What no layer has touched is as the types made it, and complete.
        if node.is_default() {
            return;
        }
        match (&self.model.resolve(shape).kind, &node.data) {
            (Kind::List(element) | Kind::Mergeable(element, _), Data::List(list)) => {
                for it in list {
                    self.node(it, it.origin, element);
                }
            }
            (_, Data::Table(entries)) => {
                if let Some(table) = self.model.table(shape) {
                    self.table(entries, at, table);
                }
            }
            _ => {}
        }
    }

    fn table(&mut self, entries: &Table, at: Origin, shape: &TableShape) {
        if !self.damaged.contains(&self.path) {
            for key in shape.required.iter().filter(|it| !entries.contains_key(*it)) {
                self.missing(key, at, shape.keys.get(key));
            }
        }
        for (key, entry) in entries {
            if let Some(shape) = shape.key(key) {
                self.path.push(key.clone());
                self.node(&entry.node, entry.key, shape);
                self.path.pop();
            }
        }
    }

    fn missing(&mut self, key: &str, at: Origin, shape: Option<&Shape>) {
        let table = dotted::join(&self.path);
        let path = format!("{table}.{}", dotted::key(key));
        let finding = Finding::new(at, path, format!("`{table}` has no `{key}`"));
        let description = shape.and_then(|it| it.description.as_deref());
        self.errors.push(match description {
            Some(text) => finding.help(format!("`{key}`: {text}")),
            None => finding,
        });
    }
}

//! Lays one layer over another.
//!
//! Tables are merged key by key, however deep. Everything else is replaced by the later layer,
//! except lists that the schema marks as built together: their strategy decides. A layer can
//! replace what is below it and cannot take it away: there is no way to unset a key.
//!
//! Each value keeps the place it was written; the elements of a merged list keep theirs.

use crate::node::{Data, Entry, Node, Origin, Table};
use crate::shape::{Kind, Model, Shape};
use crate::types::mergeable::Strategy;

/// What results when `over` is laid over `base`. Both have passed the check.
pub(crate) fn merge(model: &Model, base: Node, over: Node, shape: &Shape) -> Node {
    let shape = model.resolve(shape);
    if let Kind::Mergeable(element, _) = &shape.kind {
        return merge_list(model, base, over, element);
    }
    match (base.data, over.data) {
        (Data::Table(base_table), Data::Table(over_table)) => Node {
            data: Data::Table(merge_table(model, base_table, over_table, shape)),
            origin: base.origin.or(over.origin),
        },
        (_, data) => settle(model, Node { data, origin: over.origin }, shape),
    }
}

/// A value with nothing below it, lists with a strategy turned into plain ones.
fn settle(model: &Model, node: Node, shape: &Shape) -> Node {
    let shape = model.resolve(shape);
    let origin = node.origin;
    let data = match (&shape.kind, node.data) {
        (Kind::Mergeable(element, _), data) => {
            let nothing = Node { data: Data::List(Vec::new()), origin };
            return merge_list(model, nothing, Node { data, origin }, element);
        }
        (Kind::List(element), Data::List(list)) => {
            Data::List(list.into_iter().map(|it| settle(model, it, element)).collect())
        }
        (_, Data::Table(table)) => Data::Table(merge_table(model, Table::new(), table, shape)),
        (_, data) => data,
    };
    Node { data, origin }
}

fn merge_table(model: &Model, mut base: Table, over: Table, shape: &Shape) -> Table {
    for (key, entry) in over {
        let shape = model.child(shape, &key).unwrap_or(Shape::anything());
        let merged = match base.get_mut(&key) {
            Some(below) => {
                let empty = Node { data: Data::Bool(false), origin: Origin::DEFAULT };
                let node = std::mem::replace(&mut below.node, empty);
                Entry { key: below.key.or(entry.key), node: merge(model, node, entry.node, shape) }
            }
            None => Entry { key: entry.key, node: settle(model, entry.node, shape) },
        };
        base.insert(key, merged);
    }
    base
}

fn merge_list(model: &Model, base: Node, over: Node, element: &Shape) -> Node {
    let origin = over.origin;
    let (strategy, value) = with_strategy(over);
    let value = value.into_iter().map(|it| settle(model, it, element));
    let below = match base.data {
        Data::List(list) => list,
        _ => Vec::new(),
    };
    let list = match strategy {
        Strategy::Append => below.into_iter().chain(value).collect(),
        Strategy::Replace => value.collect(),
        Strategy::Prepend => value.chain(below).collect(),
        Strategy::Dedup => without_repeats(below.into_iter().chain(value)),
    };
    Node { data: Data::List(list), origin }
}

/// The elements of a list, and how they join the ones below.
fn with_strategy(node: Node) -> (Strategy, Vec<Node>) {
    match node.data {
        Data::List(list) => (Strategy::Append, list),
        Data::Table(mut table) => {
            let name = table.get("strategy").and_then(|it| it.node.as_text());
            let strategy = name.and_then(Strategy::from_name).unwrap_or(Strategy::Append);
            let value = match table.swap_remove("value").map(|it| it.node.data) {
                Some(Data::List(list)) => list,
                _ => Vec::new(),
            };
            (strategy, value)
        }
        _ => (Strategy::Append, Vec::new()),
    }
}

/// The first occurrence of every value, in the order they came.
fn without_repeats(list: impl Iterator<Item = Node>) -> Vec<Node> {
    let mut kept: Vec<Node> = Vec::new();
    let mut seen = std::collections::HashSet::new();
    for node in list {
        // The text of a value is the same for equal values once the keys are in one order.
        if seen.insert(canonical(&node)) {
            kept.push(node);
        }
    }
    kept
}

/// A text that two values share exactly if they are equal.
fn canonical(node: &Node) -> String {
    match &node.data {
        Data::Table(table) => {
            let mut pairs: Vec<String> =
                table.iter().map(|(key, it)| format!("{key:?}:{}", canonical(&it.node))).collect();
            pairs.sort();
            format!("{{{}}}", pairs.join(","))
        }
        Data::List(list) => {
            format!("[{}]", list.iter().map(canonical).collect::<Vec<_>>().join(","))
        }
        data => format!("{data:?}"),
    }
}

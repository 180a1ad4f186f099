//! The difference between two configurations: the least that, laid over the first, gives the second.
//!
//! It is a configuration in part, written as JSON: tables hold only what differs, and a list that
//! layers build together is carried whole, with the strategy `replace`, because appended to what is
//! there it would give something else. A `null` stands for a key that is gone, which no file can say.
//!
//! A list that only grows is the one exception. What the second configuration lacks of it stays, so
//! that a stored difference can never uncover what somebody protects.
//!
//! A difference can come from a file that somebody else wrote, so it is checked like a layer when it
//! is laid over a configuration.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use thiserror::Error;

use crate::config::{Config, finished, lay_over};
use crate::dotted;
use crate::emit;
use crate::error::{ConfigErrors, Finding, Findings};
use crate::finish::Merged;
use crate::layer::{Layer, LayerKind};
use crate::node::{Data, Node, Origin};
use crate::schema;
use crate::shape::{Kind, Model, Shape};
use crate::types::mergeable::{Growth, Strategy};

/// What to change in one configuration to get another.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(try_from = "Map<String, Value>", into = "Map<String, Value>")]
pub struct Delta(Map<String, Value>);

/// Why a text is no difference of configurations.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("`{key}` holds a list with `null` in it, which no setting takes")]
pub struct DeltaError {
    key: String,
}

impl Delta {
    /// Whether nothing changes.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl TryFrom<Map<String, Value>> for Delta {
    type Error = DeltaError;

    fn try_from(changes: Map<String, Value>) -> Result<Self, Self::Error> {
        check_lists(&changes, &mut Vec::new())?;
        Ok(Self(changes))
    }
}

impl From<Delta> for Map<String, Value> {
    fn from(delta: Delta) -> Self {
        delta.0
    }
}

impl Config {
    /// What to change in this configuration to get `other`.
    pub fn difference(&self, other: &Self) -> Delta {
        // The model is not needed where nothing differs, and making it takes time.
        if self.app == other.app {
            return Delta::default();
        }
        let model = schema::model();
        match difference(model, self.tree(), other.tree(), &model.root) {
            Some(Value::Object(changes)) => Delta(changes),
            _ => Delta::default(),
        }
    }

    /// This configuration with the changes of `delta`, which errors and origins call `name`.
    pub fn with(&self, delta: &Delta, name: impl Into<String>) -> Result<Self, ConfigErrors> {
        let (set, unset) = taken_apart(&delta.0);
        let text = match Node::annotate(Value::Object(set), None) {
            Some(Node { data: Data::Table(table), .. }) => emit::table(&[], &table, None),
            _ => String::new(),
        };
        let layer = Layer::new(LayerKind::Delta, name, text);
        let (sources, number) = self.sources.and(layer);
        let model = schema::model();
        let mut errors = Findings::default();
        let mut merged = Merged::new(self.tree().clone());
        merged.aliased.clone_from(&self.noted.aliased);
        for path in unset {
            remove(&mut merged.root, model, &path, number, &mut errors);
        }
        for (_, source) in sources.given().filter(|(it, _)| *it == number) {
            lay_over(&mut merged, model, number, source, &mut errors);
        }
        Self::new(Arc::new(sources), |finish| finished(model, merged, errors, finish))
    }
}

/// What turns `base` into `wanted`; `None` if they are equal.
fn difference(model: &Model, base: &Node, wanted: &Node, shape: &Shape) -> Option<Value> {
    let shape = model.resolve(shape);
    match (&base.data, &wanted.data) {
        (Data::Table(base), Data::Table(wanted)) => {
            let below = |key: &str| model.child(shape, key).unwrap_or(Shape::anything());
            let new = wanted.iter().filter_map(|(key, entry)| {
                let change = match base.get(key) {
                    Some(it) => difference(model, &it.node, &entry.node, below(key))?,
                    None => whole(model, &entry.node, below(key)),
                };
                Some((key.clone(), change))
            });
            let gone = base.keys().filter(|key| !wanted.contains_key(*key));
            let gone = gone.map(|key| (key.clone(), Value::Null));
            let changes: Map<String, Value> = new.chain(gone).collect();
            (!changes.is_empty()).then_some(Value::Object(changes))
        }
        (Data::List(base), Data::List(wanted)) if only_grows(shape) => {
            let known: Vec<Value> = base.iter().map(Node::to_json).collect();
            let new = wanted.iter().map(Node::to_json).filter(|it| !known.contains(it));
            let new: Vec<Value> = new.collect();
            (!new.is_empty()).then_some(Value::Array(new))
        }
        _ if base.to_json() == wanted.to_json() => None,
        _ => Some(whole(model, wanted, shape)),
    }
}

/// The value itself, its lists in the form that replaces what is below them.
fn whole(model: &Model, node: &Node, shape: &Shape) -> Value {
    let shape = model.resolve(shape);
    match (&shape.kind, &node.data) {
        (Kind::Mergeable(_, Growth::Free), Data::List(_)) => {
            json!({ "strategy": Strategy::Replace.name(), "value": node.to_json() })
        }
        (_, Data::Table(table)) => {
            let below = |key: &str| model.child(shape, key).unwrap_or(Shape::anything());
            let pairs = table.iter();
            let pairs = pairs.map(|(key, it)| (key.clone(), whole(model, &it.node, below(key))));
            Value::Object(pairs.collect())
        }
        _ => node.to_json(),
    }
}

/// The keys to remove, each as the way to it.
type Unset = Vec<Vec<String>>;

/// What to set, and what to remove.
fn taken_apart(changes: &Map<String, Value>) -> (Map<String, Value>, Unset) {
    fn walk(
        changes: &Map<String, Value>,
        path: &mut Vec<String>,
        unset: &mut Unset,
    ) -> Map<String, Value> {
        let mut set = Map::new();
        for (key, change) in changes {
            path.push(key.clone());
            match change {
                Value::Null => unset.push(path.clone()),
                Value::Object(below) => {
                    let inner = walk(below, path, unset);
                    // A table that only removes things must not make one where there is none.
                    if !inner.is_empty() || below.is_empty() {
                        set.insert(key.clone(), Value::Object(inner));
                    }
                }
                value => {
                    set.insert(key.clone(), value.clone());
                }
            }
            path.pop();
        }
        set
    }
    let mut unset = Vec::new();
    let set = walk(changes, &mut Vec::new(), &mut unset);
    (set, unset)
}

/// Removes the key at `path`, unless a list that only grows would lose something.
fn remove(root: &mut Node, model: &Model, path: &[String], layer: u32, errors: &mut Findings) {
    let Some((last, before)) = path.split_last() else {
        return;
    };
    let before: Vec<&str> = before.iter().map(String::as_str).collect();
    let Some(table) = root.table_mut(&before) else {
        return;
    };
    let shape = model.at(path).unwrap_or(Shape::anything());
    if table.get(last).is_some_and(|it| holds_growing(model, &it.node, shape)) {
        let key = dotted::join(path);
        let message = format!("`{key}` cannot be removed: what it protects can only be extended");
        errors.push(Finding::new(Origin { layer, start: 0, end: 0 }, key, message));
        return;
    }
    table.shift_remove(last);
}

/// Whether something would be lost from a list that only grows.
fn holds_growing(model: &Model, node: &Node, shape: &Shape) -> bool {
    let shape = model.resolve(shape);
    match &node.data {
        Data::List(list) => only_grows(shape) && !list.is_empty(),
        Data::Table(table) => table.iter().any(|(key, it)| {
            model.child(shape, key).is_some_and(|shape| holds_growing(model, &it.node, shape))
        }),
        _ => false,
    }
}

fn only_grows(shape: &Shape) -> bool {
    matches!(shape.kind, Kind::Mergeable(_, Growth::Only))
}

fn check_lists(changes: &Map<String, Value>, path: &mut Vec<String>) -> Result<(), DeltaError> {
    fn holds_null(value: &Value) -> bool {
        match value {
            Value::Null => true,
            Value::Array(list) => list.iter().any(holds_null),
            Value::Object(map) => map.values().any(holds_null),
            _ => false,
        }
    }
    for (key, change) in changes {
        path.push(key.clone());
        match change {
            Value::Object(below) => check_lists(below, path)?,
            Value::Array(list) if list.iter().any(holds_null) => {
                return Err(DeltaError { key: dotted::join(path) });
            }
            _ => {}
        }
        path.pop();
    }
    Ok(())
}

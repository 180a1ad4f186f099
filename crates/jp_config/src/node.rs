//! The tree that layers are read into: values that know where they were written.
//!
//! It holds what both TOML and JSON can say, so there are no dates, no nulls and no numbers
//! without a value; the reader refuses those with an error of its own.

use indexmap::IndexMap;
use serde_json::{Map, Value};

/// A value and the place it was written.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Node {
    pub(crate) data: Data,
    pub(crate) origin: Origin,
}

/// The value itself.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Data {
    Bool(bool),
    Integer(i64),
    Float(f64),
    Text(String),
    List(Vec<Node>),
    Table(Table),
}

/// A table in the order its keys were first mentioned.
pub(crate) type Table = IndexMap<String, Entry>;

/// One key of a table: where the key was written, and its value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Entry {
    pub(crate) key: Origin,
    pub(crate) node: Node,
}

/// Where something was written: which layer, and which bytes of it. Layer 0 is the built-in
/// defaults, which have no text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Origin {
    pub(crate) layer: u32,
    pub(crate) start: u32,
    pub(crate) end: u32,
}

impl Origin {
    /// A built-in default.
    pub(crate) const DEFAULT: Self = Self { layer: 0, start: 0, end: 0 };

    pub(crate) fn is_default(self) -> bool {
        self.layer == 0
    }

    /// This origin, or `other` if this is a built-in default.
    pub(crate) fn or(self, other: Self) -> Self {
        if self.is_default() { other } else { self }
    }
}

/// What sort of value a node holds, for messages and for choosing between alternatives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sort {
    Bool,
    Integer,
    Float,
    Text,
    List,
    Table,
}

impl Sort {
    /// The value in a sentence, with its article.
    pub(crate) fn phrase(self) -> &'static str {
        match self {
            Self::Bool => "a boolean",
            Self::Integer => "an integer",
            Self::Float => "a float",
            Self::Text => "a string",
            Self::List => "a list",
            Self::Table => "a table",
        }
    }
}

impl Node {
    /// Whether nothing in it was written in a layer.
    pub(crate) fn is_default(&self) -> bool {
        self.origin.is_default()
            && match &self.data {
                Data::List(list) => list.iter().all(Self::is_default),
                Data::Table(table) => {
                    table.values().all(|it| it.key.is_default() && it.node.is_default())
                }
                Data::Bool(_) | Data::Integer(_) | Data::Float(_) | Data::Text(_) => true,
            }
    }

    pub(crate) fn empty_table(origin: Origin) -> Self {
        Self { data: Data::Table(Table::new()), origin }
    }

    pub(crate) fn sort(&self) -> Sort {
        match self.data {
            Data::Bool(_) => Sort::Bool,
            Data::Integer(_) => Sort::Integer,
            Data::Float(_) => Sort::Float,
            Data::Text(_) => Sort::Text,
            Data::List(_) => Sort::List,
            Data::Table(_) => Sort::Table,
        }
    }

    pub(crate) fn as_table(&self) -> Option<&Table> {
        match &self.data {
            Data::Table(table) => Some(table),
            _ => None,
        }
    }

    pub(crate) fn as_table_mut(&mut self) -> Option<&mut Table> {
        match &mut self.data {
            Data::Table(table) => Some(table),
            _ => None,
        }
    }

    pub(crate) fn as_text(&self) -> Option<&str> {
        match &self.data {
            Data::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The table at `path`, if every step is a table that has it.
    pub(crate) fn table_mut(&mut self, path: &[&str]) -> Option<&mut Table> {
        path.iter()
            .try_fold(self, |node, key| Some(&mut node.as_table_mut()?.get_mut(*key)?.node))?
            .as_table_mut()
    }

    /// About how many bytes the value takes.
    pub(crate) fn weight(&self) -> usize {
        let own = size_of::<Self>();
        own + match &self.data {
            Data::Bool(_) | Data::Integer(_) | Data::Float(_) => 0,
            Data::Text(text) => text.len(),
            Data::List(list) => list.iter().map(Self::weight).sum(),
            Data::Table(table) => table.iter().map(|(key, it)| key.len() + it.node.weight()).sum(),
        }
    }

    /// The value without its origins.
    pub(crate) fn to_json(&self) -> Value {
        match &self.data {
            Data::Bool(it) => Value::from(*it),
            Data::Integer(it) => Value::from(*it),
            Data::Float(it) => Value::from(*it),
            Data::Text(it) => Value::from(it.as_str()),
            Data::List(list) => list.iter().map(Self::to_json).collect(),
            Data::Table(table) => {
                let pairs = table.iter().map(|(key, it)| (key.clone(), it.node.to_json()));
                Value::Object(pairs.collect::<Map<_, _>>())
            }
        }
    }

    /// The value `json` with the origins that the same places have in `known`; what `known` does
    /// not have is a built-in default. Nulls stand for nothing and are left out.
    pub(crate) fn annotate(json: Value, known: Option<&Self>) -> Option<Self> {
        let origin = known.map_or(Origin::DEFAULT, |it| it.origin);
        let data = match json {
            Value::Null => return None,
            Value::Bool(it) => Data::Bool(it),
            Value::Number(it) => match it.as_i64() {
                Some(it) => Data::Integer(it),
                None => Data::Float(it.as_f64()?),
            },
            Value::String(it) => Data::Text(it),
            Value::Array(list) => Data::List(annotate_list(list, known)),
            Value::Object(map) => Data::Table(annotate_table(map, known)),
        };
        Some(Self { data, origin })
    }
}

fn annotate_list(list: Vec<Value>, known: Option<&Node>) -> Vec<Node> {
    let known = match known.map(|it| &it.data) {
        Some(Data::List(known)) => known.as_slice(),
        _ => &[],
    };
    let annotate = |(index, json)| Node::annotate(json, known.get(index));
    list.into_iter().enumerate().filter_map(annotate).collect()
}

fn annotate_table(map: Map<String, Value>, known: Option<&Node>) -> Table {
    let known = known.and_then(Node::as_table);
    let annotate = |(key, json): (String, Value)| {
        let known = known.and_then(|it| it.get(&key));
        let node = Node::annotate(json, known.map(|it| &it.node))?;
        Some((key, Entry { key: known.map_or(Origin::DEFAULT, |it| it.key), node }))
    };
    map.into_iter().filter_map(annotate).collect()
}

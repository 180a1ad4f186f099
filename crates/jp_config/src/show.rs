//! `config show`: the resolved configuration, or a part of it, for people and for programs, with
//! the place of every value if wanted.
//!
//! As TOML a table is a configuration that can be loaded again, and a single value is just that
//! value. With origins, a remark behind every value says `file:line`. As JSON with origins, each
//! key that is not a table becomes `"key": {"value": …, "origin": {"layer", "path", "line"}}`; a
//! list adds `"elements"`, the origins of its elements in their order.

use serde_json::{Map, Value, json};

use crate::config::Config;
use crate::dotted;
use crate::emit;
use crate::layer::LayerKind;
use crate::lookup::{Found, PathError};
use crate::node::{Data, Node, Origin};

/// The longest remark about a place; a value given by `--cfg` can be any length.
const MAX_REMARK: usize = 60;

/// How the configuration is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShowFormat {
    /// TOML.
    Toml,
    /// JSON.
    Json,
}

impl Config {
    /// The configuration, or the part of it at a dotted key, as text that ends with a line break.
    pub fn show(
        &self,
        path: Option<&str>,
        format: ShowFormat,
        origin: bool,
    ) -> Result<String, PathError> {
        let found = self.find(path)?;
        Ok(match (format, origin) {
            (ShowFormat::Toml, false) => toml(&found, None),
            (ShowFormat::Toml, true) => toml(&found, Some(&|node| self.remark(node.origin))),
            (ShowFormat::Json, false) => json_text(&found.node.to_json()),
            (ShowFormat::Json, true) => json_text(&self.explained(&found)),
        })
    }

    /// Where the value at a dotted key was written: `file:line`, or the layer if it has no lines.
    /// `None` if there is no such value.
    pub fn place(&self, path: &str) -> Option<String> {
        self.find(Some(path)).ok().map(|found| self.remark(found.node.origin))
    }

    /// Which sort of layer gave the value at a dotted key.
    pub fn layer(&self, path: &str) -> Option<LayerKind> {
        // Asked at every start, and mostly about a value whose place is known without the whole tree.
        let merged = self.merged(path).map(|node| node.origin);
        let origin = merged.or_else(|| Some(self.find(Some(path)).ok()?.node.origin))?;
        Some(self.sources.of(origin).kind)
    }

    /// Whether layers of these sorts have anything in them but white space.
    pub fn says_something(&self, is_meant: impl Fn(LayerKind) -> bool) -> bool {
        let mut layers = self.sources.given().filter(|(_, source)| is_meant(source.kind));
        layers.any(|(_, source)| !source.text.trim().is_empty())
    }

    /// What errors call the file that gave the value at a dotted key.
    pub fn file(&self, path: &str) -> Option<&str> {
        let origin = self.find(Some(path)).ok()?.node.origin;
        (!origin.is_default()).then(|| self.sources.of(origin).name.as_str())
    }

    /// Every value that is not a table, by its dotted key, with its origin.
    fn explained(&self, found: &Found<'_>) -> Value {
        let mut leaves = Map::new();
        self.collect(&mut found.path.clone(), &found.node, &mut leaves);
        Value::Object(leaves)
    }

    fn collect(&self, path: &mut Vec<String>, node: &Node, leaves: &mut Map<String, Value>) {
        if let Some(table) = node.as_table().filter(|it| !it.is_empty()) {
            for (key, entry) in table {
                path.push(key.clone());
                self.collect(path, &entry.node, leaves);
                path.pop();
            }
            return;
        }
        let mut leaf = json!({ "value": node.to_json(), "origin": self.origin(node.origin) });
        if let Data::List(list) = &node.data {
            leaf["elements"] = list.iter().map(|it| self.origin(it.origin)).collect();
        }
        leaves.insert(dotted::join(path), leaf);
    }

    fn origin(&self, origin: Origin) -> Value {
        let source = self.sources.of(origin);
        if source.kind == LayerKind::Default {
            return json!({ "layer": source.kind });
        }
        let line = self.sources.line_number(origin);
        json!({ "layer": source.kind, "path": source.name, "line": line })
    }

    pub(crate) fn remark(&self, origin: Origin) -> String {
        let source = self.sources.of(origin);
        match source.kind {
            LayerKind::Default => source.name.clone(),
            LayerKind::Assignment => match source.name.char_indices().nth(MAX_REMARK) {
                Some((end, _)) => format!("{}…", &source.name[..end]),
                None => source.name.clone(),
            },
            _ => format!("{}:{}", source.name, self.sources.line_number(origin)),
        }
    }
}

/// JSON with everything escaped that a terminal might act upon; such characters occur in strings
/// only, where the escape means the same.
fn json_text(value: &Value) -> String {
    let text = format!("{value:#}");
    let lines = text.lines().map(|line| dotted::printable(line) + "\n");
    lines.collect()
}

fn toml(found: &Found<'_>, remark: Option<emit::Remark<'_>>) -> String {
    match found.node.as_table() {
        Some(table) => emit::table(&found.path, table, remark),
        None => emit::value(&found.node, remark),
    }
}

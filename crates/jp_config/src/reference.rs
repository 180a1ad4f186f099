//! The reference of all keys, as a Markdown table made from the schema, so that the documentation
//! cannot say anything else than the program does.

use crate::dotted;
use crate::phrase;
use crate::schema;
use crate::shape::{Kind, Model, Shape};
use crate::types::mergeable::Growth;

/// A row for every key: its name, what it takes, its default, and what it is for.
pub fn reference() -> String {
    let model = schema::model();
    let mut rows = Rows { model, open: Vec::new(), text: String::new() };
    rows.text.push_str("| key | takes | default | |\n|---|---|---|---|\n");
    rows.below("", &model.root);
    rows.text
}

struct Rows<'a> {
    model: &'a Model,
    /// The definitions that are being described, to stop where one contains itself.
    open: Vec<&'a str>,
    text: String,
}

impl<'a> Rows<'a> {
    fn below(&mut self, prefix: &str, shape: &'a Shape) {
        if let Kind::Reference(name) = &shape.kind {
            if self.open.contains(&name.as_str()) {
                return;
            }
            self.open.push(name);
            self.below(prefix, self.model.resolve(shape));
            self.open.pop();
            return;
        }
        match &shape.kind {
            Kind::Table(table) => {
                for (key, shape) in &table.keys {
                    self.key(&format!("{prefix}{}", dotted::key(key)), shape);
                }
                if let Some(others) = &table.others
                    && !matches!(others.kind, Kind::Any)
                {
                    self.below(&format!("{prefix}<name>."), others);
                }
            }
            Kind::Either(either) => either.iter().for_each(|it| self.below(prefix, it)),
            _ => {}
        }
    }

    fn key(&mut self, key: &str, shape: &'a Shape) {
        if matches!(shape.kind, Kind::Never) {
            return;
        }
        // `"*"` has the keys of a tool, and `tools` those of `conversation.tools`.
        let elsewhere = key.ends_with("\"*\"") || key == "tools";
        if elsewhere || !self.is_section(shape) {
            self.row(key, shape);
        }
        if !elsewhere {
            self.below(&format!("{key}."), shape);
        }
    }

    /// Whether the keys below say it all.
    fn is_section(&self, shape: &Shape) -> bool {
        if matches!(&shape.kind, Kind::Reference(name) if self.open.contains(&name.as_str())) {
            return false;
        }
        match &self.model.resolve(shape).kind {
            Kind::Table(table) => table.others.is_none() && !table.keys.is_empty(),
            _ => false,
        }
    }

    fn row(&mut self, key: &str, shape: &Shape) {
        let default = match &shape.default {
            Some(default) => format!("`{default}`"),
            None => String::new(),
        };
        let description = shape.description.as_deref().unwrap_or_default();
        let mut takes = phrase::expected(self.model, shape);
        match shape.kind {
            Kind::Mergeable(_, Growth::Free) => takes.push_str(", merged"),
            Kind::Mergeable(_, Growth::Only) => takes.push_str(", merged, only grows"),
            _ => {}
        }
        let row = [format!("`{key}`"), takes, default, description.to_owned()];
        let cells = row.map(|it| it.replace('|', "\\|"));
        self.text.extend(["| ", &cells.join(" | "), " |\n"]);
    }
}

//! Checks a layer against the shape of the configuration. It reports everything that is wrong,
//! and takes what is wrong out of the tree, so that what is right can still be merged and checked
//! further.

use std::collections::HashSet;

use crate::dotted::{self, Step};
use crate::error::{Finding, Findings};
use crate::node::{Data, Entry, Node, Origin, Table};
use crate::phrase::{self, admits, brief, expected, hint, listed, one_of};
use crate::shape::{Kind, Model, Shape, TableShape};
use crate::suggest;
use crate::types::format::Format;
use crate::types::mergeable::{Growth, Strategy};

/// Checks layer after layer.
pub(crate) struct Checker<'a> {
    model: &'a Model,
    findings: &'a mut Findings,
    path: Vec<Step>,
    /// Tables that lost a key because it was wrong. That another key is missing from them may be
    /// the same mistake, so it is not reported again.
    pub(crate) damaged: HashSet<Vec<String>>,
}

impl<'a> Checker<'a> {
    pub(crate) fn new(model: &'a Model, findings: &'a mut Findings) -> Self {
        Self { model, findings, path: Vec::new(), damaged: HashSet::new() }
    }

    /// Checks a whole layer.
    pub(crate) fn layer(&mut self, root: &mut Node) {
        let model = self.model;
        self.node(root, &model.root);
    }

    /// Whether the value may stay.
    fn node(&mut self, node: &mut Node, shape: &Shape) -> bool {
        let shape = self.model.resolve(shape);
        match (&shape.kind, &mut node.data) {
            (Kind::Any, _)
            | (Kind::Boolean, Data::Bool(_))
            | (Kind::Number, Data::Integer(_) | Data::Float(_))
            | (Kind::Text(None), Data::Text(_)) => true,
            (Kind::Integer { min, max }, Data::Integer(it)) => {
                let within = min.is_none_or(|min| min <= *it) && max.is_none_or(|max| *it <= max);
                let found = it.to_string();
                within || self.wrong_value(node.origin, shape, &found)
            }
            (Kind::Text(Some(format)), Data::Text(it)) => self.format(*format, it, node.origin),
            (Kind::Choice(values), Data::Text(it)) => {
                values.contains(it) || self.not_one_of(node.origin, values, it)
            }
            (Kind::List(element) | Kind::Mergeable(element, _), Data::List(list)) => {
                self.elements(list, element);
                true
            }
            (Kind::Mergeable(element, growth), Data::Table(_)) => {
                self.strategy(node, element, *growth)
            }
            (Kind::Table(table), Data::Table(entries)) => {
                self.table(entries, table);
                true
            }
            (Kind::Either(either), _) => self.either(node, shape, either),
            _ => self.wrong_type(node, shape),
        }
    }

    fn table(&mut self, entries: &mut Table, shape: &TableShape) {
        let before = entries.len();
        entries.retain(|key, entry| {
            self.path.push(Step::Key(key.clone()));
            let keep = self.entry(key, entry, shape);
            self.path.pop();
            keep
        });
        if entries.len() < before {
            self.damaged.insert(keys(&self.path));
        }
    }

    fn elements(&mut self, list: &mut Vec<Node>, shape: &Shape) {
        let mut index = 0;
        list.retain_mut(|node| {
            self.path.push(Step::Element(index));
            let keep = self.node(node, shape);
            self.path.pop();
            index += 1;
            keep
        });
    }

    fn entry(&mut self, key: &str, entry: &mut Entry, table: &TableShape) -> bool {
        if let Some(shape) = table.keys.get(key) {
            return match shape.kind {
                Kind::Never => self.never(entry.key, shape),
                _ => self.node(&mut entry.node, shape),
            };
        }
        match (&table.others, table.names) {
            (None, _) => self.unknown_key(key, entry.key, table),
            (Some(shape), Some(format)) => {
                self.name(format, key, entry.key) && self.node(&mut entry.node, shape)
            }
            (Some(shape), None) => self.node(&mut entry.node, shape),
        }
    }

    /// Chooses the alternative by the sort of value, so that an error inside it is its own.
    fn either(&mut self, node: &mut Node, shape: &Shape, either: &[Shape]) -> bool {
        let sort = node.sort();
        match either.iter().find(|it| admits(self.model, it, sort)) {
            Some(chosen) => self.node(node, chosen),
            None => self.wrong_type(node, shape),
        }
    }

    /// A list with a strategy: `{ strategy = "…", value = […] }`, both there, nothing else.
    fn strategy(&mut self, node: &mut Node, element: &Shape, growth: Growth) -> bool {
        let origin = node.origin;
        let Some(entries) = node.as_table_mut() else {
            return true;
        };
        let before = self.findings.total();
        for (key, entry) in entries.iter_mut() {
            self.path.push(Step::Key(key.clone()));
            match (key.as_str(), &mut entry.node.data) {
                ("strategy", Data::Text(it)) => {
                    self.strategy_name(it, entry.node.origin, growth);
                }
                ("value", Data::List(list)) => self.elements(list, element),
                ("strategy", _) => self.expected(&entry.node, "a string"),
                ("value", _) => self.expected(&entry.node, "a list"),
                _ => self.unknown_in_strategy(key, entry.key),
            }
            self.path.pop();
        }
        let missing = ["strategy", "value"].into_iter().find(|it| !entries.contains_key(*it));
        if let Some(missing) = missing
            && self.findings.total() == before
        {
            let key = self.key();
            let message = format!("`{key}` has no `{missing}`");
            self.report(Finding::new(origin, key, message).help(
                "a list is written `[…]`, or `{ strategy = \"…\", value = […] }` to say how it \
                 joins the list of the layers below",
            ));
        }
        self.findings.total() == before
    }

    fn strategy_name(&mut self, name: &str, at: Origin, growth: Growth) {
        match Strategy::from_name(name) {
            Some(strategy) if growth.strategies().any(|it| it == strategy) => {}
            Some(_) => self.would_shorten(name, at),
            None => {
                let names = growth.strategies().map(Strategy::name).map(str::to_owned);
                self.not_one_of(at, &names.collect::<Vec<_>>(), name);
            }
        }
    }

    fn would_shorten(&mut self, strategy: &str, at: Origin) {
        let list = phrase::trail(&self.path[..self.path.len() - 1]);
        let message = format!(
            "`{list}` cannot be combined by `{strategy}`: the list can only be extended, so that \
             no layer takes away what another protects"
        );
        self.report(
            Finding::new(at, self.key(), message)
                .help("write a plain list; its elements are added to those of the layers below"),
        );
    }

    fn unknown_in_strategy(&mut self, key: &str, at: Origin) {
        let table = TableShape {
            keys: ["strategy", "value"].map(|it| (it.to_owned(), Shape::default())).into(),
            ..TableShape::default()
        };
        self.unknown_key(key, at, &table);
    }

    fn unknown_key(&mut self, key: &str, at: Origin, table: &TableShape) -> bool {
        let known: Vec<&str> = table.usable().collect();
        let parent = &self.path[..self.path.len() - 1];
        let place = if parent.is_empty() {
            String::new()
        } else {
            format!(" in `{}`", phrase::trail(parent))
        };
        let message = format!("unknown key `{}`{place}", brief(&dotted::key(key)));
        let near = suggest::nearest(key, known.iter().copied());
        let finding = Finding::new(at, self.key(), message);
        // A key may also be right and in the wrong table.
        let meant = near.map(dotted::key).or_else(|| self.model.elsewhere(key));
        self.report(match meant {
            Some(_) => finding.suggest(meant),
            None => finding.help(format!("known keys are {}", listed(&known))),
        })
    }

    fn never(&mut self, at: Origin, shape: &Shape) -> bool {
        let key = self.key();
        let message = format!("`{key}` cannot be set");
        let finding = Finding::new(at, key, message);
        self.report(match &shape.description {
            Some(reason) => finding.help(reason.as_str()),
            None => finding,
        })
    }

    fn name(&mut self, format: Format, name: &str, at: Origin) -> bool {
        let Err(error) = format.check(name) else {
            return true;
        };
        let message = format!("`{}` {}", brief(&dotted::key(name)), error.message);
        let finding = Finding::new(at, self.key(), message).suggest(error.suggestion);
        self.report(error.help.into_iter().fold(finding, Finding::help))
    }

    fn format(&mut self, format: Format, text: &str, at: Origin) -> bool {
        let Err(error) = format.check(text) else {
            return true;
        };
        let key = self.key();
        let message = format!("`{key}`: {} {}", brief(&dotted::quote(text)), error.message);
        let finding = Finding::new(at, key, message).suggest(error.suggestion);
        self.report(error.help.into_iter().fold(finding, Finding::help))
    }

    fn not_one_of(&mut self, at: Origin, values: &[String], text: &str) -> bool {
        let key = self.key();
        let quoted: Vec<String> = values.iter().map(|it| dotted::quote(it)).collect();
        let message =
            format!("`{key}` must be {}, found {}", one_of(&quoted), brief(&dotted::quote(text)));
        let near = suggest::nearest(text, values.iter().map(String::as_str));
        self.report(Finding::new(at, key, message).suggest(near))
    }

    fn wrong_value(&mut self, at: Origin, shape: &Shape, found: &str) -> bool {
        let key = self.key();
        let expected = expected(self.model, shape);
        let message = format!("`{key}` must be {expected}, found {}", brief(found));
        self.report(Finding::new(at, key, message))
    }

    fn wrong_type(&mut self, node: &Node, shape: &Shape) -> bool {
        let expected = expected(self.model, shape);
        let hint = hint(self.model, node, shape);
        let finding = self.mismatch(node, &expected);
        self.report(hint.into_iter().fold(finding, Finding::help))
    }

    fn expected(&mut self, node: &Node, expected: &str) {
        let finding = self.mismatch(node, expected);
        self.report(finding);
    }

    fn mismatch(&self, node: &Node, expected: &str) -> Finding {
        let key = self.key();
        let found = node.sort().phrase();
        let message = format!("`{key}` must be {expected}, found {found}");
        Finding::new(node.origin, key, message)
    }

    /// Reports, and says that the value cannot stay.
    fn report(&mut self, finding: Finding) -> bool {
        self.findings.push(finding);
        false
    }

    fn key(&self) -> String {
        phrase::trail(&self.path)
    }
}

/// The keys on the way, without the elements of lists: their numbers change in a merge.
fn keys(path: &[Step]) -> Vec<String> {
    let keys = path.iter().filter_map(|it| match it {
        Step::Key(key) => Some(key.clone()),
        Step::Element(_) => None,
    });
    keys.collect()
}

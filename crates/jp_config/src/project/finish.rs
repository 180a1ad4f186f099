//! What is wrong with `[project]` once all layers are merged: a backend without what it needs, a key
//! that the backend does not read, a secret that stands in the file.

use crate::error::{Finding, Findings};
use crate::node::{Entry, Node, Origin, Table};

/// A key of the table, the one backend that reads it, and what to write.
const KEYS: [(&str, &str, Need, &str); 3] = [
    ("path", "sqlite", Need::Must, "`path` is the file of the database"),
    ("scheme", "opendal", Need::Must, "`scheme` names the service, such as \"s3\""),
    ("options", "opendal", Need::May, ""),
];

/// Parts of names of options that hold secrets.
const SECRETS: [&str; 3] = ["secret", "password", "token"];

#[derive(PartialEq, Eq)]
enum Need {
    Must,
    May,
}

/// Checks the table.
pub(crate) fn check(root: &Node, errors: &mut Findings, warnings: &mut Findings) {
    let Some(table) = root.as_table().and_then(|it| it.get("project")?.node.as_table()) else {
        return;
    };
    let backend = table.get("backend").map(|it| &it.node);
    let name = backend.and_then(Node::as_text).unwrap_or("fs");
    let at = backend.map_or(Origin::DEFAULT, |it| it.origin);
    for (key, reader, need, help) in KEYS {
        match table.get(key) {
            None if reader == name && need == Need::Must => {
                let message =
                    format!("`project.backend` is \"{name}\", which needs `project.{key}`");
                errors.push(Finding::new(at, format!("project.{key}"), message).help(help));
            }
            // A layer above may choose another backend for once; what it left unused is no mistake.
            Some(entry) if reader != name && entry.key.layer >= at.layer => {
                warnings.push(unused(key, reader, name, entry));
            }
            _ => {}
        }
    }
    warn_of_secrets(table, warnings);
}

fn unused(key: &str, reader: &str, backend: &str, entry: &Entry) -> Finding {
    let message = format!(
        "`project.{key}` has no effect: `project.backend` is \"{backend}\", and only \"{reader}\" \
         reads it"
    );
    Finding::new(entry.key, format!("project.{key}"), message)
}

fn warn_of_secrets(table: &Table, warnings: &mut Findings) {
    let options = table.get("options").and_then(|it| it.node.as_table());
    for (name, entry) in options.into_iter().flatten() {
        let is_secret = SECRETS.iter().any(|it| name.to_ascii_lowercase().contains(it));
        let is_literal = entry.node.as_text().is_some_and(|it| !it.contains("${"));
        if is_secret && is_literal {
            let key = format!("project.options.{}", crate::dotted::key(name));
            let message = format!("`{key}` stands in the file as it is");
            warnings.push(
                Finding::new(entry.key, key, message)
                    .help("write `${NAME}`, and put it into the variable `NAME`"),
            );
        }
    }
}

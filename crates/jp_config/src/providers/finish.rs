//! What is wrong with `[providers]` once all layers are merged: a server that is both a program and a
//! service, or neither; a key that means nothing for the one it is; a secret that stands in the file; a server
//! of the user that a workspace would change.

mod auth;

use crate::conversation::tool::source::ToolSource;
use crate::conversation::tools::ALL_TOOLS;
use crate::dotted;
use crate::error::{Finding, Findings};
use crate::finish::Merged;
use crate::layer::LayerKind;
use crate::node::{Data, Entry, Node, Origin, Table};
use crate::source::Sources;

/// Keys that only a program has.
const OF_PROGRAM: [&str; 6] = ["arguments", "variables", "cwd", "access", "system", "checksum"];

/// Keys that only a service has.
const OF_SERVICE: [&str; 2] = ["headers", "auth"];

/// What is said of one tool and cannot be said of all tools of a server.
const OF_ONE_TOOL: [&str; 4] = ["parameters", "summary", "description", "examples"];

/// Parts of names whose values are secrets.
const SECRETS: [&str; 6] = ["secret", "password", "token", "authorization", "api-key", "api_key"];

/// Checks all servers, and the tools that stand for all tools of one.
pub(crate) fn check(
    merged: &Merged,
    sources: &Sources,
    errors: &mut Findings,
    warnings: &mut Findings,
) {
    let root = &merged.root;
    for (name, entry) in entries(root, &["providers", "mcp"]) {
        if let Some(server) = entry.node.as_table() {
            // What was wrong is not in the tree any more, and may be what seems to be missing.
            let is_damaged =
                merged.damaged.contains(&["providers", "mcp", name].map(String::from)[..]);
            if !is_damaged && !merged.incomplete {
                check_server(name, entry, server, errors);
                auth::check(name, server, sources, errors);
            }
            check_owner(name, &entry.node, sources, errors);
            warn_of_secrets(name, server, warnings);
        }
    }
    for (name, entry) in entries(root, &["conversation", "tools"]).filter(|it| it.0 != ALL_TOOLS) {
        if let Some(tool) = entry.node.as_table() {
            check_tool(name, tool, errors);
        }
    }
}

fn check_server(name: &str, entry: &Entry, server: &Table, errors: &mut Findings) {
    let path = |key: &str| dotted::join(&["providers", "mcp", name, key]);
    let of = dotted::join(&["providers", "mcp", name]);
    let (one, keys, instead) = match (server.get("command"), server.get("url")) {
        (Some(command), Some(url)) => {
            let message = format!("`{of}` has both `command` and `url`");
            errors.push(
                Finding::new(url.key, path("url"), message)
                    .related(command.key, "the other one")
                    .help(
                        "a server is a program that is started, or a service that is reached; \
                         take one away, in all layers",
                    ),
            );
            return;
        }
        (None, None) => {
            let message = format!("`{of}` has neither `command` nor `url`");
            errors.push(Finding::new(entry.key, path("command"), message).help(
                "`command` is the program to start, `url` the address of a server that runs elsewhere",
            ));
            return;
        }
        (Some(command), None) => {
            check_command(command, path("command"), errors);
            (command, &OF_SERVICE[..], "only for a server with `url`")
        }
        (None, Some(url)) => {
            (url, &OF_PROGRAM[..], "only for a server that is started by `command`")
        }
    };
    for key in keys {
        if let Some(wrong) = server.get(*key) {
            let message = format!("`{}` is {instead}", path(key));
            errors.push(
                Finding::new(wrong.key, path(key), message).related(one.key, "what this one is"),
            );
        }
    }
    check_directory(server, path("cwd"), errors);
}

/// A workspace may come from anybody. If it could change a part of a server that the user has set up, it
/// could send the user's secrets to a place of its own.
fn check_owner(name: &str, server: &Node, sources: &Sources, errors: &mut Findings) {
    let mut origins = Vec::new();
    collect(server, &mut origins);
    let of = |kinds: &[LayerKind]| {
        origins.iter().copied().find(|origin| kinds.contains(&sources.of(*origin).kind))
    };
    let (own, foreign) =
        (of(&[LayerKind::User]), of(&[LayerKind::Workspace, LayerKind::Directory]));
    if let (Some(own), Some(foreign)) = (own, foreign) {
        let key = dotted::join(&["providers", "mcp", name]);
        let message =
            format!("`{key}` is set in your own settings, and a workspace cannot change it");
        errors.push(
            Finding::new(foreign, key, message)
                .related(own, "yours")
                .help("give the server of the workspace another name, or take yours away"),
        );
    }
}

/// Where each value was written.
fn collect(node: &Node, origins: &mut Vec<Origin>) {
    match &node.data {
        Data::Table(table) => table.values().for_each(|entry| collect(&entry.node, origins)),
        Data::List(list) => list.iter().for_each(|node| collect(node, origins)),
        _ => origins.push(node.origin),
    }
}

/// A line of several words is the usual mistake: it would be looked for as one file.
fn check_command(command: &Entry, key: String, errors: &mut Findings) {
    let Some(text) = command.node.as_text() else { return };
    let words: Vec<&str> = text.split_whitespace().collect();
    let message = match words.as_slice() {
        [] => format!("`{key}` is empty"),
        [_] => return,
        _ if text.starts_with(['/', '.']) => return,
        _ => format!("`{key}` has several words"),
    };
    let quoted: Vec<_> = words.iter().skip(1).map(|word| dotted::quote(word)).collect();
    let finding = Finding::new(command.node.origin, key, message);
    errors.push(match words.first() {
        Some(first) => finding.help(format!(
            "write `command = {}` and `arguments = [{}]`",
            dotted::quote(first),
            quoted.join(", ")
        )),
        None => finding,
    });
}

/// A server starts in the workspace, because that is what its rules are about.
fn check_directory(server: &Table, key: String, errors: &mut Findings) {
    let Some(cwd) = server.get("cwd") else { return };
    let Some(text) = cwd.node.as_text() else { return };
    let leaves = text.is_empty()
        || text.starts_with(['/', '~'])
        || text.split('/').any(|part| part == "..")
        || text.contains(char::is_control);
    if leaves {
        let message = format!("`{key}` is not a directory below the root of the workspace");
        errors.push(Finding::new(cwd.node.origin, key, message));
    }
}

/// A tool with the source `mcp.<server>.*` stands for many.
fn check_tool(name: &str, tool: &Table, errors: &mut Findings) {
    let source = tool.get("source").and_then(|it| it.node.as_text()?.parse::<ToolSource>().ok());
    if source.as_ref().and_then(ToolSource::all_of).is_none() {
        return;
    }
    for key in OF_ONE_TOOL {
        if let Some(entry) = tool.get(key) {
            let key = dotted::join(&["conversation", "tools", name, key]);
            let message =
                format!("`{key}` is said of one tool, and this stands for all of a server");
            errors.push(Finding::new(entry.key, key, message).help(
                "give the tool that is meant an entry of its own, with \
                 `source = \"mcp.<server>.<tool>\"`",
            ));
        }
    }
}

fn warn_of_secrets(server: &str, table: &Table, warnings: &mut Findings) {
    for list in ["headers", "variables"] {
        let entries = table.get(list).and_then(|it| it.node.as_table());
        for (name, entry) in entries.into_iter().flatten() {
            let lower = name.to_ascii_lowercase();
            let is_secret = SECRETS.iter().any(|it| lower.contains(it));
            if is_secret && entry.node.as_text().is_some_and(|it| !it.contains("${")) {
                let key = dotted::join(&["providers", "mcp", server, list, name]);
                let message = format!("`{key}` stands in the file as it is");
                warnings.push(
                    Finding::new(entry.key, key, message)
                        .help("write `${JP_NAME}`, and put it into the variable `JP_NAME`"),
                );
            }
        }
    }
}

fn entries<'a>(root: &'a Node, path: &[&str]) -> impl Iterator<Item = (&'a str, &'a Entry)> {
    let table = path.iter().try_fold(root, |node, key| Some(&node.as_table()?.get(*key)?.node));
    let entries = table.and_then(Node::as_table).into_iter().flatten();
    entries.map(|(name, entry)| (name.as_str(), entry))
}

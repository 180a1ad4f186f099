//! What happens to the merged tree before it becomes the configuration: other names are given up
//! for their canonical ones, defaults of `"*"` reach every tool, and contradictions are reported.
//!
//! This sees the result of all layers. A layer may add to a tool that another defines, and
//! two layers may contradict each other without either being wrong alone.

use std::collections::{BTreeSet, HashSet};

use crate::conversation::tool::source::ToolSource;
use crate::conversation::tools::ALL_TOOLS;
use crate::dotted;
use crate::error::{Finding, Findings};
use crate::node::{Data, Entry, Node, Origin, Table};

/// Where tools are kept.
const TOOLS: [&str; 2] = ["conversation", "tools"];

/// Tables of a tool that `"*"` completes key by key; of everything else it gives the whole or
/// nothing, because half of a command is no command.
const COMPLETED: [&str; 2] = ["style", "questions"];

/// How many bytes of defaults may be given to all tools together.
const MAX_COPIED: usize = 16 * 1024 * 1024;

/// All layers in one tree, and what of them is missing because it was wrong.
pub(crate) struct Merged {
    pub(crate) root: Node,
    /// Tables that lost something, by their keys.
    pub(crate) damaged: HashSet<Vec<String>>,
    /// Whether a whole layer could not be read.
    pub(crate) incomplete: bool,
    /// The tools that are written `[tools.<name>]`.
    pub(crate) aliased: BTreeSet<String>,
}

impl Merged {
    pub(crate) fn new(root: Node) -> Self {
        let (damaged, aliased) = (HashSet::new(), BTreeSet::new());
        Self { root, damaged, incomplete: false, aliased }
    }
}

/// Puts the tools in their final form.
pub(crate) fn tools(merged: &mut Merged, errors: &mut Findings, warnings: &mut Findings) {
    unify_alias(merged, errors);
    let Some(tools) = merged.root.table_mut(&TOOLS) else {
        return;
    };
    let defaults = tools.get(ALL_TOOLS).map(|it| it.node.clone());
    if let Some(finding) = too_much(tools) {
        errors.push(finding);
        // The tools lack what they would have been given.
        merged.incomplete = true;
        return;
    }
    for (name, entry) in tools.iter_mut().filter(|(name, _)| *name != ALL_TOOLS) {
        if let Some(tool) = entry.node.as_table_mut() {
            check_tool(name, tool, errors, warnings);
            if let Some(defaults) = defaults.as_ref().and_then(Node::as_table) {
                complete(tool, defaults);
            }
        }
    }
}

/// Moves `[tools.<name>]` to `[conversation.tools.<name>]`, where no tool of that name may be.
fn unify_alias(merged: &mut Merged, errors: &mut Findings) {
    let alias = merged.root.as_table_mut().and_then(|it| it.shift_remove("tools"));
    let Some(Entry { node: Node { data: Data::Table(alias), .. }, .. }) = alias else {
        return;
    };
    let alias_keys = |it: &&Vec<String>| it.first().is_some_and(|it| it == "tools");
    let renamed: Vec<_> =
        merged.damaged.iter().filter(alias_keys).map(|it| canonical(it)).collect();
    merged.damaged.extend(renamed);
    let Some(tools) = merged.root.table_mut(&TOOLS) else {
        return;
    };
    merged.aliased.extend(alias.keys().cloned());
    for (name, entry) in alias {
        match tools.get(&name) {
            // The built-in defaults are nobody's choice, so the alias may speak for `"*"`.
            Some(there) if !there.key.is_default() => {
                errors.push(two_names(&name, entry.key, there.key));
                merged.damaged.insert(canonical(&["tools".to_owned(), name]));
            }
            Some(there) => {
                let mut node = entry.node;
                if let (Some(tool), Some(below)) = (node.as_table_mut(), there.node.as_table()) {
                    complete(tool, below);
                }
                tools.insert(name, Entry { key: entry.key, node });
            }
            None => {
                tools.insert(name, entry);
            }
        }
    }
}

/// Every tool gets its own copy of the defaults. A mebibyte of text can ask for gigabytes of them.
fn too_much(tools: &Table) -> Option<Finding> {
    let all = tools.get(ALL_TOOLS)?;
    let copies = all.node.weight().saturating_mul(tools.len());
    (copies > MAX_COPIED).then(|| {
        let key = dotted::join(&[TOOLS[0], TOOLS[1], ALL_TOOLS]);
        let message = format!("`{key}` holds too much to be given to {} tools", tools.len() - 1);
        Finding::new(all.key, key, message)
    })
}

/// The key below `conversation` for one that begins with `tools`.
fn canonical(alias: &[String]) -> Vec<String> {
    [&["conversation".to_owned()], alias].concat()
}

fn two_names(name: &str, alias: Origin, there: Origin) -> Finding {
    let name = dotted::key(name);
    let key = format!("conversation.tools.{name}");
    let message = format!("`tools.{name}` and `{key}` are the same tool");
    Finding::new(alias, key.clone(), message)
        .label(format!("here as `tools.{name}`"))
        .related(there, format!("here as `{key}`"))
        .help(
            "`tools` is another way to write `conversation.tools`; use one of them for a tool, \
             in all layers",
        )
}

/// Adds what a tool does not say itself.
fn complete(tool: &mut Table, defaults: &Table) {
    for (key, default) in defaults {
        match tool.get_mut(key) {
            None => {
                tool.insert(key.clone(), default.clone());
            }
            Some(own) if COMPLETED.contains(&key.as_str()) => {
                if let (Some(own), Some(default)) =
                    (own.node.as_table_mut(), default.node.as_table())
                {
                    for (key, entry) in default {
                        own.entry(key.clone()).or_insert_with(|| entry.clone());
                    }
                }
            }
            Some(_) => {}
        }
    }
}

/// What is wrong within one tool although each key is right.
fn check_tool(name: &str, tool: &Table, errors: &mut Findings, warnings: &mut Findings) {
    let Some(source_entry) = tool.get("source") else {
        return;
    };
    let source = source_entry.node.as_text().and_then(|it| it.parse::<ToolSource>().ok());
    let Some(source) = source else { return };
    let path = |key: &str| dotted::join(&[TOOLS[0], TOOLS[1], name, key]);

    if let (Some(from_source), Some(entry)) = (source.tool(), tool.get("tool"))
        && let Some(from_key) = entry.node.as_text()
        && from_source != from_key
    {
        let key = path("tool");
        let message = format!(
            "`{key}` is {}, but `source` already picks {}",
            dotted::quote(from_key),
            dotted::quote(from_source)
        );
        errors.push(
            Finding::new(entry.node.origin, key, message)
                .related(source_entry.node.origin, "picked here")
                .help("name the tool in one of the two"),
        );
    }
    check_access(name, tool, &source, source_entry.node.origin, errors);
    // `config show` prints the default for every tool, and what it prints has to load in silence.
    if let Some(entry) = tool.get("runtime")
        && !source.is_local()
        && entry.node.as_text() != Some("stdio")
    {
        let key = path("runtime");
        let message = format!("`{key}` has no effect: only local tools have a runtime");
        warnings.push(
            Finding::new(entry.key, key, message)
                .related(source_entry.node.origin, "this source is not local"),
        );
    }
}

/// Rules are for programs that we start: a builtin has its own, and a server on another machine
/// would not obey them. A rule that nobody enforces is worse than none.
fn check_access(
    name: &str,
    tool: &Table,
    source: &ToolSource,
    source_at: Origin,
    errors: &mut Findings,
) {
    let path = |key: &str| dotted::join(&[TOOLS[0], TOOLS[1], name, key]);
    let (access, sandbox) = (tool.get("access"), tool.get("sandbox"));
    let restricted = "can be restricted";
    let tables = [
        ("access", access, restricted),
        ("sandbox", sandbox, restricted),
        ("system", tool.get("system"), "are programs that we confine"),
    ];
    for (key, entry, only_local) in tables {
        if let Some(entry) = entry.filter(|_| !source.is_local()) {
            let message = format!(
                "`{}` on a tool whose source is `{source}`: only local tools {only_local}",
                path(key)
            );
            errors.push(
                Finding::new(entry.key, path(key), message)
                    .related(source_at, "this source is not local"),
            );
        }
    }
    if let (Some(access), Some(sandbox)) = (access, sandbox) {
        let message =
            format!("`{}` and `{}` say the same thing twice", path("access"), path("sandbox"));
        errors.push(
            Finding::new(sandbox.key, path("sandbox"), message)
                .related(access.key, "the other one")
                .help(
                    "`sandbox` is a shorter way to write `access`; use one of them, in all layers",
                ),
        );
    }
}

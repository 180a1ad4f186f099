//! What is wrong with `[sandbox]` and the `system` tables once all layers are merged: a layer may
//! open a place that another calls sensitive, without either being wrong alone.
//!
//! The home directory is not known here. That is the safe side: without it every directory is taken
//! for one, so `/home/me/.ssh` and `~/.ssh` are refused alike.

use jp_tool::access::SensitivePaths;

use camino::{Utf8Path, Utf8PathBuf};

use crate::conversation::tools::ALL_TOOLS;
use crate::dotted;
use crate::error::{Finding, Findings};
use crate::node::{Data, Node};

/// The lists of places that are opened to programs.
const OPENED: [&str; 2] = ["read", "write"];

/// Stands for the home directory and for the workspace in comparisons; no path begins like this.
const HOME: &str = "/~home";
const NOWHERE: &str = "/~workspace";

/// Checks the settings and gives the list of sensitive paths.
pub(crate) fn settings(
    root: &Node,
    errors: &mut Findings,
    warnings: &mut Findings,
) -> SensitivePaths {
    let patterns = elements(root, &["sandbox", "sensitive_paths"]);
    // What is below the workspace cannot be opened here, whatever its name.
    let is_outside =
        |it: &(&Node, &str)| ["~/", "/", "**/"].iter().any(|form| it.1.starts_with(form));
    let outside = patterns.iter().copied().filter(is_outside).collect::<Vec<_>>();
    let closed = extended(&outside, &mut Findings::default());
    refuse(root, &["sandbox"], &closed, errors);
    for (name, tool) in tools(root) {
        refuse(root, &["conversation", "tools", name, "system"], &closed, errors);
        warn_if_useless(name, tool, warnings);
    }
    for name in servers(root) {
        refuse(root, &["providers", "mcp", name, "system"], &closed, errors);
    }
    let all = extended(&patterns, errors);
    for (name, _) in tools(root) {
        refuse_list(root, &["conversation", "tools", name, "program_files"], &all, errors);
    }
    all
}

/// The built-in list and these patterns.
fn extended(patterns: &[(&Node, &str)], errors: &mut Findings) -> SensitivePaths {
    let mut paths = SensitivePaths::builtin();
    for (index, (node, pattern)) in patterns.iter().enumerate() {
        match paths.with(pattern) {
            Ok(longer) => paths = longer,
            Err(error) => {
                let key = format!("sandbox.sensitive_paths[{index}]");
                let message = format!("`{key}`: {error}");
                errors.push(Finding::new(node.origin, key, message));
                // Each form was checked before, so this is the limit, and it holds for the rest.
                // With an error there is no configuration, and so nobody who gets this list.
                return SensitivePaths::builtin();
            }
        }
    }
    paths
}

/// Refuses what is opened below `table` although it is sensitive.
fn refuse(root: &Node, table: &[&str], closed: &SensitivePaths, errors: &mut Findings) {
    for list in OPENED {
        refuse_list(root, &[table, &[list]].concat(), closed, errors);
    }
}

/// The same for the paths of one list.
fn refuse_list(root: &Node, list: &[&str], closed: &SensitivePaths, errors: &mut Findings) {
    for (index, (node, text)) in elements(root, list).into_iter().enumerate() {
        if let Some(pattern) = closed.find(Utf8Path::new(NOWHERE), None, &absolute(text)) {
            let key = format!("{}[{index}]", dotted::join(list));
            let message = format!(
                "`{key}`: {} is sensitive (`{pattern}`), and no program is let at it",
                dotted::quote(text)
            );
            errors.push(Finding::new(node.origin, key, message).help(
                "name the directories and files beside it that are needed; what is sensitive \
                 stays closed whatever is opened around it",
            ));
        }
    }
}

fn warn_if_useless(name: &str, tool: &Node, warnings: &mut Findings) {
    let get = |key: &str| tool.as_table().and_then(|it| it.get(key));
    let path = |key: &str| dotted::join(&["conversation", "tools", name, key]);
    let runtime = get("runtime").map(|it| &it.node);
    let is_vfs = runtime.and_then(Node::as_text) == Some("vfs");
    if let (Some(system), Some(runtime), true) = (get("system"), runtime, is_vfs) {
        let key = path("system");
        let message =
            format!("`{key}` has no effect: the program of a `vfs` tool opens nothing itself");
        warnings.push(
            Finding::new(system.key, key, message).related(runtime.origin, "this runtime is `vfs`"),
        );
    }
    if let (Some(files), false) = (get("program_files"), is_vfs) {
        let key = path("program_files");
        let message = format!("`{key}` has no effect: only the program of a `vfs` tool is sealed");
        warnings.push(
            Finding::new(files.key, key, message)
                .help("a program of another runtime is given files by `system.read`"),
        );
    }
}

fn absolute(text: &str) -> Utf8PathBuf {
    match text.strip_prefix('~') {
        Some(rest) => Utf8PathBuf::from(format!("{HOME}{rest}")),
        None => Utf8PathBuf::from(text),
    }
}

fn tools(root: &Node) -> impl Iterator<Item = (&str, &Node)> {
    let tools = at(root, &["conversation", "tools"]).and_then(Node::as_table);
    let named = tools.into_iter().flatten().map(|(name, entry)| (name.as_str(), &entry.node));
    named.filter(|(name, _)| *name != ALL_TOOLS)
}

fn servers(root: &Node) -> impl Iterator<Item = &str> {
    let servers = at(root, &["providers", "mcp"]).and_then(Node::as_table);
    servers.into_iter().flatten().map(|(name, _)| name.as_str())
}

/// The strings of a list.
fn elements<'a>(root: &'a Node, path: &[&str]) -> Vec<(&'a Node, &'a str)> {
    match at(root, path).map(|it| &it.data) {
        Some(Data::List(list)) => {
            list.iter().filter_map(|node| Some((node, node.as_text()?))).collect()
        }
        _ => Vec::new(),
    }
}

fn at<'a>(root: &'a Node, path: &[&str]) -> Option<&'a Node> {
    path.iter().try_fold(root, |node, key| Some(&node.as_table()?.get(*key)?.node))
}

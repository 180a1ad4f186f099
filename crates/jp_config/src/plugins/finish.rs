//! What is wrong with `[plugins]` once all layers are merged: rules of a plugin that a workspace wrote.
//!
//! A plugin belongs to the user, and so do its rules. A workspace may come from anybody; if it could write them,
//! it could put wide rules in the place of narrow ones.

use crate::dotted;
use crate::error::{Finding, Findings};
use crate::layer::LayerKind;
use crate::node::{Data, Node, Origin};
use crate::source::Sources;

/// Keys that say what a plugin can reach.
const OF_USER: [&str; 2] = ["access", "system"];

/// Refuses rules that stand in a file of the workspace.
pub(crate) fn check(root: &Node, sources: &Sources, errors: &mut Findings) {
    let table = |node: &Node, key: &str| {
        node.as_table().and_then(|table| table.get(key)).map(|entry| entry.node.clone())
    };
    let Some(plugins) = table(root, "plugins").and_then(|it| table(&it, "command")) else { return };
    for (id, entry) in plugins.as_table().into_iter().flatten() {
        for key in OF_USER {
            let Some(rules) = table(&entry.node, key) else { continue };
            if let Some(origin) = foreign(&rules, sources) {
                let key = dotted::join(&["plugins", "command", id, key]);
                let message = format!("`{key}` cannot be set by a workspace");
                errors.push(
                    Finding::new(origin, key, message).help(
                        "what a plugin may touch is for your own settings to say, or for --cfg",
                    ),
                );
            }
        }
    }
}

/// Where a file of the workspace has written something in there.
fn foreign(node: &Node, sources: &Sources) -> Option<Origin> {
    let is_foreign = |origin: Origin| {
        matches!(sources.of(origin).kind, LayerKind::Workspace | LayerKind::Directory)
    };
    let below = match &node.data {
        Data::Table(table) => table.values().find_map(|entry| foreign(&entry.node, sources)),
        Data::List(list) => list.iter().find_map(|node| foreign(node, sources)),
        _ => None,
    };
    below.or_else(|| is_foreign(node.origin).then_some(node.origin))
}

//! The tools that a new workspace starts with: those that only read run unattended, those that
//! change something ask.

use jp_config::ToolTable;
use serde_json::{Map, Value, json};

/// Name, what it does, and whether it changes anything.
const BUNDLED: [(&str, &str, bool); 8] = [
    ("fs_read_file", "Read a file, or some lines of it.", false),
    ("fs_list_files", "List the files of a directory.", false),
    ("fs_grep_files", "Search the contents of files.", false),
    ("fs_create_file", "Create a file.", true),
    ("fs_modify_file", "Change parts of a file.", true),
    ("fs_delete_file", "Delete a file.", true),
    ("fs_move_file", "Move or rename a file.", true),
    ("unix_utils", "Run small programs that work on text.", true),
];

/// The program that all of them are in; it describes the rest itself.
const PROGRAM: &str = "jp-tools";

pub(super) fn bundled() -> Vec<ToolTable> {
    BUNDLED
        .iter()
        .map(|(name, remark, changes)| ToolTable {
            name: (*name).to_owned(),
            remark: (*remark).to_owned(),
            keys: keys(*changes),
        })
        .collect()
}

fn keys(changes: bool) -> Map<String, Value> {
    let run = if changes { "ask" } else { "unattended" };
    [("source", json!("local")), ("command", json!(PROGRAM)), ("run", json!(run))]
        .into_iter()
        .map(|(key, value)| (key.to_owned(), value))
        .collect()
}

#[cfg(test)]
mod tests {
    use jp_config::{Config, Layer, conversation::tool::RunMode};

    use super::*;

    #[test]
    fn what_init_writes_is_a_valid_configuration() {
        let text = jp_config::template(&bundled());
        let config = Config::load(vec![Layer::workspace("config.toml", text)]).unwrap();
        for (name, _, changes) in BUNDLED {
            let expected = if changes { RunMode::Ask } else { RunMode::Unattended };
            assert_eq!(config.app.tool(name).unwrap().config.run, expected, "{name}");
        }
    }
}

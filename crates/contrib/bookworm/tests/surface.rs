//! What people see: help, README, the definitions of the tools.

use serde_json::json;

use crate::{
    session::{ERAS, Session},
    studio::{Studio, repository},
};

const NOTICE: &str = "Enable transitional JP tool protocol. \
                      Will be replaced by typed content blocks per RFD 058.";

/// D31-067
#[test]
fn help_has_the_notice() {
    for flag in ["-h", "--help"] {
        let output = Studio::new().command().arg(flag).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let line = text.lines().find(|line| line.contains("--jp")).unwrap_or_default();
        let rest = text.split("--jp").nth(1).unwrap_or_default();
        assert!(rest.trim_start().starts_with(NOTICE), "{line} in {text}");
    }
}

/// D31-069: the notice, and a link to RFD D31 that leads somewhere.
#[test]
fn the_readme_has_the_notice_and_the_link() {
    let text = include_str!("../README.md");
    assert!(text.contains(NOTICE));
    let link = text.split("[RFD D31](").nth(1).unwrap().split(')').next().unwrap();
    let (file, part) = link.split_once('#').unwrap();
    let file = repository().join("crates/contrib/bookworm").join(file);
    let target = std::fs::read_to_string(file).unwrap();
    assert_eq!(part, "d31-mcp-bridge");
    assert!(target.contains("## D31: MCP bridge"));
}

#[test]
fn tools_are_described() {
    let studio = Studio::new();
    for era in ERAS {
        let mut session = Session::start(&mut studio.command(), era, false);
        let list = session.request("tools/list", json!({}));
        let tools = list["result"]["tools"].as_array().unwrap();
        let names: Vec<_> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
        assert_eq!(
            names,
            [
                "find_crates",
                "crate_versions",
                "crate_info",
                "search_items",
                "crate_item",
                "item_source"
            ]
        );
        for tool in tools {
            assert!(tool["description"].as_str().unwrap().len() > 40, "{tool}");
            // Each of them builds or downloads, or can be told to, and a client that takes it for one
            // that only reads would not ask anybody first.
            let hints = json!({ "title": tool["annotations"]["title"], "readOnlyHint": false,
                "destructiveHint": false, "idempotentHint": true, "openWorldHint": true });
            assert_eq!(tool["annotations"], hints, "{tool}");
            assert_eq!(tool["inputSchema"]["type"], "object", "{tool}");
            assert_eq!(tool["inputSchema"]["additionalProperties"], false, "{tool}");
            for (name, schema) in tool["inputSchema"]["properties"].as_object().unwrap() {
                assert!(schema["description"].is_string(), "{name} of {tool}");
            }
        }
    }
}

//! What people read: the help and the README.

use jp_test::TestEnv;

const NOTICE: &str =
    "Enable transitional JP tool protocol. Will be replaced by typed content blocks per RFD 058.";
const README: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/README.md");

fn env() -> TestEnv {
    TestEnv::new(env!("CARGO_BIN_EXE_grizzly"))
}

/// D31-068: the notice stands after the flag, in one line.
#[test]
fn help_has_the_notice() {
    for flag in ["--help", "-h"] {
        let output = env().jp([flag]).run().success().to_string();
        let line = output.lines().find(|line| line.trim().starts_with("--jp")).unwrap();
        assert!(line.ends_with(NOTICE), "{line}");
    }
}

#[test]
fn help_names_every_flag() {
    let output = env().jp(["-h"]).run().success();
    insta::assert_snapshot!(output, @r"
    $ grizzly -h
    exit code: 0
    --- stdout
    Serve the notes of Bear to MCP clients on stdin and stdout, read-only

    Usage: grizzly [OPTIONS]

    Options:
          --database <PATH>         The database of Bear [default: where Bear keeps it, below the home directory]
          --max-database-mib <MIB>  The largest database that is read into memory, with its log [default: 512]
          --timeout-secs <SECONDS>  How long one call may take, with waiting for others and without waiting for a person [default: 10]
          --jp                      Enable transitional JP tool protocol. Will be replaced by typed content blocks per RFD 058.
      -h, --help                    Print help
      -V, --version                 Print version
    ");
}

/// D31-070: the notice and a link to RFD D31.
#[test]
fn the_readme_has_the_notice() {
    let readme = std::fs::read_to_string(README).unwrap();
    assert!(readme.contains(NOTICE));
    let link = readme.split("[RFD D31](").nth(1).and_then(|rest| rest.split(')').next()).unwrap();
    let file = link.split('#').next().unwrap();
    let file = std::path::Path::new(README).with_file_name(file);
    assert!(std::fs::read_to_string(file).unwrap().contains("D31"), "{link}");
}

/// Every tool and every argument that the server has is in the README.
#[test]
fn the_readme_names_every_tool_and_argument() {
    let readme = std::fs::read_to_string(README).unwrap();
    let lines = [
        r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        r#"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#,
        "",
    ];
    let output = env().jp(Vec::<String>::new()).stdin(lines.join("\n")).run().success().to_string();
    let answer = output.lines().find(|line| line.contains(r#""id":2"#)).unwrap();
    let answer: serde_json::Value = serde_json::from_str(answer).unwrap();
    let tools = answer["result"]["tools"].as_array().unwrap();
    assert_eq!(tools.len(), 4);
    for tool in tools {
        let name = tool["name"].as_str().unwrap();
        let row = readme.lines().find(|line| line.starts_with(&format!("| `{name}` |")));
        let row = row.unwrap_or_else(|| panic!("{name} is not in the README"));
        for argument in tool["inputSchema"]["properties"].as_object().unwrap().keys() {
            assert!(row.contains(&format!("`{argument}`")), "`{argument}` of {name}");
        }
    }
}

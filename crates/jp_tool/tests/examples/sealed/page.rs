//! What `docs/vfs.md` shows is what works: its tools are run, its lines are read.

use jp_tool::vfs::{ToHost, ToolNotification};

use super::*;

const PAGE: &str = include_str!("../../../../../docs/vfs.md");

/// The first block of code in this language.
fn block(language: &str) -> &'static str {
    let opening = format!("```{language}\n");
    PAGE.split(&*opening).nth(1).unwrap().split("```").next().unwrap()
}

#[test]
fn the_tool_in_rust_is_the_one_that_the_crate_shows() {
    // That one is compiled, as a part of the documentation.
    let source = include_str!("../../../src/vfs/client.rs");
    let lines = source.lines().filter_map(|line| line.strip_prefix("//!"));
    let shown: Vec<&str> = lines.map(|line| line.strip_prefix(' ').unwrap_or(line)).collect();
    assert!(shown.join("\n").contains(block("rust")), "docs/vfs.md shows another first tool");
}

#[test]
fn the_first_tools_in_other_languages_run() {
    // D11-265
    for (language, interpreter, how) in [
        ("python", "python3", "install the package python3"),
        ("js", "node", "install Node.js 20 or newer"),
        ("sh", "sh", "every Unix has one"),
    ] {
        let env = project();
        env.write("tool", block(language));
        let command = [find(interpreter, how), env.path("tool")];
        for (path, method, said) in
            [("docs/b.md", "result", "11 bytes"), ("docs/none.md", "error", "docs/none.md")]
        {
            let mut host = Host::start(&command, env.project());
            host.say(&init("run", &json!({ "path": path }).to_string(), &json!({})));
            let (found, params) = host.serve().unwrap();
            let text = params["content"].as_str().or(params["message"].as_str()).unwrap();
            assert_eq!(found, method, "{language}: {text}");
            assert!(text.contains(said), "{language}: {text}");
            assert_eq!(host.exit_code(), Some(0), "{language}");
        }
    }
}

#[test]
fn the_line_with_a_question_is_a_message() {
    // D11-043
    let line = block("json").trim_end();
    let Ok(ToHost::Notification(notification)) = ToHost::parse(line.as_bytes()) else {
        panic!("{line}")
    };
    assert!(matches!(ToolNotification::parse(&notification), Ok(ToolNotification::Result(_))));
    assert!(line.contains(r#"{"type":"question""#));
}

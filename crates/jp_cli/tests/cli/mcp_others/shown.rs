//! What a person sees of every kind of content.

#![expect(clippy::disallowed_methods, reason = "what was saved is no text, and read as it is")]

use jp_test::mcp::Program;

use super::{call, with_server};

/// D31-014, D31-016
#[test]
fn every_kind_of_content_is_shown() {
    let env = with_server(&Program::debug(), "");
    let shown = |kind: &str| {
        let arguments = [&format!("contentType={kind}"), "multipleBlocks=false"];
        call(&env, "debug-tool", &arguments).run().success().stdout().to_owned()
    };
    assert_eq!(shown("text"), "Debug text content\n");
    assert_eq!(
        shown("resource"),
        "debug://embedded-resource\n```\nEmbedded resource content\n```\n"
    );
    assert_eq!(shown("resourceLink"), "[Linked Resource: debug://linked-resource]\n");
    let files = [
        ("image", "[image/png, 70 bytes: ", "\u{89}PNG"),
        ("audio", "[audio/wav, 46 bytes: ", "RIFF"),
    ];
    for (kind, start, magic) in files {
        let text = shown(kind);
        let path = text.strip_prefix(start).and_then(|rest| rest.strip_suffix("]\n"));
        let path = path.unwrap_or_else(|| panic!("{text}"));
        let bytes = std::fs::read(path).unwrap();
        let magic: Vec<u8> = magic.chars().map(|c| c as u8).collect();
        assert!(bytes.starts_with(&magic), "{path}");
    }
}

/// The other server that has everything says some of it in other words.
#[test]
fn text_and_structure_and_bytes_are_shown_once() {
    let env = with_server(&Program::everything(), "");
    let shown = |tool: &str, arguments: &[&str]| {
        call(&env, tool, arguments).run().success().stdout().to_owned()
    };
    // D31-003: The content says the same as the structure beside it, and is what is shown.
    let text = shown("get-structured-content", &["location=Chicago"]);
    assert_eq!(text.matches("temperature").count(), 1, "{text}");
    let text = shown("get-resource-reference", &["resourceType=Text", "resourceId=3"]);
    assert!(text.contains("demo://resource/dynamic/text/3\n```\nResource 3: "), "{text}");
    let text = shown("get-resource-reference", &["resourceType=Blob", "resourceId=3"]);
    assert!(text.contains("[text/plain, "), "{text}");
    let text = shown("get-resource-links", &["count=1"]);
    assert!(text.contains("demo://resource/dynamic/"), "{text}");
}

/// D31-015
#[test]
fn a_failure_of_the_tool_is_a_failure_of_the_command() {
    let env = with_server(&Program::debug(), "");
    let output = call(&env, "debug-tool", &["simulateError=true"]).run().code(1);
    assert!(output.to_string().contains("Debug text content"), "{output}");
}

//! schemathesis makes requests from the document of the API and looks whether the answers keep to it.

use std::time::Duration;

use crate::support::World;

/// Which checks there are, and what they may take for a refusal. All of them are on.
const CONFIG: &str = include_str!("schemathesis.toml");

/// Values at the edges of what the document allows, and beyond them.
#[test]
fn the_api_keeps_to_its_document_at_the_edges() {
    check("examples,coverage");
}

/// Values by chance, and requests that build on the answers to others.
#[test]
fn the_api_keeps_to_its_document_whatever_comes() {
    check("fuzzing,stateful");
}

fn check(phases: &str) {
    let world = World::new();
    let line = r#"{"timestamp":"2026-03-18T13:19:00Z","type":"chat_response","message":"x"}"#;
    world.conversation(17_127_583_920, Some("T"), "2026-03-18T13:19:00Z", &format!("{line}\n"));
    let api = world.start();
    let env = &api.world.env;
    env.write("schemathesis.toml", CONFIG);
    let document = env.path("openapi.json");
    env.write(&document, &api.get("/v1/openapi.json").body);
    let url = format!("http://{}", api.address);
    let header = format!("Authorization: Bearer {}", api.token);
    let program = jp_test::find_tool("schemathesis/bin/st");
    let target = ["run", document.as_str(), "--url", &url, "--header", &header];
    let words = target.into_iter().chain(["--checks", "all", "--phases", phases]);
    let output = env.command(program, words).timeout(Duration::from_mins(4)).run();
    assert_eq!(output.exit_code(), Some(0), "{output}");
    assert_eq!(api.get("/v1/health").status, 200);
}

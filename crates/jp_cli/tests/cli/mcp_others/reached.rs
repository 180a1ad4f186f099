//! Each server, reached in the era and by the way that it has.

use jp_test::{
    TestEnv,
    mcp::{HttpServer, Program},
};

use super::{LIMIT, call, configure, with_server, world};

#[test]
fn a_server_over_pipes() {
    let env = with_server(&Program::everything(), "");
    let output = call(&env, "echo", &["message=hello"]).run().success();
    assert!(output.stdout().contains("Echo: hello"), "{output}");
}

#[test]
fn a_server_over_http() {
    let server = HttpServer::everything();
    let env = world();
    env.write(".jp/config.toml", format!("[providers.mcp.other]\nurl = {:?}\n", server.url));
    crate::mcp::allow(&env, &["other"]);
    let output = call(&env, "get-sum", &["a=19", "b=23"]).run().success();
    assert!(output.stdout().contains("42"), "{output}");
}

#[test]
fn facts_outlive_the_process() {
    let env = world();
    configure(&env, &Program::memory(&env.path("facts.jsonl")), "");
    let entity =
        r#"entities=[{"name":"Ada","entityType":"person","observations":["wrote notes"]}]"#;
    let _ = call(&env, "create_entities", &[entity]).run().success();
    let output = call(&env, "search_nodes", &["query=notes"]).run().success();
    assert!(output.stdout().contains("Ada"), "{output}");
}

#[test]
fn a_server_of_the_newer_era_is_listed_with_it() {
    let env = world();
    repository(&env);
    configure(&env, &Program::git(env.project()), "");
    let path = format!("repo_path={}", env.project());
    let output = call(&env, "git_log", &[&path]).run().success();
    assert!(output.stdout().contains("the first one"), "{output}");
    let output = env.jp(["mcp", "list"]).timeout(LIMIT).run().success();
    assert!(output.stdout().contains("2026-07-28"), "{output}");
}

/// The same tool, as a tool of the assistant.
#[test]
fn a_tool_of_a_server_is_a_tool_like_any_other() {
    let env = with_server(
        &Program::time(),
        "[conversation.tools.clock]\nsource = \"mcp.other.convert_time\"\nrun = \"unattended\"\n",
    );
    let arguments =
        r#"{"source_timezone":"Etc/UTC","time":"12:00","target_timezone":"Asia/Tokyo"}"#;
    let output =
        env.jp(["tool", "run", "clock", "--json", arguments]).timeout(LIMIT).run().success();
    assert!(output.stdout().contains("T21:00:00+09:00"), "{output}");
}

/// A repository with one commit.
fn repository(env: &TestEnv) {
    let identity = ["-c", "user.name=Test", "-c", "user.email=test@localhost"];
    let commit = ["commit", "--quiet", "--allow-empty", "-m", "the first one"];
    let _ = env.command("git", ["init", "--quiet"]).run().success();
    let _ = env.command("git", [&identity[..], &commit].concat()).run().success();
}

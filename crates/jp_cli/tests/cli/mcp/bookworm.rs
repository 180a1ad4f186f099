//! Our own server for the documentation of crates: it asks, the answer comes back, and it goes on.
#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

use std::time::Duration;

use camino::Utf8Path;
use jp_test::{Size, find_bin};

use super::*;

const WITHIN: Duration = Duration::from_mins(1);

/// A workspace that uses two versions of a crate, and the server in both of its ways to answer.
fn studio() -> TestEnv {
    let env = super::super::workspace();
    for version in ["1.0.0", "2.0.0"] {
        let manifest = format!(
            "[package]\nname = \"paint\"\nversion = \"{version}\"\nedition = \"2021\"\n\
             description = \"About paint\"\nlicense = \"MIT\"\nreadme = \"README.md\"\n"
        );
        let dir = format!("vendor/paint-{version}");
        env.write(format!("{dir}/Cargo.toml"), manifest);
        env.write(format!("{dir}/src/lib.rs"), "//! Paint.\n");
        env.write(format!("{dir}/README.md"), format!("# The paint of {version}\n"));
        let sums = json!({ "files": {}, "package": "0".repeat(64) });
        env.write(format!("{dir}/.cargo-checksum.json"), sums.to_string());
    }
    env.write(
        ".cargo/config.toml",
        "[source.crates-io]\nreplace-with = \"v\"\n[source.v]\ndirectory = \"vendor\"\n",
    );
    env.write(
        "Cargo.toml",
        "[package]\nname = \"studio\"\nversion = \"0.1.0\"\nedition = \"2024\"\n[dependencies]\n\
         old = { package = \"paint\", version = \"1\" }\nnew = { package = \"paint\", version = \"2\" }\n",
    );
    env.write("src/lib.rs", "");
    let locked = |version: &str| {
        format!(
            "[[package]]\nname = \"paint\"\nversion = \"{version}\"\nsource = \"registry+https://github.com/rust-lang/crates.io-index\"\nchecksum = \"{}\"\n\n",
            "0".repeat(64)
        )
    };
    let studio = "[[package]]\nname = \"studio\"\nversion = \"0.1.0\"\ndependencies = [\n \"paint 1.0.0\",\n \"paint 2.0.0\",\n]\n";
    let lock = format!("version = 4\n\n{}{}{studio}", locked("1.0.0"), locked("2.0.0"));
    env.write("Cargo.lock", lock);
    let program = find_bin("bookworm");
    let variables = format!("variables = {{ CARGO_HOME = '{}' }}", env.project().join(".home"));
    // What goes in and what comes out is written down on the way.
    let server = |name: &str, flags: &str| {
        format!(
            "[providers.mcp.{name}]\ncommand = 'sh'\n\
             arguments = ['-c', 'tee -a in.log | {program} {flags} | tee -a out.log']\n\
             system.read = ['{program}']\n{variables}\n"
        )
    };
    env.write(".jp/config.toml", server("jp", "--jp") + &server("native", ""));
    allow(&env, &["jp", "native"]);
    env
}

/// The same, where it is remembered of both servers that they speak the older era.
fn older_studio() -> TestEnv {
    let env = studio();
    for server in ["jp", "native"] {
        let _ = info(&env, server, &[]).run().success();
    }
    let eras = env.cache_home().join("jp/mcp/eras");
    let files: Vec<_> = eras.read_dir_utf8().into_iter().flatten().flatten().collect();
    assert_eq!(files.len(), 2);
    for file in files {
        env.write(file.path(), "legacy");
    }
    let listed = listed(&env, "era");
    assert_eq!(listed, ["legacy", "legacy"]);
    env
}

/// What `jp mcp list` says of both servers.
fn listed(env: &TestEnv, key: &str) -> Vec<Value> {
    let output = with_cargo(env.jp(["mcp", "list", "--format", "json"])).run().success();
    let rows = output.stdout().lines();
    let row = |line: &str| serde_json::from_str::<Value>(line).unwrap_or_default();
    rows.map(|line| row(line)[key].clone()).collect()
}

fn info<'a>(env: &'a TestEnv, server: &str, more: &[&str]) -> Run<'a> {
    let words = ["mcp", "call", server, "crate_info", "name=paint"];
    with_cargo(env.jp(words.iter().chain(more)))
}

fn with_cargo(run: Run<'_>) -> Run<'_> {
    let cargo = Utf8Path::new(env!("CARGO")).parent().unwrap_or(Utf8Path::new("/"));
    run.env("PATH", format!("{cargo}:/usr/bin:/bin")).timeout(WITHIN)
}

/// D31-077: the question is asked, the answer returns, and the tool completes: by `_meta` under `--jp`, by a
/// round without in the newer era, and inside the call in the older one.
#[test]
fn a_question_of_bookworm_is_answered_and_it_goes_on() {
    for (env, era) in [(studio(), "modern"), (older_studio(), "legacy")] {
        for server in ["jp", "native"] {
            for version in ["1.0.0", "2.0.0"] {
                let answer = format!("version={version}");
                let output = info(&env, server, &["--answer", &answer]).run().success();
                assert!(output.stdout().contains(&format!("The paint of {version}")), "{output}");
                // What was asked for was asked.
                assert_eq!(output.stderr(), "", "{output}");
            }
            // The newest is what it takes where nobody is there.
            let output = info(&env, server, &[]).run().success();
            assert!(output.stdout().contains("The paint of 2.0.0"), "{output}");
        }
        assert_eq!(listed(&env, "era"), [era, era]);
    }
}

/// D31-077: the same with a person at the terminal, who sees who asks.
/// The lines of a log since it was last read.
fn lines(env: &TestEnv, log: &str) -> Vec<Value> {
    let text = env.read(log);
    env.write(log, "");
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// D31-074, D31-077: the question is asked, the answer returns, by `_meta` under `--jp` and by a round
/// without, and the tool completes; of the envelopes that went over the wire nothing is shown.
#[test]
fn the_answer_goes_over_the_wire_as_each_protocol_has_it() {
    let env = studio();
    for server in ["jp", "native"] {
        for version in ["1.0.0", "2.0.0"] {
            let output =
                info(&env, server, &["--answer", &format!("version={version}")]).run().success();
            assert!(output.stdout().contains(&format!("The paint of {version}")), "{output}");
            // What was asked for was asked.
            assert_eq!(output.stderr(), "", "{output}");
            assert!(!output.stdout().contains("\"type\""), "{output}");
            let calls = lines(&env, "in.log");
            let calls: Vec<&Value> =
                calls.iter().filter(|line| line["method"] == "tools/call").collect();
            let results = lines(&env, "out.log");
            let results: Vec<&Value> = calls
                .iter()
                .filter_map(|call| results.iter().find(|line| line["id"] == call["id"]))
                .map(|line| &line["result"])
                .collect();
            let ([first, second], [asked, done]) = (calls.as_slice(), results.as_slice()) else {
                panic!("{server}: {calls:?} {results:?}")
            };
            assert_eq!(first["params"]["arguments"], second["params"]["arguments"]);
            let answers = &second["params"]["_meta"]["computer.jp/tool"]["answers"];
            let filled = second["params"].pointer("/inputResponses/version/content/version");
            if server == "jp" {
                assert_eq!(*answers, json!({ "version": version }), "{second}");
                assert_eq!(filled, None, "{second}");
                for (result, kind) in [(asked, "needs_input"), (done, "success")] {
                    assert_eq!(result["_meta"]["computer.jp/outcome"], json!({}), "{result}");
                    let text = result["content"][0]["text"].as_str().unwrap_or_default();
                    let envelope: Value = serde_json::from_str(text).unwrap();
                    assert_eq!(envelope["type"], kind, "{result}");
                }
            } else {
                assert_eq!(*answers, Value::Null, "{second}");
                assert_eq!(filled, Some(&json!(version)), "{second}");
                assert_eq!(asked["resultType"], "input_required", "{asked}");
                assert!(done.get("_meta").is_none(), "{done}");
            }
        }
        // The newest is what it takes where nobody is there.
        let output = info(&env, server, &[]).run().success();
        assert!(output.stdout().contains("The paint of 2.0.0"), "{output}");
        for log in ["in.log", "out.log"] {
            lines(&env, log);
        }
    }
}

#[test]
fn a_person_answers_bookworm_in_the_terminal() {
    for (env, era) in [(studio(), "modern"), (older_studio(), "legacy")] {
        for server in ["jp", "native"] {
            let mut pty = info(&env, server, &[]).pty(Size::default());
            let who = format!("crate_info of the MCP server {server} asks:");
            pty.expect(&who, WITHIN).expect("Which one?", WITHIN);
            pty.expect_keys(WITHIN).send("\u{1b}[B\r");
            let output = pty.wait(WITHIN).success();
            assert!(output.raw().contains("The paint of 1.0.0"), "{output}");
        }
        assert_eq!(listed(&env, "era"), [era, era]);
    }
}

//! Several conversations to a directory.

use jp_test::Signal;

use super::*;

const SAID: &str = "{\"timestamp\":\"2026-03-18T13:19:00Z\",\"type\":\"turn_start\"}\n\
    {\"timestamp\":\"2026-03-18T13:19:01Z\",\"type\":\"chat_request\",\"content\":\"Say *something*\"}\n";

/// A workspace with so many more conversations.
fn workspace_with(number: u64) -> TestEnv {
    let env = workspace();
    for n in 1..=number {
        let title = if n == 1 { "null".to_owned() } else { format!("\"Talk {n} <b>\"") };
        conversation(&env, &(17_127_583_920 + n).to_string(), &title, SAID);
    }
    env
}

fn names(env: &TestEnv, dir: &str) -> Vec<String> {
    let output = env.command("/bin/ls", ["-A", dir]).run().success();
    output.stdout().lines().map(str::to_owned).collect()
}

#[test]
fn all_of_them_with_an_index() {
    let env = workspace_with(2);
    for (form, extension) in [("html", "html"), ("markdown", "md"), ("json", "json")] {
        let output = jp(&env, &["export", "--all", "--format", form, "-o", form]).run().success();
        assert_eq!(output.stderr(), format!("{LEFT_OUT}Wrote 3 conversations to {form}\n"));
        let want = ["17127583920", "17127583921", "17127583922", "index"];
        assert_eq!(names(&env, form), want.map(|name| format!("{name}.{extension}")));
    }
    let index = env.read("html/index.html");
    assert!(
        index.contains("<a href=\"17127583922.html\" dir=\"auto\">Talk 2 &lt;b&gt;</a>"),
        "{index}"
    );
    assert!(index.contains("Say *something*"), "without a title it is how it began: {index}");
    assert!(env.read("html/17127583922.html").contains("<em>something</em>"));
    let index = env.read("markdown/index.md");
    assert!(index.contains("- [Talk 2 \\<b\\>](17127583922.md) · 2026-03-18 13:19 UTC"), "{index}");
    let index: serde_json::Value = serde_json::from_str(&env.read("json/index.json")).unwrap();
    let entry = index.as_array().unwrap().iter().find(|entry| entry["id"] == "17127583921");
    assert_eq!(entry.unwrap()["file"], "17127583921.json");
    assert_eq!(entry.unwrap()["turns"], 1);
}

#[test]
fn some_of_them_each_once() {
    let env = workspace_with(2);
    jp(&env, &["export", "3921", "3922", "17127583921", "--md", "-o", "out"]).run().success();
    assert_eq!(names(&env, "out"), ["17127583921.md", "17127583922.md", "index.md"]);
}

#[test]
fn a_directory_with_something_in_it_stays_without_force() {
    let env = workspace_with(1);
    env.write("out/index.md", "mine");
    let output = jp(&env, &["export", "--all", "-o", "out"]).run().code(1);
    assert!(
        output.stderr().contains("out exists and is not empty: `--force` writes into it"),
        "{output}"
    );
    assert_eq!(names(&env, "out"), ["index.md"]);
    jp(&env, &["export", "--all", "-o", "out", "--force"]).run().success();
    assert_eq!(names(&env, "out").len(), 3);
    assert!(env.read("out/index.md").starts_with("# Conversations"));
}

/// A bar is there for many, and only for people: `--quiet` has none.
#[test]
fn many_have_a_bar() {
    let env = workspace_with(60);
    let output = jp(&env, &["export", "--all", "-o", "out"]).run().success();
    let bar = "━".repeat(40);
    assert_eq!(
        output.stderr(),
        format!("Exporting 61 conversations {bar}\n{LEFT_OUT}Wrote 61 conversations to out\n")
    );
    assert_eq!(names(&env, "out").len(), 62);
    let output = jp(&env, &["--quiet", "export", "--all", "-o", "other"]).run().success();
    assert_eq!(output.stderr(), LEFT_OUT);
}

/// One that cannot be read keeps nobody else back.
#[test]
fn what_cannot_be_read_is_named_and_the_others_are_there() {
    let env = workspace_with(2);
    let line = format!("{{\"type\":\"chat_request\",\"content\":\"{}\"}}\n", "x".repeat(1 << 20));
    conversation(&env, "17127583930", "\"too long\"", &line.repeat(49));
    let run = jp(&env, &["export", "--all", "-o", "out"]);
    let output = run.run().code(1);
    assert!(output.stderr().contains("Wrote 3 conversations to out"), "{output}");
    assert!(output.stderr().contains("17127583930: "), "{output}");
    assert!(output.stderr().contains("1 conversation could not be read"), "{output}");
    assert_eq!(names(&env, "out").len(), 4);
    assert!(!env.read("out/index.md").contains("too long"));
}

/// Ctrl-C leaves nothing behind.
#[test]
fn stopped_in_the_middle_there_is_nothing() {
    let env = workspace();
    // Highlighting it takes as long as a block may take.
    let code = "fn main() { let x = \\\"a\\\"; }\\n".repeat(4_000);
    let said = format!("{{\"type\":\"chat_response\",\"message\":\"```rust\\n{code}```\"}}\n");
    for n in 1..=200_u64 {
        conversation(&env, &(17_127_583_920 + n).to_string(), "null", &said);
    }
    let run = jp(&env, &["export", "--all", "--html", "-o", "out"]);
    let running = run.spawn();
    running.expect_stderr("━");
    running.signal(Signal::INT);
    let output = running.wait().code(130);
    assert!(output.stderr().contains("stopped before everything was done"), "{output}");
    assert_eq!(names(&env, "."), [".jp"]);
}

/// Options say in which form and where to, and never lead out of the workspace.
#[test]
fn options_say_what_is_meant() {
    let env = workspace_with(1);
    let options = |text: &str| {
        env.write(".jp/config.toml", format!("[plugins.command.export.options]\n{text}\n"));
    };
    options("format = 'html'\ndirectory = 'talks'");
    let output = jp(&env, &["export"]).run().success();
    assert!(output.stdout().starts_with("<!DOCTYPE html>"), "{output}");
    let output = jp(&env, &["export", "--md"]).run().success();
    assert!(output.stdout().starts_with("# "), "{output}");
    env.write("deep/er/a", "");
    jp(&env, &["export", "--all"]).cwd("deep/er").run().success();
    assert_eq!(names(&env, "talks"), ["17127583920.html", "17127583921.html", "index.html"]);
    let beside = env.root().join("beside");
    env.write(beside.join("a"), "");
    std::os::unix::fs::symlink(&beside, env.project().join("beside")).unwrap();
    for outside in ["../talks", "/tmp/talks", "beside/talks"] {
        options(&format!("directory = '{outside}'"));
        let output = jp(&env, &["export", "--all"]).run().code(1);
        assert!(output.stderr().contains("is not inside of the workspace"), "{output}");
        jp(&env, &["export", "--all", "-o", "elsewhere", "--force"]).run().success();
    }
    options("fromat = 'html'");
    let output = jp(&env, &["export"]).run().code(1);
    let want = "`plugins.command.export.options` cannot be used: unknown field `fromat`, expected `format` or `directory`";
    assert!(output.stderr().contains(want), "{output}");
}

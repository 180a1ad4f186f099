//! The plugins of `examples/plugins`, through the real program.

use std::time::Duration;

use camino::Utf8PathBuf;
use jp_test::{Output, Size, TestEnv};

use super::{conversation, workspace};

fn directory() -> String {
    format!("{}/../../examples/plugins", env!("CARGO_MANIFEST_DIR"))
}

/// The example in Rust. It is beside this program if the whole workspace was built, and made otherwise.
pub(super) fn stats() -> Utf8PathBuf {
    let beside = Utf8PathBuf::from(env!("CARGO_BIN_EXE_jp"));
    let beside = beside.with_file_name("examples").join("jp-stats");
    if beside.exists() {
        return beside;
    }
    let manifest = format!("{}/../jp_plugin_sdk/Cargo.toml", env!("CARGO_MANIFEST_DIR"));
    super::tool_new::cargo(&["build", "--examples", "--manifest-path", &manifest]);
    super::tool_new::target().join("debug/examples/jp-stats")
}

/// Runs a plugin that the user trusts.
#[track_caller]
fn jp(env: &TestEnv, words: &[&str]) -> Output {
    let stats = stats();
    let stats = stats.parent().expect("a program is in a directory");
    let path = format!("{}:{stats}:/usr/bin:/bin", directory());
    let trusted = format!("plugins.command.{}.run=unattended", words[0]);
    let run = env.jp([&["--cfg", &trusted], words].concat()).env("PATH", path);
    run.timeout(Duration::from_mins(1)).run()
}

/// Titles that a shell would tear apart stay whole.
#[test]
fn titles_in_shell() {
    let env = workspace();
    conversation(&env);
    let odd = r#"{"title":"a  \"b\" $(c) 'd' \\ é","last_activated_at":"2026-03-19T13:19:00Z"}"#;
    env.write(".jp/conversations/17127583921/metadata.json", odd);
    env.write(
        ".jp/conversations/17127583922/metadata.json",
        r#"{"last_activated_at":"2026-03-17T13:19:00Z"}"#,
    );
    let output = jp(&env, &["titles"]).success();
    assert_eq!(output.stdout(), "a  \"b\" $(c) 'd' \\ é\nWhere is *main*?\n(untitled)\n");
}

#[test]
fn notes_in_shell() {
    let env = workspace();
    for note in ["one  \"two\" $(three)", "four"] {
        let output = jp(&env, &["note", note, "'five'"]).success();
        assert_eq!(output.stdout(), "");
        assert!(output.stderr().starts_with("Noted in conversation "), "{output}");
    }
    let shown = env.jp(["conversation", "ls", "--format", "json"]).run().success();
    assert_eq!(shown.stdout().lines().count(), 1, "the second note is in the same place: {shown}");
    let id: serde_json::Value =
        serde_json::from_str(shown.stdout().trim()).expect("a line of JSON");
    let id = id["id"].as_str().expect("an id").to_owned();
    let events = env.read(format!(".jp/conversations/{id}/events.jsonl"));
    assert!(events.contains(r#""content":"one  \"two\" $(three) 'five'""#), "{events}");
    assert!(events.contains(r#""content":"four 'five'""#), "{events}");
    let output = jp(&env, &["note"]).code(2);
    assert!(output.stderr().contains("nothing to note; see `jp note -h`"), "{output}");
}

/// `sys.exit` ends a plugin in order, as argparse uses it.
#[test]
fn an_exit_in_python() {
    let env = workspace();
    let helper = include_str!("../../../../examples/plugins/jp_plugin.py");
    let body = r#"
import argparse

def main(session):
    print("not lost")
    how = session.args[0]
    if how == "argparse":
        argparse.ArgumentParser(prog="jp leave").parse_args(["--what"])
    if how == "interrupted":
        raise KeyboardInterrupt
    if how == "no text":
        raise Fail("cannot read \udcff", 7)
    sys.exit({"nothing": None, "zero": 0, "three": 3, "true": True, "text": "because"}[how])

run({"name": "leave", "version": "1", "description": "Leaves"}, main)
"#;
    let path = env.root().join("bin/jp-leave");
    env.write(&path, format!("#!/usr/bin/env python3\n{helper}{body}"));
    env.command("/bin/chmod", ["+x", path.as_str()]).run().success();
    let path = format!("{}:/usr/bin:/bin", env.root().join("bin"));
    let rows = [
        ("nothing", 0, ""),
        ("zero", 0, ""),
        ("three", 3, ""),
        ("true", 1, ""),
        ("argparse", 2, ""),
        ("text", 1, "error: because\n"),
        ("no text", 7, "error: cannot read ?\n"),
        ("interrupted", 130, ""),
    ];
    for (how, code, said) in rows {
        let words =
            ["--cfg", "plugins.command.leave.run=unattended", "--log-file", "log", "leave", how];
        let output = env.jp(words).env("PATH", &path).run().code(code);
        assert_eq!(output.stderr(), said, "{how}");
        assert!(env.read("log").contains("not lost"), "{how}");
    }
}

/// Runs a script with a helper in front of it, which the user trusts.
#[track_caller]
fn with_helper(env: &TestEnv, first: &str, helper: &str, body: &str) -> Output {
    let file = env.root().join("bin/jp-step");
    env.write(&file, format!("{first}\n{helper}{body}"));
    env.command("/bin/chmod", ["+x", file.as_str()]).run().success();
    let path = format!("{}:/usr/bin:/bin", env.root().join("bin"));
    let words = ["--cfg", "plugins.command.step.run=unattended", "-v", "--log-file", "log", "step"];
    env.jp(words).env("PATH", path).run()
}

/// A text or a log that is refused is answered, though nobody asked; it is not taken for the next answer.
#[test]
fn answers_stay_in_step_in_python() {
    let env = workspace();
    let helper = include_str!("../../../../examples/plugins/jp_plugin.py");
    let body = r#"
def main(session):
    session.log("WARNING", "a level of Python")
    session.log("loud", "lost")
    session.send(type="print", text="\udcff")
    session.print("no text: \udcff\n")
    try:
        session.read_config("no.such")
        raise Fail("there is no such key")
    except Refused as refused:
        session.print("%s\n" % refused)
    with session.lock(session.create_conversation("Step")) as id:
        session.print("%s\n" % session.push_events(id, [{"type": "turn_start"}]))
        session.print("%s\n" % session.list_conversations()[0]["title"])

run({"name": "step", "version": "1", "description": "Steps"}, main)
"#;
    let output = with_helper(&env, "#!/usr/bin/env python3", helper, body).success();
    let lines: Vec<_> = output.stdout().lines().collect();
    assert_eq!((lines[0], &lines[2..]), ("no text: ?", &["1", "Step"][..]), "{output}");
    assert!(lines[1].contains("no.such") || lines[1].contains("`no`"), "{output}");
    let log = env.read("log");
    assert!(log.contains("a level of Python") && log.contains("jp: log: unknown level `loud`"));
}

#[test]
fn answers_stay_in_step_in_shell() {
    let env = workspace();
    let helper = include_str!("../../../../examples/plugins/jp-plugin.sh");
    let body = r#"
jp_begin '{"name": "step", "version": "1", "description": "Steps"}'
jp_log warning 'a level of Python'
jp_log loud lost
jp_print_as '{"text": 1}' lost
jp_request '{type: "read_config", path: "no.such"}' && jp_fail 'there is no such key'
jp_request '{type: "create_conversation", title: "Step"}' || jp_fail "$JP_ERROR"
jp_print "$(jp_get .type) "
jp_request '{type: "list_conversations"}' || jp_fail "$JP_ERROR"
jp_print "$(jp_get '.data[0].title')"
"#;
    let output = with_helper(&env, "#!/bin/sh", helper, body).success();
    assert_eq!(output.stdout(), "created Step", "{output}");
    let log = env.read("log");
    assert!(log.contains("a level of Python") && log.contains("jp: log: unknown level `loud`"));
}

/// What cannot be read ends the wait of everybody, with the reason.
#[test]
fn a_line_that_python_cannot_read_ends_the_plugin() {
    let env = jp_test::env!();
    let helper = include_str!("../../../../examples/plugins/jp_plugin.py");
    let body = r#"
def main(session):
    if not session.stopping.wait(60):
        raise Fail("nobody said that it is over")
    session.list_conversations()

run({"name": "step", "version": "1", "description": "Steps"}, main)
"#;
    env.write("step.py", format!("{helper}{body}"));
    let init = r#"{"type":"init","version":1,"args":[],"config":{}}"#;
    let (open, close) = ("[".repeat(100_000), "]".repeat(100_000));
    let deep = format!(r#"{{"type":"events","id":"1","data":[{{"x":{open}{close}}}]}}"#);
    let run = env.command("/usr/bin/env", ["python3", "step.py"]).env("PATH", "/usr/bin:/bin");
    let output = run.stdin(format!("{init}\n{deep}\n")).run().code(1);
    assert!(output.stdout().contains("what jp said cannot be read: "), "{output}");
}

#[test]
fn search_in_python() {
    let env = workspace();
    let id = conversation(&env);
    let output = jp(&env, &["search", "SRC/main"]).success();
    assert_eq!(output.stdout(), "  It is in **src/main.rs**:\n");
    assert_eq!(output.stderr(), format!("{id}  Where is *main*?\n"));
    assert_eq!(jp(&env, &["search", "nowhere to be found"]).code(1).stdout(), "");
    let output = jp(&env, &["search"]).code(2);
    assert!(output.stderr().contains("nothing to search for"), "{output}");
}

#[test]
fn stats_in_rust() {
    let env = workspace();
    conversation(&env);
    let output = jp(&env, &["stats", "--json"]).success();
    let counts: serde_json::Value = serde_json::from_str(output.stdout()).expect("JSON");
    assert_eq!((&counts["chat_response"], &counts["hologram"]), (&3.into(), &1.into()), "{output}");
    assert!(jp(&env, &["stats"]).success().stdout().contains("turn_start"));
    let output = jp(&env, &["stats", "--jsn"]).code(2);
    assert!(output.stderr().contains("unexpected argument `--jsn`; see `jp stats -h`"), "{output}");
}

/// 072-112, 072-113: whoever starts one by hand learns what it is, and sees no message.
#[test]
fn a_plugin_that_is_started_by_hand_explains_itself() {
    let env = jp_test::env!();
    let scripts = ["titles", "note", "search"].map(|name| format!("{}/jp-{name}", directory()));
    let programs = scripts.into_iter().chain([stats().into_string()]);
    for program in programs {
        let pty = env.command(&program, [] as [&str; 0]).pty(Size::default());
        let output = pty.wait(Duration::from_secs(20));
        assert!(output.raw().contains("plugin of jp"), "{program}: {}", output.raw());
        assert!(!output.raw().contains("\"type\""), "{program}: {}", output.raw());
        // Not even to a stdout of its own.
        let line = format!("{program} 2>err >out");
        let pty = env.command("/bin/sh", ["-c", &line]).pty(Size::default());
        drop(pty.wait(Duration::from_secs(20)));
        assert_eq!(env.read("out"), "", "{program}");
        assert!(env.read("err").contains("plugin of jp"), "{program}");
    }
}

/// The helpers are in the examples as they are, so what is tested is what is copied.
#[test]
fn the_helpers_are_in_the_examples() {
    for (helper, plugin) in [
        (
            include_str!("../../../../examples/plugins/jp-plugin.sh"),
            include_str!("../../../../examples/plugins/jp-note"),
        ),
        (
            include_str!("../../../../examples/plugins/jp_plugin.py"),
            include_str!("../../../../examples/plugins/jp-search"),
        ),
    ] {
        assert!(plugin.contains(helper), "copy the helper into {}", &plugin[..60]);
    }
    let page = include_str!("../../../../docs/plugins.md");
    let titles = include_str!("../../../../examples/plugins/jp-titles");
    assert!(page.contains(titles), "docs/plugins.md shows another jp-titles");
}

//! What tools write is shown, and never obeyed by the terminal.

use super::*;

/// Text with everything a terminal would act on: a title, a cleared screen, a cursor, a bell, a color,
/// and the one-byte form of the same.
const EVIL: &str =
    "A\\u001b]0;owned\\u0007B\\u001b[2J\\u001b[HC\\u0007\\u001b[31mD\\u009b2JE\\r\\u0008F";

/// Whether nothing of it got through.
fn is_clean(text: &str) -> bool {
    !text.contains("\u{1b}]0")
        && !text.contains("\u{1b}[2J")
        && !text.contains('\u{9b}')
        && !text.contains('\u{7}')
        && !text.contains('\u{8}')
        && !text.contains("\u{1b}[31mD")
}

fn is_harmless(output: &Output) {
    for text in [output.stdout(), output.stderr()] {
        assert!(is_clean(text), "{text:?}");
    }
}

#[test]
fn nothing_reaches_the_terminal() {
    let schema = format!(
        r#"{{"tools":[{{"name":"t","summary":"{EVIL}","description":"{EVIL}","examples":"{EVIL}","parameters":{{"p":{{"type":"string","default":"{EVIL}","summary":"{EVIL}","description":"{EVIL}"}},"q{EVIL}":{{"type":"string","default":"","enum":["","{EVIL}"]}}}}}}]}}"#
    );
    let env = workspace(&local("t", "./t.sh"));
    env.write("schema", &schema);
    let script = |body: &str| {
        format!(
            "read -r line\ncase $line in *'\"action\":\"schema\"'*) cat schema; exit;; esac\n{body}"
        )
    };
    program(&env, "t.sh", &script("printf '%b' \"$(cat raw)\""));
    env.write(
        "raw",
        EVIL.replace("\\u001b", "\\033")
            .replace("\\u0007", "\\007")
            .replace("\\u009b", "\\302\\233")
            .replace("\\u0008", "\\b"),
    );
    for args in [
        &["tool", "list"][..],
        &["tool", "show", "t"],
        &["tool", "run", "t"],
        &["tool", "run", "t", "x=1"],
        &["tool", "run", "t", "p:=5"],
        &["tool", "run", "t", &format!("q{}=z", "\u{1b}[2J")],
        &["tool", "run", "\u{1b}[2J"],
        &["--format", "json", "tool", "show", "t"],
        &["--format", "json", "tool", "run", "t"],
        &["-vv", "tool", "run", "t"],
    ] {
        is_harmless(&env.jp(args.to_vec()).run());
    }
    // The words around it are there.
    let output = run(&env, &["t"]).run().success();
    assert!(output.stdout().starts_with('A') && output.stdout().contains('C'), "{output}");
    for body in [
        "printf '%b' \"$(cat raw)\" >&2; exit 1".to_owned(),
        "printf '%b' \"$(cat raw)\"; exit 1".to_owned(),
        format!(
            "echo '{{\"type\":\"error\",\"message\":\"{EVIL}\",\"trace\":[\"{EVIL}\"]}}'; exit 1"
        ),
        format!(
            "echo '{{\"type\":\"needs_input\",\"question\":{{\"id\":\"{EVIL}\",\"text\":\"{EVIL}\",\"answer_type\":\"Text\"}}}}'"
        ),
        format!("echo '{{\"type\":\"error\",\"message\":\"{EVIL}\",\"transient\":true}}'; exit 1"),
    ] {
        program(&env, "t.sh", &script(&body));
        is_harmless(&env.jp(["-vv", "tool", "run", "t"]).run());
    }
    // A description that is none.
    program(&env, "t.sh", "printf '%b' \"$(cat raw)\"");
    is_harmless(&env.jp(["tool", "show", "t"]).run().code(2));
}

/// Prompts are drawn on the terminal itself, so what is in them matters most.
#[test]
fn questions_cannot_draw() {
    for answer_type in
        ["\"Boolean\"", "\"Text\"", &format!("{{\"Select\":{{\"options\":[\"{EVIL}\",\"b\"]}}}}")]
    {
        let question = format!(
            r#"{{"type":"needs_input","question":{{"id":"q","text":"{EVIL} really?","pre_amble":"{EVIL}","answer_type":{answer_type}}}}}"#
        );
        let env = workspace(&local("t", "./t.sh"));
        env.write("question", &question);
        program(
            &env,
            "t.sh",
            &(described("{}")
                + "case $line in *'\"answers\":{}'*) cat question;; *) echo done;; esac"),
        );
        let mut terminal = run(&env, &["t"]).pty(SIZE);
        terminal.expect("really?", LIMIT).send("y\r");
        let output = terminal.wait(LIMIT).success();
        for bad in ["\u{1b}]0", "\u{1b}[2J", "\u{9b}", "\u{1b}[31mD"] {
            assert!(!output.raw().contains(bad), "{answer_type}: {:?}", output.raw());
        }
    }
    // What the tool says about its own call, before it is permitted.
    let env = workspace(&local("t", "./t.sh").replace("unattended", "ask"));
    let script = described("{}").replace(
        "echo 'shown by the tool'",
        &format!("printf '%s\\n' '{{\"type\":\"success\",\"content\":\"{EVIL} shown\"}}'"),
    );
    program(&env, "t.sh", &script);
    let mut terminal = run(&env, &["t"]).pty(SIZE);
    terminal.expect("shown", LIMIT).expect("Run t?", LIMIT).send("n\r");
    let output = terminal.wait(LIMIT).code(5);
    for bad in ["\u{1b}]0", "\u{1b}[2J", "\u{9b}", "\u{1b}[31mD"] {
        assert!(!output.raw().contains(bad), "{:?}", output.raw());
    }
    // It is there to be seen.
    assert!(output.screen().contains(r"\u{1b}]0"), "{output}");
}

/// Names of tools come from the configuration, and it has none that could draw.
#[test]
fn names_cannot_draw() {
    let env = workspace(
        "[conversation.tools.\"a\\u001b[2Jb\"]\nsource = \"local\"\ncommand = \"cat\"\nparameters = {}\nrun = \"unattended\"\n",
    );
    for args in [&["tool", "list"][..], &["tool", "run", "a\u{1b}[2Jb"], &["tool", "run", "x"]] {
        is_harmless(&env.jp(args.to_vec()).run());
    }
    let output = env.jp(["tool", "run", "a\u{1b}[2Jb"]).pty(SIZE).wait(LIMIT);
    assert!(!output.raw().contains("\u{1b}[2J"), "{:?}", output.raw());
}

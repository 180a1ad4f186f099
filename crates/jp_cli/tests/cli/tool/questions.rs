//! What a tool asks, and who answers.

use jp_test::Signal;

use super::*;

/// Asks this question, and prints the line it was started with when it has an answer.
fn asking(question: &str) -> TestEnv {
    with_script(&format!(
        "{}case $line in *'\"answers\":{{}}'*) echo '{{\"type\":\"needs_input\",\"question\":{question}}}';;\n*) echo \"$line\";; esac",
        described("{}")
    ))
}

fn answers(output: &Output) -> Value {
    json(output)["tool"]["answers"].clone()
}

const BOOLEAN: &str = r#"{"id":"go","text":"Go on?","answer_type":"Boolean"}"#;
const TEXT: &str = r#"{"id":"go","text":"What now?","answer_type":"Text"}"#;
const SELECT: &str =
    r#"{"id":"go","text":"Which?","answer_type":{"Select":{"options":["left","right"]}}}"#;

/// `--answer` is read in the type that is asked for.
#[test]
fn an_answer_comes_with_the_call() {
    for (question, answer, expected) in [
        (BOOLEAN, "true", "true"),
        (BOOLEAN, "yes", "true"),
        (BOOLEAN, "n", "false"),
        (TEXT, "42", "\"42\""),
        (TEXT, "true", "\"true\""),
        (TEXT, "a=b", "\"a=b\""),
        (TEXT, "", "\"\""),
        (SELECT, "right", "\"right\""),
    ] {
        let env = asking(question);
        let output = run(&env, &["t", "--answer", &format!("go={answer}")]).run().success();
        let expected: Value = serde_json::from_str(expected).unwrap();
        assert_eq!(answers(&output)["go"], expected, "{question} {answer}");
    }
    for (question, answer, part) in [
        (BOOLEAN, "maybe", "expected true or false, not \"maybe\""),
        (SELECT, "up", "expected one of `left`, `right`, not \"up\""),
    ] {
        let env = asking(question);
        let output = run(&env, &["t", "--answer", &format!("go={answer}")]).run().code(2);
        assert!(output.stderr().contains(part), "{output}");
    }
    run(&asking(TEXT), &["t", "--answer", "go"]).run().code(2);
}

#[test]
fn an_answer_that_nobody_asked_for_is_mentioned() {
    let env = asking(BOOLEAN);
    let output = run(&env, &["t", "--answer", "go=true", "--answer", "og=true"]).run().success();
    assert_eq!(output.stderr(), "warning: --answer og: the tool did not ask that\n");
}

#[test]
fn an_answer_is_in_the_configuration() {
    let env = asking(BOOLEAN);
    let answer = "[conversation.tools.t.questions.go]\nanswer = true\n";
    env.write(".jp/config.toml", local("t", "./t.sh") + answer);
    assert_eq!(answers(&run(&env, &["t"]).run().success())["go"], true);
    // What is given with the call goes before it.
    let output = run(&env, &["t", "--answer", "go=false"]).run().success();
    assert_eq!(answers(&output)["go"], false);
    env.write(".jp/config.toml", local("t", "./t.sh") + &answer.replace("true", "\"later\""));
    let output = run(&env, &["t"]).run().code(2);
    assert!(output.stderr().contains("the answer that was set for `go` does not fit"), "{output}");
}

#[test]
fn where_nobody_can_be_asked_there_is_the_default_or_an_end() {
    let env = asking(&BOOLEAN.replace('}', r#","default":false}"#));
    assert_eq!(answers(&run(&env, &["t"]).run().success())["go"], false);
    // To have no default can be said in two ways.
    run(&asking(&BOOLEAN.replace('}', r#","default":null}"#)), &["t"]).run().code(3);
    insta::assert_snapshot!(run(&asking(BOOLEAN), &["t"]).run(), @r#"
    $ jp tool run t
    exit code: 3
    --- stderr
    error: the tool asks "Go on?", and nobody can answer
      it takes `true` or `false`
      `conversation.tools.t.questions.go.answer` answers the question `go` for every call
    hint: --answer ID=VALUE answers a question
    "#);
    // The assistant is nobody while there is none.
    let target = "[conversation.tools.t.questions.go]\ntarget = \"assistant\"\n";
    env.write(".jp/config.toml", local("t", "./t.sh") + target);
    assert_eq!(answers(&run(&env, &["t"]).run().success())["go"], false);
    let env = asking(BOOLEAN);
    env.write(".jp/config.toml", local("t", "./t.sh") + target);
    run(&env, &["t"]).pty(SIZE).wait(LIMIT).code(3);
}

/// On a terminal, each kind of question has its own prompt.
#[test]
fn a_person_answers() {
    for (question, prompt, keys, expected) in [
        (BOOLEAN, "Go on?", "y\r", "\"go\":true"),
        (BOOLEAN, "Go on?", "n\r", "\"go\":false"),
        (TEXT, "What now?", "a b\r", "\"go\":\"a b\""),
        (SELECT, "Which?", "\u{1b}[B\r", "\"go\":\"right\""),
        (SELECT, "Which?", "\r", "\"go\":\"left\""),
    ] {
        let env = asking(question);
        let mut terminal = run(&env, &["t"]).pty(SIZE);
        terminal.expect(prompt, LIMIT).send(keys);
        terminal.expect(expected, LIMIT);
        terminal.wait(LIMIT).success();
    }
}

/// The default is what one gets by pressing enter.
#[test]
fn enter_takes_the_default() {
    for (question, default, expected) in [
        (BOOLEAN, "true", "\"go\":true"),
        (TEXT, "\"x y\"", "\"go\":\"x y\""),
        (SELECT, "\"right\"", "\"go\":\"right\""),
    ] {
        let last = question.rfind('}').unwrap();
        let env = asking(&format!("{},\"default\":{default}}}", &question[..last]));
        let mut terminal = run(&env, &["t"]).pty(SIZE);
        terminal.expect("?", LIMIT).send("\r");
        terminal.expect(expected, LIMIT);
        terminal.wait(LIMIT).success();
    }
}

/// A block can ask for what only a schema describes. Whoever mistypes is asked again.
#[test]
fn a_question_with_a_schema() {
    let env = with_script(&format!(
        "{}case $line in *'\"answers\":{{}}'*) echo '{}';;\n*) echo \"$line\";; esac",
        described("{}"),
        r#"{"content":[{"type":"text","text":"Some lines first."},{"type":"question","question":{"id":"go","text":"How many?","schema":{"type":"integer","minimum":3}}}]}"#
    ));
    assert_eq!(answers(&run(&env, &["t", "--answer", "go=7"]).run().success())["go"], 7);
    run(&env, &["t", "--answer", "go=2"]).run().code(2);
    let mut terminal = run(&env, &["t"]).pty(SIZE);
    terminal.expect("Some lines first.", LIMIT).expect("How many?", LIMIT).send("2\r");
    terminal.expect("2 is less than the minimum of 3", LIMIT);
    terminal.expect("How many?", LIMIT).send("5\r");
    terminal.expect("\"go\":5", LIMIT);
    terminal.wait(LIMIT).success();
}

/// A schema of a question cannot make the host open something, or think for ever.
#[test]
fn a_hostile_schema_of_a_question() {
    for schema in [
        r#"{"$ref":"file:///etc/passwd"}"#,
        r#"{"$ref":"http://127.0.0.1:9/x"}"#,
        r#"{"type":"string","pattern":"^(a+)+$"}"#,
        r#"{"type":"no such type"}"#,
    ] {
        let env = with_script(&format!(
            "{}echo '{{\"content\":[{{\"type\":\"question\",\"question\":{{\"id\":\"go\",\"text\":\"?\",\"schema\":{schema}}}}}]}}'",
            described("{}")
        ));
        let answer = format!("go={}b", "a".repeat(60));
        run(&env, &["t", "--answer", &answer]).timeout(LIMIT).run().code(2);
    }
}

/// Control-C at a question is an interruption, whatever asks.
#[test]
fn control_c_at_a_question() {
    for question in [BOOLEAN, TEXT, SELECT] {
        let env = asking(question);
        let mut terminal = run(&env, &["t"]).pty(SIZE);
        terminal.expect("?", LIMIT).send("\u{3}");
        terminal.wait(LIMIT).code(130);
    }
}

/// A signal from elsewhere ends a question too.
#[test]
fn a_termination_at_a_question() {
    for signal in [Signal::TERM, Signal::INT] {
        let env = asking(BOOLEAN);
        let mut terminal = run(&env, &["t"]).pty(SIZE);
        terminal.expect("Go on?", LIMIT);
        terminal.signal(signal);
        terminal.wait(LIMIT).code(130);
    }
}

/// A tool that does not listen is not asked for ever.
#[test]
fn a_tool_that_asks_again() {
    let env = with_script(&format!(
        "{}echo '{{\"type\":\"needs_input\",\"question\":{BOOLEAN}}}'",
        described("{}")
    ));
    let output = run(&env, &["t", "--answer", "go=yes"]).run().code(1);
    assert!(output.stderr().contains("asked `go` again"), "{output}");
}

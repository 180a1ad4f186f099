//! Tools that are wrong in one thing each, and what is found.

use super::*;

/// A tool with one mistake.
struct Bad {
    /// What it does wrong, for the message of a test that fails.
    mistake: &'static str,
    describe: &'static str,
    show: &'static str,
    run: &'static str,
    /// Where it should be found, and what is said of it.
    found: (&'static str, &'static str, &'static str),
}

const GOOD: Bad = Bad {
    mistake: "nothing",
    describe: r#"echo '{"tools":[{"name":"t","summary":"Does nothing.","parameters":{}}]}'"#,
    show: "echo it",
    run: "echo done",
    found: ("run.good", "ok", "plain text"),
};

/// A description of a tool with one required text.
const WITH_TEXT: &str = r#"echo '{"tools":[{"name":"t","summary":"Says it.","parameters":{"text":{"type":"string","maxLength":1000}}}]}'"#;

/// Refuses what is not the text, and has it in `$text`.
const READ_TEXT: &str = r#"
case $line in *'"arguments":{"text":"'*) ;; *) fail 'argument `text`: expected a string' ;; esac
text=${line#*'"text":"'}; text=${text%%'"}'*}
[ ${#text} -lt 1000 ] || fail 'argument `text`: too long'
"#;

/// All at once: most of the time is spent waiting for a tool that takes too long.
fn check_all(tools: &[Bad]) {
    std::thread::scope(|scope| {
        for tool in tools {
            scope.spawn(|| check_one(tool));
        }
    });
}

fn check_one(tool: &Bad) {
    let env = jp_test::env!();
    let script = script(tool.describe, tool.show, tool.run);
    let (output, findings) = check(&env, &script, &["--timeout", "3"]);
    let (check, status, reason) = tool.found;
    assert!(has(&findings, check, status, reason), "{}: {output}", tool.mistake);
    let code = i32::from(findings.iter().any(|finding| finding["status"] == "fail"));
    assert_eq!(output.exit_code(), Some(code), "{}: {output}", tool.mistake);
}

/// The other way round: where nothing is wrong nothing is found, so the rows below mean something.
#[test]
fn a_good_tool_has_no_findings() {
    let env = jp_test::env!();
    let (output, findings) = check(&env, &script(GOOD.describe, GOOD.show, GOOD.run), &[]);
    assert_eq!(output.exit_code(), Some(0), "{output}");
    assert!(
        findings.iter().all(|it| it["status"] == "ok" || it["status"] == "skipped"),
        "{output}"
    );
    assert!(has(&findings, "run.good", "ok", "plain text"), "{output}");
    let with_text = format!("{READ_TEXT}\nprintf '%s\\n' \"$text\"");
    let (output, findings) = check(&env, &script(WITH_TEXT, "echo it", &with_text), &[]);
    let bad = |it: &&Value| it["status"] == "fail";
    assert_eq!(findings.iter().find(bad), None, "{output}");
}

#[test]
fn descriptions() {
    check_all(&[
        Bad {
            mistake: "no JSON",
            describe: "echo hello",
            found: ("schema", "fail", "not one JSON object"),
            ..GOOD
        },
        Bad {
            mistake: "a line beside the description",
            describe: r#"echo starting; echo '{"tools":[{"name":"t","summary":"s","parameters":{}}]}'"#,
            found: ("schema", "fail", "something else on stdout"),
            ..GOOD
        },
        Bad {
            mistake: "too slow",
            describe: "sleep 3",
            found: ("schema", "fail", "did not end within 2 seconds"),
            ..GOOD
        },
        Bad {
            mistake: "an exit code",
            describe: r#"echo '{"tools":[{"name":"t","summary":"s","parameters":{}}]}'; exit 3"#,
            found: ("schema", "fail", "exited with code 3"),
            ..GOOD
        },
        Bad {
            mistake: "writes a file",
            describe: r#"touch cache; echo '{"tools":[{"name":"t","summary":"s","parameters":{}}]}'"#,
            found: ("schema", "fail", "it changed cache"),
            ..GOOD
        },
        Bad {
            mistake: "an unknown type",
            describe: r#"echo '{"tools":[{"name":"t","summary":"s","parameters":{"a":{"type":"text"}}}]}'"#,
            found: ("schema", "fail", "parameter `a` of tool `t`: unknown variant `text`"),
            ..GOOD
        },
        Bad {
            mistake: "no parameters",
            describe: r#"echo '{"tools":[{"name":"t","summary":"s"}]}'"#,
            found: ("schema", "fail", "missing field `parameters`"),
            ..GOOD
        },
        Bad {
            mistake: "no tools",
            describe: r#"echo '{"tools":[]}'"#,
            found: ("schema.names", "fail", "describes no tool"),
            ..GOOD
        },
        Bad {
            mistake: "a name that is none",
            describe: r#"echo '{"tools":[{"name":"my tool","summary":"s","parameters":{}}]}'"#,
            found: ("schema.names", "fail", "\"my tool\" is no name"),
            ..GOOD
        },
        Bad {
            mistake: "a name twice",
            describe: r#"echo '{"tools":[{"name":"t","summary":"s","parameters":{}},{"name":"t","summary":"s","parameters":{}}]}'"#,
            found: ("schema.names", "fail", "`t` more than once"),
            ..GOOD
        },
        Bad {
            mistake: "another description each time",
            describe: r#"echo '{"tools":[{"name":"t","summary":"'$(date +%N)'","parameters":{}}]}'"#,
            found: ("schema.twice", "fail", "another one"),
            ..GOOD
        },
    ]);
}

#[test]
fn descriptions_of_one_tool() {
    check_all(&[
        Bad {
            mistake: "no summary",
            describe: r#"echo '{"tools":[{"name":"t","parameters":{}}]}'"#,
            found: ("schema.summary", "warning", "no `summary`"),
            ..GOOD
        },
        Bad {
            mistake: "an unknown word",
            describe: r#"echo '{"tools":[{"name":"t","summary":"s","parameters":{"a":{"type":"string","default":"x","minlength":1}}}]}'"#,
            found: (
                "schema.keywords",
                "warning",
                "`minlength` of `a` is not known and ignored; did you mean `minLength`?",
            ),
            ..GOOD
        },
        Bad {
            mistake: "a default of another type",
            describe: r#"echo '{"tools":[{"name":"t","summary":"s","parameters":{"a":{"type":"integer","default":"5"}}}]}'"#,
            found: ("schema.defaults", "fail", "the default of `a` does not fit it: \"5\""),
            ..GOOD
        },
        Bad {
            mistake: "a default that cannot be chosen",
            describe: r#"echo '{"tools":[{"name":"t","summary":"s","parameters":{"a":{"type":"string","enum":["x"],"default":"y"}}}]}'"#,
            found: ("schema.defaults", "fail", "the default of `a`"),
            ..GOOD
        },
        Bad {
            mistake: "a pattern that is none",
            describe: r#"echo '{"tools":[{"name":"t","summary":"s","parameters":{"a":{"type":"string","pattern":"["}}}]}'"#,
            found: ("schema.parameters", "fail", "not a regular expression"),
            ..GOOD
        },
        Bad {
            mistake: "actions without spawn",
            describe: r#"echo '{"tools":[{"name":"t","summary":"s","actions":["fetch","dance"],"parameters":{}}]}'"#,
            found: ("schema.actions", "fail", "no `spawn`"),
            ..GOOD
        },
    ]);
}

/// The same question in other words has to have the same answer.
#[test]
fn readers_that_do_not_tolerate() {
    const DESCRIBE: &str = r#"echo '{"tools":[{"name":"t","summary":"s","parameters":{}}]}'"#;
    let check = |condition: &str, found: (&str, &str)| {
        let env = jp_test::env!();
        let describe =
            format!("case $line in {condition}) fail 'what is that' ;; *) {DESCRIBE} ;; esac");
        let (output, findings) = check(&env, &script(&describe, "echo it", "echo done"), &[]);
        assert!(has(&findings, found.0, found.1, "not a description"), "{condition}: {output}");
    };
    check("*Schema*", ("schema.case", "warning"));
    check(r#"*'"name":""'*"#, ("schema.no_name", "fail"));
    check("*jp-check-other-name*", ("schema.other_name", "fail"));
    check(r#"*'"jp_check":'*"#, ("schema.fields", "fail"));
}

#[test]
fn forms() {
    check_all(&[
        Bad {
            mistake: "nearly an outcome",
            run: r#"echo '{"type":"success","content":"x","id":7}'"#,
            found: ("run.good", "fail", "unknown field `id`"),
            ..GOOD
        },
        Bad {
            mistake: "a line break in a string",
            run: r#"printf '{"type":"success","content":"a\nb"}\n'"#,
            found: ("run.good", "fail", "begins like an outcome but is not JSON"),
            ..GOOD
        },
        Bad {
            mistake: "an error without its message",
            run: r#"echo '{"type":"error","error":"x"}'; exit 1"#,
            found: ("run.good", "fail", "nearly an outcome"),
            ..GOOD
        },
        Bad {
            mistake: "a line beside the outcome",
            run: r#"echo working; echo '{"type":"success","content":"x"}'"#,
            found: ("run.good", "fail", "1 more line beside it"),
            ..GOOD
        },
        Bad {
            mistake: "blocks that nobody understands",
            run: r#"echo '{"content":[{"type":"words","words":[]}]}'"#,
            found: ("run.good", "fail", "none of the blocks"),
            ..GOOD
        },
        Bad {
            mistake: "an error with code 0",
            run: r#"echo '{"type":"error","message":"no"}'"#,
            found: ("run.good", "fail", "printed an error and exited with code 0"),
            ..GOOD
        },
        Bad {
            mistake: "a success with code 2",
            run: r#"echo '{"type":"success","content":"x"}'; exit 2"#,
            found: ("run.good", "fail", "printed a success and exited with code 2"),
            ..GOOD
        },
        Bad {
            mistake: "fails without a word",
            run: "exit 4",
            found: ("run.good", "fail", "exited with code 4 without a word"),
            ..GOOD
        },
        Bad {
            mistake: "the result on stderr",
            run: "echo done >&2",
            found: ("run.good", "fail", "its result is on stderr"),
            ..GOOD
        },
        Bad {
            mistake: "nothing",
            run: ":",
            found: ("run.good", "warning", "it printed nothing"),
            ..GOOD
        },
        Bad {
            mistake: "not UTF-8",
            run: r"printf 'a\377'",
            found: ("run.good", "fail", "not UTF-8, from byte 1 on"),
            ..GOOD
        },
    ]);
}

#[test]
fn ends() {
    check_all(&[
        Bad {
            mistake: "takes too long",
            run: "sleep 60",
            found: ("run.good", "fail", "did not end within 3 seconds"),
            ..GOOD
        },
        Bad {
            mistake: "prints without end",
            run: "yes",
            found: ("run.good", "fail", "wrote more than 10485760 bytes to stdout"),
            ..GOOD
        },
        Bad {
            mistake: "dies",
            run: "kill -SEGV $$",
            found: ("run.good", "fail", "was ended by SIGSEGV"),
            ..GOOD
        },
        Bad {
            mistake: "leaves a process",
            run: "sleep 30 > /dev/null 2>&1 & echo done",
            found: ("run.good", "fail", "ended before processes that it had started"),
            ..GOOD
        },
        Bad {
            mistake: "does not end when it is told to",
            run: r#"case $line in *'"arguments":{},"answers":{}'*) trap '' TERM; sleep 0.5; sleep 2.4 ;; esac; echo done"#,
            found: ("cancel", "fail", "still there 2 seconds after SIGTERM"),
            ..GOOD
        },
    ]);
}

#[test]
fn arguments() {
    let with = |run: &'static str| Bad { describe: WITH_TEXT, run, ..GOOD };
    check_all(&[
        Bad {
            found: ("run.missing", "fail", "plain text instead of an error"),
            ..with("echo done")
        },
        Bad { found: ("run.type", "fail", "plain text instead of an error"), ..with("echo done") },
        Bad {
            mistake: "does not say which argument is wrong",
            found: ("run.missing", "warning", "does not name `text`"),
            ..with("case $line in *'{\"text\":\"'*) echo done ;; *) fail wrong ;; esac")
        },
        Bad {
            mistake: "works before it looks",
            found: ("run.missing", "fail", "it changed log, though it should have refused"),
            ..with("touch log; case $line in *'{\"text\":\"'*) echo done ;; *) fail text ;; esac")
        },
        Bad {
            mistake: "needs what need not be given",
            describe: r#"echo '{"tools":[{"name":"t","summary":"s","parameters":{"a":{"type":"boolean","default":true}}}]}'"#,
            run: r#"case $line in *'"a":true'*) echo done ;; *) fail a ;; esac"#,
            found: ("run.required", "fail", "need not be given"),
            ..GOOD
        },
        Bad {
            mistake: "stumbles over answers",
            run: r#"case $line in *'"answers":{}'*) echo done ;; *) fail 'no answers please' ;; esac"#,
            found: ("run.other_answer", "fail", "did not ask"),
            ..GOOD
        },
        Bad {
            mistake: "shows nothing",
            show: ":",
            found: ("format_arguments", "fail", "nothing for a person"),
            ..GOOD
        },
        Bad {
            mistake: "works when it should show",
            show: "touch done; echo it",
            found: ("format_arguments", "fail", "it changed done, though it was asked to show"),
            ..GOOD
        },
    ]);
}

/// Tools that do not look at what they are given at all.
#[test]
fn readers_that_do_not_read() {
    let env = jp_test::env!();
    let describe = GOOD.describe;
    let blind = format!(
        "line=$(head -n 1)\ncase $line in *Schema* | *schema*) {describe} ;; *) echo done ;; esac"
    );
    let (output, findings) = check(&env, &blind, &[]);
    for (check, status, reason) in [
        ("run.no_input", "fail", "though nothing was asked"),
        ("run.garbage", "fail", "though nothing was asked"),
        ("run.unknown", "warning", "a misspelled argument does harm"),
    ] {
        assert!(has(&findings, check, status, reason), "{check}: {output}");
    }
}

#[test]
fn hostile_arguments() {
    let check = |run: &str, reason: &str| {
        let env = jp_test::env!();
        let run = format!("{READ_TEXT}\n{run}");
        let (output, findings) = check(&env, &script(WITH_TEXT, "echo it", &run), &[]);
        assert!(has(&findings, "run.hostile", "fail", reason), "{run}: {output}");
    };
    check(r#"sh -c "echo $text"; true"#, "a shell ran what stands in the argument");
    check(
        r"case $text in *'{{ 1234567 * 7654321 }}'*) echo $((1234567 * 7654321)) ;; esac; echo done",
        "worked out as a template",
    );
    check(r#"cat "$text" || fail "no such file""#, "read a file outside of the workspace");
}

#[test]
fn questions() {
    let ask = |question: &'static str| Bad { run: question, ..GOOD };
    check_all(&[
        Bad {
            mistake: "asks for ever",
            found: ("question.answer", "fail", "asks again what was answered"),
            ..ask(
                r#"echo '{"type":"needs_input","question":{"id":"a","text":"A?","answer_type":"Boolean"}}'"#,
            )
        },
        Bad {
            mistake: "a question of two lines",
            found: ("question", "fail", "more than a line"),
            ..ask(
                r#"case $line in *'"answers":{}'*) printf '%s\n' '{"type":"needs_input","question":{"id":"a","text":"A\nB?","answer_type":"Text"}}' ;; *) echo done ;; esac"#,
            )
        },
        Bad {
            mistake: "an id that is none, a default that does not fit",
            found: ("question", "fail", "its default is no answer to it"),
            ..ask(
                r#"case $line in *'"answers":{}'*) echo '{"type":"needs_input","question":{"id":"a b","text":"A?","answer_type":"Boolean","default":"yes"}}' ;; *) echo done ;; esac"#,
            )
        },
        Bad {
            mistake: "nothing to choose from",
            found: ("question", "fail", "nothing to choose from"),
            ..ask(
                r#"case $line in *'"answers":{}'*) echo '{"type":"needs_input","question":{"id":"a","text":"A?","answer_type":{"Select":{"options":[]}}}}' ;; *) echo done ;; esac"#,
            )
        },
        Bad {
            mistake: "an answer type that nobody knows",
            found: ("run.good", "fail", "unknown variant `Number`"),
            ..ask(
                r#"echo '{"type":"needs_input","question":{"id":"a","text":"A?","answer_type":"Number"}}'"#,
            )
        },
        Bad {
            mistake: "works before it asks",
            found: ("question", "fail", "it changed log before it was answered"),
            ..ask(
                r#"case $line in *'"answers":{}'*) touch log; echo '{"type":"needs_input","question":{"id":"a","text":"A?","answer_type":"Boolean"}}' ;; *) echo done ;; esac"#,
            )
        },
    ]);
}

#[test]
fn a_tool_can_be_named() {
    let env = jp_test::env!();
    let two = r#"echo '{"tools":[{"name":"a","summary":"s","parameters":{}},{"name":"b","summary":"s","parameters":{}}]}'"#;
    let script = script(two, "echo it", "echo done");
    let (output, findings) = check(&env, &script, &["--name", "b"]);
    assert_eq!(output.exit_code(), Some(0), "{output}");
    assert!(findings.iter().all(|finding| finding["tool"] != "a"), "{output}");
    let (output, findings) = check(&env, &script, &["--name", "c"]);
    assert_eq!(output.exit_code(), Some(1));
    assert!(has(&findings, "schema.named", "fail", "only [\"a\", \"b\"]"), "{output}");
    // The only tool of a program answers to any name.
    let (output, findings) =
        check(&env, &super::script(GOOD.describe, GOOD.show, GOOD.run), &["--name", "mine"]);
    assert!(findings.iter().any(|finding| finding["tool"] == "mine"), "{output}");
}

//! `jp tool trace`: the records of a trace as people see them, also hostile ones.

use std::fmt::Write as _;

use serde_json::Value;

const DOCUMENT: &str = include_str!("../../../../docs/protocols/trace.md");

/// The lines that stand in the document.
fn documented() -> Vec<&'static str> {
    let blocks = DOCUMENT.split("```json\n").skip(1);
    blocks.flat_map(|it| it.split("```").next().unwrap_or_default().lines()).collect()
}

/// A record that has what every record has, with this for the name of the tool, and this at its end.
fn record(tool: &str, more: &str) -> String {
    format!(
        "{{\"time\":\"then\",\"tool\":{tool},\"id\":null,\"decision\":\"none\",\"bytes_in\":1,\
         \"bytes_out\":1,\"micros\":0{more}}}"
    )
}

#[test]
fn every_line_of_the_document_is_a_record() {
    let lines = documented();
    assert_eq!(lines.len(), 9);
    let decisions = [
        "allowed",
        "denied",
        "denied",
        "asked_no",
        "asked_once",
        "asked_run",
        "asked_keep",
        "none",
        "none",
    ];
    for (line, decision) in lines.iter().zip(decisions) {
        let record: Value = serde_json::from_str(line).unwrap();
        assert_eq!(record["decision"], decision);
        for field in record.as_object().unwrap().keys() {
            assert!(DOCUMENT.contains(&format!("| `{field}` |")), "{field}");
        }
    }
    let env = super::workspace();
    env.write("trace", lines.join("\n"));
    let output = env.jp(["tool", "trace", "trace"]).env("TZ", "UTC").run().success();
    insta::assert_snapshot!(format!("{}{}", output.stdout(), output.stderr()), @r#"
    TIME          TOOL              REQUEST            DECISION     RESULT  MS          TARGET                                    RULE
    05:30:00.012  lint              fs.read            allowed      ok           0.084  src/main.rs                               read in "."
    05:30:00.015  lint              fs.write           denied       -32001       0.031  .git/config                               nothing in ".git"
    05:30:00.018  lint              fs.read            denied       -32602       0.014  ../../etc/passwd
    05:30:00.021  lint              http.get           asked: no    -32001    2100.456  https://example.com/list
    05:30:03.101  lint              process.run        asked: once  ok        5200.123  cargo
    05:30:09.402  lint              fs.rename          asked: run   ok        1800.999  a.txt → b.txt
    05:30:12.003  lint              fs.create_dir      asked: keep  ok         950.000  out
    05:30:14.004  lint              host.capabilities  -            ok           0.012  -
    05:30:14.105  lint              -                  -            -32700       0.007  -

    9 requests in 10.051 s: 1 allowed by rules, 3 denied, 4 asked about
    "#);
}

#[test]
fn only_what_was_denied_and_as_json() {
    let env = super::workspace();
    env.write("trace", documented().join("\n"));
    let output = env.jp(["tool", "trace", "trace", "--denied"]).env("TZ", "UTC").run().success();
    assert_eq!(output.stdout().lines().count(), 4, "{}", output.stdout());
    assert!(output.stderr().contains("9 requests"), "{}", output.stderr());
    let words = ["tool", "trace", "trace", "--denied", "--format", "json"];
    let output = env.jp(words).run().success();
    let codes: Vec<Value> = output
        .stdout()
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["code"].clone())
        .collect();
    assert_eq!(codes, [-32001, -32602, -32001]);
    // Fields that nobody knows are passed on.
    let record = record("\"t\"", ",\"later\":{\"a\":[1]}");
    env.write("new", &record);
    let output = env.jp(["tool", "trace", "new", "--format", "json"]).run().success();
    assert_eq!(output.stdout(), format!("{record}\n"));
}

#[test]
fn it_reads_what_is_piped_into_it() {
    let env = super::workspace();
    let output = env.jp(["tool", "trace", "-"]).stdin(documented().join("\n")).run().success();
    assert_eq!(output.stdout().lines().count(), 10);
}

#[test]
fn what_is_not_a_record_is_reported_and_the_rest_shown() {
    let env = super::workspace();
    let mut bytes = record("\"first\"", "").into_bytes();
    bytes.extend(b"\nnot json\n\n[1]\n");
    bytes.extend(record("7", "").bytes());
    bytes.extend(b"\n{\"tool\":\"\xff\"}\n{\"tool\":\"");
    bytes.extend("x".repeat(2 << 20).bytes());
    bytes.extend(b"\"}\n{\"a\":1}\n{\"a\":\n");
    bytes.extend(record("\"last\"", "").bytes());
    env.write("trace", &bytes);
    let output = env.jp(["tool", "trace", "trace"]).run().code(1);
    insta::assert_snapshot!(output.stdout(), @"
    TIME          TOOL              REQUEST            DECISION     RESULT  MS          TARGET                                    RULE
    then          first             -                  -            ok           0.000  -
    then          last              -                  -            ok           0.000  -
    ");
    insta::assert_snapshot!(output.stderr(), @"
    error: line 2: not a record: expected ident at column 2
    error: line 4: not a record: not a JSON object
    error: line 5: not a record: invalid type: integer `7`, expected a string
    error: line 6: not a record: not UTF-8 text
    error: line 7: not a record: longer than 1048576 bytes
    error: line 8: not a record: it has no `time`
    error: line 9: not a record: EOF while parsing a value at column 5

    2 requests in 0.000 s: 0 allowed by rules, 0 denied, 0 asked about
    ");
    env.write("many", "x\n".repeat(50));
    let output = env.jp(["tool", "trace", "many"]).run().code(1);
    assert!(output.stderr().contains("50 lines are not records"), "{}", output.stderr());
    assert!(output.stderr().lines().count() < 25);
    let output = env.jp(["tool", "trace", "nowhere"]).run().code(2);
    insta::assert_snapshot!(output.stderr(), @"error: cannot read nowhere: No such file or directory (os error 2)");
}

#[test]
fn hostile_text_writes_nothing_but_letters() {
    let env = super::workspace();
    let evil = "\\u001b]0;x\\u0007\\u001b[2J\\r\\n\\u202efdp";
    let mut line = String::from("{");
    for field in ["time", "tool", "method", "target", "decision", "rule", "code"] {
        let _ = write!(line, "\"{field}\":\"{evil}\",");
    }
    line += "\"id\":1,\"bytes_in\":1,\"bytes_out\":1,\"micros\":1}";
    env.write("trace", format!("{line}\nbroken {evil}\u{1b}[2J\n"));
    let output = env.jp(["tool", "trace", "trace"]).run().code(1);
    for text in [output.stdout(), output.stderr()] {
        let is_bad = |it: char| it.is_control() && it != '\n' || it == '\u{202e}';
        assert!(!text.contains(is_bad), "{text:?}");
    }
    assert_eq!(output.stdout().lines().count(), 2, "{}", output.stdout());
    let output = env.jp(["tool", "trace", "trace", "--format", "json"]).run().code(1);
    assert!(!output.stdout().contains('\u{1b}'));
}

#[test]
fn long_targets_are_cut_to_the_width_of_a_terminal() {
    let env = super::workspace();
    let target = "directory/".repeat(60);
    env.write("trace", record("\"t\"", &format!(",\"target\":\"{target}\"")));
    let size = jp_test::Size { rows: 24, cols: 120 };
    let limit = std::time::Duration::from_secs(20);
    let mut terminal = env.jp(["tool", "trace", "trace"]).pty(size);
    terminal.expect("1 request in", limit);
    let output = terminal.wait(limit).success();
    assert!(!output.screen().contains(&target));
    let whole = env.jp(["tool", "trace", "trace"]).run().success();
    assert!(whole.stdout().contains(&target));
}

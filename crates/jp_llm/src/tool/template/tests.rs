//! Command lines, filled in with harmless and with hostile values.

mod shell;

use jp_config::conversation::tool::command::CommandParts;
use proptest::prelude::*;
use serde_json::{Map, json};

use super::*;

fn line(text: &str) -> Command {
    Command::Line(text.to_owned())
}

fn parts(words: &[&str]) -> Command {
    let (program, args) = words.split_first().unwrap();
    let args = args.iter().map(|&word| word.to_owned()).collect();
    Command::Parts(CommandParts { program: (*program).to_owned(), args, shell: false })
}

fn call(arguments: serde_json::Value) -> serde_json::Value {
    let tool =
        json!({ "name": "grep", "arguments": {}, "answers": { "sure": true }, "options": {} });
    let context = json!({ "root": "/w s", "action": "run", "access": null });
    let mut call = json!({ "tool": tool, "context": context });
    call["tool"]["arguments"] = arguments;
    call
}

fn words(command: &Command, arguments: serde_json::Value) -> Vec<String> {
    let Rendered { program, args } =
        CommandTemplate::new(command).unwrap().render(&call(arguments)).unwrap();
    std::iter::once(program).chain(args).collect()
}

fn refused(command: &Command) -> String {
    CommandTemplate::new(command).unwrap_err().to_string()
}

fn refused_call(command: &Command, arguments: serde_json::Value) -> String {
    CommandTemplate::new(command).unwrap().render(&call(arguments)).unwrap_err().to_string()
}

/// D31-052: what a server reads in `_meta`, a template can use by the same names.
#[test]
fn a_template_can_use_the_whole_context() {
    let command =
        "t {{tool.arguments.a}} {{tool.answers.sure}} {{tool.options.site}} {{context.root}}";
    let mut call = call(json!({ "a": 1 }));
    call["tool"]["options"] = json!({ "site": "x" });
    let rendered = CommandTemplate::new(&line(command)).unwrap().render(&call).unwrap();
    assert_eq!(rendered.args, ["1", "true", "x", "/w s"]);
}

#[test]
fn a_word_that_a_shell_reads_takes_no_value() {
    for text in [
        "sh -c 'echo {{tool.arguments.a}}'",
        "bash -e -c 'echo {{tool.arguments.a}}'",
        "bash -c -e 'echo {{tool.arguments.a}}'",
        "env A=b /bin/bash -ec {{tool.arguments.a}}",
        "xargs -n 1 sh -c 'echo {{tool.arguments.a}}'",
        "su nobody -c {{tool.arguments.a}}",
        "su --command={{tool.arguments.a}} nobody",
        "env -S '{{tool.arguments.a}}'",
        "env -S{{tool.arguments.a}}",
        "ssh host ls {{tool.arguments.a}}",
    ] {
        let error = refused(&line(text));
        assert!(error.contains("as commands"), "{text}: {error}");
    }
    for text in [
        "sh -c 'echo \"$1\"' sh {{tool.arguments.a}}",
        "sh -e tool.sh {{tool.arguments.a}}",
        "env A={{tool.arguments.a}} ls -c",
        "wc -c {{tool.arguments.a}}",
    ] {
        assert!(CommandTemplate::new(&line(text)).is_ok(), "{text}");
    }
}

#[test]
fn a_line_is_split_before_it_is_filled_in() {
    let arguments = json!({ "a": "x y", "b": "$(z) \"'\\", "n": null, "deep": { "k": [1, "t"] } });
    let check = |text: &str, expected: &[&str]| {
        assert_eq!(words(&line(text), arguments.clone()), expected, "{text}");
    };
    check("wc -w", &["wc", "-w"]);
    check("  wc\t-w \n", &["wc", "-w"]);
    // D06-006
    check("t {{context.action}} {{ context.root }}", &["t", "run", "/w s"]);
    check("t {{tool.arguments.a}} {{tool.arguments.b}}", &["t", "x y", "$(z) \"'\\"]);
    check("t --a={{tool.arguments.a}}-{{tool.arguments.a}}", &["t", "--a=x y-x y"]);
    check("t 'a {{ tool.arguments.a }} b' \"{{tool.name}}\"", &["t", "a x y b", "grep"]);
    check("t {{ tool.arguments['a'] ~ \" }} '\" }}", &["t", "x y }} '"]);
    check("t {{ {\"a\": {\"b\": 1}} }}", &["t", "{\"a\":{\"b\":1}}"]);
    check("t {# a 'comment #}b", &["t", "b"]);
    check("t '{% if tool.answers.sure %}--yes please{% endif %}'", &["t", "--yes please"]);
    // Quotes and backslashes as in a shell.
    check(
        r#"t a\ b "c\d\"e" 'f\g' h'i'"j" '' """#,
        &["t", "a b", r#"c\d"e"#, r"f\g", "hij", "", ""],
    );
    check("t a\\\nb $HOME ~ * #x ;", &["t", "ab", "$HOME", "~", "*", "#x", ";"]);
    // Braces that were text stay text.
    check(
        r"t \{\{tool.name}} {'{tool.name}}' {a} }",
        &["t", "{{tool.name}}", "{{tool.name}}", "{a}", "}"],
    );
    check(r"t \{{tool.name}} \{{{tool.name}}", &["t", "{{tool.name}}", "{grep"]);
    // What is missing is empty, and an empty word stays a word.
    check(
        "t {{tool.arguments.zz}} {{tool.arguments.zz.y.x}} '' {{tool.arguments.n}}",
        &["t", "", "", "", ""],
    );
    check("t {{context.workspace_id}}", &["t", ""]);
    check(
        "t {{tool.arguments.deep}} {{tool.arguments.deep.k[0]}}",
        &["t", r#"{"k":[1,"t"]}"#, "1"],
    );
    check("t {% for k in tool.arguments.deep.k %}{{k}},{% endfor %}", &["t", "1,t,"]);
}

#[test]
fn parts_are_words_as_they_are() {
    let arguments = json!({ "a": "x y", "program": "p q" });
    let check = |command: &[&str], expected: &[&str]| {
        assert_eq!(words(&parts(command), arguments.clone()), expected, "{command:?}");
    };
    check(&["a b", "c \"d", "{e}", "f\\"], &["a b", "c \"d", "{e}", "f\\"]);
    check(&["{{tool.arguments.program}}", "-{{tool.arguments.a}}-\n"], &["p q", "-x y-\n"]);
    check(&["t", "{% for c in tool.arguments.a %}{{c}}.{% endfor %}"], &["t", "x. .y."]);
    check(&["t", "{% set b %}<{{tool.name}}>{% endset %}{{b}}{{b}}"], &["t", "<grep><grep>"]);
    check(&["t", ""], &["t", ""]);
}

#[test]
fn values_are_written_as_the_table_says() {
    let check = |value: serde_json::Value, expected: &str| {
        let arguments = json!({ "v": value.clone() });
        assert_eq!(words(&line("t {{tool.arguments.v}}"), arguments)[1], expected, "{value}");
    };
    check(json!("<a href='x'>&amp;\u{1b}[31m\n"), "<a href='x'>&amp;\u{1b}[31m\n");
    check(json!("{{tool.name}}{% for %}{#"), "{{tool.name}}{% for %}{#");
    check(json!(""), "");
    check(json!(null), "");
    check(json!(true), "true");
    check(json!(1.0), "1.0");
    check(json!(-7), "-7");
    check(json!(u64::MAX), "18446744073709551615");
    check(json!(1e300), "1e+300");
    check(json!([]), "[]");
    check(json!({ "z": 1, "a": [null, "<"] }), r#"{"z":1,"a":[null,"<"]}"#);
}

#[test]
fn the_whole_call_can_be_one_word() {
    let call = call(json!({ "b": 1, "a": "'" }));
    let template = CommandTemplate::new(&line("t {{tool}} {{context}}")).unwrap();
    let rendered = template.render(&call).unwrap();
    assert_eq!(rendered.args, [call["tool"].to_string(), call["context"].to_string()]);
}

#[test]
fn a_wrong_command_is_refused_when_it_is_read() {
    let check = |text: &str| refused(&line(text));
    insta::assert_snapshot!(check(""), @"the command is empty");
    insta::assert_snapshot!(check(" \t"), @"the command is empty");
    insta::assert_snapshot!(check("'' a"), @"the command is empty");
    insta::assert_snapshot!(check("a 'b"), @r#"the command ends inside quotes or after a backslash: "a 'b""#);
    insta::assert_snapshot!(check("a b\\"), @r#"the command ends inside quotes or after a backslash: "a b\\""#);
    insta::assert_snapshot!(check("a b\0"), @r#"the command contains a NUL character: "b\0""#);
    insta::assert_snapshot!(check("a --path={{tool.name"), @r#"in the command, "--path={{tool.name": unexpected end of input, expected end of variable block, at column 15"#);
    insta::assert_snapshot!(check("a {{tool..name}}"), @r#"in the command, "{{tool..name}}": unexpected `.`, expected identifier or integer, at column 8"#);
    insta::assert_snapshot!(check("a {% if tool %}b"), @r#"in the command, "{% if tool %}b": unexpected end of input, expected end of block, at column 14"#);
    insta::assert_snapshot!(check("a {% if tool %} {% endif %}"), @r#"in the command, "{% if tool %}": unexpected end of input, expected end of block, at column 12"#);
    insta::assert_snapshot!(check("a {% include 'x' %}"), @r#"in the command, "{% include 'x' %}": unknown statement include, at column 4"#);
    insta::assert_snapshot!(check("a {{tool.name | uper}}"), @r#"in the command, "{{tool.name | uper}}": unknown filter: filter uper is unknown, at column 15"#);
    insta::assert_snapshot!(check("a {{tool.name is wonderful}}"), @r#"in the command, "{{tool.name is wonderful}}": unknown test: test wonderful is unknown, at column 16"#);
    insta::assert_snapshot!(check("a {{tool.name.upper()}}"), @r#"in the command, "{{tool.name.upper()}}": unknown method: string has no method named upper, at column 12"#);
    insta::assert_snapshot!(check("a {{namespace()}}"), @r#"in the command, "{{namespace()}}": there is no `namespace`; there is `tool.name`, `tool.arguments`, `tool.answers`, `tool.options`, `context.root`, `context.action`, `context.access`, `context.workspace_id`, `context.conversation_id`"#);
    insta::assert_snapshot!(
        check("a '{% for a in range(9999) %}{% for b in range(9999) %}{{b}}{% endfor %}{% endfor %}'"),
        @r#"filling in "{% for a in range(9999) %}{% for b in range(9999) %}{{b}}{% endfor %}{% endfor %}" of the command takes too many steps"#
    );
    insta::assert_snapshot!(refused(&parts(&["a", "b\n {{tool.}}"])), @r#"in the command, "b\n {{tool.}}": unexpected end of variable block, expected identifier or integer, at line 2, column 9"#);
    insta::assert_snapshot!(refused(&parts(&[""])), @"the command is empty");
}

#[test]
fn a_name_that_no_call_has_is_refused_with_the_nearest() {
    let check = |text: &str| refused(&line(&format!("a {text}")));
    insta::assert_snapshot!(check("{{tool.argument.x}}"), @r#"in the command, "{{tool.argument.x}}": there is no `tool.argument`; did you mean `tool.arguments`?"#);
    insta::assert_snapshot!(check("{{context.rot}}"), @r#"in the command, "{{context.rot}}": there is no `context.rot`; did you mean `context.root`?"#);
    insta::assert_snapshot!(check("{{tol.arguments.x}}"), @r#"in the command, "{{tol.arguments.x}}": there is no `tol`; did you mean `tool`?"#);
    insta::assert_snapshot!(check("{{arguments.path}}"), @r#"in the command, "{{arguments.path}}": there is no `arguments`; did you mean `tool.arguments.path`?"#);
    insta::assert_snapshot!(check("{{foo}}"), @r#"in the command, "{{foo}}": there is no `foo`; there is `tool.name`, `tool.arguments`, `tool.answers`, `tool.options`, `context.root`, `context.action`, `context.access`, `context.workspace_id`, `context.conversation_id`"#);
    insta::assert_snapshot!(check("{{tool.zzzzzz}}"), @r#"in the command, "{{tool.zzzzzz}}": there is no `tool.zzzzzz`; there is `tool.name`, `tool.arguments`, `tool.answers`, `tool.options`"#);
    insta::assert_snapshot!(check("{% if tool.name %}{{path}}{% endif %}"), @r#"in the command, "{% if tool.name %}{{path}}{% endif %}": there is no `path`; there is `tool.name`, `tool.arguments`, `tool.answers`, `tool.options`, `context.root`, `context.action`, `context.access`, `context.workspace_id`, `context.conversation_id`"#);
    for fine in [
        "{{tool}}",
        "{{context.conversation_id}}",
        "{{range(3)|join}}",
        "{% for x in tool.arguments.list %}{{x.y}}{{loop.index}}{% endfor %}",
        "{% set a = tool.arguments %}{{a.b.c}}",
    ] {
        assert!(CommandTemplate::new(&parts(&["a", fine])).is_ok(), "{fine}");
    }
}

#[test]
fn what_cannot_be_given_to_a_program_is_refused() {
    let long = |length: usize| json!({ "v": "a".repeat(length) });
    let one = line("t --v={{tool.arguments.v}}");
    insta::assert_snapshot!(refused_call(&one, json!({ "v": "a\0b" })), @r#"a value with a NUL character cannot be filled into "--v={{tool.arguments.v}}" of the command"#);
    insta::assert_snapshot!(refused_call(&one, long(MAX_WORD - 3)), @r#""--v={{tool.arguments.v}}" of the command becomes longer than the 131071 bytes that a word may have; the tool gets the whole call on stdin, where there is no such limit"#);
    assert_eq!(words(&one, long(MAX_WORD - 4))[1].len(), MAX_WORD);
    insta::assert_snapshot!(refused_call(&one, long(10 * 1024 * 1024)), @"the command becomes longer than 1048576 bytes; the tool gets the whole call on stdin, where there is no such limit");
    let nine = parts(&["t"; 9].map(|_| "{{tool.arguments.v}}"));
    insta::assert_snapshot!(refused_call(&nine, long(MAX_WORD)), @"the command becomes longer than 1048576 bytes; the tool gets the whole call on stdin, where there is no such limit");
    let program = line("{{tool.arguments.v}} a");
    insta::assert_snapshot!(refused_call(&program, json!({ "v": "" })), @r#""{{tool.arguments.v}}", the program of the command, becomes empty"#);
    let repeated = line("t '{% for i in range(9000) %}{{tool.arguments.v}}{% endfor %}'");
    insta::assert_snapshot!(refused_call(&repeated, long(100_000)), @"the command becomes longer than 1048576 bytes; the tool gets the whole call on stdin, where there is no such limit");
    let looped = line("t '{% for i in tool.arguments.v %}{{i}}{% endfor %}'");
    insta::assert_snapshot!(refused_call(&looped, long(100_000)), @r#"filling in "{% for i in tool.arguments.v %}{{i}}{% endfor %}" of the command takes too many steps"#);
    insta::assert_snapshot!(refused_call(&line("t {{1 // tool.arguments.v}}"), json!({ "v": 0 })), @r#"cannot fill in "{{1 // tool.arguments.v}}" of the command: invalid operation: unable to calculate 1 // 0"#);
}

#[test]
fn words_that_are_the_same_for_every_call_are_known() {
    let check =
        |command: &Command, expected: &[&str], program: Option<&str>, has_placeholders: bool| {
            let template = CommandTemplate::new(command).unwrap();
            assert_eq!(template.literal_words().collect::<Vec<_>>(), expected, "{command:?}");
            assert_eq!(template.literal(), program, "{command:?}");
            assert_eq!(template.has_placeholders(), has_placeholders, "{command:?}");
        };
    check(&line("jp-tools"), &["jp-tools"], Some("jp-tools"), false);
    check(
        &line("python3 'a b.py' {{tool.name}} x"),
        &["python3", "a b.py", "x"],
        Some("python3"),
        true,
    );
    check(&line("{{tool.name}} x"), &["x"], None, true);
    check(&parts(&["sh", "a b", "-{#c#}"]), &["sh", "a b"], Some("sh"), true);
    let shell = |text: &str| {
        Command::Parts(CommandParts { program: text.to_owned(), args: Vec::new(), shell: true })
    };
    check(
        &shell("python3 'a b.py' < in.txt|jq {{tool.name}};./x"),
        &["python3", "a b.py", "in.txt", "jq", "./x"],
        None,
        true,
    );
    check(&shell("ls | wc"), &["ls", "wc"], None, false);
}

#[test]
fn the_documented_commands_are_commands() {
    let document = include_str!("../../../../../docs/configuration.md");
    let after = document.split_once("### The command of a tool").unwrap().1;
    let example = after.split_once("```toml\n").unwrap().1.split_once("```").unwrap().0;
    let config =
        jp_config::Config::load(vec![jp_config::Layer::workspace("w.toml", example)]).unwrap();
    let command = |name: &str| {
        config.app.conversation.tools.get(name).unwrap().config.command.clone().unwrap()
    };
    let count = words(&command("word_count"), json!({ "path": "a b; $(id)" }));
    assert_eq!(count, ["wc", "-w", "--", "a b; $(id)"]);
    let todo = words(&command("todo"), json!({ "word": "'; id #" }));
    assert_eq!(todo[2], r#"git grep -n -e "${1}" | head -n 20"#);
    assert_eq!(todo[3..], ["sh", "'; id #"]);
    assert!(document.contains("{% raw %}${#name}{% endraw %}"));
    let raw = CommandParts {
        program: "{% raw %}echo ${#a}{% endraw %} {{tool.name}}".to_owned(),
        args: Vec::new(),
        shell: true,
    };
    assert_eq!(words(&Command::Parts(raw), json!({}))[2], r#"echo ${#a} "${1}""#);
}

fn any_text() -> impl Strategy<Value = String> {
    prop::collection::vec(
        prop_oneof![
            Just("{{".to_owned()),
            Just("}}".to_owned()),
            Just("{%".to_owned()),
            Just("%}".to_owned()),
            Just("{#".to_owned()),
            Just("'".to_owned()),
            Just("\"".to_owned()),
            Just("\\".to_owned()),
            Just(" ".to_owned()),
            Just("tool.name".to_owned()),
            Just("\n".to_owned()),
            any::<char>().prop_map(String::from),
        ],
        0..12,
    )
    .prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn a_value_is_one_word_and_unchanged(value in any_text()) {
        prop_assume!(!value.contains('\0'));
        let command = line("t {{tool.arguments.v}} '<{{ tool.arguments.v }}>' \"{{tool.arguments.v}}\"");
        let expected = ["t".to_owned(), value.clone(), format!("<{value}>"), value.clone()];
        prop_assert_eq!(words(&command, json!({ "v": value })), expected);
    }

    #[test]
    fn any_command_is_read_or_refused(text in any_text()) {
        for command in [line(&text), parts(&["t", &text])] {
            if let Ok(template) = CommandTemplate::new(&command) {
                let _ = template.render(&call(json!(Map::new())));
            }
        }
    }

    #[test]
    fn a_line_without_placeholders_is_split_as_a_shell_would(words in prop::collection::vec("[^{\0]{0,8}", 1..5)) {
        prop_assume!(!words[0].is_empty());
        let template = CommandTemplate::new(&line(&shell_words::join(&words))).unwrap();
        prop_assert_eq!(template.literal_words().collect::<Vec<_>>(), words);
    }
}

//! Values in the text of a shell: what is written, what is refused, and what a real shell makes of
//! it.

#![cfg(unix)]
#![expect(clippy::disallowed_methods, reason = "only a shell can say what a shell does")]

use std::process::Command as Process;

use jp_config::conversation::tool::command::CommandParts;
use proptest::prelude::*;
use serde_json::json;

use super::super::{CommandTemplate, Rendered};
use super::{Command, call};

fn shell(text: &str) -> Command {
    Command::Parts(CommandParts { program: text.to_owned(), args: Vec::new(), shell: true })
}

fn rendered(text: &str, arguments: serde_json::Value) -> Rendered {
    CommandTemplate::new(&shell(text)).unwrap().render(&call(arguments)).unwrap()
}

/// What the command prints, run by the shell it names and by others that are there.
fn printed(text: &str, arguments: serde_json::Value) -> Vec<String> {
    let Rendered { program, args } = rendered(text, arguments);
    let other = ["/bin/bash", "/bin/dash", "/bin/ksh", "/bin/zsh"];
    let shells = std::iter::once(program.as_str()).chain(other);
    let run = |shell: &str| Process::new(shell).args(&args).current_dir("/").output().ok();
    let outputs: Vec<_> = shells.filter_map(run).collect();
    assert!(!outputs.is_empty());
    outputs.into_iter().map(|output| String::from_utf8(output.stdout).unwrap()).collect()
}

#[test]
fn a_value_is_a_parameter() {
    let arguments = json!({ "a": "x y", "b": 5, "n": null });
    let check = |text: &str, line: &str, values: &[&str]| {
        let Rendered { program, args } = rendered(text, arguments.clone());
        assert_eq!(program, "/bin/sh", "{text}");
        assert_eq!(
            (&args[0], &args[1], &args[2]),
            (&"-c".to_owned(), &line.to_owned(), &"sh".to_owned())
        );
        assert_eq!(&args[3..], values, "{text}");
    };
    check("ls | wc", "ls | wc", &[]);
    check("echo {{tool.arguments.a}}", r#"echo "${1}""#, &["x y"]);
    check("echo \"a {{tool.arguments.a}}\"", r#"echo "a ${1}""#, &["x y"]);
    check("echo 'a {{tool.arguments.a}}'", r#"echo 'a '"${1}"''"#, &["x y"]);
    check("a={{tool.arguments.b}}{{tool.arguments.n}}", r#"a="${1}""${2}""#, &["5", ""]);
    check("echo \"$(cat {{tool.arguments.a}} | wc)\"", r#"echo "$(cat "${1}" | wc)""#, &["x y"]);
    check(
        "a \\\" {{tool.name}} \\' \"\\\"{{tool.name}}\"",
        r#"a \" "${1}" \' "\"${2}""#,
        &["grep", "grep"],
    );
    check("echo $$ \"$${{tool.name}}\" $", r#"echo $$ "$$${1}" $"#, &["grep"]);
    check("a # don't {{tool.name}}\nb {{tool.name}}", "a # don't \nb \"${2}\"", &["grep", "grep"]);
    check(
        "a${HOME}{{tool.name}} \"${x%y}{{tool.name}}\"",
        r#"a${HOME}"${1}" "${x%y}${2}""#,
        &["grep", "grep"],
    );
    check(
        "awk '{print $1}' < {{tool.arguments.a}} > x",
        r#"awk '{print $1}' < "${1}" > x"#,
        &["x y"],
    );
    check("echo $((1 + (2 * 3))) {{tool.name}}", r#"echo $((1 + (2 * 3))) "${1}""#, &["grep"]);
    check(
        "echo `ls 'a'` \"`ls \\`pwd\\``\" {{tool.name}}",
        r#"echo `ls 'a'` "`ls \`pwd\``" "${1}""#,
        &["grep"],
    );
    check("(cd / && ls {{tool.name}})", r#"(cd / && ls "${1}")"#, &["grep"]);
    check(
        "set -eu -o pipefail; echo {{tool.name}}",
        r#"set -eu -o pipefail; echo "${1}""#,
        &["grep"],
    );
    check(
        "case {{tool.name}} in g*) echo a;; esac",
        r#"case "${1}" in g*) echo a;; esac"#,
        &["grep"],
    );
    check("echo a#b'c'#{{tool.name}}", r#"echo a#b'c'#"${1}""#, &["grep"]);
    check(
        "{% if tool.arguments.b == 5 %}echo '{% else %}\"{% endif %}{{tool.name}}'",
        r#"echo ''"${1}"''"#,
        &["grep"],
    );
    let joined = CommandParts {
        program: "echo".to_owned(),
        args: vec!["'a".to_owned(), "{{tool.name}}'".to_owned()],
        shell: true,
    };
    let template = CommandTemplate::new(&Command::Parts(joined)).unwrap();
    assert_eq!(template.render(&call(json!({}))).unwrap().args[1], r#"echo 'a '"${1}"''"#);
}

#[test]
fn where_a_value_cannot_be_followed_it_is_refused() {
    let check = |text: &str, reason: &str| {
        let error = CommandTemplate::new(&shell(text)).unwrap_err().to_string();
        assert!(error.contains(reason), "{text}: {error}");
    };
    check("echo '{{tool.name}}", "not closed");
    check("echo \"{{tool.name}}", "not closed");
    check("echo $(ls {{tool.name}}", "not closed");
    check("echo {{tool.name}} \\", "not closed");
    check("echo \\{{tool.name}}", "`\\` stands right before");
    check("echo \"\\{{tool.name}}\"", "`\\` stands right before");
    check("echo ${{tool.name}}", "`$` stands right before");
    check("echo \"${{tool.name}}\"", "`$` stands right before");
    check("echo `ls {{tool.name}}`", "inside backticks");
    check("echo \"`ls {{tool.name}}`\"", "inside backticks");
    check("echo ${HOME:-{{tool.name}}}", "inside `${…}`");
    check("echo $((1 + {{tool.name}}))", "inside `$((…))`");
    check("echo \"$((1 + {{tool.name}}))\"", "inside `$((…))`");
    check("((x = {{tool.name}}))", "`((…))`");
    check("cat <<EOF\n{{tool.name}}\nEOF", "here-document");
    check("echo $'a\\'' {{tool.name}}", "`$'…'`");
    check("echo ${a:-'}'} {{tool.name}}", "quotes inside `${…}`");
    check("f() { echo {{tool.name}}; }; f a", "function");
    check("f ( ) { echo {{tool.name}}; }; f a", "function");
    check("function f { echo {{tool.name}}; }; f a", "function");
    check("shift; echo {{tool.name}}", "`shift`");
    check("set -- a; echo {{tool.name}}", "`set`");
    check("set -e -- a; echo {{tool.name}}", "`set`");
    check("set -e a; echo {{tool.name}}", "`set`");
    check("set \"a\"; echo {{tool.name}}", "`set`");
    check("set {{tool.name}}", "`set`");
    check("eval {{tool.name}}", "`eval`");
    check("bash -c \"echo {{tool.name}}\"", "a shell inside the shell");
    check("/bin/sh -ec 'echo {{tool.name}}'", "a shell inside the shell");
    for nested in [
        "bash -e -c \"echo {{tool.name}}\"",
        "bash -ce \"echo {{tool.name}}\"",
        "bash --norc -x -c \"echo {{tool.name}}\"",
        "bash \"-c\" \"echo {{tool.name}}\"",
        "\"bash\" '-c' \"echo {{tool.name}}\"",
        "$SHELL -c {{tool.name}}",
        "env A=b bash -c {{tool.name}}",
        "ls | xargs -n 1 sh -c \"echo {{tool.name}}\"",
        "find . -exec sh -c \"echo {{tool.name}}\" \\;",
        "su nobody -c \"echo {{tool.name}}\"",
        "su --command=\"echo {{tool.name}}\" nobody",
        "flock x -c {{tool.name}}",
        "echo \"$(bash -e -c {{tool.name}})\"",
    ] {
        check(nested, "a shell inside the shell");
    }
    check("env -S {{tool.name}}", "`env -S`");
    check("env --split-string={{tool.name}}", "`env -S`");
    check("ssh host {{tool.name}}", "`ssh`");
    check("ssh host \"ls {{tool.name}}\"", "`ssh`");
    check("trap \"echo bye {{tool.name}}\" EXIT; true", "`trap`");
    check("alias a=\"echo {{tool.name}}\"", "`alias`");
    // A script has its own arguments, and the next command is another one.
    for fine in [
        "bash -e script.sh {{tool.name}}",
        "sh script.sh; wc -c {{tool.name}}",
        "ssh host ls; echo {{tool.name}}",
        "env A={{tool.name}} ls -c",
    ] {
        assert!(CommandTemplate::new(&shell(fine)).is_ok(), "{fine}");
    }
    check("[[ 1 -eq {{tool.name}} ]]", "`[[`");
    check("echo $(case a in a) echo {{tool.name}};; esac)", "`case` inside");
    check("{% filter upper %}{{tool.name}}{% endfilter %}", "captures text");
    check("{%- set a -%}{{tool.name}}{% endset %}{{a}}", "captures text");
    check("", "empty");
    check("echo {{tool.nam}}", "did you mean `tool.name`?");
    // Without placeholders the shell's text is the author's own business.
    for fine in ["f() { echo a; }; f", "cat <<EOF\na\nEOF", "eval a", "echo '"] {
        assert!(CommandTemplate::new(&shell(fine)).is_ok(), "{fine}");
    }
    // What depends on the call is found with the call.
    let late =
        CommandTemplate::new(&shell("{% if tool.name %}echo '{% endif %}{{tool.name}}")).unwrap();
    insta::assert_snapshot!(late.render(&call(json!({}))).unwrap_err(), @r#"in the shell command, quotes or parentheses are not closed: "{% if tool.name %}echo '{% endif %}{{tool.name}}""#);
    let late = CommandTemplate::new(&shell("echo {% set a = tool.arguments.v %}{{a}}")).unwrap();
    insta::assert_snapshot!(late.render(&call(json!({ "v": "\0" }))).unwrap_err(), @r#"a value with a NUL character cannot be filled into "echo {% set a = tool.arguments.v %}{{a}}" of the command"#);
    insta::assert_snapshot!(late.render(&call(json!({ "v": "a".repeat(140_000) }))).unwrap_err(), @r#""echo {% set a = tool.arguments.v %}{{a}}" of the command becomes longer than the 131071 bytes that a word may have; the tool gets the whole call on stdin, where there is no such limit"#);
    // A recursive loop can capture what was written, marks included.
    let captured =
        "{% for x in tool.arguments.v recursive %}{{x.n}}{{loop(x.c)|upper}}{% endfor %}";
    let captured = CommandTemplate::new(&shell(captured)).unwrap();
    let tree = json!({ "v": [{ "n": "a", "c": [{ "n": "b", "c": [] }] }] });
    insta::assert_snapshot!(captured.render(&call(tree)).unwrap_err(), @r#"a value with a NUL character cannot be filled into "{% for x in tool.arguments.v recursive %}{{x.n}}{{loop(x.c)|upper}}{% endfor %}" of the command"#);
}

#[test]
fn a_shell_gets_hostile_values_unchanged() {
    for value in [
        "$(touch /tmp/jp-injected)",
        "`id`",
        "'; id; '",
        "\"; id; \"",
        "\\",
        "\\'",
        "a\nid\n",
        "*",
        "~",
        "$HOME",
        "${IFS}",
        "-n",
        "",
        " ",
        "&& id",
        "| id",
        "> /dev/full",
        "#",
        "!!",
        "\u{1}\u{7f}é",
        "{{tool.name}}",
        "a[$(id)]",
        "'\"${1}\"'",
        "%s",
    ] {
        let text =
            "printf '[%s]' {{tool.arguments.v}} \"{{tool.arguments.v}}\" '<{{tool.arguments.v}}>'";
        for out in printed(text, json!({ "v": value })) {
            assert_eq!(out, format!("[{value}][{value}][<{value}>]"));
        }
    }
}

fn hostile() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        "[^\0]",
        prop::sample::select(vec![
            "'", "\"", "`", "$(", ")", "${", "}", "\\", "\n", ";", "&", "|", "<", ">", "*", "?",
            "[", "]", " ", "$", "#", "~", "!", "id", "-", "=", "{{", "}}", "$1", "${1}",
            "\"${2}\"",
        ])
        .prop_map(str::to_owned),
    ];
    prop::collection::vec(piece, 0..10).prop_map(|pieces| pieces.concat())
}

/// Places where a value can stand, with what the shell makes of `V` there.
const PLACES: [(&str, &str); 10] = [
    (" V", "[V]"),
    (" \"V\"", "[V]"),
    (" 'V'", "[V]"),
    (" a'b'V\"c\"V", "[abVcV]"),
    (" \"$(printf '%s.' V \"V\" 'V')\"", "[V.V.V.]"),
    (" '\"'V\"'\"\\\"V\\'", "[\"V'\"V']"),
    (" \"$(printf %s \"$(printf %s. V)\" '\"'V.)\"", "[V.\"V.]"),
    (" \"a'V'`printf b`\"V", "[a'V'bV]"),
    (" $(printf x # don't \")\n) V", "[x][V]"),
    (" \"$( (printf %s. V) )\" \"${x}V\"", "[V.][V]"),
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn no_value_changes_what_a_shell_does(
        a in hostile(),
        b in hostile(),
        first in prop::sample::select(&PLACES[..]),
        second in prop::sample::select(&PLACES[..]),
    ) {
        let text = [("a", first.0), ("b", second.0)]
            .map(|(name, place)| {
                format!("printf '[%s]'{}", place.replace('V', &format!("{{{{tool.arguments.{name}}}}}")))
            })
            .join("; ");
        let expected = [(&a, first.1), (&b, second.1)].map(|(v, out)| out.replace('V', v)).concat();
        for out in printed(&text, json!({ "a": a, "b": b })) {
            prop_assert_eq!(&out, &expected, "{}", text);
        }
    }
}

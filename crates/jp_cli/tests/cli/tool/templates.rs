//! Arguments in command lines: what a model writes stays what it is.

use super::*;

/// Values that would do something if anybody read them as anything but a value.
const HOSTILE: &[&str] = &[
    "two words",
    "it's \"quoted\"",
    "$(touch owned)",
    "`touch owned`",
    "; touch owned #",
    "&& touch owned",
    "| tee owned",
    "> owned",
    "line one\nline two",
    "{{tool.name}}",
    "{% raw %}{{x}}{% endraw %}",
    "${HOME} $HOME %s %n \\n \\",
    "-n",
    "--help",
    "*",
    "~",
    "",
    "é ☃ 𝒳",
    "\u{1b}[31m",
];

#[test]
fn values_are_unharmed_in_every_form_of_command() {
    let parameters =
        "[conversation.tools.t.parameters]\na = { type = \"string\" }\nb = { type = \"string\" }\n";
    for command in [
        r#""sh show.sh {{tool.arguments.a}} '{{ tool.arguments.b }}'""#,
        r#"{ program = "sh", args = ["show.sh", "{{tool.arguments.a}}", "{{tool.arguments.b}}"] }"#,
        r#"{ program = "sh show.sh {{tool.arguments.a}} \"{{tool.arguments.b}}\"", shell = true }"#,
        r#"{ program = "sh show.sh '{{tool.arguments.a}}' {{tool.arguments.b}}", shell = true }"#,
    ] {
        let env = workspace(&format!(
            "[conversation.tools.t]\nsource = \"local\"\nrun = \"unattended\"\ncommand = {command}\n{parameters}"
        ));
        // What was given, length by length, so that nothing can hide in what is printed.
        env.write(
            "show.sh",
            "for word; do printf '%s' \"$word\" | od -An -v -tx1 | tr -d ' \\n'; echo .; done",
        );
        for value in HOSTILE {
            let object = serde_json::json!({ "a": value, "b": format!("{value}{value}") });
            let output = run(&env, &["t", "--json", &object.to_string()]).run().success();
            let hex =
                |text: &str| text.bytes().map(|byte| format!("{byte:02x}")).collect::<String>();
            let expected = format!("{}.\n{0}{0}.\n", hex(value));
            assert_eq!(output.stdout(), expected, "{command} {value:?}");
        }
        assert!(!env.path("owned").exists(), "{command}");
    }
}

/// The whole call, as one word.
#[test]
fn the_whole_call_is_one_word() {
    let parameters = "[conversation.tools.t.parameters]\na = { type = \"string\" }\n";
    let env = workspace(&(local("t", "printf %s {{tool}}") + parameters));
    let output = run(&env, &["t", "a=it's \"here\""]).run().success();
    assert_eq!(json(&output)["arguments"]["a"], "it's \"here\"");
}

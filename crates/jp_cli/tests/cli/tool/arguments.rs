//! Arguments, from the command line to the tool.

use super::*;

const PARAMETERS: &str = r#"
[conversation.tools.echo.parameters]
path = { type = "string" }
depth = { type = "integer", default = 3 }
ratio = { type = "number", required = false }
deep = { type = "boolean", required = false }
kind = { enum = ["file", "dir"], default = "file" }
names = { type = "array", items = { type = "string" }, required = false }
[conversation.tools.echo.parameters.options]
type = "object"
required = false
properties.limit = { type = "integer", default = 10 }
properties.mode = { type = "string", enum = ["fast", "slow"], required = false }
[conversation.tools.echo.parameters.target]
required = false
oneOf = [
    { type = "integer", minimum = 1 },
    { type = "object", properties = { line = { type = "integer" } } },
]
"#;

/// What is written on the command line, and what reaches the tool. D06-036, D06-043: a program that was
/// written before there were descriptions gets what it always got.
#[test]
fn words_become_arguments() {
    let env = workspace(&(ECHO.to_owned() + PARAMETERS));
    for (words, expected) in [
        (&["path=src"][..], r#"{"path":"src","depth":3,"kind":"file"}"#),
        // The only one that is needed needs no name.
        (&["src"], r#"{"path":"src","depth":3,"kind":"file"}"#),
        (&["path=5", "depth=5"], r#"{"path":"5","depth":5,"kind":"file"}"#),
        (&["path=a=b", "kind=dir"], r#"{"path":"a=b","kind":"dir","depth":3}"#),
        (
            &["path=", "deep=true", "ratio=0.5"],
            r#"{"path":"","deep":true,"ratio":0.5,"depth":3,"kind":"file"}"#,
        ),
        (
            &["path=x", "names=a", "names=b"],
            r#"{"path":"x","names":["a","b"],"depth":3,"kind":"file"}"#,
        ),
        (&["path=x", "names:=[\"a\"]"], r#"{"path":"x","names":["a"],"depth":3,"kind":"file"}"#),
        (
            &["path=x", "options.mode=slow"],
            r#"{"path":"x","options":{"mode":"slow","limit":10},"depth":3,"kind":"file"}"#,
        ),
        (&["path=x", "target=7"], r#"{"path":"x","target":7,"depth":3,"kind":"file"}"#),
        (
            &["path=x", "target.line=7"],
            r#"{"path":"x","target":{"line":7},"depth":3,"kind":"file"}"#,
        ),
        (&["path:=\"a\\u0001\\n\""], r#"{"path":"a\u0001\n","depth":3,"kind":"file"}"#),
        (&["--json", r#"{"path":"j","depth":"9"}"#], r#"{"path":"j","depth":9,"kind":"file"}"#),
        // Words are on top of the object.
        (
            &["--json", r#"{"path":"j","depth":1}"#, "depth=2"],
            r#"{"path":"j","depth":2,"kind":"file"}"#,
        ),
        (&["--json", "@args.json"], r#"{"path":"from a file","depth":3,"kind":"file"}"#),
        (&["--json", "-"], r#"{"path":"from stdin","depth":3,"kind":"file"}"#),
    ] {
        env.write("args.json", r#"{"path":"from a file"}"#);
        let output = run(&env, &[&["echo"], words].concat());
        let output = output.stdin(r#"{"path":"from stdin"}"#).run().success();
        let expected: Value = serde_json::from_str(expected).unwrap();
        assert_eq!(arguments(&output), expected, "{words:?}");
    }
}

/// What can be written is what is shown.
#[test]
fn parameters_are_shown_with_their_parts() {
    let env = workspace(&(ECHO.to_owned() + PARAMETERS));
    insta::assert_snapshot!(env.jp(["tool", "show", "echo"]).run().success().stdout(), @r#"
    # echo

    ## Parameters

    - `path` (string, required) *(from the configuration)*
    - `depth` (integer, default `3`) *(from the configuration)*
    - `ratio` (number) *(from the configuration)*
    - `deep` (boolean) *(from the configuration)*
    - `kind` (one of `"file"`, `"dir"`, default `"file"`) *(from the configuration)*
    - `names` (array of string) *(from the configuration)*
    - `options` (object) *(from the configuration)*
      - `limit` (integer, default `10`)
      - `mode` (string, one of `"fast"`, `"slow"`)
    - `target` (one of several forms) *(from the configuration)*
      - either integer
      - either object
        - `line` (integer, required)

    ## How it runs

    - source: `local`, configured in .jp/config.toml:2
    - before a call: `unattended`
    - what it may touch: the workspace, because it has no rules of its own; see `jp
      tool explain echo`
    "#);
}

/// Everything that is wrong is wrong usage, names the argument, and runs nothing.
#[test]
fn wrong_arguments_are_named() {
    let env = workspace(&(ECHO.to_owned() + PARAMETERS));
    env.write("bad.json", "{\"path\":");
    for (words, part) in [
        (&[][..], "`path` is missing"),
        (&["pth=x"], "there is no parameter `pth`; did you mean `path`?"),
        (&["path=x", "--json", r#"{"zzz":1}"#], "`zzz`"),
        (&["path=x", "depth=x"], "`depth`: expected an integer, found \"x\""),
        (&["path=x", "depth=1.5"], "`depth`"),
        (&["path:=5"], "`path`: expected a string, found 5"),
        (&["path=x", "deep=yes"], "`deep`"),
        (&["path=x", "kind=links"], "`kind`: expected one of \"file\", \"dir\", found \"links\""),
        (&["path=x", "options.mode=medium"], "`options.mode`"),
        (&["path=x", "options.moed=fast"], "did you mean `options.mode`?"),
        (&["path=x", "target=0"], "`target`"),
        (&["path=x", "target.line=x"], "`target`"),
        (&["path=x", "path=y"], "`path` is given twice"),
        (&["path=x", "depth.a=1"], "`depth` is not an object"),
        (&["path=x", "names:=[1]"], "`names[0]`"),
        (&["path:=nope"], "what follows `path:=` is not JSON"),
        (&["--json", "[]"], "--json: not a JSON object"),
        (&["--json", "{"], "--json: not a JSON object"),
        (&["--json", "@bad.json"], "--json: not a JSON object"),
        (&["--json", "@none.json"], "--json @none.json: No such file"),
        (&["--json", "@."], "--json @.: "),
    ] {
        let output = run(&env, &[&["echo"], words].concat()).run().code(2);
        assert_eq!(output.stdout(), "", "{output}");
        assert!(output.stderr().contains(part), "{words:?}: {output}");
    }
    // All mistakes at once.
    let output = run(&env, &["echo", "depth=x", "kind=y", "ratio=z"]).run();
    insta::assert_snapshot!(output, @r#"
    $ jp tool run echo depth=x kind=y ratio=z
    exit code: 2
    --- stderr
    error: the arguments for `echo` do not fit:
    - `depth`: expected an integer, found "x"
    - `kind`: expected one of "file", "dir", found "y"
    - `ratio`: expected a number, found "z"
    - `path` is missing
    hint: `jp tool show echo` says what it takes
    "#);
    insta::assert_snapshot!(run(&env, &["echo", "pth=x"]).run(), @"
    $ jp tool run echo pth=x
    exit code: 2
    --- stderr
    error: there is no parameter `pth`; did you mean `path`?
    hint: usage: jp tool run echo path=… [depth=…] [ratio=…] [deep=…] [kind=…] [names=…] [options=…] [target=…]
    ");
}

/// Ten megabytes go where there is room for them, and are refused where there is none.
#[test]
fn ten_megabytes_of_arguments() {
    let config = ECHO.replace("\"cat\"", "\"wc -c\"");
    let path = "[conversation.tools.echo.parameters]\npath = { type = \"string\" }\n";
    let env = workspace(&(config + path));
    let object = format!("{{\"path\":\"{}\"}}", "x".repeat(10 << 20));
    env.write("args.json", &object);
    for (json, stdin) in [("@args.json", ""), ("-", object.as_str())] {
        let output = run(&env, &["echo", "--json", json]).stdin(stdin).run().success();
        let count: usize = output.stdout().trim().parse().unwrap();
        assert!(count > 10 << 20, "{count}");
    }
    // A tool that does not read is not waited for.
    env.write(".jp/config.toml", ECHO.replace("\"cat\"", "\"echo done\"") + path);
    let output = run(&env, &["echo", "--json", "@args.json"]).run().success();
    assert_eq!(output.stdout(), "done\n");
    // One word cannot be that long.
    env.write(
        ".jp/config.toml",
        ECHO.replace("\"cat\"", "\"echo {{tool.arguments.path}}\"") + path,
    );
    let output = run(&env, &["echo", "--json", "@args.json"]).run().code(2);
    assert!(output.stderr().contains("where there is no such limit"), "{}", output.stderr().len());
    assert!(output.stderr().len() < 1000);
    // What does not fit is quoted in a few words.
    let path = path.replace("\"string\"", "\"integer\"");
    env.write(".jp/config.toml", ECHO.to_owned() + &path);
    let output = run(&env, &["echo", "--json", "@args.json"]).run().code(2);
    assert!(output.stderr().len() < 1000);
}

/// NUL and control characters reach the tool on stdin, and cannot become words.
#[test]
fn control_characters() {
    let path = "[conversation.tools.echo.parameters]\npath = { type = \"string\" }\n";
    let env = workspace(&(ECHO.to_owned() + path));
    let object = r#"{"path":"a\u0000b\u001b[2J\u0007\r\n\t\u2028"}"#;
    let output = run(&env, &["echo", "--json", object]).run().success();
    assert_eq!(arguments(&output), serde_json::from_str::<Value>(object).unwrap());
    env.write(
        ".jp/config.toml",
        ECHO.replace("\"cat\"", "\"echo {{tool.arguments.path}}\"") + path,
    );
    let output = run(&env, &["echo", "--json", object]).run().code(2);
    assert!(output.stderr().contains("NUL"), "{output}");
}

//! Tools that say themselves what they are.

use std::time::Instant;

use jp_test::TestEnv;

use super::*;

/// Says a number that it never says twice, so that one can see whether it was asked.
const NUMBERED: &str = r#"read -r line
case $line in *'"action":"schema"'*) ;; *) echo ran; exit;; esac
read -r number < /proc/sys/kernel/random/uuid
echo "{\"tools\":[{\"name\":\"a\",\"summary\":\"$number\",\"parameters\":{}},{\"name\":\"b\",\"summary\":\"$number\",\"parameters\":{}}]}"
"#;

fn summaries(env: &TestEnv, options: &[&str]) -> Vec<String> {
    let list = [&["--format", "json", "tool", "list"], options].concat();
    let text = |object: &Value| object["summary"].as_str().unwrap_or_default().to_owned();
    objects(&env.jp(list).run().success()).iter().map(text).collect()
}

/// D06-001, D06-012, D06-013, D06-017, D06-019: two lines are enough, and give the definition and the
/// documentation.
#[test]
fn two_lines_make_a_tool() {
    let env = workspace("[conversation.tools.t]\nsource = \"local\"\ncommand = \"./t.sh\"\n");
    program(
        &env,
        "t.sh",
        &described(
            r#"{"path":{"type":"string","summary":"Where."},"depth":{"type":"integer","default":3}}"#,
        ),
    );
    insta::assert_snapshot!(env.jp(["tool", "show", "t"]).run(), @"
    $ jp tool show t
    exit code: 0
    --- stdout
    # t

    Does it.

    At length.

    ## Parameters

    - `path` (string, required): Where.
    - `depth` (integer, default `3`)

    ## How it runs

    - source: `local`, configured in .jp/config.toml:1
    - before a call: `ask`
    - what it may touch: the workspace, because it has no rules of its own; see `jp
      tool explain t`
    ");
    let listed = objects(&env.jp(["--format", "json", "tool", "list"]).run().success());
    // D06-014, D06-015: what has no default is required.
    insta::assert_snapshot!(listed[0], @r#"{"name":"t","source":"local","enable":true,"run":"ask","summary":"Does it.","parameters":{"type":"object","properties":{"path":{"type":"string","description":"Where."},"depth":{"type":"integer","default":3}},"required":["path"],"additionalProperties":false}}"#);
    // The description is not sent with every request.
    assert!(!listed[0].to_string().contains("At length."));
}

/// D06-016, D06-036: a program that knows nothing of schemas is not asked when it need not be.
#[test]
fn parameters_in_the_configuration_ask_nobody() {
    let ignorant = "echo 'usage: t FILE' >&2; exit 64";
    let env = with_script(ignorant);
    env.jp(["tool", "show", "t"]).run().code(2);
    let parameters = "[conversation.tools.t.parameters.path]\ntype = \"string\"\n";
    env.write(".jp/config.toml", local("t", "./t.sh") + parameters);
    let shown = env.jp(["--format", "json", "tool", "show", "t"]).run().success();
    assert_eq!(json(&shown)["origins"]["parameters"]["path"]["origin"], "config");
    // An empty table says that there are none, which is all there is to know.
    env.write(".jp/config.toml", local("t", "./t.sh") + "[conversation.tools.t.parameters]\n");
    env.jp(["tool", "show", "t"]).run().success();
}

/// D06-020 to D06-024, D06-026: what the configuration sets wins, field by field.
#[test]
fn the_configuration_wins_field_by_field() {
    let env = with_script(&described(
        r#"{"path":{"type":"string","summary":"Where."},"depth":{"type":"integer","default":3,"summary":"How deep."}}"#,
    ));
    let more = "summary = \"Mine.\"\nexamples = \"t path=x\"\n[conversation.tools.t.parameters.depth]\ndefault = 7\n";
    env.write(".jp/config.toml", local("t", "./t.sh") + more);
    insta::assert_snapshot!(env.jp(["tool", "show", "t"]).run().success().stdout(), @"
    # t

    Mine. *(from the configuration)*

    At length.

    ## Parameters

    - `path` (string, required): Where.
    - `depth` (integer, default `7`): How deep. *(`default` from the configuration)*

    ## Examples

    t path=x *(from the configuration)*

    ## How it runs

    - source: `local`, configured in .jp/config.toml:1
    - before a call: `unattended`
    - what it may touch: the workspace, because it has no rules of its own; see `jp
      tool explain t`
    ");
    let more = "[conversation.tools.t.parameters.dept]\ndefault = 7\n";
    env.write(".jp/config.toml", local("t", "./t.sh") + more);
    insta::assert_snapshot!(env.jp(["tool", "show", "t"]).run(), @"
    $ jp tool show t
    exit code: 2
    --- stderr
    error: tool `t`: `parameters.dept` is set for a parameter that the tool does not have; did you mean `depth`? It has `path`, `depth`
    ");
}

/// D06-038, D06-039, D06-040, D06-041: entries are matched by name.
#[test]
fn one_program_several_tools() {
    let schema = r#"{"tools":[{"name":"a","summary":"A","parameters":{}},{"name":"b","summary":"B","parameters":{}},{"name":"c","summary":"C","parameters":{}}]}"#;
    let env = workspace("");
    program(
        &env,
        "t.sh",
        &format!(
            "read -r line\ncase $line in *'\"action\":\"schema\"'*) echo '{schema}';; *) echo \"$line\";; esac"
        ),
    );
    let entry = |name: &str, more: &str| local(name, "./t.sh") + more + "\n";
    let renamed = entry("mine", "").replace("\"local\"", "\"local.b\"");
    let config = entry("a", "") + &renamed + &entry("other", "tool = \"c\"");
    env.write(".jp/config.toml", config);
    assert_eq!(summaries(&env, &[]), ["A", "B", "C"]);
    // It is called by the name that it knows.
    let called = |name| json(&run(&env, &[name]).run().success())["tool"]["name"].clone();
    assert_eq!(
        (called("a"), called("mine"), called("other")),
        ("a".into(), "b".into(), "c".into())
    );
    // What is described and not configured is no tool.
    run(&env, &["c"]).run().code(2);

    env.write(".jp/config.toml", entry("d", ""));
    insta::assert_snapshot!(env.jp(["tool", "show", "d"]).run(), @r#"
    $ jp tool show d
    exit code: 2
    --- stderr
    error: tool `d`: the program does not describe a tool "d", only ["a", "b", "c"]
    hint: name the one that is meant: `source = "local.<tool>"` in `conversation.tools.d`
    hint: describe its parameters in `conversation.tools.d.parameters`
    hint: or update the program so that it answers the action `schema` (docs/tools.md)
    "#);
    // The only entry is meant by any name.
    let env = workspace(&local("any", "./t.sh"));
    program(&env, "t.sh", &described("{}"));
    assert_eq!(summaries(&env, &[]), ["Does it."]);
}

/// D06-027, D06-028, D06-029: asked once, kept until the program changes.
#[test]
fn an_answer_is_kept_until_the_program_changes() {
    let env = workspace(&(local("a", "./t.sh") + &local("b", "./t.sh")));
    program(&env, "t.sh", NUMBERED);
    let first = summaries(&env, &[]);
    assert_eq!(first[0], first[1], "one question for both tools of the program");
    assert_eq!(first[0].len(), 36);
    assert_eq!(summaries(&env, &[]), first, "the second start asks nobody");
    run(&env, &["a"]).run().success();
    assert_eq!(summaries(&env, &[]), first, "a call asks nobody");
    // The same bytes at another time are the same program.
    program(&env, "t.sh", NUMBERED);
    assert_eq!(summaries(&env, &[]), first);

    let refreshed = summaries(&env, &["--refresh"]);
    assert_ne!(refreshed, first);
    assert_eq!(summaries(&env, &[]), refreshed, "what was asked again is kept");

    program(&env, "t.sh", &format!("# another version\n{NUMBERED}"));
    let changed = summaries(&env, &[]);
    assert_ne!(changed, refreshed);
    // A cache that somebody broke is no cache.
    for entry in env.cache_home().join("jp/schemas").read_dir_utf8().unwrap() {
        fs::write(entry.unwrap().path(), "{\"key\":").unwrap();
    }
    assert_ne!(summaries(&env, &[]), changed);
}

/// A script is part of the tool wherever the command names it.
#[test]
fn a_changed_script_is_noticed_in_every_form_of_command() {
    for command in [
        "\"sh t.sh\"",
        "{ program = \"sh\", args = [\"./t.sh\"] }",
        "{ program = \"exec ./t.sh\", shell = true }",
    ] {
        let env = workspace(&format!(
            "[conversation.tools.a]\nsource = \"local\"\nrun = \"unattended\"\ncommand = {command}\n"
        ));
        program(&env, "t.sh", NUMBERED);
        let first = summaries(&env, &[]);
        assert_eq!(summaries(&env, &[]), first, "{command}");
        program(&env, "t.sh", &format!("# another version\n{NUMBERED}"));
        assert_ne!(summaries(&env, &[]), first, "{command}");
    }
}

/// D06-035, D06-003, D06-005: the question is the context on stdin, and no word is added.
#[test]
fn no_flag_is_passed() {
    let env = with_script(
        r#"line=$(cat)
case $line in *'"action":"schema"'*) ;; *) exit;; esac
set -- "$#" "$(printf %s "$line" | tr -cd '\n' | wc -c)" "$line"
echo "{\"tools\":[{\"name\":\"t\",\"summary\":\"$1 words, $2 more lines\",\"parameters\":{}}]}""#,
    );
    assert_eq!(summaries(&env, &[]), ["0 words, 0 more lines"]);
}

/// D06-006: where the command has placeholders, they are filled in.
#[test]
fn the_action_is_filled_into_the_command() {
    let command = "./t.sh {{context.action}} {{tool.name}}";
    let env = workspace(&local("t", command));
    program(
        &env,
        "t.sh",
        "echo \"{\\\"tools\\\":[{\\\"name\\\":\\\"t\\\",\\\"summary\\\":\\\"$*\\\",\\\"parameters\\\":{}}]}\"",
    );
    assert_eq!(summaries(&env, &[]), ["schema t"]);
}

/// D06-037: a name in the search path makes no tool.
#[test]
fn programs_of_the_path_are_no_tools() {
    let env = workspace("");
    program(&env, "bin/jp-thing", &described("{}"));
    let path = format!("{}:/usr/bin:/bin", env.path("bin"));
    insta::assert_snapshot!(env.jp(["tool", "list"]).env("PATH", &path).run(), @"
    $ jp tool list
    exit code: 0
    --- stderr
    No tools are configured.
    ");
    env.jp(["tool", "run", "thing"]).env("PATH", &path).run().code(2);
    env.jp(["tool", "run", "jp-thing"]).env("PATH", &path).run().code(2);
}

/// D06-045: whatever a program does when it is asked, it did not happen.
#[test]
fn a_question_leaves_no_trace() {
    let env = with_script(&format!(
        "echo x > made; echo y >> old; rm -f gone; mkdir dir; setsid sleep $MARK 2>/dev/null & \n{}",
        described("{}")
    ));
    let mark = mark(&env);
    let script = env.read("t.sh").replace("$MARK", &mark);
    env.write("t.sh", script);
    env.write("old", "old");
    env.write("gone", "still here");
    env.jp(["tool", "show", "t"]).run().success();
    assert!(!env.path("made").exists() && !env.path("dir").exists());
    assert_eq!((env.read("old"), env.read("gone")), ("old".into(), "still here".into()));
    assert_eq!(sleepers(&mark), Vec::<String>::new());
}

/// A program is asked under the rules that it runs under.
#[test]
fn a_question_is_confined() {
    let script = r#"read -r line
echo "{\"tools\":[{\"name\":\"t\",\"summary\":\"$(cat secret 2>/dev/null || echo nothing)\",\"parameters\":{}}]}""#;
    let env = with_script(script);
    env.write("secret", "a secret");
    assert_eq!(summaries(&env, &[]), ["a secret"]);
    let rules =
        "[[conversation.tools.t.access.fs]]\npath = \"t.sh\"\nread = true\nexecute = true\n";
    env.write(".jp/config.toml", local("t", "./t.sh") + rules);
    // What was kept for the tool without rules is not the answer for the tool with them.
    assert_eq!(summaries(&env, &[]), ["nothing"]);
}

/// On a machine that cannot confine, a program is asked only where that is allowed, and not in silence.
#[test]
fn a_question_without_walls_is_announced_once() {
    let env = with_script(&(described("{}") + "echo done"));
    let on = |args: &[&str]| env.jp(args.to_vec()).env("JP_SANDBOX_HIDE", "namespaces,landlock");
    let output = on(&["tool", "run", "t"]).run().code(4);
    assert!(output.stderr().contains("allow_degraded"), "{output}");
    let degraded = "[sandbox]\nallow_degraded = true\n";
    env.write(".jp/config.toml", local("t", "./t.sh") + degraded);
    for args in [&["tool", "show", "t"][..], &["tool", "list", "--refresh"], &["tool", "run", "t"]]
    {
        let output = on(args).run().success();
        assert_eq!(output.stderr().matches("warning:").count(), 1, "{output}");
    }
}

/// Several of us at once do not disturb each other.
#[test]
fn several_starts_at_once() {
    let env = workspace(&(local("a", "./t.sh") + &local("b", "./t.sh")));
    program(&env, "t.sh", NUMBERED);
    let all: Vec<_> =
        (0..6).map(|_| env.jp(["--format", "json", "tool", "list"]).spawn()).collect();
    for running in all {
        assert_eq!(objects(&running.wait().success()).len(), 2);
    }
    assert_eq!(summaries(&env, &[]), summaries(&env, &[]));
}

/// Thirty programs that take half a second each do not take fifteen.
#[test]
fn programs_are_asked_side_by_side() {
    let names: Vec<String> = (0..30).map(|number| format!("t{number}")).collect();
    let config: String = names.iter().map(|name| local(name, &format!("./{name}.sh"))).collect();
    let env = workspace(&config);
    for name in &names {
        program(&env, &format!("{name}.sh"), &format!("sleep 0.5\n{}", described("{}")));
    }
    let started = Instant::now();
    assert_eq!(summaries(&env, &[]), ["Does it."; 30]);
    let took = started.elapsed();
    assert!(took < Duration::from_secs(12), "{took:?}");
}

/// D06-044: the tools that come with jp describe themselves by the same code.
#[test]
fn the_bundled_program_describes_all_of_its_tools() {
    let env = workspace("");
    let ask = r#"{"tool":{"name":"x","arguments":{}},"context":{"root":"/","action":"schema"}}"#;
    let answer = env.jp(["__tools"]).stdin(ask).run().success();
    let tools = json(&answer)["tools"].as_array().unwrap().len();
    assert!(tools >= 8, "{answer}");
}

/// What a tool is can depend on its options, so it is told them, and is asked again with others.
#[test]
fn options_are_known_to_a_program_that_describes_itself() {
    let script = r#"read -r line
case $line in *'"site":"x"'*) site=x;; *'"site":"y"'*) site=y;; *) site=none;; esac
echo "{\"tools\":[{\"name\":\"t\",\"summary\":\"site $site\",\"parameters\":{}}]}"
"#;
    let env = workspace("");
    program(&env, "t.sh", script);
    for (options, expected) in
        [("", "site none"), ("options.site = \"x\"", "site x"), ("options.site = \"y\"", "site y")]
    {
        env.write(".jp/config.toml", local("t", "./t.sh") + options);
        assert_eq!(summaries(&env, &[]), [expected]);
    }
}

//! Tools that stay alive, commanded line by line.

use super::*;

/// A repository with three hunks to stage, and the example that stages them.
fn repository() -> TestEnv {
    let git_stage = example("git_stage");
    let env = workspace(&local("git_stage", git_stage.as_str()));
    let numbers = |changed: &[(usize, &str)]| -> String {
        let line = |number: usize| {
            let found = changed.iter().find(|(at, _)| *at == number);
            found.map_or_else(|| format!("{number}\n"), |(_, text)| format!("{text}\n"))
        };
        (1..=30).map(line).collect()
    };
    env.write("numbers", numbers(&[]));
    env.write("z file", "a\n");
    git(&env, &["init", "-q", "."]);
    git(&env, &["add", "numbers", "z file"]);
    git(&env, &["-c", "user.name=T", "-c", "user.email=t@example.org", "commit", "-qm", "first"]);
    env.write("numbers", numbers(&[(2, "new 2"), (25, "new 25")]));
    env.write("z file", "a\nb\n");
    env
}

fn git(env: &TestEnv, args: &[&str]) -> String {
    env.command("/usr/bin/git", args.to_vec()).run().success().stdout().to_owned()
}

/// The lines that would be committed.
fn staged(env: &TestEnv) -> Vec<String> {
    let diff = git(env, &["diff", "--cached", "-U0"]);
    let is_change = |line: &&str| line.starts_with('+') && !line.starts_with("+++");
    diff.lines().filter(is_change).map(ToOwned::to_owned).collect()
}

fn session<'env>(env: &'env TestEnv, tool: &str, lines: &str) -> Run<'env> {
    env.jp(["tool", "session", tool]).stdin(lines)
}

#[test]
fn hunks_are_staged_as_chosen_in_words() {
    let env = repository();
    let output = session(&env, "git_stage", "spawn\napply yes\napply no\napply y\n").run();
    insta::assert_snapshot!(output, @"
    $ jp tool session git_stage
    exit code: 0
    --- stdout
    [session: waiting]
    Hunk 1 of 3, numbers

    @@ -1,5 +1,5 @@
     1
    -2
    +new 2
     3
     4
     5
    Stage this hunk? (apply yes|no)
    [session: waiting]
    Hunk 2 of 3, numbers

    @@ -22,7 +22,7 @@
     22
     23
     24
    -25
    +new 25
     26
     27
     28
    Stage this hunk? (apply yes|no)
    [session: waiting]
    Hunk 3 of 3, z file

    @@ -1,1 +1,2 @@
     a
    +b
    Stage this hunk? (apply yes|no)
    [session: stopped]
    Staged 2 of 3 hunks.
    ");
    assert_eq!(staged(&env), ["+new 2", "+b"]);
}

#[test]
fn hunks_are_staged_as_chosen_in_json() {
    let env = repository();
    let lines = r#"{"action":"spawn","id":"s","args":{"path":"numbers"}}
{"action":"fetch","id":"s"}
{"action":"apply","id":"s","input":false}

{"action":"apply","id":"s","input":true}
"#;
    let output = env.jp(["--format", "json", "tool", "session", "git_stage"]).stdin(lines);
    let states = objects(&output.run().success());
    let types: Vec<_> = states.iter().map(|object| object["state"]["type"].clone()).collect();
    assert_eq!(types, ["waiting", "waiting", "waiting", "stopped"]);
    assert_eq!(states[3]["state"]["result"], "Staged 1 of 2 hunks.");
    assert!(states.iter().all(|object| object["id"] == "s"));
    assert_eq!(staged(&env), ["+new 25"]);
}

#[test]
fn abort_and_the_end_of_the_input_stage_nothing() {
    let env = repository();
    let output = session(&env, "git_stage", "spawn\napply y\nabort\n").run().success();
    assert!(output.stdout().contains("Nothing was staged."), "{output}");
    session(&env, "git_stage", "spawn\napply y\napply y").run().success();
    assert_eq!(staged(&env), Vec::<String>::new());
}

/// Without an action it is a tool like any other.
#[test]
fn one_call_from_its_start_to_its_end() {
    let env = repository();
    let answers = ["--answer", "hunk_1=no", "--answer", "hunk_2=yes", "--answer", "hunk_3=true"];
    let output = run(&env, &[&["git_stage"][..], &answers].concat()).run().success();
    assert_eq!(output.stdout(), "Staged 2 of 3 hunks.\n");
    assert_eq!(staged(&env), ["+new 25", "+b"]);
    // Nobody can be asked about the second.
    let env = repository();
    insta::assert_snapshot!(run(&env, &["git_stage", "--answer", "hunk_1=yes"]).run(), @r#"
    $ jp tool run git_stage --answer hunk_1=yes
    exit code: 3
    --- stderr
    error: the tool asks "Stage this hunk?", and nobody can answer
      it takes `true` or `false`
      `conversation.tools.git_stage.questions.hunk_2.answer` answers the question `hunk_2` for every call
    hint: --answer ID=VALUE answers a question
    "#);
    assert_eq!(staged(&env), Vec::<String>::new());
    let mut terminal = run(&env, &["git_stage"]).pty(SIZE);
    terminal.expect("+new 2", LIMIT).expect("Stage this hunk?", LIMIT).send("y\r");
    terminal.expect("+new 25", LIMIT).expect("Stage this hunk?", LIMIT).send("n\r");
    terminal.expect("+b", LIMIT).expect("Stage this hunk?", LIMIT).send("n\r");
    terminal.expect("Staged 1 of 3 hunks.", LIMIT);
    terminal.wait(LIMIT).success();
    assert_eq!(staged(&env), ["+new 2"]);
}

/// Errors of such a tool are its own words.
#[test]
fn a_tool_says_why_it_cannot_start() {
    let env = workspace(&local("git_stage", example("git_stage").as_str()));
    // The directory of the tests may lie in a repository itself.
    let ceiling = env.root().as_str();
    let output = run(&env, &["git_stage"]).env("GIT_CEILING_DIRECTORIES", ceiling).run().code(1);
    assert!(output.stderr().contains("not a git repository"), "{output}");
    let session = session(&env, "git_stage", "spawn\n").env("GIT_CEILING_DIRECTORIES", ceiling);
    let output = session.run().code(1);
    assert!(output.stderr().contains("not a git repository"), "{output}");
}

#[test]
fn commands_that_are_none() {
    let env = repository();
    let lines = "dance\nspawn a\nspawn a\nfetch b\napply a maybe\napply a one two\n{\"x\":1}\nspawn b pth=x\napply \u{1b}[2J\n";
    let output = session(&env, "git_stage", lines).run();
    insta::assert_snapshot!(output, @r#"
    $ jp tool session git_stage
    exit code: 1
    --- stdout
    [a: waiting]
    Hunk 1 of 3, numbers

    @@ -1,5 +1,5 @@
     1
    -2
    +new 2
     3
     4
     5
    Stage this hunk? (apply yes|no)
    --- stderr
    error: not a command: dance
    hint: write `spawn [ID] [key=value …]`, `fetch [ID]`, `apply [ID] VALUE`, `abort [ID]`, or JSON; a value with spaces needs quotes
    error: `a` is already alive; choose another id, or abort it first
    error: no tool is alive as `b`; alive: a
    error: the tool asks "Stage this hunk?": expected true or false, not "maybe"
    error: not a command: apply a one two
    hint: write `spawn [ID] [key=value …]`, `fetch [ID]`, `apply [ID] VALUE`, `abort [ID]`, or JSON; a value with spaces needs quotes
    error: not a command: missing field `action` at line 1 column 7
    error: there is no parameter `pth`; did you mean `path`?
    error: no tool is alive as `session`; alive: a
    "#);
    let invalid = b"spawn a\napply a \xff\nabort a\n".to_vec();
    let output = env.jp(["tool", "session", "git_stage"]).stdin(invalid).run().code(1);
    assert!(output.stdout().contains("Nothing was staged."), "the rest is obeyed: {output}");
    // A tool that does not stay alive.
    let env = workspace(&(ECHO.to_owned() + "[conversation.tools.echo.parameters]\n"));
    insta::assert_snapshot!(session(&env, "echo", "spawn\n").run(), @"
    $ jp tool session echo
    exit code: 2
    --- stderr
    error: `echo` does not stay alive between calls
    hint: `jp tool run echo` calls it once
    ");
}

/// A tool in shell that stays alive.
fn talker(actions: &str, body: &str) -> TestEnv {
    with_script(&format!(
        "read -r line\ncase $line in *'\"action\":\"schema\"'*) echo '{{\"tools\":[{{\"name\":\"t\",\"actions\":{actions},\"parameters\":{{}}}}]}}'; exit;; esac\n{body}"
    ))
}

const WAITING: &str =
    r#"echo '{"type":"waiting","question":{"id":"n","text":"Next?","answer_type":"Text"}}'"#;

/// A question at the start ends the tool; it is started again with the answer.
#[test]
fn a_question_before_the_start() {
    let body = format!(
        "case $line in *'\"answers\":{{}}'*) echo '{}'; exit;; esac\nprintf '%s' \"$line\" > started\n{WAITING}\nread -r line; echo '{{\"type\":\"stopped\",\"result\":\"bye\"}}'",
        r#"{"type":"needs_input","question":{"id":"who","text":"Who?","answer_type":"Text"}}"#
    );
    let env = talker(r#"["spawn","apply"]"#, &body);
    let output = run(&env, &["t", "--answer", "who=me", "--answer", "n=x"]).run().success();
    assert_eq!(output.stdout(), "bye\n");
    assert!(env.read("started").contains(r#""answers":{"who":"me""#));
    run(&env, &["t"]).run().code(3);
    let output = session(&env, "t", "spawn\n").run().code(1);
    assert!(output.stderr().contains("the tool asks \"Who?\", and nobody can answer"), "{output}");
    let answer = "[conversation.tools.t.questions.who]\nanswer = \"cfg\"\n";
    env.write(".jp/config.toml", local("t", "./t.sh") + answer);
    let output = session(&env, "t", "spawn\napply x\n").run().success();
    assert!(output.stdout().contains("bye"), "{output}");
    assert!(env.read("started").contains(r#""answers":{"who":"cfg"}"#));
}

/// Only what a tool lists is said to it.
#[test]
fn a_tool_is_told_only_what_it_understands() {
    let body = format!(
        "{WAITING}\nwhile read -r line; do echo \"$line\" >> heard; {WAITING}; done; echo end >> heard"
    );
    let env = talker(r#"["spawn","apply"]"#, &body);
    let output = session(&env, "t", "spawn\nfetch\napply x\nabort\n").run().code(1);
    assert!(
        output.stderr().contains("the tool does not take `fetch`, only `spawn`, `apply`"),
        "{output}"
    );
    assert_eq!(
        env.read("heard"),
        "{\"action\":\"apply\",\"id\":\"session\",\"input\":\"x\"}\nend\n"
    );
    let env = talker(r#"["spawn"]"#, "echo '{\"type\":\"running\"}'; read -r line");
    let output = run(&env, &["t"]).run().code(1);
    assert!(output.stderr().contains("does not take `fetch`"), "{output}");
}

/// Every way to break off, and what is left of it.
#[test]
fn tools_that_break_off() {
    for (body, code, part) in [
        (
            "echo '{\"type\":\"error\",\"message\":\"no way\",\"trace\":[\"because\"]}'; exit 1",
            1,
            "no way\n  because",
        ),
        ("echo oops >&2; exit 4", 1, "exited with code 4"),
        ("kill -9 $$", 1, "SIGKILL"),
        ("echo hello; sleep $MARK", 1, "it printed: hello"),
        ("setsid sleep $MARK & sleep $MARK", 124, "did not answer within 1 seconds"),
        ("trap '' TERM; while :; do sleep $MARK; done", 124, "did not answer within 1 seconds"),
        ("yes | tr -d '\\n'", 1, "not the state of a tool"),
        ("exec >&-; sleep $MARK", 1, "without saying that it has stopped"),
        // One that says two things at once is not believed the second.
        (
            "echo '{\"type\":\"running\"}'; echo '{\"type\":\"stopped\",\"result\":\"x\"}'; sleep $MARK",
            1,
            "the tool said more than it was asked for",
        ),
        // One that is at work for ever has the time of any other tool.
        (
            "while :; do echo '{\"type\":\"running\"}'; read -r line || exit; done",
            124,
            "the tool took more than 1 seconds and was ended",
        ),
    ] {
        let env = talker(r#"["spawn","fetch","apply","abort"]"#, body);
        env.write(".jp/config.toml", local("t", "./t.sh") + "timeout_secs = 1\n");
        let mark = mark(&env);
        let script = env.read("t.sh").replace("$MARK", &mark);
        env.write("t.sh", script);
        let output = run(&env, &["t"]).run().code(code);
        assert!(output.stderr().contains(part), "{body}: {output}");
        assert!(output.stderr().len() < 20_000, "{body}");
        assert_eq!(sleepers(&mark), Vec::<String>::new(), "{body}");
        if body.starts_with("while") {
            continue;
        }
        let output = session(&env, "t", "spawn\nfetch\nfetch\n").run().code(1);
        assert!(output.stderr().contains(part), "{body}: {output}");
        assert!(output.stderr().contains("no tool is alive as `session`"), "{body}: {output}");
        assert_eq!(sleepers(&mark), Vec::<String>::new(), "{body}");
    }
}

/// The same question again would get the same answer, for ever.
#[test]
fn a_tool_that_asks_the_same_again() {
    let env = talker(
        r#"["spawn","apply","abort"]"#,
        &format!("{WAITING}\nwhile read -r line; do {WAITING}; done"),
    );
    let output = run(&env, &["t", "--answer", "n=x"]).run().code(1);
    assert!(output.stderr().contains("asked `n` again"), "{output}");
    let output = session(&env, "t", "spawn\napply a\napply b\n").run().success();
    assert_eq!(output.stdout().matches("Next?").count(), 3, "{output}");
}

/// A tool that does not hear the end of its input does not hold up the end of the session.
#[test]
fn a_deaf_tool_ends_with_the_session() {
    let body = format!("trap '' TERM\n{WAITING}\nwhile :; do sleep $MARK; done");
    let env = talker(r#"["spawn","fetch","apply","abort"]"#, &body);
    let mark = mark(&env);
    let script = env.read("t.sh").replace("$MARK", &mark);
    env.write("t.sh", script);
    session(&env, "t", "spawn\n").timeout(Duration::from_secs(25)).run().success();
    assert_eq!(sleepers(&mark), Vec::<String>::new());
}

/// Whoever sits at a terminal is told what can be written; control-C ends everything.
#[test]
fn a_session_on_a_terminal() {
    let env = repository();
    let mut terminal = env.jp(["tool", "session", "git_stage"]).pty(SIZE);
    terminal.expect("Commands: `spawn [ID] [key=value …]`", LIMIT).send("spawn\r");
    terminal.expect("Stage this hunk? (apply yes|no)", LIMIT).send("\u{3}");
    terminal.wait(LIMIT).code(130);
    assert_eq!(staged(&env), Vec::<String>::new());
}

/// Permission is asked for at the start, and only then.
#[test]
fn permission_is_asked_for_once() {
    let env = repository();
    let config = env.read(".jp/config.toml").replace("unattended", "ask");
    env.write(".jp/config.toml", config);
    let output = session(&env, "git_stage", "spawn\n").run().code(1);
    assert!(output.stderr().contains("--yes lets it run"), "{output}");
    let output = env.jp(["tool", "session", "--yes", "git_stage"]).stdin("spawn\nfetch\n");
    output.run().success();
    let config = env.read(".jp/config.toml").replace("ask", "skip");
    env.write(".jp/config.toml", config);
    let output = env.jp(["tool", "session", "--yes", "git_stage"]).stdin("spawn\n").run().code(1);
    assert!(output.stderr().contains("run = \"skip\""), "{output}");
}

#[test]
fn a_value_of_two_words_and_a_line_without_end() {
    let env = repository();
    let output = session(&env, "git_stage", "spawn\napply hello world\n").run();
    assert!(output.stderr().contains("a value with spaces needs quotes"), "{output}");
    let long = "x".repeat(17 * 1024 * 1024);
    let output = session(&env, "git_stage", &format!("{long}\nspawn\n")).run();
    assert!(output.stderr().contains("not a command: longer than 16777216 bytes"), "{output}");
    assert!(output.stdout().contains("[session: waiting]"), "{output}");
}

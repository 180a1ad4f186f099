//! Whether a tool runs, whether its result is handed over, and how often it is tried.

use super::*;

fn configured(more: &str) -> TestEnv {
    let config = "[conversation.tools.t]\nsource = \"local\"\ncommand = \"./t.sh\"\n";
    let env = workspace(&format!("{config}{more}\n"));
    program(
        &env,
        "t.sh",
        &(described(r#"{"path":{"type":"string","default":"x"}}"#)
            + "echo run >> runs; echo \"$line\""),
    );
    env
}

#[test]
fn asking_before_a_call() {
    let env = configured("run = \"ask\"");
    insta::assert_snapshot!(run(&env, &["t"]).run(), @r#"
    $ jp tool run t
    exit code: 3
    --- stderr
    error: nobody can be asked whether `t` may run
      `conversation.tools.t.run = "unattended"` runs it without asking
    hint: --yes lets it run
    "#);
    assert!(!env.path("runs").exists());
    // The tool itself says what it is about to do.
    let mut terminal = run(&env, &["t"]).pty(SIZE);
    terminal.expect("shown by the tool", LIMIT).expect("Run t?", LIMIT).send("n\r");
    let output = terminal.wait(LIMIT).code(5);
    assert!(output.screen().contains("t: it was not run: the person said no"), "{output}");
    assert!(!env.path("runs").exists());
    let mut terminal = run(&env, &["t"]).pty(SIZE);
    terminal.expect("Run t?", LIMIT).send("\u{3}");
    terminal.wait(LIMIT).code(130);
    assert!(!env.path("runs").exists());
    let mut terminal = run(&env, &["t"]).pty(SIZE);
    terminal.expect("Run t?", LIMIT).send("y\r");
    terminal.expect("\"path\":\"x\"", LIMIT);
    terminal.wait(LIMIT).success();
    run(&env, &["t", "--yes"]).run().success();
    assert_eq!(env.read("runs"), "run\nrun\n");
    // Wrong arguments are wrong before anybody is asked.
    run(&env, &["t", "path:=5"]).pty(SIZE).wait(LIMIT).code(2);
}

/// What a tool says about its own call is welcome, as long as it says something, soon, and does nothing.
#[test]
fn showing_the_arguments() {
    for (script, shown) in [
        ("echo 'I will do x.'", "I will do x."),
        ("echo '{\"type\":\"success\",\"content\":\"I will.\"}'; echo x > written", "I will."),
        ("", "\"path\": \"x\""),
        ("printf ' \\n \\n'", "\"path\": \"x\""),
        ("sleep 100", "\"path\": \"x\""),
        ("echo no; exit 1", "\"path\": \"x\""),
        ("printf '\\377'", "\"path\": \"x\""),
        ("yes", "\"path\": \"x\""),
        ("yes | head -n 5000", "9000 more bytes are not shown"),
    ] {
        let env = configured("run = \"ask\"");
        let tool = env.read("t.sh").replace("echo 'shown by the tool'", &format!("{script}\ntrue"));
        env.write("t.sh", tool);
        let mut terminal = run(&env, &["t"]).pty(SIZE);
        terminal.expect(shown, LIMIT).expect("Run t?", LIMIT).send("n\r");
        terminal.wait(LIMIT).code(5);
        assert!(!env.path("written").exists() && !env.path("runs").exists(), "{script}");
    }
}

#[test]
fn editing_the_arguments() {
    let env = configured("run = \"edit\"");
    program(&env, "editor", "sed -i s/x/edited/ \"$1\"");
    let terminal = run(&env, &["t"]).env("EDITOR", env.path("editor").as_str()).pty(SIZE);
    let output = terminal.wait(LIMIT).success();
    assert!(output.screen().contains("\"path\":\"edited\""), "{output}");
    // What was edited is checked like everything else.
    program(&env, "editor", "echo '{\"pth\":1}' > \"$1\"");
    let terminal = run(&env, &["t"]).env("EDITOR", env.path("editor").as_str()).pty(SIZE);
    terminal.wait(LIMIT).code(2);
    program(&env, "editor", "echo 'not JSON' > \"$1\"");
    let terminal = run(&env, &["t"]).env("EDITOR", env.path("editor").as_str()).pty(SIZE);
    let output = terminal.wait(LIMIT).code(5);
    assert!(output.screen().contains("not a JSON object"), "{output}");
    let terminal = run(&env, &["t"]).env("EDITOR", "true").pty(SIZE);
    terminal.wait(LIMIT).code(5);
    run(&env, &["t"]).run().code(3);
    assert_eq!(env.read("runs"), "run\n");
}

#[test]
fn not_running_at_all() {
    let env = configured("run = \"skip\"");
    insta::assert_snapshot!(run(&env, &["t", "--yes"]).run(), @r#"
    $ jp tool run t --yes
    exit code: 5
    --- stderr
    error: t: it was not run: the configuration says `run = "skip"`
    "#);
    assert!(!env.path("runs").exists());
    let env = configured("run = \"unattended\"");
    run(&env, &["t"]).run().success();
    assert_eq!(env.read("runs"), "run\n");
}

#[test]
fn what_happens_to_a_result() {
    let env = configured("run = \"unattended\"\nresult = \"skip\"");
    insta::assert_snapshot!(run(&env, &["t"]).run(), @"
    $ jp tool run t
    exit code: 5
    --- stderr
    error: t: it ran; its result is kept back
    ");
    assert_eq!(env.read("runs"), "run\n");
    // That it could not be called is no result.
    let output = run(&env, &["t", "path:=5"]).run().code(2);
    assert!(output.stderr().contains("`path`"), "{output}");

    let env = configured("run = \"unattended\"\nresult = \"ask\"");
    insta::assert_snapshot!(run(&env, &["t"]).run(), @r#"
    $ jp tool run t
    exit code: 3
    --- stderr
    error: nobody can be asked whether the result of `t` may be handed over
    hint: `conversation.tools.t.result = "unattended"` does not ask
    "#);
    assert!(!env.path("runs").exists(), "it would have been for nothing");
    for (keys, code) in [("y\r", 0), ("n\r", 5)] {
        let mut terminal = run(&env, &["t"]).pty(SIZE);
        terminal.expect("Hand over this result of t?", LIMIT).send(keys);
        terminal.wait(LIMIT).code(code);
    }
}

/// A tool that is busy twice and then is not.
fn busy(more: &str) -> TestEnv {
    let env = workspace(&(local("t", "./t.sh") + more));
    let script = r#"count=$(cat count 2>/dev/null || echo 0); count=$((count + 1)); echo $count > count
[ $count -ge 3 ] && echo "after $count" && exit
echo '{"type":"error","message":"busy","transient":true}'; exit 1"#;
    program(&env, "t.sh", &(described("{}") + script));
    env
}

#[test]
fn a_passing_failure_is_tried_again() {
    let env = busy("");
    insta::assert_snapshot!(run(&env, &["t"]).run(), @"
    $ jp tool run t
    exit code: 0
    --- stdout
    after 3
    --- stderr
    t: busy; trying again (1)
    t: busy; trying again (2)
    ");
    let env = busy("retries = 0\n");
    insta::assert_snapshot!(run(&env, &["t"]).run(), @"
    $ jp tool run t
    exit code: 1
    --- stderr
    error: busy
    ");
    assert_eq!(env.read("count"), "1\n");
    let env = busy("retries = 1\n");
    run(&env, &["t"]).run().code(1);
    assert_eq!(env.read("count"), "2\n");
    // One that will not go away is not.
    let env = busy("");
    let script = env.read("t.sh").replace("true}", "false}");
    env.write("t.sh", script);
    run(&env, &["t"]).run().code(1);
    assert_eq!(env.read("count"), "1\n");
}

#[test]
fn a_disabled_tool_is_still_there_for_people() {
    let env = configured("run = \"unattended\"\nenable = false");
    let listed = env.jp(["tool", "list"]).run().success();
    assert!(listed.stdout().contains("disabled"), "{listed}");
    run(&env, &["t"]).run().success();
}

/// Keys that were pressed before the question was there are no answer to it.
#[test]
fn what_was_typed_before_is_no_answer() {
    let env = configured("run = \"ask\"");
    let mut terminal = run(&env, &["t"]).pty(SIZE);
    terminal.send("y\r");
    terminal.expect("Run t?", LIMIT).send("n\r");
    terminal.wait(LIMIT).code(5);
    assert!(!env.path("runs").exists());
}

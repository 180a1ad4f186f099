//! `--dry-run` and `--review` of a sealed tool: what it and its programs would change, before it is.

use std::os::unix::fs::PermissionsExt;

use jp_test::Size;

use super::*;

const SIZE: Size = Size { rows: 60, cols: 160 };

fn with_files() -> TestEnv {
    let env = workspace(&(FILES.to_owned() + &command("sh", "")));
    env.write("old", "old\n");
    env.write("gone", "still here\n");
    env
}

fn changes() -> [Value; 5] {
    [
        request("fs.write", &json!({ "path": "old", "content": "changed\n" })),
        request("fs.write", &json!({ "path": "dir/made", "content": "new\n" })),
        request("fs.delete", &json!({ "path": "gone" })),
        // It sees its own changes.
        request("fs.read", &json!({ "path": "old" })),
        request("fs.exists", &json!({ "path": "gone" })),
    ]
}

fn is_unchanged(env: &TestEnv) -> bool {
    env.read("old") == "old\n"
        && env.read("gone") == "still here\n"
        && !env.path("dir").exists()
        && !env.path("made").exists()
}

fn assert_shown(shown: &str) {
    for line in ["-old", "+changed", "dir/made", "+new", "gone", "-still here"] {
        assert!(shown.contains(line), "`{line}` is not in\n{shown}");
    }
}

#[test]
fn a_dry_run_shows_what_would_change_and_changes_nothing() {
    let env = with_files();
    let output = call(&env, &changes(), &["--dry-run"]).run().success();
    assert_shown(output.stdout());
    assert!(output.stdout().contains("\"content\": \"changed\\n\""), "{output}");
    assert!(output.stdout().contains("\"exists\": false"), "{output}");
    assert!(is_unchanged(&env));
    // What is not allowed is not shown as a change.
    configure(&env, "");
    let output = call(&env, &changes(), &["--dry-run"]).run().success();
    assert!(!output.stdout().contains("+changed"), "{output}");
    assert!(output.stderr().contains("It would change nothing"), "{output}");
}

#[test]
fn a_program_changes_nothing_in_a_dry_run() {
    let env = with_files();
    let script = "echo changed > old; mkdir dir; echo new > dir/made; rm gone; cat old";
    let requests = [run("sh", &["-c", script]), request("fs.read", &json!({ "path": "old" }))];
    let output = call(&env, &requests, &["--dry-run"]).run().success();
    assert_shown(output.stdout());
    // It saw its own change, and so does the tool after it.
    assert!(output.stdout().contains("\"stdout\": \"changed\\n\""), "{output}");
    assert!(output.stdout().contains("\"content\": \"changed\\n\""), "{output}");
    assert!(is_unchanged(&env));
}

/// A script of the project can be run in a copy as it can in the project itself.
#[test]
fn a_dry_run_runs_the_scripts_of_the_project() {
    let settings = FILES.replace("write = true", "write = true\nexecute = true");
    let env = workspace(&(settings + &command("\"./build.sh\"", "") + &command("sh", "")));
    env.write("build.sh", "#!/bin/sh\necho built | tee out\n");
    let mode = fs::Permissions::from_mode(0o755);
    fs::set_permissions(env.path("build.sh"), mode).expect("the mode can be set");
    let output = call(&env, &[run("./build.sh", &[])], &["--dry-run"]).run().success();
    assert!(output.stdout().contains("\"stdout\": \"built\\n\""), "{output}");
    assert!(output.stdout().contains("+built"), "{output}");
    assert!(!env.path("out").exists());
    let asked = Asked::from(call(&env, &[run("./build.sh", &[])], &[]).run());
    assert_eq!(ran(&asked, 0), ("built\n", "", 0));
}

#[test]
fn a_review_writes_nothing_before_a_yes() {
    let env = with_files();
    call(&env, &changes(), &["--review"]).run().code(3);
    assert!(is_unchanged(&env));
    let mut terminal = call(&env, &changes(), &["--review"]).pty(SIZE);
    terminal.expect("Make these changes?", LIMIT);
    assert_shown(&terminal.screen());
    assert!(is_unchanged(&env));
    terminal.send("n\r");
    terminal.wait(LIMIT).code(5);
    assert!(is_unchanged(&env));
    let mut terminal = call(&env, &changes(), &["--review"]).pty(SIZE);
    terminal.expect("Make these changes?", LIMIT).expect_keys(LIMIT).send("\u{3}");
    terminal.wait(LIMIT).code(130);
    assert!(is_unchanged(&env));
    let mut terminal = call(&env, &changes(), &["--review"]).pty(SIZE);
    terminal.expect("Make these changes?", LIMIT).send("y\r");
    terminal.wait(LIMIT).success();
    assert_eq!((env.read("old"), env.read("dir/made")), ("changed\n".into(), "new\n".into()));
    assert!(!env.path("gone").exists());
}

#[test]
fn a_review_of_what_a_program_changes() {
    let env = with_files();
    let script = "echo changed > old; mkdir dir; echo new > dir/made; rm gone";
    let requests = [run("sh", &["-c", script])];
    let mut terminal = call(&env, &requests, &["--review"]).pty(SIZE);
    terminal.expect("Make these changes?", LIMIT);
    assert!(is_unchanged(&env));
    terminal.send("y\r");
    terminal.wait(LIMIT).success();
    assert_eq!((env.read("old"), env.read("dir/made")), ("changed\n".into(), "new\n".into()));
    assert!(!env.path("gone").exists());
}

/// A file that somebody changed while a person looked at the diff is not written over.
#[test]
fn what_changed_meanwhile_is_not_written_over() {
    let env = with_files();
    let mut terminal = call(&env, &changes(), &["--review"]).pty(SIZE);
    terminal.expect("Make these changes?", LIMIT);
    env.write("old", "of somebody else\n");
    terminal.send("y\r");
    let output = terminal.wait(LIMIT);
    assert_eq!(env.read("old"), "of somebody else\n", "{output}");
}

/// What is no directory is left as it was too.
#[test]
fn a_dry_run_on_a_database() {
    let sqlite = "[project]\nbackend = \"sqlite\"\npath = \"files.db\"\n";
    let env = workspace(&(FILES.to_owned() + &command("sh", "") + sqlite));
    let write = request("fs.write", &json!({ "path": "old", "content": "old\n" }));
    assert_eq!(Asked::from(call(&env, &[write], &[]).run()).codes(), [0]);
    let requests = [
        request("fs.write", &json!({ "path": "made", "content": "new\n" })),
        run("sh", &["-c", "cat made; echo changed > old"]),
        request("fs.read", &json!({ "path": "old" })),
    ];
    let output = call(&env, &requests, &["--dry-run"]).run().success();
    for line in
        ["+new", "-old", "+changed", "\"stdout\": \"new\\n\"", "\"content\": \"changed\\n\""]
    {
        assert!(output.stdout().contains(line), "`{line}` is not in\n{output}");
    }
    let read = |path: &str| request("fs.read", &json!({ "path": path }));
    let asked = Asked::from(call(&env, &[read("old"), read("made")], &[]).run());
    assert_eq!(asked.codes(), [0, -32002]);
    assert_eq!(asked.result(0)["content"], "old\n");
}

//! The tool that stays alive, on real repositories: what is staged is what was chosen.

use std::{
    io::{BufRead, BufReader, Write},
    process::{Child, ChildStdin, Command, Stdio},
    sync::mpsc,
    thread,
    time::Duration,
};

use jp_tool::{AnswerType, Outcome, ToolState};

use super::*;

#[test]
fn the_chosen_hunks_are_staged_and_no_others() {
    for chosen in 0..8_u8 {
        let env = repository();
        let answers = [chosen & 1 != 0, chosen & 2 != 0, chosen & 4 != 0];
        let lines: Vec<String> = answers.iter().map(|answer| apply(&json!(answer))).collect();
        let states = session(&env, ".", &lines);
        assert_eq!(states.len(), 4);
        let count = answers.iter().filter(|answer| **answer).count();
        assert_eq!(stopped(&states[3]), format!("Staged {count} of 3 hunks."));
        let text = |first: &str, last: &str| numbers(30, &[(2, first), (25, last)]);
        let pick = |chosen, new, old| if chosen { new } else { old };
        let expected = text(pick(answers[0], "new 2\nmore", "2"), pick(answers[1], "new 25", "25"));
        assert_eq!(staged(&env, "numbers"), expected, "{answers:?}");
        assert_eq!(staged(&env, "z file"), pick(answers[2], "a\nb\n", "a\n"), "{answers:?}");
        // The files themselves are as they were.
        assert_eq!(env.read("z file"), "a\nb\n");
    }
}

#[test]
fn each_hunk_is_shown_with_a_question() {
    let env = repository();
    let states = session(&env, "z file", &[String::new(), FETCH.to_owned(), apply(&json!("y"))]);
    let [first, again, wrong] = states.as_slice() else { panic!("{states:?}") };
    assert_eq!(first, again);
    let ToolState::Waiting { content: Some(content), question } = first else {
        panic!("{first:?}")
    };
    insta::assert_snapshot!(text_of(content), @r"
    Hunk 1 of 1, z file

    @@ -1,1 +1,2 @@
     a
    +b
    ");
    assert_eq!((&*question.id, &question.answer_type), ("hunk_1", &AnswerType::Boolean));
    let ToolState::Waiting { content: Some(content), .. } = wrong else { panic!("{wrong:?}") };
    assert_eq!(text_of(content), "Answer true or false, not \"y\".");
    assert_eq!(staged(&env, "z file"), "a\n");
}

#[test]
fn abort_and_the_end_of_stdin_stage_nothing() {
    let env = repository();
    let yes = apply(&json!(true));
    let states = session(&env, ".", &[yes.clone(), yes.clone(), ABORT.to_owned(), yes.clone()]);
    assert_eq!(states.len(), 4);
    assert_eq!(stopped(&states[3]), "Aborted after 2 of 3 hunks. Nothing was staged.");
    assert_eq!(session(&env, ".", &[yes.clone(), yes]).len(), 3);
    assert_eq!(git(&env, &["diff", "--cached", "--name-only"]), "");
}

#[test]
fn a_line_that_is_no_command_ends_the_session_and_stages_nothing() {
    let env = repository();
    let yes = apply(&json!(true));
    for line in ["yes", "{}", r#"{"action":"apply","id":"other","input":true}"#] {
        let lines = [yes.clone(), yes.clone(), line.to_owned(), yes.clone()];
        let output = example("git_stage").run(&env, &input(&env, ".", &lines));
        assert_eq!(output.exit_code(), Some(1));
        let last = output.stdout().lines().last().unwrap().to_owned();
        assert!(matches!(Outcome::parse(&last), Ok(Outcome::Error(_))), "{last}");
        assert_eq!(output.stdout().lines().count(), 4);
    }
    assert_eq!(git(&env, &["diff", "--cached", "--name-only"]), "");
}

#[test]
fn what_cannot_be_staged_is_not_offered_or_is_an_error() {
    let env = repository();
    git(&env, &["commit", "-qam", "all"]);
    env.write("untracked", "x\n");
    assert_eq!(stopped(&session(&env, ".", &[])[0]), "There is nothing to stage.");

    env.write("binary", b"\0\x01");
    git(&env, &["add", "binary"]);
    env.write("binary", b"\0\x02");
    env.write("latin", b"\xe9\n");
    git(&env, &["add", "latin"]);
    env.write("latin", b"\xe8\n");
    let states = session(&env, ".", &[apply(&json!(true))]);
    assert_eq!(stopped(&states[1]), "Staged 1 of 1 hunks.");
    assert_eq!(git(&env, &["diff", "--name-only"]), "binary\n");
}

#[test]
fn outside_of_a_repository_there_is_an_error_with_the_words_of_git() {
    let env = workspace();
    let output = example("git_stage").run(&env, &input(&env, ".", &[]));
    let Ok(Outcome::Error(failed)) = Outcome::parse(line(&output)) else { panic!("{output}") };
    assert_eq!(failed.message, "git rev-parse failed");
    assert!(failed.trace[0].contains("not a git repository"), "{failed:?}");
    assert_eq!(
        error(&example("git_stage").run(&env, &input(&env, "../x", &[]))),
        "path escapes the workspace: ../x"
    );
}

/// The other tests write all commands at once. Here each is sent when the answer to the last is
/// there, so an answer that is kept back would be noticed.
#[test]
fn an_answer_comes_before_the_next_command() {
    let env = repository();
    let mut tool = Live::spawn(&env);
    for _ in 0..2 {
        let answer = tool.say(&apply(&json!(true)));
        assert!(matches!(ToolState::parse(&answer), Ok(ToolState::Waiting { .. })), "{answer}");
    }
    let last = tool.say(&apply(&json!(true)));
    assert_eq!(stopped(&ToolState::parse(&last).unwrap()), "Staged 3 of 3 hunks.");
    // It ends by itself, although stdin is open.
    assert!(tool.child.wait().unwrap().success());
}

#[test]
fn if_the_index_changes_meanwhile_nothing_more_is_staged() {
    let env = repository();
    let mut tool = Live::spawn(&env);
    for _ in 0..2 {
        tool.say(&apply(&json!(true)));
    }
    git(&env, &["add", "z file"]);
    let answer = tool.say(&apply(&json!(true)));
    let Ok(Outcome::Error(failed)) = Outcome::parse(&answer) else { panic!("{answer}") };
    assert_eq!(failed.message, "git apply failed");
    assert!(failed.trace[0].contains("does not apply"), "{failed:?}");
    assert_eq!(git(&env, &["diff", "--cached", "--name-only"]), "z file\n");
    assert_eq!(tool.child.wait().unwrap().code(), Some(1));
}

/// The tool with an open stdin. Ends it when the test does.
struct Live {
    child: Child,
    stdin: ChildStdin,
    lines: mpsc::Receiver<String>,
}

impl Live {
    fn spawn(env: &TestEnv) -> Self {
        let mut child = Command::new(program("git_stage"))
            .env_clear()
            .env("PATH", path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (stdin, stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let (sender, lines) = mpsc::channel();
        thread::spawn(move || {
            let lines = BufReader::new(stdout).lines().map_while(Result::ok);
            lines.for_each(|line| drop(sender.send(line)));
        });
        let mut live = Self { child, stdin, lines };
        let spawn = String::from_utf8(input(env, ".", &[])).unwrap();
        let state = live.say(spawn.trim_end());
        assert!(matches!(ToolState::parse(&state), Ok(ToolState::Waiting { .. })), "{state}");
        live
    }

    /// Sends a line and waits for the answer.
    fn say(&mut self, line: &str) -> String {
        writeln!(self.stdin, "{line}").unwrap();
        self.lines.recv_timeout(Duration::from_secs(20)).expect("an answer in time")
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

const FETCH: &str = r#"{"action":"fetch","id":"s"}"#;
const ABORT: &str = r#"{"action":"abort","id":"s"}"#;

fn apply(answer: &Value) -> String {
    json!({ "action": "apply", "id": "s", "input": answer }).to_string()
}

fn input(env: &TestEnv, path: &str, lines: &[String]) -> Vec<u8> {
    let spawn = json!({ "action": "spawn", "id": "s", "args": { "path": path } });
    let mut input = invocation(env, "run", &spawn.to_string(), "{}");
    for line in lines {
        input.extend_from_slice(line.as_bytes());
        input.push(b'\n');
    }
    input
}

/// Every state that the tool reported.
fn session(env: &TestEnv, path: &str, lines: &[String]) -> Vec<ToolState> {
    let output = example("git_stage").run(env, &input(env, path, lines)).success();
    output.stdout().lines().map(|line| ToolState::parse(line).unwrap()).collect()
}

fn stopped(state: &ToolState) -> &str {
    match state {
        ToolState::Stopped { result } => text_of(result),
        other => panic!("{other:?}"),
    }
}

fn text_of(content: &jp_tool::Content) -> &str {
    match content {
        jp_tool::Content::Text(text) => text,
        jp_tool::Content::Blocks(blocks) => panic!("{blocks:?}"),
    }
}

/// Three hunks in two files, none of them staged. The configuration tries to disturb.
fn repository() -> TestEnv {
    let env = workspace();
    find("git", "install the package git");
    git(&env, &["init", "-q"]);
    for (key, value) in [
        ("user.name", "n"),
        ("user.email", "e@example.org"),
        ("diff.noprefix", "true"),
        ("diff.context", "0"),
        ("diff.external", "false"),
        ("color.ui", "always"),
    ] {
        git(&env, &["config", key, value]);
    }
    env.write("numbers", numbers(30, &[]));
    env.write("z file", "a\n");
    git(&env, &["add", "-A"]);
    git(&env, &["commit", "-qm", "first"]);
    env.write("numbers", numbers(30, &[(2, "new 2\nmore"), (25, "new 25")]));
    env.write("z file", "a\nb\n");
    env
}

/// The numbers up to one, a line each, with some lines replaced.
fn numbers(count: u32, replaced: &[(u32, &str)]) -> String {
    (1..=count)
        .map(|number| match replaced.iter().find(|(at, _)| *at == number) {
            Some((_, text)) => format!("{text}\n"),
            None => format!("{number}\n"),
        })
        .collect()
}

fn staged(env: &TestEnv, file: &str) -> String {
    git(env, &["show", &format!(":{file}")])
}

fn git(env: &TestEnv, args: &[&str]) -> String {
    let git = find("git", "install the package git");
    env.command(git, args.iter().copied()).env("PATH", path()).run().success().stdout().to_owned()
}

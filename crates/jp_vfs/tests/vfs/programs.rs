//! Programs that work in copies of the project: how many copies there are, how old they are, and what becomes of
//! them when nobody wants the answer.

use std::time::Duration;

use jp_vfs::{
    BoxFuture,
    process::{ProgramError, ProgramRun, Programs, Ran},
};
use serde_json::{Value, json};

use crate::{
    far::until,
    tool::{Tool, code_of},
    world::World,
};

/// Programs that read or write one file: `cat PATH`, and `put PATH CONTENT`.
#[derive(Debug)]
struct Small;

impl Programs for Small {
    fn run<'a>(&'a self, run: ProgramRun<'a>) -> BoxFuture<'a, Result<Ran, ProgramError>> {
        Box::pin(async move {
            let path = run.directory.join(&run.args[0]);
            let stdout = match run.program {
                "cat" => std::fs::read(path).unwrap(),
                _ => std::fs::write(path, &run.args[1]).map(|()| Vec::new()).unwrap(),
            };
            Ok(Ran { stdout, stderr: Vec::new(), exit_code: 0, lost: None })
        })
    }
}

fn run(program: &str, args: &[&str]) -> Value {
    json!({"program": program, "args": args})
}

fn call_off(tool: &mut Tool, id: usize) {
    tool.notify("cancel", json!({"request_id": id}));
    assert_eq!(code_of(&tool.answer(id)), -32005);
}

// D11-229: what is called off in a loop is done no more often at the same time than what is not.
#[test]
fn copies_that_nobody_wants_do_not_pile_up() {
    let (world, far) = World::far_away();
    let world = world.programs(Small, &["cat"]);
    world.put("a", "x");
    let mut tool = world.start();
    for id in 0..20 {
        tool.request(id, "process.run", run("cat", &["a"]));
        if id < 2 {
            far.until_copies(id + 1);
        }
        call_off(&mut tool, id);
    }
    tool.request(20, "process.run", run("cat", &["a"]));
    // Whoever would be made too early is made within that time.
    std::thread::sleep(Duration::from_millis(200));
    assert_eq!(far.most_copies(), 2);
    far.end();
    assert_eq!(tool.answer(20)["result"]["stdout"], "x");
    until(|| world.copies() == 0);
    assert_eq!(far.most_copies(), 2);
}

// D11-158: what is being brought back comes back whole, and whoever ends the call can wait for it.
#[test]
fn what_a_program_did_is_brought_back_although_nobody_waits() {
    let (world, far) = World::far_away();
    let world = world.programs(Small, &["put"]);
    far.hold_changes();
    let mut tool = world.start();
    for (id, path) in [(0, "a"), (1, "b")] {
        tool.request(id, "process.run", run("put", &[path, "x"]));
        far.until_changes(id + 1);
        call_off(&mut tool, id);
    }
    tool.request(2, "process.run", run("put", &["c", "x"]));
    assert!(!world.settles_within(Duration::from_millis(200)));
    assert_eq!(world.copies(), 2, "the next one waits for its turn");
    call_off(&mut tool, 2);
    far.end();
    assert!(world.settles_within(crate::tool::LIMIT));
    assert_eq!((world.text("a"), world.text("b"), world.has("c")), ("x".into(), "x".into(), false));
    assert_eq!(world.copies(), 0);
}

// D11-157 D11-200: a copy that was made ahead is used as long as it shows the files as they are.
#[test]
fn a_copy_that_was_made_ahead_is_not_older_than_the_files() {
    let world = World::in_memory().programs(Small, &["cat"]);
    world.put("a", "old");
    let mut tool = world.start();
    world.prepare();
    assert_eq!(world.copies(), 1);
    let mut other = world.start();
    assert_eq!(other.code("fs.write", json!({"path": "a", "content": "new"})), 0);
    assert_eq!(tool.call("process.run", run("cat", &["a"]))["result"]["stdout"], "new");
    // Of somebody else nobody hears anything, so it is soon too old.
    world.prepare();
    world.put("a", "newer");
    std::thread::sleep(Duration::from_millis(2_100));
    assert_eq!(other.call("process.run", run("cat", &["a"]))["result"]["stdout"], "newer");
    until(|| world.copies() == 0);
}

//! What no rule covers is put to a person.

use jp_vfs::Approval;
use serde_json::{Value, json};

use crate::{
    tool::{Tool, code_of},
    world::World,
};

fn write(path: &str) -> Value {
    json!({"path": path, "content": "x"})
}

/// Sends a write, and shows that it waits.
fn held(tool: &mut Tool, id: i64, path: &str) {
    tool.request(id, "fs.write", write(path));
    let pending = tool.line();
    // D11-282 D11-283 D11-284
    assert_eq!(pending["method"], "pending");
    assert_eq!(pending["params"], json!({"request_id": id, "reason": "awaiting user approval"}));
    // D11-212
    tool.hears_nothing();
}

// 076-071 D11-211 D11-212 D11-213 D11-214 D11-215
#[test]
fn one_yes_is_for_one_request() {
    let mut world = World::on_disk().rules("src=rcud");
    let person = world.person();
    let mut tool = world.start();
    held(&mut tool, 1, "new");
    person.until_asked(1);
    assert!(!world.has("new"), "D11-207: nothing happens before the yes");
    person.says(Approval::Once);
    assert_eq!(code_of(&tool.line()), 0);
    assert_eq!(world.text("new"), "x");
    // The file is there now, which needs another right, and that is asked about.
    held(&mut tool, 2, "new");
    person.says(Approval::Once);
    assert_eq!(code_of(&tool.line()), 0);
    held(&mut tool, 3, "new");
    person.says(Approval::No);
    let refused = tool.line();
    assert_eq!(code_of(&refused), -32001);
    assert_eq!(person.heard(), ["create new", "update new", "update new"]);
    // D11-209
    assert_eq!(tool.code("fs.write", write("src/a")), 0);
}

// D11-216, and what was not said yes to is asked about all the same.
#[test]
fn a_yes_for_the_run_is_not_asked_again() {
    for approval in [Approval::Run, Approval::Keep] {
        let mut world = World::on_disk().rules("src=rcud");
        world.put("a", "old");
        let person = world.person();
        let mut tool = world.start();
        person.says(approval);
        assert_eq!(tool.code("fs.write", write("a")), 0);
        assert_eq!(tool.code("fs.write", write("a")), 0);
        assert_eq!(person.heard(), ["update a"]);
        // In the next call of the tool neither.
        let mut again = world.start();
        assert_eq!(again.code("fs.write", write("a")), 0);
        assert_eq!(person.heard().len(), 1);
        for (method, question) in [("fs.read", "read a"), ("fs.delete", "delete a")] {
            person.says(Approval::No);
            assert_eq!(again.code(method, json!({"path": "a"})), -32001);
            assert_eq!(person.heard().last().unwrap(), question);
        }
        assert!(world.has("a"));
    }
}

// A no is not asked again.
#[test]
fn a_no_holds_for_the_run() {
    let mut world = World::on_disk().rules("src=rcud");
    let person = world.person();
    let mut tool = world.start();
    person.says(Approval::No);
    for id in 1..=3 {
        tool.request(id, "fs.write", write("a"));
        if id == 1 {
            assert_eq!(tool.line()["method"], "pending");
        }
        // D11-285: what a person has refused already is not held, so nothing is said of waiting.
        let answer = tool.line();
        assert_eq!((answer["id"].as_i64(), code_of(&answer)), (Some(id), -32001));
        assert!(answer.to_string().contains("said no"), "{answer}");
    }
    assert_eq!(person.heard(), ["create a"]);
}

// What nobody can see nobody says no to, so nothing is held, and nothing is remembered of it.
#[test]
fn what_is_too_long_to_be_shown_is_not_asked_about() {
    let mut world = World::on_disk().rules("src=rcud");
    let person = world.person();
    person.sees_at_most(100);
    let mut tool = world.start();
    let long = "a".repeat(200);
    for (method, params) in [
        ("fs.write", write(&long)),
        ("fs.write", write(&long)),
        ("process.run", json!({"program": "ls", "args": ["x".repeat(100)]})),
    ] {
        tool.request(method, method, params);
        let answer = tool.line();
        assert_eq!((&answer["id"], code_of(&answer)), (&json!(method), -32001), "{answer}");
        let message = answer["error"]["message"].as_str().unwrap();
        assert!(message.ends_with("; it is too long to be shown to a person"), "{message}");
    }
    assert_eq!(person.heard(), [] as [&str; 0]);
    person.sees_at_most(usize::MAX);
    person.says(Approval::Once);
    assert_eq!(tool.code("fs.write", write(&long)), 0);
}

// 076-072 D11-210: a rule that says no is not discussed. D11-285: nor is there anything pending.
#[test]
fn what_a_rule_denies_is_not_asked_about() {
    let mut world = World::on_disk().rules(".=r src=rcud");
    world.put("a", "x");
    let person = world.person();
    let mut tool = world.start();
    assert_eq!(tool.code("fs.write", write("new")), -32001);
    assert_eq!(tool.code("fs.delete", json!({"path": "a"})), -32001);
    assert_eq!(tool.code("fs.write", write("src/a")), 0);
    tool.hears_nothing();
    assert_eq!(person.heard(), [] as [&str; 0]);
}

// 076-073 D11-269: at once, and without a word of waiting.
#[test]
fn nobody_there_is_a_no() {
    let mut world = World::on_disk().rules("src=rcud");
    let person = world.person();
    person.leaves();
    let mut tool = world.start();
    tool.request(1, "fs.write", write("a"));
    let answer = tool.line();
    assert_eq!((&answer["id"], code_of(&answer)), (&json!(1), -32001));
    assert!(answer.to_string().contains("nobody can be asked"), "{answer}");
    for method in ["http.get", "http.post", "process.run"] {
        let params = json!({"url": "https://example.org", "program": "ls"});
        tool.request(method, method, params);
        let answer = tool.line();
        assert_eq!((&answer["id"], code_of(&answer)), (&json!(method), -32001), "{answer}");
        assert!(answer.to_string().contains("nobody can be asked"), "{answer}");
    }
    assert_eq!(person.heard(), [] as [&str; 0]);
    assert!(!world.has("a"));
}

// D11-208: capability, target and what is granted.
#[test]
fn a_refusal_says_what_is_granted() {
    let world = World::on_disk().rules("src=rcu docs/api=r none=");
    let mut tool = world.start();
    let message = |tool: &mut Tool, method: &str, params: Value| {
        tool.call(method, params)["error"]["message"].as_str().unwrap().to_owned()
    };
    for (method, path, capability) in [
        ("fs.read", "other", "read"),
        ("fs.delete", "src/a", "delete"),
        ("fs.write", "docs/api/x", "create"),
        ("fs.list_dir", "none", "read"),
    ] {
        let told = message(&mut tool, method, json!({"path": path, "content": ""}));
        assert!(told.contains(capability) && told.contains(path), "{told}");
        assert!(told.contains(r#"read, create, update in "src""#), "{told}");
        assert!(told.contains(r#"read in "docs/api""#) && !told.contains(r#""none""#), "{told}");
    }
    let told = message(&mut tool, "process.run", json!({"program": "rm", "args": ["-rf"]}));
    assert!(told.contains("rm") && told.contains("nothing is granted"), "{told}");
    let policy = json!({"commands": {"cargo": {"args": [["check", "**"]]}}});
    let mut tool = World::on_disk().policy(policy).start();
    let told = message(&mut tool, "process.run", json!({"program": "cargo", "args": ["publish"]}));
    assert!(told.contains("cargo") && told.contains("check"), "{told}");
    let told = message(&mut tool, "process.run", json!({"program": "rm"}));
    assert!(told.contains("run cargo"), "{told}");
}

// D11-208: many rules do not make a message of any length.
#[test]
fn a_refusal_has_a_bounded_length() {
    let rules: String = (0..500).map(|n| format!("dir{n}=r ")).collect();
    let mut tool = World::on_disk().rules(&rules).start();
    let answer = tool.call("fs.read", json!({"path": "other"}));
    assert!(
        answer.to_string().len() < 1_500 && answer.to_string().contains("490 more"),
        "{answer}"
    );
}

// D11-230 D11-231: the tool does not want it any more, so the yes comes too late.
#[test]
fn a_request_that_the_tool_calls_off() {
    let mut world = World::on_disk().rules("src=rcud");
    let person = world.person();
    let mut tool = world.start();
    held(&mut tool, 1, "a");
    person.until_asked(1);
    tool.notify("cancel", json!({"request_id": "1"}));
    tool.notify("cancel", json!({"request_id": 99}));
    tool.hears_nothing();
    // D11-229
    tool.notify("cancel", json!({"request_id": 1}));
    let answer = tool.line();
    assert_eq!((&answer["id"], code_of(&answer)), (&json!(1), -32005));
    person.until_left_alone();
    person.says(Approval::Run);
    tool.hears_nothing();
    assert!(!world.has("a"));
    // That yes was meant for a question that was taken back; the next one takes it here.
    assert_eq!(tool.code("fs.write", write("b")), 0);
    assert_eq!(person.heard(), ["create a", "create b"]);
    assert_eq!(tool.line()["method"], "pending");
    // One that was answered cannot be called off.
    tool.notify("cancel", json!({"request_id": 1}));
    tool.hears_nothing();
}

// D11-184 from the host: answered, not done, and nothing new is begun.
#[test]
fn a_request_that_the_host_calls_off() {
    let mut world = World::on_disk().rules("src=rcud");
    let person = world.person();
    let mut tool = world.start();
    held(&mut tool, 1, "a");
    person.until_asked(1);
    tool.session().cancel();
    tool.session().cancel();
    let answer = tool.line();
    assert_eq!((&answer["id"], code_of(&answer)), (&json!(1), -32005));
    // D11-177
    assert_eq!(tool.line(), json!({"jsonrpc": "2.0", "method": "cancel"}));
    person.says(Approval::Run);
    assert_eq!(tool.code("fs.write", write("src/a")), -32005);
    tool.hears_nothing();
    assert!(!world.has("a") && !world.has("src/a"));
    // It may still say its last word.
    tool.notify("result", json!({"content": "sorry"}));
    assert!(matches!(tool.end(), jp_vfs::End::Result(_)));
}

// A rename can need two answers, and a no to the second moves nothing.
#[test]
fn one_request_with_two_questions() {
    let mut world = World::on_disk().rules("src=r");
    world.put("a", "x");
    let person = world.person();
    let mut tool = world.start();
    person.says(Approval::Once);
    person.says(Approval::No);
    assert_eq!(tool.code("fs.rename", json!({"from": "a", "to": "b"})), -32001);
    assert!(world.has("a") && !world.has("b"));
    assert_eq!(tool.line()["method"], "pending");
    assert_eq!(person.heard(), ["delete a", "create b"]);
    person.says(Approval::Once);
    // The second was refused for the run, so another target is needed.
    person.says(Approval::Once);
    tool.request(7, "fs.rename", json!({"from": "a", "to": "c"}));
    assert_eq!(tool.line()["method"], "pending");
    let answer = tool.line();
    assert_eq!((&answer["id"], code_of(&answer)), (&json!(7), 0), "only one `pending` for both");
    assert!(!world.has("a") && world.has("c"));
}

// Many questions at once: each is asked, none is lost, and each yes is for its own request.
#[test]
fn many_requests_that_wait_for_a_person() {
    let mut world = World::on_disk().rules("src=r");
    let person = world.person();
    let mut tool = world.start();
    for id in 0..40 {
        tool.request(id, "fs.write", write(&format!("f{id}")));
    }
    for _ in 0..40 {
        person.says(Approval::Run);
    }
    for id in 0..40 {
        let answer = tool.answer(id);
        assert_eq!(code_of(&answer), 0, "{id}: {answer}");
    }
    assert_eq!(person.heard().len(), 40);
    for _ in 0..40 {
        assert_eq!(tool.line()["method"], "pending");
    }
    tool.hears_nothing();
}

// The same question from many requests is put once.
#[test]
fn the_same_question_is_put_once() {
    let mut world = World::on_disk().rules("src=r");
    world.put("a", "x");
    let person = world.person();
    let mut tool = world.start();
    for id in 0..20 {
        tool.request(id, "fs.read", json!({"path": "a"}));
    }
    person.until_asked(1);
    person.says(Approval::Run);
    for id in 0..20 {
        assert_eq!(code_of(&tool.answer(id)), 0);
    }
    assert_eq!(person.heard(), ["read a"]);
}

// A tool that goes away takes its question with it.
#[test]
fn a_question_of_a_tool_that_is_gone() {
    for last in ["close", "result", "give up"] {
        let mut world = World::on_disk().rules("src=r");
        let person = world.person();
        let mut tool = world.start();
        held(&mut tool, 1, "a");
        person.until_asked(1);
        match last {
            "close" => tool.close_output(),
            "result" => tool.notify("result", json!({"content": "x"})),
            _ => tool.give_up(),
        }
        tool.drained();
        person.says(Approval::Run);
        std::thread::sleep(std::time::Duration::from_millis(100));
        assert!(!world.has("a"), "{last}");
    }
}

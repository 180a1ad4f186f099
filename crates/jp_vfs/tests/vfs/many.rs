//! Several requests at once, and several tools.

use std::time::{Duration, Instant};

use jp_vfs::Approval;
use serde_json::json;

use crate::{
    tool::{LIMIT, code_of},
    world::World,
};

// D11-279: by id, in any order.
#[test]
fn several_requests_are_under_way() {
    for world in [World::on_disk(), World::in_memory()] {
        for n in 0..50 {
            world.put(&format!("f{n}"), format!("content {n}\n"));
        }
        let mut tool = world.start();
        for n in 0..50 {
            tool.request(format!("g{n}"), "fs.grep", json!({"pattern": format!("content {n}$")}));
            tool.request(n, "fs.read", json!({"path": format!("f{n}")}));
        }
        for n in (0..50).rev() {
            assert_eq!(tool.answer(n)["result"]["content"], format!("content {n}\n"));
            let found = tool.answer(format!("g{n}"));
            assert_eq!(found["result"]["matches"][0]["path"], format!("f{n}"));
            assert_eq!(found["result"]["matches"].as_array().unwrap().len(), 1);
        }
        tool.hears_nothing();
    }
}

// D11-280: what waits for a person, or takes long, delays nobody.
#[test]
fn a_held_request_delays_no_other() {
    let mut world = World::on_disk().rules("src=rcud");
    world.put("src/a", "x");
    let person = world.person();
    let mut tool = world.start();
    tool.request(1, "fs.write", json!({"path": "new", "content": "x"}));
    person.until_asked(1);
    for n in 0..200 {
        assert_eq!(tool.code("fs.read", json!({"path": "src/a"})), 0, "{n}");
        assert_eq!(tool.code("fs.grep", json!({"pattern": "x", "paths": ["src"]})), 0, "{n}");
    }
    person.says(Approval::Once);
    assert_eq!(code_of(&tool.answer(1)), 0);
}

// D11-280 for work that takes long.
#[test]
fn a_slow_search_delays_no_quick_request() {
    let world = World::on_disk();
    world.put("large", "some hay that does not match\n".repeat(300_000));
    let mut tool = world.start();
    tool.request("slow", "fs.grep", json!({"pattern": "(h.*a.*y.*){3}z$"}));
    tool.request("quick", "fs.exists", json!({"path": "large"}));
    assert_eq!(tool.line()["id"], "quick");
    assert_eq!(tool.line()["id"], "slow");
}

// D11-280 where nothing is answered at once: searches have turns of their own.
#[test]
fn searches_delay_no_short_request_anywhere() {
    let (world, far) = World::far_away();
    world.put("a", "x");
    let mut tool = world.start();
    for id in 0..6 {
        tool.request(id, "fs.grep", json!({"pattern": "x"}));
    }
    for _ in 0..20 {
        assert_eq!(tool.code("fs.read", json!({"path": "a"})), 0);
        assert_eq!(tool.code("fs.write", json!({"path": "a", "content": "x"})), 0);
    }
    far.end();
    for id in 0..6 {
        assert_eq!(code_of(&tool.answer(id)), 0);
    }
}

// D11-280: a deletion that waits for a search is not there yet for those who change something else.
#[test]
fn a_deletion_that_waits_delays_no_change() {
    let (world, far) = World::far_away();
    world.put("d/a", "x");
    let mut tool = world.start();
    tool.request("search", "fs.grep", json!({"pattern": "x"}));
    far.until_searches(1);
    tool.request("delete", "fs.delete", json!({"path": "d", "recursive": true}));
    for n in 0..5 {
        let params = json!({"path": format!("e/{n}"), "content": "x"});
        assert_eq!(code_of(&tool.call("fs.write", params)), 0);
    }
    assert!(world.has("d/a"));
    far.end();
    assert_eq!(code_of(&tool.answer("search")), 0);
    assert_eq!(code_of(&tool.answer("delete")), 0);
    assert!(!world.has("d") && world.has("e/4"));
}

// D11-177 D11-184: whoever has sent much at once is told at once that this is enough, and nothing more of it is
// done.
#[test]
fn what_is_sent_ahead_can_be_cancelled() {
    let world = World::in_memory();
    for n in 0..2_000 {
        world.put(&format!("d/f{n}"), "");
    }
    let mut tool = world.start();
    // Each takes a millisecond or more, and all of them are there before the first is done.
    let line = |id: usize| {
        let params = json!({"path": "d", "limit": 1});
        json!({"jsonrpc": "2.0", "id": id, "method": "fs.list_dir", "params": params}).to_string()
            + "\n"
    };
    tool.write((0..500).map(line).collect::<String>());
    tool.request(500, "fs.write", json!({"path": "late", "content": ""}));
    assert_eq!(code_of(&tool.line()), 0);
    tool.session().cancel();
    let (mut done, mut is_cancelled, mut refused) = (1, false, 0);
    while done + refused < 501 {
        let line = tool.line();
        match code_of(&line) {
            _ if line["method"] == "cancel" => is_cancelled = true,
            0 if !is_cancelled => done += 1,
            code => {
                assert!(is_cancelled && code == -32005, "{line}");
                refused += 1;
            }
        }
    }
    assert!(done < 250, "{done} were done");
    assert!(!world.has("late"));
}

// D11-281 D11-174: one at a time, hundreds of times.
#[test]
fn one_at_a_time_keeps_its_order() {
    let world = World::on_disk();
    let mut tool = world.start();
    for n in 0..500 {
        let (path, content) = (format!("d/f{}", n % 7), format!("{n}"));
        assert_eq!(tool.code("fs.write", json!({"path": path, "content": content})), 0);
        assert_eq!(tool.call("fs.read", json!({"path": path}))["result"]["content"], content);
    }
    tool.hears_nothing();
}

// An id that is in use is refused; one that was answered may come again.
#[test]
fn an_id_is_for_one_request_at_a_time() {
    let mut world = World::on_disk().rules("src=r");
    let person = world.person();
    let mut tool = world.start();
    tool.request(1, "fs.write", json!({"path": "a", "content": "first"}));
    assert_eq!(tool.line()["method"], "pending");
    tool.request(1, "fs.write", json!({"path": "b", "content": "second"}));
    let refused = tool.line();
    assert_eq!((&refused["id"], code_of(&refused)), (&json!(1), -32600), "{refused}");
    // A text is another id than a number.
    tool.request("1", "fs.read", json!({"path": "src/x"}));
    assert_eq!(code_of(&tool.answer("1")), -32002);
    person.says(Approval::Once);
    assert_eq!(code_of(&tool.line()), 0);
    assert!(world.text("a") == "first" && !world.has("b"));
    for _ in 0..3 {
        tool.request(1, "fs.read", json!({"path": "src/x"}));
        assert_eq!(code_of(&tool.line()), -32002);
    }
}

// More requests under way than the host takes at once: the others wait, and none is lost.
#[test]
fn more_than_are_taken_at_once() {
    let mut world = World::on_disk().rules("src=rcud");
    let person = world.person();
    let mut tool = world.start();
    for id in 0..1_500 {
        tool.request(id, "fs.read", json!({"path": format!("f{id}")}));
    }
    for _ in 0..1_500 {
        person.says(Approval::Once);
    }
    let deadline = Instant::now() + LIMIT;
    for id in 0..1_500 {
        assert_eq!(code_of(&tool.answer(id)), -32002);
        assert!(Instant::now() < deadline);
    }
    assert_eq!(person.heard().len(), 1_500);
}

// Not more questions are open than the host takes requests, however many there are in one write.
#[test]
fn the_number_of_requests_under_way_is_bounded() {
    let mut world = World::on_disk().rules("src=rcud");
    let _person = world.person();
    let mut tool = world.start();
    let line = |id: usize| {
        let params = json!({"path": format!("f{id}")});
        json!({"jsonrpc": "2.0", "id": id, "method": "fs.read", "params": params}).to_string()
            + "\n"
    };
    tool.write((0..2_000).map(line).collect::<String>());
    assert_eq!(tool.line()["method"], "pending");
    let mut pending = 1;
    while let Some(line) = tool.line_within(Duration::from_millis(500)) {
        assert_eq!(line["method"], "pending");
        pending += 1;
    }
    assert!((1..=1_024).contains(&pending), "{pending} are held");
}

// D11-274: two tools have nothing to do with each other.
#[test]
fn two_tools_have_channels_of_their_own() {
    let one = World::on_disk();
    let other = World::in_memory();
    one.put("a", "of one");
    other.put("a", "of the other");
    let (mut first, mut second) = (one.start(), other.start());
    let mut third = one.start();
    for id in 0..100 {
        for tool in [&mut first, &mut second, &mut third] {
            tool.request(id, "fs.read", json!({"path": "a"}));
        }
    }
    for id in 0..100 {
        assert_eq!(first.answer(id)["result"]["content"], "of one");
        assert_eq!(second.answer(id)["result"]["content"], "of the other");
        assert_eq!(third.answer(id)["result"]["content"], "of one");
    }
    first.notify("result", json!({"content": "x"}));
    first.end();
    assert_eq!(third.code("fs.read", json!({"path": "a"})), 0);
}

// D11-013: the same requests, the same answers, on a disk and without one.
#[test]
fn both_backends_give_the_same_answers() {
    let rows = [
        ("fs.write", json!({"path": "d/a", "content": "one\ntwo\n"})),
        ("fs.write", json!({"path": "d/b", "content": "iVBORw==", "encoding": "base64"})),
        ("fs.read", json!({"path": "d/a"})),
        ("fs.read", json!({"path": "d/b"})),
        ("fs.read", json!({"path": "d"})),
        ("fs.read", json!({"path": "d/none"})),
        ("fs.list_dir", json!({"path": "d"})),
        ("fs.metadata", json!({"path": "d/a"})),
        ("fs.grep", json!({"pattern": "t.o", "context": 1})),
        ("fs.rename", json!({"from": "d/a", "to": "e/f"})),
        ("fs.delete", json!({"path": "d"})),
        ("fs.delete", json!({"path": "d", "recursive": true})),
        ("fs.list_dir", json!({"path": "."})),
        ("fs.write", json!({"path": "private/x", "content": ""})),
        ("fs.write", json!({"path": "/x", "content": ""})),
    ];
    let [one, other] = [World::on_disk(), World::in_memory()].map(|world| {
        let world = world.rules(".=rcud private=r");
        let mut tool = world.start();
        rows.clone().map(|(method, params)| tool.call(method, params))
    });
    assert_eq!(one, other);
}

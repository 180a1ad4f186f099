//! Sensitive paths: a rule alone does not open them.

use jp_vfs::Approval;
use serde_json::json;

use crate::{tool::code_of, world::World};

fn world() -> World {
    let world = World::on_disk().sensitive(&["**/*.pem"]);
    world.put(".env", "TOKEN=1");
    world.put("sub/.env.local", "TOKEN=2");
    world.put("key.pem", "TOKEN=3");
    world.put("a", "TOKEN=4");
    world
}

// 076-162 D11-219 D11-220
#[test]
fn nobody_can_be_asked_about_them() {
    for world in [world(), world().no_rules()] {
        let mut tool = world.start();
        for path in [".env", "sub/.env.local", "key.pem"] {
            let answer = tool.call("fs.read", json!({"path": path}));
            assert_eq!(code_of(&answer), -32001, "{path}");
            let told = answer["error"]["message"].as_str().unwrap();
            assert!(told.contains("sensitive") && told.contains(path), "{told}");
        }
        for (method, params) in [
            ("fs.write", json!({"path": ".env", "content": "x"})),
            ("fs.delete", json!({"path": ".env"})),
            ("fs.delete", json!({"path": "sub", "recursive": true})),
            ("fs.rename", json!({"from": ".env", "to": "b"})),
            ("fs.rename", json!({"from": "a", "to": ".env"})),
        ] {
            assert_eq!(tool.code(method, params.clone()), -32001, "{method} {params}");
        }
        // That they are there is no secret, what is in them is.
        let found = tool.call("fs.grep", json!({"pattern": "TOKEN"}));
        assert!(
            found.to_string().contains("TOKEN=4") && !found.to_string().contains("TOKEN=1"),
            "{found}"
        );
        assert!(
            !found.to_string().contains("TOKEN=2") && !found.to_string().contains("TOKEN=3"),
            "{found}"
        );
        let listed = tool.call("fs.list_dir", json!({"path": "."})).to_string();
        assert!(listed.contains(".env") && listed.contains("key.pem"), "{listed}");
        assert_eq!(world.text(".env"), "TOKEN=1");
    }
}

// D11-218
#[test]
fn they_are_asked_about_once_a_run_by_name() {
    let mut world = world();
    let person = world.person();
    let mut tool = world.start();
    person.says(Approval::Once);
    for _ in 0..3 {
        assert_eq!(tool.code("fs.read", json!({"path": ".env"})), 0);
    }
    assert_eq!(world.start().code("fs.read", json!({"path": ".env"})), 0, "and in the next call");
    person.says(Approval::No);
    for _ in 0..3 {
        assert_eq!(tool.code("fs.read", json!({"path": "sub/.env.local"})), -32001);
    }
    let heard = person.heard();
    assert_eq!(heard.len(), 2, "{heard:?}");
    assert!(heard[0].contains(".env") && heard[0].contains("sensitive"), "{heard:?}");
    assert!(heard[1].contains("sub/.env.local"), "{heard:?}");
}

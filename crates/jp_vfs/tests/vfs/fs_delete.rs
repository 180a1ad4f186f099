//! `fs.delete`.

use serde_json::json;

use crate::{tool::check, world::World};

#[test]
fn deleting() {
    for world in [World::on_disk(), World::in_memory()] {
        for path in ["a", "d/b", "d/e/c", "keep"] {
            world.put(path, "x");
        }
        check(
            &mut world.start(),
            &[
                ("D11-098", "fs.delete", json!({"path": "a"}), json!({})),
                ("D11-099", "fs.delete", json!({"path": "a"}), json!(-32002)),
                ("D11-100", "fs.delete", json!({"path": "d"}), json!(-32602)),
                ("D11-100", "fs.delete", json!({"path": "d", "recursive": false}), json!(-32602)),
                (
                    "D11-100: it is still there",
                    "fs.exists",
                    json!({"path": "d/e/c"}),
                    json!({"exists": true}),
                ),
                ("D11-100", "fs.delete", json!({"path": "d", "recursive": true}), json!({})),
                (
                    "a file, recursively",
                    "fs.delete",
                    json!({"path": "keep", "recursive": true}),
                    json!({}),
                ),
                (
                    "the root stays",
                    "fs.delete",
                    json!({"path": ".", "recursive": true}),
                    json!(-32602),
                ),
                ("path is needed", "fs.delete", json!({}), json!(-32602)),
            ],
        );
        assert!(!world.has("a") && !world.has("d"));
    }
}

// D11-101: also for what is deep inside, and then all of it stays.
#[test]
fn deleting_needs_the_right_to_it() {
    for world in [World::on_disk(), World::in_memory()] {
        for path in ["free/a", "free/b/kept/c", "kept/d"] {
            world.put(path, "x");
        }
        let world = world.rules("free=rd free/b/kept=r kept=rcu");
        check(
            &mut world.start(),
            &[
                ("D11-101", "fs.delete", json!({"path": "kept/d"}), json!(-32001)),
                ("D11-101", "fs.delete", json!({"path": "free", "recursive": true}), json!(-32001)),
                ("D11-101", "fs.delete", json!({"path": "kept/missing"}), json!(-32001)),
                ("D11-101", "fs.delete", json!({"path": "elsewhere"}), json!(-32001)),
            ],
        );
        for path in ["free/a", "free/b/kept/c", "kept/d"] {
            assert!(world.has(path), "{path}");
        }
    }
}

//! `fs.rename`.

use serde_json::json;

use crate::{tool::check, world::World};

#[test]
fn moving() {
    for world in [World::on_disk(), World::in_memory()] {
        for path in ["a", "b", "c", "d", "dir/x"] {
            world.put(path, path);
        }
        check(
            &mut world.start(),
            &[
                ("D11-102", "fs.rename", json!({"from": "a", "to": "new/sub/a"}), json!({})),
                ("D11-103", "fs.rename", json!({"from": "a", "to": "z"}), json!(-32002)),
                ("D11-104", "fs.rename", json!({"from": "b", "to": "c"}), json!({})),
                (
                    "D11-105",
                    "fs.rename",
                    json!({"from": "c", "to": "d", "overwrite": false}),
                    json!(-32003),
                ),
                (
                    "D11-105",
                    "fs.rename",
                    json!({"from": "c", "to": "e", "overwrite": false}),
                    json!({}),
                ),
                ("a directory", "fs.rename", json!({"from": "dir", "to": "moved"}), json!({})),
                (
                    "into itself",
                    "fs.rename",
                    json!({"from": "moved", "to": "moved/below"}),
                    json!(-32602),
                ),
                ("the root", "fs.rename", json!({"from": ".", "to": "x"}), json!(-32602)),
                ("both are needed", "fs.rename", json!({"from": "d"}), json!(-32602)),
                ("both are needed", "fs.rename", json!({"to": "d"}), json!(-32602)),
            ],
        );
        assert_eq!(world.text("new/sub/a"), "a", "D11-102");
        assert_eq!(world.text("e"), "b", "D11-104");
        assert_eq!(world.text("d"), "d", "D11-105");
        assert_eq!(world.text("moved/x"), "dir/x");
        for gone in ["a", "b", "c", "dir"] {
            assert!(!world.has(gone), "{gone}");
        }
    }
}

// D11-106 D11-107 D11-108: nothing moves without all rights.
#[test]
fn moving_needs_rights_at_both_ends() {
    for world in [World::on_disk(), World::in_memory()] {
        for path in ["all/a", "nodelete/a", "noupdate/a", "nocreate/a"] {
            world.put(path, path);
        }
        let world = world.rules("all=rcud nodelete=rcu noupdate=rcd nocreate=rud");
        check(
            &mut world.start(),
            &[
                (
                    "D11-107",
                    "fs.rename",
                    json!({"from": "nodelete/a", "to": "all/b"}),
                    json!(-32001),
                ),
                (
                    "D11-107",
                    "fs.rename",
                    json!({"from": "nodelete/missing", "to": "all/b"}),
                    json!(-32001),
                ),
                (
                    "D11-106",
                    "fs.rename",
                    json!({"from": "all/a", "to": "noupdate/a"}),
                    json!(-32001),
                ),
                (
                    "D11-108",
                    "fs.rename",
                    json!({"from": "all/a", "to": "nocreate/b"}),
                    json!(-32001),
                ),
                (
                    "D11-108",
                    "fs.rename",
                    json!({"from": "all/a", "to": "elsewhere/b"}),
                    json!(-32001),
                ),
            ],
        );
        for path in ["all/a", "nodelete/a", "noupdate/a", "nocreate/a"] {
            assert_eq!(world.text(path), path);
        }
        check(
            &mut world.start(),
            &[
                ("D11-106", "fs.rename", json!({"from": "all/a", "to": "nocreate/a"}), json!({})),
                (
                    "D11-108",
                    "fs.rename",
                    json!({"from": "nocreate/a", "to": "noupdate/b"}),
                    json!({}),
                ),
            ],
        );
        assert_eq!(world.text("noupdate/b"), "all/a");
    }
}

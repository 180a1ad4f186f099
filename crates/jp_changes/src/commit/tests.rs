//! Commits: what they do, what they refuse to do, and what is left when they are killed.
#![expect(clippy::disallowed_methods, reason = "tests build their own files")]

mod crash;
mod property;

use std::{
    fs,
    os::unix::fs::{MetadataExt, PermissionsExt, symlink},
};

use super::*;
use crate::ReadError;
use crate::testing::{Thing, World, allow_all, policy, short, tree};

const HOST: &str = "mkdir -p d/e keep; echo 1 > d/f; echo 2 > d/e/g; echo a > a; echo b > b; \
    ln -s a l; echo k > keep/k; chmod 640 b";

const TOOLS: [&str; 9] = [
    "echo x > a; echo n > n; rm b",
    "rm -r d; mkdir -p x/y; echo z > x/y/z; chmod 750 x",
    "rm -r d; echo f > d",
    "rm a; mkdir a; echo i > a/i",
    "rm l; ln -s b l; rm a; ln -s d/f a; ln -s ../b d/up",
    "rm -r d; ln -s keep d; rm l; mkdir l; : > l/x",
    "chmod 600 a; chmod 555 keep; chmod 700 d; chmod 711 .",
    "mkdir ro; echo r > ro/r; chmod 444 ro/r; chmod 555 ro; mkdir none; : > none/f; chmod 000 none/f none",
    "mv d q; ln a h; echo more >> h; sed -i s/b/c/ b; echo 'ä ö' > 'n m'",
];

/// Runs a tool, commits all of it, and compares the workspace with what the tool saw at the end.
#[track_caller]
fn check(world: &World, tool: &str) {
    world.host(HOST);
    let after = world.scratch("after");
    let set = world.begin();
    world.tool(&set, &format!("{tool}\ncp -a . {after}"));
    let report = allow_all(set.read(&world.root()).unwrap()).commit();
    let failed: Vec<_> = report.failed.iter().map(ToString::to_string).collect();
    assert!(failed.is_empty(), "{tool}: {failed:?}");
    assert_eq!(tree(&world.root()), tree(&after), "{tool}");
    assert!(matches!(set.read(&world.root()), Err(ReadError::Used)));
    drop(set);
    assert_eq!(fs::read_dir(world.store.path()).unwrap().count(), 0, "{tool}");
}

#[test]
fn the_workspace_becomes_what_the_tool_saw() {
    for tool in TOOLS {
        check(&World::new(), tool);
    }
}

#[test]
fn across_file_systems_as_well() {
    for tool in TOOLS {
        check(&World::on_two_file_systems(), tool);
    }
}

#[test]
fn names_of_one_file_stay_names_of_one_file() {
    for world in [World::new(), World::on_two_file_systems()] {
        world.host("echo a > a; echo b > b");
        let tool = "mkdir d; echo n > n; ln n d/m; ln n k; echo x > b; ln b c; ln a e";
        let report = allow_all(world.changes(tool)).commit();
        assert_eq!(short(&report.done), "~c b\n+f c\n+d d\n+f d/m\n+f e\n+f k\n+f n");
        let file = |name: &str| fs::metadata(world.root().join(name)).unwrap();
        for (one, other) in [("n", "d/m"), ("n", "k"), ("b", "c")] {
            assert_eq!(file(one).ino(), file(other).ino(), "{one} and {other}");
        }
        // A file that was there before gets no second name.
        assert_ne!(file("a").ino(), file("e").ino());
        assert_eq!((file("a").nlink(), file("n").nlink()), (1, 3));
        assert_eq!(fs::read_to_string(world.root().join("e")).unwrap(), "a\n");
    }
}

#[test]
fn only_what_is_allowed_is_made() {
    let world = World::new();
    world.host(HOST);
    let rules = policy(". rcud, keep r, b r");
    let judged =
        world.changes("rm -r keep; echo x > b; echo x > a; echo n > keep/n 2>/dev/null || :");
    let report = judged.judge(Some(&rules), Outside::nothing(), |_| Ok::<_, String>(())).commit();
    assert_eq!(short(&report.done), "~c a");
    assert_eq!(fs::read_to_string(world.root().join("b")).unwrap(), "b\n");
    assert!(world.root().join("keep/k").exists());
}

#[test]
fn a_file_keeps_no_trace_of_the_overlay_and_no_dangerous_bits() {
    for world in [World::new(), World::on_two_file_systems()] {
        world.host("echo a > a; echo s > s; chmod 4755 s");
        let tool = "echo x >> a; echo p > p; chmod 6755 p; echo y >> s; chmod 4755 s; touch -d 2001-02-03 a; mkdir g; chmod 2775 g";
        let report = allow_all(world.changes(tool)).commit();
        assert_eq!(short(&report.done), "~c a\n+d g\n+f p\n~c s");
        let at = |name: &str| fs::metadata(world.root().join(name)).unwrap();
        for (name, mode) in [("p", 0o755), ("s", 0o755), ("g", 0o775)] {
            assert_eq!(at(name).permissions().mode() & 0o7777, mode, "{name}");
        }
        assert_eq!(at("a").mtime(), 981_158_400, "the time of the last write");
        for name in ["a", "p", "s"] {
            let file = fs::File::open(world.root().join(name)).unwrap();
            let marks = crate::overlay::marks(&file).unwrap();
            assert!(marks.names.is_empty(), "{name}");
        }
    }
}

#[test]
fn what_changes_between_reading_and_commit_is_not_overwritten() {
    for world in [World::new(), World::on_two_file_systems()] {
        world.host(HOST);
        let judged = allow_all(
            world.changes("echo t > a; echo t > n; echo t > d/f; rm b; chmod 600 keep/k"),
        );
        world.host(
            "echo h > a; echo h > n; rm d/f; ln -s ../a d/f; chmod 644 keep/k; chmod 640 keep/k",
        );
        let report = judged.commit();
        let failed: Vec<_> = report.failed.iter().map(ToString::to_string).collect();
        assert_eq!(
            failed,
            [
                "a: it was changed by somebody else",
                "b: nothing is removed, because another change failed",
                "d/f: it was changed by somebody else",
                "keep/k: it was changed by somebody else",
                "n: it was changed by somebody else",
            ]
        );
        assert!(report.done.is_empty());
        for (path, content) in [("a", "h\n"), ("n", "h\n"), ("b", "b\n")] {
            assert_eq!(fs::read_to_string(world.root().join(path)).unwrap(), content);
        }
    }
}

#[test]
fn what_somebody_put_into_a_directory_keeps_it() {
    for world in [World::new(), World::on_two_file_systems()] {
        world.host(HOST);
        let judged = allow_all(world.changes("rm -r d; rm -r keep; echo f > keep"));
        world.host("echo h > d/e/h; echo h > keep/h");
        let report = judged.commit();
        let failed: Vec<_> = report.failed.iter().map(|f| f.change.path.as_str()).collect();
        assert!(failed.contains(&"d") && failed.contains(&"keep"), "{failed:?}");
        assert!(world.root().join("d/e/h").exists() && world.root().join("keep/h").exists());
    }
}

#[test]
fn a_link_on_the_way_is_not_followed() {
    for world in [World::new(), World::on_two_file_systems()] {
        world.host(HOST);
        let outside = world.scratch("outside");
        fs::create_dir(outside.join("e")).unwrap();
        fs::write(outside.join("f"), "outside").unwrap();
        let tool = "echo t > d/f; echo t > d/n; mkdir d/m; rm d/e/g; echo t > d/m/x";
        let judged = allow_all(world.changes(tool));
        fs::rename(world.root().join("d"), world.root().join("was")).unwrap();
        symlink(&outside, world.root().join("d")).unwrap();
        let report = judged.commit();
        assert!(report.done.is_empty(), "{}", short(&report.done));
        let names: Vec<_> = tree(&outside).into_keys().collect();
        assert_eq!(names, ["e", "f"]);
        assert_eq!(fs::read_to_string(outside.join("f")).unwrap(), "outside");
    }
}

#[test]
fn links_that_lead_out_only_together_are_taken_back() {
    for world in [World::new(), World::on_two_file_systems()] {
        world.host("mkdir dir; ln -s /etc dir/out");
        // Each of them is harmless alone.
        let judged = allow_all(world.changes("ln -s via/out/passwd trick; ln -s dir via"));
        assert_eq!(judged.allowed().len(), 2);
        let report = judged.commit();
        assert_eq!(short(&report.done), "+l(dir) via");
        assert!(matches!(report.failed[0].error, CommitError::LeavesRoot));
        assert!(!tree(&world.root()).contains_key(Utf8Path::new("trick")));
    }
}

#[test]
fn many_files_at_once() {
    let world = World::new();
    world.host("mkdir d; for i in $(seq 300); do echo $i > d/$i; done");
    let report = allow_all(world.changes(
        "for i in $(seq 1 2 300); do echo new > d/$i; done; for i in $(seq 2 2 300); do rm d/$i; done; \
         mkdir e; for i in $(seq 300); do mkdir e/$i; echo $i > e/$i/f; done",
    ))
    .commit();
    assert!(report.failed.is_empty());
    assert_eq!(report.done.len(), 300 + 601);
}

#[test]
fn files_with_several_names() {
    for world in [World::new(), World::on_two_file_systems()] {
        world.host("echo a > a; ln a b; ln a c");
        let report = allow_all(world.changes("rm a b; echo n > n; ln n m")).commit();
        assert!(report.failed.is_empty(), "{:?}", report.failed);
        let names: Vec<_> = tree(&world.root()).into_keys().collect();
        assert_eq!(names, ["c", "m", "n"]);
    }
}

#[test]
fn a_commit_into_a_place_that_was_missing() {
    let world = World::new();
    let root = world.root();
    let set = world.store.begin(&[root.join("out/deep")]).unwrap();
    world.tool(&set, "echo n > out/deep/n");
    let report = allow_all(set.read(&root).unwrap()).commit();
    assert!(report.failed.is_empty());
    assert_eq!(
        tree(&root).get(Utf8Path::new("out/deep/n")),
        Some(&Thing::File(0o644, b"n\n".to_vec()))
    );
}

#[test]
fn a_set_is_committed_once() {
    let world = World::new();
    world.host("mkdir d; echo a > d/a");
    let set = world.begin();
    world.tool(&set, "rm -r d; mkdir d; echo n > d/n");
    let again = allow_all(set.read(&world.root()).unwrap());
    let report = allow_all(set.read(&world.root()).unwrap()).commit();
    assert_eq!(short(&report.done), "-f d/a*\n+f d/n");
    let report = again.commit();
    assert!(report.done.is_empty());
    assert!(report.failed.iter().all(|failure| matches!(failure.error, CommitError::Used)));
    assert!(world.root().join("d/n").exists());
}

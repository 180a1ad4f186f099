//! What a directory takes along when it moves.

use super::*;

// A rule for a directory says nothing about the settings of jp in it.
#[test]
fn settings_do_not_move_along_with_a_directory() {
    both_ways(
        &[(".", &ALL), ("own/.jp.toml", &ALL), ("mine/.jp.toml", &ALL)],
        |way, tree, files| {
            for file in ["d/a/.jp.toml", "d/b/.JP.toml", "own/.jp.toml", "plain/jp.toml"] {
                tree.file(file);
            }
            tree.file("l/file");
            tree.link("l/.jp.toml", "{top}/out/x");
            let rename =
                |from: &str, to: &str| show(files.rename(from.into(), to.into(), Existing::Keep));
            for (from, to, expected) in [
                ("d", "e", "delete d/a/.jp.toml"),
                ("d/b", "b", "delete d/b/.JP.toml"),
                ("l", "m", "delete l/.jp.toml"),
                ("own", "other", "create other/.jp.toml"),
                ("own", "mine", "ok"),
                ("plain", "other", "ok"),
            ] {
                assert_eq!(rename(from, to), expected, "{way}: {from} to {to}");
            }
        },
    );
}

// The system would do nothing and call it done.
#[test]
fn a_file_moves_onto_another_of_its_names() {
    both_ways(&[(".", &ALL)], |way, tree, files| {
        tree.file("d/a");
        fs::create_dir(tree.ws().join("e")).unwrap();
        tree.link("d/l", "nowhere");
        let (at, flags) = (rustix::fs::CWD, AtFlags::empty());
        for (file, other) in [("d/a", "d/b"), ("d/a", "d/A"), ("d/a", "e/a"), ("d/l", "e/l")] {
            let [from, to] = [file, other].map(|path| tree.ws().join(path));
            rustix::fs::linkat(at, from.as_std_path(), at, to.as_std_path(), flags).unwrap();
        }
        let rename =
            |from: &str, to: &str| show(files.rename(from.into(), to.into(), Existing::Replace));
        for (from, to) in [("d/a", "d/b"), ("d/b", "d/A"), ("d/A", "e/a"), ("d/l", "e/l")] {
            assert_eq!(rename(from, to), "ok", "{way}: {from}");
            let is_there = |path: &str| tree.ws().join(path).symlink_metadata().is_ok();
            assert_eq!((is_there(from), is_there(to)), (false, true), "{way}: {from}");
        }
        // One name is not another of itself, however somebody comes to it.
        fs::hard_link(tree.ws().join("e/a"), tree.ws().join("e/b")).unwrap();
        tree.link("link", "e");
        for (from, to) in [("e/a", "e/a"), ("e/a", "./e//a"), ("e/a", "link/a"), ("link/b", "e/b")]
        {
            assert_eq!(rename(from, to), "ok", "{way}: {from} to {to}");
        }
        let mut left: Vec<_> = fs::read_dir(tree.ws().join("e"))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        left.sort();
        assert_eq!(left, ["a", "b", "l"], "{way}");
    });
}

#[test]
fn what_nobody_can_look_through_does_not_move() {
    both_ways(&[(".", &ALL)], |way, tree, files| {
        let deep = |levels: usize| vec!["d"; levels].join("/");
        fs::create_dir_all(tree.ws().join(deep(300))).unwrap();
        let moved = show(files.rename("d".into(), "e".into(), Existing::Keep));
        assert!(moved.ends_with("inside: it is deeper than 256 directories"), "{way}: {moved}");
        let (inner, outer) = (deep(100), "e".into());
        assert_eq!(show(files.rename(inner.as_str().into(), outer, Existing::Keep)), "ok", "{way}");
    });
}

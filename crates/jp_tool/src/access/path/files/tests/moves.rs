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

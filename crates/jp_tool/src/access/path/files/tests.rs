//! Operations under a policy, by the kernel and by the walk.
#![expect(clippy::disallowed_methods, reason = "tests build their own files")]

mod hard_links;
mod moves;
mod opening;
mod races;
mod replacing;

use std::{
    fs,
    io::{ErrorKind, Read as _, Write, read_to_string},
};

use super::{super::tests::Tree, *};
use crate::access::{Capability::*, FsRule, SensitivePaths, path::Kind};

const WRITE: [Capability; 3] = [Create, Update, Delete];
const ALL: [Capability; 4] = [Read, Create, Update, Delete];

/// Runs a check on a fresh tree for each way.
fn both_ways(rules: &[(&str, &[Capability])], check: impl Fn(&str, &Tree, Files)) {
    for index in 0..2 {
        let tree = Tree::new();
        let (way, root) = tree.roots("ws")[index].clone();
        let rules = rules.iter().map(|(path, grants)| FsRule::new(*path, grants.iter().copied()));
        let policy = AccessPolicy { fs: rules.collect(), ..AccessPolicy::default() };
        check(way, &tree, Files::new(root, Some(policy)));
    }
}

/// An outcome in a word or two.
fn show<T>(result: Result<T, OpenError>) -> String {
    match result {
        Ok(_) => "ok".to_owned(),
        Err(OpenError::Access(FsAccessError::Denied { capability, target, .. })) => {
            format!("{capability} {target}")
        }
        Err(OpenError::Access(FsAccessError::Escape(_))) => "escape".to_owned(),
        Err(OpenError::Access(error)) => error.to_string(),
        Err(OpenError::Io { source, .. }) => format!("{:?}", source.kind()),
    }
}

#[test]
fn reads_are_judged_by_where_the_handle_is() {
    // 076-123, 076-124, 076-137, 076-141, 076-142, 076-153, 076-155
    both_ways(&[("src", &[Read]), ("code", &[Read]), ("code/x", &[])], |way, tree, files| {
        tree.link("l_src", "src");
        tree.link("src/l_env", "../.env");
        tree.link("src/l_abs", "{top}/ws/code");
        tree.link("src/l_out", "{top}/out/x");
        tree.link("src/l_gone", "../secret/new");
        tree.file("code/x/f");
        tree.file("code/y (deleted)");
        tree.link("l_y", "code/y (deleted)");
        for (input, expected) in [
            ("src/lib.rs", "ok"),
            ("l_src/lib.rs", "ok"),
            ("src/l_abs/lib.rs", "ok"),
            ("l_y", "ok"),
            (".env", "read .env"),
            ("src/../.env", "read .env"),
            ("src/l_env", "read .env"),
            ("l_src/l_env", "read .env"),
            ("src/l_abs/x/f", "read code/x/f"),
            ("src/l_abs/x/absent", "read code/x/absent"),
            ("src/l_out", "escape"),
            ("src/l_gone", "read secret/new"),
            ("src/absent", "NotFound"),
            ("absent", "read absent"),
            ("src/lib.rs/x", "NotADirectory"),
            ("src", "IsADirectory"),
        ] {
            assert_eq!(show(files.read(input.into())), expected, "{way}: {input}");
        }
        assert_eq!(
            read_to_string(files.read("l_src/lib.rs".into()).unwrap()).unwrap(),
            "src/lib.rs"
        );
    });
}

#[test]
fn create_makes_new_files_only_and_only_where_it_was_judged() {
    // 076-147, 076-149, 076-150, 076-151, 076-157
    both_ways(&[("src", &[Create]), ("code", &[Create])], |way, tree, files| {
        tree.link("l_src", "src");
        tree.link("src/l_denied", "../secret/new");
        tree.link("src/l_out", "{top}/out/new");
        tree.link("src/l_out_dir", "{top}/out");
        tree.link("src/l_new", "../code/new");
        tree.link("src/l_abs", "{top}/ws/code");
        tree.link("l_into_src", "src/via_link");
        for (input, expected) in [
            ("src/a", "ok"),
            ("src/a", "AlreadyExists"),
            ("l_src/b", "ok"),
            ("src/l_abs/c", "ok"),
            ("src/l_denied", "create secret/new"),
            ("src/l_out", "escape"),
            ("src/l_out_dir/x2", "escape"),
            ("src/l_new", "AlreadyExists"),
            ("l_into_src", "AlreadyExists"),
            ("src/no/dir", "NotFound"),
            ("src/lib.rs", "AlreadyExists"),
            ("src/lib.rs/x", "NotADirectory"),
            ("new", "create new"),
            (".", "create ."),
        ] {
            assert_eq!(show(files.create(input.into())), expected, "{way}: {input}");
            let dir = format!("{input}_dir");
            if expected == "ok" {
                assert_eq!(show(files.create_dir(Utf8Path::new(&dir))), "ok", "{way}: {dir}");
            } else {
                let shown = show(files.create_dir(input.into()));
                assert_eq!(shown, expected, "{way}: directory {input}");
            }
        }
        for (path, there) in [
            ("ws/src/a", true),
            ("ws/src/b", true),
            ("ws/src/b_dir", true),
            ("ws/code/c", true),
            ("ws/secret/new", false),
            ("ws/code/new", false),
            ("ws/src/via_link", false),
            ("ws/src/no", false),
            ("out/new", false),
            ("out/x2", false),
        ] {
            assert_eq!(tree.top.join(path).exists(), there, "{way}: {path}");
        }
        assert_eq!(fs::read_to_string(tree.ws().join("src/lib.rs")).unwrap(), "src/lib.rs");
    });
}

#[test]
fn update_neither_creates_nor_truncates_nor_reads_what_may_not_be_read() {
    both_ways(&[("src", &[Read, Update]), ("code", &[Update])], |way, tree, files| {
        tree.link("src/l_code", "../code/lib.rs");
        let mut file = files.update("src/lib.rs".into()).unwrap();
        file.write_all(b"SRC").unwrap();
        assert_eq!(fs::read_to_string(tree.ws().join("src/lib.rs")).unwrap(), "SRC/lib.rs");
        let mut rest = String::new();
        assert_eq!(file.read_to_string(&mut rest).unwrap(), 7, "{way}");
        for input in ["code/lib.rs", "src/l_code"] {
            let mut blind = files.update(input.into()).unwrap();
            assert!(blind.read_to_string(&mut rest).is_err(), "{way}: {input}");
        }
        assert_eq!(show(files.update("src/absent".into())), "NotFound", "{way}");
        assert!(!tree.ws().join("src/absent").exists());
        assert_eq!(show(files.update(".env".into())), "update .env", "{way}");
        assert_eq!(show(files.update("src".into())), "IsADirectory", "{way}");
    });
}

#[test]
fn directories_are_listed_and_paths_described() {
    both_ways(&[("src", &[Read]), ("src/generated", &[])], |way, tree, files| {
        tree.link("src/l", "generated");
        tree.link("l_src", "{top}/ws/src");
        for input in ["src", "l_src"] {
            let mut entries: Vec<_> =
                files.list(input.into()).unwrap().map(Result::unwrap).collect();
            entries.sort();
            let shown: Vec<_> = entries.iter().map(|e| (e.name.as_str(), e.kind)).collect();
            let expected =
                [("generated", Kind::Directory), ("l", Kind::Symlink), ("lib.rs", Kind::File)];
            assert_eq!(shown, expected, "{way}: {input}");
        }
        assert_eq!(show(files.list("src/l".into())), "read src/generated", "{way}");
        assert_eq!(show(files.list("src/lib.rs".into())), "NotADirectory", "{way}");
        assert_eq!(show(files.list(".".into())), "read .", "{way}");
        let file = files.metadata("l_src/lib.rs".into()).unwrap();
        assert_eq!((file.kind, file.len, file.executable), (Kind::File, 10, false), "{way}");
        assert!(file.modified.is_some());
        assert_eq!(files.metadata("src".into()).unwrap().kind, Kind::Directory, "{way}");
        assert_eq!(show(files.metadata("src/absent".into())), "NotFound", "{way}");
        assert_eq!(show(files.metadata("src/l".into())), "read src/generated", "{way}");
    });
}

#[test]
fn removing_takes_the_name_and_needs_delete_where_a_link_leads() {
    both_ways(&[("src", &[Delete]), ("code", &[Read])], |way, tree, files| {
        tree.link("src/l_generated", "generated/a.rs");
        tree.link("src/l_code", "../code/lib.rs");
        tree.link("src/l_out", "{top}/out/x");
        tree.link("l_src", "src");
        for (input, expected) in [
            ("src/l_generated", "ok"),
            ("src/generated", "IsADirectory"),
            ("l_src/generated/a.rs", "ok"),
            ("src/l_code", "delete code/lib.rs"),
            ("src/l_out", "escape"),
            ("l_src", "delete l_src"),
            ("code/lib.rs", "delete code/lib.rs"),
            ("src/absent", "NotFound"),
            ("src/absent/x", "NotFound"),
            ("src/lib.rs/x", "NotADirectory"),
            (".", "ResourceBusy"),
        ] {
            assert_eq!(show(files.remove_file(input.into())), expected, "{way}: {input}");
        }
        assert_eq!(show(files.remove_dir("src/generated".into())), "ok", "{way}");
        for (path, there) in [
            ("ws/src/generated", false),
            ("ws/src/l_generated", false),
            ("ws/code/lib.rs", true),
            ("out/x", true),
        ] {
            assert_eq!(tree.top.join(path).exists(), there, "{way}: {path}");
        }
    });
}

#[test]
fn a_rename_needs_delete_here_and_create_or_update_there() {
    // 076-110, 076-111, 076-112
    let rules: &[(&str, &[Capability])] =
        &[("src", &[Delete]), ("new", &[Create]), ("old", &[Update]), ("hole", &[Create, Read])];
    both_ways(rules, |way, tree, files| {
        for file in ["new/a", "old/a", "hole/a", "src/b", "src/c"] {
            tree.file(file);
        }
        for (from, to, existing, expected) in [
            ("src/lib.rs", "old/absent", Existing::Replace, "create old/absent"),
            ("src/lib.rs", "new/a", Existing::Replace, "update new/a"),
            ("code/lib.rs", "new/b", Existing::Replace, "delete code/lib.rs"),
            ("src/lib.rs", "hole/b", Existing::Replace, "read src/lib.rs"),
            ("src/lib.rs", "old/a", Existing::Keep, "AlreadyExists"),
            ("src/absent", "new/b", Existing::Replace, "NotFound"),
            ("src/lib.rs", "new/no/b", Existing::Replace, "NotFound"),
            ("src/lib.rs", "../out/b", Existing::Replace, "escape"),
            ("src/lib.rs", "new/b", Existing::Replace, "ok"),
            ("src/b", "old/a", Existing::Replace, "ok"),
            ("src/c", "new/c", Existing::Keep, "ok"),
        ] {
            let shown = show(files.rename(from.into(), to.into(), existing));
            assert_eq!(shown, expected, "{way}: {from} to {to}");
        }
        assert_eq!(fs::read_to_string(tree.ws().join("old/a")).unwrap(), "src/b", "{way}");
        assert_eq!(fs::read_to_string(tree.ws().join("new/a")).unwrap(), "new/a", "{way}");
    });
}

#[test]
fn a_moved_directory_does_not_leave_its_rules_behind() {
    let rules: &[(&str, &[Capability])] =
        &[(".", &ALL), ("src/generated", &WRITE), ("secret/f", &[])];
    both_ways(rules, |way, _, files| {
        let rename =
            |from: &str, to: &str| show(files.rename(from.into(), to.into(), Existing::Keep));
        assert_eq!(rename("src", "public"), "read src/generated", "{way}");
        assert_eq!(rename("secret", "public"), "delete secret/f", "{way}");
        assert_eq!(rename("code", "public"), "ok", "{way}");
    });
}

#[test]
fn errors_name_the_path_and_keep_the_cause() {
    both_ways(&[], |way, _, files| {
        let error = files.read("src/absent".into()).unwrap_err();
        assert!(
            matches!(&error, OpenError::Io { source, .. } if source.kind() == ErrorKind::NotFound)
        );
        assert!(error.to_string().starts_with("src/absent: "), "{way}: {error}");
    });
}

#[test]
fn a_rename_cannot_make_readable_what_was_not() {
    // A rule below the target grants reading, the target itself does not.
    let rules: [(&str, &[Capability]); 3] = [("in", &WRITE), ("out", &WRITE), ("out/pub", &ALL)];
    both_ways(&rules, |way, tree, files| {
        tree.file("in/pub/key");
        assert_eq!(show(files.read("in/pub/key".into())), "read in/pub/key", "{way}");
        assert_eq!(
            show(files.rename("in".into(), "out".into(), Existing::Keep)),
            "read in",
            "{way}"
        );
    });
}

#[test]
fn rules_that_are_not_canonical_hold_for_a_rename_too() {
    both_ways(&[(".", &ALL), ("./src/secret", &[])], |way, tree, files| {
        tree.file("src/secret/k");
        let moved = files.rename("src".into(), "x".into(), Existing::Keep);
        assert_eq!(show(moved), "delete src/secret", "{way}");
    });
}

#[test]
fn a_path_beyond_all_measure_is_refused_at_once() {
    both_ways(&[(".", &ALL)], |way, _, files| {
        let long = "a/".repeat(1_000_000);
        let error = show(files.read(long.as_str().into()));
        assert!(error.contains("longer than 65536 bytes") && error.len() < 200, "{way}: {error}");
    });
}

//! Files with several names, of which a rule denies one.

use super::*;

#[test]
fn a_hard_link_to_a_denied_file_is_denied_and_others_are_not() {
    // 076-158
    let rules: &[(&str, &[Capability])] = &[(".", &ALL), ("secret", &[Update]), (".env", &[])];
    both_ways(rules, |way, tree, files| {
        let link = |from: &str, to: &str| {
            fs::hard_link(tree.ws().join(from), tree.ws().join(to)).unwrap();
        };
        tree.file("secret/single");
        link(".env", "src/env");
        link(".env", "src/env2");
        link("secret/f", "src/f");
        link("src/lib.rs", "src/same.rs");
        fs::hard_link(tree.top.join("out/x"), tree.ws().join("src/store")).unwrap();
        tree.link("l_f", "src/f");
        for (input, expected) in [
            ("src/env", "read .env"),
            ("src/f", "read secret/f"),
            ("l_f", "read secret/f"),
            ("src/lib.rs", "ok"),
            ("src/same.rs", "ok"),
            ("src/store", "ok"),
        ] {
            assert_eq!(show(files.read(input.into())), expected, "{way}: {input}");
        }
        assert_eq!(show(files.update("src/env".into())), "update .env", "{way}");
        // `secret` grants update and not read, and this handle could do both.
        assert_eq!(show(files.update("src/f".into())), "read secret/f", "{way}");
        assert_eq!(show(files.update("src/same.rs".into())), "ok", "{way}");
        // A link that is younger than the collection.
        link("secret/single", "src/single");
        assert_eq!(show(files.read("src/single".into())), "read secret/single", "{way}");
        // The denied name is gone, two harmless ones are left.
        fs::remove_file(tree.ws().join(".env")).unwrap();
        assert_eq!(show(files.read("src/env".into())), "ok", "{way}");
    });
}

#[test]
fn too_many_denied_files_refuse_what_has_several_names() {
    both_ways(&[(".", &ALL), ("secret", &[])], |way, tree, mut files| {
        tree.file("secret/a/b");
        tree.file("secret/a/c");
        fs::hard_link(tree.ws().join("src/lib.rs"), tree.ws().join("same")).unwrap();
        for (limit, expected) in [(4, true), (3, false)] {
            files.links = HardLinks::new(limit);
            let result = files.read("same".into());
            assert_eq!(result.is_ok(), expected, "{way}: {limit}");
            if let Err(error) = result {
                assert_eq!(
                    error.to_string(),
                    "path cannot be resolved: same: the file has several names, and one may be \
                     denied: rules that deny cover more than 3 entries"
                );
            }
        }
        assert_eq!(show(files.read("code/lib.rs".into())), "ok", "{way}");
    });
}

/// What no rule covers is denied by its name, but no rule denies the file.
#[test]
fn a_hard_link_to_an_uncovered_file_is_read_until_a_rule_denies_it() {
    // 076-158: package stores are outside of all rules, and their files stay usable.
    both_ways(&[("src", &[Read])], |way, tree, files| {
        fs::hard_link(tree.ws().join(".env"), tree.ws().join("src/env")).unwrap();
        fs::hard_link(tree.top.join("out/x"), tree.ws().join("src/store")).unwrap();
        assert_eq!(show(files.read(".env".into())), "read .env", "{way}");
        assert_eq!(show(files.read("src/env".into())), "ok", "{way}");
        assert_eq!(show(files.read("src/store".into())), "ok", "{way}");
        for denied in [".env", "."] {
            let rules = [FsRule::new("src", [Read]), FsRule::new(denied, [])];
            let policy =
                AccessPolicy { fs: rules.into_iter().collect(), ..AccessPolicy::default() };
            let files = Files::new(files.root().clone(), Some(policy));
            assert_eq!(show(files.read("src/env".into())), "read .env", "{way}: {denied}");
            assert_eq!(show(files.read("src/store".into())), "ok", "{way}: {denied}");
        }
    });
}

//! What is opened, what is only looked at, and a root that does not stay where it was.

use std::{thread, time::Duration};

use super::*;

#[test]
fn only_regular_files_are_opened_and_nothing_waits() {
    both_ways(&[(".", &ALL)], |way, tree, files| {
        let root = files.root().dir();
        rustix::fs::mkfifoat(root, "fifo", Mode::from_raw_mode(0o600)).unwrap();
        let _socket = std::os::unix::net::UnixListener::bind(tree.ws().join("socket")).unwrap();
        tree.link("l_fifo", "fifo");
        tree.link("l_abs_fifo", "{top}/ws/fifo");
        for input in ["fifo", "l_fifo", "l_abs_fifo", "socket"] {
            assert_eq!(show(files.read(input.into())), "InvalidInput", "{way}: {input}");
            assert_eq!(show(files.update(input.into())), "InvalidInput", "{way}: {input}");
            assert_eq!(files.metadata(input.into()).unwrap().kind, Kind::Other, "{way}: {input}");
        }
    });
}

/// Who opens a FIFO for writing waits until somebody opens it for reading. Here somebody waits, and
/// has to go on waiting.
#[test]
fn a_fifo_behind_a_link_is_looked_at_and_never_opened() {
    both_ways(&[(".", &ALL)], |way, tree, files| {
        let fifo = tree.ws().join("code/fifo");
        rustix::fs::mkfifoat(files.root().dir(), "code/fifo", Mode::from_raw_mode(0o600)).unwrap();
        tree.link("l_fifo", "code/fifo");
        tree.link("l_abs_fifo", "{top}/ws/code/fifo");
        tree.link("l_code", "code");
        let writer = thread::spawn({
            let fifo = fifo.clone();
            move || fs::OpenOptions::new().write(true).open(fifo).is_ok()
        });
        thread::sleep(Duration::from_millis(50));
        // Twice, because what is known from the first time makes the second one shorter.
        for input in ["l_fifo", "l_abs_fifo", "l_code/fifo", "l_code/fifo", "l_fifo"] {
            assert_eq!(show(files.read(input.into())), "InvalidInput", "{way}: {input}");
            assert_eq!(show(files.update(input.into())), "InvalidInput", "{way}: {input}");
            assert_eq!(show(files.list(input.into())), "NotADirectory", "{way}: {input}");
            assert_eq!(files.metadata(input.into()).unwrap().kind, Kind::Other, "{way}: {input}");
        }
        thread::sleep(Duration::from_millis(50));
        assert!(!writer.is_finished(), "{way}: the FIFO was opened");
        let flags = OFlags::RDONLY | OFlags::NONBLOCK;
        let _reader = rustix::fs::open(fifo.as_std_path(), flags, Mode::empty()).unwrap();
        assert!(writer.join().unwrap());
    });
}

#[test]
fn a_link_that_changes_is_followed_to_where_it_leads_now() {
    both_ways(&[("src", &[Read]), ("code", &[Read])], |way, tree, files| {
        let point = |link: &str, target: &str| {
            let _ = fs::remove_file(tree.ws().join(link));
            tree.link(link, target);
        };
        for target in ["src", "code", "secret", "src", "{top}/ws/code", "{top}/out", "code"] {
            point("l_dir", target);
            point("l_file", &format!("{target}/lib.rs"));
            let place = target.trim_start_matches("{top}/ws/");
            for input in ["l_dir/lib.rs", "l_file", "l_dir/lib.rs", "l_file"] {
                let shown = match files.read(input.into()) {
                    Ok(file) => read_to_string(file).unwrap(),
                    error => show(error),
                };
                let expected = match place {
                    "secret" => "read secret/lib.rs".to_owned(),
                    "{top}/out" => "escape".to_owned(),
                    place => format!("{place}/lib.rs"),
                };
                assert_eq!(shown, expected, "{way}: {input} to {target}");
            }
        }
        // No link any more.
        fs::remove_file(tree.ws().join("l_dir")).unwrap();
        tree.file("l_dir/lib.rs");
        assert_eq!(show(files.read("l_dir/lib.rs".into())), "read l_dir/lib.rs", "{way}");
    });
}

/// The path of the root as it was opened is then the path of another directory, below which
/// everything in the root has a path that only looks relative to it.
#[test]
fn a_root_that_was_moved_below_its_old_path_is_judged_by_where_it_is() {
    let rules: [(&str, &[Capability]); 2] = [("sub", &ALL), ("src", &[Read])];
    both_ways(&rules, |way, tree, files| {
        tree.file("sub/f");
        tree.file("sub/README.md");
        for (link, target) in [
            ("l_env", ".env"),
            ("l_readme", "README.md"),
            ("l_secret", "secret"),
            ("l_sub", "sub"),
            ("l_src", "src"),
            ("l_abs", "{top}/ws/sub/.env"),
        ] {
            tree.link(link, target);
        }
        fs::rename(tree.ws(), tree.top.join("away")).unwrap();
        fs::create_dir(tree.ws()).unwrap();
        fs::rename(tree.top.join("away"), tree.ws().join("sub")).unwrap();
        for (input, expected) in [
            // `/…/ws/sub/.env` is where this is now, and `sub/.env` would be granted.
            ("l_env", "read .env"),
            ("l_readme", "read README.md"),
            ("l_secret/f", "read secret/f"),
            ("l_sub/f", "ok"),
            ("l_src/lib.rs", "ok"),
            ("sub/f", "ok"),
            (".env", "read .env"),
            ("l_abs", "NotFound"),
        ] {
            assert_eq!(show(files.read(input.into())), expected, "{way}: {input}");
            let update = show(files.update(input.into()));
            let expected = expected.replace("read ", "update ");
            let expected = if input.starts_with("l_src") { "update src/lib.rs" } else { &expected };
            assert_eq!(update, expected, "{way}: {input}");
        }
        let text = read_to_string(files.read("l_sub/f".into()).unwrap()).unwrap();
        assert_eq!(text, "sub/f", "{way}");
    });
}

#[cfg(target_os = "linux")]
#[test]
fn the_path_of_something_deleted_is_not_taken_for_a_name() {
    let tree = Tree::new();
    let [(_, root), _] = tree.roots("ws");
    let files = Files::new(root, None);
    let seen = files.root().look_through_links("src/lib.rs".into()).unwrap();
    let stat = rustix::fs::fstat(&seen).unwrap();
    let open = |path: &Utf8Path| files.open_if_same(path, Want::Read, &stat).is_some();
    assert!(open("src/lib.rs".into()) && !open("code/lib.rs".into()));
    fs::remove_file(tree.ws().join("src/lib.rs")).unwrap();
    tree.file("src/lib.rs (deleted)");
    let guess = files.root().guess_path(&seen).unwrap();
    assert_eq!(guess, "src/lib.rs (deleted)");
    assert!(!open(&guess));
}

#[test]
fn what_the_policy_allows_passes_the_gate_by_both_of_its_names() {
    both_ways(&[(".", &[Read, Create, Update, Delete])], |way, tree, files| {
        tree.file("plain");
        tree.file("dir/.env");
        tree.link("l_env", "dir/.env");
        tree.file("sub/x");
        tree.link("sub/.env.local", "../plain");
        tree.link("l_sub", "sub");
        let root = files.root().path().to_owned();
        let gate = Arc::new(SensitiveGate::new(SensitivePaths::builtin(), root, None));
        let files = files.behind(Some(Arc::clone(&gate)));
        let refused = |path: &str, pattern| {
            format!("{path} is sensitive (`{pattern}`), and nobody was asked about it")
        };
        for (input, expected) in [
            ("plain", "ok".to_owned()),
            ("dir/.env", refused("dir/.env", "**/.env")),
            ("l_env", refused("dir/.env", "**/.env")),
            ("sub/.env.local", refused("sub/.env.local", "**/.env.*")),
            ("l_sub/.env.local", refused("l_sub/.env.local", "**/.env.*")),
        ] {
            let input = Utf8Path::new(input);
            assert_eq!(show(files.read(input)), expected, "{way}: {input}");
            assert_eq!(show(files.update(input)), expected, "{way}: {input}");
            assert_eq!(show(files.metadata(input)), expected, "{way}: {input}");
            assert_eq!(show(files.replace(input, b"x")), expected, "{way}: {input}");
        }
        for input in ["dir/.env", "l_env", "sub/.env.local", "l_sub/.env.local"] {
            let input = Utf8Path::new(input);
            assert!(show(files.remove_file(input)).contains("sensitive"), "{way}: {input}");
            let moved = files.rename(input, "moved".into(), Existing::Replace);
            assert!(show(moved).contains("sensitive"), "{way}: {input}");
        }
        assert!(show(files.create(".env".into())).contains("sensitive"), "{way}");
        assert!(show(files.create_whole("new/../.env".into(), b"")).contains("sensitive"), "{way}");
        let dir = files.directory("dir".into()).unwrap();
        assert!(show(files.read_in(&dir, ".env")).contains("sensitive"), "{way}");
        gate.answer("dir/.env".into(), true);
        for input in ["dir/.env", "l_env"] {
            assert_eq!(show(files.read(input.into())), "ok", "{way}: {input}");
        }
        assert_eq!(show(files.read_in(&dir, ".env")), "ok", "{way}");
    });
}

#[test]
fn new_content_is_all_there_and_nothing_is_left_beside_it() {
    both_ways(&[(".", &ALL)], |way, tree, files| {
        use std::os::unix::fs::PermissionsExt;
        tree.file("dir/old");
        let old = tree.ws().join("dir/old");
        fs::set_permissions(&old, fs::Permissions::from_mode(0o640)).unwrap();
        files.replace("dir/old".into(), b"new").unwrap();
        files.create_whole("dir/made".into(), b"made").unwrap();
        assert_eq!(show(files.create_whole("dir/made".into(), b"")), "AlreadyExists", "{way}");
        assert_eq!(fs::read_to_string(&old).unwrap(), "new", "{way}");
        assert_eq!(fs::metadata(&old).unwrap().permissions().mode() & 0o777, 0o640, "{way}");
        assert_eq!(fs::read_to_string(tree.ws().join("dir/made")).unwrap(), "made", "{way}");
        let names = files.list("dir".into()).unwrap().map(|entry| entry.unwrap().name);
        let mut names: Vec<_> = names.collect();
        names.sort();
        assert_eq!(names, ["made", "old"], "{way}");
    });
}

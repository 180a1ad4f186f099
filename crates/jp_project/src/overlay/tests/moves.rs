//! What moves: it takes no denied content along, and where it cannot move, nothing has happened.

use std::os::unix::ffi::OsStrExt;

use jp_tool::access::{SensitiveGate, SensitivePaths};

use super::*;

// A file that a rule denies under one of its names does not become readable by moving another one.
#[test]
fn a_denied_hard_link_is_not_read_by_moving_it() {
    let place = place();
    place.file("private/secret", "SECRET");
    place.file("d/x", "x");
    for alias in ["alias", "d/alias", "f/.env"] {
        fs::create_dir_all(place.root.join(alias).parent().unwrap()).unwrap();
        fs::hard_link(place.root.join("private/secret"), place.root.join(alias)).unwrap();
    }
    let most = [Capability::Read, Capability::Create, Capability::Update, Capability::Delete];
    let rules = |private: &[Capability]| {
        let private = FsRule::new("private", private.iter().copied());
        let fs = vec![FsRule::new(".", most), private].into();
        let list = SensitivePaths::builtin();
        let gate = SensitiveGate::new(list, place.root.clone(), Some("/home/nobody".into()));
        let policy = Some(AccessPolicy { fs, ..AccessPolicy::default() });
        Rules { policy, sensitive: Some(Arc::new(gate)) }
    };
    let denied = "access denied: read on private/secret";
    let overlay = place.overlay();
    let view = overlay.under(rules(&[]));
    assert_eq!(text(view.as_ref(), "alias"), denied);
    for (from, to, file) in [("alias", "b", "b"), ("d", "e", "e/alias"), ("f", "g", "g/x")] {
        let error = view.rename(&path(from), &path(to), RenameTarget::Keep).unwrap_err();
        assert_eq!(error.to_string(), denied, "{from}");
        assert_eq!(text(view.as_ref(), file), format!("{file}: not found"));
    }
    assert_eq!(all(&overlay), "");
    // One whose path cannot be read still moves to where it cannot be read either.
    let view = overlay.under(rules(&[Capability::Create, Capability::Delete]));
    view.rename(&path("private/secret"), &path("private/s"), RenameTarget::Keep).unwrap();
    assert_eq!(text(&overlay, "private/s"), "SECRET");
    assert_eq!(text(view.as_ref(), "private/s"), "access denied: read on private/s");
}

// What was to be replaced is still there, and nothing is left over of what was kept on the way.
#[test]
fn a_move_that_fails_changes_nothing() {
    let place = place();
    for (name, content) in [("src/a", "a"), ("b", "b"), ("d/file", "file"), ("above", "old")] {
        place.file(name, content);
    }
    symlink("src/a", place.root.join("link")).unwrap();
    // Behind the file in the order of a directory, which is therefore kept first.
    symlink("file", place.root.join("d/link")).unwrap();
    fs::create_dir(place.root.join("empty")).unwrap();
    let overlay = place.overlay();
    overlay.lock_to_write().unwrap().store =
        Store::new(&place.scratch, Bounds { memory: 100, one: 50, disk: 200 });
    for (from, to) in [("link", "b"), ("d", "empty"), ("d", "new")] {
        let error = overlay.rename(&path(from), &path(to), RenameTarget::Overwrite).unwrap_err();
        assert!(error.to_string().ends_with("cannot be moved here"), "{from}: {error}");
    }
    // One that does not fit, over one that is kept here already.
    place.file("large", &"x".repeat(300));
    write(&overlay, "above", "new");
    let (large, above) = (path("large"), path("above"));
    let error = overlay.rename(&large, &above, RenameTarget::Overwrite).unwrap_err();
    assert!(error.to_string().contains("more than 200 bytes"), "{error}");
    let short = &mut "short".as_bytes();
    overlay.write_from(&path("new"), short, 40, WriteMode::Replace).unwrap_err();
    for (name, content) in [("b", "b"), ("d/file", "file"), ("above", "new"), ("link", "a")] {
        assert_eq!(text(&overlay, name), content, "{name}");
    }
    assert!(overlay.list_dir(&path("empty"), Slice::default()).unwrap().is_empty());
    let changed: Vec<_> = overlay.changes().into_iter().map(|change| change.path).collect();
    assert_eq!(changed, ["above"]);
    assert_eq!(overlay.lock().store.memory(), 3);
}

// The system would do nothing and call it done. The same comes of it on the disk and kept apart.
#[test]
fn a_file_moves_onto_another_of_its_names() {
    let outcome = |is_apart: bool| {
        let place = place();
        place.file("a", "x");
        fs::hard_link(place.root.join("a"), place.root.join("b")).unwrap();
        let (below, overlay) = (place.below(), place.overlay());
        let view: &dyn ProjectFiles = if is_apart { &overlay } else { &below };
        view.rename(&path("a"), &path("b"), RenameTarget::Overwrite).unwrap();
        let names: Vec<_> = view.list_dir(&ProjectPath::root(), Slice::default()).unwrap();
        let names: Vec<_> = names.into_iter().map(|entry| entry.name).collect();
        assert_eq!(names, ["b"]);
        assert_eq!(text(view, "b"), "x");
        overlay.apply();
        (place.text("a"), place.text("b"))
    };
    assert_eq!(outcome(false), (None, Some("x".to_owned())));
    assert_eq!(outcome(true), outcome(false));
}

// Where a move works, it puts what moves in the place of what is there.
#[test]
fn a_move_takes_the_place_of_what_is_there() {
    let place = place();
    for name in ["a", "b", "d/x", "gone/y"] {
        place.file(name, name);
    }
    let overlay = place.overlay();
    overlay.delete(&path("gone/y"), DeleteReach::File).unwrap();
    for (from, to) in [("a", "b"), ("d", "gone")] {
        overlay.rename(&path(from), &path(to), RenameTarget::Overwrite).unwrap();
    }
    let report = overlay.apply();
    assert!(report.failed.is_empty(), "{:?}", report.failed);
    assert_eq!(
        ["a", "b", "d/x", "gone/x", "gone/y"].map(|name| place.text(name)),
        [None, Some("a".into()), None, Some("d/x".into()), None]
    );
}

// Such a name can be neither deleted nor moved from here, and what is beside it must not go alone.
#[test]
fn a_directory_with_a_name_that_is_no_text_stays_whole() {
    let odd = std::ffi::OsStr::from_bytes(b"\xff");
    let all_rights = [Capability::Read, Capability::Create, Capability::Update, Capability::Delete];
    for rules in [vec![], vec![FsRule::new(".", all_rights)]] {
        let place = place();
        for name in ["d/a", "d/e/b", "f/c", "odd/x"] {
            place.file(name, name);
        }
        fs::remove_file(place.root.join("odd/x")).unwrap();
        for dir in ["d/e", "odd"] {
            fs::write(place.root.join(dir).as_std_path().join(odd), "x").unwrap();
        }
        let overlay = place.overlay();
        let above = OverlayProjectFiles::new(&overlay, &place.scratch);
        let rules = Rules::from(AccessPolicy { fs: rules.into(), ..AccessPolicy::default() });
        for overlay in [&overlay, &above] {
            let view = overlay.under(rules.clone());
            for outcome in [
                view.delete(&path("d"), DeleteReach::Recursive),
                view.rename(&path("d"), &path("g"), RenameTarget::Keep),
            ] {
                let error = outcome.unwrap_err().to_string();
                assert!(error.starts_with("d: there is a name in it that is not UTF-8"), "{error}");
            }
            for outcome in [
                view.delete(&path("odd"), DeleteReach::Empty),
                view.rename(&path("f"), &path("odd"), RenameTarget::Overwrite),
            ] {
                assert_eq!(outcome.unwrap_err().to_string(), "odd: the directory is not empty");
            }
            assert_eq!(all(overlay), "");
        }
        overlay.delete(&path("d/a"), DeleteReach::File).unwrap();
        overlay.rename(&path("f"), &path("g"), RenameTarget::Keep).unwrap();
        let report = overlay.apply();
        assert!(report.failed.is_empty(), "{:?}", report.failed);
        assert_eq!((place.text("d/a"), place.text("g/c").as_deref()), (None, Some("f/c")));
    }
}

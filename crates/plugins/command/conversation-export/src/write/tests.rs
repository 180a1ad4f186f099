//! What is written, and what is left alone.

use super::*;

fn names(path: &Path) -> Vec<String> {
    let entries = fs::read_dir(path).unwrap();
    let mut names: Vec<_> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_file_is_replaced_only_by_force() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a");
    file(&path, b"1", false).unwrap();
    assert!(matches!(file(&path, b"2", false), Err(WriteError::Exists { .. })));
    assert_eq!(fs::read(&path).unwrap(), b"1");
    file(&path, b"3", true).unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"3");
    assert_eq!(names(dir.path()), ["a"], "nothing is left behind");
}

#[test]
fn a_link_is_replaced_and_not_followed() {
    let dir = tempfile::tempdir().unwrap();
    let (target, link) = (dir.path().join("target"), dir.path().join("link"));
    fs::write(&target, "kept").unwrap();
    std::os::unix::fs::symlink(&target, &link).unwrap();
    assert!(matches!(file(&link, b"2", false), Err(WriteError::Exists { .. })));
    file(&link, b"2", true).unwrap();
    assert_eq!(fs::read(&target).unwrap(), b"kept");
    assert_eq!(fs::read(&link).unwrap(), b"2");
}

#[test]
fn what_is_no_file_is_not_replaced() {
    let dir = tempfile::tempdir().unwrap();
    for path in ["/dev/null", dir.path().to_str().unwrap(), "a/"] {
        let refused = file(Path::new(path), b"1", true);
        let is_refused = matches!(refused, Err(WriteError::NoFile { .. } | WriteError::Io { .. }));
        assert!(is_refused, "{path}: {refused:?}");
    }
    assert!(!fs::metadata("/dev/null").unwrap().is_file());
    let nowhere = file(&dir.path().join("none/a"), b"1", false).unwrap_err();
    assert!(nowhere.to_string().starts_with("cannot write "), "{nowhere}");
}

#[test]
fn a_file_has_the_usual_rights() {
    let dir = tempfile::tempdir().unwrap();
    let (ours, usual) = (dir.path().join("a"), dir.path().join("b"));
    file(&ours, b"1", false).unwrap();
    fs::write(&usual, b"1").unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode();
    assert_eq!(mode(&ours), mode(&usual));
}

#[test]
fn a_directory_is_there_when_it_is_complete() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("out");
    let folder = Folder::begin(&path, false).unwrap();
    folder.add("a", b"1").unwrap();
    assert!(!path.exists());
    folder.finish().unwrap();
    assert_eq!(names(&path), ["a"]);
    assert_eq!(names(dir.path()), ["out"]);

    let abandoned = Folder::begin(&dir.path().join("other"), false).unwrap();
    abandoned.add("a", b"1").unwrap();
    abandoned.abandon();
    assert_eq!(names(dir.path()), ["out"]);
    assert!(matches!(abandoned.add("b", b"2"), Err(WriteError::Abandoned { .. })));
    drop(Folder::begin(&dir.path().join("other"), false).unwrap());
    assert_eq!(names(dir.path()), ["out"]);
}

#[test]
fn a_directory_with_something_in_it_needs_force() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("out");
    fs::create_dir(&path).unwrap();
    let early = Folder::begin(&path, false).unwrap();
    fs::write(path.join("a"), "mine").unwrap();
    early.add("a", b"1").unwrap();
    assert!(matches!(early.finish(), Err(WriteError::NotEmpty { .. })), "somebody was faster");
    assert!(matches!(Folder::begin(&path, false), Err(WriteError::NotEmpty { .. })));
    assert_eq!(fs::read(path.join("a")).unwrap(), b"mine");
    let folder = Folder::begin(&path, true).unwrap();
    folder.add("a", b"2").unwrap();
    folder.add("b", b"3").unwrap();
    folder.finish().unwrap();
    assert_eq!(names(&path), ["a", "b"]);
    assert_eq!(fs::read(path.join("a")).unwrap(), b"2");
    let of_a_file = Folder::begin(&path.join("a"), true);
    assert!(matches!(of_a_file, Err(WriteError::NoDirectory { .. })), "{of_a_file:?}");
}

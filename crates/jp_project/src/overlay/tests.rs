//! What only an overlay has: something below that stays as it is, and changes that can be looked at.

#![expect(clippy::disallowed_methods, reason = "tests build their own files")]

use std::{
    fs,
    os::unix::fs::{PermissionsExt, symlink},
};

use camino::Utf8PathBuf;
use jp_changes::{CommitError, Report};
use jp_tool::access::{AccessPolicy, FsRule, path::Root};

use super::{
    store::{Bounds, Store},
    *,
};
use crate::{FsProjectFiles, MemoryProjectFiles};

mod bounds;
mod moves;

fn path(text: &str) -> ProjectPath {
    ProjectPath::new(text).unwrap()
}

struct Place {
    _dir: tempfile::TempDir,
    root: Utf8PathBuf,
    scratch: Utf8PathBuf,
}

fn place() -> Place {
    let dir = tempfile::tempdir().unwrap();
    let base = Utf8PathBuf::from_path_buf(dir.path().canonicalize().unwrap()).unwrap();
    let (root, scratch) = (base.join("project"), base.join("scratch"));
    for dir in [&root, &scratch] {
        fs::create_dir(dir).unwrap();
    }
    Place { _dir: dir, root, scratch }
}

impl Place {
    fn file(&self, name: &str, content: &str) {
        let file = self.root.join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, content).unwrap();
    }

    fn below(&self) -> FsProjectFiles {
        FsProjectFiles::new(Root::open(&self.root).unwrap(), Rules::default())
    }

    fn overlay(&self) -> OverlayProjectFiles {
        OverlayProjectFiles::new(&self.below(), &self.scratch)
    }

    fn text(&self, name: &str) -> Option<String> {
        fs::read_to_string(self.root.join(name)).ok()
    }
}

fn write(project: &dyn ProjectFiles, name: &str, content: &str) {
    project.write(&path(name), content.as_bytes(), WriteMode::Replace).unwrap();
}

fn text(project: &dyn ProjectFiles, name: &str) -> String {
    let read = project.read(&path(name), Part::whole(99));
    read.map_or_else(|error| error.to_string(), |content| String::from_utf8(content.bytes).unwrap())
}

fn all(project: &OverlayProjectFiles) -> String {
    project.changes().iter().map(|change| project.show(change, 9).text).collect()
}

fn failed(report: &Report) -> Vec<String> {
    report
        .failed
        .iter()
        .map(|failure| format!("{}: {}", failure.change.path, failure.error))
        .collect()
}

#[test]
fn changes_are_shown_like_those_of_a_program() {
    let place = place();
    for (name, content) in
        [("a", "1\n2\n"), ("d/x", "x\n"), ("d/y", "y\n"), ("same", "s"), ("f", "f\n")]
    {
        place.file(name, content);
    }
    let overlay = place.overlay();
    write(&overlay, "a", "1\n3\n");
    write(&overlay, "new/file", "n\n");
    write(&overlay, "same", "other");
    write(&overlay, "same", "s");
    overlay.delete(&path("d"), DeleteReach::Recursive).unwrap();
    write(&overlay, "d", "a file now\n");
    overlay.rename(&path("f"), &path("g"), RenameTarget::Keep).unwrap();
    write(&overlay, "temporary", "x");
    overlay.delete(&path("temporary"), DeleteReach::File).unwrap();
    insta::assert_snapshot!(all(&overlay), @r"
    ~ a: changed, 4 bytes
    @@ -1,2 +1,2 @@
     1
    -2
    +3
    ! d: file instead of directory
    @@ -0,0 +1 @@
    +a file now
    - d/x: file removed, 2 bytes
    @@ -1 +0,0 @@
    -x
    - d/y: file removed, 2 bytes
    @@ -1 +0,0 @@
    -y
    - f: file removed, 2 bytes
    @@ -1 +0,0 @@
    -f
    + g: new file, 2 bytes
    @@ -0,0 +1 @@
    +f
    + new: new directory
    + new/file: new file, 2 bytes
    @@ -0,0 +1 @@
    +n
    ");
    assert_eq!(place.text("d/x").as_deref(), Some("x\n"));
    let report = overlay.apply();
    assert!(report.failed.is_empty(), "{:?}", report.failed);
    assert_eq!(place.text("d").as_deref(), Some("a file now\n"));
    assert_eq!((place.text("f"), place.text("g").as_deref()), (None, Some("f\n")));
}

// What is still being done when a person looks is not added to what the person says yes to.
#[test]
fn what_was_shown_is_what_is_applied() {
    let place = place();
    place.file("a", "old");
    let overlay = place.overlay();
    let late = overlay.under(Rules::default());
    write(late.as_ref(), "b", "seen");
    overlay.seal();
    let shown = all(&overlay);
    let [a, b, d] = [path("a"), path("b"), path("d")];
    for refused in [
        late.write(&a, b"unseen", WriteMode::Replace),
        late.write(&b, b"unseen", WriteMode::Replace),
        late.create_dir(&d),
        late.rename(&b, &d, RenameTarget::Keep),
        late.delete(&a, DeleteReach::File),
    ] {
        let error = refused.unwrap_err().to_string();
        assert!(error.ends_with("the changes are being looked at; nothing is added"), "{error}");
    }
    assert_eq!((all(&overlay), text(late.as_ref(), "b")), (shown, "seen".to_owned()));
    let report = overlay.apply();
    assert_eq!((report.done.len(), failed(&report)), (1, vec![]));
    assert_eq!([place.text("a"), place.text("b")], [Some("old".into()), Some("seen".into())]);
    // Nor is there a second chance afterwards.
    assert!(late.write(&a, b"unseen", WriteMode::Replace).is_err());
}

#[test]
fn without_being_applied_nothing_happens() {
    let place = place();
    place.file("a", "1");
    let overlay = place.overlay();
    write(&overlay, "a", "2");
    overlay.delete(&path("a"), DeleteReach::File).unwrap();
    write(&overlay, "b/c", "3");
    drop(overlay);
    assert_eq!(place.text("a").as_deref(), Some("1"));
    assert_eq!(fs::read_dir(&place.root).unwrap().count(), 1);
    assert_eq!(fs::read_dir(&place.scratch).unwrap().count(), 0);
}

#[test]
fn what_somebody_else_changed_meanwhile_is_not_written_over() {
    let place = place();
    for name in ["changed", "gone", "kept", "mine", "dir/a", "away"] {
        place.file(name, "old");
    }
    let overlay = place.overlay();
    for name in ["changed", "gone", "mine", "new"] {
        write(&overlay, name, "overlay");
    }
    overlay.delete(&path("kept"), DeleteReach::File).unwrap();
    overlay.delete(&path("dir"), DeleteReach::Recursive).unwrap();
    overlay.rename(&path("away"), &path("moved"), RenameTarget::Keep).unwrap();
    place.file("changed", "theirs");
    fs::remove_file(place.root.join("gone")).unwrap();
    place.file("new", "theirs");
    place.file("away", "theirs");
    let report = overlay.apply();
    let skipped = "nothing is removed, because another change failed";
    assert_eq!(
        failed(&report),
        [
            "changed: it was changed by somebody else".to_owned(),
            "gone: it was changed by somebody else".to_owned(),
            "new: it was changed by somebody else".to_owned(),
            format!("kept: {skipped}"),
            format!("dir/a: {skipped}"),
            format!("dir: {skipped}"),
            format!("away: {skipped}"),
        ]
    );
    for (name, expected) in [
        ("changed", Some("theirs")),
        ("gone", None),
        ("new", Some("theirs")),
        ("mine", Some("overlay")),
    ] {
        assert_eq!(place.text(name).as_deref(), expected, "{name}");
    }
    // What moved away from under a change of somebody else is there twice, and lost nowhere.
    assert_eq!(
        (place.text("away").as_deref(), place.text("moved").as_deref()),
        (Some("theirs"), Some("old"))
    );
}

#[test]
fn a_new_file_keeps_the_directory_that_was_deleted() {
    let place = place();
    place.file("dir/a", "old");
    let overlay = place.overlay();
    overlay.delete(&path("dir"), DeleteReach::Recursive).unwrap();
    place.file("dir/b", "theirs");
    let report = overlay.apply();
    assert_eq!(failed(&report), ["dir: it was changed by somebody else"]);
    assert_eq!((place.text("dir/a"), place.text("dir/b").as_deref()), (None, Some("theirs")));
}

#[test]
fn what_is_applied_is_judged_once_more() {
    let place = place();
    place.file("src/a", "old");
    let overlay = place.overlay();
    write(&overlay, "src/a", "new");
    write(&overlay, "out/b", "new");
    let rules = vec![
        FsRule::new(".", [Capability::Read]),
        FsRule::new("out", [Capability::Read, Capability::Create]),
    ];
    let policy = AccessPolicy { fs: rules.into(), ..AccessPolicy::default() };
    let narrow = OverlayProjectFiles {
        below: overlay.all.under(policy.clone().into()),
        rules: Arc::new(policy.into()),
        ..overlay
    };
    let report = narrow.apply();
    assert!(matches!(report.failed[0].error, CommitError::Access(_)));
    assert_eq!(failed(&report), ["src/a: access denied: update on src/a"]);
    assert_eq!(
        (place.text("src/a").as_deref(), place.text("out/b").as_deref()),
        (Some("old"), Some("new"))
    );
}

#[test]
fn a_file_that_moves_keeps_its_permissions() {
    let place = place();
    place.file("dir/run.sh", "#!/bin/sh");
    place.file("dir/edit.sh", "#!/bin/sh");
    let mode =
        |name: &str| fs::metadata(place.root.join(name)).unwrap().permissions().mode() & 0o777;
    for name in ["dir/run.sh", "dir/edit.sh"] {
        fs::set_permissions(place.root.join(name), fs::Permissions::from_mode(0o750)).unwrap();
    }
    let overlay = place.overlay();
    write(&overlay, "dir/edit.sh", "#!/bin/sh\nnew");
    overlay.rename(&path("dir"), &path("bin"), RenameTarget::Keep).unwrap();
    overlay.rename(&path("bin/run.sh"), &path("bin/start.sh"), RenameTarget::Keep).unwrap();
    let report = overlay.apply();
    assert!(report.failed.is_empty(), "{:?}", report.failed);
    assert_eq!((mode("bin/start.sh"), mode("bin/edit.sh")), (0o750, 0o750));
    assert_eq!(place.text("bin/edit.sh").as_deref(), Some("#!/bin/sh\nnew"));
    assert!(!place.root.join("dir").exists());
}

// A program that works in a copy can run what it can run in the project: also a file that the tool has changed or
// moved. A file that is new can be run by nobody, as on a disk.
#[test]
fn a_copy_for_programs_knows_what_can_be_run() {
    let place = place();
    let scripts = ["as-it-is", "changed", "moved", "made-anew", "dir/deep"];
    for name in scripts.into_iter().chain(["text"]) {
        place.file(name, "#!/bin/sh\n");
    }
    for name in scripts {
        fs::set_permissions(place.root.join(name), fs::Permissions::from_mode(0o750)).unwrap();
    }
    let overlay = place.overlay();
    write(&overlay, "changed", "#!/bin/sh\nnew\n");
    overlay.rename(&path("moved"), &path("elsewhere"), RenameTarget::Keep).unwrap();
    write(&overlay, "elsewhere", "#!/bin/sh\nnew\n");
    overlay.delete(&path("made-anew"), DeleteReach::File).unwrap();
    write(&overlay, "made-anew", "#!/bin/sh\n");
    let mut copy = overlay.materialize(&place.scratch).unwrap();
    let can_run = |root: &Utf8Path, name: &str| {
        fs::metadata(root.join(name)).unwrap().permissions().mode() & 0o100 != 0
    };
    for (name, expected) in [
        ("as-it-is", true),
        ("changed", true),
        ("elsewhere", true),
        ("dir/deep", true),
        ("made-anew", false),
        ("text", false),
    ] {
        assert_eq!(can_run(copy.path(), name), expected, "{name}");
    }
    // What a program writes into it, and then the next one runs.
    fs::write(copy.path().join("dir/deep"), "#!/bin/sh\nby a program\n").unwrap();
    copy.sync_back().unwrap();
    let next = overlay.materialize(&place.scratch).unwrap();
    assert!(can_run(next.path(), "dir/deep"));
}

#[test]
fn links_below_lead_to_what_is_kept_above() {
    let place = place();
    place.file("src/a", "old");
    fs::write(place.root.join("../outside"), "out").unwrap();
    symlink("src", place.root.join("way")).unwrap();
    symlink("src/a", place.root.join("link")).unwrap();
    symlink("../outside", place.root.join("out")).unwrap();
    symlink("nowhere", place.root.join("dangling")).unwrap();
    let overlay = place.overlay();
    write(&overlay, "link", "new");
    for name in ["src/a", "way/a", "link"] {
        assert_eq!(text(&overlay, name), "new", "{name}");
    }
    for name in ["out", "dangling"] {
        assert!(overlay.write(&path(name), b"x", WriteMode::Replace).is_err(), "{name}");
        assert!(overlay.read(&path(name), Part::whole(9)).is_err(), "{name}");
    }
    overlay.rename(&path("link"), &path("moved"), RenameTarget::Keep).unwrap_err();
    overlay.delete(&path("way"), DeleteReach::Recursive).unwrap();
    assert_eq!(text(&overlay, "way/a"), "way/a: not found");
    write(&overlay, "way/b", "a directory now");
    let list = overlay.list_dir(&path("."), Slice::default()).unwrap();
    let list: Vec<_> =
        list.iter().map(|entry| (entry.name.as_str(), entry.kind, entry.is_link)).collect();
    assert_eq!(
        list,
        [
            ("dangling", Kind::Other, true),
            ("link", Kind::File, true),
            ("out", Kind::Other, true),
            ("src", Kind::Directory, false),
            ("way", Kind::Directory, false),
        ]
    );
    let report = overlay.apply();
    assert!(report.failed.is_empty(), "{:?}", report.failed);
    assert_eq!(
        (place.text("src/a").as_deref(), place.text("way/b").as_deref()),
        (Some("new"), Some("a directory now"))
    );
    assert_eq!(fs::read_to_string(place.root.join("../outside")).unwrap(), "out");
    assert!(!place.root.join("nowhere").exists());
}

#[test]
fn rules_hold_below_and_above() {
    let place = place();
    place.file("secret/a", "below");
    symlink("secret", place.root.join("way")).unwrap();
    let overlay = place.overlay();
    write(&overlay, "secret/b", "above");
    let policy = AccessPolicy {
        fs: vec![
            FsRule::new(".", [Capability::Read, Capability::Update]),
            FsRule::new("secret", []),
        ]
        .into(),
        ..AccessPolicy::default()
    };
    let view = overlay.under(policy.into());
    for name in ["secret/a", "secret/b", "way/a", "way/b"] {
        let canonical = name.replace("way", "secret");
        assert_eq!(text(view.as_ref(), name), format!("access denied: read on {canonical}"));
        assert!(view.write(&path(name), b"x", WriteMode::Replace).is_err(), "{name}");
    }
    assert!(view.grep(&GrepQuery::new("below|above")).unwrap().files.is_empty());
    assert_eq!(view.list_dir(&path("."), Slice::default()).unwrap().len(), 1);
}

#[test]
fn what_does_not_fit_into_memory_is_kept_on_the_disk() {
    let place = place();
    let overlay = place.overlay();
    let bounds = Bounds { memory: 1_000, one: 300, disk: 5_000 };
    overlay.lock_to_write().unwrap().store = Store::new(&place.scratch, bounds);
    for number in 0..3 {
        overlay.write(&path(&format!("f{number}")), &[b'x'; 600], WriteMode::Replace).unwrap();
    }
    overlay.write(&path("f1"), b"small", WriteMode::Replace).unwrap();
    overlay.rename(&path("f2"), &path("g"), RenameTarget::Keep).unwrap();
    let part = Part { offset: 597, limit: None, max: 9 };
    assert_eq!(overlay.read(&path("g"), part).unwrap().bytes, b"xxx");
    assert_eq!(text(&overlay, "f1"), "small");
    for number in 0..20 {
        let name = path(&format!("d/m{}", number % 10));
        overlay.write(&name, &[b'y'; 200], WriteMode::Replace).unwrap();
        assert!(overlay.lock().store.memory() <= 1_000);
    }
    overlay.rename(&path("d"), &path("e"), RenameTarget::Keep).unwrap();
    assert!(overlay.lock().store.memory() <= 1_000);
    let error = overlay.write(&path("big"), &[0; 5_000], WriteMode::Replace).unwrap_err();
    assert!(error.to_string().contains("more than 5000 bytes"), "{error}");
    // Nothing that a kill could leave behind.
    assert_eq!(fs::read_dir(&place.scratch).unwrap().count(), 0);
    let report = overlay.apply();
    assert!(report.failed.is_empty(), "{:?}", report.failed);
    assert_eq!(fs::read(place.root.join("g")).unwrap(), [b'x'; 600]);
    assert_eq!(fs::read(place.root.join("e/m9")).unwrap(), [b'y'; 200]);
}

#[test]
fn a_program_sees_both_together() {
    // D11-158
    let place = place();
    place.file("a", "below");
    place.file("gone", "x");
    let overlay = place.overlay();
    write(&overlay, "b", "above");
    overlay.delete(&path("gone"), DeleteReach::File).unwrap();
    let mut copy = overlay.materialize(&place.scratch).unwrap();
    assert_eq!(fs::read_to_string(copy.path().join("a")).unwrap(), "below");
    assert_eq!(fs::read_to_string(copy.path().join("b")).unwrap(), "above");
    assert!(!copy.path().join("gone").exists());
    fs::write(copy.path().join("a"), "by a program").unwrap();
    copy.sync_back().unwrap();
    assert_eq!(text(&overlay, "a"), "by a program");
    assert_eq!(place.text("a").as_deref(), Some("below"));
}

#[test]
fn it_works_over_anything() {
    let below = MemoryProjectFiles::new();
    write(&below, "a", "1");
    let place = place();
    let first = OverlayProjectFiles::new(&below, &place.scratch);
    write(&first, "a", "2");
    let second = OverlayProjectFiles::new(&first, &place.scratch);
    write(&second, "a", "3");
    assert_eq!(
        (text(&below, "a"), text(&first, "a"), text(&second, "a")),
        ("1".into(), "2".into(), "3".into())
    );
    assert!(second.apply().failed.is_empty());
    assert_eq!((text(&below, "a"), text(&first, "a")), ("1".into(), "3".into()));
}

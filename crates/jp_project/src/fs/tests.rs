//! What only a disk has: links, other names, permissions, FIFOs, and somebody who changes it meanwhile.

#![expect(clippy::disallowed_methods, reason = "tests build their own files")]

use std::{
    fs,
    os::unix::fs::{PermissionsExt, symlink},
    sync::atomic::{AtomicBool, Ordering},
    thread,
};

use jp_tool::access::{AccessPolicy, FsRule};

use super::*;

struct Place {
    _dir: tempfile::TempDir,
    root: Utf8PathBuf,
}

fn place() -> Place {
    let dir = tempfile::tempdir().unwrap();
    let base = Utf8PathBuf::from_path_buf(dir.path().canonicalize().unwrap()).unwrap();
    fs::write(base.join("outside"), "out").unwrap();
    let root = base.join("project");
    fs::create_dir_all(root.join("src")).unwrap();
    fs::write(root.join("src/a"), "a").unwrap();
    Place { _dir: dir, root }
}

fn files(place: &Place, rules: Vec<FsRule>) -> FsProjectFiles {
    let policy = AccessPolicy { fs: rules.into(), ..AccessPolicy::default() };
    FsProjectFiles::new(Root::open(&place.root).unwrap(), policy.into())
}

fn path(text: &str) -> ProjectPath {
    ProjectPath::new(text).unwrap()
}

// D11-056, D11-057, D11-058
#[test]
fn links_that_lead_out_are_no_way_out() {
    let place = place();
    symlink("../outside", place.root.join("link")).unwrap();
    symlink("../new", place.root.join("dangling")).unwrap();
    symlink("nowhere", place.root.join("inside")).unwrap();
    let project = files(&place, vec![]);
    assert!(matches!(project.read(&path("link"), Part::whole(9)), Err(ProjectError::Access(_))));
    for name in ["link", "dangling", "inside"] {
        assert!(project.write(&path(name), b"x", WriteMode::Replace).is_err(), "{name}");
        assert!(project.write(&path(name), b"x", WriteMode::CreateNew).is_err(), "{name}");
    }
    assert_eq!(fs::read_to_string(place.root.join("../outside")).unwrap(), "out");
    assert!(!place.root.join("../new").exists() && !place.root.join("nowhere").exists());
    let list = project.list_dir(&path("."), Slice::default()).unwrap();
    let kinds: Vec<_> = list.iter().map(|entry| (entry.name.as_str(), entry.kind)).collect();
    let other = Kind::Other;
    assert_eq!(
        kinds,
        [("dangling", other), ("inside", other), ("link", other), ("src", Kind::Directory)]
    );
}

#[test]
fn a_link_is_judged_by_where_it_leads() {
    let place = place();
    symlink("src/a", place.root.join("link")).unwrap();
    let rules =
        vec![FsRule::new(".", [Capability::Read, Capability::Update]), FsRule::new("src", [])];
    let project = files(&place, rules);
    let denied = project.read(&path("link"), Part::whole(9)).unwrap_err();
    assert_eq!(denied.to_string(), "access denied: read on src/a");
    let denied = project.write(&path("link"), b"x", WriteMode::Replace).unwrap_err();
    assert_eq!(denied.to_string(), "access denied: update on src/a");
}

#[test]
fn a_write_keeps_permissions_other_names_and_links() {
    let place = place();
    let file = place.root.join("src/a");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o750)).unwrap();
    symlink("src/a", place.root.join("link")).unwrap();
    let project = files(&place, vec![]);
    project.write(&path("link"), b"new", WriteMode::Replace).unwrap();
    assert_eq!(fs::read_to_string(&file).unwrap(), "new");
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o750);
    assert!(fs::symlink_metadata(place.root.join("link")).unwrap().is_symlink());
    fs::hard_link(&file, place.root.join("other")).unwrap();
    project.write(&path("other"), b"2", WriteMode::Replace).unwrap();
    assert_eq!(fs::read_to_string(&file).unwrap(), "2");
    let left = project.list_dir(&path("src"), Slice::default()).unwrap();
    assert_eq!(left.len(), 1, "{left:?}");
}

#[test]
fn what_a_link_leads_to_survives_the_deletion_of_its_directory() {
    let place = place();
    fs::create_dir_all(place.root.join("dir/sub")).unwrap();
    symlink("../../src", place.root.join("dir/sub/in")).unwrap();
    symlink("../../outside", place.root.join("dir/out")).unwrap();
    let project = files(&place, vec![]);
    project.delete(&path("dir"), DeleteReach::Recursive).unwrap();
    assert!(!place.root.join("dir").exists());
    assert!(place.root.join("src/a").exists() && place.root.join("../outside").exists());
}

#[test]
fn a_fifo_is_an_error_and_not_a_wait() {
    let place = place();
    let fifo = place.root.join("fifo");
    rustix::fs::mknodat(
        rustix::fs::CWD,
        fifo.as_str(),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::from_raw_mode(0o600),
        0,
    )
    .unwrap();
    let project = files(&place, vec![]);
    assert!(project.read(&path("fifo"), Part::whole(9)).is_err());
    assert!(project.write(&path("fifo"), b"x", WriteMode::Replace).is_err());
    assert!(project.grep(&GrepQuery::new("a")).unwrap().files.len() == 1);
}

// D11-060
#[test]
fn somebody_who_swaps_directories_gets_nowhere() {
    let place = place();
    fs::create_dir(place.root.join("denied")).unwrap();
    fs::write(place.root.join("denied/a"), "secret").unwrap();
    let all = [Capability::Read, Capability::Create, Capability::Update, Capability::Delete];
    let project = files(&place, vec![FsRule::new(".", all), FsRule::new("denied", [])]);
    let is_done = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            let (src, aside) = (place.root.join("src"), place.root.join("aside"));
            while !is_done.load(Ordering::Relaxed) {
                let _ = fs::rename(&src, &aside);
                let _ = symlink("denied", &src);
                let _ = fs::remove_file(&src);
                let _ = fs::rename(&aside, &src);
            }
        });
        for _ in 0..2_000 {
            if let Ok(content) = project.read(&path("src/a"), Part::whole(99)) {
                assert_ne!(content.bytes, b"secret");
            }
            let _ = project.write(&path("src/a"), b"mine", WriteMode::Replace);
            let _ = project.delete(&path("src/a"), DeleteReach::Recursive);
        }
        is_done.store(true, Ordering::Relaxed);
    });
    assert_eq!(fs::read_to_string(place.root.join("denied/a")).unwrap(), "secret");
    assert_eq!(fs::read_dir(place.root.join("denied")).unwrap().count(), 1);
}

// D11-061
#[test]
fn another_name_of_a_denied_file_is_denied() {
    let place = place();
    fs::create_dir(place.root.join("denied")).unwrap();
    fs::write(place.root.join("denied/b"), "secret").unwrap();
    fs::hard_link(place.root.join("denied/b"), place.root.join("src/b")).unwrap();
    fs::hard_link(place.root.join("src/a"), place.root.join("src/c")).unwrap();
    let rights = [Capability::Read, Capability::Update];
    let project = files(&place, vec![FsRule::new(".", rights), FsRule::new("denied", [])]);
    assert!(project.read(&path("src/b"), Part::whole(9)).is_err());
    assert!(project.write(&path("src/b"), b"x", WriteMode::Replace).is_err());
    assert!(project.grep(&GrepQuery::new("secret")).unwrap().files.is_empty());
    assert_eq!(fs::read_to_string(place.root.join("denied/b")).unwrap(), "secret");
    project.write(&path("src/c"), b"x", WriteMode::Replace).unwrap();
    assert_eq!(project.read(&path("src/a"), Part::whole(9)).unwrap().bytes, b"x");
}

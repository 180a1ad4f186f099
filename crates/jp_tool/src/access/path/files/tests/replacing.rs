//! New content for a file that has to stay the same file.

use std::{
    os::unix::fs::{MetadataExt, PermissionsExt, chown},
    process::Command,
};

use rustix::fs::XattrFlags;

use super::*;

/// The directory of the second half of the test, for which it is started a second time.
const PLACE: &str = "JP_TOOL_SMALL_DISK";

// A file with several names is written to in place. On a disk of two megabytes, four do not fit, and that has to be
// known before the first byte of the old content is gone.
#[test]
fn what_does_not_fit_leaves_the_old_content() {
    if let Ok(place) = std::env::var(PLACE) {
        return check_in(Utf8Path::new(&place));
    }
    let place = tempfile::tempdir().unwrap();
    let script = r#"mount -t tmpfs -o size=2m none "$0"; exec "$1" --exact "$2""#;
    let test = "access::path::files::tests::replacing::what_does_not_fit_leaves_the_old_content";
    let output = Command::new("unshare")
        .args(["--user", "--map-root-user", "--mount", "sh", "-ec", script])
        .args([place.path(), &std::env::current_exe().unwrap()])
        .arg(test)
        .env(PLACE, place.path())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains("1 passed"), "{said}");
}

fn check_in(place: &Utf8Path) {
    let files = Files::new(Root::open(place).unwrap(), None);
    let old = vec![b'o'; 1 << 20];
    fs::write(place.join("a"), &old).unwrap();
    fs::hard_link(place.join("a"), place.join("b")).unwrap();
    let error = files.replace("a".into(), &vec![b'n'; 4 << 20]);
    assert_eq!(show(error), "StorageFull");
    for name in ["a", "b"] {
        assert!(fs::read(place.join(name)).unwrap() == old, "{name} is not what it was");
    }
    // What was reserved for it is given back.
    fs::write(place.join("other"), vec![b'x'; 900 << 10]).unwrap();
    fs::remove_file(place.join("other")).unwrap();
    // What fits is written, be it longer or shorter.
    for len in [1_500 << 10, 3, 0] {
        files.replace("a".into(), &vec![b'n'; len]).unwrap();
        assert_eq!(fs::read(place.join("b")).unwrap(), vec![b'n'; len]);
    }
}

const ACL: &str = "system.posix_acl_access";
const DEFAULT_ACL: &str = "system.posix_acl_default";

/// A list of who may use a file: its owner, the user 1234, its group and nobody else.
fn acl(user_may: u16) -> Vec<u8> {
    let nobody = u32::MAX;
    let entries =
        [(1, 6, nobody), (2, user_may, 1234), (4, 4, nobody), (0x10, 6, nobody), (0x20, 0, nobody)];
    let entry = |(tag, may, id): (u16, u16, u32)| {
        [&tag.to_le_bytes()[..], &may.to_le_bytes(), &id.to_le_bytes()].concat()
    };
    [2_u32.to_le_bytes().to_vec()].into_iter().chain(entries.map(entry)).flatten().collect()
}

fn acl_of(path: &Utf8Path) -> Option<Vec<u8>> {
    let mut acl = vec![0; 1_000];
    let size = rustix::fs::getxattr(path.as_std_path(), ACL, acl.as_mut_slice()).ok()?;
    acl.truncate(size);
    Some(acl)
}

// Who may use a file is nothing that a new content changes, in either direction.
#[test]
fn a_list_of_who_may_use_a_file_stays() {
    both_ways(&[(".", &ALL)], |way, tree, files| {
        tree.file("listed");
        tree.file("open/plain");
        tree.file("open/listed");
        let set = |path: &str, name: &str, acl: &[u8]| {
            let path = tree.ws().join(path);
            rustix::fs::setxattr(path.as_std_path(), name, acl, XattrFlags::empty())
        };
        if set("listed", ACL, &acl(4)).is_err() {
            println!("there are no such lists on this file system");
            return;
        }
        set("open/listed", ACL, &acl(4)).unwrap();
        set("open", DEFAULT_ACL, &acl(6)).unwrap();
        for (name, expected) in
            [("listed", Some(acl(4))), ("open/plain", None), ("open/listed", Some(acl(4)))]
        {
            let path = tree.ws().join(name);
            let before = fs::metadata(&path).unwrap();
            assert_eq!(show(files.replace(name.into(), b"new")), "ok", "{way}: {name}");
            let after = fs::metadata(&path).unwrap();
            assert_eq!(fs::read(&path).unwrap(), b"new");
            assert_eq!(acl_of(&path), expected, "{way}: {name}");
            assert_eq!(after.mode(), before.mode(), "{way}: {name}");
            assert_ne!(after.ino(), before.ino(), "{way}: {name} is written in place");
        }
    });
}

// A group that we may give costs a file nothing; only root can have one here that is not its own.
#[test]
fn a_group_that_can_be_given_stays() {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    both_ways(&[(".", &ALL)], |way, tree, files| {
        tree.file("a");
        let path = tree.ws().join("a");
        chown(&path, None, Some(12_345)).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o2751)).unwrap();
        let before = fs::metadata(&path).unwrap();
        assert_eq!(show(files.replace("a".into(), b"new")), "ok", "{way}");
        let after = fs::metadata(&path).unwrap();
        assert_eq!((after.gid(), after.mode()), (12_345, before.mode()), "{way}");
        assert_ne!(after.ino(), before.ino(), "{way}: it is written in place");
    });
}

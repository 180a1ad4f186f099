//! Directories that are deleted: what goes with them, and what keeps them.

use std::os::unix::ffi::OsStrExt;

use super::*;

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

// Such a name cannot be deleted here, and what is beside it must not go alone.
#[test]
fn a_directory_with_a_name_that_is_no_text_stays_whole() {
    let place = place();
    let all = [Capability::Read, Capability::Create, Capability::Update, Capability::Delete];
    for dir in ["a/b", "z"] {
        fs::create_dir_all(place.root.join("dir").join(dir)).unwrap();
        fs::write(place.root.join("dir").join(dir).join("file"), "x").unwrap();
    }
    let odd = std::ffi::OsStr::from_bytes(b"\xff");
    fs::write(place.root.join("dir/z").into_std_path_buf().join(odd), "x").unwrap();
    for rules in [vec![], vec![FsRule::new(".", all)]] {
        let project = files(&place, rules);
        let error = project.delete(&path("dir"), DeleteReach::Recursive).unwrap_err().to_string();
        assert!(error.starts_with("dir: there is a name in it that is not UTF-8"), "{error}");
        for file in ["dir/a/b/file", "dir/z/file"] {
            assert!(place.root.join(file).exists(), "{file}");
        }
        project.delete(&path("dir/a"), DeleteReach::Recursive).unwrap();
        fs::create_dir_all(place.root.join("dir/a/b")).unwrap();
        fs::write(place.root.join("dir/a/b/file"), "x").unwrap();
    }
}

// What the rules hide is there all the same.
#[test]
fn a_directory_with_something_hidden_is_not_empty() {
    let place = place();
    fs::create_dir(place.root.join("dir")).unwrap();
    fs::write(place.root.join("dir/hidden"), "x").unwrap();
    symlink("dir", place.root.join("link")).unwrap();
    let most = [Capability::Read, Capability::Create, Capability::Update, Capability::Delete];
    let project = files(
        &place,
        vec![FsRule::new(".", most), FsRule::new("dir/hidden", [Capability::Delete])],
    );
    assert!(project.list_dir(&path("dir"), Slice::default()).unwrap().is_empty());
    for (name, expected) in [
        ("dir", "dir: the directory is not empty"),
        ("link", "link: is not a directory, or something above it is not"),
    ] {
        let error = project.delete(&path(name), DeleteReach::Empty).unwrap_err();
        assert_eq!(error.to_string(), expected);
    }
    fs::remove_file(place.root.join("dir/hidden")).unwrap();
    project.delete(&path("dir"), DeleteReach::Empty).unwrap();
    assert!(!place.root.join("dir").exists());
}

//! How much is held, and what moves.

use super::*;

// However a tool goes about it, there is an end to what it can make us hold.
#[test]
fn there_is_an_end_to_what_is_held() {
    let project = MemoryProjectFiles::new();
    let path = |name: &str| ProjectPath::new(name).unwrap();
    let write =
        |name: &str, size: usize| project.write(&path(name), &vec![b'x'; size], WriteMode::Replace);
    let half = MAX_HELD / 2;
    write("d/a", half).unwrap();
    let error = write("d/b", half).unwrap_err().to_string();
    assert_eq!(error, "d/b: a project in memory holds at most 67108864 bytes");
    // What is replaced, moved or deleted does not count twice.
    for _ in 0..3 {
        write("d/a", half).unwrap();
        project.rename(&path("d"), &path("e"), RenameTarget::Keep).unwrap();
        project.rename(&path("e"), &path("d"), RenameTarget::Keep).unwrap();
    }
    project.delete(&path("d"), DeleteReach::Recursive).unwrap();
    write("b", MAX_HELD - 1_000).unwrap();
    // Names count too, also if they only become longer.
    project.delete(&path("b"), DeleteReach::File).unwrap();
    write("d/large", half).unwrap();
    for number in 0..25_000 {
        write(&format!("d/{number}"), 0).unwrap();
    }
    let (long, before) = ("x".repeat(255), project.lock().held);
    let deep = format!("{long}/{long}/{long}/{long}/{long}/{long}");
    project.create_dir(&path(&deep)).unwrap();
    let error = project.rename(&path("d"), &path(&deep), RenameTarget::Overwrite).unwrap_err();
    assert!(error.to_string().ends_with(" holds at most 67108864 bytes"), "{error}");
    assert!(project.metadata(&path("d/24999")).is_ok());
    project.delete(&path(&long), DeleteReach::Recursive).unwrap();
    assert_eq!(project.lock().held, before);
    project.delete(&path("d"), DeleteReach::Recursive).unwrap();
    write("b", MAX_HELD - 1_000).unwrap();
    let all = (0..10).try_for_each(|number| project.create_dir(&path(&format!("d{number}"))));
    assert!(all.is_err());
}

// What cannot be named afterwards is not moved.
#[test]
fn no_path_becomes_too_long() {
    let project = MemoryProjectFiles::new();
    let path = |name: &str| ProjectPath::new(name).unwrap();
    let (many, deep) = (vec!["a"; 150].join("/"), vec!["b"; 100].join("/"));
    project.write(&path(&format!("d/{many}")), b"x", WriteMode::CreateNew).unwrap();
    project.rename(&path("d"), &path(&deep), RenameTarget::Keep).unwrap_err();
    for kept in ["d", "d/a", &format!("d/{many}")] {
        assert!(project.metadata(&path(kept)).is_ok(), "{kept}");
    }
    assert!(project.metadata(&path(&deep)).is_err());
}

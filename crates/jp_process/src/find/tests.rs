//! Names against a small tree of files.
#![expect(clippy::disallowed_methods, reason = "tests build their own files")]

use std::{fs, os::unix::fs::PermissionsExt};

use super::*;

#[test]
fn a_name_means_the_first_executable_file() {
    let root = tempfile::tempdir().unwrap();
    let at = |path: &str| root.path().join(path);
    for (path, mode) in
        [("a/plain", 0o644), ("b/plain", 0o755), ("a/tool", 0o755), ("b/tool", 0o755)]
    {
        fs::create_dir_all(at(path).parent().unwrap()).unwrap();
        fs::write(at(path), "").unwrap();
        fs::set_permissions(at(path), fs::Permissions::from_mode(mode)).unwrap();
    }
    fs::create_dir(at("a/directory")).unwrap();
    fs::write(at("a/only"), "").unwrap();
    std::os::unix::fs::symlink("tool", at("a/link")).unwrap();
    std::os::unix::fs::symlink("nowhere", at("a/dangling")).unwrap();

    let absolute = at("b/tool").display().to_string();
    let missing = |name: &str| Err(FindError::Missing(name.into()));
    let refused = |path: &str| Err(FindError::NotExecutable(at(path)));
    let check = |name: &str, expected: Result<PathBuf, FindError>| {
        let search = std::env::join_paths([at("a"), at("none"), at("b")]).unwrap();
        assert_eq!(find_program(name.as_ref(), &search, root.path()), expected, "{name}");
    };
    check("tool", Ok(at("a/tool")));
    check("plain", Ok(at("b/plain")));
    check("link", Ok(at("a/link")));
    check("dangling", missing("dangling"));
    check("directory", refused("a/directory"));
    check("only", refused("a/only"));
    check("nothing", missing("nothing"));
    check("", missing(""));
    check("to\0ol", missing("to\0ol"));
    check("b/tool", Ok(at("b/tool")));
    check("a/plain", refused("a/plain"));
    check("c/tool", missing("c/tool"));
    check(&absolute, Ok(at("b/tool")));
}

#[test]
fn a_search_path_never_means_the_directory() {
    let root = tempfile::tempdir().unwrap();
    let trap = root.path().join("git");
    fs::write(&trap, "").unwrap();
    fs::set_permissions(&trap, fs::Permissions::from_mode(0o755)).unwrap();
    for search in ["", ":", ".", "::/none", "./"] {
        let found = find_program("git".as_ref(), search.as_ref(), root.path());
        assert_eq!(found, Err(FindError::Missing("git".into())), "{search}");
    }
}

#[test]
fn a_control_character_in_a_name_is_seen() {
    let check = |name: &str, expected: &str| {
        let error = find_program(name.as_ref(), "".as_ref(), "/".as_ref()).unwrap_err();
        assert_eq!(error.to_string(), expected);
    };
    check("/bin/no-sh\r", r"no program /bin/no-sh\r was found");
    check("no\u{1b}[2J", r"no program no\u{1b}[2J was found");
    check("it's \"é\"", "no program it's \"é\" was found");
}

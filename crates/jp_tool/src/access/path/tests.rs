//! One table of spellings, resolved by the kernel and by the walk, which have to agree.
#![expect(clippy::disallowed_methods, reason = "tests build their own files")]

mod agreement;
mod rules;

use std::{
    ffi::OsStr,
    fs,
    os::unix::{ffi::OsStrExt, fs::PermissionsExt, fs::symlink},
};

use super::*;

/// A temporary directory that holds the workspace `ws`, its neighbours `ws2` and `out`, and a link
/// `alias` to `ws`. A file contains its own path relative to the workspace.
pub(super) struct Tree {
    _temp: tempfile::TempDir,
    pub(super) top: Utf8PathBuf,
}

impl Tree {
    pub(super) fn new() -> Self {
        let temp = tempfile::tempdir().unwrap();
        let top = Utf8PathBuf::from_path_buf(temp.path().canonicalize().unwrap()).unwrap();
        for dir in ["ws", "ws2", "out"] {
            fs::create_dir(top.join(dir)).unwrap();
        }
        for file in ["ws2/x", "out/secret", "out/x"] {
            fs::write(top.join(file), "OUTSIDE").unwrap();
        }
        symlink("ws", top.join("alias")).unwrap();
        let tree = Self { _temp: temp, top };
        for file in [".env", "README.md", "src/lib.rs", "src/generated/a.rs", "code/lib.rs"] {
            tree.file(file);
        }
        tree.file("secret/f");
        tree
    }

    pub(super) fn ws(&self) -> Utf8PathBuf {
        self.top.join("ws")
    }

    pub(super) fn file(&self, path: &str) {
        let full = self.ws().join(path);
        fs::create_dir_all(full.parent().unwrap()).unwrap();
        fs::write(full, path).unwrap();
    }

    /// Makes a link; `{top}` in the target is the temporary directory.
    pub(super) fn link(&self, path: &str, target: &str) {
        symlink(target.replace("{top}", self.top.as_str()), self.ws().join(path)).unwrap();
    }

    /// The same root opened for both ways.
    pub(super) fn roots(&self, spelled: &str) -> [(&'static str, Root); 2] {
        let root = Root::open(&self.top.join(spelled)).unwrap();
        assert!(root.kernel() || cfg!(not(target_os = "linux")));
        [("kernel", root.clone()), ("walk", root.without_kernel())]
    }
}

/// The links of the table.
const LINKS: &[(&str, &str)] = &[
    ("l_env", ".env"),
    ("l_secret", "secret"),
    ("l_src", "src"),
    ("l_out", "{top}/out"),
    ("l_out_file", "{top}/out/secret"),
    ("l_out_relative", "../out"),
    ("src/l_out_deep", "../../out"),
    ("l_neighbour", "{top}/ws2"),
    ("chain1", "chain2"),
    ("chain2", "src/chain3"),
    ("src/chain3", "lib.rs"),
    ("chain_out", "chain_out2"),
    ("chain_out2", "../out/x"),
    ("l_absolute", "{top}/ws/src"),
    ("l_absolute_alias", "{top}/alias/src"),
    ("l_root", "{top}/ws"),
    ("l_back", "../ws/src"),
    ("l_back_far", "../out/../ws2/../ws/secret"),
    ("src/l_back_file", "../../ws/.env"),
    ("l_up", "src/../README.md"),
    ("l_up_through_link", "src/l_code/../README.md"),
    ("src/l_code", "../code"),
    ("l_dot", "."),
    ("src/l_dotdot", ".."),
    ("src/generated/l_up_dir", "../.."),
    ("l_dangling_in", "secret/new"),
    ("l_dangling_out", "{top}/out/new"),
    ("l_dangling_out_deep", "../nowhere/new"),
    ("l_dangling_far", "nowhere/deep/x"),
    ("l_dangling_up", "nowhere/../secret/f"),
    ("l_through_file", "README.md/x"),
    ("l_slashes", ".//src///./lib.rs"),
    ("loop1", "loop2"),
    ("loop2", "loop1"),
    ("l_self", "l_self/x"),
    ("l_magic", "/proc/self/cwd"),
    ("l_magic_root", "/proc/self/root{top}/ws/src"),
    ("l_system", "/etc/hostname"),
    ("l_slash", "/"),
];

/// Input, and where it leads. `{top}` is the temporary directory; `?` after a path: nothing there.
const CASES: &[(&str, &str)] = &[
    // 076-131, 076-132, 076-133, 076-134: step 1
    ("src/lib.rs", "src/lib.rs"),
    ("{top}/ws/src/lib.rs", "src/lib.rs"),
    ("{top}/ws", "."),
    (".", "."),
    ("./", "."),
    ("/", "Outside"),
    ("/etc/passwd", "Outside"),
    ("{top}/ws2/x", "Outside"),
    ("{top}/out/../ws/src/lib.rs", "Outside"),
    ("{top}", "Outside"),
    // 076-135, 076-136, 076-137, 076-138, 076-139, 076-140: step 2
    ("src//./lib.rs", "src/lib.rs"),
    ("src/", "src"),
    ("src/../README.md", "README.md"),
    ("src/../.env", ".env"),
    ("nowhere/../.env", ".env"),
    ("l_out/../README.md", "README.md"),
    ("l_secret/../README.md", "README.md"),
    ("../other", "Escape"),
    ("src/../../other", "Escape"),
    ("..", "Escape"),
    ("src/../..", "Escape"),
    ("../ws2/x", "Escape"),
    ("../ws/src", "src"),
    ("{top}/ws/../out/x", "Escape"),
    ("{top}/ws/src/../../../etc", "Escape"),
    // 076-141, 076-142: links inside
    ("l_env", ".env"),
    ("l_secret", "secret"),
    ("l_secret/f", "secret/f"),
    ("{top}/ws/l_secret/f", "secret/f"),
    ("l_slashes", "src/lib.rs"),
    ("l_dot/src/lib.rs", "src/lib.rs"),
    ("l_dot", "."),
    ("src/l_dotdot", "."),
    ("src/l_dotdot/.env", ".env"),
    ("src/generated/l_up_dir/secret/f", "secret/f"),
    ("l_up", "README.md"),
    ("l_up_through_link", "README.md"),
    ("src/l_code/lib.rs", "code/lib.rs"),
    // 076-143: links outside
    ("l_out", "Escape"),
    ("l_out/secret", "Escape"),
    ("l_out_file", "Escape"),
    ("l_out_relative/x", "Escape"),
    ("src/l_out_deep/x", "Escape"),
    ("l_neighbour/x", "Escape"),
    ("l_system", "Escape"),
    ("l_slash", "Escape"),
    ("l_slash/etc", "Escape"),
    // 076-144: chains
    ("chain1", "src/lib.rs"),
    ("chain_out", "Escape"),
    // 076-145: absolute targets inside, and ways out and back in
    ("l_absolute", "src"),
    ("l_absolute/lib.rs", "src/lib.rs"),
    ("l_absolute/l_code/lib.rs", "code/lib.rs"),
    ("l_absolute_alias/lib.rs", "src/lib.rs"),
    ("l_root", "."),
    ("l_root/.env", ".env"),
    ("l_back/lib.rs", "src/lib.rs"),
    ("l_back_far/f", "secret/f"),
    ("src/l_back_file", ".env"),
    // 076-146, 076-147, 076-148: what is missing
    ("new/dir/file.txt", "new/dir/file.txt?"),
    ("src/new.rs", "src/new.rs?"),
    ("l_secret/new", "secret/new?"),
    ("l_absolute/new/deep", "src/new/deep?"),
    ("l_out/new", "Escape"),
    ("l_out/new/deep", "Escape"),
    ("README.md/x", "README.md/x?"),
    ("README.md/x/y", "README.md/x/y?"),
    ("l_env/x", ".env/x?"),
    ("l_through_file", "README.md/x?"),
    // 076-149, 076-150: dangling links
    ("l_dangling_in", "secret/new?"),
    ("l_dangling_in/x", "secret/new/x?"),
    ("l_dangling_out", "Escape"),
    ("l_dangling_out/x", "Escape"),
    ("l_dangling_out_deep", "Escape"),
    ("l_dangling_far", "nowhere/deep/x?"),
    ("l_dangling_up", "secret/f"),
    // what nobody can resolve
    ("", "Unresolvable: empty path"),
    ("a\0b", "Unresolvable: a path cannot contain a NUL byte"),
    ("loop1", "Unresolvable: more than 40 symbolic links"),
    ("loop1/x", "Unresolvable: more than 40 symbolic links"),
    ("l_self", "Unresolvable: more than 40 symbolic links"),
    // 076-154: the doors of /proc
    ("l_magic", "Escape"),
    ("l_magic/x", "Escape"),
    ("l_magic_root/lib.rs", "Escape"),
    // names that look special and are not
    ("a..b", "a..b?"),
    ("...", "...?"),
    ("src/*", "src/*?"),
    (" ", " ?"),
    ("SRC/LIB.RS", "SRC/LIB.RS?"),
];

#[test]
fn every_spelling_leads_to_one_place_in_both_ways() {
    // 076-153: `show` gives the canonical form alone, whatever the spelling.
    let tree = Tree::new();
    for (path, target) in LINKS {
        tree.link(path, target);
    }
    for (way, root) in tree.roots("ws") {
        for (input, expected) in CASES {
            let input = input.replace("{top}", tree.top.as_str());
            let input = Utf8Path::new(&input);
            assert_eq!(show(root.resolve(input)), *expected, "{way}: {input:?}");
            assert_eq!(show(resolve(&tree.ws(), input)), *expected, "resolve: {input:?}");
        }
    }
}

#[test]
fn what_is_resolved_can_be_read_and_nothing_else() {
    // 076-155: each file contains its canonical path, so the handle tells what was opened.
    let tree = Tree::new();
    for (path, target) in LINKS {
        tree.link(path, target);
    }
    for (way, root) in tree.roots("ws") {
        let files = Files::new(root, None);
        for (input, expected) in CASES {
            let input = input.replace("{top}", tree.top.as_str());
            let what = format!("{way}: {input:?}");
            let file = files.read(Utf8Path::new(&input));
            let is_file = tree.ws().join(expected).is_file();
            match file {
                Ok(file) => assert_eq!(std::io::read_to_string(file).unwrap(), *expected, "{what}"),
                Err(OpenError::Access(error)) => assert_eq!(show(Err(error)), *expected, "{what}"),
                Err(OpenError::Io { source, .. }) => {
                    assert!(!is_file, "{what}: {source}");
                    assert!(tree.ws().join(expected).is_dir() || expected.ends_with('?'), "{what}");
                }
            }
        }
    }
}

#[test]
fn a_root_behind_a_link_works_in_all_spellings() {
    // 076-152
    let tree = Tree::new();
    tree.link("l_absolute", "{top}/ws/src");
    for (way, root) in tree.roots("alias") {
        for (input, expected) in [
            ("src/lib.rs", "src/lib.rs"),
            ("{top}/alias/src/lib.rs", "src/lib.rs"),
            ("{top}/ws/src/lib.rs", "src/lib.rs"),
            ("{top}/alias/../out/x", "Escape"),
            ("{top}/alias2/x", "Outside"),
            ("l_absolute/lib.rs", "src/lib.rs"),
            ("../alias/.env", ".env"),
        ] {
            let input = input.replace("{top}", tree.top.as_str());
            let resolved = root.resolve(Utf8Path::new(&input));
            if let Ok(resolved) = &resolved {
                assert_eq!(resolved.absolute(), tree.ws().join(expected), "{way}: {input}");
            }
            assert_eq!(show(resolved), expected, "{way}: {input}");
        }
    }
}

#[test]
fn forty_links_are_followed_and_no_more() {
    let tree = Tree::new();
    tree.link("n1", "src/lib.rs");
    for n in 2..=41 {
        tree.link(&format!("n{n}"), &format!("n{}", n - 1));
    }
    for (way, root) in tree.roots("ws") {
        assert_eq!(show(root.resolve("n40".into())), "src/lib.rs", "{way}");
        let error = show(root.resolve("n41".into()));
        assert_eq!(error, "Unresolvable: more than 40 symbolic links", "{way}");
    }
}

#[test]
fn a_link_of_many_detours_is_given_up() {
    let tree = Tree::new();
    tree.link("n1", &"src/../".repeat(500));
    for n in 2..=30 {
        tree.link(&format!("n{n}"), &format!("n{}/{}", n - 1, "src/../".repeat(500)));
    }
    let [_, (_, root)] = tree.roots("ws");
    assert_eq!(show(root.resolve("n1".into())), ".");
    assert_eq!(show(root.resolve("n30".into())), "Unresolvable: more than 10000 steps");
}

#[test]
fn long_paths_and_names_are_missing_and_harmless() {
    let tree = Tree::new();
    let long_name = "x".repeat(256);
    let long_path = vec!["src"; 5_000].join("/");
    let up_and_down = format!("{}{}", "a/".repeat(3_000), "../".repeat(3_000));
    for (way, root) in tree.roots("ws") {
        for input in [&long_name, &long_path, &format!("{long_name}/{long_path}")] {
            assert_eq!(show(root.resolve(input.as_str().into())), format!("{input}?"), "{way}");
            let files = Files::new(root.clone(), None);
            assert!(matches!(files.read(input.as_str().into()), Err(OpenError::Io { .. })));
            assert!(matches!(files.create(input.as_str().into()), Err(OpenError::Io { .. })));
        }
        assert_eq!(show(root.resolve(Utf8Path::new(&up_and_down))), ".", "{way}");
    }
}

#[test]
fn names_that_are_not_utf8_cannot_be_resolved() {
    let tree = Tree::new();
    let odd = OsStr::from_bytes(b"odd\xff");
    fs::write(tree.ws().as_std_path().join(odd), "").unwrap();
    symlink(odd, tree.ws().join("l_odd")).unwrap();
    let expected = "Unresolvable: the symbolic link `l_odd` leads to a name that is not UTF-8";
    for (way, root) in tree.roots("ws") {
        assert_eq!(show(root.resolve("l_odd".into())), expected, "{way}");
        let error = Files::new(root, None).read("l_odd".into()).unwrap_err();
        assert!(error.to_string().contains("not UTF-8"), "{way}: {error}");
    }
}

#[test]
fn a_directory_that_cannot_be_searched_stops_the_resolution() {
    if rustix::process::geteuid().is_root() {
        return; // Nothing is closed to this user.
    }
    let tree = Tree::new();
    let dir = tree.ws().join("secret");
    fs::set_permissions(&dir, fs::Permissions::from_mode(0o000)).unwrap();
    for (way, root) in tree.roots("ws") {
        let error = show(root.resolve("secret/f".into()));
        assert!(error.starts_with("Unresolvable: cannot look at `f`"), "{way}: {error}");
        let error = Files::new(root, None).read("secret/f".into()).unwrap_err();
        assert!(matches!(error, OpenError::Access(_)), "{way}: {error}");
    }
    fs::set_permissions(&dir, fs::Permissions::from_mode(0o700)).unwrap();
}

#[test]
fn a_root_has_to_be_an_absolute_directory() {
    let tree = Tree::new();
    for bad in [Utf8PathBuf::from("ws"), tree.top.join("absent"), tree.top.join("out/x")] {
        assert!(Root::open(&bad).is_err(), "{bad}");
        assert!(matches!(resolve(&bad, "x".into()), Err(FsAccessError::Unresolvable { .. })));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn the_other_systems_leave_everything_to_the_walk() {
    let tree = Tree::new();
    let [(_, root), _] = tree.roots("ws");
    let (dir, flags) = (root.dir(), other::SEARCH);
    assert!(!other::usable(dir, root.path()));
    assert!(other::open_plain(dir, "src", flags).is_err());
    assert!(other::look_through_links(dir, "src").is_err());
    assert!(other::guess_path(root.path(), dir).is_none());
    assert!(other::open_unnamed(dir, rustix::fs::Mode::empty()).is_err());
    assert!(other::give_name(dir, dir, "x").is_err());
    assert!(other::copy_acl(dir, dir).is_err());
    assert!(other::reserve(&dir.try_clone().unwrap().into(), 1).is_err());
}

pub(super) fn show(resolved: Result<Resolved, FsAccessError>) -> String {
    match resolved {
        Ok(resolved) if resolved.exists() => resolved.relative().to_string(),
        Ok(resolved) => format!("{}?", resolved.relative()),
        Err(FsAccessError::Outside(_)) => "Outside".to_owned(),
        Err(FsAccessError::Escape(_)) => "Escape".to_owned(),
        Err(FsAccessError::Unresolvable { reason, .. }) => format!("Unresolvable: {reason}"),
        Err(error) => error.to_string(),
    }
}

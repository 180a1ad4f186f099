//! Scripts in a real overlay, and the changes that are read.
#![expect(clippy::disallowed_methods, reason = "tests build their own files")]

use std::{fs, os::unix::net::UnixListener, process::Command};

use rustix::fs::{CWD, FileType, Mode, OFlags, XattrFlags};

use crate::{
    Limits, ReadError,
    testing::{World, short},
};

#[track_caller]
fn check(host: &str, tool: &str, expected: &[&str]) {
    let world = World::new();
    world.host(host);
    assert_eq!(short(world.changes(tool).list()), expected.join("\n"), "{tool}");
}

#[test]
fn files() {
    let host = "echo a > a; echo b > b; chmod 640 b; : > e";
    for (tool, expected) in [
        ("true", &[] as &[&str]),
        ("cat a b", &[]),
        ("touch a b e; touch -d 2001-01-01 a", &[]),
        ("echo a > a", &[]),
        ("echo x > a", &["~c a"]),
        ("echo x >> a", &["~c a"]),
        ("echo z > a", &["~c a"]),
        (": > a", &["~c a"]),
        ("chmod +x a", &["~(644>755) a"]),
        ("echo x > b; chmod 600 b", &["~c(640>600) b"]),
        ("chmod 4755 a", &["~(644>755) a"]),
        ("echo n > n", &["+f n"]),
        ("rm a", &["-f a"]),
        ("rm a; echo a > a", &[]),
        ("rm a; echo n > a", &["~c a"]),
        ("mv a n", &["-f a", "+f n"]),
        ("mv a b", &["-f a", "~c(640>644) b"]),
        ("sed -i s/a/x/ a", &["~c a"]),
        ("ln a h", &["+f h"]),
        ("echo t > t; rm t", &[]),
        ("chmod 000 a", &["~(644>0) a"]),
        ("echo n > n; chmod 000 n", &["+f n"]),
    ] {
        check(host, tool, expected);
    }
}

#[test]
fn directories() {
    let host = "mkdir -p d/e; echo 1 > d/f; echo 2 > d/e/g; mkdir empty; chmod 711 d/e";
    for (tool, expected) in [
        ("echo n > d/e/n", &["+f d/e/n"] as &[&str]),
        ("mkdir n; mkdir n/m; : > n/m/f", &["+d n", "+d n/m", "+f n/m/f"]),
        ("rmdir empty", &["-d empty"]),
        ("rmdir empty; mkdir empty", &[]),
        ("rm -r d", &["-d d", "-d d/e*", "-f d/e/g*", "-f d/f*"]),
        ("rm -r d/e", &["-d d/e", "-f d/e/g*"]),
        // An opaque directory over another.
        ("rm -r d; mkdir d; echo 1 > d/f; echo n > d/n", &["-d d/e*", "-f d/e/g*", "+f d/n"]),
        ("rm -r d; mkdir -p d/e; chmod 711 d/e", &["-f d/e/g*", "-f d/f*"]),
        ("rm -r d; echo f > d", &["d>f d", "-d d/e*", "-f d/e/g*", "-f d/f*"]),
        ("rm d/f; mkdir d/f; : > d/f/x", &["f>d d/f", "+f d/f/x"]),
        (
            "mv d n",
            &["-d d", "-d d/e*", "-f d/e/g*", "-f d/f*", "+d n", "+d n/e", "+f n/e/g", "+f n/f"],
        ),
        ("chmod 700 d/e", &["~(711>700) d/e"]),
        ("chmod 755 d/e; : > d/e/n", &["~(711>755) d/e", "+f d/e/n"]),
        ("chmod 2711 d/e", &[]),
        ("chmod 700 .", &["~(755>700) ."]),
        ("mkdir x; : > x/f; chmod 000 x", &["+d x", "+f x/f"]),
        ("mkdir t; rmdir t", &[]),
    ] {
        check(host, tool, expected);
    }
}

#[test]
fn links_and_special_files() {
    let host = "echo a > a; ln -s a l; mkdir d; ln -s d dl; echo f > d/f";
    for (tool, expected) in [
        ("ln -s a n", &["+l(a) n"] as &[&str]),
        ("ln -sfn d l", &["~l(a>d) l"]),
        ("rm l; ln -s a l", &[]),
        ("rm l", &["-l(a) l"]),
        ("echo x > l", &["~c a"]),
        ("echo x > dl/f; echo n > dl/n", &["~c d/f", "+f d/n"]),
        ("rm l; echo f > l", &["l(a)>f l"]),
        ("rm a; ln -s d a", &["f>l(d) a"]),
        ("rm dl; mkdir dl", &["l(d)>d dl"]),
        ("rm -r d; ln -s a d", &["d>l(a) d", "-f d/f*"]),
        ("ln -s /etc/passwd n", &["+l(/etc/passwd) n"]),
        ("mkfifo p", &["+s p !it is neither a file nor a directory nor a link"]),
        ("rm a; mkfifo a", &["f>s a !it is neither a file nor a directory nor a link"]),
    ] {
        check(host, tool, expected);
    }
}

#[test]
fn names_that_are_not_text_are_refused_and_not_entered() {
    let name = r"n=$(printf 'x\377'); ";
    let refused = |path: &str| format!("{path} !the name is not UTF-8");
    check("true", &format!("{name} : > $n"), &[&refused("+f x\u{fffd}")]);
    check("true", &format!("{name} mkdir $n; : > $n/a"), &[&refused("+d x\u{fffd}")]);
    check("true", &format!("{name} ln -s $n l"), &[&refused("+l(x\u{fffd}) l")]);
    check(
        &format!("{name} mkdir $n; : > $n/a"),
        &format!("{name} rm -r $n"),
        &[&refused("-d x\u{fffd}")],
    );
    check(
        &format!("{name} mkdir d; mkdir d/$n; : > d/$n/a"),
        "rm -r d",
        &["-d d", &refused("-d d/x\u{fffd}*")],
    );
}

#[test]
fn special_files_of_the_host_can_be_removed() {
    let world = World::new();
    drop(UnixListener::bind(world.root().join("s")).unwrap());
    assert_eq!(short(world.changes("rm s").list()), "-s s");
}

#[test]
fn what_the_host_did_in_the_meantime_is_a_conflict() {
    let conflict = "it was changed by somebody else while the tool ran";
    for (host, expected) in [
        ("echo h > a", format!("~c a !{conflict}\n-f b\n-d d\n-f d/f*\n+f n")),
        ("echo h > b", format!("~c a\n-f b !{conflict}\n-d d\n-f d/f*\n+f n")),
        ("chmod 600 a", format!("~c(600>644) a !{conflict}\n-f b\n-d d\n-f d/f*\n+f n")),
        // The tool never saw this file.
        ("echo h > d/h", format!("~c a\n-f b\n-d d\n-f d/f*\n-f d/h* !{conflict}\n+f n")),
        ("echo h > n", format!("~c a\n-f b\n-d d\n-f d/f*\n~c n !{conflict}")),
        // They came to the same result.
        ("echo t > a; echo t > n; rm b; rm -r d", String::new()),
        ("rm a", "+f a\n-f b\n-d d\n-f d/f*\n+f n".to_owned()),
    ] {
        let world = World::new();
        world.host("echo a > a; echo b > b; mkdir d; echo f > d/f");
        let set = world.begin();
        world.tool(&set, "echo t > a; rm b; echo t > n; rm -r d");
        world.host(host);
        assert_eq!(short(set.read(&world.root()).unwrap().list()), expected, "{host}");
    }
}

#[test]
fn what_happened_just_before_the_call_is_no_conflict() {
    for _ in 0..20 {
        let world = World::new();
        fs::write(world.root().join("a"), "a").unwrap();
        let set = world.begin();
        world.tool(&set, "rm a");
        assert_eq!(short(set.read(&world.root()).unwrap().list()), "-f a");
    }
}

#[test]
fn what_happens_just_after_the_beginning_is_a_conflict() {
    for _ in 0..50 {
        let world = World::new();
        fs::write(world.root().join("a"), "a").unwrap();
        let set = world.begin();
        fs::write(world.root().join("a"), "b").unwrap();
        fs::write(set.path().join("0/upper/a"), "tool").unwrap();
        let changes = set.read(&world.root()).unwrap();
        assert!(changes.list()[0].obstacle.is_some());
    }
}

#[test]
fn places_in_places() {
    let world = World::new();
    world.host("mkdir docs; echo d > docs/d; echo a > a");
    let root = world.root();
    let places = [root.clone(), root.join("docs"), root.join("x/y")];
    for (tool, expected) in [
        ("true", ""),
        ("echo n > docs/n; echo x > a; rm docs/d", "~c a\n-f docs/d\n+f docs/n"),
        // Directories that are only mount points are nobody's wish, and are made when needed.
        ("echo n > x/y/n", "+d x\n+d x/y*\n+f x/y/n"),
        ("echo n > x/n", "+d x\n+f x/n"),
    ] {
        let set = world.store.begin(&places).unwrap();
        world.tool(&set, tool);
        assert_eq!(short(set.read(&root).unwrap().list()), expected, "{tool}");
    }
    let only = world.store.begin(&[root.join("x/y")]).unwrap();
    world.tool(&only, "echo n > x/y/n");
    assert_eq!(short(only.read(&root).unwrap().list()), "+d x*\n+d x/y*\n+f x/y/n");
    assert!(matches!(only.read(&root.join("docs")), Err(ReadError::NotBelow { .. })));
}

#[test]
fn the_second_form_of_whiteouts_counts_where_the_directory_says_so() {
    let world = World::new();
    world.host("mkdir d; echo a > d/a; echo b > d/b; echo c > c");
    let set = world.begin();
    let upper = set.path().join("0/upper");
    fs::create_dir(upper.join("d")).unwrap();
    for path in ["d/a", "c"] {
        fs::write(upper.join(path), "").unwrap();
        mark(&upper.join(path), "user.overlay.whiteout", "y");
    }
    mark(&upper.join("d"), "user.overlay.opaque", "x");
    // The file in the top directory has the mark in a directory that does not announce any.
    assert_eq!(short(set.read(&world.root()).unwrap().list()), "~c c\n-f d/a");
}

#[test]
fn an_overlay_that_keeps_something_elsewhere_is_refused() {
    for (name, is_dir) in [("redirect", true), ("metacopy", false)] {
        let world = World::new();
        let set = world.begin();
        let path = set.path().join("0/upper/x");
        if is_dir {
            fs::create_dir(&path).unwrap();
        } else {
            fs::write(&path, "").unwrap();
        }
        mark(&path, &format!("user.overlay.{name}"), "y");
        let error = set.read(&world.root()).unwrap_err();
        assert!(matches!(error, ReadError::Partial { mark, .. } if mark == name), "{error}");
    }
}

#[test]
fn a_tool_cannot_forge_the_marks() {
    let forge = |name: &str| {
        format!(
            "python3 -c 'import os; os.mkdir(\"m\"); os.setxattr(\"m\", \"user.overlay.{name}\", b\"y\")'"
        )
    };
    check("mkdir -p d", &forge("redirect"), &["+d m"]);
    check("mkdir -p d; : > d/f", &forge("opaque"), &["+d m"]);
    check("true", "mknod w c 0 0 2> /dev/null || true", &[]);
}

#[test]
fn work_is_bounded() {
    let world = World::new();
    let set = world.begin();
    world.tool(&set, "for i in $(seq 50); do echo 12345 > f$i; done");
    for (limits, what) in [
        (Limits { changes: 49, ..Limits::default() }, "49 changes"),
        (Limits { entries: 49, ..Limits::default() }, "49 entries"),
        (Limits { bytes: 299, ..Limits::default() }, "299 bytes"),
    ] {
        let error = set.read_within(&world.root(), limits).unwrap_err().to_string();
        assert_eq!(error, format!("the call changed too much: more than {what}"));
    }
    let enough = Limits { changes: 50, entries: 50, bytes: 300 };
    assert_eq!(set.read_within(&world.root(), enough).unwrap().list().len(), 50);
}

#[test]
fn a_set_can_be_read_twice() {
    let world = World::new();
    let set = world.begin();
    world.tool(&set, "mkdir x; mkdir x/y; : > x/y/f; chmod 000 x/y/f; chmod 311 x/y; chmod 000 x");
    let first = set.read(&world.root()).unwrap();
    let second = set.read(&world.root()).unwrap();
    assert_eq!(first.list(), second.list());
    let modes: Vec<_> = first.list().iter().map(|change| change.mode).collect();
    assert_eq!(modes, [Some(0), Some(0o311), Some(0)]);
}

#[test]
fn a_link_in_place_of_an_upper_directory_leads_nowhere() {
    let world = World::new();
    let outside = world.scratch("outside");
    fs::write(outside.join("secret"), "s").unwrap();
    let set = world.begin();
    std::os::unix::fs::symlink(&outside, set.path().join("0/upper/l")).unwrap();
    assert_eq!(short(set.read(&world.root()).unwrap().list()), format!("+l({outside}) l"));
    // And one in the workspace is not followed either.
    std::os::unix::fs::symlink(&outside, world.root().join("d")).unwrap();
    fs::create_dir(set.path().join("0/upper/d")).unwrap();
    fs::write(set.path().join("0/upper/d/secret"), "t").unwrap();
    let list = short(set.read(&world.root()).unwrap().list());
    assert!(list.contains(&format!("l({outside})>d d")) && list.contains("+f d/secret"), "{list}");
}

fn mark(path: &camino::Utf8Path, name: &str, value: &str) {
    let file = rustix::fs::openat(CWD, path.as_std_path(), OFlags::RDONLY, Mode::empty()).unwrap();
    assert_ne!(
        FileType::from_raw_mode(rustix::fs::fstat(&file).unwrap().st_mode),
        FileType::Symlink
    );
    rustix::fs::fsetxattr(&file, name, value.as_bytes(), XattrFlags::empty()).unwrap();
}

/// The tool sees the directory beneath a mount, and must not be taken to mean what is mounted there.
#[test]
fn what_is_mounted_in_the_workspace_is_not_touched() {
    let world = World::new();
    world.host("mkdir m; mkdir k; echo k > k/k");
    let exe = std::env::current_exe().unwrap();
    let test = "read::tests::child_with_a_mount";
    let script = format!(
        "mount -t tmpfs none {root}/m; echo x > {root}/m/x; exec {exe} --exact {test}",
        root = world.root(),
        exe = exe.display()
    );
    let output = Command::new("unshare")
        .args(["--user", "--map-root-user", "--mount", "sh", "-ec", &script])
        .env("JP_CHANGES_ROOT", world.root())
        .env("JP_CHANGES_STORE", world.store.path())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    assert!(String::from_utf8_lossy(&output.stdout).contains("1 passed"));
}

/// The other half of the test above, in its mount namespace.
#[test]
fn child_with_a_mount() {
    let (Ok(root), Ok(store)) =
        (std::env::var("JP_CHANGES_ROOT"), std::env::var("JP_CHANGES_STORE"))
    else {
        return;
    };
    let (root, store) = (camino::Utf8PathBuf::from(root), camino::Utf8PathBuf::from(store));
    let mounted = "another file system is mounted there";
    for (tool, expected) in [
        ("mknod m c 0 0", format!("-d m !{mounted}")),
        ("mkdir m; echo n > m/n", format!("+f m/n !{mounted}")),
        ("mknod m c 0 0; echo n > k", format!("d>f k\n-f k/k*\n-d m !{mounted}")),
    ] {
        let set = crate::Store::open(&store).unwrap().begin(std::slice::from_ref(&root)).unwrap();
        // The kernel refuses to overlay a directory with mounts of another user namespace in it, so
        // this is written by hand.
        let upper = set.path().join("0/upper");
        let status = Command::new("sh").args(["-ec", tool]).current_dir(upper).status();
        assert!(status.unwrap().success());
        assert_eq!(short(set.read(&root).unwrap().list()), expected);
    }
    assert!(root.join("m/x").exists());
}

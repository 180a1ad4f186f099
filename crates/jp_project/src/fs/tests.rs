//! What only a disk has: links, other names, permissions, FIFOs, and somebody who changes it meanwhile.

#![expect(clippy::disallowed_methods, reason = "tests build their own files")]

mod deleting;

use std::{
    fs,
    os::unix::fs::{PermissionsExt, symlink},
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, Instant},
};

use jp_tool::access::{AccessPolicy, FsRule};

use super::*;
use crate::Until;

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

/// Whether a thread beside the test should end; also when the test has failed and cannot say so.
fn is_over(is_done: &AtomicBool, start: Instant) -> bool {
    is_done.load(Ordering::Relaxed) || start.elapsed().as_secs() > 30
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

// D11-059
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
    let (is_done, start) = (AtomicBool::new(false), Instant::now());
    thread::scope(|scope| {
        scope.spawn(|| {
            let (src, aside) = (place.root.join("src"), place.root.join("aside"));
            while !is_over(&is_done, start) {
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

/// Whoever is killed while a file is made leaves nothing behind, because nothing has a name yet.
#[test]
#[cfg(target_os = "linux")]
fn a_file_that_is_made_is_seen_whole_or_not_at_all() {
    let place = place();
    let project = files(&place, vec![]);
    let content = vec![b'x'; 1 << 20];
    let (is_done, start) = (AtomicBool::new(false), Instant::now());
    thread::scope(|scope| {
        let looker = scope.spawn(|| {
            let mut seen = Vec::new();
            while !is_over(&is_done, start) {
                for entry in fs::read_dir(place.root.join("new")).into_iter().flatten().flatten() {
                    let name = entry.file_name().into_string().unwrap();
                    seen.push((name, entry.metadata().unwrap().len()));
                }
            }
            seen
        });
        for number in 0..40 {
            let name = path(&format!("new/f{number}"));
            project.write(&name, &content, WriteMode::CreateNew).unwrap();
        }
        is_done.store(true, Ordering::Relaxed);
        let seen = looker.join().unwrap();
        assert!(!seen.is_empty());
        for (name, size) in seen {
            assert!(name.starts_with('f') && size == 1 << 20, "{name}: {size}");
        }
    });
    let mode = fs::metadata(place.root.join("new/f0")).unwrap().permissions().mode();
    fs::write(place.root.join("like"), "").unwrap();
    assert_eq!(mode, fs::metadata(place.root.join("like")).unwrap().permissions().mode());
}

#[test]
fn what_is_no_ordinary_file_is_an_answer_and_not_a_wait() {
    let place = place();
    let make = |name: &str, kind, device| {
        let mode = rustix::fs::Mode::from_raw_mode(0o600);
        let file = place.root.join(name);
        rustix::fs::mknodat(rustix::fs::CWD, file.as_str(), kind, mode, device)
    };
    make("fifo", rustix::fs::FileType::Fifo, 0).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(place.root.join("socket")).unwrap();
    let mut specials = vec!["fifo", "socket"];
    // Only root can make a device, and not everywhere.
    let zero = rustix::fs::makedev(1, 5);
    if make("zero", rustix::fs::FileType::CharacterDevice, zero).is_ok() {
        specials.push("zero");
    }
    let sparse = File::create(place.root.join("sparse")).unwrap();
    sparse.set_len(1 << 40).unwrap();
    let project = files(&place, vec![]);
    for name in specials {
        assert_eq!(project.metadata(&path(name)).unwrap().kind, Kind::Other, "{name}");
        assert!(project.read(&path(name), Part::whole(99)).is_err(), "{name}");
        assert!(project.write(&path(name), b"x", WriteMode::Replace).is_err(), "{name}");
        assert!(project.list_dir(&path(name), Slice::default()).is_err(), "{name}");
        let query = GrepQuery { paths: vec![path(name)], ..GrepQuery::new("x") };
        assert!(project.grep(&query).is_err(), "{name}");
        project.rename(&path(name), &path("moved"), RenameTarget::Keep).unwrap();
        project.delete(&path("moved"), DeleteReach::File).unwrap();
    }
    let error = project.read(&path("sparse"), Part::whole(10_000_000)).unwrap_err();
    assert!(matches!(error, ProjectError::TooLarge { size: 1_099_511_627_776, .. }), "{error}");
    let part = Part { offset: (1 << 40) - 2, limit: None, max: 9 };
    assert_eq!(project.read(&path("sparse"), part).unwrap().bytes, [0, 0]);
    assert!(project.grep(&GrepQuery::new(r"\x00|z")).unwrap().files.is_empty());
    project.delete(&path("sparse"), DeleteReach::File).unwrap();
}

#[test]
fn a_large_directory_is_listed_in_slices() {
    let place = place();
    fs::create_dir(place.root.join("many")).unwrap();
    for number in 0..5_000 {
        fs::write(place.root.join(format!("many/{number:06}")), "").unwrap();
    }
    let project = files(&place, vec![]);
    let slice = Slice { offset: 4_998, limit: Some(9) };
    let names = project.list_dir(&path("many"), slice).unwrap();
    let names: Vec<_> = names.iter().map(|entry| entry.name.as_str()).collect();
    assert_eq!(names, ["004998", "004999"]);
    project.delete(&path("many"), DeleteReach::Recursive).unwrap();
    assert!(!place.root.join("many").exists());
}

#[test]
fn a_line_of_any_length_is_searched_in_bounded_memory() {
    let place = place();
    fs::write(place.root.join("minified.js"), "needle ".repeat(2_000_000)).unwrap();
    let long = format!("{}needle{}\nneedle\n", "a".repeat(30_000), "b".repeat(30_000));
    fs::write(place.root.join("long.txt"), long).unwrap();
    let project = files(&place, vec![]);
    let answer = project.grep(&GrepQuery::new("needle")).unwrap();
    assert_eq!((answer.files.len(), answer.unread), (1, 1));
    let lines: Vec<_> = answer.files[0].lines.iter().map(|line| line.content.len()).collect();
    assert_eq!(lines, [(16 << 10) + "…".len(), 6]);
    fs::write(place.root.join("many.txt"), "needle\n".repeat(300_000)).unwrap();
    let query = GrepQuery { context: usize::MAX, ..GrepQuery::new("needle") };
    let answer = project.grep(&query).unwrap();
    let bytes: usize =
        answer.files.iter().flat_map(|file| &file.lines).map(|line| line.content.len()).sum();
    assert!(answer.limit_reached && bytes < 9 << 20, "{bytes}");
}

/// Exchanges a directory for a link to one that is denied, in one step, as often as it can.
#[test]
#[cfg(target_os = "linux")]
fn nothing_that_goes_through_a_tree_can_be_led_astray() {
    let place = place();
    for (name, content) in [("denied/a", "secret"), ("denied/hidden", "secret"), ("src/sub/b", "b")]
    {
        fs::create_dir_all(place.root.join(name).parent().unwrap()).unwrap();
        fs::write(place.root.join(name), content).unwrap();
    }
    symlink("../denied", place.root.join("src/trap")).unwrap();
    let all = [Capability::Read, Capability::Create, Capability::Update, Capability::Delete];
    let rules = vec![FsRule::new(".", all), FsRule::new("denied", [])];
    let policy = AccessPolicy { fs: rules.clone().into(), ..AccessPolicy::default() };
    let disk: Arc<dyn ProjectFiles> = Arc::new(files(&place, rules));
    let scratch = place.root.join("../scratch");
    fs::create_dir(&scratch).unwrap();
    let overlay = crate::OverlayProjectFiles::new(&files(&place, vec![]), &scratch);
    let overlay = overlay.under(policy.into());
    let (is_done, start) = (AtomicBool::new(false), Instant::now());
    thread::scope(|scope| {
        scope.spawn(|| {
            let dir = File::open(place.root.join("src")).unwrap();
            let exchange = rustix::fs::RenameFlags::EXCHANGE;
            while !is_over(&is_done, start) {
                let _ = rustix::fs::renameat_with(&dir, "sub", &dir, "trap", exchange);
            }
        });
        for round in (0..400).take_while(|_| start.elapsed().as_secs() < 3) {
            for project in [&disk, &overlay] {
                assert_eq!(project.grep(&GrepQuery::new("secret")).unwrap().files, []);
                if let Ok(entries) = project.list_dir(&path("src/sub"), Slice::default()) {
                    assert!(entries.iter().all(|entry| entry.name != "hidden"), "{entries:?}");
                }
                let _ = project.rename(&path("src/sub/a"), &path("out"), RenameTarget::Overwrite);
                assert!(!project.exists(&path("out")).unwrap());
                let _ = project.create_dir(&path(&format!("src/sub/new{round}")));
                let _ = project.write(&path("src/sub/a2"), b"mine", WriteMode::Replace);
                let _ = project.delete(&path("src/sub/hidden"), DeleteReach::Recursive);
            }
        }
        is_done.store(true, Ordering::Relaxed);
    });
    let mut left: Vec<_> = fs::read_dir(place.root.join("denied"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    left.sort();
    assert_eq!(left, ["a", "hidden"]);
    let copy = overlay.materialize(&scratch).unwrap();
    assert!(!copy.path().join("denied").exists());
}

// However often something is asked for, it is opened and told once.
#[test]
fn a_path_that_is_asked_for_often_is_searched_once() {
    let place = place();
    for name in ["src/a", "src/deep/b", "target/c", "other/d"] {
        let file = place.root.join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, "x").unwrap();
    }
    fs::write(place.root.join(".gitignore"), "target\n").unwrap();
    let project = files(&place, vec![]);
    let found = |names: &[&str]| {
        let paths: Vec<_> = (0..5_000).flat_map(|_| names.iter().map(|name| path(name))).collect();
        let query = GrepQuery { paths, ..GrepQuery::new("x") };
        let answer = project.grep(&query).unwrap();
        answer.files.into_iter().map(|file| file.path.into_string()).collect::<Vec<_>>()
    };
    assert_eq!(found(&["."]), ["other/d", "src/a", "src/deep/b"]);
    assert_eq!(found(&["src", "src/deep", "src/deep/b"]), ["src/a", "src/deep/b"]);
    // What is ignored is searched where it was named, also below something else.
    assert_eq!(found(&[".", "target"]), ["other/d", "src/a", "src/deep/b", "target/c"]);
}

// A search that nobody wants any more, or that takes too long, stops.
#[test]
fn a_search_can_be_given_up() {
    let place = place();
    fs::write(place.root.join("a"), "x").unwrap();
    let project = files(&place, vec![]);
    let wanted = || Arc::new(AtomicBool::new(false));
    let search = |until| project.grep(&GrepQuery { until, ..GrepQuery::new("x") });
    assert!(search(Until::new(wanted(), Duration::from_mins(1))).is_ok());
    let error = search(Until::new(wanted(), Duration::ZERO)).unwrap_err();
    assert_eq!(error.to_string(), ".: the search took over 0 s");
    let unwanted = wanted();
    unwanted.store(true, Ordering::Relaxed);
    let error = search(Until::new(unwanted, Duration::from_mins(1))).unwrap_err();
    assert_eq!(error.to_string(), ".: the search was called off");
}

// Lines that are next to nothing cost memory all the same, on every thread.
#[test]
fn small_lines_are_weighed_at_what_they_cost() {
    let place = place();
    for name in ["a", "b", "c", "d"] {
        fs::write(place.root.join(name), "x\n".repeat(200_000)).unwrap();
    }
    let project = files(&place, vec![]);
    let query = GrepQuery { max_bytes: 1_000_000, ..GrepQuery::new("x") };
    let answer = project.grep(&query).unwrap();
    let lines: usize = answer.files.iter().map(|file| file.lines.len()).sum();
    assert!(answer.limit_reached && (5_000..=20_000).contains(&lines), "{lines}");
}

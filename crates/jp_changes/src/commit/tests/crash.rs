//! A commit that is killed at any moment leaves every path as it was or as it should become.
//!
//! The test starts itself again as a child, which runs a tool, says that it is ready, and commits.
//! The child is killed at moments spread over the time that a whole commit takes.

use std::{
    collections::BTreeMap,
    env,
    io::{BufRead, BufReader, Read, Write},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use camino::{Utf8Path, Utf8PathBuf};

use crate::{
    Store,
    testing::{Thing, World, allow_all, tree},
};

const KILLS: u32 = 40;
const FILES: usize = 25;

#[test]
fn killed_on_one_file_system() {
    kill_at_all_moments(World::new);
}

#[test]
fn killed_between_two_file_systems() {
    kill_at_all_moments(World::on_two_file_systems);
}

/// The child. Without its variables it is no test at all.
#[test]
fn child() {
    let (Ok(root), Ok(store)) = (env::var("JP_CHANGES_ROOT"), env::var("JP_CHANGES_STORE")) else {
        return;
    };
    let (root, store) = (Utf8PathBuf::from(root), Utf8PathBuf::from(store));
    let set = Store::open(&store).unwrap().begin(std::slice::from_ref(&root)).unwrap();
    World::run_tool(&root, &store.with_file_name("merged"), &set, &tool());
    let judged = allow_all(set.read(&root).unwrap());
    println!("\nready");
    std::io::stdout().flush().unwrap();
    let report = judged.commit();
    assert!(report.failed.is_empty(), "{:?}", report.failed);
    println!("\ndone");
}

fn kill_at_all_moments(world: fn() -> World) {
    let (before, after, whole) = undisturbed(&world());
    let mut killed = 0;
    for moment in 0..KILLS {
        let world = world();
        world.host(&host());
        let (mut child, mut out) = start(&world);
        thread::sleep(whole * moment / KILLS);
        child.kill().unwrap();
        child.wait().unwrap();
        let mut rest = String::new();
        out.read_to_string(&mut rest).unwrap();
        assert!(!rest.contains("panicked"), "{rest}");
        let found = tree(&world.root());
        killed += u32::from(found != before && found != after);
        check_each(&found, &before, &after);
        world.store.sweep().unwrap();
        let found = tree(&world.root());
        check_each(&found, &before, &after);
        let litter: Vec<_> = found.keys().filter(|path| path.as_str().contains(".jp-")).collect();
        assert!(litter.is_empty(), "{litter:?}");
        assert_eq!(std::fs::read_dir(world.store.path()).unwrap().count(), 0, "the set is gone");
    }
    assert!(killed >= KILLS / 8, "only {killed} were killed in the middle");
}

/// Each path has what it had or what it should have.
fn check_each(
    found: &BTreeMap<Utf8PathBuf, Thing>,
    before: &BTreeMap<Utf8PathBuf, Thing>,
    after: &BTreeMap<Utf8PathBuf, Thing>,
) {
    let is_beside = |path: &&Utf8PathBuf| path.as_str().contains(".jp-");
    for path in found.keys().chain(before.keys()).filter(|path| !is_beside(path)) {
        let now = without_mode(found.get(path));
        let is_old = now == without_mode(before.get(path));
        let is_new = now == without_mode(after.get(path));
        assert!(is_old || is_new, "{path}: {now:?}");
    }
}

/// Directories get their permissions last, so those may be on the way.
fn without_mode(thing: Option<&Thing>) -> Option<Thing> {
    thing.map(|thing| if let Thing::Dir(_) = thing { Thing::Dir(0) } else { thing.clone() })
}

type Trees = (BTreeMap<Utf8PathBuf, Thing>, BTreeMap<Utf8PathBuf, Thing>, Duration);

fn undisturbed(world: &World) -> Trees {
    world.host(&host());
    let before = tree(&world.root());
    let (mut child, mut out) = start(world);
    let began = Instant::now();
    let mut line = String::new();
    while out.read_line(&mut line).unwrap() > 0 && !line.ends_with("done\n") {
        line.clear();
    }
    let whole = began.elapsed();
    child.wait().unwrap();
    let after = tree(&world.root());
    assert_ne!(before, after);
    (before, after, whole)
}

/// Starts the child and waits until it is about to commit.
fn start(world: &World) -> (Child, BufReader<std::process::ChildStdout>) {
    let mut child = Command::new(env::current_exe().unwrap())
        .args(["--exact", "commit::tests::crash::child", "--nocapture"])
        .env("JP_CHANGES_ROOT", world.root())
        .env("JP_CHANGES_STORE", world.store.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    while line != "ready\n" {
        line.clear();
        assert!(out.read_line(&mut line).unwrap() > 0, "the child ended early");
    }
    (child, out)
}

fn host() -> String {
    format!(
        "mkdir u r swap n; old=$(seq 5000 7000); \
         for i in $(seq {FILES}); do echo \"$old\" > u/$i; echo r$i > r/$i; done; \
         mkdir $(seq -f swap/d%g 5); for i in 1 2 3 4 5; do echo f > swap/f$i; echo x > swap/d$i/x; done"
    )
}

fn tool() -> String {
    format!(
        "new=$(seq 2000); mkdir $(seq -f n/%g {FILES}); \
         for i in $(seq {FILES}); do echo \"$new\" > u/$i; echo \"$new\" > n/$i/f; done; \
         rm -r r swap/*; mkdir $(seq -f swap/f%g 5); for i in 1 2 3 4 5; do echo d > swap/d$i; done; \
         ln -s u link"
    )
}

#[test]
fn the_name_of_a_temporary_file_is_recognised() {
    assert!(crate::journal::temporary_name("x").contains(".jp-"));
    assert!(Utf8Path::new(&crate::journal::temporary_name("x")).extension() == Some("tmp"));
}

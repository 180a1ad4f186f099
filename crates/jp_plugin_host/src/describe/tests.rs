//! What counts as an answer, and how long.
#![expect(clippy::disallowed_methods, reason = "tests build their own files")]

use std::{fs, os::unix::fs::PermissionsExt as _};

use camino::{Utf8Path, Utf8PathBuf};

use super::*;
use crate::catalog::{Listings, Places, scan};

/// Lets everything be asked, and denies what is called so.
struct All;

impl Permission for All {
    fn is_denied(&self, binary: &Binary) -> bool {
        binary.id == "denied"
    }

    fn asking(&self, binary: &Binary, _: &str) -> Asking {
        if binary.id == "trusted" { Asking::Open } else { Asking::Sealed }
    }
}

struct World {
    _directory: tempfile::TempDir,
    root: Utf8PathBuf,
}

impl World {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(directory.path()).unwrap().canonicalize_utf8().unwrap();
        Self { _directory: directory, root }
    }

    fn file(&self, id: &str) -> Utf8PathBuf {
        let path = self.root.join(format!("jp-{id}"));
        fs::write(&path, id).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    fn cache(&self) -> Cache {
        Cache::new(self.root.join("cache/describes.json"))
    }

    fn keep(&self, id: &str, entry: impl FnOnce(Look) -> Entry) {
        let path = self.file(id);
        let entry = entry(Look::of(&path).unwrap());
        self.cache().add(vec![(path, entry)]);
    }

    /// What is known without asking anybody.
    async fn known(&self, now: u64) -> Vec<(String, Described)> {
        let describer = Describer {
            confiner: None,
            cache: Some(self.cache()),
            search: "/nowhere".into(),
            now,
            side_by_side: 4,
            refresh: false,
        };
        let places = Places { installed: Some(&self.root), search: "".as_ref() };
        let known = describer.all(scan(places, &mut Listings::default()), &All).await;
        known.into_iter().map(|known| (known.binary.id, known.described)).collect()
    }
}

fn said() -> Describe {
    serde_json::from_str(r#"{"name": "x", "version": "1", "description": "X"}"#).unwrap()
}

fn entry(look: Look, sealed: bool, answer: Result<Describe, String>) -> Entry {
    Entry { look, sha256: "ab".repeat(32), sealed, at: 1000, answer }
}

#[tokio::test]
async fn an_answer_holds_while_the_file_looks_the_same() {
    let world = World::new();
    world.keep("x", |look| entry(look, true, Ok(said())));
    let known = Described::Said(Box::new(said()));
    assert_eq!(world.known(u64::MAX).await, [("x".to_owned(), known)]);
    // 072-132: every part of the look counts.
    for change in [
        (|look: &mut Look| look.size += 1) as fn(&mut Look),
        |look| look.modified.1 += 1,
        |look| look.changed.0 += 1,
        |look| look.inode += 1,
        |look| look.device += 1,
    ] {
        world.keep("x", |mut look| {
            change(&mut look);
            entry(look, true, Ok(said()))
        });
        assert_eq!(world.known(1000).await, [("x".to_owned(), Described::Unasked)]);
    }
}

#[tokio::test]
async fn a_failure_is_forgotten_after_a_while_or_when_it_is_trusted() {
    let world = World::new();
    world.keep("x", |look| entry(look, true, Err("it hangs".to_owned())));
    world.keep("trusted", |look| entry(look, true, Err("it hangs".to_owned())));
    let (failed, unasked) = (Described::Failed("it hangs".to_owned()), Described::Unasked);
    for (now, x) in [(1000, &failed), (4599, &failed), (4600, &unasked), (999, &unasked)] {
        let known = world.known(now).await;
        assert_eq!(known, [("trusted".to_owned(), unasked.clone()), ("x".to_owned(), x.clone())]);
    }
}

#[tokio::test]
async fn what_is_denied_is_not_even_remembered_aloud() {
    let world = World::new();
    world.keep("denied", |look| entry(look, true, Ok(said())));
    assert_eq!(world.known(1000).await, [("denied".to_owned(), Described::Denied)]);
}

/// How many of 40 early and 40 later answers of 250 KiB are kept, where so many of the first files are gone.
fn check_room(gone: usize, expected: (usize, usize)) {
    let world = World::new();
    let files: Vec<_> = (0..80).map(|number| world.file(&format!("x{number:02}"))).collect();
    let help = Some("x".repeat(250 << 10));
    let answers = |files: &[Utf8PathBuf], at| {
        let answer = |path: &Utf8PathBuf| {
            let said = Describe { help: help.clone(), ..said() };
            (path.clone(), Entry { at, ..entry(Look::of(path).unwrap(), true, Ok(said)) })
        };
        files.iter().map(answer).collect()
    };
    world.cache().add(answers(&files[..40], 1));
    files[..gone].iter().for_each(|path| fs::remove_file(path).unwrap());
    world.cache().add(answers(&files[40..], 2));
    let kept = world.cache().read();
    let count = |at| kept.values().filter(|entry| entry.at == at).count();
    assert_eq!((count(1), count(2)), expected, "{gone}");
}

#[test]
fn where_there_is_no_room_for_all_answers_the_latest_stay() {
    check_room(0, (25, 40));
    check_room(20, (20, 40));
}

#[tokio::test]
async fn a_broken_cache_is_an_empty_one_and_is_replaced() {
    let world = World::new();
    let file = world.root.join("cache/describes.json");
    fs::create_dir(world.root.join("cache")).unwrap();
    for text in ["", "{", "[]", r#"{"version": 9, "entries": {}}"#] {
        fs::write(&file, text).unwrap();
        assert!(world.cache().read().is_empty(), "{text}");
        world.keep("x", |look| entry(look, true, Ok(said())));
        assert_eq!(world.cache().read().len(), 1, "{text}");
    }
}

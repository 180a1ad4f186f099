//! Random trees full of links, and random spellings of paths in them: whatever is asked, a canonical
//! path is its own canonical form, and opening by handle and checking by path give the same answer
//! about the same file.

use std::{io::ErrorKind, os::unix::fs::MetadataExt};

use super::*;
use crate::{
    Action, Context,
    access::{AccessPolicy, Capability, FsRule, draws::draws},
};

const TREES: usize = 200;
const INPUTS: usize = 50;

type Draw<'a> = &'a mut dyn FnMut(usize) -> usize;

/// Few names, so that paths meet.
const NAMES: [&str; 4] = ["a", "b", "c", "d"];

fn draw_path(draw: Draw<'_>, most: usize) -> String {
    let names: Vec<_> = (0..=draw(most)).map(|_| NAMES[draw(NAMES.len())]).collect();
    names.join("/")
}

/// A path as somebody might write it.
fn draw_spelling(draw: Draw<'_>, top: &Utf8Path) -> String {
    let mut path = match draw(16) {
        0 => format!("{top}/ws"),
        1 => format!("{top}/out"),
        2 => "..".to_owned(),
        3 => "../ws".to_owned(),
        4 => ".".to_owned(),
        _ => NAMES[draw(NAMES.len())].to_owned(),
    };
    for _ in 0..draw(4) {
        path.push_str(["/", "/", "//", "/./"][draw(4)]);
        path.push_str(if draw(8) == 0 { ".." } else { NAMES[draw(NAMES.len())] });
    }
    path
}

/// Directories first, then files, then links, so that nothing is made through a link.
fn draw_tree(draw: Draw<'_>) -> Tree {
    let tree = Tree::new();
    for number in 0..60 {
        let path = tree.ws().join(draw_path(draw, 2));
        let parent = path.parent().unwrap();
        let is_plain =
            parent.is_dir() && parent.canonicalize_utf8().is_ok_and(|real| real == parent);
        match number {
            0..4 => drop(fs::create_dir_all(&path)),
            _ if !is_plain || path.symlink_metadata().is_ok() => {}
            4..40 => fs::write(&path, "").unwrap(),
            _ => symlink(draw_spelling(draw, &tree.top), &path).unwrap(),
        }
    }
    tree
}

fn draw_policy(draw: Draw<'_>) -> AccessPolicy {
    let paths: Vec<_> = (0..draw(5)).map(|_| draw_path(draw, 2)).collect();
    let rules = paths.into_iter().chain([".".to_owned()]).map(|path| {
        let grants: Vec<_> = Capability::ALL.into_iter().filter(|_| draw(4) > 0).collect();
        FsRule::new(path, grants)
    });
    AccessPolicy { fs: rules.collect(), ..AccessPolicy::default() }
}

/// A canonical path leads to itself, spelled as it is or from the top.
fn check_canonical(root: &Root, input: &Utf8Path) {
    let Ok(resolved) = root.resolve(input) else { return };
    for again in [resolved.relative(), &resolved.absolute()] {
        let again = root.resolve(again).unwrap();
        assert_eq!(again.relative(), resolved.relative(), "{input}");
        // A link can take a file for a directory, `file/..`, and then nothing is there.
        assert!(again.exists() || !resolved.exists(), "{input}");
    }
    let components: Vec<_> = resolved.relative().as_str().split('/').collect();
    let is_root = resolved.relative() == ".";
    assert!(is_root || components.iter().all(|name| !matches!(*name, "" | "." | "..")), "{input}");
}

/// What was opened is what was checked, and what was refused was refused for the same reason. Counts
/// in `seen` which of the three it was: opened, not there or no file, refused.
fn check_opened(
    what: &str,
    checked: Result<Utf8PathBuf, FsAccessError>,
    opened: Result<fs::File, OpenError>,
    seen: &mut [usize; 3],
) {
    match &opened {
        Ok(_) => seen[0] += 1,
        Err(OpenError::Io { .. }) => seen[1] += 1,
        Err(OpenError::Access(_)) => seen[2] += 1,
    }
    match (checked, opened) {
        (Ok(path), Ok(file)) => {
            let (held, found) = (file.metadata().unwrap(), path.symlink_metadata().unwrap());
            assert_eq!((held.dev(), held.ino()), (found.dev(), found.ino()), "{what}");
            assert!(found.is_file(), "{what}");
        }
        (Ok(path), Err(OpenError::Io { source, .. })) => {
            let expected = match path.symlink_metadata() {
                Ok(found) if found.is_dir() => ErrorKind::IsADirectory,
                // A link took it for a directory.
                Ok(_) => ErrorKind::NotADirectory,
                Err(error) => error.kind(),
            };
            assert_eq!(source.kind(), expected, "{what}");
        }
        (Err(error), Err(OpenError::Access(refusal))) => assert_eq!(refusal, error, "{what}"),
        (checked, opened) => panic!("{what}: {checked:?} and {opened:?}"),
    }
}

/// The same for what is made; a name that is taken, be it by a link that leads nowhere, stays as it
/// is.
fn check_made(
    what: &str,
    checked: Result<Utf8PathBuf, FsAccessError>,
    made: Result<fs::File, OpenError>,
) {
    match (checked, made) {
        (Ok(path), Ok(file)) => {
            let (held, found) = (file.metadata().unwrap(), path.symlink_metadata().unwrap());
            assert_eq!((held.dev(), held.ino()), (found.dev(), found.ino()), "{what}");
            fs::remove_file(path).unwrap();
        }
        (Ok(_), Err(OpenError::Io { .. })) => {}
        (Err(error), Err(OpenError::Access(refusal))) => assert_eq!(refusal, error, "{what}"),
        (checked, made) => panic!("{what}: {checked:?} and {made:?}"),
    }
}

#[test]
fn handles_and_checks_agree_on_10_000_cases() {
    // 076-153, 076-155, 076-248, 076-249
    let mut draw = draws();
    let mut seen = [0; 3];
    for _ in 0..TREES {
        let tree = draw_tree(&mut draw);
        let policy = draw_policy(&mut draw);
        let context = Context {
            root: tree.ws(),
            action: Action::Run,
            access: Some(policy.clone()),
            workspace_id: None,
            conversation_id: None,
        };
        let ways =
            tree.roots("ws").map(|(way, root)| (way, Files::new(root, Some(policy.clone()))));
        for _ in 0..INPUTS {
            let input = Utf8PathBuf::from(draw_spelling(&mut draw, &tree.top));
            for (way, files) in &ways {
                let what = format!("{way}: {input}, {:?}", policy.fs);
                check_canonical(files.root(), &input);
                check_opened(&what, context.check_read(&input), files.read(&input), &mut seen);
                check_opened(&what, context.check_update(&input), files.update(&input), &mut seen);
                check_made(&what, context.check_create(&input), files.create(&input));
            }
        }
    }
    assert!(seen.iter().all(|number| *number > 2_000), "{seen:?}");
}

//! A move onto another name of the same file.
//!
//! The system takes two names of one file for a move that is done already: it says so, and both names stay. Whoever
//! moves a file wants the old name gone. The danger is in taking it away by name: by then it can be the name of
//! something else, of a file that an editor has just put in its place, or the last one that the file has.
//!
//! So the old name is not deleted but moved aside, to a name that nobody else uses, and from there to the new one. What
//! was moved aside is then either there, or the same file as what is there, and only that other name of ours is
//! deleted. Where the two are one entry, spelled differently where large and small letters are the same, it comes back
//! under the new spelling. Who is killed on the way leaves the file beside, as `.jp-*.tmp`.

use rustix::{
    fs::{AtFlags, FileType, Stat, fstat, statat},
    io::{Errno, Result},
};

use super::{
    no_replace::{Name, rename_new, rename_unused},
    replace::name_beside,
    walk::kind_of,
};

/// Renames something over what has the new name.
pub(super) fn rename_over(from: Name<'_>, to: Name<'_>) -> Result<()> {
    rename_over_by(at_once, from, to)
}

/// The same with the system call as an argument, so that a test can have one that fails.
fn rename_over_by(
    at_once: impl FnOnce(Name<'_>, Name<'_>) -> Result<()>,
    from: Name<'_>,
    to: Name<'_>,
) -> Result<()> {
    let Some(kind) = shared_file(from, to)? else { return at_once(from, to) };
    let aside = name_beside(|name| rename_unused(from, Name { dir: from.dir, name }))?;
    let aside = Name { dir: from.dir, name: &aside };
    at_once(aside, to).inspect_err(|_| {
        let _best_effort = rename_new(aside, from, kind);
    })?;
    match rustix::fs::unlinkat(aside.dir, aside.name, AtFlags::empty()) {
        // It was not the same file any more, and has taken the place.
        Err(Errno::NOENT) => Ok(()),
        unlinked => unlinked,
    }
}

fn at_once(from: Name<'_>, to: Name<'_>) -> Result<()> {
    rustix::fs::renameat(from.dir, from.name, to.dir, to.name)
}

/// What kind of file has both names, if one has both and they are not the same name.
fn shared_file(from: Name<'_>, to: Name<'_>) -> Result<Option<FileType>> {
    let look = |at: Name<'_>| statat(at.dir, at.name, AtFlags::SYMLINK_NOFOLLOW);
    // What is not there is the business of the rename.
    let (Ok(old), Ok(new)) = (look(from), look(to)) else { return Ok(None) };
    let kind = kind_of(&old);
    if old.st_nlink < 2 || kind == FileType::Directory || !is_same(&old, &new) {
        return Ok(None);
    }
    let is_one_name = from.name == to.name && is_same(&fstat(from.dir)?, &fstat(to.dir)?);
    Ok((!is_one_name).then_some(kind))
}

fn is_same(a: &Stat, b: &Stat) -> bool {
    (a.st_dev, a.st_ino) == (b.st_dev, b.st_ino)
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests build their own files")]
mod tests {
    use std::{
        fs::{self, File},
        path::Path,
        sync::Barrier,
        thread,
    };

    use super::*;

    /// What is in a directory, sorted: names and contents.
    fn all(dir: &Path) -> Vec<(String, String)> {
        let entries = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap());
        let entry = |entry: fs::DirEntry| {
            let name = entry.file_name().into_string().unwrap();
            (name, fs::read_to_string(entry.path()).unwrap())
        };
        let mut all: Vec<_> = entries.map(entry).collect();
        all.sort();
        all
    }

    fn entries(expected: &[(&str, &str)]) -> Vec<(String, String)> {
        expected.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect()
    }

    #[test]
    fn what_cannot_be_moved_on_is_put_back() {
        let place = tempfile::tempdir().unwrap();
        let path = |name: &str| place.path().join(name);
        let dir = File::open(place.path()).unwrap();
        fs::write(path("a"), "x").unwrap();
        fs::hard_link(path("a"), path("b")).unwrap();
        let (a, b) = (Name::new(&dir, "a"), Name::new(&dir, "b"));
        assert_eq!(rename_over_by(|_, _| Err(Errno::XDEV), a, b), Err(Errno::XDEV));
        assert_eq!(all(place.path()), entries(&[("a", "x"), ("b", "x")]));
        // Nor is what has come there meanwhile lost.
        let comes = |_: Name<'_>, _: Name<'_>| {
            fs::write(path("a"), "new").unwrap();
            Err(Errno::XDEV)
        };
        assert_eq!(rename_over_by(comes, a, b), Err(Errno::XDEV));
        assert_eq!(fs::read_to_string(path("a")).unwrap(), "new");
        let texts = all(place.path()).into_iter().map(|(_, text)| text).collect::<Vec<_>>();
        assert_eq!(texts, ["x", "new", "x"]);
        fs::remove_file(path("a")).unwrap();
        fs::rename(path(&all(place.path())[0].0), path("a")).unwrap();
        assert_eq!(rename_over(a, a), Ok(()));
        assert_eq!(all(place.path()), entries(&[("a", "x"), ("b", "x")]));
        assert_eq!(rename_over(a, b), Ok(()));
        assert_eq!(all(place.path()), entries(&[("b", "x")]));
    }

    // An editor that saves the file under its old name while that goes away.
    #[test]
    fn stress_what_is_saved_meanwhile_is_not_lost() {
        for _ in 0..500 {
            let place = tempfile::tempdir().unwrap();
            let path = |name: &str| place.path().join(name);
            let dir = File::open(place.path()).unwrap();
            fs::write(path("a"), "old").unwrap();
            fs::hard_link(path("a"), path("b")).unwrap();
            fs::write(path("new"), "new").unwrap();
            let both = Barrier::new(2);
            thread::scope(|scope| {
                scope.spawn(|| {
                    both.wait();
                    fs::rename(path("new"), path("a")).unwrap();
                });
                both.wait();
                rename_over(Name::new(&dir, "a"), Name::new(&dir, "b")).unwrap();
            });
            let all = all(place.path());
            assert!(all.iter().any(|(_, text)| text == "new"), "{all:?}");
        }
    }

    // Two moves that meet.
    #[test]
    fn stress_a_file_that_moves_both_ways_keeps_a_name() {
        for _ in 0..500 {
            let place = tempfile::tempdir().unwrap();
            let path = |name: &str| place.path().join(name);
            let dir = File::open(place.path()).unwrap();
            fs::write(path("a"), "x").unwrap();
            fs::hard_link(path("a"), path("b")).unwrap();
            let (a, b) = (Name::new(&dir, "a"), Name::new(&dir, "b"));
            let both = Barrier::new(2);
            thread::scope(|scope| {
                scope.spawn(|| {
                    both.wait();
                    // It can be gone already.
                    let _ = rename_over(b, a);
                });
                both.wait();
                let _ = rename_over(a, b);
            });
            let all = all(place.path());
            let is_named =
                |(name, text): &(String, String)| matches!(name.as_str(), "a" | "b") && text == "x";
            assert!(!all.is_empty() && all.iter().all(is_named), "{all:?}");
        }
    }
}

//! Where a link that a tool made leads, and whether it may lead there.
//!
//! A link is text. Making one grants nothing by itself: whoever uses it later has the place that it
//! leads to judged by their own rules. The layer that asks resolves links and refuses what leaves the
//! workspace, the host opens paths beneath a handle, and a confined process finds at the end of a link
//! what its view has there. What is left is somebody who is not confined, a person's editor or a
//! packer, and follows the link with rights that the tool does not have. So a link may lead to what
//! the tool itself could see ([`Outside`]): an environment of Python needs its links to `/usr/bin`,
//! and nobody learns or loses anything by them. It may not lead to a home, a key or a temporary
//! directory that were kept from the tool.
//!
//! Two questions are asked. The text alone: `..` may only stand at the beginning, because after a name
//! that is itself a link nobody can say what `..` means, and which links will be there depends on what
//! else is refused. And what the disk makes of it now: another link may be on the way. The commit asks
//! again when everything is in place.

use std::io;

use camino::{Utf8Component, Utf8Path, Utf8PathBuf};

use crate::Outside;

/// So many links are followed; the kernel does not follow more.
const MOST: usize = 40;

/// Whether the link at `path`, relative to the canonical root, may have this text.
pub(crate) fn may_lead(root: &Utf8Path, outside: &Outside, path: &Utf8Path, target: &str) -> bool {
    let Some(start) = start(root, path, Utf8Path::new(target)) else { return false };
    let mut way = Way { root, outside, links: 0 };
    way.follow(&start).is_some_and(|end| way.is_inside(&end) || outside.shows(&end))
}

/// What the text means, absolute and without `..`; `None` if that cannot be said.
fn start(root: &Utf8Path, path: &Utf8Path, target: &Utf8Path) -> Option<Utf8PathBuf> {
    // No link is on the way to the directory that the link is in: the commit follows none.
    let mut start = root.join(path.parent().unwrap_or(Utf8Path::new("")));
    let mut is_climbing = !target.is_absolute();
    for part in target.components() {
        match part {
            Utf8Component::ParentDir if is_climbing => drop(start.pop()),
            Utf8Component::ParentDir | Utf8Component::Prefix(_) => return None,
            Utf8Component::CurDir => {}
            Utf8Component::RootDir => start = "/".into(),
            Utf8Component::Normal(name) => {
                is_climbing = false;
                start.push(name);
            }
        }
    }
    Some(start)
}

/// A walk from link to link.
struct Way<'a> {
    root: &'a Utf8Path,
    outside: &'a Outside,
    links: usize,
}

impl Way<'_> {
    /// Where an absolute path without `..` ends when every link is followed. What does not exist is
    /// taken by its name. `None` if something on the way is not known, or lies where the tool sees
    /// something else than the host has: somebody else could lead the link elsewhere there.
    fn follow(&mut self, path: &Utf8Path) -> Option<Utf8PathBuf> {
        let mut rest: Vec<String> = path.components().rev().map(|part| part.to_string()).collect();
        let mut reached = Utf8PathBuf::from("/");
        let mut is_missing = false;
        while let Some(part) = rest.pop() {
            match part.as_str() {
                "/" => reached = "/".into(),
                "." => {}
                ".." if is_missing => return None,
                ".." => drop(reached.pop()),
                name => {
                    reached.push(name);
                    match link_at(&reached, is_missing)? {
                        Found::Link(target) => {
                            self.count(&reached)?;
                            reached.pop();
                            rest.extend(target.components().rev().map(|part| part.to_string()));
                        }
                        Found::Nothing => is_missing = true,
                        Found::Other => {}
                    }
                }
            }
        }
        Some(reached)
    }

    /// One more link that stands here.
    fn count(&mut self, link: &Utf8Path) -> Option<()> {
        self.links += 1;
        let is_known = self.is_inside(link) || !self.outside.keeps(link);
        (is_known && self.links <= MOST).then_some(())
    }

    fn is_inside(&self, path: &Utf8Path) -> bool {
        path.starts_with(self.root)
    }
}

enum Found {
    Link(Utf8PathBuf),
    Nothing,
    Other,
}

/// What has a name; `None` if nobody can say.
fn link_at(path: &Utf8Path, is_missing: bool) -> Option<Found> {
    if is_missing {
        return Some(Found::Nothing);
    }
    match path.read_link_utf8() {
        Ok(target) => Some(Found::Link(target)),
        // That is how the kernel says that it is something else.
        Err(error) if error.kind() == io::ErrorKind::InvalidInput => Some(Found::Other),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Some(Found::Nothing),
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => Some(Found::Nothing),
        Err(_) => None,
    }
}

//! Files of the written side against files of the workspace.

use std::fs::File;

use rustix::fs::Stat;

use super::walk::{Entry, FILE_MODE, Walker, io_error};
use crate::{
    Change, Kind, ModeChange, Node, Obstacle, ReadError,
    change::Seen,
    overlay::{self, Opaque},
    tree::{same_content, size_of},
};

impl Walker<'_> {
    pub(super) fn meet_file(&mut self, entry: Entry<'_>, opaque: Opaque) -> Result<(), ReadError> {
        // What has no proper path is refused, and cannot be opened by it either.
        if entry.obstacle == Some(Obstacle::NotUtf8) {
            return self.replace(&entry, Node::File, None);
        }
        let (tree, inside) = self.ground.upper(entry.place, &entry.path);
        let failed = |errno| io_error(&entry.path, errno);
        let file = File::from(tree.file_of_ours(inside).map_err(failed)?);
        let marks = overlay::marks(&file).map_err(failed)?;
        let size = size_of(&entry.stat);
        if opaque == Opaque::Whiteouts && size == 0 && marks.whiteout {
            return self.whiteout(&entry);
        }
        if let Some(mark) = marks.partial {
            return Err(ReadError::Partial { path: entry.path, mark });
        }
        self.spend(size)?;
        let capabilities = marks.capabilities.then_some(Obstacle::Capabilities);
        match &entry.old {
            Some((old, Node::File)) if entry.obstacle.is_none() => {
                self.compare(&entry, file, old, capabilities)
            }
            _ => self.replace(&entry, Node::File, capabilities),
        }
    }

    fn compare(
        &mut self,
        entry: &Entry<'_>,
        file: File,
        old: &Stat,
        obstacle: Option<Obstacle>,
    ) -> Result<(), ReadError> {
        let (from, to) = (old.st_mode & FILE_MODE, entry.stat.st_mode & FILE_MODE);
        let content = size_of(old) != size_of(&entry.stat) || {
            self.spend(size_of(old))?;
            // A file that cannot be read cannot be known to be the same.
            let host = self.ground.host.file(&entry.path);
            !host.is_ok_and(|host| same_content(File::from(host), file).unwrap_or(false))
        };
        let mode = (from != to).then_some(ModeChange { from, to });
        if !content && mode.is_none() {
            return Ok(());
        }
        let mut change = Change::new(entry.place, &entry.path, Kind::Updated { content, mode });
        change.size = size_of(&entry.stat);
        change.mode = Some(to);
        change.seen = Some(Seen::from(old));
        change.obstacle = obstacle.or_else(|| self.conflict(old));
        self.push(change)
    }

    fn spend(&mut self, bytes: u64) -> Result<(), ReadError> {
        self.bytes = self.bytes.saturating_add(bytes);
        if self.bytes > self.limits.bytes {
            return Err(ReadError::TooMuch { what: "bytes", limit: self.limits.bytes });
        }
        Ok(())
    }
}

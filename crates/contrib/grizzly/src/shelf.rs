//! The library of the moment: read when it is first needed, and again when the files have changed.

use std::time::Duration;

use crate::{
    Budget, Library, LibraryError,
    snapshot::{Snapshot, Source, Stamp, Watch},
};

/// How long a picture of a database that is being written is tried for.
const PATIENCE: Duration = Duration::from_secs(3);
/// A picture that makes no sense is taken again so often: the files may have moved in a way that cannot
/// be seen from outside.
const PICTURES: u32 = 3;

/// A database, and what was last read of it.
#[derive(Debug)]
pub struct Shelf {
    source: Source,
    watch: Watch,
    kept: Option<Kept>,
}

#[derive(Debug)]
struct Kept {
    library: Library,
    stamp: Stamp,
    is_settled: bool,
}

impl Shelf {
    /// A shelf on which nothing lies yet.
    pub fn new(source: Source) -> Self {
        Self { source, watch: Watch::default(), kept: None }
    }

    /// The library as it is now, for a call with this budget.
    pub fn library(&mut self, budget: Budget) -> Result<&mut Library, LibraryError> {
        let stamp = self.source.stamp()?;
        let kept = self.kept.take().filter(|kept| kept.is_settled && kept.stamp == stamp);
        let kept = match kept {
            Some(mut kept) => {
                kept.library.set_budget(budget)?;
                kept
            }
            None => self.take(&budget)?,
        };
        Ok(&mut self.kept.insert(kept).library)
    }

    fn take(&mut self, budget: &Budget) -> Result<Kept, LibraryError> {
        let mut tries = 0;
        loop {
            tries += 1;
            let deadline = budget.end().min(std::time::Instant::now() + PATIENCE);
            let Snapshot { image, stamp, is_settled } =
                self.source.take_watched(&mut self.watch, deadline)?;
            match Library::open(self.source.path(), &image, budget.clone()) {
                Ok(library) => return Ok(Kept { library, stamp, is_settled }),
                Err(LibraryError::Damaged { .. }) if tries < PICTURES => {}
                Err(error) => return Err(error),
            }
        }
    }
}

//! What a runtime keeps between the executions of one call.
//!
//! A call that asks is executed again with the answer. Most tools begin anew then. A server may go on where
//! it was: it waits for the answer inside of the same call, or has handed out a state that it wants back.
//! That is kept here, with the call; when the call ends, whatever waits is ended with it.

use std::{
    collections::HashSet,
    sync::{Mutex, MutexGuard, PoisonError},
};

use super::mcp::Open;

/// What a runtime keeps between the executions of one call.
#[derive(Debug, Default)]
pub struct CallMemory(Mutex<Kept>);

#[derive(Debug, Default)]
struct Kept {
    open: Option<Open>,
    /// The ids of questions that were asked by forms.
    of_forms: HashSet<String>,
}

impl CallMemory {
    /// Declines what a question belongs to, where that is possible; whether it is.
    pub(crate) fn decline(&self, id: &str) -> bool {
        self.kept().open.as_mut().is_some_and(|open| open.decline(id))
    }

    pub(crate) fn take(&self) -> Option<Open> {
        self.kept().open.take()
    }

    pub(crate) fn put(&self, open: Open) {
        self.kept().open = Some(open);
    }

    /// Notes that these questions are answered by forms.
    pub(crate) fn note_forms<'a>(&self, ids: impl Iterator<Item = &'a str>) {
        self.kept().of_forms.extend(ids.map(ToOwned::to_owned));
    }

    /// Whether a question is answered by a form.
    pub(crate) fn is_of_form(&self, id: &str) -> bool {
        self.kept().of_forms.contains(id)
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

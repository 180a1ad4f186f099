//! Why a command of this program failed, as a sentence for the developer.
//!
//! Nobody but a person acts on these failures, so a text is all they are.

use std::fmt;

/// The result of a step.
pub(crate) type Result<T = ()> = std::result::Result<T, Failure>;

/// What went wrong, with what, and where it helps, what to do next.
#[derive(Debug)]
pub(crate) struct Failure(String);

impl Failure {
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// For `map_err`: puts what was being done in front of its cause.
    pub(crate) fn because<E: fmt::Display>(what: impl fmt::Display) -> impl FnOnce(E) -> Self {
        move |cause| Self(format!("{what}: {cause}"))
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

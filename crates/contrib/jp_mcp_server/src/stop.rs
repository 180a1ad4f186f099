//! Why a tool does not go on.

use jp_tool::{Question, ToolError};

/// An error, or a question that has to be answered first.
///
/// Only [`Call`](crate::Call) makes questions: it is the one that will find the answer when the tool
/// is started again. Everything that can become a [`ToolError`] becomes a `Stop` by `?`.
#[derive(Debug)]
pub struct Stop(pub(crate) Reason);

#[derive(Debug)]
pub(crate) enum Reason {
    Failed(ToolError),
    Asked(Box<Question>),
}

impl<E> From<E> for Stop
where
    ToolError: From<E>,
{
    fn from(error: E) -> Self {
        Self(Reason::Failed(error.into()))
    }
}

impl Stop {
    pub(crate) fn asked(question: Question) -> Self {
        Self(Reason::Asked(Box::new(question)))
    }

    /// The error, where no question can be asked; a question is an error there.
    pub fn into_error(self) -> ToolError {
        match self.0 {
            Reason::Failed(error) => error,
            Reason::Asked(question) => {
                ToolError::new(format!("{} Nobody is asked here.", question.text))
            }
        }
    }

    /// The same, if it is a failure, as one that may go away: a host that retries tries again.
    #[must_use]
    pub fn transient(self) -> Self {
        match self.0 {
            Reason::Failed(error) => Self(Reason::Failed(error.transient())),
            asked @ Reason::Asked(_) => Self(asked),
        }
    }
}

//! In which era to speak to a server, and what to try when it does not answer.
//!
//! There is no way to ask a server which era it speaks but to begin. Most answer the newer greeting with an
//! error, and the older one follows on the same connection. Others stay silent, or leave; those are started
//! again and greeted the older way. What was found is remembered, so that this happens once.

use crate::{error::StartError, server_spec::Era};

/// A way to begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    /// The newer greeting, and the older one if an error comes back; in a part of the time.
    Probe,
    /// The older greeting.
    Legacy,
    /// The newer greeting, in the whole time.
    Modern,
}

/// How to begin with a server that was found to speak this era last time.
pub(crate) fn first(remembered: Option<Era>) -> Way {
    match remembered {
        Some(Era::Legacy) => Way::Legacy,
        Some(Era::Modern) | None => Way::Probe,
    }
}

/// What to try after all this has failed; `None` if there is nothing left.
pub(crate) fn next(failed: &[(Way, StartError)]) -> Option<Way> {
    if failed.iter().any(|(_, error)| is_final(error)) {
        return None;
    }
    match failed {
        [(Way::Probe, _)] => Some(Way::Legacy),
        // It has forgotten the older era since last time. But one that says nothing at all is not
        // waited for a second time.
        [(Way::Legacy, error)] if !is_silent(error) => Some(Way::Modern),
        // It was too slow for the probe, and then it turned out that it speaks only the newer one.
        [(Way::Probe, probe), (Way::Legacy, StartError::Handshake { .. })] if is_silent(probe) => {
            Some(Way::Modern)
        }
        _ => None,
    }
}

/// The error that says most: what the older greeting led to, because every server was greeted so in the end.
pub(crate) fn verdict(mut failed: Vec<(Way, StartError)>) -> Option<StartError> {
    let legacy = failed.iter().position(|(way, _)| *way == Way::Legacy);
    let index = legacy.unwrap_or(failed.len().checked_sub(1)?);
    Some(failed.swap_remove(index).1)
}

/// Another greeting would not help.
fn is_final(error: &StartError) -> bool {
    matches!(error, StartError::Launch(_) | StartError::Http(_) | StartError::Login(_))
}

fn is_silent(error: &StartError) -> bool {
    matches!(error, StartError::Silent { .. })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::launch::LaunchError;

    #[test]
    fn what_is_tried_next() {
        let silent = || StartError::Silent { within: Duration::ZERO, stderr: String::new() };
        let exited = || StartError::Exited { stderr: String::new() };
        let refused = || StartError::Handshake { reason: "no".to_owned(), stderr: String::new() };
        let gone = || StartError::Launch(LaunchError::new("no such program"));
        for (failed, then) in [
            (vec![(Way::Probe, silent())], Some(Way::Legacy)),
            (vec![(Way::Probe, exited())], Some(Way::Legacy)),
            (vec![(Way::Probe, refused())], Some(Way::Legacy)),
            (vec![(Way::Probe, gone())], None),
            (vec![(Way::Probe, silent()), (Way::Legacy, silent())], None),
            (vec![(Way::Probe, silent()), (Way::Legacy, refused())], Some(Way::Modern)),
            (vec![(Way::Probe, exited()), (Way::Legacy, exited())], None),
            (vec![(Way::Legacy, silent())], None),
            (vec![(Way::Legacy, exited())], Some(Way::Modern)),
            (vec![(Way::Legacy, refused()), (Way::Modern, refused())], None),
        ] {
            assert_eq!(next(&failed), then, "{failed:?}");
        }
    }
}

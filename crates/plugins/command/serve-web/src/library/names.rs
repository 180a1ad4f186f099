//! How people name a conversation: as everywhere in `jp`, with words for a page.

use jp_plugin_sdk::{FindError, Summary, find_conversation};

use super::OpenError;

/// The conversation with this id, or the only one whose id begins or ends with it, or the `last`.
pub(crate) fn pick(listing: &[Summary], name: &str) -> Result<Summary, OpenError> {
    find_conversation(listing, name).cloned().map_err(|error| match error {
        FindError::Empty | FindError::NotFound(_) => OpenError::NotFound(name.to_owned()),
        FindError::Several { text, number, .. } => {
            OpenError::Ambiguous { name: text, count: number }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        let summary = |id: &str| Summary {
            id: id.to_owned(),
            title: None,
            last_activated_at: String::new(),
            events_count: 0,
        };
        let listing = ["1711", "1722", "17"].map(summary);
        let check = |listing: &[Summary], name: &str, want: &str| {
            let picked = pick(listing, name);
            let picked = picked.map_or_else(|error| error.to_string(), |summary| summary.id);
            assert_eq!(picked, want, "{name}");
        };
        check(&listing, "22", "1722");
        check(&listing, "last", "1711");
        check(&listing, "latest", "1711");
        check(&listing, "1", "`1` may be any of 3 conversations; give more of its id.");
        check(&listing, "9", "There is no conversation `9`.");
        check(&listing, "", "There is no conversation ``.");
        check(&[], "last", "There is no conversation `last`.");
    }
}

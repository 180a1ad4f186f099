//! How people name a conversation.

use jp_plugin_sdk::Summary;

use super::OpenError;

/// The conversation with this id, or the only one whose id begins or ends with it, or the `latest`.
pub(crate) fn pick(listing: Vec<Summary>, name: &str) -> Result<Summary, OpenError> {
    let not_found = || OpenError::NotFound(name.to_owned());
    if name == "latest" {
        return listing.into_iter().next().ok_or_else(not_found);
    }
    let fits = |id: &str| !name.is_empty() && (id.starts_with(name) || id.ends_with(name));
    let mut found: Vec<Summary> = listing.into_iter().filter(|summary| fits(&summary.id)).collect();
    if let Some(index) = found.iter().position(|summary| summary.id == name) {
        return Ok(found.swap_remove(index));
    }
    match found.len() {
        0 | 1 => found.pop().ok_or_else(not_found),
        count => Err(OpenError::Ambiguous { name: name.to_owned(), count }),
    }
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
        let check = |name: &str, want: &str| {
            let picked = pick(listing.to_vec(), name);
            let picked = picked.map_or_else(|error| error.to_string(), |summary| summary.id);
            assert_eq!(picked, want, "{name}");
        };
        check("1711", "1711");
        check("171", "1711");
        check("22", "1722");
        // Whole, even though others begin with it.
        check("17", "17");
        check("latest", "1711");
        check("1", "`1` may be any of 3 conversations; give more of its id.");
        check("9", "There is no conversation `9`.");
        check("", "There is no conversation ``.");
    }
}

//! Which conversation is meant by what somebody typed.
//!
//! Ids are long numbers, and those of one day begin alike. So the beginning and the end of an id will do
//! where there is only one such, and `last` is the one that was used last.

use jp_plugin::to_plugin::Summary;

/// How many ids of those that fit are named.
const NAMED: usize = 3;

/// No conversation is meant, or several could be.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FindError {
    #[error("there are no conversations yet: `jp conversation new` makes one")]
    Empty,
    #[error("conversation not found: {0}; `jp conversation ls` lists all")]
    NotFound(String),
    #[error("`{text}` fits {number} conversations, {} among them: write more digits", ids.join(", "))]
    Several { text: String, number: usize, ids: Vec<String> },
}

/// Finds a conversation in a listing, which has the latest first: by its id, by the beginning or the end
/// of it, or as `last` (or `latest`).
pub fn find_conversation<'a>(listing: &'a [Summary], text: &str) -> Result<&'a Summary, FindError> {
    if matches!(text, "last" | "latest") {
        return listing.first().ok_or(FindError::Empty);
    }
    if let Some(exact) = listing.iter().find(|conversation| conversation.id == text) {
        return Ok(exact);
    }
    let fits = |id: &str| !text.is_empty() && (id.starts_with(text) || id.ends_with(text));
    let found: Vec<_> = listing.iter().filter(|conversation| fits(&conversation.id)).collect();
    match found.as_slice() {
        [] => Err(FindError::NotFound(text.to_owned())),
        [one] => Ok(one),
        several => Err(FindError::Several {
            text: text.to_owned(),
            number: several.len(),
            ids: several.iter().take(NAMED).map(|conversation| conversation.id.clone()).collect(),
        }),
    }
}

/// Finds all that are named, each once and in the order of the names; the last one if none is named.
pub fn find_conversations(
    listing: &[Summary],
    names: &[String],
) -> Result<Vec<Summary>, FindError> {
    if names.is_empty() {
        return Ok(vec![find_conversation(listing, "last")?.clone()]);
    }
    let mut chosen: Vec<Summary> = Vec::new();
    for name in names {
        let found = find_conversation(listing, name)?;
        if chosen.iter().all(|one| one.id != found.id) {
            chosen.push(found.clone());
        }
    }
    Ok(chosen)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listing(ids: &[&str]) -> Vec<Summary> {
        let summary = |id: &&str| Summary {
            id: (*id).to_owned(),
            title: None,
            last_activated_at: "2026-03-18T13:19:00Z".to_owned(),
            events_count: 0,
        };
        ids.iter().map(summary).collect()
    }

    #[test]
    fn what_somebody_types_means_one() {
        let all = listing(&["17127583921", "17127583920", "1712", "18000000000"]);
        let check = |text: &str, want: &str| {
            let found = find_conversation(&all, text).map(|conversation| conversation.id.as_str());
            assert_eq!(found.map_err(|error| error.to_string()), Ok(want), "{text}");
        };
        check("17127583920", "17127583920");
        check("1712", "1712");
        check("18", "18000000000");
        check("3921", "17127583921");
        check("last", "17127583921");
        check("latest", "17127583921");
    }

    #[test]
    fn each_is_found_once() {
        let all = listing(&["1712", "1713", "1714"]);
        let check = |names: &[&str], want: &[&str]| {
            let names: Vec<_> = names.iter().map(ToString::to_string).collect();
            let found = find_conversations(&all, &names).unwrap();
            let found: Vec<_> = found.iter().map(|one| one.id.as_str()).collect();
            assert_eq!(found, want, "{names:?}");
        };
        check(&[], &["1712"]);
        check(&["1714", "last", "1714", "2"], &["1714", "1712"]);
        assert!(find_conversations(&all, &["1714".to_owned(), "9".to_owned()]).is_err());
        assert_eq!(find_conversations(&[], &[]).unwrap_err(), FindError::Empty);
    }

    #[test]
    fn what_means_none_or_several_says_so() {
        let all = listing(&["1711", "1712", "1713", "1714"]);
        let check = |listing: &[Summary], text: &str, want: &str| {
            assert_eq!(find_conversation(listing, text).unwrap_err().to_string(), want);
        };
        check(&[], "last", "there are no conversations yet: `jp conversation new` makes one");
        check(&all, "9", "conversation not found: 9; `jp conversation ls` lists all");
        check(&all, "", "conversation not found: ; `jp conversation ls` lists all");
        check(
            &all,
            "17",
            "`17` fits 4 conversations, 1711, 1712, 1713 among them: write more digits",
        );
    }
}

//! The id of a conversation: tenths of a second since the epoch, as a string of digits.
//!
//! The number says roughly when the conversation was made and sorts by age. It is *not* a clock:
//! when several conversations are made in the same tenth of a second, all but the first take the
//! next free number.

use std::{fmt, str::FromStr};

use jiff::Timestamp;

/// Names one conversation of a workspace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ConversationId(u64);

impl ConversationId {
    /// The id for a conversation that is made at `now`.
    pub fn at(now: Timestamp) -> Self {
        // Zero would be an id that nobody can write down.
        Self(u64::try_from(now.as_millisecond() / 100).unwrap_or(0).max(1))
    }

    /// The id to try when this one is taken.
    #[must_use]
    pub fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }

    /// The number itself: deciseconds since the epoch.
    pub fn as_u64(self) -> u64 {
        self.0
    }

    /// The id with this number, whatever time it stands for.
    pub fn from_u64(deciseconds: u64) -> Self {
        Self(deciseconds)
    }

    /// About when the conversation was made. `None` for numbers beyond the calendar.
    pub fn created_at(self) -> Option<Timestamp> {
        let milliseconds = i64::try_from(self.0.checked_mul(100)?).ok()?;
        Timestamp::from_millisecond(milliseconds).ok()
    }

    /// The id that a directory name starts with: `17127583920` or `17127583920-some-words`.
    pub fn from_directory_name(name: &str) -> Option<Self> {
        let digits = name.split_once('-').map_or(name, |(digits, _)| digits);
        digits.parse().ok()
    }
}

impl fmt::Display for ConversationId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for ConversationId {
    type Err = InvalidId;

    fn from_str(text: &str) -> Result<Self, InvalidId> {
        let invalid = || InvalidId(shorten(text));
        // `u64::from_str` takes a leading `+`; a second spelling of one id would be a second name
        // for one conversation, so leading zeros are refused as well.
        let canonical = text.bytes().all(|b| b.is_ascii_digit()) && !text.starts_with('0');
        if !canonical {
            return Err(invalid());
        }
        text.parse().map(Self).map_err(|_| invalid())
    }
}

/// The text is not a conversation id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a conversation id (an id is a number such as 17127583920)")]
pub struct InvalidId(String);

/// Keeps an error message readable when somebody passes a whole file as an id.
fn shorten(text: &str) -> String {
    match text.char_indices().nth(40) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_canonical_digits_are_an_id() {
        assert_eq!("17127583920".parse(), Ok(ConversationId(17_127_583_920)));
        for bad in [
            "",
            "0",
            "017",
            "+17",
            "-17",
            "1 7",
            "17a",
            "../../etc",
            "99999999999999999999999",
            "١٧",
        ] {
            assert!(bad.parse::<ConversationId>().is_err(), "{bad:?}");
        }
    }

    #[test]
    fn an_id_is_deciseconds_since_the_epoch() {
        let at: Timestamp = "2024-04-10T14:13:12.34Z".parse().unwrap();
        let id = ConversationId::at(at);
        assert_eq!(id.to_string(), "17127583923");
        assert_eq!(id.created_at().unwrap().to_string(), "2024-04-10T14:13:12.3Z");
        assert_eq!(id.next().to_string(), "17127583924");
        assert_eq!(ConversationId(u64::MAX).created_at(), None);
    }

    #[test]
    fn a_directory_name_may_carry_words_after_the_id() {
        let id = Some(ConversationId(17));
        assert_eq!(ConversationId::from_directory_name("17"), id);
        assert_eq!(ConversationId::from_directory_name("17-refactor-config"), id);
        assert_eq!(ConversationId::from_directory_name("index"), None);
        assert_eq!(ConversationId::from_directory_name(".new-17"), None);
    }

    #[test]
    fn the_error_quotes_a_long_text_in_part() {
        let error = "x".repeat(10_000).parse::<ConversationId>().unwrap_err();
        assert!(error.to_string().len() < 150);
    }
}

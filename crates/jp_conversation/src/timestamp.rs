//! Timestamps as events carry them.
//!
//! We write RFC 3339 in UTC. Stores made before that hold `2026-03-18 13:19:13.281973`, which means
//! UTC as well, and are read for ever.

use jiff::{Timestamp, civil::DateTime, tz::TimeZone};

/// Reads a timestamp in either form.
pub fn parse_timestamp(text: &str) -> Result<Timestamp, InvalidTimestamp> {
    let rfc3339 = || text.parse::<Timestamp>().ok();
    let without_zone = || {
        // A date alone would be midnight, and a zone in brackets would be ignored.
        let is_plain = |b: u8| b.is_ascii_digit() || b"-:. T".contains(&b);
        if !text.contains(':') || !text.bytes().all(is_plain) {
            return None;
        }
        let local: DateTime = text.parse().ok()?;
        TimeZone::UTC.to_timestamp(local).ok()
    };
    rfc3339().or_else(without_zone).ok_or_else(|| InvalidTimestamp(text.chars().take(40).collect()))
}

/// The text is not a timestamp.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a timestamp (expected a form such as 2026-03-18T13:19:13Z)")]
pub struct InvalidTimestamp(String);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_are_read_as_utc() {
        // 072-331
        for text in [
            "2026-03-18 13:19:13.281973",
            "2026-03-18T13:19:13.281973Z",
            "2026-03-18T15:19:13.281973+02:00",
        ] {
            assert_eq!(
                parse_timestamp(text).unwrap().to_string(),
                "2026-03-18T13:19:13.281973Z",
                "{text}"
            );
        }
    }

    #[test]
    fn other_text_is_refused() {
        for text in [
            "",
            "yesterday",
            "2026-03-18",
            "13:19:13",
            "2026-13-40T00:00:00Z",
            "2026-03-18T13:19:13[Europe/Amsterdam]",
        ] {
            assert!(parse_timestamp(text).is_err(), "{text:?}");
        }
    }
}

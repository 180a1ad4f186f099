//! Small things in words: how long ago, how many.

use jiff::Timestamp;

/// `3 minutes ago`. A time in the future, from a clock that was wrong, is `just now`.
pub(crate) fn ago(then: Timestamp, now: Timestamp) -> String {
    const UNITS: [(i64, &str); 6] = [
        (365 * 86_400, "year"),
        (30 * 86_400, "month"),
        (7 * 86_400, "week"),
        (86_400, "day"),
        (3_600, "hour"),
        (60, "minute"),
    ];
    let seconds = now.as_second() - then.as_second();
    UNITS.into_iter().find(|(unit, _)| seconds >= *unit).map_or_else(
        || "just now".to_owned(),
        |(unit, name)| format!("{} ago", count(seconds / unit, name)),
    )
}

/// `1 event`, `2 events`.
pub(crate) fn count(number: i64, name: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {name}{plural}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_told_in_the_largest_unit_that_fits() {
        let now = Timestamp::from_second(2_000_000_000).unwrap();
        for (seconds, expected) in [
            (-5_000, "just now"),
            (0, "just now"),
            (59, "just now"),
            (60, "1 minute ago"),
            (3_599, "59 minutes ago"),
            (3_600, "1 hour ago"),
            (86_400, "1 day ago"),
            (86_400 * 13, "1 week ago"),
            (86_400 * 60, "2 months ago"),
            (86_400 * 800, "2 years ago"),
        ] {
            let then = Timestamp::from_second(2_000_000_000 - seconds).unwrap();
            assert_eq!(ago(then, now), expected, "{seconds}");
        }
    }
}

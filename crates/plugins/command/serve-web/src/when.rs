//! Times as people say them.

use jiff::{Timestamp, tz::TimeZone};

const MINUTE: i64 = 60;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;

/// How long ago something was. What is no time is said as it is.
pub(crate) fn ago(stamp: &str, now: Timestamp) -> String {
    let Some(seconds) = seconds_since(stamp, now) else { return stamp.to_owned() };
    let say = |count: i64, unit: &str| match count {
        1 => format!("1 {unit} ago"),
        count => format!("{count} {unit}s ago"),
    };
    match seconds {
        // A clock that is a bit ahead of ours is no reason to speak of the future.
        ..45 => "just now".to_owned(),
        45..90 => say(1, "minute"),
        90..HOUR => say(seconds / MINUTE, "minute"),
        HOUR..DAY => say(seconds / HOUR, "hour"),
        DAY.. => match seconds / DAY {
            days @ ..30 => say(days, "day"),
            days @ 30..365 => say(days / 30, "month"),
            days => say(days / 365, "year"),
        },
    }
}

/// Under which heading of a list something stands.
pub(crate) fn heading(stamp: &str, now: Timestamp, zone: &TimeZone) -> String {
    let Ok(then) = stamp.parse::<Timestamp>() else { return "Some time".to_owned() };
    let (then, today) = (then.to_zoned(zone.clone()).date(), now.to_zoned(zone.clone()).date());
    let days = today.since(then).map_or(0, |span| span.get_days());
    match days {
        ..=0 => "Today".to_owned(),
        1 => "Yesterday".to_owned(),
        2..7 => "Last 7 days".to_owned(),
        _ if then.year() == today.year() => then.strftime("%B").to_string(),
        _ => then.strftime("%B %Y").to_string(),
    }
}

/// How many seconds ago something was.
pub(crate) fn seconds_since(stamp: &str, now: Timestamp) -> Option<i64> {
    let then: Timestamp = stamp.parse().ok()?;
    Some(now.as_second() - then.as_second())
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: &str = "2026-03-18T12:00:00Z";

    #[test]
    fn how_long_ago() {
        let now: Timestamp = NOW.parse().unwrap();
        let check = |stamp: &str, want: &str| assert_eq!(ago(stamp, now), want, "{stamp}");
        check("2026-03-18T12:00:09Z", "just now");
        check("2026-03-18T11:59:16Z", "just now");
        check("2026-03-18T11:59:00Z", "1 minute ago");
        check("2026-03-18T11:00:01Z", "59 minutes ago");
        check("2026-03-18T11:00:00Z", "1 hour ago");
        check("2026-03-17T12:00:00Z", "1 day ago");
        check("2026-02-01T12:00:00Z", "1 month ago");
        check("2020-02-01T12:00:00Z", "6 years ago");
        check("a while back", "a while back");
    }

    #[test]
    fn headings() {
        let now: Timestamp = NOW.parse().unwrap();
        let check = |stamp: &str, zone: i8, want: &str| {
            let zone = TimeZone::fixed(jiff::tz::offset(zone));
            assert_eq!(heading(stamp, now, &zone), want, "{stamp}");
        };
        check("2026-03-18T00:00:00Z", 0, "Today");
        check("2027-03-18T00:00:00Z", 0, "Today");
        check("2026-03-17T23:59:59Z", 0, "Yesterday");
        check("2026-03-17T23:59:59Z", 2, "Today");
        check("2026-03-13T00:00:00Z", 0, "Last 7 days");
        check("2026-03-02T00:00:00Z", 0, "March");
        check("2026-01-02T00:00:00Z", 0, "January");
        check("2025-03-18T00:00:00Z", 0, "March 2025");
        check("?", 0, "Some time");
    }
}

//! Times as they are stored, and durations as people say them.

use jiff::{Timestamp, civil::DateTime, tz::TimeZone};
use jp_plugin_sdk::words;

/// When something happened, in seconds since the epoch. Older stores write times without a zone, which
/// are in UTC.
pub(crate) fn seconds(stamp: &str) -> Option<f64> {
    let zoned = stamp.parse::<Timestamp>().ok();
    let civil = || stamp.parse::<DateTime>().ok()?.to_zoned(TimeZone::UTC).ok();
    let time = zoned.or_else(|| Some(civil()?.timestamp()))?;
    Some(time.as_duration().as_secs_f64())
}

/// A time of the report, which was one before it was a number.
pub(crate) fn stamp(seconds: f64) -> String {
    let time = jiff::SignedDuration::try_from_secs_f64(seconds).ok();
    let time = time.and_then(|since| Timestamp::from_duration(since).ok());
    time.map_or_else(|| "–".to_owned(), |time| time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string())
}

/// The same to the minute, for people.
pub(crate) fn minute(seconds: f64) -> String {
    words::minute(&stamp(seconds))
}

/// A duration in its two largest units.
pub(crate) fn duration(seconds: f64) -> String {
    let whole = jiff::SignedDuration::try_from_secs_f64(seconds.max(0.0));
    let whole = whole.map_or(0, |duration| duration.as_secs());
    let (minutes, hours, days) = (whole / 60, whole / 3_600, whole / 86_400);
    match () {
        () if seconds < 0.0005 => "0 s".to_owned(),
        () if seconds < 1.0 => format!("{:.0} ms", seconds * 1_000.0),
        () if seconds < 10.0 => format!("{seconds:.1} s"),
        () if minutes == 0 => format!("{whole} s"),
        () if hours == 0 => format!("{minutes} min {} s", whole % 60),
        () if days == 0 => format!("{hours} h {} min", minutes % 60),
        () => format!("{days} d {} h", hours % 24),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_every_age_are_read() {
        let check = |stamp: &str, want: Option<&str>| {
            assert_eq!(seconds(stamp).map(super::stamp).as_deref(), want, "{stamp}");
        };
        check("2026-03-18T13:19:05Z", Some("2026-03-18T13:19:05Z"));
        check("2026-03-18T14:19:05.9+01:00", Some("2026-03-18T13:19:05Z"));
        check("2026-03-18 13:19:13.281973", Some("2026-03-18T13:19:13Z"));
        check("yesterday", None);
        check("", None);
        check("99999-01-01T00:00:00Z", None);
        assert_eq!(minute(f64::NAN), "–");
        assert_eq!(minute(1e300), "–");
    }

    #[test]
    fn durations_are_short() {
        for (seconds, want) in [
            (-1.0, "0 s"),
            (0.0, "0 s"),
            (0.25, "250 ms"),
            (3.04, "3.0 s"),
            (59.9, "59 s"),
            (61.0, "1 min 1 s"),
            (3_660.0, "1 h 1 min"),
            (90_000.0, "1 d 1 h"),
            (1e300, "0 s"),
        ] {
            assert_eq!(duration(seconds), want, "{seconds}");
        }
    }
}

//! Times: as Bear stores them, and as a model writes them.

use jiff::{
    SignedDuration, Timestamp,
    civil::{Date, DateTime},
    tz::TimeZone,
};
use thiserror::Error;

/// Bear counts seconds from the beginning of 2001, as all of Apple's libraries do.
const EPOCH: i64 = 978_307_200;

/// A time as it is stored; `None` for what is none, such as a number that no calendar reaches.
pub fn from_stored(seconds: f64) -> Option<Timestamp> {
    let since = SignedDuration::try_from_secs_f64(seconds).ok()?;
    Timestamp::from_duration(since.checked_add(SignedDuration::from_secs(EPOCH))?).ok()
}

/// A time as Bear would store it.
pub fn to_stored(time: Timestamp) -> f64 {
    (time.as_duration() - SignedDuration::from_secs(EPOCH)).as_secs_f64()
}

/// A day or a moment in the words of a model. A day is its beginning, in this time zone.
pub fn parse(text: &str, zone: &TimeZone) -> Result<Timestamp, NotADate> {
    let text = text.trim();
    let not_a_date = || NotADate { text: text.chars().take(100).collect() };
    if let Ok(moment) = text.parse::<Timestamp>() {
        return Ok(moment);
    }
    let local = text.parse::<Date>().map(|day| day.to_datetime(jiff::civil::Time::midnight()));
    // A moment is tried first: every moment would be read as the day it is in.
    let local = if text.contains([':', 'T', 't']) { text.parse::<DateTime>() } else { local };
    let zoned = local.ok().and_then(|local| local.to_zoned(zone.clone()).ok());
    zoned.map(|zoned| zoned.timestamp()).ok_or_else(not_a_date)
}

/// A time as an answer shows it: to the minute, in this time zone.
pub(crate) fn show(time: Option<Timestamp>, zone: &TimeZone) -> String {
    time.map_or_else(
        || "an unknown time".to_owned(),
        |time| time.to_zoned(zone.clone()).strftime("%Y-%m-%d %H:%M").to_string(),
    )
}

/// A text that is neither a day nor a moment.
#[derive(Debug, Error)]
#[error("`{text}` is not a date; write it like 2026-05-17 or 2026-05-17T10:30:00Z")]
pub struct NotADate {
    text: String,
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn stored_times_count_from_2001() {
        for (seconds, want) in [
            (0.0, Some("2001-01-01T00:00:00Z")),
            (-86400.5, Some("2000-12-30T23:59:59.5Z")),
            (800_000_000.0, Some("2026-05-09T06:13:20Z")),
            (f64::NAN, None),
            (f64::INFINITY, None),
            (1e300, None),
            (-1e18, None),
        ] {
            let time = from_stored(seconds).map(|time| time.to_string());
            assert_eq!(time.as_deref(), want, "{seconds}");
        }
    }

    #[test]
    fn models_write_days_and_moments() {
        let zone = TimeZone::fixed(jiff::tz::offset(2));
        for (text, want) in [
            ("2026-05-17", "2026-05-16T22:00:00Z"),
            (" 2026-05-17T10:30 ", "2026-05-17T08:30:00Z"),
            ("2026-05-17T10:30:00Z", "2026-05-17T10:30:00Z"),
            ("2026-05-17T10:30:00-04:00", "2026-05-17T14:30:00Z"),
        ] {
            assert_eq!(parse(text, &zone).unwrap().to_string(), want, "{text}");
        }
        for text in ["", "yesterday", "2026-13-01", "17.05.2026", "10:30", "'; DROP TABLE"] {
            let error = parse(text, &zone).unwrap_err().to_string();
            assert!(error.contains("is not a date; write it like"), "{error}");
        }
    }

    proptest! {
        #[test]
        fn any_number_is_a_time_or_none(seconds: f64) {
            from_stored(seconds);
        }

        #[test]
        fn times_survive(seconds in -5e9..5e9) {
            let back = to_stored(from_stored(seconds).unwrap());
            prop_assert!((back - seconds).abs() < 1e-3);
        }
    }
}

//! Times, as short as they can be said.

use jiff::{Timestamp, Unit, tz::TimeZone};

/// How long ago this was: `now`, `5m`, `3h`, `12d`, and the date of what is older than a month. Times that
/// cannot be read, and those in the future, are nothing and `now`.
pub(crate) fn ago(then: Option<Timestamp>, now: Timestamp) -> String {
    let Some(then) = then else { return String::new() };
    let seconds = now.duration_since(then).as_secs().max(0);
    match seconds {
        0..60 => "now".to_owned(),
        60..3600 => format!("{}m", seconds / 60),
        3600..86_400 => format!("{}h", seconds / 3600),
        86_400..2_678_400 => format!("{}d", seconds / 86_400),
        _ => local(then, "%Y-%m-%d"),
    }
}

/// Date and time of day, where the user is.
pub(crate) fn moment(then: Timestamp) -> String {
    local(then.round(Unit::Second).unwrap_or(then), "%Y-%m-%d %H:%M")
}

fn local(then: Timestamp, format: &str) -> String {
    then.to_zoned(TimeZone::system()).strftime(format).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_are_short() {
        let now: Timestamp = "2025-07-20T10:30:00Z".parse().unwrap();
        let check = |then: &str, want| assert_eq!(ago(then.parse().ok(), now), want, "{then}");
        check("2025-07-20T10:29:01Z", "now");
        check("2025-07-20T10:29:00Z", "1m");
        check("2025-07-20T09:30:01Z", "59m");
        check("2025-07-20T09:30:00Z", "1h");
        check("2025-07-19T10:30:01Z", "23h");
        check("2025-07-19T10:30:00Z", "1d");
        check("2025-06-20T10:30:00Z", "30d");
        check("2025-06-10T12:00:00Z", "2025-06-10");
        check("2030-01-01T00:00:00Z", "now");
        check("whenever", "");
    }
}

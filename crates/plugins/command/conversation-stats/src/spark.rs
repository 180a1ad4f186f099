//! Charts of one line.

/// Heights of a bar. The lowest is for nothing at all.
const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// The most bars of a chart.
pub(crate) const WIDTH: usize = 48;

/// How long one bar of a chart can be, in seconds, and what that is called.
const UNITS: [(f64, &str); 11] = [
    (1.0, "second"),
    (10.0, "10 seconds"),
    (60.0, "minute"),
    (600.0, "10 minutes"),
    (3_600.0, "hour"),
    (21_600.0, "6 hours"),
    (86_400.0, "day"),
    (604_800.0, "week"),
    (2_592_000.0, "30 days"),
    (31_536_000.0, "year"),
    (315_360_000.0, "decade"),
];

/// A bar for each value; the largest is as high as a line.
pub(crate) fn line(values: &[f64]) -> String {
    let largest = values.iter().copied().fold(0.0, f64::max);
    let bar = |value: &f64| {
        if *value <= 0.0 || largest <= 0.0 {
            return BARS[0];
        }
        let height = BARS.iter().enumerate().skip(1).rev().map(|(height, _)| height);
        // The highest whose share the value reaches; what is more than nothing is never the lowest.
        let reached = height.into_iter().find(|height| {
            let share = f64::from(u32::try_from(*height).unwrap_or(0)) / 7.0;
            value / largest + 1e-9 >= share
        });
        BARS[reached.unwrap_or(1)]
    };
    values.iter().map(bar).collect()
}

/// How often something happened over time: a value for each piece of it, and how long a piece is.
pub(crate) fn over_time(times: &[f64]) -> Option<(Vec<f64>, &'static str)> {
    let first = times.iter().copied().reduce(f64::min)?;
    let last = times.iter().copied().reduce(f64::max)?;
    let most = f64::from(u32::try_from(WIDTH).unwrap_or(1));
    let (unit, name) = UNITS.into_iter().find(|(unit, _)| (last - first) / unit < most)?;
    let place = |time: f64| place((time - first) / unit);
    let mut values = vec![0.0; place(last) + 1];
    for time in times {
        if let Some(value) = values.get_mut(place(*time)) {
            *value += 1.0;
        }
    }
    Some((values, name))
}

/// The number of the piece, which is below [`WIDTH`].
fn place(pieces: f64) -> usize {
    (0..WIDTH).rev().find(|n| f64::from(u32::try_from(*n).unwrap_or(0)) <= pieces).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_is_the_highest() {
        let check = |values: &[f64], want: &str| assert_eq!(line(values), want, "{values:?}");
        check(&[], "");
        check(&[0.0, 0.0], "▁▁");
        check(&[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0], "▁▂▃▄▅▆▇█");
        check(&[0.001, 1_000.0, 500.0], "▂█▄");
        check(&[5.0, 5.0], "██");
    }

    #[test]
    fn pieces_are_as_long_as_they_have_to_be() {
        let check = |times: &[f64], bars: usize, unit: &str| {
            let (values, name) = over_time(times).unwrap();
            assert_eq!((values.len(), name), (bars, unit), "{times:?}");
            assert_eq!(format!("{}", values.iter().sum::<f64>()), times.len().to_string());
        };
        check(&[5.0], 1, "second");
        check(&[100.0, 147.0], 48, "second");
        check(&[100.0, 148.0], 5, "10 seconds");
        check(&[0.0, 3_600.0], 7, "10 minutes");
        check(&[0.0, 47.5 * 86_400.0, 1.0], 48, "day");
        check(&[0.0, 400.0 * 86_400.0], 14, "30 days");
        assert_eq!(over_time(&[]), None);
        assert_eq!(over_time(&[0.0, 1e18]), None);
    }
}

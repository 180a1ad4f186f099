//! How many values a line of JSON has, before any of them is made.
//!
//! A value takes up to a hundred times as much memory as the two bytes it can be written in, so a line of 16 MiB
//! could become a gigabyte. What has more values than anybody needs is not read.

pub use jp_json::values_in;

/// The most values that a message may have.
pub const MAX_VALUES: usize = 200_000;

/// How many values there are in a line, at least; `None` if there are more than may be. What is no JSON has any
/// number.
pub fn count_values(line: &[u8]) -> Option<usize> {
    // Every value but the first needs at least two bytes.
    if line.len() < 2_048 {
        return Some(line.len() / 2);
    }
    Some(values_in(line)).filter(|count| *count <= MAX_VALUES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_counted_outside_of_strings() {
        let many = |count: usize| format!("{{\"a\":[{}0]}}", "0,".repeat(count)).into_bytes();
        assert_eq!(count_values(&many(5_000)), Some(5_002));
        assert_eq!(count_values(&many(MAX_VALUES)), None);
        let text = format!("{{\"text\":\"{}\\\"[,\"}}", "[,".repeat(MAX_VALUES));
        assert_eq!(count_values(text.as_bytes()), Some(1));
    }
}

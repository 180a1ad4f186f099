//! What is done to JSON without making a tree of it.
//!
//! A value takes up to a hundred times as much memory as the two bytes it can be written in, so a text of a few
//! megabytes can become gigabytes: whoever reads what somebody else wrote counts first. And nearly all bytes of
//! large messages are text, so [strings](escape) are read and written as fast as it goes. Nothing is checked here
//! beyond that, and nobody is told how many are too many: that is for those who know what the text is for.

mod string;

pub use self::string::{escape, escape_part, unescape};

/// How many values a text of JSON has, at least. What is no JSON has any number.
pub fn values_in(text: &[u8]) -> usize {
    let (mut count, mut in_string, mut escaped) = (0, false, false);
    for &byte in text {
        if in_string {
            in_string = escaped || byte != b'"';
            escaped = !escaped && byte == b'\\';
            continue;
        }
        match byte {
            b'"' => in_string = true,
            // Each value but the last of a list is followed by a comma, each list and object has a beginning.
            b',' | b'[' | b'{' => count += 1,
            _ => {}
        }
    }
    count
}

/// Whether a text of JSON has more values than this. A short one is not even looked at.
pub fn has_more_values(text: &[u8], most: usize) -> bool {
    // Every value but the first needs at least two bytes.
    text.len() / 2 > most && values_in(text) > most
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_counted_outside_of_texts() {
        let check = |text: &str, want| assert_eq!(values_in(text.as_bytes()), want, "{text}");
        check("", 0);
        check("[1,2,3]", 3);
        check(r#"{"a":[{}],"b":"[,{\",\\"}"#, 4);
        check(r#""\\",["#, 2);
    }

    #[test]
    fn what_is_short_cannot_have_many() {
        let check = |text: &str, most, want| {
            assert_eq!(has_more_values(text.as_bytes(), most), want, "{text} {most}");
        };
        check("[1,2,3]", 2, true);
        check("[1,2,3]", 3, false);
        check("[[[[", 1, true);
        // As dense as values can be.
        check("[0,0,0,0]", 3, true);
        check("[0,0,0,0]", 4, false);
        check(r#"["[[[[[[[["]"#, 1, false);
    }
}

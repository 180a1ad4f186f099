//! Text as it is compared: without the differences that people do not mean.
//!
//! The same é is one character in one note and two in another, depending on who typed it, so nothing is
//! compared as it is stored.

use unicode_normalization::{
    UnicodeNormalization,
    char::{decompose_compatible, is_combining_mark},
};

/// For searching: lower case, compatible forms, no accents. Writes over what was in the buffer.
pub(crate) fn for_search(text: &str, buffer: &mut String) {
    buffer.clear();
    if text.is_ascii() {
        buffer.push_str(text);
        buffer.make_ascii_lowercase();
        return;
    }
    for char in text.chars() {
        if char.is_ascii() {
            buffer.push(char.to_ascii_lowercase());
            continue;
        }
        // One by one is the same as the whole: only the order of accents could differ, and they go.
        decompose_compatible(char, |part| {
            if !is_combining_mark(part) {
                buffer.extend(part.to_lowercase());
            }
        });
    }
}

/// For names: lower case and one form for each character; accents tell names apart.
pub(crate) fn for_names(name: &str) -> String {
    name.trim().nfkc().flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn search(text: &str) -> String {
        let mut buffer = "left from before".to_owned();
        for_search(text, &mut buffer);
        buffer
    }

    #[test]
    fn what_people_do_not_mean_is_gone() {
        for (one, other) in [
            ("Café", "cafe\u{301}"),
            ("ＡＢＣ", "abc"),
            ("ÅNGSTRÖM", "angstrom"),
            ("ﬁle", "file"),
            ("PLAIN", "plain"),
            ("日本語", "日本語"),
        ] {
            assert_eq!(search(one), search(other), "{one}");
        }
        assert_ne!(search("cafe"), search("cafes"));
    }

    proptest! {
        #[test]
        fn one_by_one_is_the_same_as_the_whole(text: String) {
            let whole = text.nfkd().filter(|char| !is_combining_mark(*char));
            let whole: String = whole.flat_map(char::to_lowercase).collect();
            prop_assert_eq!(search(&text), whole);
        }
    }

    #[test]
    fn accents_tell_names_apart() {
        assert_eq!(for_names(" Caf\u{e9} "), for_names("CAFE\u{301}"));
        assert_ne!(for_names("café"), for_names("cafe"));
    }
}

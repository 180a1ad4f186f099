//! Text as it is compared: without the differences that people do not mean.
//!
//! The same é is one character in one note and two in another, depending on who typed it, so nothing is
//! compared as it is stored.

use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

/// For searching: lower case, compatible forms, no accents. Writes over what was in the buffer.
pub(crate) fn for_search(text: &str, buffer: &mut String) {
    buffer.clear();
    if text.is_ascii() {
        buffer.push_str(text);
        buffer.make_ascii_lowercase();
        return;
    }
    let plain = text.nfkd().filter(|char| !is_combining_mark(*char));
    buffer.extend(plain.flat_map(char::to_lowercase));
}

/// For names: lower case and one form for each character; accents tell names apart.
pub(crate) fn for_names(name: &str) -> String {
    name.trim().nfkc().flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
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

    #[test]
    fn accents_tell_names_apart() {
        assert_eq!(for_names(" Caf\u{e9} "), for_names("CAFE\u{301}"));
        assert_ne!(for_names("café"), for_names("cafe"));
    }
}

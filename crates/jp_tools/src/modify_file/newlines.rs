//! What of a text file is not its text: a byte order mark, and how lines end.
//!
//! Whoever edits writes `\n`. In a file where every line ends with CR LF that would match nothing, so
//! such a file is edited with plain newlines and gets its own back. A file that mixes them is edited
//! as it is.

use std::borrow::Cow;

const BOM: char = '\u{feff}';

/// How to get from an edited text back to the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Text {
    has_bom: bool,
    is_crlf: bool,
}

impl Text {
    /// The text of a file, and what it was without.
    pub(super) fn of(file: String) -> (Self, String) {
        let (has_bom, text) = match file.strip_prefix(BOM) {
            Some(rest) => (true, rest.to_owned()),
            None => (false, file),
        };
        let is_crlf = is_crlf(&text);
        let text = if is_crlf { text.replace("\r\n", "\n") } else { text };
        (Self { has_bom, is_crlf }, text)
    }

    /// The file of a text.
    pub(super) fn restore(self, text: &str) -> String {
        let mut file = String::with_capacity(text.len() + 4);
        if self.has_bom {
            file.push(BOM);
        }
        if self.is_crlf {
            file.push_str(&text.replace('\n', "\r\n"));
        } else {
            file.push_str(text);
        }
        file
    }
}

/// A text to put into a file, with newlines as the file has them while it is edited.
pub(super) fn normal(new: &str, text: Text) -> Cow<'_, str> {
    if text.is_crlf { new.replace("\r\n", "\n").into() } else { new.into() }
}

/// Whether all lines end with CR LF, so that replacing them is without loss.
fn is_crlf(text: &str) -> bool {
    let all = memchr::memchr_iter(b'\n', text.as_bytes()).count();
    all > 0 && memchr::memmem::find_iter(text.as_bytes(), b"\r\n").count() == all
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn newlines_are_plain_while_editing() {
        for (file, text) in [
            ("a\r\nb\r\n", "a\nb\n"),
            ("a\r\nb\n", "a\r\nb\n"),
            ("a\nb", "a\nb"),
            ("\u{feff}a\r\n", "a\n"),
            ("a\rb\r\n", "a\rb\n"),
            ("a\r\r\n", "a\r\n"),
            ("", ""),
        ] {
            let (how, split) = Text::of(file.to_owned());
            assert_eq!(split, text, "{file:?}");
            assert_eq!(how.restore(&split), file, "{file:?}");
        }
    }

    proptest! {
        #[test]
        fn what_is_not_edited_comes_back(file in "[\u{feff}a\r\n]{0,12}") {
            let (how, text) = Text::of(file.clone());
            prop_assert_eq!(how.restore(&text), file);
        }
    }
}

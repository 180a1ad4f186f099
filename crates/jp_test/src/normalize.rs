//! What differs between two runs of the same test, replaced by a name.
//!
//! Paths are replaced by their text. Ids and times are recognised by their form,
//! and only when a test asks for it, because a wrong number should be noticed.

/// Replacements, applied in the order in which they were added, then ids and times.
#[derive(Debug, Clone, Default)]
pub struct Normalizer {
    replacements: Vec<(String, String)>,
    times: bool,
    ids: bool,
}

impl Normalizer {
    /// Replaces a text by another, everywhere.
    #[must_use]
    pub fn replace(mut self, from: impl AsRef<str>, to: impl Into<String>) -> Self {
        self.replacements.push((from.as_ref().to_owned(), to.into()));
        self
    }

    /// Replaces numbers of eleven digits or more by `<id>`.
    #[must_use]
    pub fn hide_ids(mut self) -> Self {
        self.ids = true;
        self
    }

    /// Replaces `2026-11-15T19:42:07.5Z` and its like by `<time>`.
    #[must_use]
    pub fn hide_times(mut self) -> Self {
        self.times = true;
        self
    }

    /// The text with everything replaced.
    pub fn apply(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for (from, to) in self.replacements.iter().filter(|(from, _)| !from.is_empty()) {
            text = text.replace(from, to);
        }
        // Times first: a time without separators could look like an id.
        if self.times {
            text = substitute(&text, "<time>", time_len);
        }
        if self.ids {
            text = substitute(&text, "<id>", id_len);
        }
        text
    }
}

/// Replaces every place at which `len` recognises something, of the length it gives.
/// Only the start of a run of digits is looked at.
fn substitute(text: &str, name: &str, len: impl Fn(&str) -> Option<usize>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
        let (before, at) = rest.split_at(start);
        out.push_str(before);
        let (token, used) = match len(at) {
            Some(used) => (name, used),
            None => (&at[..digits(at)], digits(at)),
        };
        out.push_str(token);
        rest = &at[used..];
    }
    out + rest
}

fn digits(text: &str) -> usize {
    text.bytes().take_while(u8::is_ascii_digit).count()
}

fn id_len(text: &str) -> Option<usize> {
    Some(digits(text)).filter(|count| *count >= 11)
}

/// Length of a date, a time to the second, and what may follow: fraction and zone.
fn time_len(text: &str) -> Option<usize> {
    let mut len = shape_len(text, "dddd-dd-dd").and_then(|len| {
        let separator = text[len..].starts_with(['T', ' ']);
        separator.then_some(len + 1)
    })?;
    len += shape_len(&text[len..], "dd:dd:dd")?;
    if text[len..].starts_with('.') {
        len += 1 + digits(&text[len + 1..]);
    }
    let rest = &text[len..];
    let zone = ["Z", "+dd:dd", "-dd:dd", "+dddd", "-dddd"];
    Some(len + zone.iter().find_map(|shape| shape_len(rest, shape)).unwrap_or(0))
}

/// Length of `shape` if the text begins with it, `d` standing for a digit.
fn shape_len(text: &str, shape: &str) -> Option<usize> {
    let mut bytes = text.bytes();
    let fits = shape.bytes().all(|want| {
        bytes.next().is_some_and(
            |got| {
                if want == b'd' { got.is_ascii_digit() } else { got == want }
            },
        )
    });
    fits.then_some(shape.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_replaced_in_order() {
        let normalizer = Normalizer::default().replace("/a/home", "$HOME").replace("/a", "$ROOT");
        assert_eq!(normalizer.apply("/a/home/x /a/y /a"), "$HOME/x $ROOT/y $ROOT");
        assert_eq!(normalizer.apply("17127583920"), "17127583920", "ids stay unless asked");
    }

    #[test]
    fn ids_are_long_numbers() {
        let check = |text: &str, want: &str| {
            assert_eq!(Normalizer::default().hide_ids().apply(text), want, "{text}");
        };
        check("jp-c17127583920-title", "jp-c<id>-title");
        check("1712758392", "1712758392");
        check("12 17127583920 171275839201", "12 <id> <id>");
        check("é17127583920é", "é<id>é");
    }

    #[test]
    fn times_have_a_date_and_seconds() {
        let check = |text: &str, want: &str| {
            assert_eq!(Normalizer::default().hide_times().apply(text), want, "{text}");
        };
        check("at 2026-11-15T19:42:07Z.", "at <time>.");
        check("2026-11-15 19:42:07.123456+01:00", "<time>");
        check("2026-11-15T19:42:07-0100 x", "<time> x");
        check("2026-11-15T19:42:07", "<time>");
        check("2026-11-15 19:42", "2026-11-15 19:42");
        check("2026-11-15", "2026-11-15");
        check("2026-11-1é", "2026-11-1é");
    }
}

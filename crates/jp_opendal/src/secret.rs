//! Values that nobody may read in an error.

use std::fmt;

/// Shorter ones would make holes into every text.
const MIN_LEN: usize = 4;

/// The secret values of a configuration.
#[derive(Clone, Default)]
pub(crate) struct Secrets(Vec<String>);

impl Secrets {
    pub(crate) fn new(values: impl IntoIterator<Item = String>) -> Self {
        let mut values: Vec<_> =
            values.into_iter().filter(|value| value.len() >= MIN_LEN).collect();
        // One that holds another has to go first, or the rest of it would stay.
        values.sort_by_key(|value| std::cmp::Reverse(value.len()));
        Self(values)
    }

    /// The text without them.
    pub(crate) fn hide(&self, text: &str) -> String {
        self.0.iter().fold(text.to_owned(), |text, secret| text.replace(secret.as_str(), "***"))
    }
}

impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secrets(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_in_no_text() {
        let secrets =
            Secrets::new(["hunter2".to_owned(), "hunter2-long".to_owned(), "a".to_owned()]);
        assert_eq!(secrets.hide("a hunter2-long and hunter2"), "a *** and ***");
        assert!(!format!("{secrets:?}").contains("hunter"));
    }
}

//! Secrets that a browser has to know, compared so that the time it takes tells nothing.

use std::{fmt, hint::black_box};

use sha2::{Digest as _, Sha256};

/// A secret. It is never shown by accident.
pub(crate) struct Token(String);

impl Token {
    /// One that nobody has seen: 32 bytes of randomness.
    pub(crate) fn random() -> Result<Self, getrandom::Error> {
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes)?;
        Ok(Self(hex(&bytes)))
    }

    /// Whether somebody knows it. Digests are compared, all of their bytes, so neither how much is right
    /// nor how long the secret is can be measured.
    pub(crate) fn is(&self, guess: &str) -> bool {
        let (ours, theirs) = (Sha256::digest(&self.0), Sha256::digest(guess));
        let differences = ours.iter().zip(&theirs).fold(0, |all, (a, b)| black_box(all | (a ^ b)));
        differences == 0
    }

    /// The secret itself, for whoever may see it.
    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }
}

impl From<String> for Token {
    fn from(text: String) -> Self {
        Self(text)
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(…)")
    }
}

/// Bytes as hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_same_text_is_it() {
        let token = Token::from("correct horse".to_owned());
        assert!(token.is("correct horse"));
        for guess in ["", "correct", "correct horse ", "Correct horse"] {
            assert!(!token.is(guess), "{guess}");
        }
    }

    #[test]
    fn random_ones_differ_and_are_not_shown() {
        let (one, other) = (Token::random().unwrap(), Token::random().unwrap());
        assert!(!one.is(other.reveal()));
        assert_eq!(one.reveal().len(), 64);
        assert_eq!(format!("{one:?}"), "Token(…)");
    }
}

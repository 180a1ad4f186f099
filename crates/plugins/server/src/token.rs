//! Secrets that a client has to know, compared so that the time it takes tells nothing.

use std::{fmt, hint::black_box};

use sha2::{Digest as _, Sha256};

/// One that is shorter can be guessed.
const SHORTEST: usize = 16;
const LONGEST: usize = 512;
/// The randomness in one that is made here, in bytes.
const RANDOM: usize = 24;

/// A secret. It is never shown by accident.
#[derive(Clone)]
pub struct Token {
    text: String,
    is_new: bool,
}

/// Why a text is no token.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TokenError {
    /// It is too short or too long.
    #[error("a token has {SHORTEST} to {LONGEST} characters, and this has {0}")]
    Length(usize),
    /// It could not stand in a header or an address.
    #[error("a token has letters, digits and `-._~+/=` only")]
    Characters,
}

/// The operating system has no randomness.
#[derive(Debug, thiserror::Error)]
#[error("there is no randomness to make a secret of")]
pub struct NoRandomness(#[source] getrandom::Error);

impl Token {
    /// One that nobody has seen.
    pub fn random() -> Result<Self, NoRandomness> {
        let mut bytes = [0; RANDOM];
        getrandom::fill(&mut bytes).map_err(NoRandomness)?;
        Ok(Self { text: hex(&bytes), is_new: true })
    }

    /// One that the user has chosen.
    pub fn given(text: &str) -> Result<Self, TokenError> {
        if !text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._~+/=".contains(&byte)) {
            return Err(TokenError::Characters);
        }
        if !(SHORTEST..=LONGEST).contains(&text.len()) {
            return Err(TokenError::Length(text.len()));
        }
        Ok(Self { text: text.to_owned(), is_new: false })
    }

    /// Whether somebody knows it. Digests are compared, all of their bytes, so neither how much is right
    /// nor how long the secret is can be measured.
    pub fn is(&self, guess: &str) -> bool {
        let (ours, theirs) = (Sha256::digest(&self.text), Sha256::digest(guess));
        let differences = ours.iter().zip(&theirs).fold(0, |all, (a, b)| black_box(all | (a ^ b)));
        differences == 0
    }

    /// Whether it was made here, so that the user does not know it yet.
    pub fn is_new(&self) -> bool {
        self.is_new
    }

    /// The secret itself, for whoever may see it.
    pub fn reveal(&self) -> &str {
        &self.text
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Token").field("is_new", &self.is_new).finish_non_exhaustive()
    }
}

/// Bytes as hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_same_text_is_it() {
        let token = Token::given("correct-horse-battery").unwrap();
        assert!(token.is("correct-horse-battery"));
        for guess in ["", "correct", "correct-horse-battery ", "Correct-horse-battery"] {
            assert!(!token.is(guess), "{guess}");
        }
    }

    #[test]
    fn new_ones_differ_and_are_not_shown() {
        let (one, other) = (Token::random().unwrap(), Token::random().unwrap());
        assert!(!one.is(other.reveal()));
        assert_eq!(one.reveal().len(), 2 * RANDOM);
        assert!(!format!("{one:?}").contains(one.reveal()));
        assert!(one.is_new() && Token::given(one.reveal()).is_ok_and(|token| !token.is_new()));
    }

    #[test]
    fn what_cannot_be_a_token_is_refused() {
        let check = |text: &str, want| assert_eq!(Token::given(text).err(), Some(want), "{text}");
        check("", TokenError::Length(0));
        check("short", TokenError::Length(5));
        check(&"x".repeat(513), TokenError::Length(513));
        check("0123456789 abcdef", TokenError::Characters);
        check("0123456789äabcdef", TokenError::Characters);
        check("0123456789\0abcdef", TokenError::Characters);
    }
}

//! The token that every client has to send.
//!
//! It is compared by its sum: how long the comparison takes says nothing about the token, because nobody
//! can choose a text by the first bytes of its sum.

use std::fmt;

use sha2::{Digest as _, Sha256};

/// The characters that a token of the user has at least.
const SHORTEST: usize = 16;
const LONGEST: usize = 512;

/// A secret.
#[derive(Clone)]
pub(crate) struct Token {
    text: String,
    is_new: bool,
}

/// The sum of a token, which is all that is needed to know one.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Sum([u8; 32]);

/// Why a text is no token.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum TokenError {
    #[error("a token has {SHORTEST} to {LONGEST} characters, and this has {0}")]
    Length(usize),
    #[error("a token has letters, digits and `-._~+/=` only")]
    Characters,
}

impl Token {
    /// A new one, from the randomness of the operating system.
    pub(crate) fn generate() -> Result<Self, getrandom::Error> {
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes)?;
        Ok(Self { text: base64_simd::URL_SAFE_NO_PAD.encode_to_string(bytes), is_new: true })
    }

    /// One that the user has chosen.
    pub(crate) fn given(text: &str) -> Result<Self, TokenError> {
        if !text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._~+/=".contains(&byte)) {
            return Err(TokenError::Characters);
        }
        if !(SHORTEST..=LONGEST).contains(&text.len()) {
            return Err(TokenError::Length(text.len()));
        }
        Ok(Self { text: text.to_owned(), is_new: false })
    }

    /// Whether the user does not know it yet.
    pub(crate) fn is_new(&self) -> bool {
        self.is_new
    }

    /// The secret itself, to be shown.
    pub(crate) fn reveal(&self) -> &str {
        &self.text
    }

    pub(crate) fn sum(&self) -> Sum {
        Sum::of(&self.text)
    }
}

impl Sum {
    pub(crate) fn of(text: &str) -> Self {
        Self(Sha256::digest(text).into())
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Token").field("is_new", &self.is_new).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_tokens_differ_and_are_tokens() {
        let (a, b) = (Token::generate().unwrap(), Token::generate().unwrap());
        assert_ne!(a.reveal(), b.reveal());
        assert!(a.is_new() && Token::given(a.reveal()).is_ok_and(|token| !token.is_new()));
        assert!(!format!("{a:?}").contains(a.reveal()));
    }

    #[test]
    fn what_cannot_be_a_token_is_refused() {
        let check = |text: &str, want| assert_eq!(Token::given(text).err(), Some(want), "{text}");
        check("short", TokenError::Length(5));
        check(&"x".repeat(513), TokenError::Length(513));
        check("0123456789 abcdef", TokenError::Characters);
        check("0123456789äabcdef", TokenError::Characters);
    }
}

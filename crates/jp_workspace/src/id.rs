//! The id of a workspace: made once, kept in `.jp/id`, the same for as long as the directory lives.

use std::{fmt, str::FromStr};

/// Ten characters of `a-z` and `2-7`: 50 random bits, short enough to read aloud.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct WorkspaceId(String);

const LENGTH: usize = 10;
const ALPHABET: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";

impl WorkspaceId {
    /// A new id, from the randomness of the operating system.
    pub(crate) fn random() -> Result<Self, getrandom::Error> {
        let mut bytes = [0; LENGTH];
        getrandom::fill(&mut bytes)?;
        let letters = bytes.iter().map(|byte| char::from(ALPHABET[usize::from(byte % 32)]));
        Ok(Self(letters.collect()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for WorkspaceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Ids that others made may be shorter or longer; what matters is that one is safe in a path and on
/// a terminal.
impl FromStr for WorkspaceId {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let fits =
            (1..=64).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_alphanumeric());
        if fits { Ok(Self(text.to_owned())) } else { Err(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_ids_differ_and_read_back() {
        let (a, b) = (WorkspaceId::random().unwrap(), WorkspaceId::random().unwrap());
        assert_ne!(a, b);
        assert_eq!(a.as_str().parse(), Ok(a.clone()));
        assert_eq!(a.as_str().len(), LENGTH);
    }

    #[test]
    fn an_id_is_letters_and_digits() {
        assert!("a1b2c".parse::<WorkspaceId>().is_ok());
        for bad in ["", "a b", "../x", "a\n", "é"] {
            assert!(bad.parse::<WorkspaceId>().is_err(), "{bad:?}");
        }
    }
}

//! SHA-256 checksums: what says that a file is the one that somebody meant.

use std::{fmt, io, str::FromStr};

use serde::{Deserialize, Serialize};
use sha2::Digest as _;

/// A checksum. Two are equal in whatever case they were written.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Sha256([u8; 32]);

/// A text that is no checksum.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a SHA-256 checksum: 64 hexadecimal digits are needed")]
pub struct InvalidSha256(String);

impl Sha256 {
    /// The checksum of everything that can be read.
    pub fn of(mut from: impl io::Read) -> io::Result<Self> {
        let mut sum = Summing::default();
        let mut piece = vec![0; 64 << 10];
        loop {
            match from.read(&mut piece) {
                Ok(0) => return Ok(sum.end()),
                Ok(read) => sum.add(&piece[..read]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// The bytes.
    pub fn bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

/// A checksum that is being made.
#[derive(Debug, Default, Clone)]
pub(crate) struct Summing(sha2::Sha256);

impl Summing {
    pub(crate) fn add(&mut self, piece: &[u8]) {
        self.0.update(piece);
    }

    pub(crate) fn end(self) -> Sha256 {
        Sha256(self.0.finalize().into())
    }
}

impl FromStr for Sha256 {
    type Err = InvalidSha256;

    fn from_str(text: &str) -> Result<Self, InvalidSha256> {
        let invalid = || InvalidSha256(text.chars().take(80).collect());
        let digits = jp_config::Sha256::try_from(text.to_owned()).map_err(|_| invalid())?;
        Ok(Self::from(&digits))
    }
}

/// As somebody wrote it into a setting.
impl From<&jp_config::Sha256> for Sha256 {
    fn from(written: &jp_config::Sha256) -> Self {
        Self(written.bytes())
    }
}

impl TryFrom<String> for Sha256 {
    type Error = InvalidSha256;

    fn try_from(text: String) -> Result<Self, InvalidSha256> {
        text.parse()
    }
}

impl From<Sha256> for String {
    fn from(sum: Sha256) -> Self {
        sum.to_string()
    }
}

/// In small letters.
impl fmt::Display for Sha256 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Sha256 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EMPTY: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

    #[test]
    fn a_checksum_is_read_in_any_case_and_written_in_one() {
        let sum = Sha256::of(io::empty()).unwrap();
        assert_eq!(sum.to_string(), EMPTY);
        assert_eq!(EMPTY.to_uppercase().parse(), Ok(sum));
        let (short, long) = (&EMPTY[1..], format!("{EMPTY}0"));
        let (sign, letter) = (EMPTY.replace("e3", "+3"), EMPTY.replace('e', "g"));
        for bad in ["", short, &long, &sign, &letter, &"é".repeat(32)] {
            assert!(bad.parse::<Sha256>().is_err(), "{bad}");
        }
    }
}

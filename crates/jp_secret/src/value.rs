//! A value that is not printed.
//!
//! Memory is not wiped when one is dropped. The values come from the environment of the process,
//! where they stay as long as it runs, and buffers of sockets hold more copies; wiping one of them
//! would only look safe.

use std::fmt;

/// A value that only [`reveal`](Secret::reveal) shows.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(Vec<u8>);

impl Secret {
    /// Keeps a value from being printed.
    pub fn new(value: impl Into<Vec<u8>>) -> Self {
        Self(value.into())
    }

    /// The value itself. What is made of it must not reach a tool unscrubbed.
    pub fn reveal(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// What the host says about a variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Lookup {
    /// It may be used, and this is its value.
    Value(Secret),
    /// It may be used, but the host does not have it.
    Unknown,
    /// It may not be used. Whether the host has it is nobody's business then.
    Disallowed,
}

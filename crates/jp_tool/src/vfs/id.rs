//! The name that a tool gives a request, so that it can tell the answers apart.
//!
//! The host repeats it as it was: `1` is answered with `1` and `"1"` with `"1"`. It keeps one for
//! every request that is not answered yet, so an id is short.

use std::fmt;

use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The id of a request: an integer of 64 bits, or a string of at most [`Id::MAX_LEN`] bytes.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Id {
    /// A number. Fractions are refused, because they may not come back as they were written.
    Integer(i64),
    /// A string.
    String(String),
}

impl Id {
    /// How many bytes a string may have.
    pub const MAX_LEN: usize = 1024;
}

impl From<i64> for Id {
    fn from(id: i64) -> Self {
        Self::Integer(id)
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer(id) => id.fmt(f),
            Self::String(id) => write!(f, "{id:?}"),
        }
    }
}

impl Serialize for Id {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Integer(id) => serializer.serialize_i64(*id),
            Self::String(id) => serializer.serialize_str(id),
        }
    }
}

impl<'de> Deserialize<'de> for Id {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(IdVisitor)
    }
}

struct IdVisitor;

impl Visitor<'_> for IdVisitor {
    type Value = Id;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "an integer of 64 bits or a string of at most {} bytes", Id::MAX_LEN)
    }

    fn visit_i64<E: de::Error>(self, id: i64) -> Result<Id, E> {
        Ok(Id::Integer(id))
    }

    fn visit_u64<E: de::Error>(self, id: u64) -> Result<Id, E> {
        let integer = i64::try_from(id);
        integer.map(Id::Integer).map_err(|_| E::invalid_value(de::Unexpected::Unsigned(id), &self))
    }

    fn visit_str<E: de::Error>(self, id: &str) -> Result<Id, E> {
        if id.len() > Id::MAX_LEN {
            return Err(E::invalid_length(id.len(), &self));
        }
        Ok(Id::String(id.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_keeps_its_value_and_its_type() {
        // D11-032
        for text in ["0", "1", "-7", "9223372036854775807", r#""1""#, r#""""#, r#""a\nb""#] {
            let id: Id = serde_json::from_str(text).unwrap();
            assert_eq!(serde_json::to_string(&id).unwrap(), text);
        }
        let longest = format!("{:?}", "x".repeat(Id::MAX_LEN));
        assert!(serde_json::from_str::<Id>(&longest).is_ok());
    }

    #[test]
    fn what_could_not_be_repeated_is_refused() {
        let longer = format!("{:?}", "x".repeat(Id::MAX_LEN + 1));
        let others = ["1.5", "1e3", "9223372036854775808", "null", "true", "[1]", "{}", &longer];
        for text in others {
            assert!(serde_json::from_str::<Id>(text).is_err(), "{text}");
        }
    }
}

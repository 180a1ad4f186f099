//! The building blocks of the configuration types: lists that layers extend, tables with checked
//! names, strings with a form.

pub(crate) mod format;
pub(crate) mod mergeable;
pub(crate) mod name_map;

use serde::{Deserialize, Deserializer};

/// Reads an optional value so that `null` is a value and only a missing key is `None`. Without it
/// a `null` from JSON would be lost on the way through [`Option`].
pub(crate) fn present<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    T::deserialize(deserializer).map(Some)
}

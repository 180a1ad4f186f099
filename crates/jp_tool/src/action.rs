//! What a tool is asked to do.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// What the host wants of this invocation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Action {
    /// Do the work.
    #[default]
    Run,
    /// Say how the arguments should be shown to a person; do nothing else.
    FormatArguments,
    /// Describe the tools in this program and their parameters; do nothing else.
    Schema,
}

impl Action {
    /// The name on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Run => "run",
            Self::FormatArguments => "format_arguments",
            Self::Schema => "schema",
        }
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for Action {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// Reads any case: `run`, `Run` and `FormatArguments` are all in use.
impl<'de> Deserialize<'de> for Action {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        let letters: String =
            name.chars().filter(|c| *c != '_' && *c != '-').flat_map(char::to_lowercase).collect();
        match letters.as_str() {
            "run" => Ok(Self::Run),
            "formatarguments" => Ok(Self::FormatArguments),
            "schema" => Ok(Self::Schema),
            _ => Err(de::Error::unknown_variant(&name, &["run", "format_arguments", "schema"])),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_written_in_one_form_and_read_in_any_case() {
        // 076-235, 076-236, D06-002, D06-004
        for (action, names) in [
            (Action::Run, ["run", "Run", "RUN"]),
            (Action::FormatArguments, ["format_arguments", "FormatArguments", "FORMAT_ARGUMENTS"]),
            (Action::Schema, ["schema", "Schema", "SCHEMA"]),
        ] {
            assert_eq!(serde_json::to_string(&action).unwrap(), format!("{:?}", names[0]));
            for name in names {
                assert_eq!(serde_json::from_str::<Action>(&format!("{name:?}")).unwrap(), action);
            }
        }
        assert!(serde_json::from_str::<Action>("\"walk\"").is_err());
    }
}

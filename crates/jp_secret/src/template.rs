//! A text in which `${VAR}` stands for a variable of the host.
//!
//! | text | meaning |
//! |---|---|
//! | `${NAME}` | the value of the variable; a name has letters, digits and `_`, and begins with no digit |
//! | `$${` | `${` as it is, for the rare text that needs it |
//! | `$` before anything else | a dollar sign |
//!
//! Whatever begins like a variable and is none is an error. Taking it as text would send a tool's
//! mistake to a server, where it looks like a wrong password.
//!
//! A value is put in as it is and not looked through again, so a variable whose value is
//! `${OTHER}` does not lead to the other one.

use std::fmt;

use crate::{Lookup, Secret};

/// How much of a wrong name is repeated.
const SHOWN: usize = 60;

/// A text that was taken apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    parts: Vec<Part>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Text(String),
    Variable(String),
}

/// Why a text is no template.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TemplateError {
    /// A `${` without its `}`.
    #[error("`${{` without `}}`; write `$${{` for the characters themselves")]
    Unclosed,
    /// A `${}`.
    #[error("`${{}}` names no variable; write `$${{` for the characters themselves")]
    Empty,
    /// No variable is called like this.
    #[error("not the name of a variable: {name:?}; it can have letters, digits and `_`")]
    Name {
        /// The name, cut at a length.
        name: String,
    },
}

/// Why a template cannot be filled. A value is never part of it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SubstituteError {
    /// The variable may be used, but the host does not have it.
    #[error("the variable {name} is not set on the host")]
    Unknown {
        /// The variable.
        name: String,
    },
    /// The variable may not be used.
    #[error("access denied: the variable {name} is not listed for this tool")]
    Disallowed {
        /// The variable.
        name: String,
    },
}

impl SubstituteError {
    /// The variable that it is about.
    pub fn name(&self) -> &str {
        match self {
            Self::Unknown { name } | Self::Disallowed { name } => name,
        }
    }
}

/// A template with its values in it.
#[derive(Clone, PartialEq, Eq)]
pub struct Filled {
    bytes: Vec<u8>,
    secrets: Vec<Secret>,
}

impl Template {
    /// Takes a text apart.
    pub fn parse(text: &str) -> Result<Self, TemplateError> {
        let mut parts = Vec::new();
        let mut literal = String::new();
        let mut rest = text;
        while let Some(found) = rest.find("${") {
            let (before, after) = (&rest[..found], &rest[found + 2..]);
            if let Some(before) = before.strip_suffix('$') {
                literal.push_str(before);
                literal.push_str("${");
                rest = after;
                continue;
            }
            literal.push_str(before);
            let (name, after) = after.split_once('}').ok_or(TemplateError::Unclosed)?;
            let name = checked(name)?;
            parts.extend(text_part(std::mem::take(&mut literal)));
            parts.push(Part::Variable(name));
            rest = after;
        }
        literal.push_str(rest);
        parts.extend(text_part(literal));
        Ok(Self { parts })
    }

    /// The variables, in the order in which they occur, each once.
    pub fn names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for part in &self.parts {
            match part {
                Part::Variable(name) if !names.contains(&name.as_str()) => names.push(name),
                Part::Variable(_) | Part::Text(_) => {}
            }
        }
        names
    }

    /// Puts the values in. A variable that occurs twice is looked up twice.
    pub fn fill(&self, mut lookup: impl FnMut(&str) -> Lookup) -> Result<Filled, SubstituteError> {
        let mut filled = Filled { bytes: Vec::new(), secrets: Vec::new() };
        for part in &self.parts {
            match part {
                Part::Text(text) => filled.bytes.extend_from_slice(text.as_bytes()),
                Part::Variable(name) => match lookup(name) {
                    Lookup::Value(secret) => {
                        filled.bytes.extend_from_slice(secret.reveal());
                        filled.secrets.push(secret);
                    }
                    Lookup::Unknown => {
                        return Err(SubstituteError::Unknown { name: name.clone() });
                    }
                    Lookup::Disallowed => {
                        return Err(SubstituteError::Disallowed { name: name.clone() });
                    }
                },
            }
        }
        Ok(filled)
    }
}

impl Filled {
    /// The whole text, values included.
    pub fn reveal(&self) -> &[u8] {
        &self.bytes
    }

    /// The values in it. None if the template had no variable.
    pub fn secrets(&self) -> &[Secret] {
        &self.secrets
    }
}

impl fmt::Debug for Filled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Filled(… with {} secrets)", self.secrets.len())
    }
}

fn text_part(text: String) -> Option<Part> {
    (!text.is_empty()).then_some(Part::Text(text))
}

fn checked(name: &str) -> Result<String, TemplateError> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if name.is_empty() {
        return Err(TemplateError::Empty);
    }
    if name.starts_with(|c: char| c.is_ascii_digit()) || !name.chars().all(is_name) {
        return Err(TemplateError::Name { name: name.chars().take(SHOWN).collect() });
    }
    Ok(name.to_owned())
}

#[cfg(test)]
mod tests;

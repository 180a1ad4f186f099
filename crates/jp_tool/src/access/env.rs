//! Rules for environment variables: a name, or the beginning of one, and whether it can be read.
//!
//! A name that ends in `*` stands for every variable that begins with what is before the star; any
//! other name stands for itself. The rule with the longest literal part wins, and of an exact name
//! and a prefix of the same length the exact name. Names are compared byte by byte: case counts,
//! and `_` is a character like any other.
//!
//! The danger is a rule that nobody can read, `A*B` for example. Configuration refuses it, but a
//! policy can also come over the wire. There such a rule never allows anything, and one that was
//! meant to deny denies every variable, because what it was meant for is not known.

use serde::{Deserialize, Serialize};

use super::{AccessPolicy, Decision, EnvSpecificity};

/// One rule: which variables, and whether they can be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EnvRule {
    /// A name, or the beginning of names followed by `*`.
    pub name: String,
    /// Whether the variable can be read. A rule that does not say so denies it.
    #[serde(default)]
    pub read: bool,
}

impl EnvRule {
    /// A rule for a name.
    pub fn new(name: impl Into<String>, read: bool) -> Self {
        Self { name: name.into(), read }
    }

    /// Checks that the name of the rule can be read.
    pub fn validate(&self) -> Result<(), InvalidEnvName> {
        EnvName::parse(&self.name).map(|_| ())
    }

    /// Whether the rule speaks about a variable. One that nobody can read speaks about all if it
    /// denies, and about none if it allows.
    pub fn matches(&self, variable: &str) -> bool {
        EnvName::parse(&self.name).map_or(!self.read, |name| name.matches(variable))
    }

    /// How specific the rule is among those that match a variable.
    pub fn specificity(&self) -> EnvSpecificity {
        EnvName::parse(&self.name).map_or(EnvSpecificity::Unreadable, |name| EnvSpecificity::Name {
            bytes: name.literal().len(),
            exact: matches!(name, EnvName::Exact(_)),
        })
    }
}

/// The name of a rule, taken apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EnvName<'a> {
    /// This variable only.
    Exact(&'a str),
    /// Every variable that begins like this. Empty for a lone `*`, which matches every name.
    Prefix(&'a str),
}

impl<'a> EnvName<'a> {
    /// Takes a name apart, or says why it stands for nothing.
    pub fn parse(name: &'a str) -> Result<Self, InvalidEnvName> {
        let (literal, parsed) = match name.strip_suffix('*') {
            Some(literal) => (literal, Self::Prefix(literal)),
            None => (name, Self::Exact(name)),
        };
        if name.is_empty() {
            return Err(InvalidEnvName::Empty);
        }
        if literal.contains('*') {
            return Err(InvalidEnvName::Star { name: name.to_owned() });
        }
        // No variable can have these in its name, so the rule would silently match nothing.
        if let Some(character) = literal.chars().find(|c| matches!(c, '=' | '\0')) {
            return Err(InvalidEnvName::Character { name: name.to_owned(), character });
        }
        Ok(parsed)
    }

    /// Whether this stands for a variable.
    pub fn matches(self, variable: &str) -> bool {
        match self {
            Self::Exact(name) => variable == name,
            Self::Prefix(prefix) => variable.starts_with(prefix),
        }
    }

    /// The name without the star.
    pub fn literal(self) -> &'a str {
        match self {
            Self::Exact(literal) | Self::Prefix(literal) => literal,
        }
    }
}

/// Why a name in a rule stands for nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidEnvName {
    /// There is no name.
    #[error("the name of a variable is empty; write `*` for every variable")]
    Empty,
    /// A star that is not the last character.
    #[error("`*` can only be the last character of a variable name: {name:?}")]
    Star {
        /// The name as it was given.
        name: String,
    },
    /// A character that no name can contain.
    #[error("a variable name cannot contain {character:?}: {name:?}")]
    Character {
        /// The name as it was given.
        name: String,
        /// The first such character.
        character: char,
    },
}

/// A variable that may not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("access denied: environment variable {name}")]
pub struct EnvAccessError {
    /// The variable that was asked for.
    pub name: String,
    /// The names of the rules that let something be read.
    pub grants: Vec<String>,
}

impl AccessPolicy {
    /// What the rules say about reading a variable. Without any rules that is
    /// [`Uncovered`](Decision::Uncovered); [`check_env`](Self::check_env) knows what that means.
    pub fn decide_env(&self, variable: &str) -> Decision<'_, EnvRule> {
        // Of several that are equally specific this takes the last.
        let winner = self
            .env
            .iter()
            .filter(|rule| rule.matches(variable))
            .max_by_key(|rule| rule.specificity());
        Decision::of(winner, |rule| rule.read)
    }

    /// Checks that a variable may be read. A policy without rules for variables restricts none.
    pub fn check_env(&self, variable: &str) -> Result<(), EnvAccessError> {
        if self.env.is_empty() || self.decide_env(variable).is_allowed() {
            return Ok(());
        }
        let grants = self.env.iter().filter(|rule| rule.read && rule.validate().is_ok());
        Err(EnvAccessError {
            name: variable.to_owned(),
            grants: grants.map(|rule| rule.name.clone()).collect(),
        })
    }
}

#[cfg(test)]
mod tests;

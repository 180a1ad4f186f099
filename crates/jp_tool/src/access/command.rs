//! Rules for starting programs: which ones, with which arguments, and with which variables.
//!
//! A policy without `commands` lets any program be started; with it only those that it lists, and an
//! empty list lets none. They restrict nothing but the start of programs: what the program may touch
//! once it runs is for the rules of the other kinds.
//!
//! A program is compared as it is written. A rule for `cargo` means the one that the host finds in
//! its own search path, so it does not match `./cargo` or `/tmp/cargo`: a tool that can write a file
//! could otherwise name it after a program that is allowed. A rule for `/usr/bin/cargo` matches that
//! path and not the bare name, for which the search path could lead elsewhere.

use std::{collections::BTreeMap, ops::Deref};

use serde::{Deserialize, Serialize};

use super::{AccessPolicy, Decision, EnvName, InvalidEnvName};

/// Stands at the end of a list of arguments for any further ones, or none.
const REST: &str = "**";

/// The programs that may be started, by name or absolute path.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Commands(BTreeMap<String, CommandRule>);

impl Commands {
    /// Checks that every rule can match something.
    pub fn validate(&self) -> Result<(), InvalidCommandRule> {
        self.0.iter().try_for_each(|(program, rule)| rule.validate(program))
    }
}

impl Deref for Commands {
    type Target = BTreeMap<String, CommandRule>;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl<P: Into<String>> FromIterator<(P, CommandRule)> for Commands {
    fn from_iter<I: IntoIterator<Item = (P, CommandRule)>>(rules: I) -> Self {
        Self(rules.into_iter().map(|(program, rule)| (program.into(), rule)).collect())
    }
}

/// How one program may be started.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommandRule {
    /// The lists of arguments it may be given. Absent: any; empty: none at all.
    ///
    /// Each list is compared with the arguments from the first one on and has to match them all. One
    /// that ends in `**` has to match only the beginning and lets anything follow.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub args: Option<Vec<Vec<String>>>,
    /// The variables of the host that it may be given, written like the name of an
    /// [`EnvRule`](super::EnvRule).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub envs: Vec<String>,
}

impl CommandRule {
    /// Whether it may be given these arguments.
    pub fn allows<S: AsRef<str>>(&self, args: &[S]) -> bool {
        match self.args.as_deref() {
            None => true,
            Some([]) => args.is_empty(),
            Some(_) => self.matching_entry(args).is_some(),
        }
    }

    /// The first entry of `args` that matches. An entry that [`validate`](Commands::validate) would
    /// refuse matches nothing.
    pub fn matching_entry<S: AsRef<str>>(&self, args: &[S]) -> Option<&[String]> {
        let entries = self.args.as_deref().unwrap_or_default();
        entries.iter().map(Vec::as_slice).find(|entry| entry_matches(entry, args))
    }

    /// Whether a variable of the host may be handed on. A name that cannot be read stands for none.
    pub fn forwards(&self, variable: &str) -> bool {
        self.envs.iter().any(|name| EnvName::parse(name).is_ok_and(|name| name.matches(variable)))
    }

    fn validate(&self, program: &str) -> Result<(), InvalidCommandRule> {
        if program.is_empty() || program.contains('\0') {
            return Err(InvalidCommandRule::Program { program: program.to_owned() });
        }
        for entry in self.args.iter().flatten() {
            if has_misplaced_rest(entry) {
                return Err(InvalidCommandRule::Rest {
                    program: program.to_owned(),
                    entry: entry.clone(),
                });
            }
        }
        for name in &self.envs {
            EnvName::parse(name).map_err(|source| InvalidCommandRule::Env {
                program: program.to_owned(),
                source,
            })?;
        }
        Ok(())
    }
}

fn entry_matches<S: AsRef<str>>(entry: &[String], args: &[S]) -> bool {
    if has_misplaced_rest(entry) {
        return false;
    }
    let equal = |expected: &[String], given: &[S]| {
        expected.len() == given.len()
            && expected.iter().zip(given).all(|(expected, given)| expected == given.as_ref())
    };
    match entry.split_last() {
        Some((last, prefix)) if last == REST => {
            args.get(..prefix.len()).is_some_and(|start| equal(prefix, start))
        }
        _ => equal(entry, args),
    }
}

/// In the middle `**` would have to mean "anything, then this". Options can stand in any place, so
/// such a rule would promise more than it holds.
fn has_misplaced_rest(entry: &[String]) -> bool {
    entry.split_last().is_some_and(|(_, before)| before.iter().any(|argument| argument == REST))
}

/// Why a rule for a program is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidCommandRule {
    /// No program can have this name.
    #[error("not the name of a program: {program:?}")]
    Program {
        /// The name as it was given.
        program: String,
    },
    /// `**` before the end.
    #[error("command {program}: `**` can only be the last of the arguments: {entry:?}")]
    Rest {
        /// The program of the rule.
        program: String,
        /// The list of arguments it stands in.
        entry: Vec<String>,
    },
    /// A name in `envs` stands for nothing.
    #[error("command {program}: {source}")]
    Env {
        /// The program of the rule.
        program: String,
        /// What is wrong with the name.
        source: InvalidEnvName,
    },
}

/// Why a program may not be started. The arguments are not repeated: they can hold secrets.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CommandAccessError {
    /// The program is not listed.
    #[error("access denied: running {program}")]
    Program {
        /// The program that was asked for.
        program: String,
        /// The programs that may be started.
        grants: Vec<String>,
    },
    /// The program is listed, but not with these arguments.
    #[error("access denied: running {program} with the given arguments")]
    Arguments {
        /// The program that was asked for.
        program: String,
        /// The lists of arguments it may be given.
        grants: Vec<Vec<String>>,
    },
}

impl AccessPolicy {
    /// What the policy says about starting a program: `Uncovered` if it is not listed, `Denied` by
    /// its rule if the arguments are none of those listed. Without `commands` everything is
    /// [`Uncovered`](Decision::Uncovered); [`check_command`](Self::check_command) knows what that
    /// means.
    pub fn decide_command<S: AsRef<str>>(
        &self,
        program: &str,
        args: &[S],
    ) -> Decision<'_, CommandRule> {
        let rule = self.commands.as_ref().and_then(|commands| commands.get(program));
        Decision::of(rule, |rule| rule.allows(args))
    }

    /// Checks that a program may be started with these arguments. A policy without `commands`
    /// restricts none.
    pub fn check_command<S: AsRef<str>>(
        &self,
        program: &str,
        args: &[S],
    ) -> Result<(), CommandAccessError> {
        let Some(commands) = &self.commands else {
            return Ok(());
        };
        let program = program.to_owned();
        match self.decide_command(&program, args) {
            Decision::Allowed(_) => Ok(()),
            Decision::Denied(rule) => Err(CommandAccessError::Arguments {
                program,
                grants: rule.args.clone().unwrap_or_default(),
            }),
            Decision::Uncovered => Err(CommandAccessError::Program {
                program,
                grants: commands.keys().cloned().collect(),
            }),
        }
    }
}

#[cfg(test)]
mod tests;

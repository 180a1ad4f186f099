//! Commands that this program runs, and how they are shown to a person.

use std::env;
use std::ffi::OsString;
use std::fmt;
use std::process::{Command, Output, Stdio};

use camino::Utf8PathBuf;

use crate::failure::{Failure, Result};
use crate::root;

/// A program with arguments and variables, run in the root of the repository.
#[derive(Debug, Clone)]
pub(crate) struct Cmd {
    program: String,
    args: Vec<String>,
    vars: Vec<(String, String)>,
}

impl Cmd {
    pub(crate) fn new(program: &str, args: &[&str]) -> Self {
        Self {
            program: program.to_owned(),
            args: args.iter().copied().map(str::to_owned).collect(),
            vars: Vec::new(),
        }
    }

    /// The Cargo that runs this program.
    pub(crate) fn cargo(args: &[&str]) -> Self {
        Self::new("cargo", args)
    }

    pub(crate) fn args(mut self, args: &[String]) -> Self {
        self.args.extend_from_slice(args);
        self
    }

    pub(crate) fn env(mut self, name: &str, value: &str) -> Self {
        self.vars.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Runs it with our own input and output, after saying so.
    pub(crate) fn run(&self) -> Result {
        println!("$ {self}");
        let status =
            self.command().status().map_err(Failure::because(format!("cannot start `{self}`")))?;
        if status.success() {
            return Ok(());
        }
        Err(Failure::new(format!("`{self}` failed ({status})")))
    }

    /// Whether it runs and succeeds, without a word.
    pub(crate) fn succeeds(&self) -> bool {
        let mut command = self.command();
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    }

    /// What it prints and how it ends, without a word.
    pub(crate) fn output(&self) -> Result<Output> {
        let mut command = self.command();
        command.stdin(Stdio::null());
        command.output().map_err(Failure::because(format!("cannot start `{self}`")))
    }

    fn command(&self) -> Command {
        let program = match self.program.as_str() {
            "cargo" => env::var_os("CARGO").unwrap_or_else(|| "cargo".into()),
            other => other.into(),
        };
        let mut command = Command::new(program);
        command.args(&self.args).current_dir(root()).envs(self.vars.iter().cloned());
        command.env("PATH", search_path());
        command
    }
}

impl fmt::Display for Cmd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, value) in &self.vars {
            write!(f, "{name}='{value}' ")?;
        }
        f.write_str(&self.program)?;
        self.args.iter().try_for_each(|arg| write!(f, " {arg}"))
    }
}

/// Where this program installs tools: a cache, so that nothing of the developer's
/// own is touched.
pub(crate) fn tools_dir() -> Utf8PathBuf {
    let var = |name| env::var(name).ok().filter(|value| !value.is_empty());
    let default = || {
        let home = var("HOME").map_or_else(|| root().join("target"), Utf8PathBuf::from);
        home.join(".cache")
    };
    let cache = var("XDG_CACHE_HOME").map_or_else(default, Utf8PathBuf::from);
    cache.join("jp-xtask")
}

/// The developer's own tools come first, those installed by us last.
fn search_path() -> OsString {
    let mut path = env::var_os("PATH").unwrap_or_default();
    if !path.is_empty() {
        path.push(":");
    }
    path.push(tools_dir().join("bin"));
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_shown_as_it_would_be_typed() {
        let cmd = Cmd::cargo(&["doc", "--no-deps"]).env("RUSTDOCFLAGS", "-D warnings");
        assert_eq!(cmd.to_string(), "RUSTDOCFLAGS='-D warnings' cargo doc --no-deps");
    }

    #[test]
    fn failure_names_the_command() {
        assert!(Cmd::new("true", &[]).run().is_ok());
        let failure = Cmd::new("false", &["x"]).run().unwrap_err();
        assert_eq!(failure.to_string(), "`false x` failed (exit status: 1)");
        let failure = Cmd::new("/no/such/program", &[]).run().unwrap_err();
        assert!(failure.to_string().starts_with("cannot start `/no/such/program`"));
    }

    #[test]
    fn a_probe_is_a_yes_or_a_no() {
        assert!(Cmd::new("true", &[]).succeeds());
        assert!(!Cmd::new("false", &[]).succeeds());
        assert!(!Cmd::new("/no/such/program", &[]).succeeds());
    }
}

//! Asking the person at the terminal.
//!
//! Questions go to the controlling terminal and not to the standard streams, so that they are seen
//! and can be answered while both streams go into files. Where there is no such terminal, or the
//! user forbids it, there is nobody to ask, and the caller has to do without or fail with exit
//! code 3.
#![expect(clippy::disallowed_methods, reason = "the terminal is opened here and nowhere else")]

use std::{fs::File, io};

use dialoguer::{Confirm, MultiSelect, console::Term};

use crate::{
    error::{Error, Result},
    exit::Exit,
};

/// The person we can ask, if there is one.
#[derive(Debug)]
pub(crate) struct Terminal {
    allowed: bool,
}

/// One of several things to choose.
#[derive(Debug)]
pub(crate) struct Choice {
    pub(crate) label: String,
    pub(crate) chosen: bool,
}

impl Terminal {
    pub(crate) fn new(allowed: bool) -> Self {
        Self { allowed }
    }

    /// Whether somebody can be asked, and nobody has redirected the input to somewhere else: then a
    /// question that is merely helpful is welcome.
    pub(crate) fn is_welcome(&self) -> bool {
        use io::IsTerminal as _;

        io::stdin().is_terminal() && self.open().is_some()
    }

    /// Asks a question that has to be answered. `otherwise` says how to do without asking.
    pub(crate) fn confirm(&self, question: &str, otherwise: &str) -> Result<bool> {
        let term = self.open().ok_or_else(|| nobody(question, otherwise))?;
        Confirm::new()
            .with_prompt(question)
            .default(false)
            .interact_on(&term)
            .map_err(|error| failed(&error))
    }

    /// Lets the person change what is chosen. `None` if he leaves without an answer.
    pub(crate) fn choose(&self, question: &str, choices: &[Choice]) -> Result<Option<Vec<usize>>> {
        let term = self.open().ok_or_else(|| nobody(question, "run it in a terminal"))?;
        let items: Vec<(&str, bool)> =
            choices.iter().map(|choice| (choice.label.as_str(), choice.chosen)).collect();
        MultiSelect::new()
            .with_prompt(question)
            .items_checked(items)
            .interact_on_opt(&term)
            .map_err(|error| failed(&error))
    }

    fn open(&self) -> Option<Term> {
        if !self.allowed {
            return None;
        }
        let read = File::open("/dev/tty").ok()?;
        let write = File::options().write(true).open("/dev/tty").ok()?;
        Some(Term::read_write_pair(read, write))
    }
}

fn nobody(question: &str, otherwise: &str) -> Error {
    Error::new(Exit::NeedsInput, format!("nobody can be asked: {question}")).hint(otherwise)
}

fn failed(error: &dialoguer::Error) -> Error {
    Error::failure(format!("cannot ask: {error}"))
}

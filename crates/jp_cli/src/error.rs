//! What a command can end with: a sentence that says what happened to what, hints that say what to
//! do next, and an exit code.
//!
//! Libraries return errors that are true everywhere; the advice is added here, where it is known
//! which program the reader has in front of him.

use std::{borrow::Cow, fmt, io};

use jp_config::ConfigErrors;
use jp_conversation::InvalidId;
use jp_printer::{Print, Printer, Settings, Styles, sanitize};
use jp_workspace::{NotFound, StoreError, WorkspaceError};

use crate::{args::Global, ctx, ctx::Ctx, exit::Exit, is_closed_pipe};

pub(crate) type Result<T = ()> = std::result::Result<T, Error>;

#[derive(Debug)]
pub(crate) struct Error {
    exit: Exit,
    what: What,
    hints: Vec<String>,
}

#[derive(Debug)]
enum What {
    Message(String),
    /// Rendered with the lines of the files that are wrong. Keys are told without this table.
    Config(Box<ConfigErrors>, Option<&'static str>),
    /// Everything was said, or nobody reads our output any more.
    Nothing,
}

impl Error {
    pub(crate) fn new(exit: Exit, message: impl fmt::Display) -> Self {
        Self { exit, what: What::Message(message.to_string()), hints: Vec::new() }
    }

    pub(crate) fn failure(message: impl fmt::Display) -> Self {
        Self::new(Exit::Failure, message)
    }

    pub(crate) fn usage(message: impl fmt::Display) -> Self {
        Self::new(Exit::Usage, message)
    }

    /// An end for which the output has given the reason already.
    pub(crate) fn said(exit: Exit) -> Self {
        Self { exit, what: What::Nothing, hints: Vec::new() }
    }

    #[must_use]
    pub(crate) fn hint(mut self, hint: impl fmt::Display) -> Self {
        self.hints.push(hint.to_string());
        self
    }

    /// The same error with another exit code.
    #[must_use]
    pub(crate) fn with_exit(mut self, exit: Exit) -> Self {
        self.exit = exit;
        self
    }

    /// The same errors of a configuration with keys as they are written inside of a table.
    #[must_use]
    pub(crate) fn without_table(mut self, table: &'static str) -> Self {
        if let What::Config(_, shown) = &mut self.what {
            *shown = Some(table);
        }
        self
    }

    pub(crate) fn exit(&self) -> Exit {
        self.exit
    }

    /// What happened and what to do next, for an object of JSON; nothing where all was said.
    pub(crate) fn parts(&self) -> Option<(String, &[String])> {
        let message = match &self.what {
            What::Nothing => return None,
            What::Config(errors, table) => rendered(errors, *table, false),
            What::Message(message) => message.clone(),
        };
        Some((message, &self.hints))
    }

    /// Adds what led to it, or what else belongs to it.
    #[must_use]
    pub(crate) fn cause(mut self, cause: impl fmt::Display) -> Self {
        if let What::Message(message) = &mut self.what {
            message.push_str("\n  ");
            message.push_str(&cause.to_string().replace('\n', "\n  "));
        }
        self
    }

    /// Prints the error and says how to end.
    pub(crate) fn report(&self, ctx: &Ctx) -> Exit {
        tracing::debug!(exit = ?self.exit, what = ?self.what, "ended");
        self.print(ctx.printer())
    }

    /// The same when there is no configuration to print by.
    pub(crate) fn report_without_context(&self, global: &Global) -> Exit {
        let settings = Settings {
            output: ctx::output_mode(global),
            stderr: ctx::stream_settings(&io::stderr(), None),
            ..Settings::default()
        };
        self.print(&Printer::new(settings, io::stdout(), io::stderr()))
    }

    fn print(&self, printer: &Printer) -> Exit {
        let color = printer.settings().stderr.color.is_some();
        let mut text = match &self.what {
            What::Nothing => return self.exit,
            What::Config(errors, table) => rendered(errors, *table, color),
            What::Message(message) => {
                format!("{} {}\n", label("error:", "1;31", color), clean(message))
            }
        };
        let hint = label("hint:", "1;36", color);
        text.extend(self.hints.iter().map(|advice| format!("{hint} {}\n", clean(advice))));
        // If nobody can be told, the exit code still tells.
        let _ = printer.print(Print::error(&text)).and_then(|()| printer.flush());
        self.exit
    }
}

fn rendered(errors: &ConfigErrors, table: Option<&str>, color: bool) -> String {
    let text = errors.render(color);
    match table {
        Some(table) => {
            text.replace(&format!(" in `{table}`"), "").replace(&format!("`{table}."), "`")
        }
        None => text,
    }
}

/// Messages quote what others wrote: names, paths, what is in a file. Only the labels are ours.
fn clean(message: &str) -> Cow<'_, str> {
    sanitize(message, Styles::Strip)
}

fn label(text: &str, style: &str, color: bool) -> String {
    if color { format!("\u{1b}[{style}m{text}\u{1b}[0m") } else { text.to_owned() }
}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Self {
        if is_closed_pipe(&error) {
            return Self { exit: Exit::Success, what: What::Nothing, hints: Vec::new() };
        }
        Self::failure(format!("cannot print: {error}"))
    }
}

impl From<ConfigErrors> for Error {
    fn from(errors: ConfigErrors) -> Self {
        Self { exit: Exit::Usage, what: What::Config(Box::new(errors), None), hints: Vec::new() }
    }
}

impl From<NotFound> for Error {
    fn from(error: NotFound) -> Self {
        Self::usage(error).hint("run `jp init` in the directory that should be a workspace")
    }
}

impl From<WorkspaceError> for Error {
    fn from(error: WorkspaceError) -> Self {
        let advice = match &error {
            WorkspaceError::BadId(path) => Some(format!("remove {path}; a new id is made")),
            WorkspaceError::ForeignOwner { .. } => {
                Some("copy the workspace, or take it over with `chown`".to_owned())
            }
            WorkspaceError::Io { path, source, .. } => match source.kind() {
                io::ErrorKind::AlreadyExists | io::ErrorKind::NotADirectory => {
                    Some(format!("{path} has to be a directory; move away what is there"))
                }
                io::ErrorKind::PermissionDenied => {
                    Some(format!("see who may write to it with `ls -ld {path}`"))
                }
                _ => None,
            },
            WorkspaceError::Changed(_) => Some("run the command again".to_owned()),
            WorkspaceError::Random(_) => None,
        };
        advice.into_iter().fold(Self::failure(error), Self::hint)
    }
}

impl From<InvalidId> for Error {
    fn from(error: InvalidId) -> Self {
        Self::usage(error).hint(LIST_HINT)
    }
}

impl From<StoreError> for Error {
    fn from(error: StoreError) -> Self {
        match &error {
            StoreError::NotFound(_) => Self::failure(error).hint(LIST_HINT),
            StoreError::Locked(id) => {
                Self::failure(format!("conversation {id} is locked by another process"))
                    .hint("wait until the other `jp` is done with it, then try again")
            }
            StoreError::Damaged { path, .. } | StoreError::Array { path, .. } => {
                let hint = format!("repair {path} or move it away");
                Self::failure(error).hint(hint)
            }
            _ => Self::failure(error),
        }
    }
}

pub(crate) const LIST_HINT: &str = "`jp conversation ls` lists the conversations of this workspace";

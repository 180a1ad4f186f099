//! What can go wrong in a tool, as the error it ends with, so that `?` is enough.
//!
//! A refusal lists what is granted: whoever reads it can choose another target or change the rules.

use std::io;

use super::ToolError;
#[cfg(unix)]
use crate::access::path::OpenError;
use crate::access::{
    CommandAccessError, EnvAccessError, FsAccessError, NetAccessError, SensitiveError,
};

impl From<FsAccessError> for ToolError {
    fn from(error: FsAccessError) -> Self {
        match &error {
            FsAccessError::Denied { grants, .. } => refusal(&error, grants),
            _ => one_line(Self::from_error(&error)),
        }
    }
}

#[cfg(unix)]
impl From<OpenError> for ToolError {
    fn from(error: OpenError) -> Self {
        match error {
            OpenError::Access(error) => error.into(),
            // The message has the cause in it already.
            OpenError::Io { .. } => one_line(Self::new(error.to_string())),
        }
    }
}

impl From<NetAccessError> for ToolError {
    fn from(error: NetAccessError) -> Self {
        match &error {
            NetAccessError::Denied { grants, .. } => refusal(&error, grants),
            _ => Self::from_error(&error),
        }
    }
}

impl From<EnvAccessError> for ToolError {
    fn from(error: EnvAccessError) -> Self {
        refusal(&error, &error.grants)
    }
}

impl From<CommandAccessError> for ToolError {
    fn from(error: CommandAccessError) -> Self {
        match &error {
            CommandAccessError::Program { grants, .. } => refusal(&error, grants),
            CommandAccessError::Arguments { grants, .. } => {
                refusal(&error, &grants.iter().map(|words| words.join(" ")).collect::<Vec<_>>())
            }
        }
    }
}

impl From<SensitiveError> for ToolError {
    fn from(error: SensitiveError) -> Self {
        Self::from_error(&error)
    }
}

impl From<io::Error> for ToolError {
    fn from(error: io::Error) -> Self {
        Self::from_error(&error)
    }
}

impl From<serde_json::Error> for ToolError {
    fn from(error: serde_json::Error) -> Self {
        Self::from_error(&error)
    }
}

impl From<String> for ToolError {
    fn from(message: String) -> Self {
        Self::new(message)
    }
}

impl From<&str> for ToolError {
    fn from(message: &str) -> Self {
        Self::new(message)
    }
}

fn refusal(error: &dyn std::error::Error, grants: &[impl ToString]) -> ToolError {
    let grants: Vec<String> = grants.iter().map(ToString::to_string).collect();
    let granted = if grants.is_empty() { "nothing".to_owned() } else { grants.join(", ") };
    one_line(ToolError::new(format!("{error} (granted: {granted})")))
}

/// A message that quotes a name somebody chose: what would begin a line of its own, or move the cursor,
/// is shown by its number.
fn one_line(mut error: ToolError) -> ToolError {
    if error.message.contains(char::is_control) {
        let visible =
            |c: char| if c.is_control() { c.escape_default().collect() } else { c.to_string() };
        error.message = error.message.chars().map(visible).collect();
    }
    error
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_names_what_is_granted() {
        let denied = |grants: &[&str]| {
            let grants = grants.iter().map(Into::into).collect();
            FsAccessError::Denied {
                capability: "read",
                target: ".env".into(),
                grants,
                covered: true,
            }
        };
        let message = |error: ToolError| error.message;
        insta::assert_snapshot!(
            message(denied(&["src", "docs"]).into()),
            @"access denied: read on .env (granted: src, docs)"
        );
        insta::assert_snapshot!(
            message(denied(&[]).into()),
            @"access denied: read on .env (granted: nothing)"
        );
        let words = ["git", "**"].map(ToOwned::to_owned).to_vec();
        let error =
            CommandAccessError::Arguments { program: "git".to_owned(), grants: vec![words] };
        insta::assert_snapshot!(
            message(error.into()),
            @"access denied: running git with the given arguments (granted: git **)"
        );
        insta::assert_snapshot!(
            message(FsAccessError::Escape("../x".into()).into()),
            @"path escapes the workspace: ../x"
        );
        insta::assert_snapshot!(
            message(FsAccessError::Escape("../x\nhint: y".into()).into()),
            @r"path escapes the workspace: ../x\nhint: y"
        );
    }
}

//! One question about a policy.

use camino::Utf8PathBuf;
use jp_tool::access::Capability;

use crate::{
    args::Question,
    error::{Error, Result},
};

/// What was asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Asked {
    Fs(Capability, Utf8PathBuf),
    Url(String),
    Env(String),
    Command(Vec<String>),
}

impl Asked {
    pub(crate) fn from_args(question: &Question) -> Result<Option<Self>> {
        let paths = [
            (Capability::Read, &question.read),
            (Capability::Create, &question.create),
            (Capability::Update, &question.update),
            (Capability::Delete, &question.delete),
            (Capability::Execute, &question.execute),
        ];
        for (capability, path) in paths {
            if let Some(path) = path {
                return Ok(Some(Self::Fs(capability, path.clone())));
            }
        }
        if let Some(command) = &question.command {
            let words = shell_words::split(command)
                .map_err(|error| Error::usage(format!("--command {command}: {error}")))?;
            if words.is_empty() {
                return Err(Error::usage("--command: no program is named"));
            }
            return Ok(Some(Self::Command(words)));
        }
        let url = question.url.clone().map(Self::Url);
        Ok(url.or_else(|| question.env.clone().map(Self::Env)))
    }

    /// The question in words: `create on README.md`.
    pub(crate) fn words(&self) -> String {
        match self {
            Self::Fs(capability, path) => format!("{} on {path}", capability.as_str()),
            Self::Url(url) => format!("fetching {url}"),
            Self::Env(name) => format!("reading the variable {name}"),
            Self::Command(words) => format!("running {}", shell_words::join(words)),
        }
    }
}

//! Command paths: the words after `jp` that a plugin answers to.
//!
//! A plugin says its path when it describes itself; one that does not is called by the name of its
//! file. Both come from outside and end up in help and in the search for a plugin, so a word has a
//! strict form: nothing in it can be an option, a path or a sequence for the terminal.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

/// What the file name of every plugin begins with.
pub const PREFIX: &str = "jp-";

const MAX_WORDS: usize = 8;
const MAX_WORD: usize = 64;

/// One to eight words, for example `serve web`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "Vec<String>", into = "Vec<String>")]
pub struct CommandPath(Vec<String>);

/// Words that cannot be a command.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidPath {
    #[error("a command needs one to {MAX_WORDS} words, these are {0}")]
    Count(usize),
    #[error(
        "`{0}` cannot be a word of a command: one to {MAX_WORD} letters, digits, `_`, `-` and `.`, \
         a letter or digit first"
    )]
    Word(String),
    #[error("`{0}` is not the name of a plugin: it does not begin with `{PREFIX}`")]
    Prefix(String),
}

impl CommandPath {
    pub fn new(words: Vec<String>) -> Result<Self, InvalidPath> {
        if words.is_empty() || words.len() > MAX_WORDS {
            return Err(InvalidPath::Count(words.len()));
        }
        match words.iter().find(|word| !is_word(word)) {
            Some(word) => Err(InvalidPath::Word(word.chars().take(80).collect())),
            None => Ok(Self(words)),
        }
    }

    /// The path that a file name stands for: `jp-serve-http_api` is `serve http-api`.
    pub fn from_file_name(name: &str) -> Result<Self, InvalidPath> {
        let prefix = || InvalidPath::Prefix(name.chars().take(80).collect());
        let rest = name.strip_prefix(PREFIX).ok_or_else(prefix)?;
        Self::new(rest.split('-').map(|word| word.replace('_', "-")).collect())
    }

    /// The file name that [`Self::from_file_name`] reads as this path.
    pub fn file_name(&self) -> String {
        let words: Vec<_> = self.0.iter().map(|word| word.replace('-', "_")).collect();
        format!("{PREFIX}{}", words.join("-"))
    }

    pub fn words(&self) -> &[String] {
        &self.0
    }

    /// Whether a command line begins with this path.
    pub fn leads(&self, words: &[String]) -> bool {
        words.starts_with(&self.0)
    }

    /// The words below `parent`; `None` if this path does not go on from there.
    pub fn below(&self, parent: &[String]) -> Option<&[String]> {
        self.0.strip_prefix(parent).filter(|rest| !rest.is_empty())
    }
}

impl FromStr for CommandPath {
    type Err = InvalidPath;

    /// Words with one space between them, as in the keys of the registry.
    fn from_str(text: &str) -> Result<Self, InvalidPath> {
        Self::new(text.split(' ').map(str::to_owned).collect())
    }
}

impl TryFrom<Vec<String>> for CommandPath {
    type Error = InvalidPath;

    fn try_from(words: Vec<String>) -> Result<Self, InvalidPath> {
        Self::new(words)
    }
}

impl From<CommandPath> for Vec<String> {
    fn from(path: CommandPath) -> Self {
        path.0
    }
}

impl fmt::Display for CommandPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join(" "))
    }
}

fn is_word(word: &str) -> bool {
    word.len() <= MAX_WORD
        && word.bytes().next().is_some_and(|byte| byte.is_ascii_alphanumeric())
        && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_name_stands_for_a_path() {
        let path = |name| CommandPath::from_file_name(name).map(|path| path.to_string());
        // 072-026
        assert_eq!(path("jp-conversation-export").unwrap(), "conversation export");
        // 072-027
        assert_eq!(path("jp-serve-http_api").unwrap(), "serve http-api");
        // 072-028
        assert_eq!(path("jp-serve-http-api").unwrap(), "serve http api");
        for bad in ["jp", "jp-", "jp--x", "jp-x-", "serve", "jp-a b", "jp-\u{1b}[2J", "jp-_x"] {
            assert!(path(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_path_and_its_file_name_are_the_same() {
        for text in ["serve", "serve web", "serve http-api", "a b c d e f g h"] {
            let path: CommandPath = text.parse().unwrap();
            assert_eq!(CommandPath::from_file_name(&path.file_name()).unwrap(), path);
        }
    }

    #[test]
    fn words_are_strict() {
        for bad in
            ["", " ", "a  b", "-x", "--help", "../x", "a/b", "é", "a\nb", "a b c d e f g h i"]
        {
            assert!(bad.parse::<CommandPath>().is_err(), "{bad:?}");
        }
        assert!("x".repeat(65).parse::<CommandPath>().is_err());
    }

    #[test]
    fn what_is_below_a_path() {
        let path: CommandPath = "serve web".parse().unwrap();
        let words = |text: &str| -> Vec<String> { text.split(' ').map(str::to_owned).collect() };
        assert_eq!(path.below(&words("serve")), Some(&words("web")[..]));
        assert_eq!(path.below(&words("serve web")), None);
        assert_eq!(path.below(&words("server")), None);
        assert!(path.leads(&words("serve web --port 1")));
        assert!(!path.leads(&words("serve")));
    }
}

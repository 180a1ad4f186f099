//! Programs that read a word of their command line as commands.
//!
//! A value is safe as long as nobody parses it. That it is a parameter or a word of its own helps little
//! when the program that gets it is a shell and takes it for a script, or hands it to one. So where a
//! placeholder would stand in such a word, it is refused. Programs are known by their names, wherever in a
//! command they stand: behind `env`, `xargs` or `find … -exec` they do the same.
//!
//! Other languages are not looked for. `awk`, `sed` or `python -c` take text for a program too, but a
//! number in it is common and harmless; what else is put there is up to the author.

/// A program that reads a word as commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Interpreter {
    /// A shell: the word behind the option `-c`.
    Shell,
    /// A program that starts a shell with the word behind `-c`.
    StartsShell,
    /// `env`: what `-S` is given becomes words.
    Env,
    /// A shell on another machine: all words.
    Remote,
}

impl Interpreter {
    /// The program of this name or path. Variables are known by their names.
    pub(super) fn of(word: &str) -> Option<Self> {
        match word.rsplit('/').next().unwrap_or_default() {
            "sh" | "ash" | "bash" | "dash" | "fish" | "ksh" | "mksh" | "yash" | "zsh" | "csh"
            | "tcsh" | "SHELL" | "BASH" => Some(Self::Shell),
            "su" | "runuser" | "sg" | "flock" => Some(Self::StartsShell),
            "env" => Some(Self::Env),
            "ssh" | "rsh" | "mosh" => Some(Self::Remote),
            _ => None,
        }
    }

    /// Whether text that is commands follows an option, or is in the same word.
    pub(super) fn is_text_option(self, word: &str) -> bool {
        let is_long = |name: &str| word.strip_prefix("--").is_some_and(|it| it.starts_with(name));
        let letters = word.strip_prefix('-').filter(|rest| !rest.starts_with('-'));
        let has = |letter: char| letters.is_some_and(|letters| letters.contains(letter));
        match self {
            Self::Shell => has('c') || is_long("command"),
            Self::StartsShell => has('c') || is_long("command") || is_long("session-command"),
            Self::Env => has('S') || is_long("split"),
            Self::Remote => false,
        }
    }

    /// What to call it where a placeholder is refused.
    pub(super) fn shown(self) -> &'static str {
        match self {
            Self::Shell | Self::StartsShell => "a shell inside the shell",
            Self::Env => "`env -S`",
            Self::Remote => "`ssh`, which hands its words to another shell",
        }
    }
}

//! One pattern: four forms and nothing else.
//!
//! The forms are few because a pattern that means something else than its author thinks is worse
//! than one that is refused. So a star is only where it can be read in one way, and `~user`, `..` and
//! `a**b` are errors that say what can be written.

use camino::{Utf8Path, Utf8PathBuf};

use super::place::{Place, fold, is_same};

/// A pattern is a path, and no system has longer ones.
const MAX_LENGTH: usize = 4_096;

#[derive(Debug, Clone)]
pub(super) struct Pattern {
    text: String,
    form: Form,
    /// What comes after `~/`, `/` or `**/`. A name with stars is folded, a path is as written.
    rest: String,
    /// Where its last name begins.
    end: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// `~/x`
    Home,
    /// `/x`
    Absolute,
    /// `**/name`
    Anywhere,
    /// `dir/x`
    Below,
}

/// Why a pattern for sensitive paths cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SensitivePatternError {
    /// It is in none of the forms.
    #[error(
        "not a pattern for sensitive paths: {pattern:?}: {reason}; write `~/path`, `/path`, \
         `**/name` or `path/below/the/workspace`, with `*` only in a name after `**/`"
    )]
    Form {
        /// The pattern as it was given, or its beginning.
        pattern: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// There are too many.
    #[error("more than {limit} patterns for sensitive paths")]
    TooMany {
        /// How many there can be.
        limit: usize,
    },
}

impl Pattern {
    pub(super) fn parse(text: &str) -> Result<Self, SensitivePatternError> {
        let (form, rest) = split(text);
        let rest = rest.strip_suffix('/').unwrap_or(rest);
        if let Some(reason) = fault(text, form, rest) {
            let pattern = text.chars().take(60).collect();
            return Err(SensitivePatternError::Form { pattern, reason });
        }
        let rest = if form == Form::Anywhere { fold(rest) } else { rest.to_owned() };
        let end = rest.len() - Utf8Path::new(&rest).file_name().unwrap_or_default().len();
        Ok(Self { text: text.to_owned(), form, rest, end })
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    pub(super) fn form(&self) -> Form {
        self.form
    }

    /// The absolute path that the pattern names, if it names one and the home is known.
    pub(super) fn place(&self, root: &Utf8Path, home: Option<&Utf8Path>) -> Option<Utf8PathBuf> {
        match self.form {
            Form::Home => Some(home?.join(&self.rest)),
            Form::Absolute => Some(Utf8Path::new("/").join(&self.rest)),
            Form::Below => Some(root.join(&self.rest)),
            Form::Anywhere => None,
        }
    }

    /// Whether a place is what the pattern names or below it.
    pub(super) fn covers(&self, place: &Place<'_>, home: Option<&Utf8Path>) -> bool {
        let rest = Utf8Path::new(&self.rest);
        match (self.form, home) {
            (Form::Home, Some(home)) => place.is_in(&home.join(rest)),
            (Form::Home, None) => place.passes_through(rest),
            (Form::Absolute, _) => place.is_in(rest),
            (Form::Below, _) => place.is_below_root(rest),
            (Form::Anywhere, _) => place.below_root().iter().any(|name| self.names(name)),
        }
    }

    /// Whether the last name of what the pattern names can be this one.
    pub(super) fn ends_with(&self, name: &str) -> bool {
        match self.form {
            Form::Anywhere => self.names(name),
            Form::Home | Form::Absolute | Form::Below => is_same(self.end(), name),
        }
    }

    /// The last name of what the pattern names, with its stars.
    pub(super) fn end(&self) -> &str {
        &self.rest[self.end..]
    }

    /// Whether a directory of this name can be one that leads to what the pattern names.
    pub(super) fn is_on_way(&self, name: &str) -> bool {
        let dirs = Utf8Path::new(&self.rest).parent().into_iter();
        dirs.flat_map(Utf8Path::components).any(|dir| is_same(dir.as_str(), name))
    }

    fn names(&self, name: &str) -> bool {
        if name.is_ascii() {
            return glob(self.rest.as_bytes(), name.as_bytes());
        }
        glob(self.rest.as_bytes(), fold(name).as_bytes())
    }
}

fn split(text: &str) -> (Form, &str) {
    for (start, form) in [("~/", Form::Home), ("/", Form::Absolute), ("**/", Form::Anywhere)] {
        if let Some(rest) = text.strip_prefix(start) {
            return (form, rest);
        }
    }
    (Form::Below, text)
}

fn fault(text: &str, form: Form, rest: &str) -> Option<&'static str> {
    let mut names = rest.split('/');
    if text.len() > MAX_LENGTH {
        Some("it is too long")
    } else if rest.is_empty() {
        Some("it names nothing")
    } else if text.contains(char::is_control) {
        Some("there is a control character in it")
    } else if names.any(|name| matches!(name, "" | "." | "..")) {
        Some("a part of it is empty or made of dots")
    } else if form == Form::Anywhere && rest.contains('/') {
        Some("there is more than a name after `**/`")
    } else if form == Form::Anywhere && rest.contains("**") {
        Some("`**` can only stand at the beginning")
    } else if form != Form::Anywhere && rest.contains('*') {
        Some("there is a `*` in a path")
    } else if form == Form::Below && rest.starts_with('~') {
        Some("only the own home can be written with `~`")
    } else if form == Form::Below && rest.starts_with('!') {
        Some("a pattern takes nothing away")
    } else {
        None
    }
}

/// Whether a text matches a pattern in which `*` stands for anything. When a star took too little,
/// only the last one is given more, so the time is bounded by the product of the lengths.
fn glob(pattern: &[u8], text: &[u8]) -> bool {
    let (mut p, mut t) = (0, 0);
    let mut retry: Option<(usize, usize)> = None;
    while t < text.len() {
        match (pattern.get(p), retry) {
            (Some(b'*'), _) => {
                retry = Some((p + 1, t));
                p += 1;
            }
            (Some(byte), _) if *byte == text[t].to_ascii_lowercase() => {
                p += 1;
                t += 1;
            }
            (_, Some((after, taken))) => {
                retry = Some((after, taken + 1));
                p = after;
                t = taken + 1;
            }
            (_, None) => return false,
        }
    }
    pattern[p..].iter().all(|byte| *byte == b'*')
}

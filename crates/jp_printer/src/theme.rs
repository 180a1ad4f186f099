//! The themes that come with the program, by name.
//!
//! A [`Theme`] is a checked name: what cannot be found is refused where the configuration is read,
//! and printing never fails over a theme. The definitions are decoded when a colour is first needed.

use std::{str::FromStr, sync::OnceLock};

use syntect::highlighting::Theme as Definition;
use thiserror::Error;
use two_face::theme::{EmbeddedLazyThemeSet, EmbeddedThemeName};

/// One of [`theme_names`].
///
/// The default is `ansi`, which uses the palette of the terminal and is therefore readable on any
/// background.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Theme(EmbeddedThemeName);

/// No theme has that name.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("unknown theme {name:?}")]
pub struct UnknownTheme {
    pub name: String,
}

/// The names a theme can be chosen by, sorted without regard to case.
pub fn theme_names() -> Vec<&'static str> {
    let mut names: Vec<_> = all().map(Theme::name).collect();
    names.sort_by_key(|name| name.to_lowercase());
    names
}

impl Theme {
    /// The name as [`theme_names`] lists it.
    pub fn name(self) -> &'static str {
        self.0.as_name()
    }

    pub(crate) fn definition(self) -> &'static Definition {
        static SET: OnceLock<EmbeddedLazyThemeSet> = OnceLock::new();
        SET.get_or_init(two_face::theme::extra).get(self.0)
    }
}

impl Default for Theme {
    fn default() -> Self {
        Self(EmbeddedThemeName::Ansi)
    }
}

impl FromStr for Theme {
    type Err = UnknownTheme;

    /// Case, spaces and punctuation do not matter, so that `solarized-dark` finds
    /// `Solarized (dark)`.
    fn from_str(name: &str) -> Result<Self, UnknownTheme> {
        let wanted = letters(name);
        all()
            .find(|theme| letters(theme.name()) == wanted)
            .ok_or_else(|| UnknownTheme { name: name.to_owned() })
    }
}

fn all() -> impl Iterator<Item = Theme> {
    EmbeddedLazyThemeSet::theme_names().iter().copied().map(Theme)
}

fn letters(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_listed_name_finds_itself() {
        for name in theme_names() {
            assert_eq!(name.parse::<Theme>().unwrap().name(), name);
        }
    }

    #[test]
    fn no_two_names_differ_by_punctuation_alone() {
        let distinct: HashSet<_> = theme_names().into_iter().map(letters).collect();
        assert_eq!(distinct.len(), theme_names().len());
    }

    #[test]
    fn case_and_punctuation_are_forgiven() {
        for name in ["solarized-dark", "Solarized (dark)", "SOLARIZED_DARK"] {
            assert_eq!(name.parse::<Theme>().unwrap().name(), "Solarized (dark)");
        }
    }

    #[test]
    fn an_unknown_theme_is_refused_by_name() {
        let error = "no\u{1b}such".parse::<Theme>().unwrap_err();
        assert_eq!(error.to_string(), r#"unknown theme "no\u{1b}such""#);
        assert!("".parse::<Theme>().is_err());
    }
}

//! Which conversations of a listing are meant by what stands in the address of the list.

pub(crate) mod content;
#[cfg(test)]
mod tests;

use jiff::Timestamp;
use jp_plugin_sdk::Summary;
use regex::{Regex, RegexBuilder};
use serde::Deserialize;

use crate::when::seconds_since;

/// The longest search; more is left out.
const LONGEST: usize = 256;

/// What is looked for, as it stands in the address.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Wanted {
    /// Words that are all in the title or the id, or in what was said.
    pub(crate) q: String,
    pub(crate) age: Age,
    pub(crate) title: Titled,
    /// Where the words are looked for.
    #[serde(rename = "in")]
    pub(crate) place: Place,
    /// From 1.
    pub(crate) page: Option<usize>,
}

/// How old a conversation may be.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Age {
    #[default]
    #[serde(alias = "")]
    Any,
    Day,
    Week,
    Month,
    Year,
}

/// Whether a conversation has a title.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Titled {
    #[default]
    #[serde(alias = "")]
    Any,
    With,
    Without,
}

/// Where words are looked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Place {
    /// In titles and ids.
    #[default]
    #[serde(alias = "")]
    Title,
    /// In what was said, too.
    Content,
}

/// Words, whichever case they are in.
#[derive(Debug, Clone)]
pub(crate) struct Words(Vec<Regex>);

impl Wanted {
    /// Those of the listing that are meant, in its order.
    pub(crate) fn choose(&self, listing: &[Summary], now: Timestamp) -> Vec<Summary> {
        let words = match self.place {
            Place::Title => self.words(),
            Place::Content => Words(Vec::new()),
        };
        let meant = |summary: &&Summary| {
            self.age.includes(summary, now) && self.title.includes(summary) && words.name(summary)
        };
        listing.iter().filter(meant).cloned().collect()
    }

    /// What is looked for.
    pub(crate) fn words(&self) -> Words {
        let start = &self.q[..self.q.floor_char_boundary(LONGEST)];
        let word = |word| RegexBuilder::new(&regex::escape(word)).case_insensitive(true).build();
        // So few letters are never too large for a pattern.
        Words(start.split_whitespace().filter_map(|text| word(text).ok()).collect())
    }

    /// Whether everything is meant.
    pub(crate) fn is_all(&self) -> bool {
        self.words().is_empty() && self.age == Age::Any && self.title == Titled::Any
    }

    /// The same on another page, as it stands in an address.
    pub(crate) fn address(&self, page: usize) -> String {
        let mut pairs = Vec::new();
        if !self.q.is_empty() {
            pairs.push(format!("q={}", encode(&self.q)));
        }
        let others =
            [("age", self.age.word()), ("title", self.title.word()), ("in", self.place.word())];
        pairs.extend(
            others
                .into_iter()
                .filter(|(_, word)| !word.is_empty())
                .map(|(k, v)| format!("{k}={v}")),
        );
        if page > 1 {
            pairs.push(format!("page={page}"));
        }
        if pairs.is_empty() { "/".to_owned() } else { format!("/?{}", pairs.join("&")) }
    }
}

impl Words {
    /// Whether every word is in the title or the id.
    pub(crate) fn name(&self, summary: &Summary) -> bool {
        self.are_in(&[summary.title.as_deref().unwrap_or_default(), &summary.id])
    }

    /// Whether every word is in one of the texts.
    fn are_in(&self, texts: &[&str]) -> bool {
        self.0.iter().all(|word| texts.iter().any(|text| word.is_match(text)))
    }

    /// The first of the words in a text that has them all: what is before it, itself, what is after.
    pub(crate) fn split<'t>(&self, text: &'t str) -> Option<[&'t str; 3]> {
        let found = self.0.first().filter(|_| self.are_in(&[text]))?.find(text)?;
        Some([&text[..found.start()], found.as_str(), &text[found.end()..]])
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Age {
    pub(crate) const ALL: [(Self, &str); 5] = [
        (Self::Any, "Any time"),
        (Self::Day, "Last day"),
        (Self::Week, "Last week"),
        (Self::Month, "Last month"),
        (Self::Year, "Last year"),
    ];

    /// How it is said in an address.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Any => "",
            Self::Day => "day",
            Self::Week => "week",
            Self::Month => "month",
            Self::Year => "year",
        }
    }

    fn includes(self, summary: &Summary, now: Timestamp) -> bool {
        let days = match self {
            Self::Any => return true,
            Self::Day => 1,
            Self::Week => 7,
            Self::Month => 31,
            Self::Year => 366,
        };
        let seconds = seconds_since(&summary.last_activated_at, now);
        seconds.is_some_and(|seconds| seconds <= days * 86_400)
    }
}

impl Titled {
    pub(crate) const ALL: [(Self, &str); 3] = [
        (Self::Any, "Any title"),
        (Self::With, "With a title"),
        (Self::Without, "Without a title"),
    ];

    /// How it is said in an address.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Any => "",
            Self::With => "with",
            Self::Without => "without",
        }
    }

    fn includes(self, summary: &Summary) -> bool {
        let has = summary.title.as_deref().is_some_and(|title| !title.trim().is_empty());
        match self {
            Self::Any => true,
            Self::With => has,
            Self::Without => !has,
        }
    }
}

impl Place {
    /// How it is said in an address.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Title => "",
            Self::Content => "content",
        }
    }
}

fn encode(text: &str) -> String {
    percent_encoding::utf8_percent_encode(text, percent_encoding::NON_ALPHANUMERIC).to_string()
}

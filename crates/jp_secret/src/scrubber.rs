//! Takes values out of what a tool will read.
//!
//! A server repeats the headers it got in an error, a program prints its environment: the value comes
//! back, and not always as it was. So it is looked for in these forms, all of which are common:
//!
//! - as it is, also if the text is escaped like a string of JSON or of a programming language, or
//!   encoded like a part of a URL, or both, or either twice;
//! - in base64, at each of the three places that a value can have in it, in both alphabets;
//! - in hex, and with the characters that HTML escapes;
//! - broken into lines, if it is long: base64 comes in lines, and so do keys. Of a value that has
//!   lines itself, each long line alone counts too.
//!
//! A text is not unescaped to be searched and escaped again: it is looked at through [`view`]s that
//! know where each byte came from, and what is found is cut out of the text itself. What a text
//! does not escape stays byte for byte.
//!
//! The danger that remains: whoever has the value can repeat it in a form that is not listed here,
//! and a value that can be guessed can be confirmed by what is redacted. Scrubbing protects from
//! accidents; that a value goes only where it may go is the business of the rules.
//!
//! Values of one to three bytes are found everywhere, so they are replaced only where they stand
//! alone, between characters that are no letters or digits, and in no other form. Empty ones are
//! nowhere.

mod forms;
mod ranges;
mod view;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};

use self::ranges::Ranges;
use self::view::{Reading, View};
use crate::Secret;

/// What is written in place of a value.
pub const REDACTED: &str = "[REDACTED]";

/// A value with fewer bytes is only replaced where it stands alone.
const SHORT: usize = 4;

/// A value with fewer bytes is not looked for across the ends of lines.
const WRAPPED: usize = 16;

/// How many bytes all values together can have. The table that finds them needs about a thousand
/// times as much.
const MOST: usize = 32 * 1024;

/// Up to this size of all forms together they are searched with the faster, larger kind of table.
const SMALL: usize = 4 * 1024;

/// How much is looked at in one go. The memory for views depends on this and not on the text.
const WINDOW: usize = 256 * 1024;

/// How many bytes of a text one byte of a form can take: `A` as `\u0041` inside another string.
const WIDEST: usize = 8;

/// The ways in which a text is read, each a sequence. The empty one is the text as it is.
const READINGS: &[&[Reading]] = &[
    &[],
    &[Reading::Escaped],
    &[Reading::Percent],
    &[Reading::Lines],
    &[Reading::Escaped, Reading::Escaped],
    &[Reading::Percent, Reading::Percent],
    &[Reading::Escaped, Reading::Percent],
    &[Reading::Percent, Reading::Escaped],
    &[Reading::Escaped, Reading::Lines],
];

/// Finds values and replaces them.
#[derive(Clone)]
pub struct Scrubber {
    forms: Option<AhoCorasick>,
    words: Option<AhoCorasick>,
    /// How far one window reaches into the next, so that nothing is missed between them.
    overlap: usize,
}

/// Why values cannot be looked for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ScrubError {
    /// There is too much of them.
    #[error(
        "the values of variables have {bytes} bytes together; at most {MOST} can be kept secret"
    )]
    TooMuch {
        /// How much there is.
        bytes: usize,
    },
    /// The table could not be made.
    #[error("the values of variables cannot be kept secret: {0}")]
    Table(String),
}

impl Scrubber {
    /// Prepares to look for these values.
    pub fn new<'a>(secrets: impl IntoIterator<Item = &'a Secret>) -> Result<Self, ScrubError> {
        // The space around a value is often lost on the way, so it is not part of it here.
        let values: Vec<&[u8]> = secrets
            .into_iter()
            .map(|secret| secret.reveal().trim_ascii())
            .filter(|value| !value.is_empty())
            .collect();
        let bytes = values.iter().map(|value| value.len()).sum();
        if bytes > MOST {
            return Err(ScrubError::TooMuch { bytes });
        }
        let (long, short): (Vec<&[u8]>, Vec<&[u8]>) =
            values.into_iter().partition(|value| value.len() >= SHORT);
        let forms = forms::of(&long);
        let longest = forms.iter().map(Vec::len).max().unwrap_or_default();
        Ok(Self {
            forms: table(&forms)?,
            words: table(&short)?,
            overlap: longest * WIDEST + WIDEST,
        })
    }

    /// The bytes without the values. If they were valid UTF-8 they still are.
    pub fn bytes(&self, bytes: Vec<u8>) -> Vec<u8> {
        let ranges = self.ranges(&bytes);
        if ranges.is_empty() {
            return bytes;
        }
        let mut scrubbed = Vec::with_capacity(bytes.len());
        let mut end = 0;
        for range in ranges {
            scrubbed.extend_from_slice(&bytes[end..range.start]);
            scrubbed.extend_from_slice(REDACTED.as_bytes());
            end = range.end;
        }
        scrubbed.extend_from_slice(&bytes[end..]);
        scrubbed
    }

    /// The text without the values.
    pub fn text(&self, text: String) -> String {
        // What is cut out ends where characters end, so nothing is lost here.
        String::from_utf8(self.bytes(text.into_bytes()))
            .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
    }

    fn ranges(&self, bytes: &[u8]) -> Vec<std::ops::Range<usize>> {
        let mut found = Ranges::default();
        if let Some(forms) = &self.forms {
            let step = WINDOW.max(self.overlap);
            for start in (0..bytes.len()).step_by(step) {
                let end = bytes.len().min(start + step + self.overlap);
                for readings in READINGS {
                    search(forms, &bytes[start..end], readings, start, &mut found);
                }
                found.tidy();
            }
        }
        if let Some(words) = &self.words {
            for word in words.find_overlapping_iter(bytes) {
                if stands_alone(bytes, word.start(), word.end()) {
                    found.add(word.start()..word.end());
                }
            }
        }
        found.into_whole_characters(bytes)
    }
}

/// Says how much there is and not what, since the table is made of the values.
impl std::fmt::Debug for Scrubber {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let count =
            |table: &Option<AhoCorasick>| table.as_ref().map_or(0, AhoCorasick::patterns_len);
        write!(f, "Scrubber({} forms)", count(&self.forms) + count(&self.words))
    }
}

fn table<P: AsRef<[u8]>>(patterns: &[P]) -> Result<Option<AhoCorasick>, ScrubError> {
    if patterns.is_empty() {
        return Ok(None);
    }
    let size: usize = patterns.iter().map(|pattern| pattern.as_ref().len()).sum();
    let kind = if size <= SMALL { AhoCorasickKind::DFA } else { AhoCorasickKind::ContiguousNFA };
    AhoCorasick::builder()
        .kind(Some(kind))
        // The only kind in which all matches are found, also those that overlap: of two values that
        // share a piece no half may be left.
        .match_kind(MatchKind::Standard)
        .build(patterns)
        .map(Some)
        .map_err(|error| ScrubError::Table(error.to_string()))
}

/// Looks through one reading of a window that begins at `start`.
fn search(
    forms: &AhoCorasick,
    window: &[u8],
    readings: &[Reading],
    start: usize,
    found: &mut Ranges,
) {
    let mut views: Vec<View> = Vec::new();
    for reading in readings {
        let source = views.last().map_or(window, View::bytes);
        match View::of(source, *reading) {
            Some(view) => views.push(view),
            // Then this reading says no more than a shorter sequence.
            None => return,
        }
    }
    let text = views.last().map_or(window, View::bytes);
    let least = if readings.contains(&Reading::Lines) { WRAPPED } else { 0 };
    // To find that there is nothing is much faster than to find everything.
    let Some(first) = forms.find(text) else { return };
    // This is the match that ends first. A longer one may begin earlier and end later.
    let from = first.end().saturating_sub(forms.max_pattern_len());
    for hit in forms.find_overlapping_iter(&text[from..]).filter(|hit| hit.len() >= least) {
        let range = from + hit.start()..from + hit.end();
        let range = views.iter().rev().fold(range, |range, view| view.source(&range));
        found.add(start + range.start..start + range.end);
    }
}

fn stands_alone(bytes: &[u8], start: usize, end: usize) -> bool {
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || !byte.is_ascii();
    let before = start.checked_sub(1).and_then(|at| bytes.get(at));
    !before.is_some_and(is_word) && !bytes.get(end).is_some_and(is_word)
}

#[cfg(test)]
mod tests;

//! How well a note matches.
//!
//! The formula is the usual one (BM25), over what each term is worth in a note instead of plain counts:
//! an occurrence as a whole word counts more than one inside a word, and one in the title or a tag as much
//! as several in the text.

use super::query::{Query, Term};
use crate::{fold, library::Body};

const IN_TITLE: f64 = 6.0;
const IN_TAGS: f64 = 3.0;
const WHOLE_WORD: f64 = 1.0;
const BEGIN_OF_WORD: f64 = 0.6;
const INSIDE_WORD: f64 = 0.25;
/// More occurrences count less and less; this is how fast.
const SATURATION: f64 = 1.2;
/// How much a long note has to have more of a word to be as good as a short one.
const LENGTH: f64 = 0.5;
/// What it is worth that one line has all the terms.
const TOGETHER: f64 = 0.5;
/// A text that repeats one word a million times has it often enough.
const MAX_WORTH: f64 = 1000.0;

/// What one note has of the terms.
#[derive(Debug, Default)]
pub(super) struct Counts {
    /// For each group of alternatives, what it is worth in this note.
    worth: Vec<f32>,
    bytes: u64,
    /// The line of the text, from zero, that has the most terms, and how many it has.
    best: Option<(usize, u32)>,
    has_unwanted: bool,
}

impl Counts {
    pub(super) fn is_hit(&self) -> bool {
        let is_any = self.worth.is_empty() || self.worth.iter().any(|worth| *worth > 0.0);
        is_any && !self.has_unwanted
    }

    pub(super) fn is_whole(&self) -> bool {
        self.worth.iter().all(|worth| *worth > 0.0) && !self.has_unwanted
    }

    pub(super) fn best_line(&self) -> Option<usize> {
        self.best.map(|(line, _)| line)
    }
}

/// Reads notes for the terms of a query.
pub(super) struct Reader<'a> {
    query: &'a Query,
    folded: String,
}

impl<'a> Reader<'a> {
    pub(super) fn new(query: &'a Query) -> Self {
        Self { query, folded: String::new() }
    }

    pub(super) fn read(&mut self, title: &str, tags: &str, body: &Body<&str>) -> Counts {
        let mut counts = Counts { worth: vec![0.0; self.query.wanted.len()], ..Counts::default() };
        if self.query.is_empty() {
            return counts;
        }
        self.line(title, IN_TITLE, &mut counts);
        self.line(tags, IN_TAGS, &mut counts);
        if let Body::Text(text) = body {
            counts.bytes = text.len() as u64;
            for (number, line) in text.lines().enumerate() {
                let terms = self.line(line, 1.0, &mut counts);
                if terms > counts.best.map_or(0, |(_, terms)| terms) {
                    counts.best = Some((number, terms));
                }
            }
        }
        counts
    }

    /// Adds what a line is worth; how many of the groups are in it.
    fn line(&mut self, line: &str, weight: f64, counts: &mut Counts) -> u32 {
        fold::for_search(line, &mut self.folded);
        let mut groups = 0;
        for (group, sum) in self.query.wanted.iter().zip(&mut counts.worth) {
            let worth: f64 = group.iter().map(|term| worth(term, &self.folded)).sum();
            groups += u32::from(worth > 0.0);
            #[expect(clippy::cast_possible_truncation, reason = "it is at most a thousand")]
            let total = (f64::from(*sum) + worth * weight).min(MAX_WORTH) as f32;
            *sum = total;
        }
        let mut unwanted = self.query.unwanted.iter();
        counts.has_unwanted |=
            unwanted.any(|term| term.finder.find(self.folded.as_bytes()).is_some());
        groups
    }
}

/// What the occurrences of a term in a line are worth.
fn worth(term: &Term, line: &str) -> f64 {
    let places = term.finder.find_iter(line.as_bytes());
    let places = places.map(|start| {
        let before = line.get(..start).and_then(|before| before.chars().next_back());
        let after = line.get(start + term.text.len()..).and_then(|after| after.chars().next());
        let [begins, ends] = [before, after].map(|char| !char.is_some_and(char::is_alphanumeric));
        match (begins, ends) {
            (true, true) => WHOLE_WORD,
            (true, false) => BEGIN_OF_WORD,
            (false, _) => INSIDE_WORD,
        }
    });
    places.sum::<f64>().min(MAX_WORTH)
}

/// What is known of all notes together.
#[derive(Debug)]
pub(super) struct Scale {
    notes: u32,
    bytes: u64,
    /// For each group of alternatives, in how many notes it is.
    having: Vec<u32>,
}

impl Scale {
    pub(super) fn new(query: &Query) -> Self {
        Self { notes: 0, bytes: 0, having: vec![0; query.wanted.len()] }
    }

    pub(super) fn add(&mut self, counts: &Counts) {
        self.notes += 1;
        self.bytes += counts.bytes;
        for (having, worth) in self.having.iter_mut().zip(&counts.worth) {
            *having += u32::from(*worth > 0.0);
        }
    }

    pub(super) fn score(&self, counts: &Counts) -> f64 {
        let length = LENGTH.mul_add(self.relative_length(counts.bytes), 1.0 - LENGTH);
        let terms = counts.worth.iter().zip(&self.having).map(|(worth, having)| {
            let worth = f64::from(*worth);
            let rarity = f64::from(self.notes - having) + 0.5;
            let rarity = (1.0 + rarity / (f64::from(*having) + 0.5)).ln();
            rarity * worth * (SATURATION + 1.0) / SATURATION.mul_add(length, worth)
        });
        let sum: f64 = terms.sum();
        sum * (1.0 + TOGETHER * self.together(counts))
    }

    /// From zero, where no line has two terms, to one, where a line has all of them.
    fn together(&self, counts: &Counts) -> f64 {
        let best = counts.best.map_or(0, |(_, terms)| terms);
        match self.having.len() {
            0 | 1 => 0.0,
            all => {
                f64::from(best.saturating_sub(1)) / f64::from(u32::try_from(all - 1).unwrap_or(1))
            }
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "lengths of notes are compared roughly")]
    fn relative_length(&self, bytes: u64) -> f64 {
        let mean = self.bytes as f64 / f64::from(self.notes.max(1));
        if mean > 0.0 { bytes as f64 / mean } else { 1.0 }
    }
}

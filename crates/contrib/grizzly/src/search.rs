//! Searching notes: which ones match, in which order, and the lines that show why.
//!
//! There is no index. A server is often started for a single call, and building an index reads and
//! splits every note, which takes longer than looking at every note once; and an index of words does not
//! find parts of words, which is what searching is in languages written without spaces. So notes are
//! scanned line by line, and ranked by what is usual for text: words that few notes have count more, a
//! title counts more than a body, a whole word more than a part, and length is made up for.

mod excerpt;
mod query;
mod score;

use std::cmp::Ordering;

use jiff::Timestamp;

pub use self::excerpt::Excerpt;
pub use self::query::{Query, QueryError};
use self::score::{Counts, Scale};
use crate::library::{Body, Head, Library, LibraryError, TagName, Tags};

/// The most notes that one search returns.
pub const MAX_HITS: usize = 100;

/// What is looked for.
#[derive(Debug, Clone, Default)]
pub struct Search {
    /// The words; without any, all notes match that the rest lets through.
    pub query: Query,
    /// Tags that a note must have, all of them; a tag inside one counts.
    pub tags: Vec<TagName>,
    /// When it was made.
    pub created: Span,
    /// When it was last changed.
    pub modified: Span,
    /// What about notes in the archive.
    pub archived: Shown,
    /// What about notes in the trash.
    pub trashed: Shown,
    /// What comes first.
    pub order: Order,
    /// How many are left out from the beginning.
    pub offset: usize,
    /// How many are returned; not more than [`MAX_HITS`].
    pub limit: usize,
}

/// From a moment, and up to another that does not belong to it.
#[derive(Debug, Clone, Copy, Default)]
pub struct Span {
    /// The first moment.
    pub from: Option<Timestamp>,
    /// The moment after the last.
    pub until: Option<Timestamp>,
}

/// Whether notes of some kind are found.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Shown {
    /// They are left out.
    #[default]
    Exclude,
    /// They are found like others.
    Include,
    /// Nothing else is found.
    Only,
}

/// What comes first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Order {
    /// The best match; where there are no words, what was changed last.
    #[default]
    Relevance,
    /// What was changed last.
    Modified,
    /// What was made last.
    Created,
}

/// What a search found.
#[derive(Debug, Clone, Default)]
pub struct Found {
    /// The notes of the part that was asked for.
    pub hits: Vec<Hit>,
    /// How many there are in all.
    pub total: usize,
    /// No note has all the words: these have some of them.
    pub is_partial: bool,
    /// How many notes were judged by their titles alone: encrypted, or far too long.
    pub unread: usize,
}

/// A note that was found.
#[derive(Debug, Clone)]
pub struct Hit {
    /// The note.
    pub head: Head,
    /// Its tags.
    pub tags: Vec<String>,
    /// How well it matches; zero where there are no words.
    pub score: f64,
    /// The lines that show why.
    pub excerpt: Option<Excerpt>,
}

/// Searches all notes.
pub fn search(library: &Library, search: &Search) -> Result<Found, LibraryError> {
    let tags = library.tags()?;
    let mut scan = Scan { matches: Vec::new(), scale: Scale::new(&search.query), unread: 0 };
    let mut reader = score::Reader::new(&search.query);
    library.notes(|head, body| {
        if library.budget().is_spent() {
            return Err(library.out_of_time());
        }
        if search.admits(&head, &tags) {
            let tag_line = tags.shown(head.row).join(" ");
            scan.add(&head, reader.read(&head.title, &tag_line, &body), &body);
        }
        Ok(())
    })?;
    let (ranked, is_partial) = scan.rank(search);
    let total = ranked.len();
    let part = ranked.into_iter().skip(search.offset).take(search.limit.min(MAX_HITS));
    let hits = part.map(|ranked| hit(library, search, &tags, &ranked));
    let hits: Vec<Option<Hit>> = hits.collect::<Result<_, _>>()?;
    Ok(Found { hits: hits.into_iter().flatten().collect(), total, is_partial, unread: scan.unread })
}

impl Search {
    fn admits(&self, head: &Head, tags: &Tags) -> bool {
        self.archived.admits(head.is_archived)
            && self.trashed.admits(head.is_trashed)
            && self.created.admits(head.created)
            && self.modified.admits(head.modified)
            && self.tags.iter().all(|tag| tags.has(head.row, tag))
    }
}

impl Shown {
    fn admits(self, is_one: bool) -> bool {
        match self {
            Self::Exclude => !is_one,
            Self::Include => true,
            Self::Only => is_one,
        }
    }
}

impl Span {
    /// A note without a date is in no span but the one without ends.
    fn admits(self, time: Option<Timestamp>) -> bool {
        let from = self.from.is_none_or(|from| time.is_some_and(|time| time >= from));
        from && self.until.is_none_or(|until| time.is_some_and(|time| time < until))
    }
}

/// What is kept of the notes while they are looked at: numbers only.
struct Scan {
    matches: Vec<Match>,
    scale: Scale,
    unread: usize,
}

struct Match {
    row: i64,
    created: Option<Timestamp>,
    modified: Option<Timestamp>,
    counts: Counts,
}

struct Ranked {
    row: i64,
    score: f64,
    line: Option<usize>,
}

impl Scan {
    fn add(&mut self, head: &Head, counts: Counts, body: &Body<&str>) {
        self.unread += usize::from(!matches!(body, Body::Text(_)));
        self.scale.add(&counts);
        if counts.is_hit() {
            let Head { row, created, modified, .. } = *head;
            self.matches.push(Match { row, created, modified, counts });
        }
    }

    /// The matches in order, and whether none of them has all the words.
    fn rank(&mut self, search: &Search) -> (Vec<Ranked>, bool) {
        let mut matches = std::mem::take(&mut self.matches);
        let is_partial = !matches.iter().any(|one| one.counts.is_whole());
        if !is_partial {
            matches.retain(|one| one.counts.is_whole());
        }
        let mut scored: Vec<(f64, Match)> =
            matches.into_iter().map(|one| (self.scale.score(&one.counts), one)).collect();
        scored.sort_by(|one, other| compare(search.order, one, other));
        let ranked = scored.into_iter().map(|(score, Match { row, counts, .. })| Ranked {
            row,
            score,
            line: counts.best_line(),
        });
        let ranked: Vec<Ranked> = ranked.collect();
        let is_partial = is_partial && !ranked.is_empty();
        (ranked, is_partial)
    }
}

/// The newer of two equals comes first; of two that are equal in all, the one that is stored first.
fn compare(order: Order, one: &(f64, Match), other: &(f64, Match)) -> Ordering {
    let ((score, first), (other_score, second)) = (one, other);
    let by_order = match order {
        Order::Relevance => other_score.total_cmp(score),
        Order::Modified => Ordering::Equal,
        Order::Created => second.created.cmp(&first.created),
    };
    by_order.then(second.modified.cmp(&first.modified)).then(first.row.cmp(&second.row))
}

/// The note of a match, read again for its lines.
fn hit(
    library: &Library,
    search: &Search,
    tags: &Tags,
    ranked: &Ranked,
) -> Result<Option<Hit>, LibraryError> {
    let Some((head, body)) = library.note(ranked.row)? else { return Ok(None) };
    let excerpt = match &body {
        Body::Text(text) => excerpt::around(text, ranked.line, &search.query),
        Body::Encrypted | Body::TooLong => None,
    };
    let tags = tags.shown(ranked.row).into_iter().map(str::to_owned).collect();
    Ok(Some(Hit { head, tags, score: ranked.score, excerpt }))
}

#[cfg(test)]
mod tests;

//! Tags: their names, which are paths, and which notes have them.
//!
//! A tag `work/plans` is inside `work`. The tree is only in the names, so it has no cycles whatever the
//! rows say. Bear joins a note with the tags above its own as well, or not, depending on the version;
//! either way a note counts once for each tag.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::{
    Library, LibraryError,
    rows::{integer, string, up_to, value},
};
use crate::fold;

/// How many tags a database may have.
const MAX_TAGS: usize = 50_000;
/// How many times a tag may be on a note, over all notes.
const MAX_PAIRS: usize = 2_000_000;
/// Longer names are left out.
const MAX_NAME: u64 = 512;
/// Names with more levels are left out.
const MAX_LEVELS: usize = 32;

/// The name of a tag, with and without what people do not mean.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TagName {
    /// As it is shown, without `#`.
    pub shown: String,
    folded: String,
}

impl TagName {
    /// Reads a name as Bear or a model writes it: `work/plans`, `#work/plans`, `#two words#`. `None` if
    /// nothing is left, or if it has more levels than anybody needs.
    pub fn new(text: &str) -> Option<Self> {
        let parts = text.trim().trim_matches('#').split('/').map(str::trim);
        let parts: Vec<&str> = parts.filter(|part| !part.is_empty()).collect();
        if parts.len() > MAX_LEVELS {
            return None;
        }
        let shown = parts.join("/");
        let folded = fold::for_names(&shown);
        (!folded.is_empty()).then_some(Self { shown, folded })
    }

    /// Whether this is the other tag or one inside it.
    pub fn is_within(&self, outer: &Self) -> bool {
        let rest = self.folded.strip_prefix(&outer.folded);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }

    /// Whether both names mean the same tag.
    pub fn is(&self, other: &Self) -> bool {
        self.folded == other.folded
    }
}

/// All tags of a database.
#[derive(Debug, Default)]
pub struct Tags {
    names: Vec<TagName>,
    /// For the row of a note the places of its tags in `names`, sorted.
    of_notes: HashMap<i64, Vec<u32>>,
}

impl Tags {
    /// The names of all tags, in no order.
    pub fn names(&self) -> &[TagName] {
        &self.names
    }

    /// The tags of a note.
    pub fn of(&self, row: i64) -> impl Iterator<Item = &TagName> {
        let places = self.of_notes.get(&row).into_iter().flatten();
        places.filter_map(|place| self.names.get(*place as usize))
    }

    /// The tags of a note as they are shown: sorted, without those that another one is inside of.
    pub fn shown(&self, row: i64) -> Vec<&str> {
        let mut tags: Vec<&TagName> = self.of(row).collect();
        // By levels, so that what is inside a tag comes right after it.
        tags.sort_by(|one, other| one.folded.split('/').cmp(other.folded.split('/')));
        tags.dedup_by(|one, other| one.is(other));
        let next = tags.iter().skip(1).map(Some).chain([None]);
        let pairs = tags.iter().zip(next);
        let inner = pairs.filter(|(tag, next)| !next.is_some_and(|next| next.is_within(tag)));
        inner.map(|(tag, _)| tag.shown.as_str()).collect()
    }

    /// Whether a note has this tag or one inside it.
    pub fn has(&self, row: i64, tag: &TagName) -> bool {
        self.of(row).any(|own| own.is_within(tag))
    }

    /// Every tag with the number of these notes that have it or one inside it, by name.
    pub fn counts(&self, notes: impl IntoIterator<Item = i64>) -> BTreeMap<String, (String, u64)> {
        let mut counts: BTreeMap<String, (String, u64)> = BTreeMap::new();
        for tag in &self.names {
            counts.entry(tag.folded.clone()).or_insert_with(|| (tag.shown.clone(), 0));
        }
        for row in notes {
            let with_outer: BTreeSet<&str> = self.of(row).flat_map(outer).collect();
            for folded in with_outer {
                let entry = counts.entry(folded.to_owned());
                entry.or_insert_with(|| (folded.to_owned(), 0)).1 += 1;
            }
        }
        counts
    }
}

/// A tag and all it is inside of: `a/b/c`, `a/b`, `a`.
fn outer(tag: &TagName) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(tag.folded.as_str()), |name| {
        name.rsplit_once('/').map(|(outer, _)| outer)
    })
}

pub(super) fn read(library: &Library) -> Result<Tags, LibraryError> {
    let mut tags = Tags::default();
    let places = names(library, &mut tags)?;
    let junction = library.schema.junction;
    let sql = format!(
        "SELECT {}, {} FROM {} LIMIT {}",
        junction.note_column(),
        junction.tag_column(),
        junction.table(),
        MAX_PAIRS + 1
    );
    library.read_up_to(MAX_PAIRS, "tags on notes", &sql, |row| {
        if let Some(place) = places.get(&integer(value(row, 1))) {
            tags.of_notes.entry(integer(value(row, 0))).or_default().push(*place);
        }
        Ok(())
    })?;
    for own in tags.of_notes.values_mut() {
        own.sort_unstable();
        own.dedup();
    }
    Ok(tags)
}

/// Fills in the names; for each row of a tag its place among them.
fn names(library: &Library, tags: &mut Tags) -> Result<HashMap<i64, u32>, LibraryError> {
    let title = up_to("ZTITLE", MAX_NAME);
    let sql = format!("SELECT Z_PK, {title} FROM ZSFNOTETAG LIMIT {}", MAX_TAGS + 1);
    let mut places = HashMap::new();
    library.read_up_to(MAX_TAGS, "tags", &sql, |row| {
        if let Some(name) = TagName::new(&string(value(row, 1))) {
            let place = u32::try_from(tags.names.len()).unwrap_or(u32::MAX);
            tags.names.push(name);
            places.insert(integer(value(row, 0)), place);
        }
        Ok(())
    })?;
    Ok(places)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn name(text: &str) -> TagName {
        TagName::new(text).unwrap()
    }

    #[test]
    fn names_are_paths() {
        for (text, want) in [
            ("work", Some("work")),
            ("#work/plans", Some("work/plans")),
            ("#two words#", Some("two words")),
            (" /a// b/ ", Some("a/b")),
            ("#", None),
            ("///", None),
            ("", None),
        ] {
            assert_eq!(TagName::new(text).map(|tag| tag.shown).as_deref(), want, "{text}");
        }
        assert!(name("Work/Plans").is_within(&name("#work")));
        assert!(name("work").is_within(&name("WORK")));
        assert!(!name("workshop").is_within(&name("work")));
        assert!(!name("work").is_within(&name("work/plans")));
    }

    /// Whatever sorts between a tag and what is inside it.
    #[test]
    fn only_the_innermost_tags_are_shown() {
        let names = ["a", "a b", "a-c", "a/b", "a/b/c", "a.d", "ab", "b/a"].map(name).to_vec();
        let of_notes = HashMap::from([(1, (0..8).collect())]);
        let tags = Tags { names, of_notes };
        assert_eq!(tags.shown(1), ["a/b/c", "a b", "a-c", "a.d", "ab", "b/a"]);
        assert_eq!(TagName::new(&"a/".repeat(33)), None);
    }

    #[test]
    fn a_tag_counts_once_for_a_note() {
        let names = ["a", "a/b", "a/b/a", "A/B", "c"].map(name).to_vec();
        let of_notes = HashMap::from([(1, vec![0, 1, 3]), (2, vec![2]), (3, vec![])]);
        let tags = Tags { names, of_notes };
        assert_eq!(tags.shown(1), ["a/b"]);
        let counts = tags.counts([1, 2, 3, 4]);
        let counts: Vec<_> = counts.values().map(|(name, count)| (name.as_str(), *count)).collect();
        assert_eq!(counts, [("a", 2), ("a/b", 2), ("a/b/a", 1), ("c", 0)]);
    }

    proptest! {
        #[test]
        fn any_name_is_within_itself_and_what_is_above(text: String, inner in "[a-z]{1,5}") {
            if let Some(tag) = TagName::new(&text).filter(|tag| tag.shown.matches('/').count() < 20) {
                prop_assert!(tag.is_within(&tag));
                let inside = name(&format!("{}/{inner}", tag.shown));
                prop_assert!(inside.is_within(&tag), "{inside:?} {tag:?}");
                prop_assert!(!tag.is_within(&inside));
            }
        }
    }
}

//! What is found among the landmarks and notes that are made up, and in which order.

use std::{
    sync::OnceLock,
    time::{Duration, Instant},
};

use camino::Utf8Path;
use proptest::prelude::*;
use tempfile::TempDir;

use super::*;
use crate::{
    Budget,
    fixture::{Fixture, LANDMARKS},
    fold,
    snapshot::Source,
};

fn image() -> &'static [u8] {
    static IMAGE: OnceLock<Vec<u8>> = OnceLock::new();
    IMAGE.get_or_init(|| {
        let dir = TempDir::new().unwrap();
        let path = Utf8Path::from_path(dir.path()).unwrap().join("database.sqlite");
        let _connection = Fixture::default().create(&path).unwrap();
        Source::new(&path, 16 << 20).take(Instant::now() + Duration::from_secs(5)).unwrap().image
    })
}

fn library() -> Library {
    let budget = Budget::of(Duration::from_mins(1));
    Library::open(Utf8Path::new("FILE"), image(), budget).unwrap()
}

fn words(query: &str) -> Search {
    Search { query: Query::parse(query).unwrap(), limit: 10, ..Search::default() }
}

/// The titles of the landmarks that are found, in order; others come and go with the seed.
fn titles(wanted: &Search) -> Vec<String> {
    let found = search(&library(), &Search { limit: MAX_HITS, ..wanted.clone() }).unwrap();
    let is_landmark = |id: &str| LANDMARKS.iter().any(|landmark| landmark.id == id);
    let hits = found.hits.into_iter().filter(|hit| is_landmark(&hit.head.id));
    hits.map(|hit| hit.head.title).collect()
}

#[test]
fn words_are_found() {
    for (query, want) in [
        ("tomatoes", vec!["Garden plan", "Seed list"]),
        ("garden plan", vec!["Garden plan", "Seed list"]),
        ("\"garden plan\"", vec!["Garden plan"]),
        ("tomatoes -basil", vec!["Garden plan"]),
        ("wheelbarrow OR coffee", vec!["Groceries", "Garden plan"]),
        ("wheelb", vec!["Garden plan"]),
        ("cafe zurich", vec!["Café Zürich"]),
        ("コーヒー", vec!["Café Zürich"]),
        ("c++", vec!["Café Zürich"]),
        ("diary", vec!["Diary"]),
        ("nobody-may-read-this", vec![]),
        ("office", vec!["Groceries"]),
        ("* OR '; DROP TABLE ZSFNOTE --", vec![]),
    ] {
        let titles: Vec<String> =
            titles(&words(query)).iter().map(|title| title.replace("e\u{301}", "é")).collect();
        assert_eq!(titles, want, "{query}");
    }
}

#[test]
fn a_note_with_some_words_is_better_than_none() {
    let found = search(&library(), &words("wheelbarrow zzzzzz")).unwrap();
    assert!(found.is_partial);
    assert_eq!(found.hits[0].head.title, "Garden plan");
    let found = search(&library(), &words("zzzzzz yyyyyy")).unwrap();
    assert!(!found.is_partial && found.total == 0);
}

#[test]
fn excerpts_show_why() {
    let found = search(&library(), &words("wheelbarrow")).unwrap();
    let excerpt = found.hits[0].excerpt.clone().unwrap();
    assert_eq!((excerpt.first_line, excerpt.last_line), (7, 7));
    assert_eq!(excerpt.text, "The wheelbarrow needs a new tyre.");
    assert_eq!(found.unread, 1, "the diary is encrypted");
}

#[test]
fn tags_dates_archive_and_trash() {
    let tag = |name: &str| vec![TagName::new(name).unwrap()];
    let time = |text: &str| Some(text.parse().unwrap());
    let by_default = || Search { limit: 10, ..Search::default() };
    for (wanted, want) in [
        (Search { tags: tag("#home/garden"), ..by_default() }, vec!["Garden plan", "Seed list"]),
        (Search { tags: tag("HOME"), ..words("oranges OR basil") }, vec!["Groceries", "Seed list"]),
        (Search { tags: tag("hom"), ..by_default() }, vec![]),
        (Search { archived: Shown::Only, ..words("tomatoes") }, vec!["Old boat"]),
        (Search { trashed: Shown::Only, ..words("tomatoes") }, vec!["Thrown away"]),
        (
            Search {
                archived: Shown::Include,
                trashed: Shown::Include,
                order: Order::Modified,
                ..words("tomatoes")
            },
            vec!["Garden plan", "Seed list", "Old boat", "Thrown away"],
        ),
        (
            Search {
                modified: Span { from: time("2026-01-01T00:00:00Z"), until: None },
                ..words("groceries OR garden")
            },
            vec!["Garden plan", "Groceries"],
        ),
        (
            Search {
                created: Span { from: None, until: time("2020-01-07T00:00:00Z") },
                ..words("cafe OR groceries")
            },
            vec!["Cafe\u{301} Zürich"],
        ),
    ] {
        assert_eq!(titles(&wanted), want, "{wanted:?}");
    }
}

#[test]
fn pages_are_the_whole_list() {
    let all = search(&library(), &Search { limit: 1000, ..words("e") }).unwrap();
    assert_eq!(all.hits.len(), MAX_HITS.min(all.total));
    let mut rows = Vec::new();
    while rows.len() < all.hits.len() {
        let page = Search { offset: rows.len(), limit: 7, ..words("e") };
        rows.extend(search(&library(), &page).unwrap().hits.iter().map(|hit| hit.head.row));
    }
    rows.truncate(all.hits.len());
    assert_eq!(rows, all.hits.iter().map(|hit| hit.head.row).collect::<Vec<_>>());
    let beyond = search(&library(), &Search { offset: 1 << 40, ..words("e") }).unwrap();
    assert!(beyond.hits.is_empty() && beyond.total == all.total);
}

#[test]
fn a_search_ends_with_its_budget() {
    let mut library = library();
    library.set_budget(Budget::of(Duration::ZERO)).unwrap();
    let error = search(&library, &words("tomatoes")).unwrap_err();
    assert!(matches!(error, LibraryError::OutOfTime { .. }), "{error}");
}

/// What is found is what contains the words, judged in the simplest way.
fn contains(library: &Library, term: &str) -> usize {
    let mut term_folded = String::new();
    fold::for_search(term, &mut term_folded);
    let tags = library.tags().unwrap();
    let mut count = 0;
    library
        .notes(|head, body| {
            let text = if let Body::Text(text) = body { text } else { "" };
            let shown = tags.shown(head.row).join(" ");
            let lines = text.lines().chain([head.title.as_str(), &shown]);
            let is_in = |line: &str| {
                let mut folded = String::new();
                fold::for_search(line, &mut folded);
                folded.contains(&term_folded)
            };
            let is_shown = !head.is_archived && !head.is_trashed;
            count += usize::from(is_shown && lines.into_iter().any(is_in));
            Ok(())
        })
        .unwrap();
    count
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn a_word_is_found_wherever_it_is(term in "[a-zéß]{1,6}") {
        let library = library();
        let found = search(&library, &words(&term)).unwrap();
        prop_assert_eq!(found.total, contains(&library, &term));
        prop_assert!(found.hits.is_sorted_by(|one, other| one.score >= other.score));
        prop_assert!(found.hits.iter().all(|hit| hit.score.is_finite() && hit.score > 0.0));
    }

    #[test]
    fn any_query_can_be_searched(query in ".{0,40}") {
        if let Ok(query) = Query::parse(&query) {
            search(&library(), &Search { query, limit: 5, ..Search::default() }).unwrap();
        }
    }
}

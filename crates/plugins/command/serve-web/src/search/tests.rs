//! Words, ages and titles, and addresses that say the same.

use super::*;

fn listing() -> Vec<Summary> {
    let rows = [
        ("173", Some("Refactor config"), "2026-03-18T11:00:00Z"),
        ("172", None, "2026-03-15T11:00:00Z"),
        ("171", Some("Größe der Bilder"), "2025-12-15T11:00:00Z"),
        ("170", Some(" "), "2020-01-01T00:00:00Z"),
    ];
    let summary = |(id, title, last): (&str, Option<&str>, &str)| Summary {
        id: id.to_owned(),
        title: title.map(str::to_owned),
        last_activated_at: last.to_owned(),
        events_count: 1,
    };
    rows.map(summary).to_vec()
}

#[test]
fn conversations_are_chosen() {
    let now = "2026-03-18T12:00:00Z".parse().unwrap();
    let check = |wanted: Wanted, want: &[&str]| {
        let chosen = wanted.choose(&listing(), now);
        let ids: Vec<_> = chosen.iter().map(|summary| summary.id.as_str()).collect();
        assert_eq!(ids, want, "{wanted:?}");
    };
    let all = Wanted::default();
    let q = |q: &str| Wanted { q: q.to_owned(), ..Wanted::default() };
    check(all.clone(), &["173", "172", "171", "170"]);
    check(q("CONFIG  refactor"), &["173"]);
    check(q("config 173"), &["173"]);
    check(q("GRÖSSE"), &[]);
    check(q("GRÖßE"), &["171"]);
    check(q("17"), &["173", "172", "171", "170"]);
    check(q("a.c"), &[]);
    check(Wanted { place: Place::Content, ..q("x") }, &["173", "172", "171", "170"]);
    check(Wanted { age: Age::Day, ..all.clone() }, &["173"]);
    check(Wanted { age: Age::Week, ..all.clone() }, &["173", "172"]);
    check(Wanted { age: Age::Year, ..all.clone() }, &["173", "172", "171"]);
    check(Wanted { title: Titled::With, ..all.clone() }, &["173", "171"]);
    check(Wanted { title: Titled::Without, ..all }, &["172", "170"]);
}

#[test]
fn addresses() {
    let check = |wanted: Wanted, page: usize, want: &str| {
        assert_eq!(wanted.address(page), want);
    };
    check(Wanted::default(), 1, "/");
    check(Wanted::default(), 2, "/?page=2");
    let (age, title, place) = (Age::Week, Titled::With, Place::Content);
    let wanted = Wanted { q: "a b&c".to_owned(), age, title, place, page: None };
    check(wanted, 3, "/?q=a%20b%26c&age=week&title=with&in=content&page=3");
}

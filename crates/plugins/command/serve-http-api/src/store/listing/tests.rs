//! Order, search and places.

use super::*;

fn listing(rows: &[(&str, Option<&str>, &str)]) -> Listing {
    let summary = |(id, title, time): &(&str, Option<&str>, &str)| Summary {
        id: (*id).to_owned(),
        title: title.map(str::to_owned),
        last_activated_at: (*time).to_owned(),
        events_count: 1,
    };
    Listing::new(rows.iter().map(summary).collect())
}

fn ids(listing: &Listing, text: &str) -> Vec<String> {
    listing.search(text).into_iter().map(|(_, it)| it.id.clone()).collect()
}

#[test]
fn the_latest_come_first_whatever_their_form() {
    let listing = listing(&[
        ("10", None, "2026-01-01T00:00:00Z"),
        ("9", None, "2026-01-01T00:00:00Z"),
        ("8", None, "2026-01-01T00:00:00.5Z"),
        ("7", None, "2026-01-02T00:00:00Z"),
        ("6", None, "no time"),
    ]);
    assert_eq!(ids(&listing, ""), ["7", "8", "10", "9", "6"]);
}

#[test]
fn every_word_has_to_be_there() {
    let listing = listing(&[
        ("12", Some("Fix the Größe"), "2026-01-03T00:00:00Z"),
        ("34", Some("Fix nothing"), "2026-01-02T00:00:00Z"),
        ("56", None, "2026-01-01T00:00:00Z"),
    ]);
    assert_eq!(ids(&listing, "fix"), ["12", "34"]);
    assert_eq!(ids(&listing, "GRÖSSE fix"), [""; 0]);
    assert_eq!(ids(&listing, " größe  FIX "), ["12"]);
    assert_eq!(ids(&listing, "5"), ["56"]);
    assert_eq!(ids(&listing, "  "), ["12", "34", "56"]);
}

#[test]
fn a_place_survives_its_text() {
    for key in
        [Key { time: 1, id: 2 }, Key { time: -1, id: 0 }, Key { time: i128::from(i64::MAX), id: 7 }]
    {
        assert_eq!(key.to_string().parse(), Ok(key));
    }
    for bad in ["", "1", "_", "1_", "_1", "1_-1", "+1_1", "--1_1", "1_1_1", "1_1 ", "x_1"] {
        assert_eq!(bad.parse::<Key>(), Err(()), "{bad}");
    }
    assert!("9".repeat(31).parse::<Key>().is_err());
}

#[test]
fn a_tag_sees_every_field() {
    let base = Conversation {
        id: "1".to_owned(),
        title: None,
        last_activated_at: "t".to_owned(),
        events_count: 1,
    };
    let others = [
        Conversation { id: "2".to_owned(), ..base.clone() },
        Conversation { title: Some(String::new()), ..base.clone() },
        Conversation { last_activated_at: "u".to_owned(), ..base.clone() },
        Conversation { events_count: 2, ..base.clone() },
    ];
    assert_eq!(base.tag(), base.clone().tag());
    for other in others {
        assert_ne!(base.tag(), other.tag(), "{other:?}");
    }
}

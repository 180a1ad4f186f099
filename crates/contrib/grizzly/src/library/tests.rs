//! Databases of strangers: other numbers, rows that make no sense, schemas that want to do something.

use std::time::{Duration, Instant};

use proptest::prelude::*;
use rusqlite::params;
use tempfile::TempDir;

use super::*;
use crate::{
    fixture::{Fixture, LANDMARKS, Place},
    snapshot::Source,
};

fn minute() -> Budget {
    Budget::of(Duration::from_mins(1))
}

/// The library of a made database after something was done to it.
fn opened(fixture: &Fixture, change: impl FnOnce(&Connection)) -> Result<Library, LibraryError> {
    let dir = TempDir::new().unwrap();
    let path = Utf8Path::from_path(dir.path()).unwrap().join("database.sqlite");
    let connection = fixture.create(&path).unwrap();
    change(&connection);
    let deadline = Instant::now() + Duration::from_secs(5);
    let image = Source::new(&path, 256 << 20).take(deadline)?.image;
    Library::open(Utf8Path::new("FILE"), &image, minute())
}

fn small() -> Fixture {
    Fixture { notes: 3, ..Fixture::default() }
}

fn after(sql: &str) -> Result<Library, LibraryError> {
    opened(&small(), |connection| connection.execute_batch(sql).unwrap())
}

fn heads(library: &Library) -> Vec<Head> {
    let mut heads = Vec::new();
    library.heads(|head| heads.push(head)).unwrap();
    heads
}

#[test]
fn notes_are_read_as_they_were_written() {
    let library = opened(&small(), |_| {}).unwrap();
    let kept: Vec<_> =
        LANDMARKS.iter().filter(|landmark| landmark.place != Place::Nowhere).collect();
    let heads = heads(&library);
    assert_eq!(heads.len(), kept.len() + 3);
    for (head, landmark) in heads.iter().zip(kept) {
        assert_eq!((head.id.as_str(), head.title.as_str()), (landmark.id, landmark.title));
        assert_eq!(head.is_archived, landmark.place == Place::Archive);
        assert_eq!(head.is_trashed, landmark.place == Place::Trash);
        assert_eq!(head.modified, crate::from_stored(landmark.modified));
        let (_, body) = library.note(head.row).unwrap().unwrap();
        match body {
            Body::Text(text) => assert_eq!(text, landmark.text),
            Body::Encrypted => assert!(landmark.is_encrypted),
            Body::TooLong => panic!("{landmark:?}"),
        }
    }
}

#[test]
fn the_junction_is_found_whatever_its_numbers() {
    for (note_entity, tag_entity) in
        [(5, 13), (5, 10), (7, 14), (0, 1), (13, 5), (4_000_000_000, 2)]
    {
        let fixture = Fixture { note_entity, tag_entity, ..small() };
        let library = opened(&fixture, |_| {}).unwrap();
        let tags = library.tags().unwrap();
        assert_eq!(tags.shown(1), ["home/garden"], "{note_entity} {tag_entity}");
        assert!(tags.has(1, &TagName::new("HOME").unwrap()));
        assert!(!tags.has(6, &TagName::new("home").unwrap()));
    }
}

#[test]
fn a_junction_from_before_a_migration_is_not_used() {
    let old = "CREATE TABLE Z_4TAGS (Z_4NOTES INTEGER, Z_9TAGS INTEGER);\
               INSERT INTO Z_4TAGS VALUES (6, 1);";
    assert_eq!(after(old).unwrap().tags().unwrap().shown(1), ["home/garden"]);
    let unlisted = format!("{old} DROP TABLE Z_PRIMARYKEY;");
    let error = after(&unlisted).unwrap_err().to_string();
    assert!(
        error.contains("several tables could join notes and tags: `Z_4TAGS`, `Z_5TAGS`"),
        "{error}"
    );
    // One that only looks like it does not count.
    let half = "CREATE TABLE Z_6TAGS (Z_6NOTES INTEGER); DROP TABLE Z_PRIMARYKEY;";
    assert_eq!(after(half).unwrap().tags().unwrap().shown(1), ["home/garden"]);
}

#[test]
fn what_is_not_bears_is_said() {
    for (sql, want) in [
        (
            "DROP TABLE ZSFNOTE",
            "FILE: an SQLite database, but not Bear's: it has no table `ZSFNOTE`",
        ),
        (
            "ALTER TABLE ZSFNOTE DROP COLUMN ZENCRYPTED; ALTER TABLE ZSFNOTE RENAME COLUMN ZTEXT TO ZBODY",
            "FILE: looks like Bear's, but of a version that is not known here: the table `ZSFNOTE` has \
             no `ZTEXT`, `ZENCRYPTED`; a newer grizzly is needed",
        ),
        (
            "DROP TABLE ZSFNOTETAG",
            "FILE: looks like Bear's, but of a version that is not known here: there is no table \
             `ZSFNOTETAG`; a newer grizzly is needed",
        ),
        (
            "DROP TABLE Z_5TAGS",
            "FILE: looks like Bear's, but of a version that is not known here: there is no table \
             `Z_<number>TAGS` that joins notes and tags; a newer grizzly is needed",
        ),
        // A view could take for ever, a virtual table could do anything.
        (
            "ALTER TABLE ZSFNOTE RENAME TO other; CREATE VIEW ZSFNOTE AS SELECT * FROM other",
            "FILE: an SQLite database, but not Bear's: it has no table `ZSFNOTE`",
        ),
        (
            "DROP TABLE ZSFNOTE; CREATE VIRTUAL TABLE ZSFNOTE USING fts5(ZTEXT)",
            "FILE: an SQLite database, but not Bear's: it has no table `ZSFNOTE`",
        ),
        // So could a column that is computed.
        (
            "ALTER TABLE ZSFNOTE DROP COLUMN ZTEXT; \
             ALTER TABLE ZSFNOTE ADD COLUMN ZTEXT TEXT AS (hex(zeroblob(9999999)))",
            "FILE: looks like Bear's, but of a version that is not known here: the table `ZSFNOTE` has \
             no `ZTEXT`; a newer grizzly is needed",
        ),
    ] {
        assert_eq!(after(sql).unwrap_err().to_string(), want, "{sql}");
    }
}

/// Rows that no Bear writes. None of them costs the others.
#[test]
fn hostile_rows_are_read() {
    let insert = "INSERT INTO ZSFNOTE (Z_PK, ZTITLE, ZTEXT, ZUNIQUEIDENTIFIER, ZCREATIONDATE, \
                  ZMODIFICATIONDATE, ZTRASHED, ZENCRYPTED) VALUES ";
    let library = after(&format!(
        "{insert} (900, NULL, NULL, NULL, NULL, NULL, NULL, NULL), \
         (901, CAST(x'ff41fe' AS TEXT), CAST(x'e28241c3' AS TEXT), '  ', 'soon', 1e300, 0, 0), \
         (902, x'4142', 12.5, 77, -1e30, 9e18, 'yes', 0), \
         (903, 'a' || char(10, 27, 0) || 'b', 'text', 'secret', 0, 0, 0, 'maybe'), \
         (904, printf('%.*c', 5000, 'x'), 'text', printf('%.*c', 500, 'i'), 0, 0, 0, 0), \
         (-5, 'negative', 'text', 'n', 0, 0, 0, 2);"
    ))
    .unwrap();
    let note = |row: i64| library.note(row).unwrap().unwrap();
    let (head, body) = note(900);
    assert_eq!((head.id.as_str(), head.title.as_str()), ("row-900", "Untitled"));
    assert_eq!((head.created, body), (None, Body::Text(String::new())));
    let (head, body) = note(901);
    assert_eq!((head.id.as_str(), head.title.as_str()), ("row-901", "\u{fffd}A\u{fffd}"));
    assert_eq!((head.created, head.modified), (None, None));
    assert_eq!(body, Body::Text("\u{fffd}A\u{fffd}".to_owned()));
    let (head, body) = note(902);
    assert_eq!((head.id.as_str(), head.title.as_str(), head.is_trashed), ("77", "AB", true));
    assert_eq!((head.modified, body), (None, Body::Text("12.5".to_owned())));
    let (head, body) = note(903);
    assert_eq!((head.title.as_str(), body), ("a b", Body::Encrypted), "what might be encrypted is");
    let (head, _) = note(904);
    assert_eq!((head.id.as_str(), head.title.as_str()), ("row-904", "Untitled"));
    assert_eq!(note(-5).1, Body::Encrypted);
    assert_eq!(heads(&library).len(), 10 + 3 + 6);
}

#[test]
fn a_note_that_is_too_long_is_named_and_not_read() {
    let library = opened(&small(), |connection| {
        let sql = "INSERT INTO ZSFNOTE (Z_PK, ZTITLE, ZTEXT) VALUES (?1, 'long', ?2)";
        let length = usize::try_from(MAX_TEXT).unwrap();
        connection.execute(sql, params![901, "x".repeat(length)]).unwrap();
        connection.execute(sql, params![902, "x".repeat(length + 1)]).unwrap();
        // Larger than anything that is ever read; nobody asks for it, so it is no harm.
        let sql =
            "INSERT INTO ZSFNOTE (Z_PK, ZTITLE, ZTEXT) VALUES (903, 'huge', zeroblob(70000000))";
        connection.execute(sql, []).unwrap();
    })
    .unwrap();
    assert!(matches!(library.note(901).unwrap().unwrap().1, Body::Text(_)));
    let (head, body) = library.note(902).unwrap().unwrap();
    assert_eq!((head.bytes, body), (MAX_TEXT + 1, Body::TooLong));
    let mut longest = 0;
    library
        .notes(|_, body| {
            if let Body::Text(text) = body {
                longest = longest.max(text.len() as u64);
            }
            Ok(())
        })
        .unwrap();
    assert_eq!(longest, MAX_TEXT);
}

#[test]
fn hostile_tags_are_read() {
    let library = after(
        "INSERT INTO ZSFNOTETAG (Z_PK, ZTITLE) VALUES (900, NULL), (901, '//'), (902, 'a/a/a'), \
         (903, 'A/a'), (904, CAST(x'61ff' AS TEXT)), (905, printf('%.*c', 5000, 'x'));\
         INSERT INTO Z_5TAGS VALUES (6, 900), (6, 901), (6, 902), (6, 903), (6, 904), (6, 905), \
         (6, 12345), (99999, 902), (NULL, 902), (6, NULL);",
    )
    .unwrap();
    let tags = library.tags().unwrap();
    assert_eq!(tags.shown(6), ["a/a/a", "a\u{fffd}"]);
    let counts = tags.counts([6]);
    assert_eq!(counts["a"], ("a".to_owned(), 1));
    assert_eq!(counts["a/a"], ("A/a".to_owned(), 1));
}

#[test]
fn work_ends_with_its_budget() {
    let fixture = Fixture { notes: 2000, ..Fixture::default() };
    let mut library = opened(&fixture, |_| {}).unwrap();
    let budget = minute();
    let waiting = budget.waiting();
    library.set_budget(budget).unwrap();
    let mut seen = 0;
    library.heads(|_| seen += 1).unwrap();
    assert!(seen > 2000);
    // Nobody waits any more: SQLite stops in the middle of a statement.
    drop(waiting);
    let mut seen = 0;
    let error = library.heads(|_| seen += 1).unwrap_err();
    assert!(matches!(error, LibraryError::OutOfTime { .. }), "{error}");
    assert!(seen < 1000, "{seen}");
    library.set_budget(minute()).unwrap();
    assert!(library.tags().is_ok());
}

/// The picture is memory: whatever a statement does, it cannot reach a file, and it cannot write.
#[test]
fn nothing_can_be_written() {
    let library = opened(&small(), |_| {}).unwrap();
    for sql in [
        "DELETE FROM ZSFNOTE",
        "CREATE TABLE x (y)",
        "ATTACH DATABASE '/tmp/grizzly-was-here.sqlite' AS other",
        "VACUUM INTO '/tmp/grizzly-was-here.sqlite'",
    ] {
        library.connection.execute_batch(sql).expect_err(sql);
    }
    assert!(!Utf8Path::new("/tmp/grizzly-was-here.sqlite").exists());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Bytes of a database turned over: an answer or an error, never anything else.
    #[test]
    fn a_broken_database_is_an_error(
        flips in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..40),
    ) {
        let mut image = image().to_vec();
        for (place, byte) in flips {
            *place.get_mut(&mut image) = byte;
        }
        image[18..20].fill(1);
        if let Ok(library) = Library::open(Utf8Path::new("FILE"), &image, minute()) {
            let _ = library.notes(|_, _| Ok(()));
            let _ = library.tags();
        }
    }
}

fn image() -> &'static [u8] {
    static IMAGE: std::sync::OnceLock<Vec<u8>> = std::sync::OnceLock::new();
    IMAGE.get_or_init(|| {
        let dir = TempDir::new().unwrap();
        let path = Utf8Path::from_path(dir.path()).unwrap().join("database.sqlite");
        let _connection = small().create(&path).unwrap();
        Source::new(&path, 1 << 20).take(Instant::now() + Duration::from_secs(5)).unwrap().image
    })
}

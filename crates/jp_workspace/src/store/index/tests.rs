//! A log that somebody else has written.
#![expect(clippy::disallowed_methods, reason = "tests build their own files")]

use std::fs;

use super::*;

/// So many conversations can be listed that have no titles.
const MOST_ENTRIES: usize = MOST_LISTED / EACH;

/// What is known of a workspace that came with this log.
fn known(log: impl AsRef<[u8]>, len: u64) -> usize {
    let temp = tempfile::tempdir().unwrap();
    let cache = temp.path().join(CACHE);
    fs::create_dir(&cache).unwrap();
    fs::write(cache.join(INDEX), log).unwrap();
    File::options().write(true).open(cache.join(INDEX)).unwrap().set_len(len).unwrap();
    let mut index = Index::new(Utf8PathBuf::try_from(temp.path().to_owned()).unwrap());
    index.refresh().unwrap();
    index.entries.len()
}

#[test]
fn a_log_is_read_in_pieces_as_far_as_it_can_be_one() {
    let unknown = |count: usize| {
        (1..=count)
            .map(|id| format!("[\"u\",{}]\n", 10_u64.pow(18) + id as u64))
            .collect::<String>()
    };
    let check = |log: String, want: usize| {
        let len = log.len() as u64;
        assert_eq!(known(log, len), want, "{len}");
    };
    check(String::new(), 0);
    // Several pieces, each of which ends within a record; the last is still being written.
    let many = unknown(125_000);
    assert!(many.len() as u64 > 3 * PIECE);
    check(format!("{many}[\"u\""), 125_000);
    check(unknown(MOST_ENTRIES), MOST_ENTRIES);
    check(unknown(MOST_ENTRIES + 1), 0);
    // Long titles count, as long as it is theirs.
    let titles = |count: usize, title: &str| {
        (0..count)
            .map(|id| format!("[\"e\",{id},null,\"{title}\",1,1,1,1,1,false]\n"))
            .collect::<String>()
    };
    let long = "x".repeat(4 << 10);
    let most = MOST_LISTED / (EACH + 2 * long.len());
    check(titles(most, &long), most);
    check(titles(most + 1, &long), 0);
    check(titles(most, &long) + &titles(most, ""), most);
    check(titles(most, &long) + &titles(most, "") + &"[\"d\",0]\n".repeat(2), most - 1);
    // A record that never ends, and a file that takes no room on the disk.
    check(format!("{}{}", unknown(10), "x".repeat(2 << 20)), 0);
    assert_eq!(known(unknown(10), LIMIT + 1), 0);
}

#[test]
fn a_title_in_a_log_of_another_version_is_cut() {
    let mut index = Index::new(Utf8PathBuf::new());
    let record = format!("[\"e\",7,null,\"{}\",1,1,1,1,1,false]\n", "\\u0001".repeat(64 << 10));
    index.fold(record.as_bytes()).unwrap();
    let entry = &index.entries[&ConversationId::from_u64(7)];
    assert!(entry.title.as_ref().is_some_and(|title| title.len() <= 4 << 10));
}

#[test]
fn who_was_too_slow_to_rewrite_the_log_leaves_that_of_another() {
    let temp = tempfile::tempdir().unwrap();
    let storage = Utf8PathBuf::try_from(temp.path().to_owned()).unwrap();
    let log = || fs::read_to_string(storage.join(CACHE).join(INDEX)).unwrap();
    let slow = Index::new(storage.clone());
    let flags = OFlags::RDWR | OFlags::APPEND | OFlags::CREATE;
    let old = slow.open_log(flags).unwrap();
    slow.put_in_place_of(&old, "[\"u\",1]\n").unwrap();
    assert_eq!(log(), "[\"u\",1]\n");
    let old = slow.open_log(flags).unwrap();
    old.try_lock().unwrap();
    // Nobody can wait so long, so this one does without what was in it.
    Index::new(storage.clone()).mark_unknown(ConversationId::from_u64(7)).unwrap();
    slow.put_in_place_of(&old, "[\"u\",1]\n").unwrap_err();
    assert_eq!(log(), "[\"u\",7]\n");
    let mut left: Vec<_> = fs::read_dir(storage.join(CACHE)).unwrap().flatten().collect();
    left.retain(|it| !matches!(it.file_name().to_str(), Some(INDEX | ".gitignore")));
    assert!(left.is_empty(), "{left:?}");
}

//! How much is kept apart: also below a directory that was made, and also where paths only become longer.

use super::*;
use crate::overlay::state::{MAX_PATH_BYTES, MAX_PATHS};

const FULL: &str = "more paths than can be kept apart";

fn in_memory(place: &Place) -> OverlayProjectFiles {
    OverlayProjectFiles::new(&MemoryProjectFiles::new(), &place.scratch)
}

/// A directory with a path as long as one can be that still has room for names in it.
fn deep() -> String {
    vec!["x".repeat(255); 15].join("/")
}

/// Makes empty files until no more are taken; says how many, and why.
fn fill(overlay: &OverlayProjectFiles, dir: &str) -> (usize, String) {
    for number in 0..=MAX_PATHS {
        let file = path(&format!("{dir}/{number}"));
        if let Err(error) = overlay.write(&file, b"", WriteMode::CreateNew) {
            return (number, error.to_string());
        }
    }
    (usize::MAX, "there is no end".to_owned())
}

#[test]
fn paths_are_counted_below_a_directory_that_was_made() {
    let place = place();
    let overlay = in_memory(&place);
    overlay.create_dir(&path("d")).unwrap();
    let (count, why) = fill(&overlay, "d");
    assert_eq!((count, why), (MAX_PATHS - 1, format!("d/{count}: {FULL}")));
    let error = overlay.create_dir(&path("d/new")).unwrap_err();
    assert!(error.to_string().ends_with(FULL), "{error}");
    // The same as where a project in memory is full: it is the request that is too large.
    let ProjectError::Io { source, .. } = error else { panic!("{error}") };
    assert_eq!(source.kind(), std::io::ErrorKind::FileTooLarge);
    // What is there already can be written, moved and deleted, and makes room.
    write(&overlay, "d/0", "x");
    overlay.rename(&path("d/0"), &path("d/a"), RenameTarget::Keep).unwrap();
    overlay.rename(&path("d/a"), &path("d/1"), RenameTarget::Overwrite).unwrap();
    overlay.delete(&path("d/2"), DeleteReach::File).unwrap();
    assert_eq!(text(&overlay, "d/1"), "x");
    assert_eq!(fill(&overlay, "d").0, 1);
    overlay.create_dir(&path("d/new")).unwrap();
}

#[test]
fn the_bytes_of_paths_are_counted() {
    let place = place();
    let overlay = in_memory(&place);
    let dir = deep();
    overlay.create_dir(&path(&dir)).unwrap();
    let (count, why) = fill(&overlay, &dir);
    assert!(why.ends_with(FULL), "{why}");
    let most = MAX_PATH_BYTES / dir.len();
    assert!(count < most && count > most - 50, "{count} of {most}");
}

#[test]
fn a_move_makes_paths_no_longer_than_is_kept() {
    let place = place();
    let overlay = in_memory(&place);
    overlay.create_dir(&path("d")).unwrap();
    for number in 0..5_000 {
        write(&overlay, &format!("d/{number}"), "");
    }
    let dir = deep();
    let error = overlay.rename(&path("d"), &path(&dir), RenameTarget::Keep).unwrap_err();
    assert!(error.to_string().ends_with(FULL), "{error}");
    assert_eq!(overlay.list_dir(&path("d"), Slice::default()).unwrap().len(), 5_000);
    overlay.rename(&path("d"), &path("e"), RenameTarget::Keep).unwrap();
    assert_eq!(overlay.list_dir(&path("e"), Slice::default()).unwrap().len(), 5_000);
}

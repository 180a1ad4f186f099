//! What is sensitive is hidden, or the call is refused.
#![cfg(target_os = "linux")]
#![expect(clippy::disallowed_methods, clippy::unwrap_used, reason = "tests build their own files")]

mod support;

use std::{ffi::OsStr, fs, os::unix::ffi::OsStrExt as _, path::PathBuf};

use jp_confine::{ConfineError, Unsearchable};
use support::{Run, World, output};

/// A path of the workspace in which the letter `?` stands for a byte that is no text.
fn odd(world: &World, path: &str) -> PathBuf {
    let bytes: Vec<u8> = path.bytes().map(|byte| if byte == b'?' { 0xff } else { byte }).collect();
    world.root().as_std_path().join(OsStr::from_bytes(&bytes))
}

fn make(world: &World, path: &str) {
    let path = odd(world, path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, "SECRET").unwrap();
}

/// A view cannot name them, so they could not be hidden.
#[tokio::test]
async fn something_sensitive_without_a_proper_name_is_a_refusal() {
    for path in ["od?d/.env", "a/od?d/deep/.env", "od?d/b?/.env", ".env.lo?al"] {
        let world = World::new();
        make(&world, path);
        // Without a search the call could read it.
        for run in [Run::sh("true"), Run::sh("true").under(". r"), Run::sh("true").server()] {
            let refused = world.prepare(&run).await;
            let is_right = matches!(
                &refused,
                Err(ConfineError::Sensitive(Unsearchable::NotText { path })) if path.starts_with(world.root())
            );
            assert!(is_right, "{path}: {refused:?}");
        }
        // Where nothing of it is shown it is no matter.
        let run = Run::sh("true").under("elsewhere r");
        assert!(world.prepare(&run).await.is_ok(), "{path}");
    }
}

#[tokio::test]
async fn odd_names_alone_are_no_reason() {
    let world = World::new();
    make(&world, "od?d/plain");
    make(&world, "pla?n");
    let (finished, _) = world.run(Run::sh("cat od*/plain pla*")).await;
    assert_eq!(output(&finished), "SECRETSECRET");
}

/// Another name of a hidden file shows the same, also when the hidden one is where no text leads.
#[tokio::test]
async fn another_name_of_a_denied_file_is_hidden() {
    let world = World::new();
    make(&world, "denied/od?d/key");
    fs::hard_link(odd(&world, "denied/od?d/key"), world.root().join("alias")).unwrap();
    let run = Run::sh("cat alias").under(". r, denied -");
    let (finished, _) = world.run(run).await;
    assert!(!output(&finished).contains("SECRET"), "{}", output(&finished));
    // And one that has itself no proper name is a refusal.
    fs::hard_link(odd(&world, "denied/od?d/key"), odd(&world, "al?as")).unwrap();
    let refused = world.prepare(&Run::sh("true").under(". r, denied -")).await;
    assert!(matches!(refused, Err(ConfineError::Sensitive(_))), "{refused:?}");
}

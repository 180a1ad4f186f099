//! Crates that people really use, in the versions that this repository uses.

use std::process::Command;

use serde_json::json;

use crate::{
    session::{Era, Session, text, uris},
    studio::repository,
};

fn start() -> Session {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bookworm"));
    // What was documented once is documented for the next run of the tests.
    let cache = concat!(env!("CARGO_TARGET_TMPDIR"), "/bookworm");
    command.arg("--workspace").arg(repository()).args(["--offline", "--cache", cache]);
    Session::start(&mut command, Era::Modern, false)
}

#[test]
fn camino_is_documented_here() {
    let mut session = start();
    let found = session.call("search_items", &json!({ "name": "camino", "query": "join" }));
    let first = uris(&found).into_iter().next().unwrap();
    assert!(
        first.starts_with("crate://camino/1.") && first.ends_with("/items/Utf8Path::join"),
        "{first}"
    );
    let item = session.call("crate_item", &json!({ "name": "camino", "item": "Utf8Path::join" }));
    assert!(text(&item).contains("-> Utf8PathBuf"), "{item}");
    let source =
        session.call("item_source", &json!({ "name": "camino", "item": "Utf8Path::join" }));
    assert!(text(&source).contains("pub fn join(&self"), "{source}");
}

#[test]
fn serde_json_has_a_readme_and_features() {
    let mut session = start();
    let info = session.call("crate_info", &json!({ "name": "serde_json" }));
    for part in
        ["# serde_json 1.", "- `preserve_order` = ", "- license: MIT OR Apache-2.0", "# Serde JSON"]
    {
        assert!(text(&info).contains(part), "{part} in {info}");
    }
    let versions = session.call("crate_versions", &json!({ "name": "serde_json" }));
    assert!(text(&versions).contains("in Cargo.lock, on this machine"), "{versions}");
    let found = session.call("find_crates", &json!({ "query": "serde_json" }));
    assert!(uris(&found)[0].starts_with("crate://serde_json/1."), "{found}");
}

//! The documentation says what the code does.
#![expect(clippy::disallowed_methods, reason = "the documentation is a file")]

/// What was never run is said to be so (D11-012).
#[test]
fn what_has_not_been_run_is_said() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/sandbox.md");
    let document = std::fs::read_to_string(path).expect("the documentation is there");
    assert!(document.contains(
        "macOS and Windows: profiles are generated and tested as text. Neither has been run."
    ));
}

/// The table of presets in the documentation is the one that the code has.
#[test]
fn the_presets_are_documented() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/sandbox.md");
    let document = std::fs::read_to_string(path).expect("the documentation is there");
    let table = jp_sandbox::presets::markdown();
    assert!(document.contains(&table), "docs/sandbox.md must contain:\n\n{table}");
}

//! What a model may write that is not what it should, and crates that want more than to be read.

use serde_json::{Value, json};

use crate::{
    session::{Era, Session, text},
    studio::Studio,
};

/// Every argument that becomes a word of a command line, a part of a path or of a manifest.
#[test]
fn arguments_are_what_they_say_they_are() {
    let studio = Studio::new();
    let mut session = Session::start(&mut studio.command(), Era::Modern, false);
    let mut check = |tool: &str, arguments: Value, part: &str| {
        let result = session.call(tool, &arguments);
        assert_eq!(result["isError"], true, "{tool} {arguments}: {result}");
        assert!(text(&result).contains(part), "{tool} {arguments}: {result}");
    };
    for name in ["--config=x", "-p", "../paint", "paint/../..", "", "a b", "paint\n[dependencies]"]
    {
        for tool in ["crate_versions", "crate_info"] {
            check(tool, json!({ "name": name }), "is not the name of a crate");
        }
        check("crate_item", json!({ "name": name, "item": "Color" }), "is not the name of a crate");
    }
    for version in ["--offline", "../../x", "1\"\nx = \"1", "latest"] {
        let arguments = json!({ "name": "paint", "version": version, "fetch": true });
        check("crate_info", arguments, "is not a version");
    }
    for item in ["../../../etc/passwd", "Color/../../x", "a.b", "", "%2e%2e"] {
        let arguments = json!({ "name": "paint", "version": "2", "item": item });
        check("item_source", arguments, "is not the path of an item");
    }
    let arguments = json!({ "name": "paint", "version": "2", "item": "Colour" });
    check("crate_item", arguments, "has no item `Colour`");
    let arguments = json!({ "name": "paint", "version": "2", "item": "olo" });
    check("crate_item", arguments, "Similar: Color");
    check("crate_info", json!({ "name": "paint", "version": "7" }), "the argument `fetch`");
    check(
        "crate_info",
        json!({ "name": "paint", "version": "7", "fetch": true }),
        "`cargo fetch` failed",
    );
    check("crate_info", json!({ "name": 7 }), "wrong at `name`");
    check("crate_info", json!({ "name": "paint", "verison": "1" }), "unknown field `verison`");
    let long = json!({ "query": "x".repeat(201), "registry": true });
    check("find_crates", long, "between 1 and 200 letters");
    check("find_crates", json!({ "query": " " }), "between 1 and 200 letters");
    // A query for the registry that looks like a flag finds nothing and does nothing.
    let result = session.call("find_crates", &json!({ "query": "--help", "registry": true }));
    assert!(text(&result).contains("No crate matches `--help`"), "{result}");
    assert!(!text(&result).contains("Usage"), "{result}");
}

#[test]
fn a_readme_that_leads_elsewhere_is_not_read() {
    let studio = Studio::new();
    studio.write("secret.txt", "the secret");
    let readme = studio.unpacked("paint-2.0.0").join("README.md");
    std::fs::remove_file(&readme).unwrap();
    std::os::unix::fs::symlink(studio.path("secret.txt"), &readme).unwrap();
    let mut session = Session::start(&mut studio.command(), Era::Modern, false);
    let result = session.call("crate_info", &json!({ "name": "paint", "version": "2" }));
    assert!(text(&result).contains("About paint"), "{result}");
    assert!(!result.to_string().contains("the secret"), "{result}");
}

#[test]
fn offline_means_offline() {
    let studio = Studio::new();
    let mut session = Session::start(studio.command().arg("--offline"), Era::Modern, true);
    let result = session.call("crate_info", &json!({ "name": "brush", "fetch": true }));
    assert!(text(&result).contains("runs with --offline"), "{result}");
    let result = session.call("find_crates", &json!({ "query": "brush", "registry": true }));
    assert!(text(&result).contains("was not searched"), "{result}");
}

/// The lock file of a stranger's workspace is read before cargo is.
#[test]
fn a_broken_lock_file_is_an_error_that_says_so() {
    let studio = Studio::new();
    studio.write("work/Cargo.lock", "[[package]]\nname = 7\n");
    let mut session = Session::start(&mut studio.command(), Era::Modern, false);
    let result = session.call("crate_info", &json!({ "name": "paint" }));
    assert_eq!(result["isError"], true);
    assert!(text(&result).contains("cannot understand Cargo.lock"), "{result}");
}

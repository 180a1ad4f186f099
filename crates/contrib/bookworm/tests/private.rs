//! Crates of the workspace's own are never fetched by their names and never looked for on a site, also
//! where cargo is of no help.

use std::{collections::BTreeMap, os::unix::fs::PermissionsExt, process::Command};

use serde_json::{Value, json};

use crate::{
    session::{ERAS, Era, Session, text, uris},
    site::{Server, page},
    studio::Studio,
};

const LOCK: &str = r#"version = 4

[[package]]
name = "canvas"
version = "0.2.0"
source = "git+https://git.example/canvas#0123456789012345678901234567890123456789"

[[package]]
name = "easel"
version = "0.3.0"

[[package]]
name = "glue"
version = "1.0.0"
source = "registry+https://github.com/rust-lang/crates.io-index"

[[package]]
name = "studio"
version = "0.1.0"

[[package]]
name = "vault"
version = "0.4.0"
source = "registry+https://registry.example/index"
"#;

const OWN: [&str; 4] = ["canvas", "easel", "studio", "vault"];

/// A site that has everything that it is asked for by a name of these.
fn site() -> Server {
    let mut pages = BTreeMap::new();
    for name in ["canvas/0.2.0", "easel/0.3.0", "glue/1.0.0", "studio/0.1.0", "vault/0.4.0"] {
        let library = name.split('/').next().unwrap();
        let list = "<ul class=\"all-items\"><li><a href=\"struct.Pot.html\">Pot</a></li></ul>";
        pages.insert(&*format!("/docs/{name}/{library}/all.html").leak(), page(list));
        let pot = page("<div class=\"main-heading\"><h1>Struct Pot</h1></div>From the site.");
        pages.insert(&*format!("/docs/{name}/{library}/struct.Pot.html").leak(), pot);
    }
    Server::new(pages)
}

/// The program with a cargo that fails and writes down what it was asked for.
fn without_cargo(studio: &Studio, server: &Server) -> Command {
    let script = "#!/bin/sh\necho \"$@\" >> \"$CARGO_LOG\"\necho 'error: no' >&2\nexit 101\n";
    studio.write("bin/cargo", script);
    let executable = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(studio.path("bin/cargo"), executable).unwrap();
    let path = format!("{}:{}", studio.path("bin").display(), std::env::var("PATH").unwrap());
    let mut command = studio.command();
    command.env("PATH", path).env("CARGO_LOG", studio.path("log")).args(["--site", &server.url]);
    command
}

/// Every call that could lead to a stranger.
fn calls(name: &str) -> Vec<(&'static str, Value)> {
    vec![
        ("crate_info", json!({ "name": name })),
        ("crate_info", json!({ "name": name, "version": "9.9.9" })),
        ("crate_info", json!({ "name": name, "version": "1", "fetch": true })),
        ("crate_item", json!({ "name": name, "item": "Pot" })),
        ("item_source", json!({ "name": name, "item": "Pot" })),
        ("search_items", json!({ "name": name, "query": "Pot" })),
        ("crate_versions", json!({ "name": name, "registry": true })),
        ("find_crates", json!({ "query": name, "registry": true })),
    ]
}

#[test]
fn a_crate_of_the_workspace_stays_there_when_cargo_fails() {
    for era in ERAS {
        for asks in [true, false] {
            let (studio, server) = (Studio::new(), site());
            studio.write("work/Cargo.lock", LOCK);
            let mut session = Session::start(&mut without_cargo(&studio, &server), era, asks);
            for (tool, arguments) in OWN.iter().flat_map(|name| calls(name)) {
                let result = session.call(tool, &arguments);
                let said = text(&result);
                assert!(said.contains("the workspace's own"), "{tool} {arguments}: {result}");
            }
            assert_eq!(server.asked(), [""; 0], "{era:?}");
            let log = std::fs::read_to_string(studio.path("log")).unwrap();
            for verb in ["fetch", "info", "search", "doc"] {
                assert!(!log.lines().any(|line| line.starts_with(verb)), "{era:?}: {log}");
            }
            // What everybody has is read from the site all the same.
            let glue = session.call("crate_item", &json!({ "name": "glue", "item": "Pot" }));
            assert!(text(&glue).contains("# Struct `glue::Pot` (glue 1.0.0)"), "{glue}");
        }
    }
}

/// A registry may have another crate of the same name and version, and it may even be here.
#[test]
fn what_is_unpacked_is_not_taken_for_the_workspaces_own() {
    let (studio, server) = (Studio::new(), site());
    studio.write(
        "work/Cargo.lock",
        "version = 4\n\n[[package]]\nname = \"paint\"\nversion = \"2.0.0\"\n",
    );
    let mut session = Session::start(&mut without_cargo(&studio, &server), Era::Modern, true);
    let result = session.call("crate_info", &json!({ "name": "paint" }));
    assert!(text(&result).contains("cargo does not say where it is"), "{result}");
    assert!(text(&result).contains("error: no"), "{result}");
}

/// Without a lock file the manifests say what is the workspace's own, and where they cannot be read
/// nobody is asked about anything.
#[test]
fn without_a_lock_file_the_manifests_count() {
    let (studio, server) = (Studio::new(), site());
    std::fs::remove_file(studio.path("work/Cargo.lock")).unwrap();
    studio.write("easel/Cargo.toml", "[package]\nname = \"easel\"\nversion = \"0.3.0\"\n");
    studio.write("easel/src/lib.rs", "");
    let manifest = std::fs::read_to_string(studio.path("work/Cargo.toml")).unwrap();
    let manifest = format!(
        "{manifest}easel = {{ path = \"../easel\" }}\ncanvas = {{ git = \"https://git.example/canvas\" }}\n"
    );
    studio.write("work/Cargo.toml", &manifest);
    let mut command = studio.command();
    let mut session = Session::start(command.args(["--site", &server.url]), Era::Modern, true);
    let info = session.call("crate_info", &json!({ "name": "studio" }));
    assert_eq!(uris(&info), ["crate://studio/0.1.0"], "{info}");
    for (tool, arguments) in ["easel", "canvas"].iter().flat_map(|name| calls(name)) {
        let result = session.call(tool, &arguments);
        assert!(text(&result).contains("the workspace's own"), "{tool} {arguments}: {result}");
    }
    studio.write("work/Cargo.toml", "[package");
    let glue = json!({ "name": "glue", "version": "1.0.0", "item": "Pot" });
    let result = session.call("crate_item", &glue);
    assert!(text(&result).contains("is not known, because cargo cannot read it"), "{result}");
    assert_eq!(server.asked(), [""; 0]);
    studio.write("work/Cargo.toml", &manifest);
    let result = session.call("crate_item", &glue);
    assert!(text(&result).contains("# Struct `glue::Pot` (glue 1.0.0)"), "{result}");
}

/// A manifest is broken while somebody writes it, and the lock file does not change when it is whole
/// again.
#[test]
fn what_cargo_could_not_tell_is_asked_again() {
    let studio = Studio::new();
    let manifest = std::fs::read_to_string(studio.path("work/Cargo.toml")).unwrap();
    studio.write("work/Cargo.toml", "[package");
    let mut session = Session::start(&mut studio.command(), Era::Modern, true);
    let result = session.call("crate_info", &json!({ "name": "studio" }));
    assert!(text(&result).contains("cargo does not say where it is"), "{result}");
    studio.write("work/Cargo.toml", &manifest);
    let result = session.call("crate_info", &json!({ "name": "studio" }));
    assert_eq!(uris(&result), ["crate://studio/0.1.0"], "{result}");
}

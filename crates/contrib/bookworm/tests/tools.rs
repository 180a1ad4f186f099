//! Each tool in both eras, and the documents behind the URIs that they give.

use serde_json::{Value, json};

use crate::{
    session::{ERAS, Era, Session, text, uris},
    studio::Studio,
};

/// D31-075: what every tool answers is plain MCP: resources and links with `crate://` URIs.
#[test]
fn every_tool_answers_with_resources() {
    let studio = Studio::new();
    for era in ERAS {
        let mut session = Session::start(&mut studio.command(), era, false);
        let mut check = |tool: &str, arguments: Value, uris_: &[&str], parts: &[&str]| {
            let result = session.call(tool, &arguments);
            assert_ne!(result["isError"], true, "{era:?} {tool}: {result}");
            assert_eq!(uris(&result), uris_, "{era:?} {tool}: {result}");
            for part in parts {
                assert!(text(&result).contains(part), "{era:?} {tool}: {part} in {result}");
            }
            assert!(is_plain(&result), "{era:?} {tool}: {result}");
        };
        check(
            "find_crates",
            json!({ "query": "pai" }),
            &["crate://paint/2.0.0"],
            &["1 crate matches"],
        );
        check("find_crates", json!({ "query": "nothing such" }), &[], &["No crate matches"]);
        check(
            "crate_versions",
            json!({ "name": "paint" }),
            &["crate://paint/versions"],
            &["| 2.0.0 |  | in Cargo.lock, on this machine |", "| 1.0.0 |  | in Cargo.lock"],
        );
        let two = |more: Value| {
            let mut arguments = json!({ "name": "paint", "version": "2.0.0" });
            arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            arguments
        };
        check(
            "crate_info",
            two(json!({})),
            &["crate://paint/2.0.0", "crate://paint/2.0.0/readme"],
            &["About paint", "- `gloss`", "- `default` = gloss", "- license: MIT", "Read me."],
        );
        let links = [
            "crate://paint/2.0.0/items/Color",
            "crate://paint/2.0.0/items/Color::Red",
            "crate://paint/2.0.0/items/Color::mix",
            "crate://paint/2.0.0/items/Color::Green",
        ];
        check(
            "search_items",
            two(json!({ "query": "color" })),
            &links,
            &["4 items of paint 2.0.0"],
        );
        let kind = json!({ "query": "color", "kind": "variant", "limit": 1 });
        check("search_items", two(kind), &links[1..2], &["1 of 2 items"]);
        check(
            "crate_item",
            two(json!({ "item": "paint::Color" })),
            &links[..1],
            &[
                "# Enum `paint::Color` (paint 2.0.0)",
                "pub enum Color {",
                "What it looks like.",
                "let _ = paint::Color::Red;",
                "- variant `Green`: Like grass.",
                "- method `pub fn mix(self, other: Self) -> Self`: Mixes two colors.",
            ],
        );
        check(
            "crate_item",
            two(json!({ "item": "Color::mix" })),
            &links[2..3],
            &["pub fn mix(self, other: Self) -> Self", "Mixes two colors."],
        );
        check(
            "crate_item",
            two(json!({ "item": "stroke!" })),
            &["crate://paint/2.0.0/items/stroke"],
            &["A stroke."],
        );
        check(
            "crate_item",
            two(json!({ "item": "warm" })),
            &["crate://paint/2.0.0/items/warm"],
            &["Warm colors.", "- struct `Tone`: A warm tone."],
        );
        check(
            "crate_item",
            two(json!({ "item": "paint" })),
            &["crate://paint/2.0.0/items/paint"],
            &["Paint for everything.", "- enum `Color`"],
        );
        check(
            "item_source",
            two(json!({ "item": "Color::mix" })),
            &["crate://paint/2.0.0/source/Color::mix"],
            &[
                "    pub fn mix(self, other: Self) -> Self {\n        let _ = other;\n        self\n    }\n",
            ],
        );
    }
}

/// Neither the mark of an envelope nor anything that could be one.
fn is_plain(result: &Value) -> bool {
    result.get("_meta").is_none() && !text(result).contains("\"type\"")
}

/// Code is written with the name of the library, which need not be that of the package.
#[test]
fn a_library_called_otherwise_than_its_package() {
    let studio = Studio::new();
    let code = "//! Oil.\n\n/// What it comes in.\npub struct Tube;\n";
    studio.publish("oil-paint", "1.0.0", "[lib]\nname = \"oils\"\n", code, &json!([]));
    let mut session = Session::start(&mut studio.command(), Era::Modern, false);
    for item in ["oils::Tube", "oil_paint::Tube", "crate::Tube", "Tube"] {
        let arguments = json!({ "name": "oil-paint", "item": item, "fetch": true });
        let result = session.call("crate_item", &arguments);
        assert_eq!(uris(&result)[0], "crate://oil-paint/1.0.0/items/Tube", "{item}: {result}");
        assert!(text(&result).contains("# Struct `oils::Tube` (oil-paint 1.0.0)"), "{result}");
    }
    let front = json!({ "name": "oil-paint", "item": "oils" });
    assert!(text(&session.call("crate_item", &front)).contains("Oil."));
}

/// What only another platform needs may be missing.
#[test]
fn crates_of_other_platforms_need_not_be_here() {
    let studio = Studio::new();
    studio.publish("pane", "1.0.0", "", "//! Panes.\n", &json!([]));
    let manifest = std::fs::read_to_string(studio.path("work/Cargo.toml")).unwrap();
    let other = if cfg!(windows) { "cfg(unix)" } else { "cfg(windows)" };
    let manifest = format!("{manifest}[target.'{other}'.dependencies]\npane = \"1\"\n");
    studio.write("work/Cargo.toml", &manifest);
    studio.cargo(&["fetch"]);
    std::fs::remove_dir_all(studio.unpacked("pane-1.0.0")).unwrap();
    std::fs::remove_file(studio.path("registry/pane-1.0.0.crate")).unwrap();
    let mut session = Session::start(&mut studio.command(), Era::Modern, false);
    let found = session.call("find_crates", &json!({ "query": "paint" }));
    // Only cargo says what a crate is about.
    assert!(found.to_string().contains("About paint (in the workspace)"), "{found}");
}

/// The versions of the lock file have their own documentation.
#[test]
fn versions_do_not_overwrite_each_other() {
    let studio = Studio::new();
    let mut session = Session::start(&mut studio.command(), Era::Modern, false);
    for _ in 0..2 {
        for (version, has, has_not) in [("1", "Blue", "Green"), ("2", "Green", "Blue")] {
            let arguments = json!({ "name": "paint", "version": version, "item": "Color" });
            let text = text(&session.call("crate_item", &arguments));
            assert!(text.contains(has) && !text.contains(has_not), "{version}: {text}");
        }
    }
}

/// A crate of the workspace itself changes, and so does what is said about it.
#[test]
fn the_workspace_is_read_as_it_is_now() {
    let studio = Studio::new();
    let mut session = Session::start(&mut studio.command(), Era::Modern, false);
    let arguments = json!({ "name": "studio", "item": "address" });
    assert!(text(&session.call("crate_item", &arguments)).contains("Where it is."));
    studio.write("work/src/lib.rs", "//! A studio.\n\n/// Where it was.\npub fn address() {}\n");
    assert!(text(&session.call("crate_item", &arguments)).contains("Where it was."));
}

#[test]
fn documents_can_be_listed_and_read() {
    let studio = Studio::new();
    for era in ERAS {
        let mut session = Session::start(&mut studio.command(), era, false);
        let list = session.request("resources/list", json!({}));
        let listed: Vec<_> = list["result"]["resources"]
            .as_array()
            .unwrap()
            .iter()
            .map(|r| r["uri"].clone())
            .collect();
        assert_eq!(listed, ["crate://paint/1.0.0", "crate://paint/2.0.0", "crate://studio/0.1.0"]);
        let templates = session.request("resources/templates/list", json!({}));
        assert_eq!(templates["result"]["resourceTemplates"].as_array().unwrap().len(), 6);
        let mut check = |uri: &str, mime: &str, part: &str| {
            let read = session.request("resources/read", json!({ "uri": uri }));
            let contents = &read["result"]["contents"][0];
            assert_eq!(contents["uri"], uri, "{era:?}: {read}");
            assert_eq!(contents["mimeType"], mime);
            assert!(contents["text"].as_str().unwrap().contains(part), "{era:?} {uri}: {read}");
        };
        check("crate://paint/versions", "text/markdown", "1.0.0");
        check("crate://paint/1.0.0", "text/markdown", "About paint");
        check("crate://paint/1.0.0/readme", "text/markdown", "Read me.");
        check("crate://paint/1.0.0/items", "text/markdown", "- struct `paint::warm::Tone`");
        check("crate://paint/1.0.0/items/Color::Blue", "text/markdown", "Like the sea.");
        check("crate://paint/1.0.0/source/Color", "text/x-rust", "pub enum Color {");
        for missing in [
            "crate://paint/9.9.9",
            "crate://paint/1.0.0/items/Nope",
            "crate://brush/0.3.0/items/Brush",
        ] {
            let read = session.request("resources/read", json!({ "uri": missing }));
            assert!(read.get("error").is_some(), "{missing}: {read}");
        }
    }
}

/// Without a lock file the newest on this machine counts, and the answer says so.
#[test]
fn a_workspace_without_a_lock_file_is_remarked_upon() {
    let studio = Studio::new();
    std::fs::remove_file(studio.path("work/Cargo.lock")).unwrap();
    let mut session = Session::start(&mut studio.command(), Era::Modern, false);
    let result = session.call("crate_info", &json!({ "name": "paint" }));
    assert_eq!(uris(&result)[0], "crate://paint/2.0.0");
    assert!(text(&result).contains("There is no Cargo.lock in "), "{result}");
    let result = session.call("crate_info", &json!({ "name": "paint", "version": "1" }));
    assert!(!text(&result).contains("There is no Cargo.lock in "), "{result}");
    assert!(!studio.path("work/Cargo.lock").exists());
}

/// Whoever starts it in a directory of the workspace means the workspace.
#[test]
fn the_workspace_is_found_from_below() {
    let studio = Studio::new();
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_bookworm"));
    command.current_dir(studio.path("work/src")).arg("--cache").arg(studio.path("cache"));
    let mut session =
        Session::start(command.env("CARGO_HOME", studio.path("home")), Era::Modern, false);
    let result = session.call("crate_info", &json!({ "name": "studio" }));
    assert_eq!(uris(&result), ["crate://studio/0.1.0"], "{result}");
}

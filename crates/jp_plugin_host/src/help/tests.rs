//! What is listed where.

use jp_plugin::registry;

use super::*;
use crate::catalog::{
    Known,
    tests::{Jp, catalog, file},
};

/// The group of the document: one plugin is installed, one is not.
const REGISTRY: &str = r#"{"version": 1, "plugins": {
    "serve": {"id": "serve", "kind": "command_group", "description": "JP server components",
              "official": true, "suggests": ["serve web", "serve http-api", "serve gone", "serve", "export"]},
    "serve web": {"id": "serve-web", "description": "Read-only web UI", "official": true},
    "serve http-api": {"id": "serve-http-api", "description": "HTTP API for conversations"}
}}"#;

fn serving(files: Vec<Known>) -> Catalog {
    Catalog::new(files, registry::parse(REGISTRY).unwrap(), &Jp { barred: &[] })
}

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

#[test]
fn the_help_of_a_group() {
    // 072-137 to 072-146
    let catalog = serving(vec![file("+serve-web=serve web")]);
    insta::assert_snapshot!(group(&catalog, &words("serve")), @"
    JP server components

    Usage: jp serve <COMMAND>

    Commands:
      web         About serve-web
      http-api    HTTP API for conversations (not installed)
      gone        (not installed)

    Run `jp serve <command> -h` for more information.
    ");
}

#[test]
fn what_is_suggested_comes_first_and_may_be_a_group() {
    let registry = registry::parse(
        r#"{"version": 1, "plugins": {
            "serve": {"id": "serve", "kind": "command_group", "description": "Servers",
                      "suggests": ["serve z", "serve admin", "serve z"]},
            "serve admin": {"id": "serve-admin", "kind": "command_group", "description": "For admins"},
            "serve z": {"id": "serve-z", "description": "The last letter"}
        }}"#,
    );
    let files = vec![file("+b=serve b"), file("+a=serve a")];
    let catalog = Catalog::new(files, registry.unwrap(), &Jp { barred: &[] });
    insta::assert_snapshot!(section("Commands:", &below(&catalog, &words("serve")), 2), @"
    Commands:
      z      The last letter (not installed)
      admin  For admins
      a      About a
      b      About b
    ");
}

#[test]
fn the_help_of_a_plugin_with_others_below_it() {
    // 072-150, 072-151
    let mut serve = file("+serve");
    if let Described::Said(said) = &mut serve.described {
        said.help = Some("Serves.\n\nUsage: jp serve\n".to_owned());
    }
    let files = vec![serve, file("+x=serve web")];
    let registry = registry::parse(
        r#"{"version": 1, "plugins": {"serve http-api": {"id": "api", "description": "HTTP API"}}}"#,
    );
    let catalog = Catalog::new(files, registry.unwrap(), &Jp { barred: &[] });
    let serve = catalog.get(&words("serve")).unwrap();
    insta::assert_snapshot!(plugin(&catalog, serve), @"
    Serves.

    Usage: jp serve

    Commands:
      http-api    HTTP API (not installed)
      web         About x

    Run `jp serve <command> -h` for more information.
    ");
}

#[test]
fn help_falls_back_to_the_description() {
    // 072-111
    let catalog = catalog(&["x"], &[]);
    assert_eq!(plugin(&catalog, catalog.get(&words("x")).unwrap()), "About x\n");
}

#[test]
fn the_list_of_all() {
    // 072-117: the place comes from what the plugin says.
    let mut unverified = file("u");
    unverified.described = Described::Unverified;
    let mut failed = file("f");
    failed.described = Described::Failed("it hangs".to_owned());
    let mut denied = file("d");
    denied.described = Described::Denied;
    let files = vec![file("+odd=conversation export"), unverified, failed, denied];
    let catalog = Catalog::new(files, registry::parse(REGISTRY).unwrap(), &Jp { barred: &[] });
    insta::assert_snapshot!(section("Plugins:", &all(&catalog), 2), @"
    Plugins:
      conversation export  About odd
      f                    (does not describe itself)
      u                    (unverified)
    ");
    // 072-118
    assert_eq!(below(&catalog, &words("conversation"))[0].name, "export");
}

#[test]
fn a_description_stays_one_line() {
    for (text, expected) in [
        ("plain", "plain"),
        ("two\nlines\r\n", "two lines"),
        ("  a\tb  ", "a b"),
        ("x\u{85}y\u{2028}z", "x y z"),
        ("esc\u{1b}[2J\nape", "esc\u{1b}[2J ape"),
        ("", ""),
    ] {
        assert_eq!(one_line(text), expected);
    }
    assert_eq!(one_line(&"é".repeat(500)).chars().count(), MOST);
}

//! Who gets a command.
#![expect(clippy::disallowed_methods, reason = "tests build their own files")]

use std::{ffi::OsString, fs, os::unix::fs::PermissionsExt as _};

use camino::{Utf8Path, Utf8PathBuf};
use jp_plugin::{CommandPath, Describe, registry};

use super::*;
use crate::look::Look;

/// A host with the commands `init` and `conversation ls`, the latter also called `c`.
pub(crate) struct Jp {
    pub(crate) barred: &'static [&'static str],
}

impl Host for Jp {
    fn built_in(&self, command: &CommandPath) -> Option<String> {
        let words: Vec<&str> = command.words().iter().map(String::as_str).collect();
        match words.as_slice() {
            ["init" | "help" | "c", ..] | ["conversation"] | ["conversation", "ls", ..] => {
                Some(words[0].to_owned())
            }
            _ => None,
        }
    }

    fn may_install(&self, id: &str) -> bool {
        !self.barred.contains(&id)
    }
}

/// A file as it was found: `id`, or `id=command words`; installed if it begins with `+`.
pub(crate) fn file(text: &str) -> Known {
    let (installed, text) = match text.strip_prefix('+') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let (id, command) = match text.split_once('=') {
        Some((id, command)) => (id, Some(command.parse().unwrap())),
        None => (text, None),
    };
    let path = Utf8PathBuf::from(format!("/x/{installed}/jp-{id}"));
    let look = Look { size: 1, modified: (1, 1), changed: (1, 1), inode: 1, device: 1 };
    let said = Describe {
        name: id.to_owned(),
        version: "1".to_owned(),
        description: format!("About {id}"),
        command,
        author: None,
        help: None,
        repository: None,
        tty: false,
    };
    Known {
        binary: Binary {
            id: id.to_owned(),
            named: CommandPath::from_file_name(&format!("jp-{id}")).unwrap(),
            canonical: path.clone(),
            path,
            installed,
            look,
        },
        sha256: Some("ab".repeat(32)),
        described: Described::Said(Box::new(said)),
    }
}

/// A registry with these commands, each `command words=id`; a group if the id begins with `*`.
pub(crate) fn listed(entries: &[&str]) -> Registry {
    let entry = |text: &&str| {
        let (path, id) = text.split_once('=').unwrap();
        let (kind, id) = match id.strip_prefix('*') {
            Some(id) => ("command_group", id),
            None => ("command", id),
        };
        let entry = serde_json::json!({
            "id": id, "kind": kind, "description": format!("Registry of {id}"), "official": true,
        });
        (path.to_owned(), entry)
    };
    let plugins: serde_json::Map<_, _> = entries.iter().map(entry).collect();
    let text = serde_json::json!({ "version": 1, "plugins": plugins }).to_string();
    registry::parse(&text).unwrap()
}

pub(crate) fn catalog(files: &[&str], registry: &[&str]) -> Catalog {
    let files = files.iter().map(|text| file(text)).collect();
    Catalog::new(files, listed(registry), &Jp { barred: &["barred"] })
}

/// Each plugin as `command: id source standing`.
fn shown(catalog: &Catalog) -> String {
    let line = |it: &Plugin| {
        let standing = match &it.standing {
            Standing::Active => String::new(),
            Standing::BuiltIn(name) => format!(" (built-in {name})"),
            Standing::Shadowed { by, source } => format!(" (shadowed by {by} {source:?})"),
        };
        format!("{}: {} {:?}{standing}\n", it.command, it.id, it.source)
    };
    catalog.plugins().iter().map(line).collect()
}

#[test]
fn sources_win_in_their_order() {
    // 072-017, 072-018
    let found = catalog(
        &["+mine=export", "theirs=export", "html=export html", "web=serve web"],
        &["export=export", "export html=official", "serve web=serve-web"],
    );
    insta::assert_snapshot!(shown(&found), @"
    export: mine Installed
    export: export Registry (shadowed by mine Installed)
    export: theirs Path (shadowed by mine Installed)
    export html: official Registry
    export html: html Path (shadowed by official Registry)
    serve web: serve-web Registry
    serve web: web Path (shadowed by serve-web Registry)
    ");
}

#[test]
fn what_may_not_be_installed_takes_no_command_away() {
    let found = catalog(&["own=x"], &["x=barred", "y=barred"]);
    // Two entries with one id are both left out by the registry.
    assert_eq!(shown(&found), "x: own Path\n");
    let found = catalog(&["own=x"], &["x=barred"]);
    insta::assert_snapshot!(shown(&found), @"
    x: own Path
    x: barred Registry (shadowed by own Path)
    ");
}

#[test]
fn one_id_means_one_plugin() {
    // A file in the search path does not get the settings of an installed plugin by its name.
    let found = catalog(&["+x=one", "x=another", "y=a", "y=b"], &[]);
    insta::assert_snapshot!(shown(&found), @"
    a: y Path
    another: x Path (shadowed by x Installed)
    b: y Path (shadowed by y Path)
    one: x Installed
    ");
}

#[test]
fn commands_of_jp_cannot_be_taken() {
    // 072-001, 072-002
    let found = catalog(
        &[
            "+init",
            "c-x",
            "+conversation",
            "conversation-ls",
            "conversation-ls-all",
            "help",
            "conversation-export",
            "x=init now",
        ],
        &["conversation ls=evil"],
    );
    insta::assert_snapshot!(shown(&found), @"
    c x: c-x Path (built-in c)
    conversation: conversation Installed (built-in conversation)
    conversation export: conversation-export Path
    conversation ls: evil Registry (built-in conversation)
    conversation ls: conversation-ls Path (built-in conversation)
    conversation ls all: conversation-ls-all Path (built-in conversation)
    help: help Path (built-in help)
    init: init Installed (built-in init)
    init now: x Path (built-in init)
    ");
}

#[test]
fn the_registry_knows_where_words_end() {
    let mut installed = file("+serve-http-api");
    installed.described = Described::Unverified;
    let registry = listed(&["serve http-api=serve-http-api"]);
    let found = Catalog::new(vec![installed], registry, &Jp { barred: &[] });
    assert_eq!(shown(&found), "serve http-api: serve-http-api Installed\n");
    // A file in the search path is not what the registry speaks of.
    let found = catalog(&["serve-http-api"], &["serve http-api=serve-http-api"]);
    insta::assert_snapshot!(shown(&found), @"
    serve http api: serve-http-api Path
    serve http-api: serve-http-api Registry
    ");
}

#[test]
fn what_is_official_is_so_by_its_bytes() {
    let text = r#"{"version": 1, "plugins": {"x": {"id": "x", "official": true, "binaries": {
        "t": {"url": "https://e", "sha256": "ABABABABABABABABABABABABABABABABABABABABABABABABABABABABABABABAB"}}}}}"#;
    let registry = || registry::parse(text).unwrap();
    let official = |file: Known| {
        Catalog::new(vec![file], registry(), &Jp { barred: &[] }).plugins()[0].is_official()
    };
    assert!(official(file("+x")));
    let other = Known { sha256: Some("cd".repeat(32)), ..file("+x") };
    assert!(!official(other));
}

fn executable(path: &Utf8Path, mode: u32) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, "").unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn files_are_found_by_their_names() {
    let directory = tempfile::tempdir().unwrap();
    let root = Utf8Path::from_path(directory.path()).unwrap().canonicalize_utf8().unwrap();
    for name in [
        "installed/jp-b",
        "installed/jp-Up",
        "installed/jp-a.b",
        // Among the installed ones it is what somebody installed, and not the program of ours.
        "installed/jp-tools",
        "one/jp-a",
        "one/jp-tools",
        "one/jp-",
        "one/jp--x",
        "one/jp-\u{1b}[2J",
        "one/xjp-a",
        "two/jp-a",
        "two/jp-z",
    ] {
        executable(&root.join(name), 0o755);
    }
    executable(&root.join("one/jp-plain"), 0o644);
    fs::create_dir(root.join("one/jp-directory")).unwrap();
    std::os::unix::fs::symlink("/dev/zero", root.join("one/jp-device")).unwrap();
    std::os::unix::fs::symlink(root.join("one"), root.join("three")).unwrap();
    let search =
        [root.join("one"), root.join("three"), "two".into(), root.join("gone"), root.join("two")];
    let search: Vec<String> = search.iter().map(ToString::to_string).collect();
    let (search, installed) = (OsString::from(search.join(":")), root.join("installed"));
    let places = Places { installed: Some(&installed), search: &search };
    let found = scan(places, &mut Listings::default());
    let found: Vec<_> =
        found.iter().map(|it| it.path.strip_prefix(&root).unwrap().as_str()).collect();
    assert_eq!(found, ["installed/jp-b", "installed/jp-tools", "one/jp-a", "two/jp-a", "two/jp-z"]);
}

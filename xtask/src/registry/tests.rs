//! The list that is committed, and what is wrong with others.

use super::*;

/// Where the packages of plugins are.
const PACKAGES: &str = "crates/plugins/command";

/// Every program of a plugin package has an entry, and every entry a program.
#[test]
fn the_list_has_every_plugin() {
    let list = list(root()).unwrap();
    let commands = list.iter().filter(|(_, entry)| entry.kind == Kind::Command);
    let mut listed: Vec<_> = commands.map(|(_, entry)| format!("jp-{}", entry.id)).collect();
    listed.sort();
    let mut built: Vec<_> = packages().iter().flat_map(|it| programs_of(it)).collect();
    built.sort();
    assert_eq!(listed, built);
    let keys: Vec<_> = list.iter().map(|(command, _)| command.as_str()).collect();
    for (command, entry) in &list {
        let named = entry.requires.iter().chain(&entry.suggests);
        assert!(named.clone().all(|it| keys.contains(&it.as_str())), "{command}");
        assert!(entry.official, "{command} is of this repository");
    }
}

/// The names of the packages, which are those of their directories behind `jp-`.
fn packages() -> Vec<String> {
    let read = root().join(PACKAGES).read_dir_utf8().unwrap();
    let with_manifest = read.flatten().filter(|it| it.path().join("Cargo.toml").is_file());
    with_manifest.map(|it| format!("jp-{}", it.file_name())).collect()
}

/// The programs of a package: one of its name, and those that its manifest names.
fn programs_of(package: &str) -> Vec<String> {
    let dir = root().join(PACKAGES).join(package.strip_prefix("jp-").unwrap());
    let manifest: Table = fs::read_to_string(dir.join("Cargo.toml")).unwrap().parse().unwrap();
    assert_eq!(manifest["package"]["name"].as_str(), Some(package));
    let named = manifest.get("bin").and_then(toml::Value::as_array).cloned().unwrap_or_default();
    let named: Vec<_> = named.iter().map(|bin| bin["name"].as_str().unwrap().to_owned()).collect();
    if named.is_empty() { vec![package.to_owned()] } else { named }
}

#[test]
fn a_list_with_a_mistake_is_refused() {
    let check = |text: &str, want: &str| {
        let failure = parse(text).unwrap_err().to_string();
        assert!(failure.contains(want), "{failure}");
    };
    check("serve", "it is no TOML");
    check("[serve]\nid = \"serve\"", "`serve`: missing field `description`");
    check("[serve]\nid = \"../x\"\ndescription = \"d\"", "cannot be the id");
    check("[serve]\nid = \"serve\"\ndescription = \"d\"\nrequire = []", "unknown field `require`");
}

#[test]
fn a_program_that_says_something_else_is_refused() {
    let entry = &parse("[\"a b\"]\nid = \"a-b\"\ndescription = \"d\"").unwrap()[0].1;
    let said = |name: &str, command: &str, description: &str| Describe {
        name: name.to_owned(),
        version: "1".to_owned(),
        description: description.to_owned(),
        command: Some(command.parse().unwrap()),
        author: None,
        help: None,
        repository: None,
        tty: false,
    };
    assert!(compare("a b", entry, &said("a-b", "a b", "d")).is_ok());
    for (said, what) in [
        (said("x", "a b", "d"), "name"),
        (said("a-b", "a", "d"), "command"),
        (said("a-b", "a b", "e"), "description"),
    ] {
        let failure = compare("a b", entry, &said).unwrap_err().to_string();
        assert!(failure.contains(&format!("the {what} is")), "{failure}");
    }
}

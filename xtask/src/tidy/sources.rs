//! Rules for what stands in the files.

use super::Problems;
use crate::files::Tree;
use crate::rust;

/// Marks of unfinished work, which a warning would not stop.
const LEFTOVERS: &[&str] = &["todo!(", "unimplemented!(", "dbg!(", "#[ignore"];

/// Hosts of package registries, in parts, so that this file passes its own check.
const REGISTRIES: &[&[&str]] = &[
    &["crates", "io"],
    &["deb", "debian", "org"],
    &["npmjs", "org"],
    &["pypi", "org"],
    &["pythonhosted", "org"],
];

/// Every source file says in its first line what it is for.
pub(super) fn open_with_their_purpose(tree: &Tree) -> Problems {
    let mut problems = Vec::new();
    for path in tree.with_extension("rs") {
        let text = tree.text(path)?;
        let purpose = text.strip_prefix("//!").and_then(|rest| rest.lines().next());
        if purpose.is_none_or(|line| line.trim().is_empty()) {
            problems.push(format!("{path}: does not open with `//!` and what the file is for"));
        }
    }
    Ok(problems)
}

/// Nothing is left unfinished and no test is switched off.
pub(super) fn have_no_leftovers(tree: &Tree) -> Problems {
    let mut problems = Vec::new();
    for path in tree.with_extension("rs") {
        for (index, line) in rust::blank(&tree.text(path)?).lines().enumerate() {
            let found = LEFTOVERS.iter().filter(|leftover| line.contains(**leftover));
            problems.extend(found.map(|leftover| format!("{path}:{}: `{leftover}`", index + 1)));
        }
    }
    Ok(problems)
}

/// Where packages come from is a matter of the machine: nobody who uses a mirror
/// should find an address in our files. The lock file is written by Cargo.
pub(super) fn name_no_registry(tree: &Tree) -> Problems {
    let hosts: Vec<String> = REGISTRIES.iter().map(|parts| parts.join(".")).collect();
    let is_registry = |host: &str| {
        hosts.iter().any(|registry| {
            let subdomain = host.strip_suffix(registry.as_str());
            subdomain.is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
        })
    };
    let mut problems = Vec::new();
    for path in tree.files.iter().filter(|path| path.file_name() != Some("Cargo.lock")) {
        let text = tree.text_if_any(path)?.unwrap_or_default();
        for (index, line) in text.lines().enumerate() {
            if line.split("://").skip(1).any(|rest| is_registry(host(rest))) {
                problems.push(format!("{path}:{}: address of a package registry", index + 1));
            }
        }
    }
    Ok(problems)
}

fn host(address: &str) -> &str {
    let end = address.find(|c: char| !c.is_ascii_alphanumeric() && c != '.' && c != '-');
    &address[..end.unwrap_or(address.len())]
}

#[cfg(test)]
mod tests {
    use super::super::problems;
    use super::*;

    #[test]
    fn purpose() {
        let check = |text: &str, fine: bool| {
            let found = problems(open_with_their_purpose, &[("src/a.rs", text), ("b.md", "x")]);
            assert_eq!(found.is_empty(), fine, "{text}");
        };
        check("//! What it is for.\nfn f() {}", true);
        check("//!\n//! Later.", false);
        check("// A comment.", false);
        check("\n//! Late.", false);
        check("", false);
    }

    #[test]
    fn leftovers() {
        let check = |text: &str, want: &[&str]| {
            assert_eq!(problems(have_no_leftovers, &[("a.rs", text)]), want, "{text}");
        };
        check("// todo!()\nlet x = \"dbg!(1)\";", &[]);
        check("fn f() {\n todo!() }", &["a.rs:2: `todo!(`"]);
        check("unimplemented!(); dbg!(x)", &["a.rs:1: `unimplemented!(`", "a.rs:1: `dbg!(`"]);
        check("#[ignore = \"slow\"]", &["a.rs:1: `#[ignore`"]);
    }

    #[test]
    fn registries() {
        let check = |file: &str, host: &str, fine: bool| {
            let text = format!("one\nsee https://{host}/x");
            let found = problems(name_no_registry, &[(file, &text)]);
            let want: &[String] = &[format!("{file}:2: address of a package registry")];
            assert_eq!(found, if fine { &[] } else { want }, "{host}");
        };
        for registry in REGISTRIES {
            let host = registry.join(".");
            check("a.md", &host, false);
            check("a.md", &format!("index.{host}"), false);
            check("a.md", &format!("my{host}"), true);
            check("a.md", &format!("{host}.example"), true);
            check("Cargo.lock", &host, true);
        }
        check("a.md", "example.org", true);
    }
}

//! What is wrong with a registry, for the person who writes it.
//!
//! Readers of a registry leave out what they cannot use and go on. Its author wants to know all of it,
//! before anybody reads it.

use std::collections::{BTreeMap, BTreeSet};

use jp_plugin::{
    CommandPath,
    registry::{self, Entry, Kind, Registry, RegistryError},
};

use crate::{Sha256, Source, plan::chain};

/// One thing that is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The key of the entry.
    pub key: String,
    pub problem: String,
}

/// Who is to read a registry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Readers {
    /// It is published, so its binaries have to be reachable from everywhere.
    Everybody,
    /// It is a file of this machine, and its binaries may be too.
    ThisMachine,
}

/// Looks at the text of a registry. `built_in` says which commands can never be reached, because they are
/// the program's own.
pub fn check(
    text: &str,
    readers: Readers,
    built_in: &dyn Fn(&CommandPath) -> bool,
) -> Result<Vec<Finding>, RegistryError> {
    let registry = registry::parse(text)?;
    let mut findings: Vec<_> = registry
        .skipped
        .iter()
        .map(|it| Finding { key: it.key.clone(), problem: it.reason.clone() })
        .collect();
    for (command, entry) in &registry.entries {
        let mut problems = problems(&registry, entry, readers);
        let elsewhere = entry.suggests.iter().filter(|it| it.below(command.words()).is_none());
        problems.extend(
            elsewhere.map(|it| format!("it suggests `{it}`, which is no command below it")),
        );
        if built_in(command) {
            problems.push("it is a command of jp itself, so nobody can reach it".to_owned());
        }
        let named = |problem| Finding { key: command.to_string(), problem };
        findings.extend(problems.into_iter().map(named));
    }
    for circle in circles(&registry) {
        let problem = format!("it requires itself: {}", chain(&circle));
        findings.push(Finding { key: circle[0].to_string(), problem });
    }
    Ok(findings)
}

fn problems(registry: &Registry, entry: &Entry, readers: Readers) -> Vec<String> {
    let mut problems = Vec::new();
    if entry.description.trim().is_empty() {
        problems.push("it has no description".to_owned());
    }
    match (entry.kind, entry.binaries.is_empty()) {
        (Kind::Command, true) => problems.push("it has no binaries".to_owned()),
        (Kind::CommandGroup, false) => {
            problems.push("it is a group, and groups have no binaries".to_owned());
        }
        (Kind::Command, false) | (Kind::CommandGroup, true) => {}
    }
    for (target, binary) in &entry.binaries {
        match Source::parse(&binary.url) {
            Ok(Source::Https(_)) => {}
            Ok(Source::File(_)) if readers == Readers::ThisMachine => {}
            Ok(Source::File(_)) => problems.push(format!(
                "{target}: {} is a file, which only works for a registry that is one",
                binary.url
            )),
            Err(error) => problems.push(format!("{target}: {error}")),
        }
        if let Err(error) = binary.sha256.parse::<Sha256>() {
            problems.push(format!("{target}: {error}"));
        }
    }
    for (word, paths) in [("requires", &entry.requires), ("suggests", &entry.suggests)] {
        let unknown = paths.iter().filter(|path| !registry.entries.contains_key(*path));
        problems.extend(
            unknown.map(|path| format!("it {word} `{path}`, which is no entry that can be used")),
        );
    }
    problems
}

/// Every circle of requirements, each once. What can be installed is taken away until only they, and what
/// needs them, are left.
fn circles(registry: &Registry) -> Vec<Vec<CommandPath>> {
    let mut needs = BTreeMap::new();
    let mut needed_by = BTreeMap::<&CommandPath, Vec<&CommandPath>>::new();
    for (path, entry) in &registry.entries {
        let known = entry.requires.iter().filter(|it| registry.entries.contains_key(*it));
        let known: BTreeSet<&CommandPath> = known.collect();
        for it in &known {
            needed_by.entry(*it).or_default().push(path);
        }
        needs.insert(path, known);
    }
    let free = needs.iter().filter(|(_, needs)| needs.is_empty());
    let mut free: Vec<&CommandPath> = free.map(|(path, _)| *path).collect();
    let mut found = Vec::new();
    loop {
        while let Some(path) = free.pop() {
            needs.remove(path);
            for other in needed_by.remove(path).unwrap_or_default() {
                let Some(left) = needs.get_mut(other) else { continue };
                left.remove(path);
                if left.is_empty() {
                    free.push(other);
                }
            }
        }
        let Some(start) = needs.keys().next().copied() else { return found };
        let circle = circle(&needs, start);
        free.extend(&circle);
        // Told so that it ends where it begins.
        let told = circle.iter().chain(circle.first()).map(|it| (*it).clone());
        found.push(told.collect());
    }
}

/// The circle that is reached from a plugin by going on to what each requires first.
fn circle<'a>(
    needs: &BTreeMap<&'a CommandPath, BTreeSet<&'a CommandPath>>,
    start: &'a CommandPath,
) -> Vec<&'a CommandPath> {
    let (mut trail, mut places) = (vec![start], BTreeMap::from([(start, 0)]));
    // Everything that is left requires something that is left, so this comes back to where it was.
    while let Some(next) = needs.get(trail[trail.len() - 1]).and_then(BTreeSet::first) {
        if let Some(at) = places.insert(*next, trail.len()) {
            return trail.split_off(at);
        }
        trail.push(next);
    }
    trail
}

#[cfg(test)]
mod tests;

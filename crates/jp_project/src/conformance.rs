//! One suite for every backend.
//!
//! The suite is a text, `conformance/script.txt`: what is done with a project, and below each line what
//! comes of it. The same steps are taken on a backend, what comes of them is written down in the same
//! form, and the two texts have to be equal. So a difference between two backends is a line in a diff.
//!
//! `# …` begins with an empty project. `> …` is a step. `> rules …` puts the following steps under a
//! policy: a path, `=`, and the first letters of what is granted there. `> sensitive …` puts them behind
//! a gate with these patterns besides the built-in ones, and `> answer …` is what a person says.

use std::{fmt::Write, sync::Arc};

use camino::Utf8Path;
use jp_tool::access::{AccessPolicy, Capability, FsRule, SensitiveGate, SensitivePaths};

use crate::{
    DeleteReach, GrepAnswer, GrepQuery, Kind, Part, ProjectError, ProjectFiles, ProjectPath,
    RenameTarget, Rules, Slice, WriteMode,
};

const SCRIPT: &str = include_str!("conformance/script.txt");
/// Small, so that the suite needs no large file to reach it.
const MAX_READ: u64 = 20;

/// Runs the suite; `empty` makes an empty project without a policy. Panics at the first section in which
/// the backend does something else.
pub fn check(empty: &dyn Fn() -> Arc<dyn ProjectFiles>) {
    for section in SCRIPT.split("\n\n").map(str::trim).filter(|section| section.contains("> ")) {
        assert_eq!(run(empty().as_ref(), section), section);
    }
}

/// The section with what really comes of its steps.
pub fn run(project: &dyn ProjectFiles, section: &str) -> String {
    let mut out = String::new();
    let mut rules = Rules::default();
    for line in section.lines().filter(|line| line.starts_with(['#', '>'])) {
        if !out.is_empty() {
            out.push('\n');
        }
        out.push_str(line);
        let Some(step) = line.strip_prefix("> ") else { continue };
        if set(&mut rules, step) {
            continue;
        }
        let view = project.under(rules.clone());
        let outcome = take(view.as_ref(), step).unwrap_or_else(|error| error.to_string());
        let _ = write!(out, "\n{}", outcome.trim_end());
    }
    out
}

/// Changes the rules for the following steps, if the step is about them.
fn set(rules: &mut Rules, step: &str) -> bool {
    let words: Vec<&str> = step.split(' ').collect();
    match *words.first().unwrap_or(&"") {
        "rules" => rules.policy = Some(policy(step)),
        "sensitive" => {
            let list = words.iter().skip(1).fold(SensitivePaths::builtin(), |list, pattern| {
                list.clone().with(pattern).unwrap_or(list)
            });
            let home = Some("/home/nobody".into());
            rules.sensitive = Some(Arc::new(SensitiveGate::new(list, "/project".into(), home)));
        }
        "answer" => {
            if let (Some(gate), [_, path, answer]) = (&rules.sensitive, words.as_slice()) {
                gate.answer(Utf8Path::new(path), *answer == "yes");
            }
        }
        _ => return false,
    }
    true
}

fn policy(rules: &str) -> AccessPolicy {
    let capability = |letter: char| {
        Capability::ALL.into_iter().find(|capability| capability.as_str().starts_with(letter))
    };
    let rules = rules.split_whitespace().filter_map(|rule| rule.split_once('='));
    let rules =
        rules.map(|(path, letters)| FsRule::new(path, letters.chars().filter_map(capability)));
    AccessPolicy { fs: rules.collect::<Vec<_>>().into(), ..AccessPolicy::default() }
}

/// A step that cannot be read fails as a path would, which no section expects.
fn take(project: &dyn ProjectFiles, step: &str) -> Result<String, Box<dyn std::error::Error>> {
    let words: Vec<&str> = step.split(' ').collect();
    let path =
        |index: usize| ProjectPath::new(&unescape(words.get(index).copied().unwrap_or_default()));
    let number = |index: usize| words.get(index).and_then(|word| word.parse::<u64>().ok());
    let done = |result: Result<(), ProjectError>| result.map(|()| "ok".to_owned());
    let text = || unescape(words.get(2).copied().unwrap_or_default());
    Ok(match *words.first().unwrap_or(&"") {
        "write" => done(project.write(&path(1)?, text().as_bytes(), WriteMode::Replace))?,
        "new" => done(project.write(&path(1)?, text().as_bytes(), WriteMode::CreateNew))?,
        "read" => {
            let part = Part { offset: number(2).unwrap_or(0), limit: number(3), max: MAX_READ };
            let content = project.read(&path(1)?, part)?;
            format!("{:?} of {}", String::from_utf8_lossy(&content.bytes), content.size)
        }
        "exists" => project.exists(&path(1)?)?.to_string(),
        "metadata" => {
            let data = project.metadata(&path(1)?)?;
            format!("{:?} {}", data.kind, data.size)
        }
        "list" => {
            let number = |index| number(index).and_then(|number| usize::try_from(number).ok());
            let slice = Slice { offset: number(2).unwrap_or(0), limit: number(3) };
            let entries = project.list_dir(&path(1)?, slice)?;
            let name = |kind| if kind == Kind::Directory { "/" } else { "" };
            let names = entries.iter().map(|entry| format!("{}{} ", entry.name, name(entry.kind)));
            format!("[{}]", names.collect::<String>().trim_end())
        }
        "delete" => done(project.delete(&path(1)?, DeleteReach::File))?,
        "delete-empty" => done(project.delete(&path(1)?, DeleteReach::Empty))?,
        "delete-all" => done(project.delete(&path(1)?, DeleteReach::Recursive))?,
        "rename" => done(project.rename(&path(1)?, &path(2)?, RenameTarget::Overwrite))?,
        "rename-new" => done(project.rename(&path(1)?, &path(2)?, RenameTarget::Keep))?,
        "mkdir" => done(project.create_dir(&path(1)?))?,
        "grep" => show(&project.grep(&query(&words)?)?),
        other => format!("unknown step: {other}"),
    })
}

fn query(words: &[&str]) -> Result<GrepQuery, Box<dyn std::error::Error>> {
    let mut query = GrepQuery::new(unescape(words.get(1).copied().unwrap_or_default()));
    for word in words.iter().skip(2) {
        match word.split_once('=').unwrap_or((word, "")) {
            ("in", path) => query.paths.push(ProjectPath::new(path)?),
            ("ext", extension) => query.extensions.push(extension.to_owned()),
            ("context", lines) => query.context = lines.parse()?,
            ("max", matches) => query.max_matches = matches.parse()?,
            ("fixed", _) => query.fixed = true,
            ("nocase", _) => query.case_insensitive = true,
            _ => return Err(format!("unknown word: {word}").into()),
        }
    }
    Ok(query)
}

fn show(answer: &GrepAnswer) -> String {
    let mut out = String::new();
    for file in &answer.files {
        for line in &file.lines {
            let mark = if line.is_match { ':' } else { '-' };
            let _ = writeln!(out, "{}{mark}{}{mark}{}", file.path, line.number, line.content);
        }
    }
    if answer.limit_reached {
        out.push_str("limit reached\n");
    }
    if out.is_empty() { "nothing".to_owned() } else { out }
}

fn unescape(text: &str) -> String {
    text.replace("\\n", "\n").replace("\\r", "\r").replace("\\0", "\0").replace("\\s", " ")
}

#[cfg(test)]
mod tests;

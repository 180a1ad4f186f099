//! The first line of a script, as the kernel reads it.

use std::io::Read as _;

use camino::Utf8Path;

use super::{ResolveError, elf};

/// The kernel looks at so many bytes of a file.
const LONGEST: u64 = 256;

/// What stands behind `#!`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) text: String,
    pub(super) interpreter: String,
    /// Everything after the interpreter is one word for the kernel.
    pub(super) argument: Option<String>,
}

/// The first line of a script; `None` for a file that is something else.
pub(super) fn first_line(file: &Utf8Path) -> Result<Option<Line>, ResolveError> {
    let failed = |source| ResolveError::File { path: file.to_owned(), source };
    let mut bytes = Vec::new();
    let opened = elf::open(file).map_err(failed)?;
    opened.take(LONGEST).read_to_end(&mut bytes).map_err(failed)?;
    let Some(line) = bytes.strip_prefix(b"#!") else { return Ok(None) };
    let wrong =
        |reason: &str| ResolveError::Script { script: file.to_owned(), reason: reason.to_owned() };
    let line = line.split(|byte| *byte == b'\n').next().unwrap_or_default();
    // A name that was cut off would be another name.
    if line.len() as u64 + 2 == LONGEST {
        return Err(wrong("its first line is too long"));
    }
    let line = std::str::from_utf8(line).map_err(|_| wrong("its first line is not UTF-8"))?;
    parse(line).map(Some).ok_or_else(|| wrong("its first line names no interpreter"))
}

/// Whether a file is a script for a shell.
pub(super) fn is_of_a_shell(file: &Utf8Path) -> bool {
    let Ok(Some(line)) = first_line(file) else { return false };
    let named = line.env_words().filter(|_| line.is_env());
    let named = named.and_then(|words| words.into_iter().next()).unwrap_or(line.interpreter);
    let name = Utf8Path::new(&named).file_name().unwrap_or_default();
    matches!(name, "sh" | "bash" | "dash" | "ksh" | "zsh")
}

fn parse(line: &str) -> Option<Line> {
    let text = line.trim_matches([' ', '\t']);
    let (interpreter, rest) = text.split_once([' ', '\t']).unwrap_or((text, ""));
    let rest = rest.trim_matches([' ', '\t']);
    let argument = (!rest.is_empty()).then(|| rest.to_owned());
    let (text, interpreter) = (text.to_owned(), interpreter.to_owned());
    (interpreter.starts_with('/')).then_some(Line { text, interpreter, argument })
}

impl Line {
    /// Whether the interpreter only looks for another one.
    pub(super) fn is_env(&self) -> bool {
        Utf8Path::new(&self.interpreter).file_name() == Some("env")
    }

    /// What `env` is asked to run: `python3`, or with `-S` several words. Its other abilities, to set
    /// variables or to understand quotes, are not looked into.
    pub(super) fn env_words(&self) -> Option<Vec<String>> {
        let argument = self.argument.as_deref()?;
        let several = argument.strip_prefix("-S").map(str::trim_start);
        let words: Vec<String> = match several {
            Some(words) => words.split([' ', '\t']).map(str::to_owned).collect(),
            None => vec![argument.to_owned()],
        };
        let is_plain = |word: &String| {
            !word.is_empty() && !word.contains(['\'', '"', '\\', '$', '#', ' ', '\t'])
        };
        let is_name =
            words.first().is_some_and(|name| !name.starts_with('-') && !name.contains('='));
        (is_name && words.iter().all(is_plain)).then_some(words)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines() {
        let check = |line: &str, want: Option<(&str, Option<&str>)>| {
            let line = parse(line);
            let seen =
                line.as_ref().map(|line| (line.interpreter.as_str(), line.argument.as_deref()));
            assert_eq!(seen, want);
        };
        check("/bin/sh", Some(("/bin/sh", None)));
        check("  /bin/sh -e ", Some(("/bin/sh", Some("-e"))));
        check("\t/usr/bin/awk\t-f -x", Some(("/usr/bin/awk", Some("-f -x"))));
        check("", None);
        check("sh", None);
    }

    #[test]
    fn what_env_runs() {
        let check = |line: &str, want: Option<&[&str]>| {
            let words = parse(line).unwrap().env_words();
            let words = words.as_ref().map(|words| words.iter().map(String::as_str).collect());
            assert_eq!(words, want.map(<[&str]>::to_vec), "{line}");
        };
        check("/usr/bin/env python3", Some(&["python3"]));
        check("/usr/bin/env -S node --no-warnings", Some(&["node", "--no-warnings"]));
        check("/usr/bin/env -Snode", Some(&["node"]));
        for odd in
            ["", " -i sh", " A=1 sh", " python3 -u", " -S A=1 sh", " -S sh 'a b'", " -S sh $X"]
        {
            check(&format!("/usr/bin/env{odd}"), None);
        }
    }
}

//! What a program is made of: the files that a sealed process has to see to be itself.
//!
//! A sealed process sees nothing but its program, so somebody has to say what that is. It is the file
//! that is executed; if that is a script, the interpreters that its first line leads to; what the
//! loader loads into it; the files that the command names; and what the configuration lists as
//! `program_files`. [`resolve`] finds them, for everything that runs sealed, and gives the command in
//! the form in which one call of the kernel starts it: `#!/usr/bin/env python3` becomes Python itself,
//! because a process that may start no other program could not be started by `env`.
//!
//! The danger is a word that somebody else chose. What a model writes into a template becomes an
//! argument, and an argument that names a file is not a file that the command names. So each word says
//! whether it stands in the configuration ([`Word::literal`]).
//!
//! Libraries of the system are not listed: every sealed process sees their directories.

mod elf;
mod libraries;
mod script;

use std::{
    collections::BTreeSet,
    ffi::{OsStr, OsString},
    io,
};

use camino::{Utf8Path, Utf8PathBuf};
use jp_process::{FindError, find_programs};
use rustix::fs::FileType;

use self::script::Line;
use crate::Command;

/// So many interpreters of interpreters there can be; the kernel does not go further.
const MOST_INTERPRETERS: usize = 4;

/// So many links lead to a file at most.
const MOST_LINKS: usize = 40;

/// A command before it is known what it consists of.
#[derive(Debug, Clone, Copy)]
pub struct CommandLine<'a> {
    /// The program and its arguments.
    pub words: &'a [Word],
    /// Where programs are searched for, a value like that of `PATH`.
    pub search_path: &'a OsStr,
    /// Where paths in it are seen from, absolute.
    pub directory: &'a Utf8Path,
    /// What the configuration lists: files and directories, seen from there.
    pub program_files: &'a [Utf8PathBuf],
}

/// One word of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// What it says.
    pub text: OsString,
    /// Whether it stands in the configuration as it is. A word that was made from a template with
    /// somebody's input does not, and names no file.
    pub literal: bool,
}

/// A program with everything it is made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProgramParts {
    /// The file to execute; a link only if it is in `files`.
    pub path: Utf8PathBuf,
    /// The same file, canonical: for [`Subject::program`](crate::Subject::program).
    pub program: Utf8PathBuf,
    /// The words to execute it with, the name of the program first.
    pub args: Vec<OsString>,
    /// What else it is made of, by path: for [`Subject::program_files`](crate::Subject::program_files).
    pub files: Vec<Utf8PathBuf>,
    /// The directory to start in: that of the command if something of the program is there.
    pub directory: Utf8PathBuf,
}

/// Why a command means nothing that could be run.
#[derive(Debug, thiserror::Error)]
pub enum ResolveError {
    /// There is no word, or the first is not the configuration's own.
    #[error("the command does not begin with the name of a program")]
    NoProgram,
    /// There is no such program.
    #[error(transparent)]
    Find(#[from] FindError),
    /// A path that no view could have.
    #[error("{path} is not UTF-8", path = .0.display())]
    NotText(std::path::PathBuf),
    /// The first line of a script leads nowhere.
    #[error("cannot start {script}: {reason}")]
    Script {
        /// The script.
        script: Utf8PathBuf,
        /// What is wrong with its first line.
        reason: String,
    },
    /// A file of the program cannot be found or read.
    #[error("{path}: {source}")]
    File {
        /// The file.
        path: Utf8PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

/// Finds out what a command consists of.
pub fn resolve(command: CommandLine<'_>) -> Result<ProgramParts, ResolveError> {
    let (first, rest) = command.words.split_first().ok_or(ResolveError::NoProgram)?;
    if !first.literal {
        return Err(ResolveError::NoProgram);
    }
    let mut parts = Parts { command, files: BTreeSet::new() };
    let (mut path, mut program) = parts.find(&first.text)?;
    let mut args = vec![first.text.clone()];
    for word in rest {
        args.push(parts.argument(word)?);
    }
    for listed in command.program_files {
        parts.show(&command.directory.join(listed))?;
    }
    for _ in 0..=MOST_INTERPRETERS {
        let Some(line) = script::first_line(&program)? else {
            libraries::add(&path, &program, &mut parts.files)?;
            return Ok(parts.whole(path, program, args));
        };
        let script = std::mem::replace(&mut path, Utf8PathBuf::new());
        let (name, mut words) = interpreter(&script, &line)?;
        (path, program) = parts.find(&name).map_err(|error| ResolveError::Script {
            script: script.clone(),
            reason: error.to_string(),
        })?;
        words.insert(0, name);
        words.push(script.into_string().into());
        args.splice(..1, words);
    }
    Err(ResolveError::Script { script: path, reason: "too many interpreters".to_owned() })
}

impl ProgramParts {
    /// The command that starts it.
    pub fn command(&self, extra: Vec<(OsString, OsString)>, observe: bool) -> Command<'_> {
        let (path, directory) = (self.path.as_path(), self.directory.as_path());
        Command { path, args: self.args.clone(), extra, directory, observe, sha256: None }
    }
}

/// What was found so far.
struct Parts<'a> {
    command: CommandLine<'a>,
    files: BTreeSet<Utf8PathBuf>,
}

impl Parts<'_> {
    /// A program by its name: the path to execute, and the file that this leads to.
    fn find(&mut self, name: &OsStr) -> Result<(Utf8PathBuf, Utf8PathBuf), ResolveError> {
        let CommandLine { search_path, directory, .. } = self.command;
        let found = find_programs(name, search_path, directory.as_std_path())?;
        let text = |path: std::path::PathBuf| {
            Utf8PathBuf::try_from(path)
                .map_err(|error| ResolveError::NotText(error.into_path_buf()))
        };
        let found = found.into_iter().map(text).collect::<Result<Vec<_>, _>>()?;
        // Version managers put shell scripts before the real programs, which look for them and start
        // them. A sealed process can start nothing, so the real one is taken, if there is one.
        let real = found.iter().position(|path| !script::is_of_a_shell(path)).unwrap_or(0);
        self.show(&found[real])
    }

    /// An argument, which may name a file of the program.
    fn argument(&mut self, word: &Word) -> Result<OsString, ResolveError> {
        let text = word.text.to_str().filter(|text| word.literal && !text.is_empty());
        let Some(named) = text.map(|text| self.command.directory.join(text)) else {
            return Ok(word.text.clone());
        };
        let is_file = rustix::fs::stat(named.as_std_path())
            .is_ok_and(|found| FileType::from_raw_mode(found.st_mode).is_file());
        if !is_file {
            return Ok(word.text.clone());
        }
        // Seen from where the program starts it is the same file, unless a directory on the way is a
        // link, which is not there for the program.
        let (path, _) = self.show(&named)?;
        let is_same = path == lexical(&named);
        Ok(if is_same { word.text.clone() } else { path.into_string().into() })
    }

    /// Adds a file or directory, with the links that lead to it. Returns its path in a directory that
    /// is canonical, and the path without any link.
    fn show(&mut self, path: &Utf8Path) -> Result<(Utf8PathBuf, Utf8PathBuf), ResolveError> {
        let failed = |source| ResolveError::File { path: path.to_owned(), source };
        let real = path.canonicalize_utf8().map_err(failed)?;
        let shown = links_to(path, &mut self.files).map_err(failed)?;
        self.files.insert(real.clone());
        Ok((shown, real))
    }

    fn whole(self, path: Utf8PathBuf, program: Utf8PathBuf, args: Vec<OsString>) -> ProgramParts {
        let mut files = self.files;
        files.remove(&program);
        let directory = self.command.directory.canonicalize_utf8().ok();
        let is_there = |directory: &Utf8PathBuf| {
            program.starts_with(directory) || files.iter().any(|file| file.starts_with(directory))
        };
        let directory = directory.filter(is_there).unwrap_or_else(|| "/".into());
        ProgramParts { path, program, args, files: files.into_iter().collect(), directory }
    }
}

/// The interpreter that the first line of a script names, and what it is given before the script.
fn interpreter(script: &Utf8Path, line: &Line) -> Result<(OsString, Vec<OsString>), ResolveError> {
    let failed = |reason: &str| ResolveError::Script {
        script: script.to_owned(),
        reason: format!("{reason}: `{}`", line.text),
    };
    if !line.is_env() {
        let words = line.argument.iter().map(Into::into).collect();
        return Ok((OsString::from(&line.interpreter), words));
    }
    let words = line.env_words().ok_or_else(|| failed("this use of `env` is not understood"))?;
    let mut words = words.into_iter().map(OsString::from);
    let name = words.next().ok_or_else(|| failed("it names no interpreter"))?;
    Ok((name, words.collect()))
}

/// Adds every link that the name of a path is, each in a canonical directory; returns the first of
/// those paths, which leads to the same file.
fn links_to(path: &Utf8Path, files: &mut BTreeSet<Utf8PathBuf>) -> io::Result<Utf8PathBuf> {
    let mut next = path.to_owned();
    let mut first = None;
    for _ in 0..MOST_LINKS {
        let (Some(parent), Some(name)) = (next.parent(), next.file_name()) else { break };
        let here = parent.canonicalize_utf8()?.join(name);
        first.get_or_insert_with(|| here.clone());
        let Ok(target) = here.read_link_utf8() else { break };
        next = here.parent().unwrap_or(Utf8Path::new("/")).join(target);
        files.insert(here);
    }
    Ok(match first {
        Some(first) => first,
        // It ends with `..` or is the root itself.
        None => path.canonicalize_utf8()?,
    })
}

/// A path without `.`; `..` stays, because it depends on links.
fn lexical(path: &Utf8Path) -> Utf8PathBuf {
    path.components().filter(|part| part.as_str() != ".").collect()
}

#[cfg(test)]
mod tests;

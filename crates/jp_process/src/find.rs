//! Which file a name of a program means.
//!
//! The danger is a program that lies in wait: a search path with an entry that is empty or relative
//! means the directory one happens to be in, and a workspace may bring its own `git`. Such entries are
//! passed over. A name with a slash says itself where it is.

use std::{
    ffi::{OsStr, OsString},
    fmt::{self, Write as _},
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
};

use rustix::fs::{Access, AtFlags, CWD, FileType, accessat, stat};

/// Why a name means no program.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FindError {
    /// There is no such file.
    #[error("no program {name} was found", name = Visible(.0))]
    Missing(OsString),
    /// There is one, but it cannot be executed: a directory, or a file without the permission.
    #[error("{path} is not an executable file", path = Visible(.0.as_os_str()))]
    NotExecutable(PathBuf),
}

/// The absolute path of an executable file: where the name says, seen from a directory, when it has a
/// slash; otherwise in the first directory of the search path (a value like that of `PATH`) that has
/// one.
pub fn find_program(
    name: &OsStr,
    search_path: &OsStr,
    directory: &Path,
) -> Result<PathBuf, FindError> {
    let mut found = find_programs(name, search_path, directory)?;
    Ok(found.swap_remove(0))
}

/// Every file that the name means, in the order of the search path; at least one.
pub fn find_programs(
    name: &OsStr,
    search_path: &OsStr,
    directory: &Path,
) -> Result<Vec<PathBuf>, FindError> {
    let missing = || FindError::Missing(name.to_owned());
    // The kernel takes no name with a zero byte, and none that is empty.
    if name.is_empty() || name.as_bytes().contains(&0) {
        return Err(missing());
    }
    let is_path = name.as_bytes().contains(&b'/');
    let places: Vec<PathBuf> = if is_path {
        vec![directory.to_owned()]
    } else {
        std::env::split_paths(search_path).filter(|place| place.is_absolute()).collect()
    };
    let (mut programs, mut refused) = (Vec::new(), None);
    for candidate in places.iter().map(|place| place.join(name)) {
        match kind(&candidate) {
            Kind::Program => programs.push(candidate),
            // A shell looks on, and so do we, but it is what the error should tell of.
            Kind::Other => refused = refused.or(Some(candidate)),
            Kind::Nothing => {}
        }
    }
    if programs.is_empty() {
        return Err(refused.map_or_else(missing, FindError::NotExecutable));
    }
    Ok(programs)
}

/// A name for people. A control character in it is written out: the first line of a script may end like lines of
/// another system, and without that the name would look like one that is there.
struct Visible<'a>(&'a OsStr);

impl fmt::Display for Visible<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.to_string_lossy().chars().try_for_each(|character| {
            if character.is_control() {
                write!(f, "{}", character.escape_debug())
            } else {
                f.write_char(character)
            }
        })
    }
}

enum Kind {
    Program,
    Other,
    Nothing,
}

fn kind(path: &Path) -> Kind {
    let Ok(found) = stat(path) else { return Kind::Nothing };
    let is_file = FileType::from_raw_mode(found.st_mode).is_file();
    if is_file && accessat(CWD, path, Access::EXEC_OK, AtFlags::EACCESS).is_ok() {
        Kind::Program
    } else {
        Kind::Other
    }
}

#[cfg(test)]
mod tests;

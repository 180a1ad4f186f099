//! Paths as the assistant writes them, in the form that the host takes.
//!
//! The host refuses `..` and absolute paths. A tool beside the files takes them, as long as they stay in
//! the workspace, so here `..` is worked out before the host is asked, and what leaves the workspace is
//! refused in the same words.

use camino::{Utf8Component, Utf8Path, Utf8PathBuf};
use jp_tool::{access::FsAccessError, vfs::ProjectPath};

/// The longest path.
const MAX_LENGTH: usize = 64 << 10;

/// The path from the root of the project; `.` is the root.
pub(super) fn lexical(input: &Utf8Path) -> Result<Utf8PathBuf, FsAccessError> {
    let unresolvable =
        |path: &str, reason: String| FsAccessError::Unresolvable { path: path.into(), reason };
    let text = input.as_str();
    if text.is_empty() {
        return Err(unresolvable(text, "empty path".to_owned()));
    }
    if text.len() > MAX_LENGTH {
        let start: String = text.chars().take(60).collect();
        return Err(unresolvable(&start, format!("longer than {MAX_LENGTH} bytes")));
    }
    if text.contains('\0') {
        return Err(unresolvable(text, "a path cannot contain a NUL byte".to_owned()));
    }
    if input.is_absolute() {
        return Err(FsAccessError::Outside(input.to_owned()));
    }
    let mut names: Vec<&str> = Vec::new();
    for component in input.components() {
        match component {
            Utf8Component::Normal(name) => names.push(name),
            Utf8Component::ParentDir if names.pop().is_none() => {
                return Err(FsAccessError::Escape(input.to_owned()));
            }
            _ => {}
        }
    }
    Ok(if names.is_empty() { ".".into() } else { names.join("/").into() })
}

/// The same as the host takes it.
pub(super) fn project(input: &Utf8Path) -> Result<ProjectPath, FsAccessError> {
    let path = lexical(input)?;
    ProjectPath::new(path.into_string()).map_err(|error| FsAccessError::Unresolvable {
        path: input.to_owned(),
        reason: error.to_string(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_worked_out_from_the_root() {
        for (input, expected) in [
            ("a", "a"),
            ("./x/../a//b/", "a/b"),
            (".", "."),
            ("a/..", "."),
            ("..", "path escapes the workspace: .."),
            ("a/../../b", "path escapes the workspace: a/../../b"),
            ("/etc", "path is outside the workspace: /etc"),
            ("", "path cannot be resolved: : empty path"),
        ] {
            let path = lexical(input.into()).map_or_else(|error| error.to_string(), Into::into);
            assert_eq!(path, expected, "{input:?}");
        }
    }
}

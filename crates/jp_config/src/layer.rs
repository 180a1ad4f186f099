//! The layers a configuration is made of, in the order they win, and the places where their files
//! are looked for. Nothing here touches the disk: the caller reads the files and hands in text.

use camino::{Utf8Path, Utf8PathBuf};
use serde::Serialize;

use crate::dotted;

/// The largest layer that is read, in bytes. Callers need not read more of a file than one byte
/// beyond it.
pub const MAX_LAYER_BYTES: usize = 1024 * 1024;

/// What sort of layer it is. Later ones win.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LayerKind {
    /// Built in.
    Default,
    /// The user's own file, for all workspaces.
    User,
    /// The workspace's `.jp/config.toml`.
    Workspace,
    /// A `.jp.toml` between the workspace root and the current directory.
    Directory,
    /// A file given by `--cfg FILE`.
    File,
    /// A value given by `--cfg key.path=value`.
    Assignment,
    /// A [`Delta`](crate::Delta).
    Delta,
}

/// One layer: what it is, what the user calls it, and its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layer {
    pub(crate) kind: LayerKind,
    pub(crate) name: String,
    pub(crate) text: String,
    /// The table that the text is the content of; the whole configuration if it is empty.
    pub(crate) under: Vec<String>,
}

impl Layer {
    /// The user's own file. `name` is what errors call it, usually its path.
    pub fn user(name: impl Into<String>, text: impl Into<String>) -> Self {
        Self::new(LayerKind::User, name, text)
    }

    /// The workspace's `.jp/config.toml`.
    pub fn workspace(name: impl Into<String>, text: impl Into<String>) -> Self {
        Self::new(LayerKind::Workspace, name, text)
    }

    /// A `.jp.toml` of a directory.
    pub fn directory(name: impl Into<String>, text: impl Into<String>) -> Self {
        Self::new(LayerKind::Directory, name, text)
    }

    /// A file given by `--cfg FILE`.
    pub fn file(name: impl Into<String>, text: impl Into<String>) -> Self {
        Self::new(LayerKind::File, name, text)
    }

    /// A file with the settings of one tool and nothing else, `[[access.fs]]` for example.
    pub fn tool(tool: &str, name: impl Into<String>, text: impl Into<String>) -> Self {
        let under = ["conversation", "tools", tool].map(str::to_owned).to_vec();
        Self { under, ..Self::file(name, text) }
    }

    /// A value given by `--cfg key.path=value`; `text` is the argument.
    pub fn assignment(text: impl Into<String>) -> Self {
        let text = text.into();
        Self::new(LayerKind::Assignment, format!("--cfg {text}"), text)
    }

    /// The layer for a candidate whose file was read. `name` is what errors call it, for example
    /// its path relative to the current directory.
    pub fn from_candidate(
        candidate: &Candidate,
        name: impl Into<String>,
        text: impl Into<String>,
    ) -> Self {
        Self::new(candidate.kind, name, text)
    }

    pub(crate) fn new(kind: LayerKind, name: impl Into<String>, text: impl Into<String>) -> Self {
        Self { kind, name: name.into(), text: text.into(), under: Vec::new() }
    }
}

/// A file that is a layer if it exists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// What sort of layer it would be.
    pub kind: LayerKind,
    /// Where it would be.
    pub path: Utf8PathBuf,
}

/// The files to look for, in the order they win: the user's file, the workspace's file, and a
/// `.jp.toml` in every directory from the workspace root down to the current one.
///
/// `user_config` is the user's configuration directory (`$XDG_CONFIG_HOME`). The paths are
/// compared as they are written, so both come absolute and in the same spelling; with a current
/// directory outside the workspace only the root's `.jp.toml` counts.
pub fn candidates(
    user_config: Option<&Utf8Path>,
    workspace_root: Option<&Utf8Path>,
    current_dir: &Utf8Path,
) -> Vec<Candidate> {
    let mut found = Vec::new();
    if let Some(dir) = user_config {
        found.push(Candidate { kind: LayerKind::User, path: dir.join("jp/config.toml") });
    }
    let Some(root) = workspace_root else {
        return found;
    };
    found.push(Candidate { kind: LayerKind::Workspace, path: root.join(".jp/config.toml") });

    let below = current_dir.strip_prefix(root).unwrap_or(Utf8Path::new(""));
    let mut dir = root.to_owned();
    found.push(Candidate { kind: LayerKind::Directory, path: dir.join(".jp.toml") });
    for part in below {
        dir.push(part);
        found.push(Candidate { kind: LayerKind::Directory, path: dir.join(".jp.toml") });
    }
    found
}

/// What an argument of `--cfg` means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CfgArgument<'a> {
    /// A file to read.
    File(&'a Utf8Path),
    /// `key.path=value`, for [`Layer::assignment`].
    Assignment(&'a str),
}

impl<'a> CfgArgument<'a> {
    /// Tells an assignment from a file by the text alone: it is an assignment if a `=` comes
    /// before any `/` or `\` (quoted parts of a key apart). A file with `=` in its name is
    /// written with its directory, `./a=b.toml`.
    pub fn classify(argument: &'a str) -> Self {
        match dotted::unquoted(argument).find(|(_, it)| matches!(it, '=' | '/' | '\\')) {
            Some((_, '=')) => Self::Assignment(argument),
            _ => Self::File(Utf8Path::new(argument)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_looked_for_from_the_user_down_to_the_current_directory() {
        let found = |user: Option<&str>, root: Option<&str>, cwd: &str| -> Vec<String> {
            candidates(user.map(Utf8Path::new), root.map(Utf8Path::new), Utf8Path::new(cwd))
                .into_iter()
                .map(|it| format!("{:?} {}", it.kind, it.path))
                .collect()
        };
        assert_eq!(
            found(Some("/home/me/.config"), Some("/w"), "/w/a/b"),
            [
                "User /home/me/.config/jp/config.toml",
                "Workspace /w/.jp/config.toml",
                "Directory /w/.jp.toml",
                "Directory /w/a/.jp.toml",
                "Directory /w/a/b/.jp.toml",
            ]
        );
        assert_eq!(
            found(None, Some("/w"), "/w"),
            ["Workspace /w/.jp/config.toml", "Directory /w/.jp.toml"]
        );
        assert_eq!(found(Some("/c"), None, "/tmp"), ["User /c/jp/config.toml"]);
        // `/work` begins with the letters of `/w` and is still elsewhere.
        assert_eq!(
            found(None, Some("/w"), "/work/a"),
            ["Workspace /w/.jp/config.toml", "Directory /w/.jp.toml"]
        );
    }

    #[test]
    fn an_argument_is_an_assignment_if_an_equals_sign_comes_first() {
        let check = |argument: &str, assignment: bool| {
            let found = matches!(CfgArgument::classify(argument), CfgArgument::Assignment(_));
            assert_eq!(found, assignment, "{argument}");
        };
        check("assistant.name=JP", true);
        check("a=b/c", true);
        check("=x", true);
        check("a..b=1", true);
        check(r#"conversation.tools."a/b".run=skip"#, true);
        check(r"conversation.tools.'a\b'.run=skip", true);
        check("extra.toml", false);
        check("dir/a=b.toml", false);
        check("./a=b.toml", false);
        check(r"C:\x=y.toml", false);
        check("", false);
    }

    #[test]
    fn layers_have_an_order() {
        use LayerKind::{Assignment, Default, Directory, File, User, Workspace};
        assert!([Default, User, Workspace, Directory, File, Assignment].is_sorted());
    }
}

//! Files: what each `fs.` method takes and gives.
//!
//! Every path is relative to the root of the project, and a request that names another one cannot
//! be read at all. A field that is left out means what the method always did; so the fields that
//! were added later are written only where they change something.

use serde::{Deserialize, Deserializer, Serialize};

use super::{Encoding, is_default};
use crate::bounded::{Bound, Measured};
use crate::vfs::ProjectPath;

/// Read a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FsRead {
    /// The file.
    pub path: ProjectPath,
    /// The first byte wanted; the start of the file if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offset: Option<u64>,
    /// At most so many bytes; all that follow if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u64>,
}

impl FsRead {
    /// Read the whole file.
    pub fn new(path: ProjectPath) -> Self {
        Self { path, offset: None, limit: None }
    }
}

/// What is in a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FsReadResult {
    /// The bytes that were asked for, as text or as `encoding` says.
    pub content: String,
    /// Absent for text; the bytes decide, not the name of the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub encoding: Option<Encoding>,
    /// How many bytes the file has, also when only a part was asked for.
    pub size: u64,
}

/// Write a file, and the directories above it that are missing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FsWrite {
    /// The file.
    pub path: ProjectPath,
    /// All that will be in it, as text or as `encoding` says.
    pub content: String,
    /// Absent: `content` is written as it is, whatever it looks like.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub encoding: Option<Encoding>,
    /// Whether a file that exists is an error; it is replaced otherwise.
    #[serde(default, skip_serializing_if = "is_default")]
    pub create_new: bool,
}

impl FsWrite {
    /// Write this text, in place of what is there.
    pub fn new(path: ProjectPath, content: impl Into<String>) -> Self {
        Self { path, content: content.into(), encoding: None, create_new: false }
    }
}

/// Ask whether there is something at a path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FsExists {
    /// The path.
    pub path: ProjectPath,
}

/// Whether there is something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct FsExistsResult {
    /// Whether there is a file or a directory.
    pub exists: bool,
}

/// List a directory, without what is in its directories.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FsListDir {
    /// The directory.
    pub path: ProjectPath,
    /// Leave out so many entries at the start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offset: Option<u64>,
    /// At most so many entries; all if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u64>,
    /// Whether entries say that they are symbolic links.
    #[serde(default, skip_serializing_if = "is_default")]
    pub links: bool,
}

impl FsListDir {
    /// List all entries.
    pub fn new(path: ProjectPath) -> Self {
        Self { path, offset: None, limit: None, links: false }
    }
}

/// What is in a directory.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FsListDirResult {
    /// One for each file and directory.
    pub entries: Vec<DirEntry>,
}

/// Something in a directory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DirEntry {
    /// Its path from the directory that was listed, which is its name.
    pub path: String,
    /// What it is; of a symbolic link, what it leads to.
    pub kind: Kind,
    /// Whether it is a symbolic link, if that was asked for. Who goes through a tree and follows links
    /// may never come to an end.
    #[serde(default, skip_serializing_if = "is_default")]
    pub link: bool,
}

/// What is at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A file.
    File,
    /// A directory.
    Dir,
}

/// Ask what is at a path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FsMetadata {
    /// The path.
    pub path: ProjectPath,
}

/// What is at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct FsMetadataResult {
    /// What it is.
    pub kind: Kind,
    /// How many bytes a file has; absent for a directory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<u64>,
}

/// Delete a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FsDelete {
    /// The file.
    pub path: ProjectPath,
    /// Whether a directory is deleted too, with all that is in it.
    #[serde(default, skip_serializing_if = "is_default")]
    pub recursive: bool,
}

impl FsDelete {
    /// Delete a file, and nothing but a file.
    pub fn new(path: ProjectPath) -> Self {
        Self { path, recursive: false }
    }
}

/// Move a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FsRename {
    /// Where it is.
    pub from: ProjectPath,
    /// Where it will be.
    pub to: ProjectPath,
    /// Whether a file that exists there is replaced. Left out, it is.
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    pub overwrite: bool,
}

impl FsRename {
    /// Move a file, in place of what is there.
    pub fn new(from: ProjectPath, to: ProjectPath) -> Self {
        Self { from, to, overwrite: true }
    }
}

/// Search the contents of files.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FsGrep {
    /// What is looked for: a regular expression, unless `fixed`.
    pub pattern: String,
    /// Where to look: files, and directories with all below. Left out, the entire project; an empty
    /// list is nowhere.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "paths")]
    pub paths: Option<Vec<ProjectPath>>,
    /// Only in files whose names end so, without the dot. Left out, in all; an empty list is none.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "extensions")]
    pub extensions: Option<Vec<String>>,
    /// How many lines around each hit are shown.
    #[serde(default, skip_serializing_if = "is_default")]
    pub context: u32,
    /// Whether large and small letters are the same.
    #[serde(default, skip_serializing_if = "is_default")]
    pub case_insensitive: bool,
    /// Whether the pattern is plain text.
    #[serde(default, skip_serializing_if = "is_default")]
    pub fixed: bool,
    /// At most so many hits; all if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_matches: Option<u64>,
    /// Whether the answer says how many files were not searched.
    #[serde(default, skip_serializing_if = "is_default")]
    pub counts: bool,
}

impl FsGrep {
    /// Look for a regular expression in the entire project.
    pub fn new(pattern: impl Into<String>) -> Self {
        Self { pattern: pattern.into(), ..Self::default() }
    }
}

/// What was found.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FsGrepResult {
    /// One for each file with a hit, sorted by path.
    pub matches: Vec<FileMatches>,
    /// How many files were not searched because they are binary, if that was asked for.
    #[serde(default, skip_serializing_if = "is_default")]
    pub binary: u64,
    /// How many files and directories could not be searched for another reason, if that was asked for.
    #[serde(default, skip_serializing_if = "is_default")]
    pub unread: u64,
}

/// What was found in one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileMatches {
    /// The file, from the root of the project.
    pub path: String,
    /// The hits and the lines around them.
    pub lines: Vec<GrepLine>,
}

/// A line of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GrepLine {
    /// Which line, from one.
    pub line_number: u64,
    /// The line, without its end.
    pub content: String,
    /// Whether it is a hit; a line around one otherwise.
    pub is_match: bool,
}

/// Make a directory, and those above it that are missing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FsCreateDir {
    /// The directory.
    pub path: ProjectPath,
}

fn yes() -> bool {
    true
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_yes(value: &bool) -> bool {
    *value
}

impl Measured for ProjectPath {
    fn bytes(&self) -> usize {
        self.as_str().len()
    }
}

/// Each path is looked up before a search begins.
fn paths<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Vec<ProjectPath>>, D::Error> {
    Bound::elements("paths", 1_000).list_or_null(deserializer)
}

fn extensions<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Vec<String>>, D::Error> {
    Bound::elements("extensions", 1_000).list_or_null(deserializer)
}

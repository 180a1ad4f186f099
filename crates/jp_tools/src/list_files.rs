//! `fs_list_files`: the paths of files, sorted.
//!
//! A listing can be longer than the memory for it. Like a search it keeps the beginning of the sorted
//! list and counts the rest.

use std::fmt::Write;

use camino::{Utf8Path, Utf8PathBuf};
use jp_tool::{Call, JsonSchema, ToolError, access::path::Kind};
use serde::Deserialize;

use crate::{
    place::Place,
    text::{self, count},
    walk::{Found, LeftOut, Selection, Tree, Visit, Walk},
};

const DEFAULT_LIMIT: u32 = 1_000;
const MAX_LIMIT: u32 = 20_000;
/// How long the answer can be, in bytes.
const MAX_ANSWER: usize = 512 << 10;

/// List the files of a directory and of those in it.
///
/// Gives paths relative to the root of the workspace, sorted, one a line. Files that `.gitignore` or
/// `.ignore` exclude are left out, and so are `.git` and `.jp`; hidden files are listed. With
/// `max_depth` and without other conditions, directories that are not entered are listed with a `/` at
/// the end.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct ListFiles {
    /// The directory to list, relative to the root of the workspace. Default: all of it.
    #[serde(default)]
    path: Option<String>,
    /// List only paths that begin so, for example `src/par`.
    #[serde(default)]
    prefix: String,
    /// List only files that match one of these patterns, for example `*.rs` or `src/**/mod.rs`; one
    /// that begins with `!` excludes.
    #[serde(default)]
    globs: Vec<String>,
    /// List only files with these extensions, for example `rs`.
    #[serde(default)]
    extensions: Vec<String>,
    /// How many levels of directories to go into: 1 lists the directory alone. Default: all.
    #[serde(default)]
    max_depth: Option<u32>,
    /// How many paths to show, at most 20000. All are counted.
    #[serde(default = "default_limit")]
    limit: u32,
}

fn default_limit() -> u32 {
    DEFAULT_LIMIT
}

pub(crate) fn list_files<P: Place>(
    args: ListFiles,
    _call: &Call,
    place: &P,
) -> Result<String, ToolError> {
    let depth = args.max_depth.map(|depth| usize::try_from(depth.max(1)).unwrap_or(usize::MAX));
    let selection = Selection::new(&args.globs, &[], &args.extensions)
        .map_err(|error| ToolError::new(error.to_string()))?
        .with_prefix(&args.prefix)
        .with_max_depth(depth);
    let limit = usize::try_from(args.limit.clamp(1, MAX_LIMIT)).unwrap_or(usize::MAX);
    let paths: Vec<String> = args.path.into_iter().collect();
    let shows_directories = args.globs.is_empty() && args.extensions.is_empty();
    let empty = || List { limit, shows_directories, paths: Vec::new(), files: 0, directories: 0 };
    let (lists, left_out) = Walk::new(place, &paths, &selection)?.run(empty);
    let mut all = empty();
    for list in lists {
        all.paths.extend(list.paths);
        all.files += list.files;
        all.directories += list.directories;
    }
    all.paths.sort_unstable();
    Ok(answer(&all, left_out))
}

struct List {
    limit: usize,
    /// Whether directories that are not entered are listed. Nobody knows whether what is looked for
    /// is in them.
    shows_directories: bool,
    paths: Vec<(Utf8PathBuf, Kind)>,
    files: usize,
    directories: usize,
}

impl<T: Tree> Visit<T> for List {
    fn visit(&mut self, found: &Found<'_, T>) {
        // The name of a link says something about what it leads to.
        if found.kind == Kind::Symlink && !found.leads_to_readable() {
            return;
        }
        match found.kind {
            Kind::Directory if !self.shows_directories => return,
            Kind::Directory => self.directories += 1,
            _ => self.files += 1,
        }
        self.paths.push((found.path.to_owned(), found.kind));
        if self.paths.len() >= 2 * self.limit + 1_000 {
            self.paths.select_nth_unstable(self.limit);
            self.paths.truncate(self.limit);
        }
    }
}

fn answer(list: &List, left_out: LeftOut) -> String {
    let (mut out, mut shown) = (String::new(), 0);
    for (path, kind) in list.paths.iter().take(list.limit) {
        if out.len() >= MAX_ANSWER {
            break;
        }
        out.push_str(&text::name(Utf8Path::as_str(path)));
        out.push_str(if *kind == Kind::Directory { "/\n" } else { "\n" });
        shown += 1;
    }
    if shown > 0 {
        out.push('\n');
    }
    let files = count(list.files, "file", "files");
    let _ = match (list.files, list.directories) {
        (0, 0) => write!(out, "No files."),
        (_, 0) => write!(out, "{files}."),
        (_, number) => write!(out, "{files}, {}.", count(number, "directory", "directories")),
    };
    if shown < list.files + list.directories {
        let _ =
            write!(out, " Only the first {shown} are shown: narrow the list, or raise `limit`.");
    }
    left_out.write(&mut out);
    out
}

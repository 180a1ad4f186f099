//! A search that the host does, where the files are with the host.
//!
//! The host has fewer conditions than the tool and tells less about what it left out. What it can do it
//! does many times faster than anybody who has to ask for every file; the rest is searched like files on
//! a disk, by asking for every file. Either way the answer is the same.

use camino::{Utf8Path, Utf8PathBuf};
use jp_tool::{
    ToolError,
    access::FsRule,
    vfs::{FileMatches, FsGrep, FsGrepResult, ProjectPath},
};

use super::{
    GrepFiles, Search, context,
    hits::{Hits, Role},
    sink::{self, LineSink},
};
use crate::{
    place::Place,
    walk::{MAX_PATHS, NEVER},
};

/// Longer lines may have been cut by the host.
const MAX_TOLD: usize = 8 << 10;

/// What the host found; `None` if the files have to be searched here.
pub(super) fn search<P: Place>(
    place: &P,
    args: &GrepFiles,
    mut search: Search<'_>,
) -> Result<Option<Hits>, ToolError> {
    let Some(query) = query(place, args) else {
        return Ok(None);
    };
    let Some(FsGrepResult { matches, binary, unread }) = place.grep(&query)? else {
        return Ok(None);
    };
    // What could not be read has to be told apart.
    if unread > 0 {
        return Ok(None);
    }
    search.hits.binary = usize::try_from(binary).unwrap_or(usize::MAX);
    for file in &matches {
        if is_whole(file) {
            search.told(file, u64::from(context(args)));
        } else {
            let path = Utf8Path::new(&file.path);
            search.file(path, place.open(path)?);
        }
    }
    Ok(Some(search.hits))
}

/// The search as the host understands it, if it can mean the same.
fn query<P: Place>(place: &P, args: &GrepFiles) -> Option<FsGrep> {
    let has_own = args.word || !args.globs.is_empty() || !args.types.is_empty();
    if has_own || args.paths.len() > MAX_PATHS {
        return None;
    }
    let paths = args.paths.iter().map(|path| {
        // What the host does with these, and what it says about them, is not quite the same.
        let path = place.canonical(Utf8Path::new(path)).ok()?;
        let is_never = path.components().any(|name| NEVER.contains(&name.as_str()));
        (!is_never && !reaches_only_below(place, &path)).then_some(path)
    });
    let paths: Vec<Utf8PathBuf> = paths.collect::<Option<_>>()?;
    // What is below two of them would be counted twice.
    let is_in = |path: &Utf8PathBuf| {
        paths.iter().any(|dir| path != dir && (dir == "." || path.starts_with(dir)))
    };
    if paths.iter().any(is_in) {
        return None;
    }
    let paths: Vec<_> =
        paths.iter().map(|path| ProjectPath::new(path.as_str()).ok()).collect::<Option<_>>()?;
    Some(FsGrep {
        paths: (!paths.is_empty()).then_some(paths),
        extensions: (!args.extensions.is_empty()).then(|| args.extensions.clone()),
        context: context(args),
        case_insensitive: args.ignore_case,
        fixed: args.fixed,
        counts: true,
        ..FsGrep::new(args.pattern.as_str())
    })
}

/// Whether a directory may not be read, but something in it may.
fn reaches_only_below<P: Place>(place: &P, path: &Utf8Path) -> bool {
    let is_below = |rule: &FsRule| rule.read() && (path == "." || rule.path().starts_with(path));
    !place.may_read(path) && place.policy().is_some_and(|policy| policy.fs.iter().any(is_below))
}

/// Whether the lines are as they are in the file, as far as they are shown.
fn is_whole(file: &FileMatches) -> bool {
    file.lines.iter().all(|line| {
        let text = &line.content;
        let is_shown = text.len() <= sink::MAX_LINE;
        is_shown || (text.len() <= MAX_TOLD && !text.contains(char::REPLACEMENT_CHARACTER))
    })
}

impl Search<'_> {
    /// Takes down what the host found in a file.
    fn told(&mut self, file: &FileMatches, context: u64) {
        let path = Utf8Path::new(&file.path);
        let mut sink = LineSink::new(self.matcher, self.files_only, self.hits.room_for(path));
        let mut last_match = None;
        for line in &file.lines {
            let is_after = last_match.is_some_and(|last| line.line_number <= last + context);
            let role = match line.is_match {
                true => Role::Match,
                false if is_after => Role::After,
                false => Role::Before,
            };
            if role == Role::Match {
                last_match = Some(line.line_number);
            }
            sink.line(Some(line.line_number), role, line.content.as_bytes());
        }
        self.hits.add(path, sink.into_hit());
    }
}

//! Files: each request on the view of the project that the gate gave.

use jp_project::{
    Content, DeleteReach, GrepQuery, Kind, Part, ProjectError, ProjectPath, RenameTarget, Slice,
    Until, WriteMode,
};
use jp_tool::{
    access::FsAccessError,
    vfs::{
        self, DirEntry, Done, Encoding, ErrorCode, ErrorObject, FileMatches, FsCreateDir, FsDelete,
        FsExists, FsExistsResult, FsGrep, FsGrepResult, FsListDir, FsListDirResult, FsMetadata,
        FsMetadataResult, FsRead, FsRename, FsWrite, GrepLine, Id,
    },
};

use crate::{gate::Granted, limits::Limits, reply, serve::Work};

/// What a line of a search takes in the answer beside its content, and what a file does beside its path.
const LINE: usize = 64;
const FILE: usize = 24;
/// What an entry of a directory takes at least beside its name.
const ENTRY: u64 = 24;

/// Why a request about files was not done.
#[derive(Debug)]
pub(crate) enum Failed {
    /// The rules say no, or do not say yes.
    Access(FsAccessError),
    /// Something else.
    Other(ErrorObject),
}

type Answered = Result<(), Failed>;

pub(crate) fn read(
    granted: Granted<'_, FsRead>,
    id: &Id,
    work: &mut Work<'_>,
    out: &mut Vec<u8>,
) -> Answered {
    let FsRead { path, offset, limit } = granted.params();
    let part = Part { offset: offset.unwrap_or(0), limit: *limit, max: work.limits.file_bytes };
    let Content { bytes, size, .. } = granted.means().read(&project_path(path)?, part)?;
    reply::check_content_fits(&bytes, work.limits)?;
    (work.room)(bytes.len());
    reply::content(id, &bytes, size, out);
    Ok(())
}

pub(crate) fn write(
    granted: Granted<'_, FsWrite>,
    id: &Id,
    limits: &Limits,
    out: &mut Vec<u8>,
) -> Answered {
    let FsWrite { path, content, encoding, create_new } = granted.params();
    let path = project_path(path)?;
    let mode = if *create_new { WriteMode::CreateNew } else { WriteMode::Replace };
    let write = |bytes: &[u8]| -> Answered {
        let (size, max) = (u64::try_from(bytes.len()).unwrap_or(u64::MAX), limits.file_bytes);
        if size > max {
            return Err(ProjectError::TooLarge { path: path.clone(), size, max }.into());
        }
        let written = granted.means().write(&path, bytes, mode);
        written.map_err(|error| unless_asked(*create_new, error))
    };
    match encoding {
        None => write(content.as_bytes())?,
        Some(Encoding::Base64) => {
            let decoded = base64_simd::STANDARD.decode_to_vec(content);
            write(&decoded.map_err(|_| invalid("params of `fs.write`: `content` is not base64"))?)?;
        }
    }
    done(id, out);
    Ok(())
}

pub(crate) fn exists(granted: Granted<'_, FsExists>, id: &Id, out: &mut Vec<u8>) -> Answered {
    let exists = granted.means().exists(&project_path(&granted.params().path)?)?;
    reply::success(id, &FsExistsResult { exists }, out);
    Ok(())
}

pub(crate) fn list_dir(
    granted: Granted<'_, FsListDir>,
    id: &Id,
    limits: &Limits,
    out: &mut Vec<u8>,
) -> Answered {
    let FsListDir { path, offset, limit, links } = granted.params();
    let slice = Slice { offset: count(offset.unwrap_or(0)), limit: limit.map(count) };
    let entries = granted.means().list_dir(&project_path(path)?, slice)?;
    let too_large = || {
        let message = format!("{path}: there is more than fits into one answer; give `limit`");
        Failed::Other(ErrorObject::new(ErrorCode::TooLarge, message))
    };
    // Names alone can be many times as much as fits, so they are looked at before the answer is made.
    let least = entries.iter().map(|entry| reply::length(entry.name.as_bytes()) + ENTRY);
    if least.sum::<u64>() > limits.file_bytes {
        return Err(too_large());
    }
    let entries = entries.into_iter().map(|entry| {
        // What is neither is no directory, and who believes that nothing is there may delete it.
        let kind = wire_kind(entry.kind).unwrap_or(vfs::Kind::File);
        DirEntry { path: entry.name, kind, link: *links && entry.is_link }
    });
    let start = out.len();
    reply::success(id, &FsListDirResult { entries: entries.collect() }, out);
    if out.len() - start > count(limits.file_bytes) {
        out.truncate(start);
        return Err(too_large());
    }
    Ok(())
}

pub(crate) fn metadata(granted: Granted<'_, FsMetadata>, id: &Id, out: &mut Vec<u8>) -> Answered {
    let path = &granted.params().path;
    let data = granted.means().metadata(&project_path(path)?)?;
    let kind = wire_kind(data.kind)
        .ok_or_else(|| invalid(format!("{path}: is neither a file nor a directory")))?;
    let size = (kind == vfs::Kind::File).then_some(data.size);
    reply::success(id, &FsMetadataResult { kind, size }, out);
    Ok(())
}

pub(crate) fn delete(granted: Granted<'_, FsDelete>, id: &Id, out: &mut Vec<u8>) -> Answered {
    let FsDelete { path, recursive } = granted.params();
    let reach = if *recursive { DeleteReach::Recursive } else { DeleteReach::File };
    granted.means().delete(&project_path(path)?, reach)?;
    done(id, out);
    Ok(())
}

pub(crate) fn rename(granted: Granted<'_, FsRename>, id: &Id, out: &mut Vec<u8>) -> Answered {
    let FsRename { from, to, overwrite } = granted.params();
    let target = if *overwrite { RenameTarget::Overwrite } else { RenameTarget::Keep };
    let renamed = granted.means().rename(&project_path(from)?, &project_path(to)?, target);
    renamed.map_err(|error| unless_asked(!overwrite, error))?;
    done(id, out);
    Ok(())
}

pub(crate) fn create_dir(
    granted: Granted<'_, FsCreateDir>,
    id: &Id,
    out: &mut Vec<u8>,
) -> Answered {
    let path = project_path(&granted.params().path)?;
    match granted.means().create_dir(&path) {
        Ok(()) => {}
        Err(ProjectError::AlreadyExists { .. }) => {
            // A directory that is there is what was wanted; anything else was not asked to be kept.
            if granted.means().metadata(&path)?.kind != Kind::Directory {
                return Err(invalid(format!("{path}: is there, and no directory")).into());
            }
        }
        Err(error) => return Err(error.into()),
    }
    done(id, out);
    Ok(())
}

pub(crate) fn grep(
    granted: Granted<'_, FsGrep>,
    id: &Id,
    work: Work<'_>,
    out: &mut Vec<u8>,
) -> Answered {
    let Some(query) = query(granted.params(), work.limits, work.until)? else {
        reply::success(id, &FsGrepResult::default(), out);
        return Ok(());
    };
    let found = granted.means().grep(&query)?;
    let matches: usize = found.files.iter().map(|file| hits(&file.lines)).sum();
    // A part would look like everything, unless a part was asked for. What the tool said counts, and not what the
    // search made of it: a number that is larger than what is ever told bounds nothing.
    let is_what_was_asked_for =
        granted.params().max_matches.is_some_and(|most| matches >= count(most));
    if found.limit_reached && !is_what_was_asked_for {
        return Err(Failed::Other(ErrorObject::new(
            ErrorCode::TooLarge,
            format!(
                "there is more than fits into one answer ({matches} matches so far); \
                 narrow `paths` or `extensions`, or give `max_matches`, {matches} or less"
            ),
        )));
    }
    let lines = || found.files.iter().flat_map(|file| &file.lines);
    let paths = found.files.iter().map(|file| file.path.as_str());
    let told = || paths.clone().chain(lines().map(|line| line.content.as_str()));
    let beside = lines().count() * LINE + found.files.len() * FILE;
    (work.room)(told().map(str::len).sum::<usize>() + beside);
    reply::check_fits(told().map(str::as_bytes), beside, work.limits)?;
    let matches = found.files.into_iter().map(|file| FileMatches {
        path: file.path.into_string(),
        lines: file.lines.into_iter().map(grep_line).collect(),
    });
    let counted = |count: usize| {
        if granted.params().counts { u64::try_from(count).unwrap_or(u64::MAX) } else { 0 }
    };
    let (binary, unread) = (counted(found.binary), counted(found.unread));
    reply::success(id, &FsGrepResult { matches: matches.collect(), binary, unread }, out);
    Ok(())
}

/// The search as the project knows it; `None` if there is nothing to search.
fn query(params: &FsGrep, limits: &Limits, until: Until) -> Result<Option<GrepQuery>, Failed> {
    let is_empty = |list: &Option<Vec<_>>| list.as_ref().is_some_and(Vec::is_empty);
    let mut query = GrepQuery::new(params.pattern.clone());
    let paths = params.paths.iter().flatten().map(project_path);
    query.paths = paths.collect::<Result<_, _>>()?;
    query.extensions = params.extensions.clone().unwrap_or_default();
    query.context = usize::try_from(params.context).unwrap_or(usize::MAX);
    query.case_insensitive = params.case_insensitive;
    query.fixed = params.fixed;
    query.until = until;
    query.max_bytes = count(limits.file_bytes);
    if let Some(most) = params.max_matches {
        query.max_matches = count(most).min(query.max_matches);
    }
    let no_paths = params.paths.as_ref().is_some_and(Vec::is_empty);
    if no_paths || is_empty(&params.extensions) || query.max_matches == 0 {
        query.check()?;
        return Ok(None);
    }
    Ok(Some(query))
}

fn hits(lines: &[jp_project::GrepLine]) -> usize {
    lines.iter().filter(|line| line.is_match).count()
}

fn grep_line(line: jp_project::GrepLine) -> GrepLine {
    GrepLine { line_number: line.number, content: line.content, is_match: line.is_match }
}

fn done(id: &Id, out: &mut Vec<u8>) {
    reply::success(id, &Done {}, out);
}

fn wire_kind(kind: Kind) -> Option<vfs::Kind> {
    match kind {
        Kind::File => Some(vfs::Kind::File),
        Kind::Directory => Some(vfs::Kind::Dir),
        Kind::Other => None,
    }
}

/// Only a tool that asked to keep what exists is told that it exists. To any other it is something that
/// cannot be replaced: a link that leads nowhere, or what somebody else is making just now.
fn unless_asked(asked: bool, error: ProjectError) -> Failed {
    match error {
        ProjectError::AlreadyExists { path } if !asked => {
            invalid(format!("{path}: is there, and cannot be replaced")).into()
        }
        error => error.into(),
    }
}

fn project_path(path: &vfs::ProjectPath) -> Result<ProjectPath, Failed> {
    ProjectPath::new(path.as_str()).map_err(|error| invalid(error.to_string()).into())
}

fn count(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

pub(crate) fn invalid(message: impl Into<String>) -> ErrorObject {
    ErrorObject::new(ErrorCode::InvalidParams, message)
}

pub(crate) fn internal(message: impl Into<String>) -> ErrorObject {
    ErrorObject::new(ErrorCode::InternalError, message)
}

impl From<ErrorObject> for Failed {
    fn from(error: ErrorObject) -> Self {
        Self::Other(error)
    }
}

impl From<ProjectError> for Failed {
    fn from(error: ProjectError) -> Self {
        let code = match error {
            ProjectError::Access(error) => return Self::Access(error),
            ProjectError::NotFound { .. } => ErrorCode::NotFound,
            ProjectError::AlreadyExists { .. } => ErrorCode::AlreadyExists,
            ProjectError::TooLarge { .. } => ErrorCode::TooLarge,
            ProjectError::IsADirectory { .. }
            | ProjectError::NotADirectory { .. }
            | ProjectError::NotEmpty { .. }
            | ProjectError::Root
            | ProjectError::IntoItself { .. }
            | ProjectError::Pattern(_) => ErrorCode::InvalidParams,
            ProjectError::Io { ref source, .. }
                if source.kind() == std::io::ErrorKind::TimedOut =>
            {
                ErrorCode::Timeout
            }
            // What is no regular file has no content, and a name that cannot be stored was chosen by whoever
            // asked: neither is the fault of the host.
            ProjectError::Io { ref source, .. }
                if matches!(
                    source.kind(),
                    std::io::ErrorKind::InvalidInput | std::io::ErrorKind::InvalidFilename
                ) =>
            {
                ErrorCode::InvalidParams
            }
            ProjectError::Io { ref source, .. }
                if source.kind() == std::io::ErrorKind::FileTooLarge =>
            {
                ErrorCode::TooLarge
            }
            ProjectError::Unavailable | ProjectError::Io { .. } => ErrorCode::InternalError,
        };
        Self::Other(ErrorObject::new(code, error.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;

    // D11-233: whose fault it is.
    #[test]
    fn what_the_system_says_has_a_code() {
        for (kind, expected) in [
            (io::ErrorKind::Other, ErrorCode::InternalError),
            (io::ErrorKind::NotConnected, ErrorCode::InternalError),
            (io::ErrorKind::PermissionDenied, ErrorCode::InternalError),
            (io::ErrorKind::StorageFull, ErrorCode::InternalError),
            (io::ErrorKind::TimedOut, ErrorCode::Timeout),
            (io::ErrorKind::InvalidInput, ErrorCode::InvalidParams),
            (io::ErrorKind::InvalidFilename, ErrorCode::InvalidParams),
            (io::ErrorKind::FileTooLarge, ErrorCode::TooLarge),
        ] {
            let failed = ProjectError::Io { path: "a".to_owned(), source: kind.into() }.into();
            let Failed::Other(error) = failed else { panic!("{kind} is about access") };
            assert_eq!(error.code(), Some(expected), "{kind}");
        }
    }
}

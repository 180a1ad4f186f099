//! Changing files through the host.

use std::io::{ErrorKind, Read as _};

use camino::Utf8Path;
use jp_tool::{
    ToolError,
    access::{
        AccessPolicy, Capability, Decision, FsRule,
        path::{Existing, Kind},
    },
    vfs::{ErrorCode, FsDelete, FsExists, FsGrep, FsGrepResult, FsRename, ProcessRun, ProjectPath},
};
use rustix::io::Errno;

use super::{HostPlace, path, refused_target};
use crate::{
    git,
    place::{Change, Content as _, Deleted, Original, Place, PlaceError, Presence, failed_after},
    walk::Tree,
};

impl Place for HostPlace {
    type Held = ();

    /// Only what a rule denies is known, and only where no link leads elsewhere. About what no rule
    /// covers, the host may ask a person.
    fn check(&self, capability: Capability, path: &Utf8Path) -> Result<(), PlaceError> {
        let path = path::lexical(path)?;
        if let Some(policy) = &self.policy
            && let Decision::Denied(_) = policy.fs.decide(&path, capability)
            && self.is_plain(&path)
        {
            policy.check(capability, &path)?;
        }
        Ok(())
    }

    fn presence(&self, path: &Utf8Path) -> Result<Presence, PlaceError> {
        let project = path::project(path)?;
        if !self.may_read(Utf8Path::new(project.as_str())) {
            let rules = self.policy.as_ref();
            let may = |capability| {
                rules.is_some_and(|policy| policy.can(capability, project.as_str().into()))
            };
            // Whoever may only change what is there means what is there.
            let is_to_change = may(Capability::Update) && !may(Capability::Create);
            return Ok(if is_to_change { Presence::There } else { Presence::Unknown });
        }
        match self.host.call(&FsExists { path: project }) {
            Ok(answer) if answer.exists => Ok(Presence::There),
            Ok(_) => Ok(Presence::Nothing),
            Err(error) => Err(self.failed(path, &error)),
        }
    }

    fn is_dir(&self, path: &Utf8Path) -> bool {
        self.looks_like(path, Kind::Directory)
    }

    fn create(&self, path: &Utf8Path, content: &[u8]) -> Result<(), PlaceError> {
        self.host.create(path::project(path)?, content).map_err(|error| self.failed(path, &error))
    }

    fn original(&self, path: &str, max: u64) -> Result<Original<()>, PlaceError> {
        let path = Utf8Path::new(path);
        self.check(Capability::Update, path)?;
        let canonical = path::lexical(path)?;
        let mut file = match self.open(path) {
            Ok(file) => file,
            Err(PlaceError::Refused(message)) => {
                self.check_refused(&message)?;
                return Ok(Original { path: canonical, content: None, len: None, held: () });
            }
            Err(error) => return Err(error),
        };
        let failed = |error| PlaceError::system(path, error);
        let len = file.size().map_err(failed)?;
        let mut content = (len <= max).then(Vec::new);
        if let Some(content) = &mut content {
            file.read_to_end(content).map_err(failed)?;
        }
        Ok(Original { path: canonical, content, len: Some(len), held: () })
    }

    fn replace(&self, changes: Vec<Change<()>>) -> Result<(), ToolError> {
        let mut done: Vec<Original<()>> = Vec::new();
        for Change { original, content } in changes {
            if let Err(error) = self.replace_one(&original, &content) {
                if done.is_empty() {
                    return Err(error);
                }
                let is_lost = |done: &&Original<()>| !self.put_back(done);
                let lost: Vec<_> =
                    done.iter().filter(is_lost).map(|original| original.path.as_str()).collect();
                return Err(failed_after(&error, &lost));
            }
            done.push(original);
        }
        Ok(())
    }

    fn delete(&self, path: &Utf8Path) -> Result<Deleted, PlaceError> {
        let project = path::project(path)?;
        let Err(error) = self.host.call(&FsDelete::new(project.clone())) else {
            return Ok(Deleted::File);
        };
        let failed = self.failed(path, &error);
        if !failed.is_any(&[ErrorKind::IsADirectory]) {
            return Err(failed);
        }
        self.delete_empty(path, project)
    }

    fn rename(&self, from: &Utf8Path, to: &Utf8Path, existing: Existing) -> Result<(), PlaceError> {
        let overwrite = existing == Existing::Replace;
        let request = FsRename { from: path::project(from)?, to: path::project(to)?, overwrite };
        match self.host.call(&request) {
            Ok(_) => Ok(()),
            Err(error) if error.is_not_found() => Err(PlaceError::system(from, Errno::NOENT)),
            Err(error) => {
                let is_about_target = request.from.as_str() != "."
                    && (error.code() == Some(ErrorCode::AlreadyExists)
                        || request.to.as_str() == "."
                        || self.is_below_file(to));
                Err(self.failed(if is_about_target { to } else { from }, &error))
            }
        }
    }

    /// Git is asked only where the rules allow it: nobody is to be bothered with a question about git
    /// for the sake of another question.
    fn is_dirty(&self, canonical: &Utf8Path) -> bool {
        let args = git::question(canonical);
        let is_allowed =
            |policy: &AccessPolicy| policy.decide_command(git::GIT, &args).is_allowed();
        if !self.policy.as_ref().is_some_and(is_allowed) {
            return false;
        }
        let request =
            ProcessRun { program: git::GIT.to_owned(), args: args.clone(), envs: Vec::new() };
        self.host.call(&request).is_ok_and(|ran| ran.exit_code == 0 && !ran.stdout.is_empty())
    }

    fn grep(&self, query: &FsGrep) -> Result<Option<FsGrepResult>, PlaceError> {
        let error = match self.host.call(query) {
            Ok(found) => return Ok(Some(found)),
            Err(error) => error,
        };
        match error.code() {
            Some(ErrorCode::AccessDenied | ErrorCode::Cancelled | ErrorCode::Timeout) | None => {
                Err(self.failed(Utf8Path::new("."), &error))
            }
            // More than the host can tell at once; or one of the paths is not there, and whoever
            // searches here will find out which.
            Some(_) => Ok(None),
        }
    }
}

impl HostPlace {
    /// Whether what may not be read may be changed at least, in the place where it is.
    fn check_refused(&self, message: &str) -> Result<(), PlaceError> {
        let refused = || PlaceError::Refused(message.to_owned());
        let target = refused_target(message).ok_or_else(refused)?;
        let policy = self.policy.as_ref().ok_or_else(refused)?;
        Ok(policy.check(Capability::Update, Utf8Path::new(target))?)
    }

    /// Gives one file its content, unless it is another than the one that was looked at.
    fn replace_one(&self, original: &Original<()>, content: &[u8]) -> Result<(), ToolError> {
        let path = &original.path;
        if original.len.is_some() {
            let max = original.content.as_ref().and(original.len);
            let now = self.original(path.as_str(), max.unwrap_or(0))?;
            if (now.len, &now.content) != (original.len, &original.content) {
                let message = format!("{path} was changed by somebody else meanwhile");
                return Err(ToolError::new(message).transient());
            }
        }
        self.host
            .write(path::project(path)?, content)
            .map_err(|error| self.failed(path, &error).into())
    }

    /// Gives a file that was changed its old content, and says whether that worked.
    fn put_back(&self, original: &Original<()>) -> bool {
        let path = path::project(&original.path);
        let content = original.content.as_ref();
        path.ok().zip(content).is_some_and(|(path, old)| self.host.write(path, old).is_ok())
    }

    /// Deletes a directory that is empty.
    ///
    /// The host can only delete one with all that is in it. So it has to be certain that nothing is:
    /// what the rules hide is not listed, and then the directory is left alone.
    fn delete_empty(&self, path: &Utf8Path, project: ProjectPath) -> Result<Deleted, PlaceError> {
        let dir = self.dir(path)?;
        if !self.entries(&dir)?.is_empty() || self.may_hide(Utf8Path::new(project.as_str())) {
            return Err(PlaceError::system(path, Errno::NOTEMPTY));
        }
        let request = FsDelete { recursive: true, ..FsDelete::new(project) };
        self.host.call(&request).map_err(|error| self.failed(path, &error))?;
        Ok(Deleted::Directory)
    }

    /// Whether something in a directory may be there that is not listed.
    fn may_hide(&self, dir: &Utf8Path) -> bool {
        let hides = |rule: &FsRule| rule.path().starts_with(dir) && !rule.read();
        self.policy.as_ref().is_some_and(|policy| policy.fs.iter().any(hides))
    }
}

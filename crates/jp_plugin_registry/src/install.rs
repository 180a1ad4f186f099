//! Puts files in place, so that whatever happens on the way, what lies under the name of a plugin is whole
//! and is what somebody agreed to.
//!
//! One installer works at a time; the others wait for the lock, which is a file that is never removed. A
//! download goes into a file beside its place, readable by the user alone, and is summed while it is
//! written. [`Staged::checked`] compares that sum, and only what it returns can be put in place: made
//! durable, renamed, and made executable last, through the very handle that it was written by. A crash
//! leaves a file with another name, which the next installer removes, or a record that is ahead of its file,
//! which the next update makes good.

#![expect(clippy::disallowed_methods, reason = "plugins are installed here")]

use std::{
    fs::{self, File, Permissions},
    io::{self, Write as _},
    os::unix::fs::PermissionsExt as _,
    time::Duration,
};

use camino::Utf8PathBuf;
use jiff::Timestamp;
use jp_plugin::PluginId;
use tempfile::NamedTempFile;

use crate::{
    Fetch, GetError, Home, Installed, MAX_BINARY, Origin, Progress, Record, Sha256, Source, Step,
    checksum::Summing,
    files,
    replace::{lock, make_dir, sweep, sync, unfinished},
};

/// Everybody may run it, and only its owner may change it.
const EXECUTABLE: u32 = 0o755;

/// Installs plugins, alone.
#[derive(Debug)]
pub struct Installer<'a> {
    home: &'a Home,
    /// Held as long as this lives.
    _lock: File,
}

/// A file that was fetched and not compared with anything.
#[derive(Debug)]
pub struct Staged {
    id: PluginId,
    file: NamedTempFile,
    sha256: Sha256,
}

/// A file with the checksum that somebody wanted.
#[derive(Debug)]
pub struct Checked(Staged);

/// Why a plugin was not installed.
#[derive(Debug, thiserror::Error)]
pub enum InstallError {
    #[error("another jp has been installing plugins for {} s; {path} is locked", waited.as_secs())]
    Locked { path: Utf8PathBuf, waited: Duration },
    #[error("cannot {action} {path}: {source}")]
    Io { action: &'static str, path: Utf8PathBuf, source: io::Error },
    #[error("`{id}` was not installed: {source}")]
    Get { id: PluginId, source: Box<GetError> },
    #[error(
        "`{id}` was not installed: the file is not the one that was expected\n  \
         expected sha256 {expected}{}\n  actual   sha256 {actual}",
        setting.as_ref().map(|key| format!(", by `{key}`")).unwrap_or_default()
    )]
    Checksum { id: PluginId, expected: Sha256, actual: Sha256, setting: Option<String> },
}

/// Does what was planned and agreed to: fetches and compares everything, then puts it in place.
pub async fn install(
    installer: &Installer<'_>,
    fetch: &Fetch,
    steps: &[Step],
    progress: &dyn Progress,
    now: Timestamp,
) -> Result<(), InstallError> {
    let mut ready = Vec::new();
    for step in steps {
        let staged = installer.stage(&step.id, fetch, &step.source, progress).await?;
        ready.push((staged.checked(step.sha256, step.pin)?, step.record(now)));
    }
    for (checked, record) in ready {
        installer.place(checked, record)?;
    }
    Ok(())
}

impl<'a> Installer<'a> {
    /// Waits until nobody else installs, but not for ever, and cleans up after those who were cut off.
    pub async fn begin(home: &'a Home, patience: Duration) -> Result<Self, InstallError> {
        make_dir(&home.dir()).map_err(failed("make", home.dir()))?;
        let path = home.lock();
        let lock = lock(&path, patience).await.map_err(failed("lock", path.clone()))?;
        let lock = lock.ok_or(InstallError::Locked { path, waited: patience })?;
        sweep(&home.dir()).map_err(failed("clean up", home.dir()))?;
        Ok(Self { home, _lock: lock })
    }

    /// Fetches a file beside its place.
    pub async fn stage(
        &self,
        id: &PluginId,
        fetch: &Fetch,
        source: &Source,
        progress: &dyn Progress,
    ) -> Result<Staged, InstallError> {
        let dir = self.home.dir();
        let mut file = unfinished(&dir).map_err(failed("write to", dir))?;
        let mut sum = Summing::default();
        let mut keep = |piece: &[u8]| {
            sum.add(piece);
            file.write_all(piece)
        };
        let got = fetch.get(source, MAX_BINARY, (id.as_str(), progress), &mut keep).await;
        got.map_err(|source| InstallError::Get { id: id.clone(), source: Box::new(source) })?;
        Ok(Staged { id: id.clone(), file, sha256: sum.end() })
    }

    /// Makes a file the plugin, and says where it is.
    pub fn place(&self, checked: Checked, record: Record) -> Result<Utf8PathBuf, InstallError> {
        let Checked(Staged { id, file, sha256 }) = checked;
        let path = self.home.binary(&id);
        let before = Installed::read(self.home);
        let mut installed = before.clone();
        installed.plugins.insert(id, Record { sha256, ..record });
        // Before the file: whoever is cut off here leaves a record that vouches for nothing, because there is no
        // file with its checksum, and the next update goes on with it. A file without a record would stay as it is.
        installed.write(self.home).map_err(failed("write", self.home.record()))?;
        let place = || {
            file.as_file().sync_all()?;
            let file = file.persist(&path).map_err(|error| error.error)?;
            // Last, and on what was written, not on whatever has its name now.
            file.set_permissions(Permissions::from_mode(EXECUTABLE))?;
            file.sync_all()?;
            sync(&self.home.dir())
        };
        if let Err(error) = place() {
            // What was there before is still there, and what went wrong is more important than a second failure.
            let _ = before.write(self.home);
            return Err(failed("install", path)(error));
        }
        Ok(path)
    }

    /// Removes a plugin; whether there was one.
    pub fn remove(&self, id: &PluginId) -> Result<bool, InstallError> {
        let path = self.home.binary(id);
        let was_there = match fs::remove_file(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => false,
            removed => removed.map(|()| true).map_err(failed("remove", path))?,
        };
        let mut installed = Installed::read(self.home);
        let was_recorded = installed.plugins.remove(id).is_some();
        if was_recorded {
            installed.write(self.home).map_err(failed("write", self.home.record()))?;
        }
        Ok(was_there || was_recorded)
    }
}

impl Staged {
    /// What was fetched.
    pub fn sha256(&self) -> Sha256 {
        self.sha256
    }

    /// Compares it with what was meant, and with what the user has pinned.
    pub fn checked(self, expected: Sha256, pin: Option<Sha256>) -> Result<Checked, InstallError> {
        let key = || Some(format!("plugins.command.{}.checksum", self.id));
        let wanted = [Some((expected, None)), pin.map(|pin| (pin, key()))];
        let wrong = wanted.into_iter().flatten().find(|(wanted, _)| *wanted != self.sha256);
        match wrong {
            None => Ok(Checked(self)),
            Some((expected, setting)) => {
                let (id, actual) = (self.id, self.sha256);
                Err(InstallError::Checksum { id, expected, actual, setting })
            }
        }
    }
}

impl Home {
    /// The checksum of an installed plugin; `None` if there is none that could be executed.
    pub fn sha256(&self, id: &PluginId) -> io::Result<Option<Sha256>> {
        let file = match files::open(&self.binary(id)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            file => file?,
        };
        let is_executable = file.metadata()?.permissions().mode() & 0o100 != 0;
        if is_executable { Sha256::of(file).map(Some) } else { Ok(None) }
    }
}

impl Step {
    fn record(&self, now: Timestamp) -> Record {
        Record {
            command: Some(self.command.clone()),
            sha256: self.sha256,
            origin: Origin::Registry,
            url: self.source.to_string(),
            official: self.official,
            repository: self.repository.clone(),
            installed_at: now,
        }
    }
}

fn failed(
    action: &'static str,
    path: impl Into<Utf8PathBuf>,
) -> impl FnOnce(io::Error) -> InstallError {
    let path = path.into();
    move |source| InstallError::Io { action, path, source }
}

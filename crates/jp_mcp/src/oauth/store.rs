//! What is kept of logins between runs.
//!
//! Each login is a file that only its owner can read, in a directory that only its owner can enter. It is
//! replaced in one step, so that a reader sees the login before or after and never half of one. A file that
//! others can read, or that somebody else owns, is not used: what it holds may be known to others, or may be
//! somebody else's. A login is found by the address of its server and by whoever configured that; the
//! authorization server is in it, and nothing of it is sent to another one.
#![expect(clippy::disallowed_methods, reason = "logins belong to the user, not to a workspace")]

use std::{
    fmt, fs,
    io::{self, Read as _, Write as _},
    os::unix::fs::{
        DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _,
    },
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use camino::Utf8PathBuf;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use tokio::time::{Instant, sleep};

use crate::authorize::{LoginError, Token};

/// The largest file that is read back.
const MOST: u64 = 256 * 1024;

/// So long is waited for another process that renews the same login.
const OTHERS: Duration = Duration::from_secs(30);

/// A token that is over so soon, in seconds, is renewed before it is used; a short one a little later.
const MARGIN: u64 = 30;

/// The login of one server, wherever that is kept.
#[derive(Debug)]
pub(super) struct Store {
    file: Option<Utf8PathBuf>,
}

/// A login.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Kept {
    /// Where the server is, for whoever opens the file.
    pub(super) server: String,
    /// Who made the tokens; nothing here is sent to another one.
    pub(super) issuer: String,
    pub(super) client: String,
    /// What came with the registration, if the client was registered by us.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) client_secret: Option<String>,
    /// Gone when the authorization server has taken the login back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) access_token: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) refresh_token: Option<String>,
    #[serde(default)]
    pub(super) scopes: Vec<String>,
    /// What the server wanted beyond that; asked for with the next login.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) wanted: Vec<String>,
    /// When the token was made, in seconds, and for how long.
    pub(super) received: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) lasts: Option<u64>,
}

/// As long as there is one, no other process renews the login.
#[derive(Debug)]
pub(super) struct Lock(
    #[expect(dead_code, reason = "closing the file unlocks it")] Option<fs::File>,
);

impl Store {
    /// For the login of a server that `owner` has configured. Without a directory nothing is kept.
    pub(super) fn new(directory: Option<&Utf8PathBuf>, owner: &str, server: &str) -> Self {
        // Neither of them has a NUL in it.
        let sum = Sha256::digest(format!("{owner}\0{server}"));
        let name: String = sum.iter().take(16).map(|byte| format!("{byte:02x}")).collect();
        Self { file: directory.map(|directory| directory.join(format!("{name}.json"))) }
    }

    pub(super) fn read(&self) -> Result<Option<Kept>, LoginError> {
        let Some(file) = &self.file else { return Ok(None) };
        read(file).map_err(|source| LoginError::Store { path: file.clone(), source })
    }

    pub(super) fn write(&self, kept: &Kept) -> Result<(), LoginError> {
        let Some(file) = &self.file else { return Ok(()) };
        let written = self.directory().and_then(|directory| {
            // It is made for its owner alone, and gets its name when it is complete.
            let mut temporary = tempfile::NamedTempFile::new_in(directory)?;
            temporary.write_all(&serde_json::to_vec_pretty(kept)?)?;
            temporary.as_file().sync_all()?;
            temporary.persist(file)?;
            Ok(())
        });
        written.map_err(|source| LoginError::Store { path: file.clone(), source })
    }

    /// Forgets it; whether there was one.
    pub(super) fn remove(&self) -> Result<bool, LoginError> {
        let Some(file) = &self.file else { return Ok(false) };
        match fs::remove_file(file) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(source) => Err(LoginError::Store { path: file.clone(), source }),
        }
    }

    /// Waits until no other process renews the login. Two that did it at once would each make the token of
    /// the other one worthless.
    pub(super) async fn lock(&self) -> Result<Lock, LoginError> {
        let Some(path) = &self.file else { return Ok(Lock(None)) };
        let path = path.with_extension("lock");
        let failed = |source| LoginError::Store { path: path.clone(), source };
        self.directory().map_err(failed)?;
        let mut options = fs::OpenOptions::new();
        options.create(true).append(true).mode(0o600).custom_flags(no_follow());
        let file = options.open(&path).map_err(failed)?;
        let end = Instant::now() + OTHERS;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Lock(Some(file))),
                Err(fs::TryLockError::WouldBlock) if Instant::now() < end => {
                    sleep(Duration::from_millis(50)).await;
                }
                Err(fs::TryLockError::WouldBlock) => {
                    return Err(failed(io::ErrorKind::TimedOut.into()));
                }
                Err(fs::TryLockError::Error(error)) => return Err(failed(error)),
            }
        }
    }

    /// The directory, made for its owner alone.
    fn directory(&self) -> io::Result<&camino::Utf8Path> {
        let directory = self.file.as_deref().and_then(camino::Utf8Path::parent);
        let directory = directory.ok_or(io::ErrorKind::NotFound)?;
        fs::DirBuilder::new().recursive(true).mode(0o700).create(directory)?;
        let found = fs::symlink_metadata(directory)?;
        if !found.is_dir() {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        if found.mode() & 0o077 != 0 {
            fs::set_permissions(directory, fs::Permissions::from_mode(0o700))?;
        }
        Ok(directory)
    }
}

impl Kept {
    /// The token, if it can still be used.
    pub(super) fn token(&self) -> Option<Token> {
        let is_over = self.lasts.is_some_and(|lasts| {
            now() >= self.received.saturating_add(lasts - MARGIN.min(lasts / 4))
        });
        self.any_token().filter(|_| !is_over)
    }

    /// The token, even if its time is over.
    pub(super) fn any_token(&self) -> Option<Token> {
        self.access_token.as_deref().and_then(Token::new)
    }
}

impl fmt::Debug for Kept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Kept").field("issuer", &self.issuer).finish_non_exhaustive()
    }
}

/// Seconds since 1970.
pub(super) fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}

fn read(path: &Utf8PathBuf) -> io::Result<Option<Kept>> {
    let mut options = fs::OpenOptions::new();
    let file = match options.read(true).custom_flags(no_follow()).open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    // What is looked at is what is read: the file that is open.
    let found = file.metadata()?;
    let is_mine = found.uid() == rustix::process::geteuid().as_raw();
    if !is_mine || found.mode() & 0o077 != 0 {
        let why = "others can read it; remove it and log in again";
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, why));
    }
    let mut bytes = Vec::new();
    file.take(MOST).read_to_end(&mut bytes)?;
    // What is wrong with it is not said: the words of the error could be a part of the secret.
    let kept = serde_json::from_slice(&bytes).map_err(|_| {
        io::Error::new(io::ErrorKind::InvalidData, "it is damaged; remove it and log in again")
    })?;
    Ok(Some(kept))
}

fn no_follow() -> i32 {
    rustix::fs::OFlags::NOFOLLOW.bits().cast_signed()
}

#[cfg(test)]
mod tests;

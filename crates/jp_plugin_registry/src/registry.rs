//! The registry as it lies on this machine: read, searched, and fetched again.
//!
//! It is replaced as a whole, and only by one that can be read. Whatever goes wrong on the way, the earlier
//! one stays and works without a network.

use std::{
    io::{self, Read as _},
    time::Duration,
};

use camino::Utf8PathBuf;
use jp_plugin::{
    CommandPath,
    registry::{self, Entry, Kind, Registry, RegistryError},
};

use crate::{
    Fetch, GetError, Home, MAX_REGISTRY, Progress, Source, files,
    replace::{lock, make_dir, replace, sweep},
};

/// How long somebody waits for another who writes the registry, which takes a moment.
const PATIENCE: Duration = Duration::from_secs(10);

/// Why the registry on this machine cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum CacheError {
    #[error("cannot read {path}: {source}")]
    Read { path: Utf8PathBuf, source: io::Error },
    #[error("{path}: {source}")]
    Parse { path: Utf8PathBuf, source: RegistryError },
}

/// Why the registry was not fetched. The earlier one is as it was.
#[derive(Debug, thiserror::Error)]
pub enum RefreshError {
    #[error(transparent)]
    Get(#[from] GetError),
    #[error("{url}: {source}")]
    Parse { url: String, source: RegistryError },
    #[error("{0}: it is not UTF-8 text")]
    Text(String),
    #[error("cannot write {path}: {source}")]
    Write { path: Utf8PathBuf, source: io::Error },
    #[error("another jp has been writing the registry for {} s; {path} is locked", PATIENCE.as_secs())]
    Locked { path: Utf8PathBuf },
}

/// The registry as it was last fetched; `None` if it never was.
pub fn cached(home: &Home) -> Result<Option<Registry>, CacheError> {
    let path = home.registry();
    let failed = |source| CacheError::Read { path: path.clone(), source };
    let file = match files::open(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        file => file.map_err(failed)?,
    };
    let mut text = String::new();
    file.take(MAX_REGISTRY + 1).read_to_string(&mut text).map_err(failed)?;
    if text.len() as u64 > MAX_REGISTRY {
        let reason = format!("it has more than {MAX_REGISTRY} bytes");
        return Err(failed(io::Error::other(reason)));
    }
    let parsed = registry::parse(&text);
    parsed.map(Some).map_err(|source| CacheError::Parse { path: path.clone(), source })
}

/// Fetches the registry and keeps it.
pub async fn refresh(
    home: &Home,
    fetch: &Fetch,
    source: &Source,
    progress: &dyn Progress,
) -> Result<Registry, RefreshError> {
    let mut bytes = Vec::new();
    let mut keep = |piece: &[u8]| {
        bytes.extend_from_slice(piece);
        Ok(())
    };
    fetch.get(source, MAX_REGISTRY, ("registry", progress), &mut keep).await?;
    let text = String::from_utf8(bytes).map_err(|_| RefreshError::Text(source.to_string()))?;
    let parsed = registry::parse(&text)
        .map_err(|error| RefreshError::Parse { url: source.to_string(), source: error })?;
    let path = home.registry();
    let failed = |source| RefreshError::Write { path: path.clone(), source };
    make_dir(home.data()).map_err(failed)?;
    // What others have not finished is swept away, so nobody must be at it.
    let turn = home.registry_lock();
    let held = lock(&turn, PATIENCE).await.map_err(failed)?;
    let _held = held.ok_or(RefreshError::Locked { path: turn })?;
    let write = || {
        sweep(home.data())?;
        replace(&path, text.as_bytes())
    };
    write().map_err(failed)?;
    Ok(parsed)
}

/// What somebody calls by its id (`serve-web`) or by its command (`serve web`). An id is what settings and records
/// say, so no command takes its place; but with a group there is nothing to be done, so its id takes the place of no
/// command.
pub fn find<'a>(registry: &'a Registry, name: &str) -> Option<(&'a CommandPath, &'a Entry)> {
    let by_id = name.parse().ok().and_then(|id| registry.by_id(&id));
    let by_command = || registry.entries.get_key_value(&name.parse::<CommandPath>().ok()?);
    by_id.filter(|(_, entry)| entry.kind == Kind::Command).or_else(by_command).or(by_id)
}

/// The entries in which every word occurs, in whatever case.
pub fn search<'a>(registry: &'a Registry, words: &[String]) -> Vec<(&'a CommandPath, &'a Entry)> {
    let words: Vec<_> = words.iter().map(|word| word.to_lowercase()).collect();
    let fits = |path: &CommandPath, entry: &Entry| {
        let text = format!("{path} {} {}", entry.id, entry.description).to_lowercase();
        words.iter().all(|word| text.contains(word.as_str()))
    };
    registry.entries.iter().filter(|(path, entry)| fits(path, entry)).collect()
}

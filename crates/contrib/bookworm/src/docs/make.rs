//! Making documentation: `cargo doc` for one crate, and the pages moved to where they are kept.
//!
//! All crates are compiled into one directory, so that common dependencies are compiled once. There
//! the pages of two versions of a crate would overwrite each other, hence the move. A package whose
//! files may change is read where cargo puts it, so that cargo can see that nothing has changed. The
//! cache may be used by several servers, so a lock on a file says who is at work.

use std::{
    fs::{File, TryLockError},
    io,
    time::Duration,
};

use camino::{Utf8Path, Utf8PathBuf};
use jp_mcp_server::Stop;
use jp_tool::ToolError;
use sha2::{Digest, Sha256};
use thiserror::Error;

use crate::{
    cargo::{CargoError, Package, Patience, Scratch},
    names::{CrateName, Wanted},
    resolve::{Asking, Request},
    toolbox::Bookworm,
};

/// Documentation that could not be put where it belongs.
#[derive(Debug, Error)]
enum MakeError {
    #[error("cargo made no documentation of {0}")]
    Nothing(String),
    #[error("cannot keep the documentation in {0}")]
    Keep(Utf8PathBuf, #[source] io::Error),
    #[error("another server is making documentation in {0}; try again later")]
    Busy(Utf8PathBuf),
}

/// What to document: a package as a project builds it.
#[derive(Debug)]
struct Job {
    manifest: Utf8PathBuf,
    package: Package,
    features: Vec<String>,
}

impl Bookworm {
    /// The directory with the documentation of a package.
    pub(super) async fn made(
        &self,
        package: &Package,
        library: &str,
        request: &Request,
        asking: Asking<'_>,
    ) -> Result<Utf8PathBuf, Stop> {
        let job = self.job(package, request, asking).await?;
        let package = &job.package;
        let place = self.library.cache.join("docs").join(&package.name);
        let place = place.join(format!("{}-{}", package.version, digest(&job)));
        let kept = || place.join(library).join("all.html").is_file();
        if package.is_from_registry() && kept() {
            return Ok(place);
        }
        let target = self.library.cache.join("target");
        let failed = |error: MakeError| Stop::from(ToolError::from_error(&error));
        let _alone = alone(&target).await.map_err(failed)?;
        if package.is_from_registry() && kept() {
            return Ok(place);
        }
        if let Asking::Call(call) = asking {
            call.progress(format!("documenting {} {}", package.name, package.version)).await;
        }
        self.document(&job, &target).await?;
        let doc = doc_directory(&target, library)
            .ok_or_else(|| failed(MakeError::Nothing(library.to_owned())))?;
        if !package.is_from_registry() {
            return Ok(doc);
        }
        keep(&doc, library, &place).map_err(failed)?;
        Ok(place)
    }

    /// In the workspace with the features it uses, or else in a project of our own.
    async fn job(
        &self,
        package: &Package,
        request: &Request,
        asking: Asking<'_>,
    ) -> Result<Job, Stop> {
        let name = CrateName::parse(&package.name)?;
        let stock = self.library.stock().await?;
        if let Some(found) = stock.metadata.find(&name, &package.version) {
            let features = stock.metadata.features(found).to_vec();
            let manifest = self.library.workspace().join("Cargo.toml");
            return Ok(Job { manifest, package: found.clone(), features });
        }
        let wanted = Wanted::Exact(package.version.clone());
        let scratch = Scratch::new(&self.library.cache, &name, &wanted)?;
        if scratch.metadata(&self.library.cargo).await.is_err() {
            // The crate is here, something that it needs is not.
            let public = stock.public(&name, Some(&package.version))?;
            self.fetched(&public, request.fetch, &wanted, asking).await?;
        }
        let metadata = scratch.metadata(&self.library.cargo).await?;
        let found = metadata.find(&name, &package.version).unwrap_or(package).clone();
        let features = metadata.features(&found).to_vec();
        Ok(Job { manifest: scratch.manifest().to_owned(), package: found, features })
    }

    async fn document(&self, job: &Job, target: &Utf8Path) -> Result<(), CargoError> {
        let package = format!("--package={}@{}", job.package.name, job.package.version);
        let manifest = format!("--manifest-path={}", job.manifest);
        let target = format!("--target-dir={target}");
        let words = ["doc", "--frozen", "--no-deps", "--lib", &package, &manifest, &target];
        self.library.cargo.run(&words, Patience::Build).await.map(drop)
    }
}

/// What the pages depend on besides the version.
fn digest(job: &Job) -> String {
    let mut hash = Sha256::new();
    for part in job.package.source.as_slice().iter().chain(&job.features) {
        hash.update(part.as_bytes());
        hash.update([0]);
    }
    if job.package.source.is_none() {
        hash.update(job.package.manifest_path.as_str().as_bytes());
    }
    hash.finalize().iter().take(6).map(|byte| format!("{byte:02x}")).collect()
}

/// The right to make documentation in this directory; others wait until it is dropped.
async fn alone(target: &Utf8Path) -> Result<File, MakeError> {
    const PAUSE: Duration = Duration::from_millis(50);
    let failed = |error| MakeError::Keep(target.to_owned(), error);
    std::fs::create_dir_all(target).map_err(failed)?;
    let file = File::create(target.join("bookworm.lock")).map_err(failed)?;
    // As long as the other one may take.
    let tries = Patience::Build.limit().as_millis() / PAUSE.as_millis();
    for _ in 0..tries {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::Error(error)) => return Err(failed(error)),
            Err(TryLockError::WouldBlock) => tokio::time::sleep(PAUSE).await,
        }
    }
    Err(MakeError::Busy(target.to_owned()))
}

/// Moves the pages of a library and of its sources to their place, in which they appear at once.
fn keep(doc: &Utf8Path, library: &str, place: &Utf8Path) -> Result<(), MakeError> {
    let work = || -> io::Result<()> {
        let parent = place.parent().unwrap_or(place);
        std::fs::create_dir_all(parent)?;
        // A name that nobody else has; what is left of it is removed when something fails.
        let whole = tempfile::Builder::new().prefix(".half-").tempdir_in(parent)?;
        let half = utf8(whole.path().join("docs"))?;
        std::fs::create_dir_all(half.join("src"))?;
        std::fs::rename(doc.join(library), half.join(library))?;
        let sources = doc.join("src").join(library);
        if sources.is_dir() {
            std::fs::rename(sources, half.join("src").join(library))?;
        }
        remove(place)?;
        std::fs::rename(&half, place)
    };
    work().map_err(|error| MakeError::Keep(place.to_owned(), error))
}

fn utf8(path: std::path::PathBuf) -> io::Result<Utf8PathBuf> {
    Utf8PathBuf::from_path_buf(path)
        .map_err(|path| io::Error::other(format!("{} is not UTF-8", path.display())))
}

/// Settings of the workspace may put a directory of the platform in between.
fn doc_directory(target: &Utf8Path, library: &str) -> Option<Utf8PathBuf> {
    let has = |doc: &Utf8PathBuf| doc.join(library).join("all.html").is_file();
    let direct = Some(target.join("doc")).filter(has);
    let below = || {
        let entries = target.read_dir_utf8().ok()?.filter_map(Result::ok);
        entries.map(|entry| entry.path().join("doc")).find(has)
    };
    direct.or_else(below)
}

fn remove(path: &Utf8Path) -> io::Result<()> {
    match std::fs::remove_dir_all(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

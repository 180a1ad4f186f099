//! The workspace that a tool is run in: one made for the check, with a few files to work on, or a
//! directory that the author names.

#![expect(
    clippy::disallowed_methods,
    reason = "these files are made here, outside of any workspace"
)]

use std::{fs, io};

use camino::{Utf8Path, Utf8PathBuf};
use tempfile::TempDir;

use crate::{
    ctx::Ctx,
    error::{Error, Result},
};

/// The file that made up paths name.
pub(super) const FILE: &str = "README.md";

const FILES: [(&str, &str); 5] = [
    (".jp/config.toml", ""),
    (FILE, "# A workspace\n\nIt exists for a check. TODO: nothing.\n"),
    ("notes.txt", "one\ntwo\nthree\n"),
    ("src/main.rs", "fn main() {\n    println!(\"hello\"); // FIXME: louder\n}\n"),
    ("src/lib/numbers.csv", "a,b\n1,2\n"),
];

/// Where a check takes place. Everything that was made for it is removed when this is dropped.
#[derive(Debug)]
pub(in crate::cmd) struct Ground {
    /// The root of the workspace, canonical.
    pub(in crate::cmd) root: Utf8PathBuf,
    /// Where changes are kept until they are thrown away: on the same file system as a workspace of
    /// ours.
    pub(in crate::cmd) store: Utf8PathBuf,
    _directory: TempDir,
}

impl Ground {
    pub(in crate::cmd) fn new(ctx: &Ctx, chosen: Option<&Utf8Path>) -> Result<Self> {
        let failed = |error: io::Error| {
            Error::failure(format!("cannot make a workspace for the check: {error}"))
        };
        let directory = tempfile::Builder::new().prefix("jp-check-").tempdir().map_err(failed)?;
        let place = directory.path().canonicalize().map_err(failed)?;
        let place =
            Utf8PathBuf::try_from(place).map_err(|error| failed(io::Error::other(error)))?;
        let store = place.join("changes");
        fs::create_dir(&store).map_err(failed)?;
        let root = match chosen {
            Some(chosen) => named(ctx, chosen)?,
            None => make(&place.join("workspace")).map_err(failed)?,
        };
        Ok(Self { root, store, _directory: directory })
    }
}

fn named(ctx: &Ctx, chosen: &Utf8Path) -> Result<Utf8PathBuf> {
    let root = ctx.cwd().join(chosen).canonicalize_utf8();
    let root = root.map_err(|error| Error::usage(format!("--root {chosen}: {error}")))?;
    if !root.is_dir() {
        return Err(Error::usage(format!("--root {chosen}: not a directory")));
    }
    if root == "/" {
        return Err(Error::usage("--root /: the whole machine cannot be a workspace"));
    }
    Ok(root)
}

fn make(root: &Utf8Path) -> io::Result<Utf8PathBuf> {
    for (name, text) in FILES {
        let path = root.join(name);
        fs::create_dir_all(path.parent().unwrap_or(root))?;
        fs::write(path, text)?;
    }
    Ok(root.to_owned())
}

//! New files to start from: nothing that exists is overwritten.

#![expect(clippy::disallowed_methods, reason = "the files of a new tool or plugin are made here")]

use std::{
    fs,
    io::{self, Write as _},
    os::unix::fs::OpenOptionsExt as _,
};

use camino::{Utf8Path, Utf8PathBuf};

use crate::error::{Error, Result};

/// A file before it is written.
#[derive(Debug)]
pub(super) struct File {
    /// Where it goes, in the directory that everything is written to.
    pub(super) path: Utf8PathBuf,
    pub(super) text: String,
    pub(super) is_program: bool,
}

/// Fails if something of them is there already.
pub(super) fn check_free(files: &[File], dir: &Utf8Path) -> Result {
    let first = |file: &File| {
        // Of a project of several files the directory has to be new.
        let top = file.path.components().next().map(|part| part.as_str().to_owned());
        dir.join(top.unwrap_or_default())
    };
    match files.iter().map(first).find(|path| path.symlink_metadata().is_ok()) {
        Some(taken) => Err(Error::usage(format!("{taken} exists already"))
            .hint("choose another name, or another directory with --dir")),
        None => Ok(()),
    }
}

pub(super) fn write(files: &[File], dir: &Utf8Path) -> Result {
    for file in files {
        let path = dir.join(&file.path);
        write_one(&path, file).map_err(|error| {
            Error::failure(format!("cannot write {path}: {error}"))
                .hint("what was written before is still there")
        })?;
    }
    Ok(())
}

fn write_one(path: &Utf8Path, file: &File) -> io::Result<()> {
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent)?;
    }
    let mode = if file.is_program { 0o777 } else { 0o666 };
    let mut opened = fs::OpenOptions::new().write(true).create_new(true).mode(mode).open(path)?;
    opened.write_all(file.text.as_bytes())
}

//! How an overlay that was mounted without privileges (`userxattr`) writes down what happened.
//!
//! - A name that was removed is a *whiteout*: a character device 0:0, or, in a directory whose
//!   attribute `opaque` is `x`, an empty file with the attribute `whiteout`.
//! - A directory that replaces another is *opaque*: its attribute `opaque` is `y`, and nothing of the
//!   directory beneath shows through.
//! - Everything else is what it looks like: a file that was changed in any way is there as a whole.
//!
//! The attributes `redirect` and `metacopy` mean that a part of the story is kept elsewhere. Our
//! mounts never make them, and who finds one cannot go on. A tool cannot make any of these marks: the
//! overlay stores what it sets under other names.

use std::os::fd::AsFd;

use rustix::{
    fs::{FileType, Stat},
    io::{Errno, Result},
};

use crate::tree::kind_of;

/// All marks begin with this.
const PREFIX: &[u8] = b"user.overlay.";

/// What the attributes of a directory say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Opaque {
    /// What is beneath shows through.
    No,
    /// Nothing does.
    Yes,
    /// What is beneath shows through, and empty files can be whiteouts.
    Whiteouts,
}

/// What a directory says about itself.
pub(crate) fn opaque(dir: impl AsFd) -> Result<Opaque> {
    let mut value = [0; 2];
    match rustix::fs::fgetxattr(dir, "user.overlay.opaque", &mut value) {
        Ok(1) if value[0] == b'y' => Ok(Opaque::Yes),
        Ok(1) if value[0] == b'x' => Ok(Opaque::Whiteouts),
        Ok(_) | Err(Errno::NODATA | Errno::OPNOTSUPP) => Ok(Opaque::No),
        Err(error) => Err(error),
    }
}

/// Whether this is a whiteout of the first form.
pub(crate) fn is_whiteout(stat: &Stat) -> bool {
    kind_of(stat) == FileType::CharacterDevice && stat.st_rdev == 0
}

/// What the attributes of a file or directory say that matters here.
#[derive(Debug, Default)]
pub(crate) struct Marks {
    /// The mark that says that something is kept elsewhere.
    pub(crate) partial: Option<&'static str>,
    /// Whether this can be a whiteout of the second form.
    pub(crate) whiteout: bool,
    /// Whether the file gives capabilities to whoever runs it.
    pub(crate) capabilities: bool,
    /// The marks, which must not get into the workspace.
    pub(crate) names: Vec<Vec<u8>>,
}

/// Reads the attributes.
pub(crate) fn marks(file: impl AsFd) -> Result<Marks> {
    let mut found = Marks::default();
    for name in attributes(file)?.split(|byte| *byte == 0) {
        match name.strip_prefix(PREFIX) {
            Some(b"redirect") => found.partial = Some("redirect"),
            Some(b"metacopy") => found.partial = Some("metacopy"),
            Some(b"whiteout") => found.whiteout = true,
            Some(_) => {}
            None => {
                found.capabilities |= name == b"security.capability";
                continue;
            }
        }
        found.names.push(name.to_owned());
    }
    Ok(found)
}

/// The names, each with a zero behind it.
fn attributes(file: impl AsFd) -> Result<Vec<u8>> {
    let mut buffer = vec![0; 1 << 10];
    loop {
        match rustix::fs::flistxattr(&file, &mut buffer[..]) {
            Ok(length) => {
                buffer.truncate(length);
                return Ok(buffer);
            }
            // The kernel has no more than this.
            Err(Errno::RANGE) if buffer.len() < 64 << 10 => buffer.resize(64 << 10, 0),
            Err(Errno::OPNOTSUPP) => return Ok(Vec::new()),
            Err(error) => return Err(error),
        }
    }
}

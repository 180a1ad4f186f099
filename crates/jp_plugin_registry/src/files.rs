//! Opening files that somebody else may have replaced by something that is none.
//!
//! What lies in the directories of the user is opened by everything that has to do with plugins, `jp -h`
//! among it. The danger is a pipe under the name of a file: whoever opens it waits for somebody at its other
//! end, for ever. So nothing here waits, and what is no regular file is an error.

#![expect(clippy::disallowed_methods, reason = "plugins lie outside of workspaces")]

use std::{
    fs::{File, OpenOptions},
    io,
    os::unix::fs::OpenOptionsExt as _,
};

use camino::Utf8Path;
use rustix::fs::OFlags;

/// Opens a regular file to read it.
pub fn open(path: &Utf8Path) -> io::Result<File> {
    regular(OpenOptions::new().read(true), path)
}

/// Opens a file that is there to be locked; it is made if it is not there.
pub fn open_lock(path: &Utf8Path) -> io::Result<File> {
    regular(OpenOptions::new().create(true).append(true).mode(0o600), path)
}

fn regular(options: &mut OpenOptions, path: &Utf8Path) -> io::Result<File> {
    let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
    let file = options.custom_flags(flags.bits().cast_signed()).open(path)?;
    // Asked of what was opened, and not of whatever has its name by now.
    if file.metadata()?.is_file() {
        Ok(file)
    } else {
        Err(io::Error::other("it is not a regular file"))
    }
}

#[cfg(test)]
mod tests {
    use std::{sync::mpsc, thread, time::Duration};

    use rustix::fs::{CWD, Mode, mkfifoat};

    use super::*;

    /// Does it elsewhere, so that a test that would wait for ever fails.
    #[track_caller]
    fn soon<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
        let (sender, receiver) = mpsc::channel();
        thread::spawn(move || sender.send(work()));
        receiver.recv_timeout(Duration::from_secs(20)).expect("nobody waits for a pipe")
    }

    #[test]
    fn a_pipe_holds_nobody_up() {
        let directory = tempfile::tempdir().unwrap();
        let path = Utf8Path::from_path(directory.path()).unwrap().join("pipe");
        mkfifoat(CWD, path.as_std_path(), Mode::from(0o700)).unwrap();
        for open in [open, open_lock] {
            let path = path.clone();
            assert!(soon(move || open(&path)).is_err());
        }
        assert!(open(path.parent().unwrap()).is_err(), "a directory is no file");
        assert!(open_lock(&path.with_extension("lock")).is_ok());
        assert!(open(&path.with_extension("lock")).is_ok());
    }
}

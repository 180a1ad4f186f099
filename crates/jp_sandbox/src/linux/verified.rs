//! A program that runs only if it is the one that was agreed to.
//!
//! A check by name followed by a start by name is two looks at a file that somebody can replace in
//! between. So the file is opened once, what is read from the descriptor is summed, and the descriptor
//! is what is executed. Two things could still change what was read: somebody writes into the same file
//! between the sum and the start, and an interpreter reads its script piece by piece while it runs.
//! Against the first the file is leased, which keeps writers out until the kernel itself does; a script
//! is executed from a sealed copy in memory. A script therefore sees `/dev/fd/N` as its own name.

use std::{
    fs::File,
    io::{self, Read as _},
    os::fd::{AsFd as _, OwnedFd},
    path::Path,
};

use rustix::{
    fs::{
        FileType, MemfdFlags, Mode, OFlags, SealFlags, SeekFrom, Stat, fcntl_add_seals, fstat,
        memfd_create,
    },
    io::{Errno, FdFlags, fcntl_setfd},
};
use sha2::{Digest as _, Sha256};

use super::sys;

/// The largest script; it is copied to memory.
const LARGEST_SCRIPT: u64 = 16 << 20;

/// A sum of all bytes of a file.
pub(super) type Sum = [u8; 32];

/// The program in the file, ready to be executed, if its sum is the wanted one.
///
/// The descriptor of a script stays open in the program: its interpreter reads it.
pub(super) fn open(path: &Path, wanted: &Sum) -> io::Result<OwnedFd> {
    // Not blocking, because a pipe without a writer would wait for ever.
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK;
    let mut file = File::from(rustix::fs::open(path, flags, Mode::empty())?);
    let before = fstat(&file)?;
    if FileType::from_raw_mode(before.st_mode) != FileType::RegularFile {
        return Err(io::Error::other("it is not a file"));
    }
    let mut head = [0; 2];
    let read = rustix::io::pread(&file, &mut head, 0)?;
    if &head[..read] == b"#!" {
        return script(&mut file, before.st_size.cast_unsigned(), wanted);
    }
    match sys::lease(file.as_fd()) {
        Err(error) if error.raw_os_error() == Some(libc::EAGAIN) => {
            return Err(io::Error::other("somebody has it open for writing"));
        }
        // Only the owner can lease a file, and not on every file system. Then the times tell.
        Ok(()) | Err(_) => {}
    }
    compare(sum(&mut file, &mut io::sink())?, wanted)?;
    if changed(&before, &fstat(&file)?) {
        return Err(io::Error::other("it was changed while it was started"));
    }
    Ok(file.into())
}

/// A copy of the script that nobody can change.
fn script(file: &mut File, size: u64, wanted: &Sum) -> io::Result<OwnedFd> {
    if size > LARGEST_SCRIPT {
        return Err(io::Error::other(format!(
            "a script of more than {} MiB is not executed",
            LARGEST_SCRIPT >> 20
        )));
    }
    let mut copy = File::from(memory()?);
    // A file that grows meanwhile has another sum, and does not fill the memory.
    compare(sum(&mut file.take(LARGEST_SCRIPT), &mut copy)?, wanted)?;
    fcntl_add_seals(
        &copy,
        SealFlags::WRITE | SealFlags::GROW | SealFlags::SHRINK | SealFlags::SEAL,
    )?;
    // Perl takes the descriptor itself and goes on where it stands.
    rustix::fs::seek(&copy, SeekFrom::Start(0))?;
    fcntl_setfd(&copy, FdFlags::empty())?;
    Ok(copy.into())
}

/// A file in memory that can be sealed and executed, also where the system forbids the latter unless
/// it is asked for.
fn memory() -> io::Result<OwnedFd> {
    let flags = MemfdFlags::ALLOW_SEALING | MemfdFlags::CLOEXEC;
    match memfd_create("script", flags | MemfdFlags::EXEC) {
        // Older kernels do not know the flag and execute every such file.
        Err(Errno::INVAL) => Ok(memfd_create("script", flags)?),
        file => Ok(file?),
    }
}

fn sum(file: &mut impl io::Read, copy: &mut impl io::Write) -> io::Result<Sum> {
    let mut sum = Sha256::new();
    let mut piece = vec![0; 64 * 1024];
    loop {
        match file.read(&mut piece)? {
            0 => return Ok(sum.finalize().into()),
            read => {
                sum.update(&piece[..read]);
                copy.write_all(&piece[..read])?;
            }
        }
    }
}

fn compare(found: Sum, wanted: &Sum) -> io::Result<()> {
    if found == *wanted {
        return Ok(());
    }
    let hex = |sum: &Sum| sum.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let (found, wanted) = (hex(&found), hex(wanted));
    Err(io::Error::other(format!("its SHA-256 checksum is {found}, not {wanted}")))
}

fn changed(before: &Stat, after: &Stat) -> bool {
    let look = |stat: &Stat| {
        (stat.st_size, stat.st_mtime, stat.st_mtime_nsec, stat.st_ctime, stat.st_ctime_nsec)
    };
    look(before) != look(after)
}

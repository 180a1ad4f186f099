//! Watches what a confined process asks for, to name what it was denied.
//!
//! A filter hands each call that takes a path or an address to the supervisor before the kernel does
//! it. The supervisor notes what the view will deny and lets the call go on: the decision stays with
//! the kernel, so nothing that the process changes in its memory meanwhile can make it do more. Only
//! one thing is decided here, by counting and not by looking: a program that may start nothing gets
//! one call to `execve`, its own.

use std::{
    collections::HashSet,
    io,
    os::fd::{AsFd, BorrowedFd, OwnedFd},
};

use camino::{Utf8Path, Utf8PathBuf};
use rustix::fs::{AtFlags, CWD, statat};

use super::sys;
use crate::{
    confinement::{Execute, Network},
    event::{Blocked, Wanted},
    plan::{Denial, blocked_by},
    view::{Place, View, What},
};

/// Most entries that are kept; a program that asks for more has been understood by then.
const MOST: usize = 100;

/// How long they are together at most: they are told in one message.
const MOST_BYTES: usize = 32 * 1024;

/// The longest path that is looked at.
const LONGEST: usize = 4096;

/// Calls that take a path, and which of their arguments are the directory and the path.
const PATHS: &[(libc::c_long, Argument, usize, Kind)] = &[
    (libc::SYS_openat, Argument::Directory(0), 1, Kind::Open(2)),
    (libc::SYS_newfstatat, Argument::Directory(0), 1, Kind::Is(Wanted::Read)),
    (libc::SYS_statx, Argument::Directory(0), 1, Kind::Is(Wanted::Read)),
    (libc::SYS_faccessat, Argument::Directory(0), 1, Kind::Is(Wanted::Read)),
    (libc::SYS_faccessat2, Argument::Directory(0), 1, Kind::Is(Wanted::Read)),
    (libc::SYS_readlinkat, Argument::Directory(0), 1, Kind::Is(Wanted::Read)),
    (libc::SYS_execve, Argument::Current, 0, Kind::Is(Wanted::Execute)),
    (libc::SYS_execveat, Argument::Directory(0), 1, Kind::Is(Wanted::Execute)),
    (libc::SYS_chdir, Argument::Current, 0, Kind::Is(Wanted::Read)),
    (libc::SYS_mkdirat, Argument::Directory(0), 1, Kind::Is(Wanted::Write)),
    (libc::SYS_unlinkat, Argument::Directory(0), 1, Kind::Is(Wanted::Write)),
    (libc::SYS_symlinkat, Argument::Directory(1), 2, Kind::Is(Wanted::Write)),
    (libc::SYS_linkat, Argument::Directory(2), 3, Kind::Is(Wanted::Write)),
    (libc::SYS_renameat2, Argument::Directory(2), 3, Kind::Is(Wanted::Write)),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_open, Argument::Current, 0, Kind::Open(1)),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_stat, Argument::Current, 0, Kind::Is(Wanted::Read)),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_lstat, Argument::Current, 0, Kind::Is(Wanted::Read)),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_access, Argument::Current, 0, Kind::Is(Wanted::Read)),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_readlink, Argument::Current, 0, Kind::Is(Wanted::Read)),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_creat, Argument::Current, 0, Kind::Is(Wanted::Write)),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_mkdir, Argument::Current, 0, Kind::Is(Wanted::Write)),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_rmdir, Argument::Current, 0, Kind::Is(Wanted::Write)),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_unlink, Argument::Current, 0, Kind::Is(Wanted::Write)),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_rename, Argument::Current, 1, Kind::Is(Wanted::Write)),
];

/// Where a relative path starts.
#[derive(Clone, Copy)]
enum Argument {
    /// The process's current directory.
    Current,
    /// The directory whose descriptor is this argument.
    Directory(usize),
}

/// What a call wants with its path.
#[derive(Clone, Copy)]
enum Kind {
    Is(Wanted),
    /// What the flags in this argument say.
    Open(usize),
}

/// The calls to ask about.
pub(super) fn calls(observe: bool, execute: Execute) -> Vec<libc::c_long> {
    if observe {
        return PATHS.iter().map(|(call, ..)| *call).chain([libc::SYS_connect]).collect();
    }
    match execute {
        Execute::View => Vec::new(),
        Execute::Itself => vec![libc::SYS_execve, libc::SYS_execveat],
    }
}

/// What has been seen.
pub(super) struct Observer<'a> {
    view: &'a View,
    network: Network,
    execute: Execute,
    executed: usize,
    seen: HashSet<Blocked>,
    blocked: Vec<Blocked>,
    /// How long the paths of all of them are together.
    bytes: usize,
}

impl<'a> Observer<'a> {
    pub(super) fn new(view: &'a View, network: Network, execute: Execute) -> Self {
        let (seen, blocked) = (HashSet::new(), Vec::new());
        Self { view, network, execute, executed: 0, seen, blocked, bytes: 0 }
    }

    /// What was denied, in its order.
    pub(super) fn into_blocked(self) -> Vec<Blocked> {
        self.blocked
    }

    /// Answers the next call.
    pub(super) fn serve(&mut self, listener: &OwnedFd) -> io::Result<()> {
        let call = match sys::notification(listener.as_fd()) {
            Ok(call) => call,
            // The process died, or a signal came, between the call and now.
            Err(error) if error.raw_os_error() == Some(libc::ENOENT) => return Ok(()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => return Ok(()),
            Err(error) => return Err(error),
        };
        let refused = self.refuse(&call);
        if let Some(blocked) = self.look(&call, refused.is_some(), listener.as_fd()) {
            self.note(blocked);
        }
        match sys::answer(listener.as_fd(), call.id, refused) {
            Err(error) if error.raw_os_error() != Some(libc::ENOENT) => Err(error),
            _ => Ok(()),
        }
    }

    fn refuse(&mut self, call: &libc::seccomp_notif) -> Option<i32> {
        let number = libc::c_long::from(call.data.nr);
        if !matches!(number, libc::SYS_execve | libc::SYS_execveat) {
            return None;
        }
        self.executed += 1;
        (self.execute == Execute::Itself && self.executed > 1).then_some(libc::EACCES)
    }

    fn note(&mut self, blocked: Blocked) {
        let size = match &blocked {
            Blocked::Path { path, .. } => path.as_str().len(),
            Blocked::Address(address) => address.len(),
        };
        let fits = self.blocked.len() < MOST && self.bytes + size <= MOST_BYTES;
        if fits && self.seen.insert(blocked.clone()) {
            self.bytes += size;
            self.blocked.push(blocked);
        }
    }

    /// What this call will be denied, as far as can be told from outside.
    fn look(
        &self,
        call: &libc::seccomp_notif,
        refused: bool,
        listener: BorrowedFd<'_>,
    ) -> Option<Blocked> {
        let number = libc::c_long::from(call.data.nr);
        if number == libc::SYS_connect {
            return self.look_at_address(call, listener);
        }
        let (_, start, path, kind) = PATHS.iter().find(|(known, ..)| *known == number)?;
        let text = read_text(call.pid, call.data.args[*path])?;
        let path = absolute(call, *start, &text)?;
        let wanted = wanted(call, *kind);
        // What was read is only what the process asked for if it is still asking.
        if !sys::notification_holds(listener, call.id) {
            return None;
        }
        let is_denied = |path: &Utf8Path| {
            refused
                || denies(self.view, path, wanted)
                || (wanted != Wanted::Write && is_replaced(self.view, path, call.pid))
        };
        // A link of the host leads elsewhere, perhaps to where the view shows it.
        let path = is_denied(&path).then(|| on_host(&path, wanted)).flatten()?;
        is_denied(&path).then_some(Blocked::Path { path, wanted })
    }

    fn look_at_address(
        &self,
        call: &libc::seccomp_notif,
        listener: BorrowedFd<'_>,
    ) -> Option<Blocked> {
        if self.network == Network::Shared {
            return None;
        }
        let mut address = [0; 128];
        let length = usize::try_from(call.data.args[2]).ok()?.min(address.len());
        let read = sys::read_memory(call.pid, call.data.args[1], &mut address[..length]).ok()?;
        let address = internet_address(&address[..read])?;
        let is_outside = !address.ip().is_loopback();
        (is_outside && sys::notification_holds(listener, call.id))
            .then(|| Blocked::Address(address.to_string()))
    }
}

/// Whether a view denies this for certain. What a process has in a directory of its own is not known
/// from the view.
fn denies(view: &View, path: &Utf8Path, wanted: Wanted) -> bool {
    match blocked_by(view, path, wanted) {
        // A directory above something visible is there, though empty otherwise.
        Some(Denial::Hidden) if view.at(path) == What::Hidden => {
            let is_below =
                |place: &Place| place.path.starts_with(path) && place.what != What::Hidden;
            wanted != Wanted::Read || !view.places().iter().any(is_below)
        }
        Some(Denial::ReadOnly | Denial::NotExecutable) => true,
        Some(Denial::Hidden | Denial::Private | Denial::Device) | None => false,
    }
}

/// Whether the process has a directory of its own where the host has this, and not in it.
fn is_replaced(view: &View, path: &Utf8Path, pid: u32) -> bool {
    let is_own = matches!(view.at(path), What::Private { .. } | What::Blank);
    let inside = || format!("/proc/{pid}/root{path}");
    is_own && statat(CWD, inside(), AtFlags::SYMLINK_NOFOLLOW).is_err()
}

fn wanted(call: &libc::seccomp_notif, kind: Kind) -> Wanted {
    let flags = match kind {
        Kind::Is(wanted) => return wanted,
        Kind::Open(index) => call.data.args[index],
    };
    let writes = (libc::O_WRONLY | libc::O_RDWR | libc::O_CREAT | libc::O_TRUNC) as u64;
    if flags & writes == 0 { Wanted::Read } else { Wanted::Write }
}

fn absolute(call: &libc::seccomp_notif, start: Argument, text: &Utf8Path) -> Option<Utf8PathBuf> {
    if text.as_str().is_empty() {
        return None;
    }
    let joined = if text.is_absolute() { text.to_owned() } else { base(call, start)?.join(text) };
    Some(lexical(&joined))
}

fn base(call: &libc::seccomp_notif, start: Argument) -> Option<Utf8PathBuf> {
    let number = match start {
        Argument::Current => libc::AT_FDCWD,
        // The kernel looks at the lower half of the argument too.
        #[expect(clippy::cast_possible_truncation, reason = "descriptors are 32 bits wide")]
        Argument::Directory(index) => call.data.args[index] as i32,
    };
    let link = if number == libc::AT_FDCWD {
        format!("/proc/{}/cwd", call.pid)
    } else {
        format!("/proc/{}/fd/{number}", call.pid)
    };
    let target = rustix::fs::readlink(link, Vec::new()).ok()?;
    String::from_utf8(target.into_bytes()).ok().map(Utf8PathBuf::from)
}

/// Where a path leads on the host; none when there is nothing: a program looks for many files that do
/// not exist, and nobody denied it those. To make a file, its directory has to exist.
fn on_host(path: &Utf8Path, wanted: Wanted) -> Option<Utf8PathBuf> {
    let found = path.canonicalize_utf8().ok();
    let can_be_made = || {
        let (parent, name) = (path.parent()?, path.file_name()?);
        Some(parent.canonicalize_utf8().ok()?.join(name))
    };
    found.or_else(|| if wanted == Wanted::Write { can_be_made() } else { None })
}

/// A path without `.` and `..`, as far as names tell.
fn lexical(path: &Utf8Path) -> Utf8PathBuf {
    let mut plain = Utf8PathBuf::from("/");
    for component in path.components() {
        match component.as_str() {
            "/" | "." => {}
            ".." => drop(plain.pop()),
            name => plain.push(name),
        }
    }
    plain
}

fn read_text(pid: u32, address: u64) -> Option<Utf8PathBuf> {
    let mut text = Vec::with_capacity(256);
    // A read must not cross into a page that is not there, so it goes page by page.
    while text.len() < LONGEST {
        let at = address.checked_add(text.len() as u64)?;
        let room = (4096 - at % 4096).min(256);
        let start = text.len();
        text.resize(start + usize::try_from(room).ok()?, 0);
        let read = sys::read_memory(pid, at, &mut text[start..]).ok()?;
        if let Some(end) = text[start..start + read].iter().position(|byte| *byte == 0) {
            text.truncate(start + end);
            return String::from_utf8(text).ok().map(Utf8PathBuf::from);
        }
        if start + read != text.len() {
            return None;
        }
    }
    None
}

fn internet_address(bytes: &[u8]) -> Option<std::net::SocketAddr> {
    let family = u16::from_ne_bytes([*bytes.first()?, *bytes.get(1)?]);
    let port = u16::from_be_bytes([*bytes.get(2)?, *bytes.get(3)?]);
    match i32::from(family) {
        libc::AF_INET => {
            let address: [u8; 4] = bytes.get(4..8)?.try_into().ok()?;
            Some((address, port).into())
        }
        libc::AF_INET6 => {
            let address: [u8; 16] = bytes.get(8..24)?.try_into().ok()?;
            Some((address, port).into())
        }
        _ => None,
    }
}

//! The system calls for which no crate has a safe wrapper, each behind a safe function.
//!
//! This is the only file of the workspace with `unsafe` in it. Most of what is unsafe here is so for
//! one of two reasons: a pointer that the kernel reads or writes during the call and not after it, or
//! a process that forks. Forking is sound when the process has a single thread, which [`Alone`]
//! witnesses.
#![expect(unsafe_code, reason = "the only place that speaks to the kernel without a wrapper")]

use std::{
    ffi::{CString, OsStr},
    io, mem,
    os::{
        fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd},
        unix::ffi::OsStrExt,
    },
    ptr,
};

use rustix::process::Pid;

/// Witness that this process has one thread, so that it may fork.
#[derive(Debug, Clone, Copy)]
pub(super) struct Alone(());

/// The threads of this process.
const TASKS: &str = "/proc/self/task";

impl Alone {
    /// Looks how many threads there are.
    pub(super) fn check() -> io::Result<Self> {
        #[expect(
            clippy::disallowed_methods,
            reason = "the threads of this process are listed there"
        )]
        // Each thread is a directory there, and directories are counted as links like everywhere, the two of the
        // directory itself among them. Should a system not do that, they are listed.
        let threads = || std::fs::read_dir(TASKS).map(Iterator::count);
        if rustix::fs::stat(TASKS)?.st_nlink == 3 || threads()? == 1 {
            return Ok(Self(()));
        }
        Err(io::Error::other("the helper of the sandbox must have one thread"))
    }
}

/// Lets all threads take memory from two stores, for a program that holds large things for others.
///
/// The C library has a store for every thread otherwise, and each keeps what was given back to it: whoever reads large
/// files in one thread after the other would hold several times what is in use. Has an effect on stores that are not
/// there yet, so it is called first.
pub fn share_memory() {
    #[cfg(target_env = "gnu")]
    {
        // SAFETY: it sets a number that the allocator looks at, and takes no pointer.
        unsafe { libc::mallopt(libc::M_ARENA_MAX, 2) };
    }
}

/// Which of the two processes this is after a fork.
pub(super) enum Fork {
    /// The one that forked, with its child.
    Parent(Pid),
    /// The new one.
    Child,
}

impl Fork {
    fn of(returned: libc::c_long) -> io::Result<Self> {
        match i32::try_from(returned) {
            Ok(0) => Ok(Self::Child),
            Ok(raw) if raw > 0 => {
                Pid::from_raw(raw).map(Self::Parent).ok_or_else(io::Error::last_os_error)
            }
            _ => Err(io::Error::last_os_error()),
        }
    }
}

/// A child with the same memory, files and rights.
pub(super) fn fork(_: Alone) -> io::Result<Fork> {
    // SAFETY: there is one thread, so no lock can be held by a thread that the child does not have.
    Fork::of(unsafe { libc::fork() }.into())
}

/// A child in namespaces of its own, named by the `CLONE_NEW*` flags. The older of the two calls: many
/// containers answer the newer one as if the kernel did not have it.
pub(super) fn fork_into(_: Alone, namespaces: libc::c_int) -> io::Result<Fork> {
    let flags = libc::c_long::from(namespaces | libc::SIGCHLD);
    let none: libc::c_long = 0;
    // SAFETY: without CLONE_VM and without a stack this is a fork; see there for the threads. All
    // pointers are null, which is nothing to write to.
    Fork::of(unsafe { libc::syscall(libc::SYS_clone, flags, none, none, none, none) })
}

/// A child that uses the memory of this process, which is stopped until the child has executed a
/// program or ended. Nothing is copied, so it costs little. Where `run` comes back the child ends, and what
/// `run` has written is there for this process.
pub(super) fn fork_borrowing(_: Alone, mut run: &mut dyn FnMut()) -> io::Result<Pid> {
    extern "C" fn enter(run: *mut libc::c_void) -> libc::c_int {
        // SAFETY: this is the reference below, and whoever lent it is stopped.
        let run = unsafe { &mut *run.cast::<&mut dyn FnMut()>() };
        run();
        // The frames above this one are those of a process that is stopped in them.
        exit(127)
    }
    let mut stack = vec![0_u8; 256 * 1024];
    let top = stack.len() & !0xf;
    let flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD;
    // SAFETY: the stack is large enough for what the child does and belongs to nobody else; this
    // process goes on only when the child no longer uses its memory.
    let returned = unsafe {
        let top = stack.as_mut_ptr().add(top).cast();
        libc::clone(enter, top, flags, (&raw mut run).cast())
    };
    match Fork::of(returned.into())? {
        Fork::Parent(pid) => Ok(pid),
        Fork::Child => exit(127),
    }
}

/// Becomes another program. Returns only when that failed.
pub(super) fn execute(path: &CString, args: &[CString], env: &[CString]) -> io::Error {
    let (args, env) = (pointers(args), pointers(env));
    // SAFETY: both lists end with a null pointer, and what they point to outlives the call.
    unsafe { libc::execve(path.as_ptr(), args.as_ptr(), env.as_ptr()) };
    io::Error::last_os_error()
}

/// Becomes the program in an open file. Returns only when that failed.
pub(super) fn execute_descriptor(
    file: BorrowedFd<'_>,
    args: &[CString],
    env: &[CString],
) -> io::Error {
    let (args, env) = (pointers(args), pointers(env));
    let (path, flags) = (c"".as_ptr(), libc::AT_EMPTY_PATH);
    // SAFETY: the path is a constant, both lists end with a null pointer, and what they point to
    // outlives the call, as does the descriptor.
    unsafe {
        libc::syscall(
            libc::SYS_execveat,
            file.as_raw_fd(),
            path,
            args.as_ptr(),
            env.as_ptr(),
            flags,
        )
    };
    io::Error::last_os_error()
}

/// A list as the kernel takes it.
fn pointers(strings: &[CString]) -> Vec<*const libc::c_char> {
    strings.iter().map(|text| text.as_ptr()).chain([ptr::null()]).collect()
}

/// Keeps everybody from opening the file for writing until it is closed. Fails with `EAGAIN` when
/// somebody has it open for writing already.
pub(super) fn lease(file: BorrowedFd<'_>) -> io::Result<()> {
    // SAFETY: takes a descriptor that is open and two numbers.
    let result = unsafe { libc::fcntl(file.as_raw_fd(), libc::F_SETLEASE, libc::F_RDLCK) };
    if result == -1 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// Ends this process at once, without running what was registered to run at its end: that belongs to
/// the process this one was forked from.
pub(super) fn exit(code: i32) -> ! {
    // SAFETY: ends the process; there is nothing to keep.
    unsafe { libc::_exit(code) }
}

/// Closes every descriptor above the standard streams. For a process that has just begun, by executing or
/// by a fork: nothing in it uses one, which [`Alone`] cannot witness but its only caller can.
pub(super) fn close_inherited(_: Alone) -> io::Result<()> {
    // SAFETY: nobody in this process uses what it has not opened itself, and it has opened nothing so far.
    nothing(unsafe { libc::syscall(libc::SYS_close_range, 3, u32::MAX, 0) })
}

/// Marks every descriptor above the standard streams to be closed when this process executes.
pub(super) fn close_on_execute() -> io::Result<()> {
    // SAFETY: descriptors stay open and owned as they are.
    nothing(unsafe { libc::syscall(libc::SYS_close_range, 3, u32::MAX, libc::CLOSE_RANGE_CLOEXEC) })
}

/// Sets a signal to what it does by default, or to nothing.
pub(super) fn ignore_signal(signal: libc::c_int, ignore: bool) {
    let action = if ignore { libc::SIG_IGN } else { libc::SIG_DFL };
    // SAFETY: no handler of ours is installed, so none can run in a wrong moment.
    unsafe { libc::signal(signal, action) };
}

/// Sets every signal to its default and blocks none: neither survives by accident into the tool.
pub(super) fn reset_signals() {
    for signal in 1..=64 {
        ignore_signal(signal, false);
    }
    // SAFETY: an empty set is made and read during the call.
    unsafe {
        let mut none: libc::sigset_t = mem::zeroed();
        libc::sigemptyset(&raw mut none);
        libc::sigprocmask(libc::SIG_SETMASK, &raw const none, ptr::null_mut());
    }
}

/// A descriptor that can be read when a child has ended or was stopped.
pub(super) fn ended_children() -> io::Result<OwnedFd> {
    // SAFETY: the set is made and read during the calls; the descriptor is new.
    unsafe {
        let mut set: libc::sigset_t = mem::zeroed();
        libc::sigemptyset(&raw mut set);
        libc::sigaddset(&raw mut set, libc::SIGCHLD);
        nothing(libc::sigprocmask(libc::SIG_BLOCK, &raw const set, ptr::null_mut()).into())?;
        let flags = libc::SFD_CLOEXEC | libc::SFD_NONBLOCK;
        descriptor(libc::signalfd(-1, &raw const set, flags).into())
    }
}

/// Changes the attributes (`MOUNT_ATTR_*`) of the mount behind a descriptor.
pub(super) fn mount_setattr(mount: BorrowedFd<'_>, set: u64, recursive: bool) -> io::Result<()> {
    /// The kernel's `struct mount_attr`.
    #[repr(C)]
    struct Attributes {
        set: u64,
        clear: u64,
        propagation: u64,
        user_namespace: u64,
    }
    let attributes = Attributes { set, clear: 0, propagation: 0, user_namespace: 0 };
    let depth = if recursive { libc::AT_RECURSIVE } else { 0 };
    // SAFETY: the path is empty and the structure is read during the call.
    nothing(unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            mount.as_raw_fd(),
            c"".as_ptr(),
            libc::AT_EMPTY_PATH | depth,
            &raw const attributes,
            size_of::<Attributes>(),
        )
    })
}

/// The flag of an interface that is up.
const UP: libc::c_short = 1;

/// Brings the loopback interface of this network namespace up.
pub(super) fn loopback_up() -> io::Result<()> {
    // SAFETY: the socket is owned by the descriptor made from it; the request is a plain structure
    // that the kernel reads and writes during the calls, with a name that ends with a zero byte.
    unsafe {
        let socket = descriptor(libc::c_long::from(libc::socket(
            libc::AF_INET,
            libc::SOCK_DGRAM | libc::SOCK_CLOEXEC,
            0,
        )))?;
        let mut request: libc::ifreq = mem::zeroed();
        for (to, from) in request.ifr_name.iter_mut().zip(b"lo") {
            *to = from.cast_signed();
        }
        nothing(libc::ioctl(socket.as_raw_fd(), libc::SIOCGIFFLAGS, &raw mut request).into())?;
        request.ifr_ifru.ifru_flags |= UP;
        nothing(libc::ioctl(socket.as_raw_fd(), libc::SIOCSIFFLAGS, &raw mut request).into())
    }
}

/// Installs a filter for system calls; with `listen` the answer of calls that ask for it is given by
/// whoever holds the returned descriptor.
pub(super) fn seccomp(filter: &[libc::sock_filter], listen: bool) -> io::Result<Option<OwnedFd>> {
    let program = libc::sock_fprog {
        len: u16::try_from(filter.len()).map_err(io::Error::other)?,
        filter: filter.as_ptr().cast_mut(),
    };
    let flags = if listen { libc::SECCOMP_FILTER_FLAG_NEW_LISTENER } else { 0 };
    // SAFETY: the program is read during the call, and its length is that of the slice.
    let returned = unsafe {
        libc::syscall(libc::SYS_seccomp, libc::SECCOMP_SET_MODE_FILTER, flags, &raw const program)
    };
    if listen { descriptor(returned).map(Some) } else { nothing(returned).map(|()| None) }
}

/// Which version of Landlock's interface the kernel has.
pub(super) fn landlock_version() -> io::Result<u32> {
    const VERSION: libc::c_ulong = 1;
    let nothing = ptr::null::<libc::c_void>();
    // SAFETY: with this flag the kernel reads nothing and makes nothing.
    let returned =
        unsafe { libc::syscall(libc::SYS_landlock_create_ruleset, nothing, 0_usize, VERSION) };
    u32::try_from(returned).map_err(|_| io::Error::last_os_error())
}

/// The next call that a filter asks about.
pub(super) fn notification(listener: BorrowedFd<'_>) -> io::Result<libc::seccomp_notif> {
    // SAFETY: the kernel wants the structure zeroed and fills it during the call.
    unsafe {
        let mut call: libc::seccomp_notif = mem::zeroed();
        let wanted = libc::SECCOMP_IOCTL_NOTIF_RECV;
        nothing(libc::ioctl(listener.as_raw_fd(), wanted, &raw mut call).into())?;
        Ok(call)
    }
}

/// Whether the process that made a call is still in it, so that what was read of it was its own.
pub(super) fn notification_holds(listener: BorrowedFd<'_>, id: u64) -> bool {
    // SAFETY: the kernel reads one number during the call.
    let wanted = libc::SECCOMP_IOCTL_NOTIF_ID_VALID;
    unsafe { libc::ioctl(listener.as_raw_fd(), wanted, &raw const id) == 0 }
}

/// Answers a call: it goes on as if nobody had asked, or fails with this error.
pub(super) fn answer(listener: BorrowedFd<'_>, id: u64, error: Option<i32>) -> io::Result<()> {
    /// `SECCOMP_USER_NOTIF_FLAG_CONTINUE`
    const CONTINUE: u32 = 1;
    let flags = if error.is_none() { CONTINUE } else { 0 };
    let response = libc::seccomp_notif_resp { id, val: 0, error: -error.unwrap_or(0), flags };
    // SAFETY: the kernel reads the structure during the call.
    let wanted = libc::SECCOMP_IOCTL_NOTIF_SEND;
    nothing(unsafe { libc::ioctl(listener.as_raw_fd(), wanted, &raw const response) }.into())
}

/// Lets the process that waits for an answer and the one that gives it run on one processor, one
/// after the other, which is what they do anyway. Older kernels do not know it.
pub(super) fn answer_on_the_same_processor(listener: BorrowedFd<'_>) {
    const SYNC_WAKE_UP: u64 = 1;
    // SAFETY: the argument is a number.
    let wanted = libc::SECCOMP_IOCTL_NOTIF_SET_FLAGS;
    unsafe { libc::ioctl(listener.as_raw_fd(), wanted, SYNC_WAKE_UP) };
}

/// Reads memory of another process, as much as there is up to the length of the buffer.
pub(super) fn read_memory(pid: u32, address: u64, buffer: &mut [u8]) -> io::Result<usize> {
    let local = libc::iovec { iov_base: buffer.as_mut_ptr().cast(), iov_len: buffer.len() };
    let remote = libc::iovec {
        iov_base: ptr::with_exposed_provenance_mut(
            usize::try_from(address).map_err(io::Error::other)?,
        ),
        iov_len: buffer.len(),
    };
    // SAFETY: the kernel writes into the buffer, at most its length; the other address is never used
    // in this process.
    let read = unsafe {
        libc::process_vm_readv(pid.cast_signed(), &raw const local, 1, &raw const remote, 1, 0)
    };
    usize::try_from(read).map_err(|_| io::Error::last_os_error())
}

/// Text for the kernel; text with a zero byte in it is refused.
pub(super) fn c_string(text: impl AsRef<OsStr>) -> io::Result<CString> {
    CString::new(text.as_ref().as_bytes()).map_err(io::Error::other)
}

/// Takes the descriptor with this number, which nobody else in this process knows of.
pub(super) fn inherited(number: RawFd) -> io::Result<OwnedFd> {
    // SAFETY: the number is only looked at until it is duplicated.
    let borrowed = unsafe { BorrowedFd::borrow_raw(number) };
    rustix::io::fcntl_dupfd_cloexec(borrowed.as_fd(), 3).map_err(io::Error::from)
}

fn descriptor(returned: libc::c_long) -> io::Result<OwnedFd> {
    match RawFd::try_from(returned) {
        // SAFETY: the kernel has just made it for this call, so nobody else owns it.
        Ok(number) if number >= 0 => Ok(unsafe { OwnedFd::from_raw_fd(number) }),
        _ => Err(io::Error::last_os_error()),
    }
}

fn nothing(returned: libc::c_long) -> io::Result<()> {
    if returned < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

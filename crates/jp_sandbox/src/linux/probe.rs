//! Tries what the machine offers, each thing in a process of its own, by doing it.
//!
//! Asking the kernel for its version or its settings would tell less: a container, a security module
//! or a limit can forbid what the kernel has.

use std::{
    io,
    os::fd::{AsFd, AsRawFd},
};

use camino::Utf8Path;
use rustix::{
    mount::{
        FsMountFlags, FsOpenFlags, MountAttrFlags, MountPropagationFlags, fsconfig_create,
        fsconfig_set_flag, fsconfig_set_string, fsmount, fsopen, mount_change,
    },
    process::{WaitOptions, waitpid},
};

use super::{
    bpf::Answer,
    init, mounts,
    sys::{self, Alone, Fork},
};
use crate::machine::{Feature, Machine};

/// Tries everything.
pub(super) fn probe(alone: Alone) -> Machine {
    let identity = (rustix::process::geteuid().as_raw(), rustix::process::getegid().as_raw());
    let inside = |extra, check: &dyn Fn() -> io::Result<()>| {
        let namespaces = libc::CLONE_NEWUSER | libc::CLONE_NEWNS | libc::CLONE_NEWPID | extra;
        attempt(
            || sys::fork_into(alone, namespaces),
            || {
                init::map_identity(identity).map_err(io::Error::other)?;
                mount_change("/", MountPropagationFlags::PRIVATE | MountPropagationFlags::REC)?;
                check()
            },
        )
    };
    let landlock = sys::landlock_version();
    let found = |feature| match feature {
        Feature::Namespaces => {
            let others = libc::CLONE_NEWIPC | libc::CLONE_NEWUTS;
            inside(others, &|| mounts::memory("0755", mounts::MEBIBYTE).map(drop))
        }
        Feature::Network => inside(libc::CLONE_NEWNET, &sys::loopback_up),
        Feature::Proc => inside(0, &|| init::new_proc().map(drop)),
        Feature::Overlay => inside(0, &overlay),
        Feature::Landlock => landlock.as_ref().map(drop).map_err(ToString::to_string),
        Feature::Seccomp => attempt(|| sys::fork(alone), || seccomp(false)),
        Feature::Supervision => attempt(|| sys::fork(alone), || seccomp(true)),
    };
    let features = Feature::ALL.map(|feature| (feature, found(feature).err())).to_vec();
    let system = rustix::system::uname();
    let text = |part: &std::ffi::CStr| part.to_string_lossy().into_owned();
    let kernel = format!("{} {}", text(system.sysname()), text(system.release()));
    Machine { kernel, landlock: landlock.unwrap_or(0), features }
}

/// Does something in a child; an error of the system comes back as its exit code.
fn attempt(
    fork: impl FnOnce() -> io::Result<Fork>,
    what: impl FnOnce() -> io::Result<()>,
) -> Result<(), String> {
    let child = match fork().map_err(|error| error.to_string())? {
        Fork::Child => {
            let code = what().err().map_or(0, |error| error.raw_os_error().unwrap_or(libc::EIO));
            sys::exit(code)
        }
        Fork::Parent(child) => child,
    };
    let status = waitpid(Some(child), WaitOptions::empty()).map_err(|error| error.to_string())?;
    match status.and_then(|(_, status)| status.exit_status()) {
        Some(0) => Ok(()),
        Some(code) => Err(io::Error::from_raw_os_error(code).to_string()),
        None => Err("the attempt was killed".to_owned()),
    }
}

fn overlay() -> io::Result<()> {
    let staging = mounts::memory("0700", mounts::MEBIBYTE)?;
    // Layers have to be mounted somewhere: here where this process does not look.
    mounts::attach(staging.as_fd(), rustix::fs::CWD, Utf8Path::new("/"))?;
    for name in ["lower", "upper", "work"] {
        mounts::make_directory(staging.as_fd(), Utf8Path::new(name))?;
    }
    let layer = |name: &str| format!("/proc/self/fd/{}/{name}", staging.as_raw_fd());
    let context = fsopen("overlay", FsOpenFlags::FSOPEN_CLOEXEC)?;
    fsconfig_set_flag(&context, "userxattr")?;
    fsconfig_set_string(&context, "lowerdir", layer("lower"))?;
    fsconfig_set_string(&context, "upperdir", layer("upper"))?;
    fsconfig_set_string(&context, "workdir", layer("work"))?;
    fsconfig_create(&context)?;
    fsmount(&context, FsMountFlags::FSMOUNT_CLOEXEC, MountAttrFlags::empty())?;
    Ok(())
}

fn seccomp(ask: bool) -> io::Result<()> {
    rustix::thread::set_no_new_privs(true)?;
    // A call that nobody makes here.
    let call = u32::try_from(libc::SYS_acct).map_err(io::Error::other)?;
    let answer = if ask { Answer::Ask } else { Answer::Error(libc::EPERM) };
    let filter = super::bpf::compile(&[(call, answer)].into())?;
    sys::seccomp(&filter, ask).map(drop)
}

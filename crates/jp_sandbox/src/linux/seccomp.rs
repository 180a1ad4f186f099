//! The system calls that a confined process does not have.
//!
//! It is a list of what is taken away: programs use many calls, and what is dangerous about files,
//! processes and the network is already kept from them by namespaces and Landlock. What is left here
//! can undo those (mounting, other namespaces, handles instead of paths), reach into other processes,
//! load code into the kernel, or is a large and rarely needed part of the kernel to attack.

use std::{collections::BTreeMap, io};

use super::bpf::{Answer, Case, Condition, compile};
use crate::confinement::{Network, Tier};

/// What a filter depends on.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wanted {
    pub(super) tier: Tier,
    pub(super) network: Network,
    /// Whether files in memory could be run although the view lets nothing that is written be run.
    pub(super) forbid_memory_files: bool,
}

/// Calls that are refused whatever their arguments.
const REFUSED: &[libc::c_long] = &[
    // Other processes.
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_process_madvise,
    libc::SYS_pidfd_getfd,
    libc::SYS_kcmp,
    // Mounts and roots.
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_open_tree,
    libc::SYS_move_mount,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    // Files without a path.
    libc::SYS_open_by_handle_at,
    libc::SYS_name_to_handle_at,
    // Namespaces.
    libc::SYS_setns,
    // Code in the kernel, and large doors into it.
    libc::SYS_bpf,
    libc::SYS_userfaultfd,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_perf_event_open,
    libc::SYS_kexec_load,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_fanotify_init,
    // Keys are shared by all processes of a user.
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    // The machine.
    libc::SYS_reboot,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_acct,
    libc::SYS_quotactl,
    libc::SYS_quotactl_fd,
    libc::SYS_syslog,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_adjtimex,
    libc::SYS_clock_adjtime,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_vhangup,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_kexec_file_load,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_ioperm,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_iopl,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_modify_ldt,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_uselib,
];

/// Calls that are as if the kernel did not have them, so that programs fall back to something older.
/// What `clone3` is asked for lies in memory, where no filter can look; the other is
/// `open_tree_attr`, which is newer than the C library's list.
const UNKNOWN: [libc::c_long; 2] = [libc::SYS_clone3, 467];

/// Flags of `clone` and `unshare` that make namespaces.
const NAMESPACES: u32 = (libc::CLONE_NEWUSER
    | libc::CLONE_NEWNS
    | libc::CLONE_NEWPID
    | libc::CLONE_NEWNET
    | libc::CLONE_NEWIPC
    | libc::CLONE_NEWUTS
    | libc::CLONE_NEWCGROUP)
    .cast_unsigned();

/// `CLONE_NEWTIME` has the place of a signal number in `clone`, so only `unshare` knows it.
const TIME_NAMESPACE: u32 = 0x80;

/// Requests of `ioctl` that type into a terminal.
const TYPING: [libc::Ioctl; 2] = [libc::TIOCSTI, libc::TIOCLINUX];

/// The filter as the kernel takes it.
pub(super) fn filter(wanted: Wanted, asked: &[libc::c_long]) -> io::Result<Vec<libc::sock_filter>> {
    let mut answers = BTreeMap::new();
    let mut set = |call: libc::c_long, answer: Answer| {
        let number = u32::try_from(call).map_err(io::Error::other)?;
        answers.insert(number, answer);
        io::Result::Ok(())
    };
    for call in asked {
        set(*call, Answer::Ask)?;
    }
    for call in REFUSED {
        set(*call, Answer::Error(libc::EPERM))?;
    }
    for call in UNKNOWN {
        set(call, Answer::Error(libc::ENOSYS))?;
    }
    if wanted.forbid_memory_files {
        set(libc::SYS_memfd_create, Answer::Error(libc::EPERM))?;
    }
    set(libc::SYS_clone, Answer::RefuseIf(vec![vec![Condition::HasAny(0, NAMESPACES)]]))?;
    let every_namespace = Condition::HasAny(0, NAMESPACES | TIME_NAMESPACE);
    set(libc::SYS_unshare, Answer::RefuseIf(vec![vec![every_namespace]]))?;
    #[expect(clippy::cast_possible_truncation, reason = "the kernel looks at 32 bits of it")]
    let typing = TYPING.map(|request| vec![Condition::Is(1, request as u32)]);
    set(libc::SYS_ioctl, Answer::RefuseIf(typing.to_vec()))?;
    set(libc::SYS_socket, sockets(wanted))?;
    compile(&answers)
}

/// Sockets that a process cannot make. Where there is no network namespace, no network means no
/// sockets of it; and sockets with a path are reached by their path whatever Landlock says, so there
/// are none of those either. Everywhere else only the families that programs use are left: others go
/// past namespaces (`AF_VSOCK`) or are rarely looked after.
fn sockets(wanted: Wanted) -> Answer {
    let families: &[libc::c_int] = match (wanted.tier, wanted.network) {
        (Tier::Namespaces, _) => &[libc::AF_UNIX, libc::AF_NETLINK, libc::AF_INET, libc::AF_INET6],
        (_, Network::Shared) => &[libc::AF_NETLINK, libc::AF_INET, libc::AF_INET6],
        (_, Network::None | Network::Proxy) => return Answer::Error(libc::EPERM),
    };
    let other = families.iter().map(|family| Condition::IsNot(0, family.cast_unsigned()));
    let mut cases: Vec<Case> = vec![other.collect()];
    // Netlink is how a program asks for its own addresses; its other uses configure the kernel.
    cases.push(vec![
        Condition::Is(0, libc::AF_NETLINK.cast_unsigned()),
        Condition::IsNot(2, libc::NETLINK_ROUTE.cast_unsigned()),
    ]);
    // Raw sockets forge what others send. The kind shares its argument with flags.
    for family in [libc::AF_INET, libc::AF_INET6] {
        cases.push(vec![
            Condition::Is(0, family.cast_unsigned()),
            Condition::MaskedIs(1, 0xf, libc::SOCK_RAW.cast_unsigned()),
        ]);
    }
    Answer::RefuseIf(cases)
}

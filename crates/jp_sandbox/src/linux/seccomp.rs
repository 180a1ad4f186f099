//! The system calls that a confined process does not have.
//!
//! It is a list of what is taken away: programs use many calls, and what is dangerous about files,
//! processes and the network is already kept from them by namespaces and Landlock. What is left here
//! can undo those (mounting, other namespaces, handles instead of paths), reach into other processes,
//! load code into the kernel, or is a large and rarely needed part of the kernel to attack.

use std::{collections::BTreeMap, io};

use super::bpf::{Answer, Case, Condition, Otherwise, compile};
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
    // Where things are mounted and how processes are watched, newer than the C library's list:
    // `statmount`, `listmount`, `lsm_set_self_attr`.
    457,
    458,
    460,
    libc::SYS_migrate_pages,
    libc::SYS_move_pages,
    libc::SYS_fanotify_mark,
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

/// Calls that reach what a namespace keeps apart: memory, queues and semaphores of the whole machine.
/// And what Landlock has no say in: owner, mode, times and attributes of every file that can be named.
const WITHOUT_NAMESPACE: &[libc::c_long] = &[
    libc::SYS_shmget,
    libc::SYS_shmat,
    libc::SYS_shmctl,
    libc::SYS_semget,
    libc::SYS_semop,
    libc::SYS_semtimedop,
    libc::SYS_semctl,
    libc::SYS_msgget,
    libc::SYS_msgsnd,
    libc::SYS_msgrcv,
    libc::SYS_msgctl,
    libc::SYS_mq_open,
    libc::SYS_mq_unlink,
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    libc::SYS_fchmodat2,
    libc::SYS_fchown,
    libc::SYS_fchownat,
    libc::SYS_utimensat,
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_fremovexattr,
    // `setxattrat`, `removexattrat` and `file_setattr`, which are newer than the C library's list.
    463,
    466,
    469,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_chmod,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_chown,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_lchown,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_utime,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_utimes,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_futimesat,
];

/// Calls that change how another process runs, and the argument that names it; zero is the caller.
/// Landlock has no say in them, and the supervisor is another process.
const OTHERS: &[(libc::c_long, u32)] = &[
    (libc::SYS_prlimit64, 0),
    (libc::SYS_setpriority, 1),
    (libc::SYS_ioprio_set, 1),
    (libc::SYS_sched_setaffinity, 0),
    (libc::SYS_sched_setscheduler, 0),
    (libc::SYS_sched_setparam, 0),
    (libc::SYS_sched_setattr, 0),
];

/// The old kind of socket that sees every packet.
const SOCK_PACKET: libc::c_int = 10;

/// Requests of `ioctl` that change the attributes of a file.
const ATTRIBUTES: [libc::Ioctl; 3] = [0x4008_6602, 0x4004_6602, 0x401c_5820];

/// Calls that are as if the kernel did not have them, so that programs fall back to something older.
/// What `clone3` and `openat2` are asked for lies in memory, where no filter can look; the last is
/// `open_tree_attr`, which is newer than the C library's list.
const UNKNOWN: [libc::c_long; 3] = [libc::SYS_clone3, libc::SYS_openat2, 467];

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

/// Requests of `ioctl` that type into a terminal, or change what it is.
const TYPING: [libc::Ioctl; 3] = [libc::TIOCSTI, libc::TIOCLINUX, libc::TIOCSETD];

/// The bits of a mode that make a file run as its owner.
const SET_ID: u32 = 0o6000;

/// Calls that set a mode, and the argument that it is. A file that runs as its owner would be a way
/// back for whoever gets hold of it later.
const MODES: &[(libc::c_long, u32)] = &[
    (libc::SYS_fchmod, 1),
    (libc::SYS_fchmodat, 2),
    (libc::SYS_fchmodat2, 2),
    (libc::SYS_mknodat, 2),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_chmod, 1),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_mknod, 1),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_creat, 1),
];

/// Calls that set a mode if their flags say so: the arguments of both.
const MODES_OF_NEW: &[(libc::c_long, u32, u32)] = &[
    (libc::SYS_openat, 2, 3),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_open, 1, 2),
];

/// Flags with which a file is made.
const MAKES: u32 = (libc::O_CREAT | libc::O_TMPFILE & !libc::O_DIRECTORY).cast_unsigned();

/// What whoever has no sockets gets for what sockets are for.
const NO_SOCKETS: Answer = Answer::Error(libc::EPERM);

/// The filter as the kernel takes it.
pub(super) fn filter(wanted: Wanted, asked: &[libc::c_long]) -> io::Result<Vec<libc::sock_filter>> {
    let mut answers = Answers::default();
    answers.set_all(asked, &Answer::Ask);
    answers.refuse_modes();
    answers.set_all(REFUSED, &Answer::Error(libc::EPERM));
    answers.set_all(&UNKNOWN, &Answer::Error(libc::ENOSYS));
    if wanted.tier == Tier::Landlock {
        answers.refuse_what_namespaces_keep_apart();
    }
    if wanted.forbid_memory_files {
        answers.set(libc::SYS_memfd_create, Answer::Error(libc::EPERM));
        answers.set(libc::SYS_memfd_secret, Answer::Error(libc::EPERM));
    }
    answers.refuse_if(libc::SYS_clone, vec![vec![Condition::HasAny(0, NAMESPACES)]]);
    let every_namespace = Condition::HasAny(0, NAMESPACES | TIME_NAMESPACE);
    answers.refuse_if(libc::SYS_unshare, vec![vec![every_namespace]]);
    answers.refuse_if(libc::SYS_ioctl, requests(wanted.tier));
    answers.set(libc::SYS_socket, sockets(wanted));
    answers.refuse_if(libc::SYS_socketpair, pairs(wanted));
    if sockets(wanted) == NO_SOCKETS {
        // All that they have are ends of pairs, and a name of one is read by whoever is in the same network.
        answers.set(libc::SYS_bind, NO_SOCKETS);
    }
    compile(&answers.0)
}

/// The answers so far, by the number of the call.
#[derive(Default)]
struct Answers(BTreeMap<u32, Answer>);

impl Answers {
    fn set(&mut self, call: libc::c_long, answer: Answer) {
        // Numbers of calls are small and not negative.
        if let Ok(number) = u32::try_from(call) {
            self.0.insert(number, answer);
        }
    }

    fn set_all(&mut self, calls: &[libc::c_long], answer: &Answer) {
        for call in calls {
            self.set(*call, answer.clone());
        }
    }

    /// Refuses some uses of a call, and leaves to others what was meant for all.
    fn refuse_if(&mut self, call: libc::c_long, cases: Vec<Case>) {
        let asked =
            u32::try_from(call).is_ok_and(|number| self.0.get(&number) == Some(&Answer::Ask));
        let otherwise = if asked { Otherwise::Ask } else { Otherwise::Allow };
        self.set(call, Answer::RefuseIf(cases, otherwise));
    }

    fn refuse_modes(&mut self) {
        for (call, mode) in MODES {
            self.refuse_if(*call, vec![vec![Condition::HasAny(*mode, SET_ID)]]);
        }
        for (call, flags, mode) in MODES_OF_NEW {
            let case = vec![Condition::HasAny(*flags, MAKES), Condition::HasAny(*mode, SET_ID)];
            self.refuse_if(*call, vec![case]);
        }
    }

    fn refuse_what_namespaces_keep_apart(&mut self) {
        self.set_all(WITHOUT_NAMESPACE, &Answer::Error(libc::EPERM));
        for (call, argument) in OTHERS {
            self.refuse_if(*call, vec![vec![Condition::IsNot(*argument, 0)]]);
        }
    }
}

/// Requests of `ioctl` that are refused.
fn requests(tier: Tier) -> Vec<Case> {
    #[expect(clippy::cast_possible_truncation, reason = "the kernel looks at 32 bits of it")]
    let refused = |request: &libc::Ioctl| vec![Condition::Is(1, *request as u32)];
    let attributes: &[libc::Ioctl] = if tier == Tier::Landlock { &ATTRIBUTES } else { &[] };
    TYPING.iter().chain(attributes).map(refused).collect()
}

/// Sockets that a process cannot make. Where there is no network namespace, no network means no
/// sockets of it; and sockets with a path are reached by their path, whatever namespaces and Landlock
/// say, so who has no network or one by rules has none of those either. Everywhere else only the
/// families that programs use are left: others go past namespaces (`AF_VSOCK`) or are rarely looked
/// after.
fn sockets(wanted: Wanted) -> Answer {
    let families: &[libc::c_int] = match (wanted.tier, wanted.network) {
        (_, Network::Sealed) => return NO_SOCKETS,
        (Tier::Namespaces, Network::Shared) => {
            &[libc::AF_UNIX, libc::AF_NETLINK, libc::AF_INET, libc::AF_INET6]
        }
        (Tier::Namespaces, _) | (_, Network::Shared) => {
            &[libc::AF_NETLINK, libc::AF_INET, libc::AF_INET6]
        }
        (_, Network::None | Network::Proxy) => return NO_SOCKETS,
    };
    let other = families.iter().map(|family| Condition::IsNot(0, family.cast_unsigned()));
    let mut cases: Vec<Case> = vec![other.collect()];
    // Netlink is how a program asks for its own addresses; its other uses configure the kernel.
    cases.push(vec![
        Condition::Is(0, libc::AF_NETLINK.cast_unsigned()),
        Condition::IsNot(2, libc::NETLINK_ROUTE.cast_unsigned()),
    ]);
    // Raw sockets forge what others send. The kind shares its argument with flags.
    // Of `SOCK_PACKET` the kernel makes a packet socket, whatever the family.
    for family in [libc::AF_INET, libc::AF_INET6] {
        for kind in [libc::SOCK_RAW, SOCK_PACKET] {
            cases.push(vec![
                Condition::Is(0, family.cast_unsigned()),
                Condition::MaskedIs(1, 0xf, kind.cast_unsigned()),
            ]);
        }
    }
    Answer::RefuseIf(cases, Otherwise::Allow)
}

/// Pairs that a process cannot make. Programs use those of one family; some of the others (`AF_TIPC`) reach whoever
/// is in the same network, and to ask for one loads what the kernel has for it.
///
/// Ends of a pair that are not connected for good can be connected to a path, or send to one. The
/// kernel takes raw ones for datagrams.
fn pairs(wanted: Wanted) -> Vec<Case> {
    let mut cases = vec![vec![Condition::IsNot(0, libc::AF_UNIX.cast_unsigned())]];
    if wanted.tier != Tier::Namespaces || wanted.network != Network::Shared {
        let kinds = [libc::SOCK_DGRAM, libc::SOCK_RAW];
        cases.extend(kinds.map(|kind| vec![Condition::MaskedIs(1, 0xf, kind.cast_unsigned())]));
    }
    cases
}

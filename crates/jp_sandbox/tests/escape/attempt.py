"""What all attempts share: how to say how it went, and how to make raw system calls.

An attempt is one function under `@attempt`. An error of the system means that it was contained; any
other error is a mistake of the script. Who is out says so with `escaped`.
"""

import ctypes
import errno
import os
import sys

SECRET = "JP-ESCAPE-SECRET"

WS = os.environ["WS"]
OUTSIDE = os.environ["OUTSIDE"]
TMP = os.environ["TMP"]

libc = ctypes.CDLL(None, use_errno=True)

# Calls that have no function in every C library, by machine. From 424 on all machines agree.
_X86_64 = dict(
    ptrace=101, personality=135, pivot_root=155, mount=165, umount2=166, quotactl=179,
    add_key=248, request_key=249, keyctl=250, ioprio_set=251, unshare=272, migrate_pages=256,
    perf_event_open=298, fanotify_init=300, prlimit64=302, name_to_handle_at=303,
    open_by_handle_at=304, setns=308, process_vm_readv=310, process_vm_writev=311, kcmp=312,
    memfd_create=319, bpf=321, execveat=322, userfaultfd=323, clone=56, syslog=103, chroot=161,
    sethostname=170, mq_open=240, mq_timedreceive=243, shmget=29, shmat=30, msgget=68, msgrcv=70,
    renameat2=316, sched_setaffinity=203, finit_module=313, swapon=167, acct=163, kexec_load=246,
)
_AARCH64 = dict(
    ptrace=117, personality=92, pivot_root=41, mount=40, umount2=39, quotactl=60,
    add_key=217, request_key=218, keyctl=219, ioprio_set=30, unshare=97, migrate_pages=238,
    perf_event_open=241, fanotify_init=262, prlimit64=261, name_to_handle_at=264,
    open_by_handle_at=265, setns=268, process_vm_readv=270, process_vm_writev=271, kcmp=272,
    memfd_create=279, bpf=280, execveat=281, userfaultfd=282, clone=220, syslog=116, chroot=51,
    sethostname=161, mq_open=180, mq_timedreceive=183, shmget=194, shmat=196, msgget=186,
    msgrcv=188, renameat2=276, sched_setaffinity=122, finit_module=273, swapon=224, acct=89,
    kexec_load=104,
)
_EVERYWHERE = dict(
    pidfd_send_signal=424, io_uring_setup=425, open_tree=428, move_mount=429, fsopen=430,
    fsconfig=431, fsmount=432, fspick=433, pidfd_open=434, clone3=435, pidfd_getfd=438,
    mount_setattr=442, memfd_secret=447, open_tree_attr=467, fchmodat2=452,
)
NUMBERS = {**(_AARCH64 if os.uname().machine == "aarch64" else _X86_64), **_EVERYWHERE}


def escaped(how):
    """Ends the attempt: it got what it wanted."""
    _end(f"ESCAPED {how}", 0)


def contained(why):
    """Ends the attempt: it did not."""
    _end(f"contained: {why}", 3)


def missing(what):
    """Ends the attempt: this machine does not have what it is about."""
    _end(f"missing: {what}", 4)


def attempt(body):
    """Runs the attempt."""
    try:
        body()
    except OSError as error:
        contained(f"{body.__name__}: {error}")
    raise SystemExit("the attempt came to no end")


def expect_secret(text, where):
    """Out if this is what is kept from it."""
    if isinstance(text, bytes):
        text = text.decode(errors="replace")
    if SECRET in text:
        escaped(f"read the secret from {where}")
    contained(f"{where} holds something else")


def read(path):
    """The beginning of a file."""
    with open(path, "rb") as file:
        return file.read(65536)


def read_program():
    """A program that does nothing, successfully."""
    with open("/usr/bin/true", "rb") as file:
        return file.read()


def write_program(path, content):
    """A file that could be run, if files could be run there."""
    file = os.open(path, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o755)
    os.write(file, content)
    os.close(file)


def call(name, *arguments):
    """A system call by name or number; an error becomes an exception."""
    number = NUMBERS[name] if isinstance(name, str) else name
    words = [ctypes.c_long(word) if isinstance(word, int) else word for word in arguments]
    libc.syscall.restype = ctypes.c_long
    returned = libc.syscall(ctypes.c_long(number), *words)
    if returned == -1:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code), str(name))
    return returned


def host(*words):
    """Lets the host do something, and waits until it has."""
    print("@host", *words, flush=True)
    return sys.stdin.readline().strip()


def is_confined():
    """Whether this is not the demonstration: the outside cannot be listed."""
    try:
        return "victim" not in os.listdir(OUTSIDE)
    except OSError:
        return True


def in_child(body):
    """Whether a function ends well in a process of its own; an error of the system is passed on."""
    child = os.fork()
    if child == 0:
        try:
            body()
            os._exit(0)
        except OSError as error:
            os._exit(error.errno or 255)
        finally:
            os._exit(254)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        raise OSError(errno.EINTR, f"the child died of signal {os.WTERMSIG(status)}")
    code = os.WEXITSTATUS(status)
    if code:
        raise OSError(code, os.strerror(code))


def heartbeat(seconds=4):
    """Keeps writing where the host sees it, and ends by itself in the end."""
    import time

    until = time.monotonic() + seconds
    beat = os.open(f"{WS}/noexec/beat", os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o644)
    while time.monotonic() < until:
        os.write(beat, b".")
        time.sleep(0.01)
    os._exit(0)


def leave_streams():
    """Closes the standard streams, so that nobody waits for them."""
    null = os.open("/dev/null", os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(null, number)


def await_heartbeat():
    """Waits until there is one, and ends the attempt; whether it goes on is for the runner to see."""
    import time

    for _ in range(300):
        if os.path.exists(f"{WS}/noexec/beat") and os.path.getsize(f"{WS}/noexec/beat"):
            break
        time.sleep(0.01)
    os._exit(0)


def _end(text, code):
    print(text, flush=True)
    os._exit(code)

"""Writes which functions of a program a run of it reaches, in the order in which it reaches them first.

    reached.py FILE PROGRAM [ARGUMENT...]

Each function begins with a breakpoint, which is taken away when it is hit; processes that the program forks
are followed until they execute something else. For Linux on x86-64.
"""

import ctypes
import os
import signal
import struct
import subprocess
import sys

TRACEME, CONTINUE, GET_REGISTERS, SET_REGISTERS, SET_OPTIONS = 0, 7, 12, 13, 0x4200
# Follow fork, vfork and clone, say when something is executed, and end everything with this program.
OPTIONS = 0x2 | 0x4 | 0x8 | 0x10 | 0x100000
EXECUTED = 4
# The place in the registers, and in the list that the kernel gives a program, of what is needed.
INSTRUCTION_POINTER, ENTRY = 16, 9
ALL_CHILDREN = 0x40000000
BREAKPOINT = b"\xcc"
# After so many seconds a run is given up.
LONGEST = 120

libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
libc.ptrace.restype = ctypes.c_long


def ptrace(request, pid, data=0):
    if libc.ptrace(request, pid, 0, data) < 0:
        raise OSError(ctypes.get_errno(), f"ptrace {request:#x}")


def functions(program):
    """The name of each function by its address in the file."""
    lines = subprocess.check_output(["nm", program], text=True).splitlines()
    fields = (line.split() for line in lines)
    return {int(f[0], 16): f[2] for f in fields if len(f) == 3 and f[1] in "tT"}


def started(words):
    pid = os.fork()
    if pid == 0:
        ptrace(TRACEME, 0)
        os.execv(words[0], words)
    os.waitpid(pid, 0)
    ptrace(SET_OPTIONS, pid, OPTIONS)
    return pid


def loaded_at(pid, program):
    with open(f"/proc/{pid}/auxv", "rb") as file:
        entry = dict(struct.iter_unpack("QQ", file.read()))[ENTRY]
    with open(program, "rb") as file:
        return entry - struct.unpack_from("<Q", file.read(64), 24)[0]


class Reached:
    def __init__(self, pid, program):
        base = loaded_at(pid, program)
        self.names = {base + at: name for at, name in functions(program).items()}
        self.bytes, self.order = {}, {}
        with open(f"/proc/{pid}/mem", "r+b", buffering=0) as memory:
            for at in self.names:
                self.bytes[at] = os.pread(memory.fileno(), 1, at)
                os.pwrite(memory.fileno(), BREAKPOINT, at)

    def hit(self, pid):
        """Whether the process stands at one of the breakpoints, which is gone then."""
        registers = (ctypes.c_ulonglong * 27)()
        ptrace(GET_REGISTERS, pid, ctypes.addressof(registers))
        at = registers[INSTRUCTION_POINTER] - 1
        if at not in self.names:
            return False
        self.order.setdefault(self.names[at])
        with open(f"/proc/{pid}/mem", "r+b", buffering=0) as memory:
            os.pwrite(memory.fileno(), self.bytes[at], at)
        registers[INSTRUCTION_POINTER] = at
        ptrace(SET_REGISTERS, pid, ctypes.addressof(registers))
        return True


def follow(first, reached):
    """Goes on until every process has ended; how the first one did."""
    running, elsewhere, ended = {first}, set(), 0
    ptrace(CONTINUE, first)
    while running:
        pid, status = os.waitpid(-1, ALL_CHILDREN)
        if os.WIFEXITED(status) or os.WIFSIGNALED(status):
            running.discard(pid)
            ended = os.waitstatus_to_exitcode(status) if pid == first else ended
            continue
        running.add(pid)
        event, stopped = status >> 16, os.WSTOPSIG(status)
        if event == EXECUTED:
            elsewhere.add(pid)
        trapped = stopped == signal.SIGTRAP and not event
        # A new process begins with a stop that nobody sent.
        ours = event or stopped == signal.SIGSTOP
        if trapped and pid not in elsewhere:
            ours = reached.hit(pid)
        try:
            ptrace(CONTINUE, pid, 0 if ours else stopped)
        except ProcessLookupError:
            running.discard(pid)
    return ended


def main():
    file, words = sys.argv[1], sys.argv[2:]
    signal.alarm(LONGEST)
    pid = started(words)
    reached = Reached(pid, words[0])
    if ended := follow(pid, reached):
        sys.exit(f"{words} ended with {ended}")
    with open(file, "w") as out:
        out.writelines(f"{name}\n" for name in reached.order)


main()

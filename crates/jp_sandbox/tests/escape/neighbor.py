"""A process of the same user beside the sandbox, with something to offer of every kind.

It tells what it offers as `NAME=value` lines and an empty one, and then serves until it is killed.
"""

import array
import ctypes
import os
import select
import signal
import socket
import sys

SECRET = b"JP-ESCAPE-SECRET"
root = sys.argv[1]
outside, workspace = f"{root}/outside", f"{root}/workspace"
libc = ctypes.CDLL(None, use_errno=True)
libc.shmat.restype = ctypes.c_void_p
offers = {"HOST_PID": os.getpid()}

streams, datagrams = [], []


def listen(name, family, address, tell):
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.bind(address)
    listener.listen(64)
    streams.append(listener)
    offers[name] = tell(listener)


def receive(name, family, address, tell):
    receiver = socket.socket(family, socket.SOCK_DGRAM)
    receiver.bind(address)
    datagrams.append(receiver)
    offers[name] = tell(receiver)


port = lambda made: made.getsockname()[1]
path = lambda made: made.getsockname()
listen("TCP_PORT", socket.AF_INET, ("127.0.0.1", 0), port)
receive("UDP_PORT", socket.AF_INET, ("127.0.0.1", 0), port)
listen("UNIX_OUTSIDE", socket.AF_UNIX, f"{outside}/service.sock", path)
listen("UNIX_VISIBLE", socket.AF_UNIX, f"{workspace}/ro/service.sock", path)
listen("UNIX_WRITABLE", socket.AF_UNIX, f"{workspace}/noexec/service.sock", path)
receive("UNIX_DATAGRAM", socket.AF_UNIX, f"{outside}/log.sock", path)
receive("UNIX_DATAGRAM_VISIBLE", socket.AF_UNIX, f"{workspace}/ro/log.sock", path)
name = f"jp-escape-{os.getpid()}"
listen("ABSTRACT", socket.AF_UNIX, f"\0{name}", lambda made: name)
receive("ABSTRACT_DATAGRAM", socket.AF_UNIX, f"\0{name}-log", lambda made: f"{name}-log")

# Memory, a message and a key that belong to everybody who knows their number.
number = 0x4A500000 | (os.getpid() & 0xFFFFF)
segment = libc.shmget(number, 4096, 0o1000 | 0o600)
if segment >= 0:
    memory = libc.shmat(segment, None, 0)
    ctypes.memmove(memory, SECRET + b"\0", len(SECRET) + 1)
    # It goes away with the last process that has it; until then it is found by its identifier.
    libc.shmctl(segment, 0, None)
    offers["SHM_ID"] = segment
queue = libc.msgget(number, 0o1000 | 0o600)
if queue >= 0:
    offers["MSG_ID"] = queue

# Files of the whole machine.
shared = f"/dev/shm/{name}"
try:
    with open(shared, "wb") as file:
        file.write(SECRET)
    offers["DEV_SHM"] = shared
except OSError:
    pass
secret = ctypes.create_string_buffer(SECRET)
offers["SECRET_AT"] = ctypes.addressof(secret)
file = open(f"{outside}/victim", "rb")
offers["SECRET_FD"] = file.fileno()
directory = os.open(outside, os.O_RDONLY)

parent = os.getpid()
if os.fork() == 0:
    # Whoever is killed does not tidy up, so this one waits for that.
    import time

    null = os.open("/dev/null", os.O_RDWR)
    os.dup2(null, 1)
    while os.getppid() == parent:
        time.sleep(0.05)
    if queue >= 0:
        libc.msgctl(queue, 0, None)
    try:
        os.unlink(shared)
    except OSError:
        pass
    os._exit(0)



def tell(number, frame):
    """These signals mean nothing to anybody else, so that the demonstration does no harm."""
    name = "urgent" if number == signal.SIGURG else "received"
    with open(f"{outside}/{name}", "ab") as log:
        log.write(b"signal")


signal.signal(signal.SIGWINCH, tell)
signal.signal(signal.SIGURG, tell)

for name, value in offers.items():
    print(f"{name}={value}")
print(flush=True)

while True:
    ready, _, _ = select.select(streams + datagrams, [], [])
    for found in ready:
        try:
            if found in streams:
                connection, _ = found.accept()
                rights = []
                if connection.family == socket.AF_UNIX:
                    rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [directory]))]
                connection.sendmsg([SECRET], rights)
                connection.close()
            else:
                message, sender = found.recvfrom(1024)
                with open(f"{outside}/received", "ab") as log:
                    log.write(message)
                if sender:
                    found.sendto(SECRET, sender)
        except OSError:
            pass

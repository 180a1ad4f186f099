#!/usr/bin/env python3
# tries: to run a program from a file without a name
# escaped: it runs
from attempt import *


@attempt
def run():
    for place in (TMP, "/dev/shm", "/dev", f"{WS}/noexec"):
        try:
            number = os.open(place, os.O_TMPFILE | os.O_RDWR, 0o755)
            os.write(number, read_program())
            again = os.open(f"/proc/self/fd/{number}", os.O_RDONLY)
            os.close(number)
            words = (ctypes.c_char_p * 2)(b"program", None)
            in_child(lambda: call("execveat", again, b"", words, None, 0x1000))
            escaped(f"it runs in {place}")
        except OSError as error:
            last = error
    raise last

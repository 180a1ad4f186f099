#!/usr/bin/env python3
# tries: to inherit that a signal is ignored or blocked, so that it is not stopped politely
# escaped: one is
# note: the demonstration blocks one itself, as a careless starter would
from attempt import *
import signal


@attempt
def look():
    if not is_confined():
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, [])
    # The interpreter itself ignores two.
    own = (signal.SIGPIPE, signal.SIGXFSZ)
    ignored = [number for number in signal.valid_signals()
               if number not in own and signal.getsignal(number) == signal.SIG_IGN]
    if blocked or ignored:
        escaped(f"{blocked} {ignored}")
    contained("none is")

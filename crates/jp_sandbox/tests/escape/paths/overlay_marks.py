#!/usr/bin/env python3
# tries: to set the marks by which an overlay knows what is hidden and where directories come from
# escaped: it reads the secret, or has set a mark
# view: judged
# tiers: 1
# note: without a sandbox everybody can set these marks on files of their own
from attempt import *


@attempt
def mark():
    set_any = False
    for name, value in (("redirect", b"/secret"), ("opaque", b"n"), ("metacopy", b""), ("origin", b"x")):
        for path in (f"{WS}/src", f"{WS}/deep", f"{WS}/src/lib.rs"):
            try:
                os.setxattr(path, f"user.overlay.{name}", value)
                # What an overlay lets through is renamed on its way down, and not a mark.
                set_any |= name != "metacopy" and "overlay" not in open("/proc/self/mountinfo").read()
            except OSError:
                pass
    for path in (".env", "src/key", "deep/a/key", "secret/key"):
        try:
            if SECRET.encode() in read(f"{WS}/{path}"):
                escaped(path)
        except OSError:
            pass
    if set_any:
        escaped("a mark was set")
    contained("no mark uncovers anything")

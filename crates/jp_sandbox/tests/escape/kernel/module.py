#!/usr/bin/env python3
# tries: to load a module into the kernel
# escaped: the kernel looked at it
# plain: root
from attempt import *


@attempt
def load():
    file = os.open("/usr/bin/true", os.O_RDONLY)
    try:
        call("finit_module", file, b"", 0)
    except OSError as error:
        if error.errno in (errno.ENOEXEC, errno.EINVAL, errno.EBADMSG):
            escaped("the kernel looked at it")
        if error.errno == errno.ENOSYS or (error.errno == errno.EPERM and os.path.isdir("/sys/kernel")):
            missing("this kernel takes no modules")
        raise

#!/usr/bin/env python3
# tries: to have a process beside the sandbox run only when nobody else wants to
# escaped: it does
from attempt import *


@attempt
def schedule():
    os.sched_setscheduler(int(os.environ["HOST_PID"]), os.SCHED_BATCH, os.sched_param(0))
    escaped("scheduled the neighbor")

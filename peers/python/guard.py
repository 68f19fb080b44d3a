"""A small process between kz and the runner: whatever a provider starts ends with it.

Workers of compilers, daemons and sessions of their own leave a process group, and would go on computing beside what is
timed next. The guard adopts them (PR_SET_CHILD_SUBREAPER) and kills them when the runner has ended, when kz says so
(SIGTERM), and when kz is dead (kz asks the kernel for SIGTERM then). It ends as the runner did.
"""

import ctypes
import os
import resource
import signal
import time

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
DYING_SECONDS = 8  # that one may take whose memory on the GPU is let go of; less than GOING_SECONDS in process.c


def prctl(option, value):
    ctypes.CDLL(None).prctl(option, ctypes.c_ulong(value), *(ctypes.c_ulong(0),) * 3)


def children():
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{entry}/stat", "rb") as file:
                parent = int(file.read().rpartition(b")")[2].split()[1])
        except OSError:  # it is gone
            continue
        if parent == os.getpid():
            yield int(entry)


def end_descendants():
    """The children of a killed process are the guard's: until none is left."""
    end, pause = time.monotonic() + DYING_SECONDS, 0.002
    while time.monotonic() < end and (left := list(children())):
        for child in left:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, os.WNOHANG)
        time.sleep(pause)
        pause = min(2 * pause, 0.05)


def end_as(how):
    if not os.WIFSIGNALED(how):
        os._exit(os.WEXITSTATUS(how))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # the runner's is enough
    if os.WTERMSIG(how) != signal.SIGKILL:
        signal.signal(os.WTERMSIG(how), signal.SIG_DFL)
    os.kill(os.getpid(), os.WTERMSIG(how))


def terminated(*_):
    end_descendants()
    os._exit(128 + signal.SIGTERM)


def divide():
    """Returns in the process that is guarded. Before threads and the GPU: it forks."""
    prctl(PR_SET_CHILD_SUBREAPER, 1)
    signal.signal(signal.SIGTERM, terminated)
    parent, runner = os.getpid(), os.fork()
    if runner == 0:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(1)
        return
    os.close(0)
    os.close(1)
    while True:
        child, how = os.waitpid(-1, 0)  # orphans that end are taken in passing
        if child == runner:
            break
    end_descendants()
    end_as(how)

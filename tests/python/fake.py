"""A provider of the standard library alone: every way in which a rival can be right or go wrong.

It does vector_add (z = x + y) and sgemm (c = a * b), f32 on the CPU. KZ_FAKE_OFFERS names its candidates, each a
behaviour: right, prints, slow, nan, wrong, raises, crashes, exits, hangs, malformed, late (right once, then it crashes),
skips (does nothing on any set but the first), ahead (does all sets when the first one is run, and nothing else),
writes (an input, in a run), prepares (writes an input before), floods (stderr),
leaves (a process in a session of its own, whose number goes to the file KZ_FAKE_LEFT; then it crashes),
compiles (for KZ_FAKE_SECONDS), packs (adds what it keeps of the inputs when told to), keeps (the first inputs, whatever comes),
delivers (returns its result in memory of its own), idles (that too, and computes it once for each set).
"""

import ctypes
import os
import time

from provider import Missing, Unsupported, WrongVersion

NAME = os.environ.get("KZ_FAKE_NAME", "fake")


def version():
    how = os.environ.get("KZ_FAKE_VERSION", "1.0")
    if how == "missing":
        raise Missing("no module named fake; pip install fake")
    if how == "old":
        raise WrongVersion("fake 0.9 is here, 1.0 is wanted")
    if how == "hangs":
        time.sleep(3600)
    if how == "none":
        return None
    return how


def offers(problem):
    if problem.type != "f32" or problem.family not in ("vector_add", "sgemm"):
        return []
    return os.environ.get("KZ_FAKE_OFFERS", "right").split(",")


def is_socket(fd):
    try:
        return os.readlink(f"/proc/self/fd/{fd}").startswith("socket:")
    except OSError:
        return False


def array(buffer):
    return (ctypes.c_float * buffer.count).from_address(buffer.address)


def multiply(m, n, k, a, b, c):
    for i in range(m):
        for j in range(n):
            c[i * n + j] = sum(a[i * k + l] * b[l * n + j] for l in range(k))


def leave():
    if os.fork() == 0:
        os.setsid()
        with open(os.environ["KZ_FAKE_LEFT"], "w") as file:
            file.write(f"{os.getpid()}\n")
        time.sleep(600)
    while not (os.path.exists(os.environ["KZ_FAKE_LEFT"]) and os.path.getsize(os.environ["KZ_FAKE_LEFT"])):
        time.sleep(0.01)


def prepare(problem, name, sets):
    if name == "compiles":
        time.sleep(float(os.environ["KZ_FAKE_SECONDS"]))
    if name == "declines":
        raise Unsupported("only on Sundays")
    arrays = [{key: array(buffer) for key, buffer in buffers.items()} for buffers in sets]
    runs = [0]
    if name == "prepares":
        arrays[-1]["y"][3] = 0

    kept, own = {}, {}

    def pack(i):
        if name == "packs" or i not in kept:
            kept[i] = list(arrays[i]["x"])

    def compute(i):
        s = arrays[i]
        if name in ("packs", "keeps"):
            s["z"][:] = [x + y for x, y in zip(kept[i], s["y"])]
            return s["z"]
        if problem.family == "sgemm":
            multiply(*(problem.axes[key] for key in "mnk"), s["a"], s["b"], s["c"])
        else:
            s["z"][:] = [x + y for x, y in zip(s["x"], s["y"])]
        return s["c"] if problem.family == "sgemm" else s["z"]

    def deliver(i, result):
        arrays[i]["z"][:] = result
        result[:] = [float("nan")] * len(result)

    def run(i):
        runs[0] += 1
        if name == "raises":
            raise RuntimeError("shapes do not fit")
        if name == "leaves":
            leave()
            os.kill(os.getpid(), 11)
        if name == "floods" and runs[0] == 1:
            os.write(2, b"w" * (1 << 20) + b"\nits last\n")
        if name == "crashes" or (name == "late" and runs[0] > 4):
            print("fake: about to crash", flush=True)
            os.kill(os.getpid(), 11)
        if name == "exits":
            os._exit(3)
        if name == "hangs":
            time.sleep(600)
        if name == "malformed":
            for lines in (fd for fd in range(3, 9) if is_socket(fd)):
                os.write(lines, b"not json\n")
        if name == "prints":
            print("a line that is not for kz")
        if i and name in ("skips", "ahead"):
            return
        if name == "delivers" or name == "idles" and i not in own:
            own[i] = [x + y for x, y in zip(arrays[i]["x"], arrays[i]["y"])]
        if i in own:
            return own[i]
        out = compute(i)
        for other in range(1, len(sets)) if name == "ahead" else ():
            compute(other)
        if name == "writes":
            arrays[i]["x"][0] = 0
        if name == "slow":
            time.sleep(0.03)
        if name == "nan":
            out[0] = float("nan")
        if name == "wrong":
            out[0] += 1

    if name in ("packs", "keeps"):
        run.pack = pack
    if name in ("delivers", "idles"):
        run.deliver = deliver
    return run

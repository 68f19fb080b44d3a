"""Runs one provider for `kz bench`, in a process of its own.

    python runner.py PROVIDER.py libkz_runner.so DEVICE

kz sends a request a line and reads a reply a line, both JSON: {"do": "sample", "candidate": 0} and {"ok": true,
"seconds": 1.2e-5}, or {"ok": false, "kind": "failed", "why": "..."}. The requests are the methods of Runner. The memory
is kz's own, mapped here; the clock is libkz_runner, which is the sampler of kz itself: this file decides nothing about
measuring. What a provider is, provider.py says.
"""

import contextlib
import ctypes
import gc
import importlib.util
import json
import os
import signal
import sys
import time
import traceback

import guard
from provider import SIZES, Buffer, Buffers, Missing, Problem, Unsupported, WrongVersion

INTERFACE = 3  # as BENCH_RUNNER_INTERFACE in src/bench/runner.h
ENQUEUE = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t)


class Library:
    """libkz_runner on a device: every function returns 0, or a status whose text is kz_runner_error()."""

    def __init__(self, path, device):
        if not os.path.exists(path):
            raise Missing(f"{os.path.basename(path)} is not built: `make peers` in a checkout builds it")
        self.functions = ctypes.CDLL(path)
        self.functions.kz_runner_error.restype = ctypes.c_char_p
        if self.functions.kz_runner_interface() != INTERFACE:
            raise WrongVersion(f"{path} is of another version of kz than {__file__}: build or install both anew")
        self.handle = ctypes.c_void_p()
        if self.functions.kz_runner_open(device.encode(), ctypes.byref(self.handle)):
            raise RuntimeError(self.error())

    def error(self):
        return self.functions.kz_runner_error(self.handle).decode(errors="replace").splitlines()[0]

    def call(self, name, *arguments):
        if getattr(self.functions, "kz_runner_" + name)(self.handle, *arguments):
            raise RuntimeError(self.error())


class Torch:
    """What PyTorch has to know of the sampler: the stream that is current, and memory that a graph goes on using."""

    def __init__(self, device):
        self.device = device
        self.current = 0  # the default stream

    def module(self):
        return sys.modules.get("torch") if self.device != "cpu" else None

    def use_stream(self, handle):
        torch = self.module()
        if handle == self.current or not torch:
            return
        default = torch.cuda.default_stream(self.device)
        torch.cuda.set_stream(torch.cuda.ExternalStream(handle, self.device) if handle else default)
        self.current = handle

    def recording(self, candidate):
        """A memory pool of the candidate's own: PyTorch must not hand out again what its graph uses."""
        torch = self.module()
        if not torch:
            return contextlib.nullcontext()
        candidate.pool = candidate.pool or torch.cuda.MemPool()
        return torch.cuda.use_mem_pool(candidate.pool)

    def let_go(self):
        """Of the GPU's memory that PyTorch keeps for its next tensors."""
        gc.collect()
        if self.module():
            self.module().cuda.empty_cache()


class Candidate:
    """One of the provider's functions, and the callback by which the sampler enqueues it."""

    def __init__(self, run, torch):
        self.run, self.torch = run, torch
        self.packed_seed = None  # of the inputs that run.pack has seen
        self.results = {}  # {set: what its newest run returned}, where run.deliver takes it: alive until its next run
        self.recorded = {}  # those of a graph, which goes on writing there
        self.failure = None
        self.pool = None
        self.enqueue = ENQUEUE(self.call)

    def call(self, stream, which):
        try:
            self.torch.use_stream(stream or 0)
            self.results.pop(which, None)  # before: its memory may serve again
            result = self.run(which)
            if hasattr(self.run, "deliver"):
                self.results[which] = result
            return 0
        except BaseException as failure:  # it must not travel through the sampler
            self.failure = failure
            return 1


def load(path):
    sys.path.append(os.path.dirname(os.path.abspath(path)))  # modules of its own
    spec = importlib.util.spec_from_file_location("kz_" + os.path.basename(path).removesuffix(".py"), path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # where Triton looks for the source of its kernels
    spec.loader.exec_module(module)
    missing = [name for name in ("NAME", "version", "offers", "prepare") if not hasattr(module, name)]
    if missing:
        raise AttributeError(f"a provider has NAME, version, offers and prepare, and this one no {', '.join(missing)}")
    return module


class Runner:
    def __init__(self, provider, library, device):
        self.device, self.torch = device, Torch(device)
        self.library = Library(library, device)  # before the provider: its first stream is this process's first
        self.provider = load(provider)
        self.problem, self.sets, self.candidates = None, [], []

    # ---- requests -------------------------------------------------------------------------------------

    def hello(self, request):
        if request["interface"] != INTERFACE:
            raise WrongVersion(f"kz speaks interface {request['interface']}, {__file__} speaks {INTERFACE}")
        version = self.provider.version()
        if not isinstance(version, str):
            raise TypeError(f"version() gives {version!r}, and should give a string")
        return {"name": self.provider.NAME, "version": str(version)}

    def offers(self, request):
        names = self.provider.offers(self.read_problem(request))
        if isinstance(names, str) or not hasattr(names, "__iter__"):
            raise TypeError(f"offers returns a list of names, and gave {names!r}")
        return {"names": list(names)}

    def case(self, request):
        """The buffers of a case: imported, and split into sets as src/bench/data.h says."""
        self.done(request)
        self.problem = self.read_problem(request)
        self.library.call("case", ctypes.c_size_t(request["sets"]), ctypes.c_uint32(request["misalign"]))
        self.sets = [Buffers() for _ in range(request["sets"])]
        for buffer in request["buffers"]:
            self.add_buffer(buffer, request["misalign"] * SIZES[buffer["type"]])
        return {}

    def prepare(self, request):
        start = time.monotonic()
        self.torch.use_stream(0)
        run = self.provider.prepare(self.problem, request["name"], self.sets)
        if not callable(run):
            raise TypeError(f"prepare returns a function, run(i), and gave {run!r}")
        candidate = Candidate(run, self.torch)
        self.pack(candidate, self.problem.seed if self.problem else None)
        self.library.call("synchronize")
        self.library.call("candidate", candidate.enqueue)
        self.candidates.append(candidate)
        return {"candidate": len(self.candidates) - 1, "seconds": time.monotonic() - start}

    def run(self, request):
        self.pack(self.candidates[request["candidate"]], request["seed"])
        self.checked_call("run", request)
        return {}

    def condition(self, request):
        candidate = self.candidates[request["candidate"]]
        candidate.results, candidate.recorded = {}, {}
        self.torch.let_go()  # it is kept for the stream that it was of, and this condition has another one
        gc.disable()  # a collection would be somebody's sample
        runs, graph_sets = ctypes.c_size_t(), ctypes.c_size_t()
        names = [request[axis].encode() for axis in ("mode", "cache", "stream")]
        with self.torch.recording(candidate):
            self.sample_call("condition", request, *names, ctypes.c_double(request["seconds"]),
                             ctypes.byref(runs), ctypes.byref(graph_sets))
        candidate.recorded = dict(candidate.results) if graph_sets.value else {}
        return {"runs": runs.value, "graph_sets": graph_sets.value}

    def sample(self, request):
        seconds = ctypes.c_double()
        self.sample_call("sample", request, ctypes.byref(seconds))
        return {"seconds": seconds.value}

    def replay(self, request):
        self.checked_call("replay", request, ctypes.c_size_t(request["set"]))
        return {}

    def done(self, _):
        """Ends the case: nothing of kz's memory is used afterwards."""
        gc.enable()
        self.torch.use_stream(0)  # the sampler's stream ends with the case: PyTorch must not go on using it
        self.library.call("done")
        self.problem, self.sets, self.candidates = None, [], []
        self.torch.let_go()  # the next case is kz's first
        return {}

    # ---- parts ------------------------------------------------------------------------------------------

    def read_problem(self, request):
        return Problem(**request["problem"], device=self.device)

    def add_buffer(self, buffer, offset):
        base = ctypes.c_uint64()
        handles = [bytes.fromhex(buffer[key]) if buffer.get(key) else None for key in ("handle", "pristine")]
        self.library.call(
            "buffer",
            *(text.encode() for text in (buffer["type"], buffer["role"])),
            *(ctypes.c_uint64(buffer[key]) for key in ("count", "stride")),
            *handles,
            ctypes.byref(base),
        )
        for i, buffers in enumerate(self.sets):
            address = base.value + i * buffer["stride"] + offset
            buffers[buffer["name"]] = Buffer(
                address, buffer["count"], buffer["type"], buffer["role"], self.device
            )

    def pack(self, candidate, seed):
        """What the provider makes of the inputs before it is timed: all sets, where it has not seen these inputs."""
        if not hasattr(candidate.run, "pack") or candidate.packed_seed == seed:
            return
        self.torch.use_stream(0)
        self.library.call("synchronize")
        for i in range(len(self.sets)):
            candidate.run.pack(i)
        self.library.call("synchronize")
        candidate.packed_seed = seed

    def deliver(self, candidate, results):
        """Into kz's outputs, from where runs left them; there they are overwritten."""
        if not results:
            return
        self.torch.use_stream(0)
        self.library.call("synchronize")
        for i, result in results.items():
            candidate.run.deliver(i, result)
        self.library.call("synchronize")

    def checked_call(self, name, request, *arguments):
        """After it kz compares. Results of earlier runs are delivered before: nothing of them is left to be taken for new ones."""
        candidate = self.candidates[request["candidate"]]
        for earlier in (candidate.results, candidate.recorded):
            self.deliver(candidate, earlier)
        candidate.results = dict(candidate.recorded)
        self.sample_call(name, request, *arguments)
        self.deliver(candidate, candidate.results)

    def sample_call(self, name, request, *arguments):
        candidate = self.candidates[request["candidate"]]
        candidate.failure = None
        try:
            self.library.call(name, ctypes.c_size_t(request["candidate"]), *arguments)
        except RuntimeError:
            if candidate.failure is None:
                raise
            raise candidate.failure from None

    def answer(self, request):
        """The reply, and None; or a reply that says why not, and whether the device still answers."""
        if request["do"] not in ("hello", "offers", "case", "prepare", "run", "condition", "sample", "replay", "done"):
            raise ValueError(f"there is no request {request['do']!r}")
        return {"ok": True, **getattr(self, request["do"])(request)}

    def is_lost(self):
        try:
            self.library.call("synchronize")
            return False
        except RuntimeError:
            return True


KINDS = {Missing: "missing", Unsupported: "unsupported", WrongVersion: "version"}


def place(failure, file):
    """" (mine.py:12)": the last line of the provider that led there; "" where none did."""
    lines = [frame.lineno for frame in traceback.extract_tb(failure.__traceback__) if frame.filename == file]
    return f" ({os.path.basename(file)}:{lines[-1]})" if lines else ""


def describe(failure, file=None):
    """What kz shows: the exception in one line, and where in the provider. Its whole story is on stderr."""
    lines = [line.strip() for line in str(failure).splitlines() if line.strip()] or [""]
    text = " ".join(lines[:2]) if lines[0].endswith(":") else lines[0]
    kind = KINDS.get(type(failure), "failed")
    if kind == "failed":
        text = f"{type(failure).__name__}: {text}" if text else type(failure).__name__
    where = place(failure, file) if kind == "failed" else ""
    return {"ok": False, "kind": kind, "why": text[: 400 - len(where)] + where}


def serve(requests, replies, runner):
    for line in requests:
        try:
            reply = runner.answer(json.loads(line))
        except (Exception, SystemExit) as failure:
            if type(failure) not in KINDS:
                traceback.print_exc()
            reply = describe(failure, runner.provider.__file__)
            if reply["kind"] == "failed" and runner.is_lost():
                reply["kind"] = "lost"
        replies.write(json.dumps(reply) + "\n")
        replies.flush()


def main(provider, library, device):
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # kz ends this process
    guard.divide()
    requests = os.fdopen(os.dup(0))
    replies = os.fdopen(os.dup(1), "w")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)  # what a provider prints or reads is none of kz's lines
    os.dup2(2, 1)
    try:
        runner = Runner(provider, library, device)
    except (Exception, SystemExit) as failure:
        if type(failure) not in KINDS:
            traceback.print_exc()
        requests.readline()
        replies.write(json.dumps(describe(failure, provider)) + "\n")
        replies.flush()
        return 1
    serve(requests, replies, runner)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

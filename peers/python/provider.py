"""What a provider is: a rival of the zoo written in Python, one module each.

    NAME = "torch"                          # what tables call it, as in src/bench/rivals.def: letters, digits, _ - .
    def version() -> str                    # of what is measured; raises Missing or WrongVersion
    def offers(problem) -> list[str]        # names of its candidates for this case; [] where it does none
    def prepare(problem, name, sets) -> run # compiles, warms up, makes tensors; run(i) enqueues on set i

run(i) does the whole operation on the buffers of sets[i], in the stream that is current (runner.py makes the sampler's own
stream PyTorch's current one), and writes the outputs in place. It must not synchronize, and what it allocates is its own.
It may be recorded into a CUDA graph; one that cannot be raises, and is timed without. It is called often: views, shapes
and compiled functions belong into prepare.

Where run has an attribute `pack`, run.pack(i) is called for each set before the first run, and again where the inputs were
drawn anew: for what users have at hand when they call, and kz does not give: sizes on the host, a forward pass's results,
a mask's blocks. It is not timed, may synchronize, and leaves what it makes where run(i) finds it. prepare may call it too.

Where run has an attribute `deliver`, run(i) returns its results in memory of its own, as a call does that cannot be told
where to write: its users go on with what it returns. run.deliver(i, results) copies them into the outputs of sets[i], and
then overwrites them, by which a run that does nothing is found out; tensors.py has `delivered`, which does both. It is not
timed. What differs from the output in its type alone, or is a part of what was returned, is converted and cut there. The
runner keeps what run(i) returned until set i is run again, so that results rotate through memory as kz's outputs do, and
those of a graph as long as it is replayed. An inout is written by run, in place.

Every set holds the same inputs, byte for byte the zoo's own. Inputs are never to be written: kz looks. It compares the
outputs with its own reference, before timing and after it, in all sets. An exception becomes the candidate's row; print goes to stderr, whose last
line is told where the process dies.
"""

from dataclasses import dataclass, field


class Missing(Exception):
    """Raised by version: the package is not installed. The reason, and the command that gets it."""


class WrongVersion(Exception):
    """Raised by version: the package is there, but too old or too new. Which is here, and which is wanted."""


class Unsupported(Exception):
    """Raised by prepare: this candidate does not do the case after all, and why."""


@dataclass(frozen=True)
class Problem:
    family: str  # "reduce"
    operation: str  # "sum"
    type: str  # "f32": of the case; buffers may have others
    axes: dict  # by name, in the family's order: {"n": 1048576}
    scalars: dict = field(default_factory=dict)  # what a kernel gets besides: {"a": 2.5}
    device: str = "cpu"  # or "cuda:0"
    seed: int = 0  # of the inputs


@dataclass(frozen=True)
class Buffer:
    address: int  # of element 0: the GPU's on cuda, this process's own on cpu
    count: int  # elements
    type: str  # f32 f16 bf16 f64 i32 i64 u8 u16 u32
    role: str  # "input", "output", or "inout": restored before each run
    device: str = "cpu"


class Buffers(dict):
    """A set: each Buffer by its name."""

    def __missing__(self, name):
        raise LookupError(f"there is no buffer {name!r}: this family has {', '.join(self)}")


SIZES = {"f64": 8, "i64": 8, "f32": 4, "i32": 4, "u32": 4, "f16": 2, "bf16": 2, "u16": 2, "u8": 1}

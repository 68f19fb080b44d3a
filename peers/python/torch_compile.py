"""torch.compile, a candidate for each of its modes: what PyTorch's eager calls become when Inductor fuses them.

What is compiled returns its results, as it does for its users (deliver, in provider.py). Where a family wants one in place,
the copy is compiled too, and Inductor fuses it. The modes reduce-overhead and max-autotune replay CUDA graphs of PyTorch's
own, which read and write memory of their own: there PyTorch copies the inputs, a result in place is copied back here, and
both are part of the time. A graph of such replays cannot be recorded. Compiling is reported apart.
torch_compile_ml.py has the layers and losses of models.
"""

from packages import package

torch = package("torch", "2.7")

import torch_compile_ml  # noqa: E402, after the check above
import transformer_block  # noqa: E402
from tensors import delivered, is_empty, several, signed  # noqa: E402

NAME = "torch_compile"
MODES = ("default", "max-autotune-no-cudagraphs", "reduce-overhead", "max-autotune")
GRAPHS = ("reduce-overhead", "max-autotune")


_compiled = []  # the problem that PyTorch's compiled functions are of
_newest = []  # what the newest run of any of its graphs gave: they share memory, so PyTorch forbids to look at older results


def version():
    return torch.__version__


def offers(problem):
    if problem.family not in FAMILIES or is_empty(problem) or FAMILIES[problem.family](problem) is None:
        return []
    return list(MODES) if problem.device != "cpu" else ["default"]


def prepare(problem, name, sets):
    torch.set_grad_enabled(False)
    torch.set_float32_matmul_precision("highest")  # no TF32
    if problem not in _compiled:  # what was compiled for other cases is of no use, and slows the search for what is
        torch._dynamo.reset()
        _compiled[:] = [problem]
        _newest.clear()
    function, inputs, outputs = FAMILIES[problem.family](problem)
    if hasattr(function, "refuse"):
        function.refuse(sets)
    # A buffer that is both is one tensor: Inductor must know what it overwrites.
    views = {buffer: signed(sets, buffer, *shape) for buffer, shape in (inputs | outputs).items()}
    x, y = (list(zip(*(views[buffer] for buffer in names))) for names in (inputs, outputs))
    run = (run_in_place if inputs.keys() & outputs.keys() else run_delivered)(function, x, y, name)
    if hasattr(function, "pack"):
        run.pack = lambda i: function.pack(*x[i])
        run.pack(0)
    for _ in range(3):  # compiled at the first run, recorded at the second
        run(0)
    return run


def run_delivered(function, x, y, mode):
    compiled = torch.compile(function, dynamic=False, fullgraph=True, mode=mode)

    def run_graph(i):
        torch.compiler.cudagraph_mark_step_begin()
        _newest[:] = several(compiled(*x[i]))
        return _newest

    return delivered(run_graph if mode in GRAPHS else lambda i: compiled(*x[i]), y)


def run_in_place(function, x, y, mode):
    def write(inputs, outputs):
        for output, result in zip(outputs, several(function(*inputs))):
            output.copy_(result)

    if mode not in GRAPHS:
        compiled = torch.compile(write, dynamic=False, fullgraph=True, mode=mode)
        return lambda i: compiled(x[i], y[i])
    function = torch.compile(function, dynamic=False, fullgraph=True, mode=mode)

    def run(i):
        torch.compiler.cudagraph_mark_step_begin()
        write(x[i], y[i])

    return run


# ---- what is compiled: (function, its inputs with their shapes, its outputs with theirs); None for what is not. A function
# may have `refuse`, of the sets, and `pack`, of a set's inputs: the runner's ----


def vector_add(p):
    return torch.add, {"x": (), "y": ()}, {"z": ()}


def saxpy(p):
    a = p.scalars["a"]
    return lambda x, y: a * x + y, {"x": (), "y": ()}, {"y": ()}


def elementwise(p):
    functional, factor = torch.nn.functional, p.scalars["factor"]
    function = {
        "scale": lambda x: x * factor,
        "relu": torch.relu,
        "gelu_erf": functional.gelu,
        "gelu_tanh": lambda x: functional.gelu(x, approximate="tanh"),
        "silu": functional.silu,
    }[p.operation]
    return function, {"x": ()}, {"y": ()}


def fold(p, outer, n, inner):
    function = {
        "sum": lambda x: torch.sum(x, 1, dtype=x.dtype),
        "min": lambda x: torch.amin(x, 1),
        "max": lambda x: torch.amax(x, 1),
        "mean": lambda x: torch.mean(x, 1),
        "argmin": lambda x: tuple(torch.min(x, 1)),
        "argmax": lambda x: tuple(torch.max(x, 1)),
    }[p.operation]
    outputs = ("out", "index") if p.operation.startswith("arg") else ("out",)
    return function, {"in": (outer, n, inner)}, dict.fromkeys(outputs, (outer, inner))


def reduce(p):
    return fold(p, 1, p.axes["n"], 1)


def reduce_axis(p):
    return fold(p, p.axes["outer"], p.axes["n"], p.axes["inner"])


def scan(p):
    """Inclusive sums; of halves in float, which is fused with the rounding."""
    if p.operation != "inclusive_sum" or p.type == "u32":
        return None
    half = p.type in ("f16", "bf16")

    def function(x):
        return torch.cumsum(x.float(), 0).to(x.dtype) if half else torch.cumsum(x, 0, dtype=x.dtype)

    return function, {"in": ()}, {"out": ()}


def transpose(p):
    """A clone, for contiguous() copies nothing where one of the sizes is 1."""
    rows, columns = p.axes["rows"], p.axes["columns"]
    return lambda x: x.t().clone(memory_format=torch.contiguous_format), {"in": (rows, columns)}, {"out": (columns, rows)}


def permute(p):
    order = ["abcd".index(axis) for axis in p.operation]
    shape = [p.axes[axis] for axis in "abcd"]
    out = [shape[axis] for axis in order]
    return lambda x: x.permute(order).clone(memory_format=torch.contiguous_format), {"in": shape}, {"out": out}


def sgemm(p):
    m, n, k = (p.axes[axis] for axis in "mnk")
    return torch.mm, {"a": (m, k), "b": (k, n)}, {"c": (m, n)}


def gemv(p):
    if p.operation != "dense":
        return None
    m, n, k = (p.axes[axis] for axis in "mnk")
    return lambda x, w: torch.mm(x, w.t()), {"x": (m, k), "w": (n, k)}, {"y": (m, n)}


ACTIVATIONS = {
    "relu": torch.relu,
    "gelu": torch.nn.functional.gelu,
    "gelu_tanh": lambda x: torch.nn.functional.gelu(x, approximate="tanh"),
    "silu": torch.nn.functional.silu,
}


def gemm_fused(p):
    m, n, k = (p.axes[axis] for axis in "mnk")
    epilogue, order = p.operation.rsplit("_", 1)
    a, b = {"a": (m, k)}, {"b": (k, n) if order == "nn" else (n, k)}
    turn = (lambda b: b) if order == "nn" else (lambda b: b.t())
    if epilogue == "swiglu":

        def swiglu(a, b):
            s = torch.mm(a, turn(b))
            return torch.nn.functional.silu(s[:, 0::2]) * s[:, 1::2]

        return swiglu, a | b, {"c": (m, n // 2)}
    if epilogue == "bias":
        return lambda a, b, bias: torch.addmm(bias, a, turn(b)), a | b | {"bias": (n,)}, {"c": (m, n)}
    if epilogue == "bias_residual":
        inputs = a | b | {"bias": (n,), "residual": (m, n)}
        return lambda a, b, bias, residual: torch.addmm(bias, a, turn(b)) + residual, inputs, {"c": (m, n)}
    function = ACTIVATIONS.get(epilogue.removeprefix("bias_")) if epilogue.startswith("bias_") else None
    if function is None:
        return None
    return lambda a, b, bias: function(torch.addmm(bias, a, turn(b))), a | b | {"bias": (n,)}, {"c": (m, n)}


def fused_mlp(p):
    m, model, hidden = (p.axes[axis] for axis in ("tokens", "model", "hidden"))
    x, w2 = {"x": (m, model)}, {"w2": (model, hidden)}
    if p.operation == "swiglu":

        def swiglu(x, w1, w2):
            s = torch.mm(x, w1.t())
            return torch.mm(torch.nn.functional.silu(s[:, 0::2]) * s[:, 1::2], w2.t())

        return swiglu, x | {"w1": (2 * hidden, model)} | w2, {"y": (m, model)}
    function = ACTIVATIONS[p.operation]

    def layers(x, w1, b1, w2, b2):
        return torch.addmm(b2, function(torch.addmm(b1, x, w1.t())), w2.t())

    inputs = x | {"w1": (hidden, model), "b1": (hidden,)} | w2 | {"b2": (model,)}
    return layers, inputs, {"y": (m, model)}


FAMILIES = {
    "vector_add": vector_add,
    "saxpy": saxpy,
    "elementwise": elementwise,
    "transpose": transpose,
    "permute": permute,
    "reduce": reduce,
    "reduce_axis": reduce_axis,
    "scan": scan,
    "sgemm": sgemm,
    "gemv": gemv,
    "gemm_fused": gemm_fused,
    "fused_mlp": fused_mlp,
    "transformer_block": transformer_block.compiled,
    **torch_compile_ml.FAMILIES,
}

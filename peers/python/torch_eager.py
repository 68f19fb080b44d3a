"""PyTorch in eager mode: one call, or a short composition, for what the zoo's families compute.

Each family has a function that says with what it does a problem: a name for tables, and a function of the sets that
gives run; None where PyTorch has nothing. Results are written by out= where the operation has it. Where it has none they
are tensors of PyTorch's own, as for all its users, and are delivered (provider.py): indices of 64 bits as those of 32, sums
in float as halves, counts that the host has. A name that says copy_ has a copy in its time.

Unsigned elements that are only moved, compared for equality or added with wrapping go as the signed type of their size,
which PyTorch has more operations for. An operation that has to know how many elements it selects waits for the GPU, as it
does for all its users, and cannot be recorded in a graph. torch_ml.py has the layers, losses and optimisers of models.
"""

import math
import struct

from packages import package

torch = package("torch", "2.7")

import torch_ml  # noqa: E402, after the check above
import transformer_block  # noqa: E402
from tensors import TYPES, delivered, is_empty, overwrite, signed, tensors  # noqa: E402

NAME = "torch"
HALVES = ("f16", "bf16")


def version():
    return torch.__version__


def offers(problem):
    found = find(problem)
    return [found[0]] if found else []


def prepare(problem, name, sets):
    torch.set_grad_enabled(False)
    torch.set_float32_matmul_precision("highest")  # no TF32
    run = find(problem)[1](sets)
    run(0)
    return run


def find(problem):
    if problem.family not in FAMILIES or is_empty(problem):
        return None
    return FAMILIES[problem.family](problem)


# ---- element by element ---------------------------------------------------------------------------------


def vector_add(p):
    def make(sets):
        x, y, z = (tensors(sets, name) for name in "xyz")
        return lambda i: torch.add(x[i], y[i], out=z[i])

    return "add", make


def saxpy(p):
    def make(sets):
        x, y, a = tensors(sets, "x"), tensors(sets, "y"), p.scalars["a"]
        return lambda i: y[i].add_(x[i], alpha=a)

    return "add_(alpha)", make


def elementwise(p):
    name, function = {
        "scale": ("mul", lambda x, y: torch.mul(x, p.scalars["factor"], out=y)),
        "relu": ("clamp_min", lambda x, y: torch.clamp_min(x, 0, out=y)),
        "gelu_erf": ("gelu", lambda x, y: torch.ops.aten.gelu.out(x, out=y)),
        "gelu_tanh": ("gelu(tanh)", lambda x, y: torch.ops.aten.gelu.out(x, approximate="tanh", out=y)),
        "silu": ("silu", lambda x, y: torch.ops.aten.silu.out(x, out=y)),
    }[p.operation]

    def make(sets):
        x, y = tensors(sets, "x"), tensors(sets, "y")
        return lambda i: function(x[i], y[i])

    return name, make


# ---- along an axis --------------------------------------------------------------------------------------


def fold(p, outer, n, inner):
    """The middle axis of outer x n x inner, folded away."""
    whole = {"dtype": torch.int32} if p.type == "i32" else {}
    name, function = {
        "sum": ("sum", lambda x, out: torch.sum(x, 1, out=out, **whole)),
        "min": ("amin", lambda x, out: torch.amin(x, 1, out=out)),
        "max": ("amax", lambda x, out: torch.amax(x, 1, out=out)),
        "mean": ("mean", lambda x, out: torch.mean(x, 1, out=out)),
        "argmin": ("min(dim)", lambda x, out, index: torch.min(x, 1, out=(out, index))),
        "argmax": ("max(dim)", lambda x, out, index: torch.max(x, 1, out=(out, index))),
    }[p.operation]

    def make(sets):
        names = ("out", "index") if p.operation.startswith("arg") else ("out",)
        x = tensors(sets, "in", outer, n, inner)
        out = list(zip(*(tensors(sets, result, outer, inner) for result in names)))
        return lambda i: function(x[i], *out[i])

    return name, make


def reduce(p):
    return fold(p, 1, p.axes["n"], 1)


def reduce_axis(p):
    return fold(p, p.axes["outer"], p.axes["n"], p.axes["inner"])


def reduce_segments(p):
    # segment_reduce has no integers and no indices, and adds halves in halves: not the family's sum.
    adds = p.operation in ("sum", "mean")
    if p.operation.startswith("arg") or p.type == "i32" or adds and p.type in HALVES or p.axes["n"] >= 2**31:
        return None

    def make(sets):
        x, offsets, out = tensors(sets, "in"), signed(sets, "offsets"), tensors(sets, "out")
        return delivered(lambda i: torch.segment_reduce(x[i], p.operation, offsets=offsets[i], unsafe=True), out)

    return "segment_reduce", make


def scan(p):
    kind, _, function = p.operation.partition("_")
    exclusive = kind == "exclusive"
    if function == "sum":
        return scan_sum(p, exclusive)
    if function in ("min", "max") and p.type != "u32":
        return scan_extreme(p, exclusive, function)
    return None


def shifted(x, out, exclusive):
    """Where a scan reads and writes: an exclusive one is an inclusive one of one element fewer, one place on."""
    return ([t[:-1] for t in x], [t[1:] for t in out]) if exclusive else (x, out)


def scan_sum(p, exclusive):
    # PyTorch's cumsum of halves adds in halves on a GPU, so it is asked to add in float, and gives floats.
    half = p.type in HALVES

    def make(sets):
        out = signed(sets, "out")
        first = [t[:1] for t in out]
        x, to = shifted(signed(sets, "in"), out, exclusive)

        def run(i):
            if exclusive:
                first[i].zero_()
            if half:
                return torch.cumsum(x[i], 0, dtype=torch.float32)
            return torch.cumsum(x[i], 0, dtype=x[i].dtype, out=to[i])

        return delivered(run, to) if half else run

    return ("cumsum(float32)" if half else "cumsum") + (", zero_" if exclusive else ""), make


def scan_extreme(p, exclusive, function):
    call = {"min": torch.cummin, "max": torch.cummax}[function]
    dtype = TYPES[p.type]
    limits = torch.finfo(dtype) if dtype.is_floating_point else torch.iinfo(dtype)
    identity = math.inf if dtype.is_floating_point else limits.max
    if function == "max":
        identity = -math.inf if dtype.is_floating_point else limits.min

    def make(sets):
        out = tensors(sets, "out")
        first = [t[:1] for t in out]
        x, to = shifted(tensors(sets, "in"), out, exclusive)
        indices = torch.empty(x[0].shape, dtype=torch.int64, device=p.device)  # they come with it

        def run(i):
            call(x[i], 0, out=(to[i], indices))
            if exclusive:
                first[i].fill_(identity)

        return run

    return f"cum{function}" + (", fill_" if exclusive else ""), make


# ---- selection and counting -----------------------------------------------------------------------------


def compact(p):
    if p.axes["n"] >= 2**31:
        return None
    by_value = p.operation in ("select", "partition")
    threshold = 127 if p.type == "u8" else 0

    def make(sets):
        x, out, count = signed(sets, "in"), signed(sets, "out"), signed(sets, "count")
        flags = tensors(sets, "flags") if p.operation.endswith("flagged") else None

        def mask(i):
            return x[i] > threshold if by_value else flags[i] != 0

        # The host has the count then: it is a tensor's size.
        def select(i):
            return torch.masked_select(x[i], mask(i), out=out[i][:0])

        def partition(i):
            wanted = mask(i)
            selected, rest = x[i][wanted], x[i][~wanted]
            torch.cat((selected, rest.flip(0)), out=out[i])
            return selected

        def unique(i):
            return torch.unique_consecutive(x[i])

        run = {"select": select, "partition": partition, "unique": unique}[p.operation.split("_")[0]]

        def deliver(i, values):
            count[i].fill_(values.numel())
            if run is unique:
                out[i][: values.numel()].copy_(values)
                overwrite([values])

        run.deliver = deliver
        return run

    names = {"select": "masked_select", "partition": "index, flip, cat", "unique": "unique_consecutive"}
    return names[p.operation.split("_")[0]], make


def histogram(p):
    n, bins = p.axes["n"], p.axes["bins"]
    if n >= 2**31:
        return None
    if p.operation == "range":
        return histogram_range(p, bins)
    if p.type == "u8" and (p.axes["lower"], p.axes["upper"], bins) == (0, 256, 256):
        return count_values("in", "out", bins)
    return histogram_even(p, bins) if p.type == "f32" else None


def histogram_even(p, bins):
    """histc counts in float, and has the upper limit in the last bin: where that differs, the check finds it."""
    lower, upper = (struct.unpack("<f", struct.pack("<I", p.axes[name]))[0] for name in ("lower", "upper"))

    def make(sets):
        x, out = tensors(sets, "in"), signed(sets, "out")
        return delivered(lambda i: torch.histc(x[i], bins, lower, upper), out)

    return "histc", make


def histogram_range(p, bins):
    if p.type != "f32":
        return None

    def make(sets):
        x, levels, out = tensors(sets, "in"), tensors(sets, "levels"), signed(sets, "out")

        def run(i):  # bucket 0 lies below all levels, bucket bins + 1 above
            buckets = torch.bucketize(x[i], levels[i], out_int32=True, right=True)
            return torch.bincount(buckets, minlength=bins + 2)[1 : bins + 1]

        return delivered(run, out)

    return "bucketize, bincount", make


def count_values(source, target, bins):
    def make(sets):
        x, out = signed(sets, source), signed(sets, target)
        return delivered(lambda i: torch.bincount(x[i], minlength=bins), out)

    return "bincount", make


def atomics(p):
    return count_values("keys", "out", p.axes["k"]) if p.operation == "count" else None


# ---- moving ---------------------------------------------------------------------------------------------


def transpose(p):
    def make(sets):
        rows, columns = p.axes["rows"], p.axes["columns"]
        x = [t.t() for t in signed(sets, "in", rows, columns)]
        out = signed(sets, "out", columns, rows)
        return lambda i: out[i].copy_(x[i])

    return "copy_(t)", make


def permute(p):
    order = ["abcd".index(axis) for axis in p.operation]
    shape = [p.axes[axis] for axis in "abcd"]

    def make(sets):
        x = [t.permute(order) for t in signed(sets, "in", *shape)]
        out = signed(sets, "out", *(shape[axis] for axis in order))
        return lambda i: out[i].copy_(x[i])

    return "copy_(permute)", make


# ---- matrices and graphs --------------------------------------------------------------------------------


def sgemm(p):
    m, n, k = (p.axes[axis] for axis in "mnk")

    def make(sets):
        a, b, c = tensors(sets, "a", m, k), tensors(sets, "b", k, n), tensors(sets, "c", m, n)
        return lambda i: torch.mm(a[i], b[i], out=c[i])

    return "mm", make


def gemv(p):
    """A linear layer without bias; of packed weights PyTorch has none of these formats."""
    if p.operation != "dense":
        return None
    m, n, k = (p.axes[axis] for axis in "mnk")

    def make(sets):
        w, x, y = tensors(sets, "w", n, k), tensors(sets, "x", m, k), tensors(sets, "y", m, n)
        return lambda i: torch.mm(x[i], w[i].t(), out=y[i])

    return "mm", make


ACTIVATIONS = {
    "relu": lambda x, out: torch.clamp_min(x, 0, out=out),
    "gelu": lambda x, out: torch.ops.aten.gelu.out(x, out=out),
    "gelu_tanh": lambda x, out: torch.ops.aten.gelu.out(x, approximate="tanh", out=out),
    "silu": lambda x, out: torch.ops.aten.silu.out(x, out=out),
}


def gemm_fused(p):
    """A linear layer and what follows it; sums are rounded to the type in between."""
    m, n, k = (p.axes[axis] for axis in "mnk")
    epilogue, order = p.operation.rsplit("_", 1)
    activation = epilogue.removeprefix("bias_")

    def make(sets):
        a, c = tensors(sets, "a", m, k), tensors(sets, "c", m, n // 2 if epilogue == "swiglu" else n)
        b = tensors(sets, "b", k, n) if order == "nn" else [t.t() for t in tensors(sets, "b", n, k)]
        if epilogue == "swiglu":
            s = [torch.empty(m, n, dtype=t.dtype, device=t.device) for t in a]
            return lambda i: torch.mul(
                torch.nn.functional.silu(torch.mm(a[i], b[i], out=s[i])[:, 0::2]), s[i][:, 1::2], out=c[i])
        bias = tensors(sets, "bias", n)
        if epilogue == "bias":
            return lambda i: torch.addmm(bias[i], a[i], b[i], out=c[i])
        if epilogue == "bias_residual":
            residual = tensors(sets, "residual", m, n)
            return lambda i: torch.addmm(bias[i], a[i], b[i], out=c[i]).add_(residual[i])
        function = ACTIVATIONS[activation]
        return lambda i: function(torch.addmm(bias[i], a[i], b[i], out=c[i]), c[i])

    if epilogue == "swiglu":
        return "mm, silu, mul", make
    if epilogue == "bias":
        return "addmm", make
    if epilogue == "bias_residual":
        return "addmm, add_", make
    return (f"addmm, {activation}", make) if epilogue.startswith("bias_") and activation in ACTIVATIONS else None


def fused_mlp(p):
    m, model, hidden = (p.axes[axis] for axis in ("tokens", "model", "hidden"))
    gated = p.operation == "swiglu"

    def make(sets):
        x, y = tensors(sets, "x", m, model), tensors(sets, "y", m, model)
        w1 = [t.t() for t in tensors(sets, "w1", 2 * hidden if gated else hidden, model)]
        w2 = [t.t() for t in tensors(sets, "w2", model, hidden)]
        if gated:
            silu = torch.nn.functional.silu

            def run(i):
                s = torch.mm(x[i], w1[i])
                torch.mm(silu(s[:, 0::2]) * s[:, 1::2], w2[i], out=y[i])

            return run
        b1, b2 = tensors(sets, "b1", hidden), tensors(sets, "b2", model)
        h = [torch.empty(m, hidden, dtype=t.dtype, device=t.device) for t in x]
        function = ACTIVATIONS[p.operation]

        def run(i):
            function(torch.addmm(b1[i], x[i], w1[i], out=h[i]), h[i])
            torch.addmm(b2[i], h[i], w2[i], out=y[i])

        return run

    return ("mm, silu, mul, mm" if gated else f"addmm, {p.operation}, addmm"), make


def warp(p):
    rows, rest = divmod(p.axes["n"], 32)
    if rest:
        return None
    if p.operation in ("sum", "max"):
        return fold(p, rows, 32, 1)
    if p.operation == "inclusive":

        def make(sets):
            x, out = tensors(sets, "in", rows, 32), tensors(sets, "out", rows, 32)
            return lambda i: torch.cumsum(x[i], 1, dtype=x[i].dtype, out=out[i])

        return "cumsum", make
    if p.operation == "product" and rows % 32 == 0:

        def make(sets):
            left, right, out = (tensors(sets, name, rows // 32, 32, 32) for name in ("in", "right", "out"))
            return lambda i: torch.bmm(left[i], right[i], out=out[i])

        return "bmm", make
    return None


def pagerank(p):
    vertices, edges = p.axes["vertices"], p.axes["edges"]
    if edges >= 2**31:
        return None

    def make(sets):
        first, to, sources = (signed(sets, name) for name in ("out_offsets", "in_offsets", "in_sources"))
        rank, following = tensors(sets, "rank"), tensors(sets, "next")
        ones = torch.ones(edges, device=p.device)
        ground = torch.full((vertices,), 0.15 / vertices, device=p.device)
        edges_in = [  # views of the graph, not copies
            torch.sparse_csr_tensor(to[i], sources[i], ones, (vertices, vertices), check_invariants=False)
            for i in range(len(sets))
        ]

        def run(i):
            share = rank[i] / (first[i][1:] - first[i][:-1])
            torch.addmv(ground, edges_in[i], share, alpha=0.85, out=following[i])

        return run

    return "addmv(sparse_csr)", make


FAMILIES = {
    "vector_add": vector_add,
    "saxpy": saxpy,
    "elementwise": elementwise,
    "transpose": transpose,
    "permute": permute,
    "reduce": reduce,
    "reduce_axis": reduce_axis,
    "reduce_segments": reduce_segments,
    "scan": scan,
    "compact": compact,
    "histogram": histogram,
    "pagerank": pagerank,
    "warp": warp,
    "atomics": atomics,
    "sgemm": sgemm,
    "gemv": gemv,
    "gemm_fused": gemm_fused,
    "fused_mlp": fused_mlp,
    "transformer_block": transformer_block.eager,
    **torch_ml.FAMILIES,
}

"""Small problems of the zoo's families for the tests of providers, with the right answers in double.

A problem's buffers are tensors here, on the GPU if there is one; what the providers get is their memory, as the runner
would map it.
"""

import itertools
import math
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "peers", "python"))

import torch  # noqa: E402, providers first

import ml_problems  # noqa: E402

from provider import Buffer, Problem  # noqa: E402
from tensors import TYPES  # noqa: E402

DEVICE = "cuda:0" if torch.cuda.is_available() else "cpu"
NAMES = {dtype: name for name, dtype in TYPES.items()}
UNIT = {"f64": 2.0**-53, "f32": 2.0**-24, "f16": 2.0**-11, "bf16": 2.0**-8}
FUSED = "bias bias_relu bias_gelu bias_gelu_tanh bias_silu bias_residual swiglu".split()
ONE, MINUS_ONE = 0x3F800000, 0xBF800000  # floats by their bits


def list_problems():
    """A few of every operation and type that a provider may offer."""

    def add(family, operations, types, *axes, **scalars):
        for operation, name, sizes in itertools.product(operations.split(), types.split(), axes):
            yield Problem(family, operation, name, sizes, scalars, DEVICE)

    floats, folds = "f32 f16 bf16", "sum min max mean argmin argmax"
    graph = {"vertices": 50, "edges": 400, "shape": 0}
    orders = " ".join("".join(order) for order in itertools.permutations("abcd"))
    yield from add("vector_add", "add", "f32", {"n": 1025})
    yield from add("saxpy", "saxpy", "f32", {"n": 1025}, a=1.4142135381698608)
    yield from add("elementwise", "scale relu gelu_erf gelu_tanh silu", floats, {"n": 1025}, factor=1.4142135381698608)
    yield from add("transpose", "transpose", "f32 f16 u8 f64", {"rows": 33, "columns": 70})
    yield from add("permute", orders, "bf16", {"a": 2, "b": 3, "c": 4, "d": 5})
    yield from add("reduce", folds, floats + " f64", {"n": 1025})
    yield from add("reduce", "sum min max argmin argmax", "i32", {"n": 1025})
    shapes = {"outer": 5, "n": 130, "inner": 1}, {"outer": 3, "n": 33, "inner": 20}
    yield from add("reduce_axis", folds, floats + " f64", *shapes)
    yield from add("reduce_axis", "sum min max argmin argmax", "i32", *shapes)
    yield from add("reduce_segments", folds, floats + " f64", {"n": 1025, "segments": 33, "skew": 1})
    scans = "inclusive_sum inclusive_min inclusive_max exclusive_sum exclusive_min exclusive_max"
    yield from add("scan", scans, floats + " f64 i32 i64", {"n": 1}, {"n": 1500})
    yield from add("scan", "inclusive_sum exclusive_sum", "u32", {"n": 1025})
    yield from add("compact", "select partition", "f32 f64 i32 f16 u8", {"n": 1025, "percent": 50})
    yield from add("compact", "select_flagged partition_flagged unique", "f32 i32 u32 u16 u8 i64 bf16",
                   {"n": 1025, "percent": 50})
    yield from add("histogram", "even", "f32", {"n": 1025, "bins": 256, "lower": 0, "upper": ONE})
    yield from add("histogram", "even", "u8", {"n": 1025, "bins": 256, "lower": 0, "upper": 256})
    yield from add("histogram", "range", "f32", {"n": 1025, "bins": 20, "lower": MINUS_ONE, "upper": ONE})
    yield from add("pagerank", "step", "f32", graph)
    yield from add("warp", "sum max inclusive product", "f32", {"n": 2048})
    yield from add("warp", "sum max inclusive", "i32", {"n": 2048})
    yield from add("atomics", "count", "u32", {"n": 1025, "k": 37})
    yield from add("sgemm", "gemm", "f32", {"m": 33, "n": 70, "k": 50})
    yield from add("gemv", "dense", "f16 bf16", {"m": 3, "n": 70, "k": 50})
    chains = [f"{name}_{order}" for order in ("nn", "nt") for name in FUSED]
    yield from add("gemm_fused", " ".join(chains), "f16 bf16", {"m": 33, "n": 70, "k": 50})
    yield from add("fused_mlp", "relu gelu silu swiglu", "f16 bf16", {"tokens": 9, "model": 50, "hidden": 70})
    yield from ml_problems.list_problems(add)


# ---- inputs -----------------------------------------------------------------------------------------------


def draw(name, count, generator):
    """Full mantissas in [-1, 1), as the zoo's uniform data; integers of a middling size."""
    dtype = TYPES[name]
    if dtype.is_floating_point:
        return (torch.rand(count, dtype=torch.float64, generator=generator) * 2 - 1).to(dtype)
    most = 256 if name == "u8" else 30000
    low = 0 if name[0] == "u" else -most
    return torch.randint(low, most, (count,), generator=generator).to(dtype)


def offsets_of(segments, total, generator):
    cuts = torch.sort(torch.randint(0, total + 1, (segments - 1,), generator=generator)).values
    return torch.cat((torch.tensor([0]), cuts, torch.tensor([total]))).to(torch.uint32)


def make_graph(p, generator):
    """Edges at random, and the transpose."""
    vertices, edges = p.axes["vertices"], p.axes["edges"]
    source, target = (torch.randint(0, vertices, (edges,), generator=generator) for _ in range(2))

    def rows(of, to):
        order = torch.argsort(of)
        counts = torch.bincount(of, minlength=vertices)
        offsets = torch.cat((torch.tensor([0]), counts.cumsum(0)))
        return offsets.to(torch.uint32), to[order].to(torch.uint32)

    out_offsets, out_targets = rows(source, target)
    in_offsets, in_sources = rows(target, source)
    return {
        "out_offsets": out_offsets,
        "out_targets": out_targets,
        "in_offsets": in_offsets,
        "in_sources": in_sources,
        "rank": torch.rand(vertices, generator=generator),
    }


def make_inputs(p, seed):
    generator = torch.Generator().manual_seed(seed)
    axes = p.axes

    def uniform(count, name=p.type):
        return draw(name, count, generator)

    if p.family in ("vector_add", "saxpy"):
        return {"x": uniform(axes["n"]), "y": uniform(axes["n"])}
    if p.family == "elementwise":
        return {"x": uniform(axes["n"])}
    if p.family == "sgemm":
        return {"a": uniform(axes["m"] * axes["k"]), "b": uniform(axes["k"] * axes["n"])}
    if p.family == "gemv":
        return {"w": uniform(axes["n"] * axes["k"]), "x": uniform(axes["m"] * axes["k"])}
    if p.family == "gemm_fused":
        m, n, k = (axes[axis] for axis in "mnk")
        inputs = {"a": uniform(m * k), "b": uniform(k * n)}
        if p.operation.startswith("bias"):
            inputs["bias"] = uniform(n)
        if p.operation.startswith("bias_residual"):
            inputs["residual"] = uniform(m * n)
        return inputs
    if p.family == "fused_mlp":
        tokens, model, hidden = (axes[axis] for axis in ("tokens", "model", "hidden"))
        if p.operation == "swiglu":
            return {"x": uniform(tokens * model), "w1": uniform(2 * hidden * model), "w2": uniform(model * hidden)}
        return {"x": uniform(tokens * model), "w1": uniform(hidden * model), "b1": uniform(hidden),
                "w2": uniform(model * hidden), "b2": uniform(model)}
    if p.family in ml_problems.FAMILIES:
        return ml_problems.FAMILIES[p.family].inputs(p, generator, uniform)
    if p.family == "pagerank":
        return make_graph(p, generator)
    if p.family == "atomics":
        return {"keys": torch.randint(0, axes["k"], (axes["n"],), generator=generator).to(torch.uint32)}
    inputs = {"in": uniform(math.prod(size for axis, size in axes.items() if axis not in NO_SIZES))}
    if p.family == "reduce_segments":
        inputs["offsets"] = offsets_of(axes["segments"], axes["n"], generator)
    if p.operation == "product":
        inputs["right"] = uniform(axes["n"])
    if p.operation.endswith("flagged"):
        inputs["flags"] = torch.randint(0, 3, (axes["n"],), generator=generator).to(torch.uint8)
    if p.operation == "unique":
        inputs["in"] = inputs["in"].repeat_interleave(3)[: axes["n"]]
    if p.family == "histogram" and p.operation == "even" and p.type == "f32":
        inputs["in"] = torch.rand(axes["n"], generator=generator)
    if p.operation == "range":
        inputs["levels"] = torch.sort(uniform(axes["bins"] + 1)).values
    return inputs


NO_SIZES = ("percent", "skew", "shape", "segments", "bins", "lower", "upper")


# ---- answers ----------------------------------------------------------------------------------------------


def wide(x):
    return x.to(torch.float64)


def fold(operation, x, dim):
    if operation in ("sum", "mean"):
        return [getattr(torch, operation)(x, dim)]
    if operation in ("min", "max"):
        return [getattr(torch, "a" + operation)(x, dim)]
    values, indices = getattr(torch, operation[3:])(x, dim)
    return [values, indices]


def folded(p, x, dim):
    return dict(zip(("out", "index"), fold(p.operation, x, dim)))


def answer_scan(p, x):
    kind, _, function = p.operation.partition("_")
    whole = not TYPES[p.type].is_floating_point
    if function == "sum":
        result, first = x.cumsum(0), 0.0
    else:
        result = getattr(torch, "cum" + function)(x, 0).values
        first = math.inf if function == "min" else -math.inf
        if whole:
            limits = torch.iinfo(TYPES[p.type])
            first = float(limits.max if function == "min" else limits.min)
    if kind == "exclusive":
        result = torch.cat((torch.tensor([first], dtype=torch.float64), result[:-1]))
    return {"out": result}


def answer_compact(p, inputs):
    x = inputs["in"]
    if p.operation == "unique":
        wanted = torch.cat((torch.tensor([True]), wide(x[1:]) != wide(x[:-1])))
    elif p.operation.endswith("flagged"):
        wanted = inputs["flags"] != 0
    else:
        wanted = wide(x) > (127 if p.type == "u8" else 0)
    selected, rest = wide(x)[wanted], wide(x)[~wanted]
    out = torch.cat((selected, rest.flip(0))) if p.operation.startswith("partition") else selected
    return {"out": out, "count": torch.tensor([float(selected.numel())], dtype=torch.float64)}


def answer_histogram(p, inputs):
    x, bins = wide(inputs["in"]), p.axes["bins"]
    if p.operation == "range":
        bin_of = (x[:, None] >= wide(inputs["levels"])[None, :]).sum(1) - 1
    else:
        bin_of = (x * (bins if p.type == "f32" else 1)).floor()
    return {"out": torch.tensor([float((bin_of == b).sum()) for b in range(bins)], dtype=torch.float64)}


def answer_pagerank(p, inputs):
    out, into = wide(inputs["out_offsets"]), inputs["in_offsets"].tolist()
    share = wide(inputs["rank"]) / (out[1:] - out[:-1])
    sources = inputs["in_sources"].to(torch.int64)
    sums = [share[sources[into[v] : into[v + 1]]].sum() for v in range(p.axes["vertices"])]
    return {"next": 0.15 / p.axes["vertices"] + 0.85 * torch.stack(sums)}


def activate(name, x):
    return {
        "relu": lambda: x.clamp_min(0),
        "gelu": lambda: 0.5 * x * (1 + torch.erf(x / math.sqrt(2))),
        "gelu_tanh": lambda: 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))),
        "silu": lambda: x * torch.sigmoid(x),
        "swiglu": lambda: x[:, 0::2] * torch.sigmoid(x[:, 0::2]) * x[:, 1::2],
    }[name]()


def answer_gemm_fused(p, inputs):
    epilogue, order = p.operation.rsplit("_", 1)
    m, n, k = (p.axes[axis] for axis in "mnk")
    b = wide(inputs["b"])
    c = wide(inputs["a"]).view(m, k) @ (b.view(k, n) if order == "nn" else b.view(n, k).t())
    if epilogue.startswith("bias"):
        c = c + wide(inputs["bias"])
    if epilogue == "bias_residual":
        return {"c": c + wide(inputs["residual"]).view(m, n)}
    return {"c": c if epilogue == "bias" else activate(epilogue.removeprefix("bias_"), c)}


def answer_fused_mlp(p, inputs):
    model, hidden = p.axes["model"], p.axes["hidden"]
    s = wide(inputs["x"]).view(-1, model) @ wide(inputs["w1"]).view(-1, model).t()
    h = activate(p.operation, s + wide(inputs["b1"]) if "b1" in inputs else s)
    y = h @ wide(inputs["w2"]).view(model, hidden).t()
    return {"y": y + wide(inputs["b2"]) if "b2" in inputs else y}


def answer_elementwise(p, x):
    if p.operation == "scale":
        return x * p.scalars["factor"]
    return activate(p.operation.removesuffix("_erf"), x)


def answers(p, inputs):
    """{output: its elements in double}; `out` of a selection is as long as what was selected."""
    axes = p.axes
    x = wide(inputs.get("x", inputs.get("in", torch.empty(0))))
    if p.family == "vector_add":
        return {"z": x + wide(inputs["y"])}
    if p.family == "saxpy":
        return {"y": p.scalars["a"] * x + wide(inputs["y"])}
    if p.family == "elementwise":
        return {"y": answer_elementwise(p, x)}
    if p.family == "transpose":
        return {"out": x.view(axes["rows"], axes["columns"]).t().flatten()}
    if p.family == "permute":
        return {"out": x.view(*axes.values()).permute(["abcd".index(a) for a in p.operation]).flatten()}
    if p.family == "reduce":
        return folded(p, x, 0)
    if p.family == "reduce_axis":
        return folded(p, x.view(axes["outer"], axes["n"], axes["inner"]), 1)
    if p.family == "reduce_segments":
        ends = inputs["offsets"].tolist()
        return {"out": torch.stack([answer_segment(p.operation, x[a:b]) for a, b in zip(ends, ends[1:])])}
    if p.family == "scan":
        return answer_scan(p, x)
    if p.family == "compact":
        return answer_compact(p, inputs)
    if p.family == "histogram":
        return answer_histogram(p, inputs)
    if p.family == "pagerank":
        return answer_pagerank(p, inputs)
    if p.family == "warp":
        return answer_warp(p, x, inputs)
    if p.family == "atomics":
        return {"out": wide(torch.bincount(inputs["keys"].to(torch.int64), minlength=axes["k"]))}
    if p.family == "sgemm":
        return {"c": wide(inputs["a"]).view(axes["m"], -1) @ wide(inputs["b"]).view(axes["k"], -1)}
    if p.family == "gemv":
        return {"y": wide(inputs["x"]).view(axes["m"], -1) @ wide(inputs["w"]).view(axes["n"], -1).t()}
    if p.family == "gemm_fused":
        return answer_gemm_fused(p, inputs)
    if p.family == "fused_mlp":
        return answer_fused_mlp(p, inputs)
    if p.family in ml_problems.FAMILIES:
        return ml_problems.FAMILIES[p.family].answers(p, inputs)
    raise LookupError(p.family)


def answer_segment(operation, x):
    if x.numel() == 0:
        return torch.tensor({"sum": 0.0, "mean": math.nan, "min": math.inf, "max": -math.inf}.get(operation, math.nan))
    return fold(operation, x, 0)[0]


def answer_warp(p, x, inputs):
    if p.operation == "product":
        return {"out": (x.view(-1, 32, 32) @ wide(inputs["right"]).view(-1, 32, 32)).flatten()}
    rows = x.view(-1, 32)
    return {"out": rows.cumsum(1).flatten() if p.operation == "inclusive" else fold(p.operation, rows, 1)[0]}


def buffer_counts(p):
    """{name: (its type, how many elements)}."""
    inputs = make_inputs(p, 7)
    counts = {name: (NAMES[value.dtype], value.numel()) for name, value in inputs.items()}
    return counts | {name: (output_type(p, name), value.numel()) for name, value in answers(p, inputs).items()}


# ---- a problem's sets, and what became of them --------------------------------------------------------------


def output_type(p, name):
    if p.family in ml_problems.FAMILIES:
        return ml_problems.FAMILIES[p.family].types.get(name, p.type)
    if p.family in ("histogram", "atomics") and name == "out":
        return "u32"
    return {"index": "i64", "count": "u32"}.get(name, p.type)


class Sets:
    """Copies of a problem's buffers, their outputs poisoned; the same inputs in each, as the runner has it."""

    def __init__(self, p, count=2):
        self.problem = p
        inputs = make_inputs(p, 7)
        self.expected = {name: value.flatten() for name, value in answers(p, inputs).items()}
        self.tensors = [self.copy(inputs) for _ in range(count)]
        self.inputs = inputs

    def copy(self, inputs):
        buffers = {name: value.to(DEVICE, copy=True) for name, value in inputs.items()}
        for name, value in self.expected.items():
            if name in buffers:
                continue
            room = self.problem.axes["n"] if self.problem.family == "compact" and name == "out" else value.numel()
            dtype = TYPES[output_type(self.problem, name)]
            buffers[name] = torch.full((room,), 99, dtype=torch.float64).to(dtype).to(DEVICE)
        return buffers

    def buffers(self):
        return [{name: self.describe(name, t) for name, t in buffers.items()} for buffers in self.tensors]

    def describe(self, name, t):
        roles = {(True, False): "input", (False, True): "output", (True, True): "inout"}
        role = roles[name in self.inputs, name in self.expected]
        return Buffer(t.data_ptr(), t.numel(), NAMES[t.dtype], role, DEVICE)

    def restore(self):
        """What kz does with inout buffers before each run."""
        for buffers in self.tensors:
            for name in self.inputs:
                buffers[name].copy_(self.inputs[name])

    def errors(self, which):
        """Every output of that set that is wrong, in words; and inputs that were written."""
        found = []
        for name, expected in self.expected.items():
            actual = wide(self.tensors[which][name].cpu().flatten()[: expected.numel()])
            allowed = self.allowed(name, expected)
            right = ((actual - expected).abs() <= allowed) | (actual == expected) | (actual.isnan() & expected.isnan())
            wrong = ~right
            if wrong.any():
                i = int(wrong.nonzero()[0])
                count = int(wrong.sum())
                found.append(f"{name}[{i}] is {actual[i]:.9g}, expected {expected[i]:.9g}; {count} are wrong")
        for name, value in self.inputs.items():
            if name not in self.expected and not torch.equal(wide(self.tensors[which][name].cpu()), wide(value)):
                found.append(f"the input {name} was written")
        return found

    def allowed(self, name, expected):
        """Float arithmetic over some thousand terms, then one rounding to the type; 0 for what is exact."""
        p, stored = self.problem, NAMES[self.tensors[0][name].dtype]
        exact = p.family in ("transpose", "permute", "compact", "histogram", "atomics", "top_k", "sampling")
        exact |= p.family == "elementwise" and p.operation == "relu" or p.operation.startswith("gather")
        exact |= any(p.operation.endswith(word) for word in ("min", "max")) and p.family != "softmax"
        if exact or stored not in UNIT:
            return torch.zeros_like(expected)
        largest = float(expected.nan_to_num(0, 0, 0).abs().max())
        arithmetic = (2.0**-46 if p.type == "f64" else 2.0**-19) * (1 + largest)
        weights = 4 * UNIT[p.type] * 0.2 if p.family.startswith("attention") and p.type != "f32" else 0  # rounded on the way
        if p.family in ("gemm_fused", "fused_mlp", "transformer_block"):  # rounded on the way too, a block in many places
            weights = (6 if p.family == "transformer_block" else 2) * UNIT[p.type] * (1 + largest)
        return arithmetic + weights + 1.01 * UNIT[stored] * expected.abs()

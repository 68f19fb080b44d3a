"""Kernels of our own in Triton, written as its users write them.

Blocks are powers of two, edges are masked, what depends on the machine is autotuned. Arithmetic is float for the half
types, and a result is rounded once. Matrix products of f32 are IEEE ones: TF32 is off. Where the interpreter runs them
(TRITON_INTERPRET=1, as the tests do), the first configuration is taken, for there is no clock.
"""

import os

from packages import package

torch = package("torch", "2.7")
triton = package("triton", "3.2")

import triton.language as tl  # noqa: E402, after the checks above

from attention import Shape, refuse_lse  # noqa: E402
from tensors import TYPES, tensors  # noqa: E402

NAME = "triton"
INTERPRETED = os.environ.get("TRITON_INTERPRET") == "1"
FLOATS = ("f32", "f16", "bf16")


def version():
    return triton.__version__


def offers(problem):
    if problem.device == "cpu" and not INTERPRETED or 0 in problem.axes.values() or problem.family not in FAMILIES:
        return []
    kernel, can, _ = FAMILIES[problem.family]
    return [kernel] if can(problem) else []


def prepare(problem, name, sets):
    torch.set_grad_enabled(False)
    run = FAMILIES[problem.family][2](problem, sets)
    run(0)
    return run


def tuned(key, configs, **options):
    """Chosen by a clock at the first launch with these values of `key`."""
    return triton.autotune(configs[:1] if INTERPRETED else configs, key, **options)


def blocks(*rows, names):
    return [triton.Config(dict(zip(names, row[:-1])), num_warps=row[-1]) for row in rows]


STREAMING = blocks((1024, 4), (2048, 4), (4096, 8), (8192, 8), names=("BLOCK",))


def cover(n):
    """A program for each block of n elements."""
    return lambda meta: (triton.cdiv(n, meta["BLOCK"]),)


# ---- element by element -----------------------------------------------------------------------------------


@tuned(["n"], STREAMING)
@triton.jit
def add_kernel(x, y, z, n, BLOCK: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    tl.store(z + at, tl.load(x + at, inside) + tl.load(y + at, inside), inside)


@tuned(["n"], STREAMING, restore_value=["y"])
@triton.jit
def saxpy_kernel(a, x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    tl.store(y + at, a * tl.load(x + at, inside) + tl.load(y + at, inside), inside)


@triton.jit
def apply(x, factor, operation: tl.constexpr):
    if operation == "scale":
        return x * factor
    if operation == "relu":
        return tl.where(x < 0, 0.0, x)
    if operation == "gelu_erf":
        return 0.5 * x * (1 + tl.erf(x * 0.70710678118654752))
    if operation == "gelu_tanh":
        return x * tl.sigmoid(x * (1.5957691216057308 + 0.071354816272 * x * x))
    return x * tl.sigmoid(x)


@tuned(["n", "operation"], STREAMING)
@triton.jit
def elementwise_kernel(x, y, n, factor, operation: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    tl.store(y + at, apply(tl.load(x + at, inside).to(tl.float32), factor, operation), inside)


def vector_add(p, sets):
    x, y, z = (tensors(sets, name) for name in "xyz")
    n = p.axes["n"]
    return lambda i: add_kernel[cover(n)](x[i], y[i], z[i], n)


def saxpy(p, sets):
    x, y = tensors(sets, "x"), tensors(sets, "y")
    a, n = p.scalars["a"], p.axes["n"]
    return lambda i: saxpy_kernel[cover(n)](a, x[i], y[i], n)


def elementwise(p, sets):
    x, y = tensors(sets, "x"), tensors(sets, "y")
    factor, n = p.scalars["factor"], p.axes["n"]
    return lambda i: elementwise_kernel[cover(n)](x[i], y[i], n, factor, p.operation)


# ---- reductions -------------------------------------------------------------------------------------------


@triton.jit
def identity_of(operation: tl.constexpr):
    if operation == "sum" or operation == "mean":
        return 0.0
    return float("inf") if operation == "min" else -float("inf")


@triton.jit
def combine(a, b, operation: tl.constexpr):
    if operation == "sum" or operation == "mean":
        return a + b
    if operation == "min":
        return tl.minimum(a, b, tl.PropagateNan.ALL)
    return tl.maximum(a, b, tl.PropagateNan.ALL)


@triton.jit
def least(a, b):
    return tl.minimum(a, b, tl.PropagateNan.ALL)


@triton.jit
def greatest(a, b):
    return tl.maximum(a, b, tl.PropagateNan.ALL)


@triton.jit
def fold(values, axis: tl.constexpr, operation: tl.constexpr):
    if operation == "sum" or operation == "mean":
        return tl.sum(values, axis)
    if operation == "min":
        return tl.reduce(values, axis, least)
    return tl.reduce(values, axis, greatest)


@tuned(["n"], blocks((1024, 4), (4096, 8), (8192, 8), (16384, 16), names=("BLOCK",)))
@triton.jit
def reduce_part_kernel(x, parts, n, operation: tl.constexpr, BLOCK: tl.constexpr):
    """A program strides over the input; one result each."""
    values = tl.full([BLOCK], identity_of(operation), tl.float32)
    for first in range(tl.program_id(0).to(tl.int64) * BLOCK, n, tl.num_programs(0) * BLOCK):
        at = first + tl.arange(0, BLOCK)
        element = tl.load(x + at, at < n, other=identity_of(operation)).to(tl.float32)
        values = combine(values, element, operation)
    tl.store(parts + tl.program_id(0), fold(values, 0, operation))


@triton.jit
def reduce_end_kernel(parts, out, n, operation: tl.constexpr, PARTS: tl.constexpr):
    value = fold(tl.load(parts + tl.arange(0, PARTS)), 0, operation)
    tl.store(out, value / n if operation == "mean" else value)


def reduce(p, sets):
    """Two kernels: as many partial results as programs fit on the GPU, then their fold."""
    x, out = tensors(sets, "in"), tensors(sets, "out")
    count = 2 if INTERPRETED else 1024
    parts = torch.empty(count, device=p.device)

    def run(i):
        reduce_part_kernel[(count,)](x[i], parts, p.axes["n"], p.operation)
        reduce_end_kernel[(1,)](parts, out[i], p.axes["n"], p.operation, count)

    return run


TILES = (16, 32, 4), (16, 64, 4), (1, 1024, 4), (1, 4096, 8), (4, 1024, 8), (32, 16, 4), (64, 32, 4)
AXIS_BLOCKS = blocks(*TILES, names=("ROWS", "COLUMNS"))


@tuned(["outer", "n"], AXIS_BLOCKS)
@triton.jit
def reduce_rows_kernel(x, out, outer, n, operation: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    values = tl.full([ROWS, COLUMNS], identity_of(operation), tl.float32)
    for first in range(0, n, COLUMNS):
        column = first + tl.arange(0, COLUMNS)
        inside = (row < outer)[:, None] & (column < n)[None, :]
        element = tl.load(x + row[:, None] * n + column[None, :], inside, other=identity_of(operation))
        values = combine(values, element.to(tl.float32), operation)
    result = fold(values, 1, operation)
    tl.store(out + row, result / n if operation == "mean" else result, row < outer)


@tuned(["n", "inner"], AXIS_BLOCKS)
@triton.jit
def reduce_columns_kernel(x, out, n, inner, operation: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    """COLUMNS neighbours of the inner axis for one program, ROWS of n at a time."""
    column = tl.program_id(0) * COLUMNS + tl.arange(0, COLUMNS)
    outer = tl.program_id(1).to(tl.int64)
    values = tl.full([ROWS, COLUMNS], identity_of(operation), tl.float32)
    for first in range(0, n, ROWS):
        row = first + tl.arange(0, ROWS)
        inside = (row < n)[:, None] & (column < inner)[None, :]
        at = (outer * n + row)[:, None] * inner + column[None, :]
        values = combine(values, tl.load(x + at, inside, other=identity_of(operation)).to(tl.float32), operation)
    result = fold(values, 0, operation)
    tl.store(out + outer * inner + column, result / n if operation == "mean" else result, column < inner)


def reduce_axis(p, sets):
    outer, n, inner = (p.axes[axis] for axis in ("outer", "n", "inner"))
    x, out = tensors(sets, "in"), tensors(sets, "out")
    if inner == 1:
        grid = lambda meta: (triton.cdiv(outer, meta["ROWS"]),)  # noqa: E731
        return lambda i: reduce_rows_kernel[grid](x[i], out[i], outer, n, p.operation)
    grid = lambda meta: (triton.cdiv(inner, meta["COLUMNS"]), outer)  # noqa: E731
    return lambda i: reduce_columns_kernel[grid](x[i], out[i], n, inner, p.operation)


def can_fold(p):
    return p.type in FLOATS and not p.operation.startswith("arg")


# ---- scan -------------------------------------------------------------------------------------------------


@triton.jit
def block_sum_kernel(x, sums, n, BLOCK: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    tl.store(sums + tl.program_id(0), tl.sum(tl.load(x + at, at < n, other=0).to(sums.dtype.element_ty)))


@triton.jit
def scan_sums_kernel(sums, count, BLOCK: tl.constexpr):
    """One program: the sum of all blocks before each."""
    before = tl.zeros([], sums.dtype.element_ty)
    for first in range(0, count, BLOCK):
        at = first + tl.arange(0, BLOCK)
        value = tl.load(sums + at, at < count, other=0)
        tl.store(sums + at, before + tl.cumsum(value) - value, at < count)
        before += tl.sum(value)


@triton.jit
def scan_block_kernel(x, sums, out, n, exclusive: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + at, at < n, other=0).to(sums.dtype.element_ty)
    result = tl.load(sums + tl.program_id(0)) + tl.cumsum(value)
    if exclusive:
        # Not the sum less the element, which would round once more: the results, one place on.
        tl.store(out + at + 1, result, at + 1 < n)
        tl.store(out + at, tl.zeros_like(value), at == 0)
    else:
        tl.store(out + at, result, at < n)


def scan(p, sets):
    """Reduce, then scan: sums of blocks, a scan of those, then each block from where the ones before it end."""
    x, out, n = tensors(sets, "in"), tensors(sets, "out"), p.axes["n"]
    block, exclusive = (1024 if INTERPRETED else 4096), p.operation.startswith("exclusive")
    count = triton.cdiv(n, block)
    sums = torch.empty(count, dtype=torch.float32 if p.type in FLOATS else TYPES[p.type], device=p.device)

    def run(i):
        block_sum_kernel[(count,)](x[i], sums, n, block, num_warps=8)
        scan_sums_kernel[(1,)](sums, count, 1024 if INTERPRETED else 8192, num_warps=16)
        scan_block_kernel[(count,)](x[i], sums, out[i], n, exclusive, block, num_warps=8)

    return run


# ---- transpose --------------------------------------------------------------------------------------------


SQUARES = (32, 32, 4), (64, 64, 4), (64, 64, 8), (128, 64, 8), (64, 128, 8)


@tuned(["rows", "columns"], blocks(*SQUARES, names=("R", "C")))
@triton.jit
def transpose_kernel(x, out, rows, columns, R: tl.constexpr, C: tl.constexpr):
    row = tl.program_id(1).to(tl.int64) * R + tl.arange(0, R)
    column = tl.program_id(0).to(tl.int64) * C + tl.arange(0, C)
    inside = (row < rows)[:, None] & (column < columns)[None, :]
    tile = tl.load(x + row[:, None] * columns + column[None, :], inside)
    tl.store(out + column[:, None] * rows + row[None, :], tl.trans(tile), tl.trans(inside))


def transpose(p, sets):
    rows, columns = p.axes["rows"], p.axes["columns"]
    x, out = tensors(sets, "in"), tensors(sets, "out")
    grid = lambda meta: (triton.cdiv(columns, meta["C"]), triton.cdiv(rows, meta["R"]))  # noqa: E731
    return lambda i: transpose_kernel[grid](x[i], out[i], rows, columns)


# ---- matrix product ---------------------------------------------------------------------------------------

GEMM_BLOCKS = [
    triton.Config({"M": rows, "N": columns, "K": depth}, num_warps=warps, num_stages=stages)
    for rows, columns, depth, warps, stages in (
        (64, 64, 32, 4, 3),
        (128, 64, 16, 4, 3),
        (128, 128, 16, 8, 3),
        (128, 128, 32, 8, 2),
        (64, 128, 16, 4, 4),
    )
]


@tuned(["m", "n", "k"], GEMM_BLOCKS)
@triton.jit
def gemm_kernel(a, b, c, m, n, k, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    # Eight rows of tiles at a time, so that programs that run together share tiles of b in L2.
    tiles_m, tiles_n = tl.cdiv(m, M), tl.cdiv(n, N)
    group, inside = tl.program_id(0) // (8 * tiles_n), tl.program_id(0) % (8 * tiles_n)
    height = tl.minimum(tiles_m - 8 * group, 8)
    row = (8 * group + inside % height).to(tl.int64) * M + tl.arange(0, M)
    column = (inside // height).to(tl.int64) * N + tl.arange(0, N)
    total = tl.zeros([M, N], tl.float32)
    for first in range(0, k, K):
        depth = first + tl.arange(0, K)
        left = tl.load(a + row[:, None] * k + depth[None, :], (row < m)[:, None] & (depth < k)[None, :], other=0)
        right = tl.load(b + depth[:, None].to(tl.int64) * n + column[None, :],
                        (depth < k)[:, None] & (column < n)[None, :], other=0)
        total = tl.dot(left, right, total, input_precision="ieee")
    tl.store(c + row[:, None] * n + column[None, :], total, (row < m)[:, None] & (column < n)[None, :])


def sgemm(p, sets):
    m, n, k = (p.axes[axis] for axis in "mnk")
    a, b, c = (tensors(sets, name) for name in "abc")
    grid = lambda meta: (triton.cdiv(m, meta["M"]) * triton.cdiv(n, meta["N"]),)  # noqa: E731
    return lambda i: gemm_kernel[grid](a[i], b[i], c[i], m, n, k)


# ---- layers -----------------------------------------------------------------------------------------------


@triton.jit
def rmsnorm_kernel(x, weight, y, columns, epsilon, BLOCK: tl.constexpr):
    """A row for each program, in registers between the sum and the scaling."""
    first = tl.program_id(0).to(tl.int64) * columns
    at = tl.arange(0, BLOCK)
    row = tl.load(x + first + at, at < columns, other=0).to(tl.float32)
    factor = tl.rsqrt(tl.sum(row * row) / columns + epsilon)
    tl.store(y + first + at, row * factor * tl.load(weight + at, at < columns).to(tl.float32), at < columns)


def rmsnorm(p, sets):
    rows, columns, epsilon = p.axes["rows"], p.axes["columns"], p.scalars["epsilon"]
    x, weight, y = (tensors(sets, name) for name in ("x", "weight", "y"))
    block = triton.next_power_of_2(columns)
    warps = min(max(block // 512, 1), 16)
    return lambda i: rmsnorm_kernel[(rows,)](x[i], weight[i], y[i], columns, epsilon, block, num_warps=warps)


ATTENTION_BLOCKS = [
    triton.Config({"Q": queries, "K": keys}, num_warps=warps, num_stages=stages)
    for queries, keys, warps, stages in ((64, 64, 4, 3), (128, 64, 8, 3), (128, 64, 4, 3), (128, 128, 8, 2))
]


@tuned(["queries", "keys", "reach", "causal"], ATTENTION_BLOCKS)
@triton.jit
def attention_kernel(q, k, v, lengths, out, heads, group, queries, keys, reach, scale, causal: tl.constexpr,
                     padded: tl.constexpr, D: tl.constexpr, Q: tl.constexpr, K: tl.constexpr):
    """Q queries of a head for each program; the softmax is updated block by block of keys, and no score is stored."""
    head = tl.program_id(1).to(tl.int64)
    query, depth = tl.program_id(0) * Q + tl.arange(0, Q), tl.arange(0, D)
    own = (head * queries + query)[:, None] * D + depth[None, :]
    rows = tl.load(q + own, (query < queries)[:, None], other=0)
    greatest = tl.full([Q], -float("inf"), tl.float32)
    total, result = tl.zeros([Q], tl.float32), tl.zeros([Q, D], tl.float32)
    last = query + keys - queries  # the key that a query sees last
    begin, end = 0, keys
    if causal:
        begin = tl.maximum(tl.program_id(0) * Q + keys - queries - reach + 1, 0) // K * K
        end = tl.minimum(keys, keys - queries + (tl.program_id(0) + 1) * Q)
    if padded:
        end = tl.minimum(tl.maximum(tl.load(lengths + head // heads), 0), keys)
    for first in range(begin, end, K):
        key = first + tl.arange(0, K)
        at = (head // group * keys + key)[:, None] * D + depth[None, :]
        inside = (key < end)[:, None]
        scores = tl.dot(rows, tl.trans(tl.load(k + at, inside, other=0)), input_precision="ieee")
        seen = (key < end)[None, :]
        if causal:
            seen = seen & (key[None, :] <= last[:, None]) & (key[None, :] > last[:, None] - reach)
        scores = tl.where(seen, scores * (scale * 1.4426950408889634), -float("inf"))
        before = greatest
        greatest = tl.maximum(before, tl.max(scores, 1))
        base = tl.where(greatest == -float("inf"), 0.0, greatest)  # of a row that has seen nothing yet
        weights = tl.exp2(scores - base[:, None])
        shrink = tl.exp2(before - base)
        total = total * shrink + tl.sum(weights, 1)
        values = tl.load(v + at, inside, other=0)
        result = tl.dot(weights.to(values.dtype), values, result * shrink[:, None], input_precision="ieee")
    total = tl.where(total == 0.0, 1.0, total)  # nothing seen: zeros
    tl.store(out + own, result / total[:, None], (query < queries)[:, None])


def attention(p, sets):
    refuse_lse(sets)
    shape = Shape(p)
    q, k, v, out = shape.arrays(sets, ("q", "k", "v", "out")).values()
    padded, causal = shape.operation == "padded", shape.operation in ("causal", "window")
    lengths = tensors(sets, "key_lengths") if padded else q
    grid = lambda meta: (triton.cdiv(shape.queries, meta["Q"]), shape.batch * shape.heads)  # noqa: E731
    sizes = shape.heads, shape.group, shape.queries, shape.keys, min(shape.reach, shape.keys) if causal else 0
    return lambda i: attention_kernel[grid](
        q[i], k[i], v[i], lengths[i], out[i], *sizes, shape.scale, causal, padded, shape.dimension)


def can_attend(p):
    shape = Shape(p)
    power_of_two = shape.dimension & (shape.dimension - 1) == 0
    grid_fits = shape.batch * shape.heads < 65536
    known = shape.operation in ("full", "causal", "window", "padded") and not shape.sees_nothing()
    return 16 <= shape.dimension <= 256 and power_of_two and grid_fits and known


# The name for tables, whether it does the problem, and what makes run.
FAMILIES = {
    "vector_add": ("a block per program", lambda p: True, vector_add),
    "saxpy": ("a block per program", lambda p: True, saxpy),
    "elementwise": ("a block per program", lambda p: True, elementwise),
    "transpose": ("tiles, trans", lambda p: p.type != "f64", transpose),
    "reduce": ("two kernels", can_fold, reduce),
    "reduce_axis": ("a tile per program", lambda p: can_fold(p) and p.axes["outer"] < 65536, reduce_axis),
    "scan": ("reduce then scan", lambda p: p.operation.endswith("lusive_sum") and p.type != "f64", scan),
    "sgemm": ("dot, ieee", lambda p: True, sgemm),
    "rmsnorm": ("a row per program", lambda p: p.operation == "rmsnorm" and p.axes["columns"] <= 32768, rmsnorm),
    "attention": ("online softmax", can_attend, attention),
}

"""PyTorch in eager mode: layers, losses, optimisers and what else models are made of. torch_eager.py offers it as its own.

Backward passes are the operators that PyTorch's autograd calls. A chain whose steps PyTorch rounds to a half type is offered
in f32 alone: the families round once, at the end. What the CPU alone computes in halves is not offered there.
"""

import math

import torch

from attention import Shape, additive, dense_mask, ranges, refuse_lse, visible
from provider import Unsupported
from tensors import TYPES, delivered, overwrite, signed, tensors

aten = torch.ops.aten
HALVES = ("f16", "bf16")
IGNORED = -100  # PyTorch's label of rows that do not count


def on_cpu_in_halves(p):
    return p.device == "cpu" and p.type in HALVES


# ---- softmax and its loss -------------------------------------------------------------------------------


def softmax(p):
    shape = p.axes["batch"], p.axes["rows"], p.axes["columns"]
    if p.operation == "masked":
        return softmax_masked(shape)
    if p.operation == "causal":
        return softmax_causal(p, shape)
    if p.operation.endswith("backward"):
        return softmax_backward(p, shape)
    if p.operation == "log_softmax" and on_cpu_in_halves(p):
        return None
    function = {"softmax": torch.softmax, "log_softmax": torch.log_softmax}[p.operation]

    def make(sets):
        x, y = tensors(sets, "x", *shape), tensors(sets, "y", *shape)
        return lambda i: function(x[i], 2, out=y[i])

    return p.operation, make


def softmax_masked(shape):
    """A row of which nothing is seen is NaN in PyTorch: the second masked_fill makes it zeros."""

    def make(sets):
        x, mask, y = (tensors(sets, name, *shape) for name in ("x", "mask", "y"))

        def run(i):
            hidden = mask[i] == 0
            torch.softmax(x[i].masked_fill(hidden, -math.inf), 2, out=y[i]).masked_fill_(hidden, 0)

        return run

    return "eq, masked_fill, softmax, masked_fill_", make


def softmax_causal(p, shape):
    _, rows, columns = shape
    if columns < rows:  # rows that see nothing
        return None

    def make(sets):
        x, y = tensors(sets, "x", *shape), tensors(sets, "y", *shape)
        hidden = torch.ones(rows, columns, dtype=torch.bool, device=p.device).triu(columns - rows + 1)
        return lambda i: torch.softmax(x[i].masked_fill(hidden, -math.inf), 2, out=y[i])

    return "masked_fill, softmax", make


def softmax_backward(p, shape):
    def make(sets):
        y, dy, dx = (tensors(sets, name, *shape) for name in ("y", "dy", "dx"))
        dtype = TYPES[p.type]
        if p.operation == "backward":
            return lambda i: aten._softmax_backward_data.out(dy[i], y[i], 2, dtype, grad_input=dx[i])
        return lambda i: aten._log_softmax_backward_data.out(dy[i], y[i], 2, dtype, out=dx[i])

    return ("_softmax" if p.operation == "backward" else "_log_softmax") + "_backward_data", make


def labels_of(sets, classes):
    """PyTorch stops at a label that no class has, and a GPU is lost then."""
    labels = tensors(sets, "labels")
    wrong = (labels[0] >= classes) | (labels[0] < 0) & (labels[0] != IGNORED)
    if bool(wrong.any()):
        raise Unsupported("a label names no class: the family gives NaN, and PyTorch stops there")
    return labels


class Entropy:
    """cross_entropy as PyTorch composes it: log_softmax and nll_loss. Labels become i64 in each run."""

    def __init__(self, p, sets):
        self.rows, self.classes = p.axes["rows"], p.axes["classes"]
        self.smoothing = p.axes["smoothing"] / 1000000
        self.logits = tensors(sets, "logits", self.rows, self.classes)
        self.labels = labels_of(sets, self.classes)
        self.unused = torch.zeros((), device=p.device)  # the labels' weights together, of a mean

    def forward(self, logs, target, loss):
        aten.nll_loss_forward.output(logs, target, None, 0, IGNORED, output=loss, total_weight=self.unused)
        if self.smoothing:
            of_all = logs.mean(1).masked_fill_(target == IGNORED, 0)
            loss.mul_(1 - self.smoothing).sub_(of_all, alpha=self.smoothing)

    def backward(self, factor, logs, target, **out):
        """The gradient of the sum of factor times loss, in float."""
        to_logs = aten.nll_loss_backward(
            factor * (1 - self.smoothing), logs, target, None, 0, IGNORED, self.unused)
        if self.smoothing:
            of_all = factor.masked_fill(target == IGNORED, 0) * (self.smoothing / self.classes)
            to_logs.sub_(of_all[:, None])
        return aten._log_softmax_backward_data(to_logs, logs, 1, torch.float32, **out)


def cross_entropy(p):
    make = {"loss": entropy_loss, "gradient": entropy_gradient, "backward": entropy_backward}[p.operation]
    name = {
        "loss": "log_softmax, nll_loss",
        "gradient": "log_softmax, nll_loss, their backward",
        "backward": "sub, backward of nll_loss and log_softmax",
    }[p.operation]
    copied = p.operation == "gradient" and p.type in HALVES
    return name + (", copy_" if copied else ""), lambda sets: make(p, sets)


def entropy_loss(p, sets):
    entropy = Entropy(p, sets)
    loss, log_sum = tensors(sets, "loss"), tensors(sets, "log_sum")
    first = [t[:, 0] for t in entropy.logits]

    def run(i):
        logs = torch.log_softmax(entropy.logits[i], 1, dtype=torch.float32)
        entropy.forward(logs, entropy.labels[i].long(), loss[i])
        torch.sub(first[i], logs[:, 0], out=log_sum[i])  # of which PyTorch keeps no copy

    return run


def entropy_gradient(p, sets):
    entropy = Entropy(p, sets)
    loss, scale = tensors(sets, "loss"), tensors(sets, "scale")

    def run(i):
        target = entropy.labels[i].long()
        logs = torch.log_softmax(entropy.logits[i], 1, dtype=torch.float32)
        entropy.forward(logs, target, loss[i])
        factor, logits = scale[i].repeat(entropy.rows), entropy.logits[i]
        if p.type in HALVES:  # in place: autograd rounds the gradient too
            logits.copy_(entropy.backward(factor, logs, target))
        else:
            entropy.backward(factor, logs, target, out=logits)

    return run


def entropy_backward(p, sets):
    entropy = Entropy(p, sets)
    log_sum, dloss = tensors(sets, "log_sum", entropy.rows, 1), tensors(sets, "dloss")
    dlogits = tensors(sets, "dlogits", entropy.rows, entropy.classes)

    def run(i):
        own = {} if p.type in HALVES else {"out": dlogits[i]}
        return entropy.backward(dloss[i], entropy.logits[i] - log_sum[i], entropy.labels[i].long(), **own)

    return delivered(run, dlogits) if p.type in HALVES else run


# ---- embeddings, positions ------------------------------------------------------------------------------


OUTSIDE = 4  # of axes["skew"]: some ids name no row, and PyTorch stops there


def embedding(p):
    tokens, vocabulary, dim = (p.axes[axis] for axis in ("tokens", "vocabulary", "dim"))
    if p.axes["skew"] == OUTSIDE:
        return None
    if p.operation.startswith("gather"):

        def make_gather(sets):
            table, ids = tensors(sets, "table", vocabulary, dim), tensors(sets, "ids")
            rows = tensors(sets, "rows", tokens, dim)
            return lambda i: torch.index_select(table[i], 0, ids[i], out=rows[i])  # what embedding() calls

        return "index_select", make_gather
    if on_cpu_in_halves(p):
        return None

    def make_gradient(sets):
        d_rows, ids = tensors(sets, "d_rows", tokens, dim), tensors(sets, "ids")
        d_table, padding = tensors(sets, "d_table", vocabulary, dim), p.axes["padding"] - 1
        backward = aten.embedding_dense_backward
        return delivered(lambda i: backward(d_rows[i], ids[i], vocabulary, padding, False), d_table)

    return "embedding_dense_backward", make_gradient


def rope_angles(p, positions):
    """Cosines and sines, tokens x 1 x pairs. In double until they are: positions go to 2^20, and floats are too coarse."""
    exponents = torch.arange(0, p.axes["rotary"], 2, dtype=torch.float64, device=positions.device)
    angles = positions.to(torch.float64)[:, None, None] * p.scalars["theta"] ** (-exponents / p.axes["rotary"])
    sine = torch.sin(angles).float()
    return torch.cos(angles).float(), -sine if p.operation.endswith("backward") else sine


def rope_turn(p, x, cosine, sine):
    """x, tokens x heads x dim, with its pairs turned in float."""
    rotary = p.axes["rotary"]
    wide = x[..., :rotary].float()
    if p.operation.startswith("halves"):
        a, b = wide.chunk(2, -1)
        turned = torch.cat((a * cosine - b * sine, b * cosine + a * sine), -1)
    else:
        a, b = wide[..., 0::2], wide[..., 1::2]
        turned = torch.stack((a * cosine - b * sine, b * cosine + a * sine), -1).flatten(-2)
    turned = turned.to(x.dtype)
    return turned if rotary == p.axes["dim"] else torch.cat((turned, x[..., rotary:]), -1)


def rope(p):
    tokens, dim = p.axes["batch"] * p.axes["sequence"], p.axes["dim"]
    heads = {"q": p.axes["q_heads"], "k": p.axes["k_heads"]}

    def make(sets):
        positions = tensors(sets, "positions")
        x = {name: tensors(sets, name, tokens, count, dim) for name, count in heads.items()}
        out = [tensors(sets, name + "_out", tokens, count, dim) for name, count in heads.items()]

        def run(i):
            angles = rope_angles(p, positions[i])
            return [rope_turn(p, x[name][i], *angles) for name in heads]

        return delivered(run, list(zip(*out)))

    return "cos, sin, mul, sub, add", make


# ---- optimisers -----------------------------------------------------------------------------------------


WORDS = 8  # of a kz_parameter, in i64: its elements, those before it, five places, decay and rate as floats


def parameters_of(sets):
    """What a table says, for each tensor that has elements: [(slice of the flat buffers, weight decay, rate)]."""
    table = tensors(sets, "parameters")[0].cpu()
    counts, firsts = table[0::WORDS].tolist(), table[1::WORDS].tolist()
    floats = table.view(torch.float32).view(len(counts), 2 * WORDS)[:, -2:].tolist()
    return [(slice(first, first + count), *of) for count, first, of in zip(counts, firsts, floats) if count]


def pieces(whole, parts):
    """A list of a buffer's tensors, for every set."""
    return [[t[where] for where, *_ in parts] for t in whole]


def decimal(scalar):
    """What was rounded to float on its way here: 1 - 0.999 is off by 1e-5 otherwise."""
    return float(f"{scalar:.7g}")


def adamw(p):
    """torch.optim.AdamW(fused=True) beyond its Python: a call for each group of equal decay and rate."""
    if p.axes["control"] != 0:  # a scale: PyTorch divides by it, and writes the gradients too
        return None
    if p.operation == "update_stochastic":  # by other random numbers
        return None
    master = p.operation == "update_master"
    if p.type == "f16" and not master or p.type == "f32" and master:
        return None
    name = "_foreach_copy_, _fused_adamw_, _foreach_copy_" if master else "_fused_adamw_"
    return name, lambda sets: make_adamw(p, sets, master)


def make_adamw(p, sets, master):
    parts = parameters_of(sets)
    now = tensors(sets, "now")[0].cpu()
    learning_rate, count = now.view(torch.float32)[0].item(), now.view(torch.int32)[1].item()
    step = torch.tensor(float(count), device=p.device)
    options = {"beta1": decimal(p.scalars["beta1"]), "beta2": decimal(p.scalars["beta2"])}
    options |= {"eps": decimal(p.scalars["epsilon"]), "amsgrad": False, "maximize": False}
    whole = {name: tensors(sets, name) for name in ("weights", "gradients", "m", "v")}
    wide = torch.empty(p.axes["n"], device=p.device) if master else None

    def calls(i):  # lists of the tensors of a group, and its options
        for decay, rate in sorted({(decay, rate) for _, decay, rate in parts}):
            group = [part for part in parts if part[1:] == (decay, rate)]
            sources = {name: [wide] if master and name == "gradients" else [t[i]] for name, t in whole.items()}
            lists = [pieces(source, group)[0] for source in sources.values()]
            yield lists, {**options, "weight_decay": decay, "lr": learning_rate * rate}

    of_set = [list(calls(i)) for i in range(len(sets))]
    narrow, weights = (pieces(whole[name], parts) for name in ("gradients", "weights"))
    copies = pieces(tensors(sets, "copy"), parts) if master else None
    wides = pieces([wide], parts)[0] if master else None

    def run(i):
        if master:
            torch._foreach_copy_(wides, narrow[i])
        for lists, settings in of_set[i]:
            torch._fused_adamw_(*lists, [], [step] * len(lists[0]), **settings)
        if master:
            torch._foreach_copy_(copies[i], weights[i])

    return run


def grad_norm(p):
    """torch.nn.utils.clip_grad_norm_ in its two halves, without its Python."""
    if p.operation == "clip":
        # PyTorch rounds the coefficient to the gradients' type.
        return ("_foreach_mul_", make_clip) if p.type == "f32" else None
    name = "_foreach_norm, vector_norm, clamp"
    return name, lambda sets: make_norm(p, sets)


def make_clip(sets):
    parts = parameters_of(sets)
    gradients = pieces(tensors(sets, "gradients"), parts)
    coefficient = [t.view(()) for t in tensors(sets, "coefficient")]
    return lambda i: torch._foreach_mul_(gradients[i], coefficient[i])


def make_norm(p, sets):
    parts = parameters_of(sets)
    gradients = pieces(tensors(sets, "gradients"), parts)
    norm, coefficient, scale = (tensors(sets, name) for name in ("norm", "coefficient", "scale"))
    not_finite, most, scaled = signed(sets, "not_finite"), p.scalars["max_norm"], p.axes["control"] != 0
    total = [t.view(()) for t in norm]

    def run(i):
        of_tensors = torch._foreach_norm(gradients[i], 2, dtype=torch.float32)
        torch.linalg.vector_norm(torch.stack(of_tensors), out=total[i])
        if scaled:
            norm[i].mul_(scale[i])
        torch.clamp(most / (norm[i] + 1e-6), max=1.0, out=coefficient[i])
        if scaled:
            coefficient[i].mul_(scale[i])
        return ~torch.isfinite(norm[i])

    return delivered(run, not_finite)


# ---- choosing -------------------------------------------------------------------------------------------


def top_k(p):
    """Of equal values PyTorch may take any: where it takes others than the family, the check finds it."""
    rows, columns, k = (p.axes[axis] for axis in ("rows", "columns", "k"))

    def make(sets):
        x = tensors(sets, "x", rows, columns)
        values, index = tensors(sets, "values", rows, k), tensors(sets, "index", rows, k)
        wide = [torch.empty(rows, k, dtype=torch.int64, device=p.device) for _ in sets]

        def run(i):
            return torch.topk(x[i], k, 1, out=(values[i], wide[i])).indices

        return delivered(run, index)

    return "topk", make


def sampling(p):
    """Greedy alone: what is drawn depends on the family's own random numbers."""
    if p.operation != "greedy":
        return None
    rows, vocabulary = p.axes["rows"], p.axes["vocabulary"]

    def make(sets):
        logits, token = tensors(sets, "logits", rows, vocabulary), tensors(sets, "token")
        return delivered(lambda i: torch.argmax(logits[i], 1), token)

    return "argmax", make


# ---- layers ---------------------------------------------------------------------------------------------


def fused_elementwise(p):
    """Without dropout, whose mask is the family's own."""
    if "dropout" in p.operation or p.type in HALVES:
        return None
    if p.operation.startswith("bias_gelu"):
        return bias_gelu_backward(p) if p.operation.endswith("backward") else bias_gelu(p)
    return gated_backward(p) if p.operation.endswith("backward") else gated(p)


def bias_gelu(p):
    shape = p.axes["rows"], p.axes["columns"]

    def make(sets):
        x, y, bias = tensors(sets, "x", *shape), tensors(sets, "y", *shape), tensors(sets, "bias")
        return lambda i: aten.gelu.out(torch.add(x[i], bias[i], out=y[i]), out=y[i])

    return "add, gelu", make


def bias_gelu_backward(p):
    shape = p.axes["rows"], p.axes["columns"]

    def make(sets):
        x, dy, dx = (tensors(sets, name, *shape) for name in ("x", "dy", "dx"))
        bias, dbias = tensors(sets, "bias"), tensors(sets, "dbias")

        def run(i):
            aten.gelu_backward.grad_input(dy[i], x[i] + bias[i], grad_input=dx[i])
            torch.sum(dx[i], 0, out=dbias[i])

        return run

    return "add, gelu_backward, sum", make


def halves_of(sets, name, rows, columns):
    """The two halves of rows of 2 x columns, in every set."""
    whole = tensors(sets, name, rows, 2 * columns)
    return [t[:, :columns] for t in whole], [t[:, columns:] for t in whole]


def gated(p):
    rows, columns = p.axes["rows"], p.axes["columns"]
    name, function = ("silu", torch.nn.functional.silu) if p.operation == "swiglu" else ("gelu", torch.nn.functional.gelu)

    def make(sets):
        (a, b), y = halves_of(sets, "x", rows, columns), tensors(sets, "y", rows, columns)
        return lambda i: torch.mul(function(a[i]), b[i], out=y[i])

    return f"{name}, mul", make


def gated_backward(p):
    rows, columns = p.axes["rows"], p.axes["columns"]
    swiglu = p.operation.startswith("swiglu")
    function = torch.nn.functional.silu if swiglu else torch.nn.functional.gelu
    backward = (aten.silu_backward if swiglu else aten.gelu_backward).grad_input

    def make(sets):
        (a, b), dy = halves_of(sets, "x", rows, columns), tensors(sets, "dy", rows, columns)
        da, db = halves_of(sets, "dx", rows, columns)

        def run(i):
            backward(dy[i] * b[i], a[i], grad_input=da[i])
            torch.mul(dy[i], function(a[i]), out=db[i])

        return run

    return ("silu, mul, silu_backward" if swiglu else "gelu, mul, gelu_backward"), make



def rmsnorm(p):
    """Of the backward pass PyTorch has one operator, which wants what the forward pass kept of each row."""
    shape, epsilon = (p.axes["rows"], p.axes["columns"]), p.scalars["epsilon"]
    if p.operation not in ("rmsnorm", "residual"):
        return None
    added = p.operation == "residual"

    def make(sets):
        x, y, weight = tensors(sets, "x", *shape), tensors(sets, "y", *shape), tensors(sets, "weight")
        residual, total = (tensors(sets, name, *shape) if added else x for name in ("residual", "sum"))
        function = torch.nn.functional.rms_norm

        def run(i):
            if added:
                torch.add(x[i], residual[i], out=total[i])
            return function(total[i], shape[1:], weight[i], epsilon)

        return delivered(run, y)

    return ("add, " if added else "") + "rms_norm", make


def layernorm(p):
    """On the CPU PyTorch keeps means in the half type, and takes no others."""
    if on_cpu_in_halves(p) or p.operation == "fp8":
        return None
    shape, epsilon = (p.axes["rows"], p.axes["columns"]), p.scalars["epsilon"]
    if p.operation == "backward":
        return "native_layer_norm_backward", lambda sets: make_layernorm_backward(sets, shape)
    added = p.operation == "residual"

    def make(sets):
        x, gamma, beta = tensors(sets, "x", *shape), tensors(sets, "gamma"), tensors(sets, "beta")
        residual, total = (tensors(sets, name, *shape) if added else x for name in ("residual", "sum"))
        out = list(zip(tensors(sets, "y", *shape), *(tensors(sets, name, shape[0], 1) for name in ("mean", "rstd"))))

        def run(i):
            if added:
                torch.add(x[i], residual[i], out=total[i])
            return aten.native_layer_norm(total[i], shape[1:], gamma[i], beta[i], epsilon)

        return delivered(run, out)

    return ("add, " if added else "") + "native_layer_norm", make


def make_layernorm_backward(sets, shape):
    dy, x, gamma = tensors(sets, "dy", *shape), tensors(sets, "x", *shape), tensors(sets, "gamma")
    mean, rstd = (tensors(sets, name, shape[0], 1) for name in ("mean", "rstd"))
    out = list(zip(tensors(sets, "dx", *shape), *(tensors(sets, name) for name in ("dgamma", "dbeta"))))

    def run(i):  # of beta only the shape matters, which is gamma's
        return aten.native_layer_norm_backward(
            dy[i], x[i], shape[1:], mean[i], rstd[i], gamma[i], gamma[i], [True, True, True])

    return delivered(run, out)


def attention(p):
    """As it is written in books; sdpa.py has PyTorch's fused kernels. Heads of a group are further queries of theirs."""
    shape = Shape(p)
    if shape.sees_nothing():
        return None
    if shape.packed or shape.operation == "padded":
        return "matmul, softmax, matmul of each sequence", lambda sets: make_attention_by_sequences(p, shape, sets)
    masked, softmax = shape.operation != "full", "_safe_softmax" if shape.operation == "additive" else "softmax"

    def make(sets):
        refuse_lse(sets)
        q, k, v, out = (grouped(shape, view) for view in shape.arrays(sets, ("q", "k", "v", "out")).values())
        masks = masks_of(p, shape, sets)

        def run(i):
            attend(q[i], k[i], v[i], out[i], masks[i], shape, masked)

        return run

    return f"baddbmm, {softmax}, bmm", make


def grouped(shape, view):
    """Dense arrays as (batch x kv_heads, heads of a group x tokens, dimension)."""
    return [t.view(shape.batch * shape.kv_heads, -1, shape.dimension) for t in view]


def masks_of(p, shape, sets):
    """What is added to scores of (heads of a group x queries, keys), for each set; its sum with 0 times that is not read."""
    if shape.operation == "full":
        return [torch.zeros(1, dtype=TYPES[p.type], device=p.device)] * len(sets)
    if shape.operation == "additive":
        return dense_mask(shape, sets, 1, 1)
    seen = visible(shape.queries, shape.keys, shape.reach, p.device)
    return [additive(seen, TYPES[p.type]).repeat(shape.group, 1)] * len(sets)


def attend(q, k, v, out, mask, shape, masked):
    if mask.dim() == 5:  # of each sequence, for all its heads
        scores = torch.bmm(q, k.transpose(1, 2)).mul_(shape.scale)
        whole = scores.view(shape.batch, shape.kv_heads, shape.group, shape.queries, shape.keys).add_(mask)
        weights = aten._safe_softmax(whole, -1).view(scores.shape)  # a query that sees nothing: zeros
    else:  # with beta 0 nothing is added, or read
        scores = torch.baddbmm(mask, q, k.transpose(1, 2), alpha=shape.scale, beta=int(masked))
        weights = torch.softmax(scores, -1)
    torch.bmm(weights, v, out=out)


class Sequences:
    """The arrays of each sequence as (kv_heads, heads of a group, tokens, dimension), of lengths that are read on the host."""

    def __init__(self, p, shape, sets, names):
        self.p, self.shape = p, shape
        self.views = shape.arrays(sets, names)
        if shape.packed:
            self.offsets = [tensors(sets, name) for name in ("query_offsets", "key_offsets")]
        else:
            self.lengths = tensors(sets, "lengths" if p.family == "attention_decode" else "key_lengths")

    def of(self, i):
        """[({name: view}, mask)] of set i's sequences; the mask is None where all is seen."""
        return [self._sequence(i, b) for b in range(self.shape.batch)]

    def _sequence(self, i, b):
        if self.shape.packed:
            queries, keys = (slice(*ranges(side[i])[b]) for side in self.offsets)
            parts = {name: view[i].transpose(0, 1) for name, view in self.views.items()}
        else:
            queries, keys = slice(None), slice(0, min(max(int(self.lengths[i][b]), 0), self.shape.keys))
            parts = {name: view[i][b] for name, view in self.views.items()}
        cut = {name: keys if name in ("k", "v", "dk", "dv") else queries for name in parts}
        parts = {name: t[:, cut[name]].unflatten(0, (self.shape.kv_heads, -1)) for name, t in parts.items()}
        return parts, self._mask(parts["q"].shape[2], parts["k"].shape[2])

    def _mask(self, queries, keys):
        reach = self.shape.reach
        if self.p.family == "attention_decode" and queries > 1:
            reach = self.shape.keys  # the last query sees all
        if reach == 0:
            return None
        if 0 < keys < queries:
            raise Unsupported("a sequence has more queries than keys: some see nothing, and PyTorch has NaN there")
        return additive(visible(queries, keys, reach, self.p.device), TYPES[self.p.type])


def make_attention_by_sequences(p, shape, sets):
    """A few calls for each sequence."""
    refuse_lse(sets)
    sequences, calls = Sequences(p, shape, sets, ("q", "k", "v", "out")), [None] * len(sets)

    def pack(i):
        calls[i] = [(parts.values(), mask) for parts, mask in sequences.of(i) if parts["q"].shape[2]]

    def of_sequence(q, k, v, out, mask):
        if k.shape[2] == 0:
            return torch.zeros_like(out)
        scores = torch.matmul(q, k.transpose(2, 3)).mul_(shape.scale)
        if mask is not None:
            scores.add_(mask)
        return torch.matmul(torch.softmax(scores, -1), v)

    def run(i):
        return [of_sequence(*parts, mask) for parts, mask in calls[i]]

    def deliver(i, results):
        for ((*_, out), _), result in zip(calls[i], results, strict=True):
            out.copy_(result)
        overwrite(results)

    for i in range(len(sets)):
        pack(i)
    run.pack, run.deliver = pack, deliver
    return run


def attention_decode(p):
    """Of a cache in one piece, and in the type of the queries."""
    if p.operation != "contiguous":
        return None
    return "matmul, softmax, matmul of each sequence", lambda sets: make_attention_by_sequences(p, Shape(p), sets)


READ, GRADIENTS = ("q", "k", "v", "out", "dout"), ("dq", "dk", "dv")


def attention_backward(p):
    """As it is written in books, from out and lse. In f32 alone: scores that are rounded to a half type miss their lse."""
    shape = Shape(p)
    if p.type != "f32":
        return None
    if shape.packed or shape.operation == "padded":
        return "exp, matmul of each sequence", lambda sets: make_gradients_by_sequences(p, shape, sets)

    def make(sets):
        views = {name: grouped(shape, view) for name, view in shape.arrays(sets, READ + GRADIENTS).items()}
        lse = tensors(sets, "lse", shape.batch * shape.kv_heads, shape.group * shape.queries, 1)
        if shape.operation == "additive":  # (batch x kv_heads, group x queries, keys)
            masks = [mask.expand(-1, shape.kv_heads, shape.group, -1, -1) for mask in dense_mask(shape, sets, 1, 1)]
        else:
            masks = masks_of(p, shape, sets) if shape.reach else [None] * len(sets)

        def run(i):
            mask = masks[i]
            if mask is not None and mask.dim() == 5:
                mask = mask.reshape(shape.batch * shape.kv_heads, -1, shape.keys)
            return gradients({name: views[name][i] for name in READ}, lse[i], mask, shape.scale)

        return delivered(run, list(zip(*(views[name] for name in GRADIENTS))))

    return "bmm, exp, bmm", make


def gradients(t, lse, mask, scale):
    """dq, dk and dv: arrays whose next to last dimension is tokens, those of q's a group's heads one after another."""
    scores = torch.matmul(t["q"], t["k"].transpose(-1, -2)).mul_(scale)
    if mask is not None:
        scores.add_(mask)
    nothing = torch.isneginf(lse)  # of a query that sees none: exp(-Inf - Inf) is 0
    weights = scores.sub_(lse.masked_fill(nothing, math.inf)).exp_()
    ds = torch.matmul(t["dout"], t["v"].transpose(-1, -2)).sub_((t["dout"] * t["out"]).sum(-1, keepdim=True))
    ds.mul_(weights).mul_(scale)
    dv = torch.matmul(weights.transpose(-1, -2), t["dout"])
    return torch.matmul(ds, t["k"]), torch.matmul(ds.transpose(-1, -2), t["q"]), dv


def make_gradients_by_sequences(p, shape, sets):
    sequences, calls = Sequences(p, shape, sets, READ + GRADIENTS), [None] * len(sets)
    rows = (shape.heads, shape.queries) if shape.packed else (shape.batch, shape.heads, shape.queries)
    lse, dk, dv = tensors(sets, "lse", *rows), sequences.views["dk"], sequences.views["dv"]

    def pack(i):
        calls[i] = []
        for b, (parts, mask) in enumerate(sequences.of(i)):
            queries = slice(*ranges(sequences.offsets[0][i])[b]) if shape.packed else slice(None)
            of_rows = (lse[i] if shape.packed else lse[i][b])[:, queries].unflatten(0, (shape.kv_heads, -1))
            calls[i].append((parts, of_rows[..., None], mask))

    def of_sequence(parts, of_rows, mask):
        # A group's queries one after another, so that its heads' gradients of k and v are one sum.
        flat = {name: parts[name].flatten(1, 2) for name in READ}
        whole = mask.repeat(parts["q"].shape[1], 1) if mask is not None else None
        return gradients(flat, of_rows.flatten(1, 2), whole, shape.scale)

    def run(i):
        return [of_sequence(*call) for call in calls[i]]

    def deliver(i, results):
        dk[i].zero_()  # of keys behind a length, or of no sequence's
        dv[i].zero_()
        for (parts, *_), of_parts in zip(calls[i], results, strict=True):
            for name, result in zip(GRADIENTS, of_parts):
                parts[name].copy_(result.view(parts[name].shape))
            overwrite(of_parts)

    for i in range(len(sets)):
        pack(i)
    run.pack, run.deliver = pack, deliver
    return run


FAMILIES = {
    "softmax": softmax,
    "cross_entropy": cross_entropy,
    "embedding": embedding,
    "rope": rope,
    "adamw": adamw,
    "grad_norm": grad_norm,
    "top_k": top_k,
    "sampling": sampling,
    "fused_elementwise": fused_elementwise,
    "rmsnorm": rmsnorm,
    "layernorm": layernorm,
    "attention": attention,
    "attention_backward": attention_backward,
    "attention_decode": attention_decode,
}

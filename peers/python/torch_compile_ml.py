"""What torch_compile.py compiles of layers and losses, forward and backward: in float throughout, rounded once.

Inductor keeps what it fuses in float anyway; written so, it is right where it fuses nothing too. Optimisers are not here:
who compiles one has a list of tensors, which is torch._foreach again. Nor is top-k, for which Inductor calls PyTorch's own.
"""

import importlib
import math

import torch

from attention import Shape, refuse_lse
from provider import Unsupported
from torch_ml import IGNORED, OUTSIDE, on_cpu_in_halves, rope_angles, rope_turn

functional = torch.nn.functional


# ---- softmax and its loss -------------------------------------------------------------------------------


def softmax(p):
    shape = p.axes["batch"], p.axes["rows"], p.axes["columns"]
    if p.operation.endswith("backward"):
        return softmax_backward(p, shape)
    if p.operation == "masked":
        return softmax_masked, {"x": shape, "mask": shape}, {"y": shape}
    if p.operation == "causal":
        return softmax_causal(p, shape)
    function = {"softmax": torch.softmax, "log_softmax": torch.log_softmax}[p.operation]
    return lambda x: function(x.float(), 2).to(x.dtype), {"x": shape}, {"y": shape}


def softmax_masked(x, mask):
    hidden = mask == 0
    y = torch.softmax(x.float().masked_fill(hidden, -math.inf), 2)
    return y.masked_fill(hidden, 0).to(x.dtype)  # a row of which nothing is seen is NaN before


def softmax_causal(p, shape):
    _, rows, columns = shape
    if columns < rows:  # rows that see nothing
        return None

    def function(x):
        hidden = torch.ones(rows, columns, dtype=torch.bool, device=x.device).triu(columns - rows + 1)
        return torch.softmax(x.float().masked_fill(hidden, -math.inf), 2).to(x.dtype)

    return function, {"x": shape}, {"y": shape}


def softmax_backward(p, shape):
    def of_softmax(y, dy):
        wide, dwide = y.float(), dy.float()
        return (wide * (dwide - (wide * dwide).sum(2, keepdim=True))).to(y.dtype)

    def of_logarithms(y, dy):
        wide, dwide = y.float(), dy.float()
        return (dwide - wide.exp() * dwide.sum(2, keepdim=True)).to(y.dtype)

    function = of_softmax if p.operation == "backward" else of_logarithms
    return function, {"y": shape, "dy": shape}, {"dx": shape}


def cross_entropy(p):
    """A label that no class has is for eager PyTorch alone to refuse: kz compares, and says what is wrong."""
    rows, classes, smoothing = p.axes["rows"], p.axes["classes"], p.axes["smoothing"] / 1000000
    logits, labels = {"logits": (rows, classes)}, {"labels": ()}

    def losses(logs, labels):
        target = labels.long()
        loss = functional.nll_loss(logs, target, ignore_index=IGNORED, reduction="none")
        if smoothing == 0:
            return loss
        of_all = logs.mean(1).masked_fill(target == IGNORED, 0)
        return (1 - smoothing) * loss - smoothing * of_all

    def gradients(logs, labels, factor):
        of_label = torch.arange(classes, device=logs.device) == labels[:, None]
        target = torch.where(of_label, 1 - smoothing + smoothing / classes, smoothing / classes)
        return torch.where((labels == IGNORED)[:, None], 0, factor * (logs.exp() - target))

    def loss(logits, labels):
        wide = logits.float()
        logs = torch.log_softmax(wide, 1)
        return losses(logs, labels), wide[:, 0] - logs[:, 0]

    def gradient(logits, labels, scale):
        logs = torch.log_softmax(logits.float(), 1)
        return gradients(logs, labels, scale).to(logits.dtype), losses(logs, labels)

    def backward(logits, labels, log_sum, dloss):
        logs = logits.float() - log_sum[:, None]
        return gradients(logs, labels, dloss[:, None]).to(logits.dtype)

    if p.operation == "loss":
        return loss, logits | labels, {"loss": (), "log_sum": ()}
    if p.operation == "gradient":
        return gradient, logits | labels | {"scale": ()}, logits | {"loss": ()}
    return backward, logits | labels | {"log_sum": (), "dloss": ()}, {"dlogits": (rows, classes)}


# ---- embeddings, positions, norms -----------------------------------------------------------------------


def embedding(p):
    tokens, vocabulary, dim = (p.axes[axis] for axis in ("tokens", "vocabulary", "dim"))
    if p.axes["skew"] == OUTSIDE:
        return None
    rows, table = (tokens, dim), (vocabulary, dim)
    if p.operation.startswith("gather"):
        return lambda table, ids: functional.embedding(ids, table), {"table": table, "ids": ()}, {"rows": rows}
    if on_cpu_in_halves(p):
        return None
    padding, backward = p.axes["padding"] - 1, torch.ops.aten.embedding_dense_backward

    def gradient(d_rows, ids):
        return backward(d_rows, ids, vocabulary, padding, False)

    return gradient, {"d_rows": rows, "ids": ()}, {"d_table": table}


def rope(p):
    tokens, dim = p.axes["batch"] * p.axes["sequence"], p.axes["dim"]
    q, k = (tokens, p.axes["q_heads"], dim), (tokens, p.axes["k_heads"], dim)

    def function(q, k, positions):
        angles = rope_angles(p, positions)
        return rope_turn(p, q, *angles), rope_turn(p, k, *angles)

    return function, {"q": q, "k": k, "positions": ()}, {"q_out": q, "k_out": k}


def grad_norm(p):
    """Of one tensor: several are torch._foreach again."""
    if p.operation != "norm" or p.axes["tensors"] != 1:
        return None
    most = p.scalars["max_norm"]

    def function(gradients, scale):
        norm = torch.linalg.vector_norm(gradients.float()) * scale
        coefficient = torch.clamp(most / (norm + 1e-6), max=1.0) * scale
        return norm, coefficient, ~torch.isfinite(norm)

    return function, {"gradients": (), "scale": ()}, {"norm": (), "coefficient": (), "not_finite": ()}


def sampling(p):
    if p.operation != "greedy":
        return None
    shape = p.axes["rows"], p.axes["vocabulary"]
    return lambda logits: torch.argmax(logits, 1), {"logits": shape}, {"token": ()}


# ---- layers: a norm of a sum is offered in f32 alone, for Inductor does not round the sum that it normalises ----------


def fused_elementwise(p):
    """Without dropout, whose mask is the family's own."""
    if "dropout" in p.operation:
        return None
    return bias_gelu(p) if p.operation.startswith("bias_gelu") else gated(p)


def bias_gelu(p):
    shape = p.axes["rows"], p.axes["columns"]

    def forward(x, bias):
        return functional.gelu(x.float() + bias.float()).to(x.dtype)

    def backward(x, bias, dy):
        dx = torch.ops.aten.gelu_backward(dy.float(), x.float() + bias.float())
        return dx.to(x.dtype), dx.sum(0).to(x.dtype)

    if p.operation == "bias_gelu":
        return forward, {"x": shape, "bias": ()}, {"y": shape}
    return backward, {"x": shape, "bias": (), "dy": shape}, {"dx": shape, "dbias": ()}


def gated(p):
    columns = p.axes["columns"]
    narrow, both = (p.axes["rows"], columns), (p.axes["rows"], 2 * columns)
    swiglu = p.operation.startswith("swiglu")
    function = functional.silu if swiglu else functional.gelu
    slope = torch.ops.aten.silu_backward if swiglu else torch.ops.aten.gelu_backward

    def forward(x):
        a, b = x.float().chunk(2, 1)
        return (function(a) * b).to(x.dtype)

    def backward(x, dy):
        (a, b), dwide = x.float().chunk(2, 1), dy.float()
        return torch.cat((slope(dwide * b, a), dwide * function(a)), 1).to(x.dtype)

    if p.operation.endswith("backward"):
        return backward, {"x": both, "dy": narrow}, {"dx": both}
    return forward, {"x": both}, {"y": narrow}


def rmsnorm(p):
    shape, epsilon = (p.axes["rows"], p.axes["columns"]), p.scalars["epsilon"]

    def factors(wide):
        return torch.rsqrt(wide.square().mean(1, keepdim=True) + epsilon)

    def forward(x, weight):
        wide = x.float()
        return (wide * factors(wide) * weight.float()).to(x.dtype)

    def residual(x, residual, weight):
        total = x + residual
        return total, forward(total, weight)

    def backward(dy, x, weight):
        wide, dwide = x.float(), dy.float()
        factor = factors(wide)
        h, g = wide * factor, dwide * weight.float()
        dx = factor * (g - h * (g * h).mean(1, keepdim=True))
        return dx.to(x.dtype), (dwide * h).sum(0).to(x.dtype)

    if p.operation == "rmsnorm":
        return forward, {"x": shape, "weight": ()}, {"y": shape}
    if p.operation == "residual" and p.type == "f32":
        return residual, {"x": shape, "residual": shape, "weight": ()}, {"sum": shape, "y": shape}
    if p.operation == "backward":
        return backward, {"dy": shape, "x": shape, "weight": ()}, {"dx": shape, "dweight": ()}
    return None


def layernorm(p):
    shape, epsilon = (p.axes["rows"], p.axes["columns"]), p.scalars["epsilon"]
    of_row = shape[0], 1

    def forward(x, gamma, beta):
        variance, mean = torch.var_mean(x.float(), 1, correction=0, keepdim=True)
        rstd = torch.rsqrt(variance + epsilon)
        return ((x.float() - mean) * rstd * gamma.float() + beta.float()).to(x.dtype), mean, rstd

    def residual(x, residual, gamma, beta):
        total = x + residual
        return total, *forward(total, gamma, beta)

    def backward(dy, x, gamma, mean, rstd):
        h, dwide = (x.float() - mean) * rstd, dy.float()
        g = dwide * gamma.float()
        dx = rstd * (g - g.mean(1, keepdim=True) - h * (g * h).mean(1, keepdim=True))
        return dx.to(x.dtype), (dwide * h).sum(0).to(x.dtype), dwide.sum(0).to(x.dtype)

    rows, columns = {"mean": of_row, "rstd": of_row}, {"gamma": (), "beta": ()}
    if p.operation == "forward":
        return forward, {"x": shape} | columns, {"y": shape} | rows
    if p.operation == "residual" and p.type == "f32":
        return residual, {"x": shape, "residual": shape} | columns, {"sum": shape, "y": shape} | rows
    if p.operation == "backward":
        return backward, {"dy": shape, "x": shape, "gamma": ()} | rows, {"dx": shape, "dgamma": (), "dbeta": ()}
    return None


def attention(p):
    """flex_attention, forward: what a query sees is a function, of which blocks are made before (pack), as its users keep them."""
    shape = Shape(p)
    if shape.sees_nothing():
        return None
    inputs = dict.fromkeys(("q", "k", "v"), ()) | dict.fromkeys(MASK_INPUTS.get(shape.operation, ()), ())
    inputs |= {"q": shape.of_queries, "k": shape.of_keys, "v": shape.of_keys}
    if shape.operation == "additive":
        inputs["mask"] = shape.batch, shape.queries, shape.keys
    return Flex(shape), inputs, {"out": shape.of_queries}


def attention_decode(p):
    """Of a cache in one piece, in the queries' type."""
    return attention(p) if p.operation == "contiguous" else None


MASK_INPUTS = {
    "contiguous": ("lengths",),
    "padded": ("key_lengths",),
    "packed": ("query_offsets", "key_offsets"),
    "packed_causal": ("query_offsets", "key_offsets"),
    "additive": ("mask",),
}


class Flex:
    """What is compiled, and the blocks of its mask, which are its last input."""

    def __init__(self, shape):
        self.shape = shape
        self.blocks = None
        self.flex = importlib.import_module("torch.nn.attention.flex_attention")  # brings Triton along

    def refuse(self, sets):
        refuse_lse(sets)
        self.shape.arrays(sets, ("q", "k", "v", "out"))
        if "mask" in sets[0] and sets[0]["mask"].count != self.shape.batch * self.shape.queries * self.shape.keys:
            raise Unsupported("the mask has strides of its own, which are not told here")

    def pack(self, q, k, v, *of_mask):
        """Other inputs give other blocks; where none depends on them these stay."""
        shape = self.shape
        if shape.operation in ("full", "additive") or self.blocks and shape.operation in ("causal", "window"):
            return
        sees = getattr(self, "sees_" + shape.operation)(q.device, *of_mask)
        batch = shape.batch if shape.operation in ("padded", "contiguous") else None
        self.blocks = self.flex.create_block_mask(sees, batch, None, shape.queries, shape.keys, device=str(q.device))

    def sees_causal(self, device):
        after, reach = self.shape.keys - self.shape.queries, self.shape.reach
        if self.shape.operation == "causal":
            return lambda b, h, query, key: key <= query + after
        return lambda b, h, query, key: (key <= query + after) & (key > query + after - reach)

    sees_window = sees_causal

    def sees_padded(self, device, lengths):
        return lambda b, h, query, key: key < lengths[b]

    def sees_contiguous(self, device, lengths):
        later = self.shape.queries - 1  # of the new tokens, the last of which sees all
        return lambda b, h, query, key: key < lengths[b] - later + query

    def sees_packed(self, device, query_offsets, key_offsets):
        """Tokens by the number of their sequence, and how far they are from its end."""
        shape = self.shape
        of_query, query_left = numbers(query_offsets, shape.queries)
        of_key, key_left = numbers(key_offsets, shape.keys)
        if shape.reach == 0:
            return lambda b, h, query, key: of_query[query] == of_key[key]
        most = min(shape.reach, shape.keys)

        def sees(b, h, query, key):
            before = key_left[key] - query_left[query]
            return (of_query[query] == of_key[key]) & (before >= 0) & (before < most)

        return sees

    sees_packed_causal = sees_packed

    def __call__(self, q, k, v, *of_mask):
        shape, bias = self.shape, None
        if shape.packed:
            q, k, v = (t.transpose(0, 1)[None] for t in (q, k, v))
        if shape.operation == "additive":
            (mask,) = of_mask
            bias = lambda score, b, h, query, key: score + mask[b, query, key]  # noqa: E731
        out = self.flex.flex_attention(
            q, k, v, score_mod=bias, block_mask=self.blocks, scale=shape.scale, enable_gqa=shape.grouped)
        return out[0].transpose(0, 1) if shape.packed else out


def numbers(offsets, tokens):
    """Of each token the number of its sequence, and how many tokens it is from its sequence's last one."""
    token = torch.arange(tokens, dtype=torch.int32, device=offsets.device)
    number = torch.searchsorted(offsets[1:].contiguous(), token, right=True)
    return number, offsets[1:][number] - 1 - token


FAMILIES = {
    "softmax": softmax,
    "cross_entropy": cross_entropy,
    "embedding": embedding,
    "rope": rope,
    "grad_norm": grad_norm,
    "sampling": sampling,
    "fused_elementwise": fused_elementwise,
    "rmsnorm": rmsnorm,
    "layernorm": layernorm,
    "attention": attention,
    "attention_decode": attention_decode,
}

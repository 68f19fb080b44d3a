"""Small problems of the families of machine learning, as problems.py has them of the others: inputs, and answers in double."""

import math
import struct
from dataclasses import dataclass, field
from typing import Callable

import torch

import attention_problems
import block_problems
from attention_problems import single


@dataclass
class Family:
    inputs: Callable  # of (problem, generator, uniform): {name: tensor}; uniform(count) draws the problem's type
    answers: Callable  # of (problem, inputs): {output: its elements in double}
    types: dict = field(default_factory=dict)  # of outputs that have another type than the problem


def list_problems(add):
    floats, halves = "f32 f16 bf16", "f16 bf16"
    matrices = {"batch": 2, "rows": 9, "columns": 70}, {"batch": 1, "rows": 5, "columns": 64}
    yield from add("softmax", "softmax log_softmax masked causal backward log_backward", floats, *matrices)
    rows = {"rows": 9, "classes": 130}
    for smoothing in (0, 100000):
        yield from add("cross_entropy", "loss gradient backward", floats, {**rows, "smoothing": smoothing})
    tables = [{"tokens": 40, "vocabulary": 15, "dim": 8, "skew": 0, "padding": padding} for padding in (0, 3)]
    yield from add("embedding", "gather gradient gather_i64 gradient_i64", floats, *tables)
    heads = {"batch": 2, "sequence": 5, "q_heads": 4, "k_heads": 2, "dim": 16}
    turns = "interleaved halves interleaved_backward halves_backward"
    yield from add("rope", turns, floats, *({**heads, "rotary": part} for part in (16, 6)), theta=10000.0)
    model = {"n": 1003, "tensors": 7, "split": 0, "step": 3, "control": 0}
    options = {"beta1": single(0.9), "beta2": single(0.999), "epsilon": single(1e-8)}
    yield from add("adamw", "update", "f32 bf16", model, {**model, "tensors": 1, "step": 1}, **options)
    yield from add("adamw", "update_master", halves, model, **options)
    gradients = {"n": 1003, "tensors": 7, "split": 0}
    controls = [{**gradients, "control": control} for control in (0, 1)]
    yield from add("grad_norm", "norm", floats, *controls, {**controls[0], "tensors": 1}, max_norm=1.0)
    yield from add("grad_norm", "clip", "f32", *controls)
    yield from add("top_k", "top_k", floats, {"rows": 5, "columns": 200, "k": 8}, {"rows": 3, "columns": 67, "k": 67})
    off = dict.fromkeys(("top_k", "top_p", "min_p", "temperature"), 0)
    yield from add("sampling", "greedy", floats, {"rows": 5, "vocabulary": 200, **off})
    chains = "bias_gelu bias_gelu_backward swiglu swiglu_backward geglu geglu_backward"
    yield from add("fused_elementwise", chains, floats, {"rows": 9, "columns": 70})
    matrices = {"rows": 9, "columns": 130}, {"rows": 5, "columns": 64}
    yield from add("rmsnorm", "rmsnorm residual backward", floats, *matrices, epsilon=1e-6)
    yield from add("layernorm", "forward residual backward", floats, *matrices, epsilon=1e-5)
    yield from attention_problems.list_problems(add)
    yield from block_problems.list_problems(add)


def wide(x):
    return x.to(torch.float64)


# ---- softmax and its loss -------------------------------------------------------------------------------


def softmax_inputs(p, generator, uniform):
    count = math.prod(p.axes.values())
    if p.operation.endswith("backward"):
        y = torch.log_softmax(8 * torch.rand(count // 10, 10, generator=generator), 1).flatten()
        y = y if p.operation == "log_backward" else y.exp()
        dy = uniform(count)
        return {"y": y.to(dy.dtype), "dy": dy}
    inputs = {"x": 8 * uniform(count)}
    if p.operation == "masked":  # the first row is hidden whole
        mask = torch.randint(0, 3, (count,), generator=generator).to(torch.uint8)
        mask[: p.axes["columns"]] = 0
        inputs["mask"] = mask
    return inputs


def softmax_answers(p, inputs):
    batch, rows, columns = p.axes.values()
    x = {name: wide(value).view(batch, rows, columns) for name, value in inputs.items()}
    if p.operation == "backward":
        return {"dx": x["y"] * (x["dy"] - (x["y"] * x["dy"]).sum(2, keepdim=True))}
    if p.operation == "log_backward":
        return {"dx": x["dy"] - x["y"].exp() * x["dy"].sum(2, keepdim=True)}
    seen = x["x"]
    if p.operation == "masked":
        seen = torch.where(x["mask"] == 0, -math.inf, seen)
    if p.operation == "causal":
        hidden = torch.ones(rows, columns, dtype=torch.bool).triu(columns - rows + 1)
        seen = seen.masked_fill(hidden, -math.inf)
    if p.operation == "log_softmax":
        return {"y": torch.log_softmax(seen, 2)}
    return {"y": torch.softmax(seen, 2).nan_to_num(0)}


def entropy_inputs(p, generator, uniform):
    rows, classes = p.axes["rows"], p.axes["classes"]
    labels = torch.randint(0, classes, (rows,), generator=generator).to(torch.int32)
    labels[2] = -100
    inputs = {"logits": 8 * uniform(rows * classes), "labels": labels}
    if p.operation == "gradient":
        inputs["scale"] = torch.tensor([0.7])
    if p.operation == "backward":
        inputs["log_sum"] = wide(inputs["logits"]).view(rows, classes).logsumexp(1).float()
        inputs["dloss"] = torch.rand(rows, generator=generator) + 0.5
    return inputs


def entropy_answers(p, inputs):
    rows, classes, smoothing = p.axes["rows"], p.axes["classes"], p.axes["smoothing"] / 1e6
    x, labels = wide(inputs["logits"]).view(rows, classes), inputs["labels"]
    counts = (labels >= 0)[:, None]
    target = torch.full((rows, classes), smoothing / classes, dtype=torch.float64)
    target[torch.arange(rows), labels.clamp_min(0).long()] += 1 - smoothing
    log_sum = wide(inputs["log_sum"]) if "log_sum" in inputs else x.logsumexp(1)
    logs = x - log_sum[:, None]
    loss = torch.where(counts, -target * logs, 0).sum(1)
    factor = wide(inputs["scale"] if p.operation == "gradient" else inputs.get("dloss", torch.zeros(1)))
    gradient = torch.where(counts, factor[:, None] * (logs.exp() - target), 0)
    if p.operation == "loss":
        return {"loss": loss, "log_sum": log_sum}
    return {"logits": gradient, "loss": loss} if p.operation == "gradient" else {"dlogits": gradient}


# ---- embeddings, positions ------------------------------------------------------------------------------


def embedding_inputs(p, generator, uniform):
    tokens, vocabulary, dim = (p.axes[axis] for axis in ("tokens", "vocabulary", "dim"))
    ids = torch.randint(0, vocabulary, (tokens,), generator=generator)
    ids = ids if p.operation.endswith("i64") else ids.to(torch.int32)
    if p.operation.startswith("gather"):
        return {"table": uniform(vocabulary * dim), "ids": ids}
    return {"d_rows": uniform(tokens * dim), "ids": ids}


def embedding_answers(p, inputs):
    vocabulary, dim, ids = p.axes["vocabulary"], p.axes["dim"], inputs["ids"].long()
    if p.operation.startswith("gather"):
        return {"rows": wide(inputs["table"]).view(vocabulary, dim)[ids]}
    table = torch.zeros(vocabulary, dim, dtype=torch.float64)
    for token, row in zip(ids.tolist(), wide(inputs["d_rows"]).view(-1, dim)):
        if token != p.axes["padding"] - 1:
            table[token] += row
    return {"d_table": table}


def rope_inputs(p, generator, uniform):
    tokens = p.axes["batch"] * p.axes["sequence"]
    positions = torch.randint(-(1 << 20), 1 << 20, (tokens,), generator=generator).to(torch.int32)
    count = tokens * p.axes["dim"]
    return {"q": uniform(count * p.axes["q_heads"]), "k": uniform(count * p.axes["k_heads"]), "positions": positions}


def rope_answers(p, inputs):
    dim, rotary = p.axes["dim"], p.axes["rotary"]
    pairs = rotary // 2
    exponents = torch.arange(pairs, dtype=torch.float64) * (-2 / rotary)
    angle = wide(inputs["positions"])[:, None, None] * p.scalars["theta"] ** exponents
    if p.operation.endswith("backward"):
        angle = -angle
    halves = p.operation.startswith("halves")
    first = torch.arange(pairs) * (1 if halves else 2)
    second = first + (pairs if halves else 1)
    outputs = {}
    for name in "qk":
        x = wide(inputs[name]).view(len(inputs["positions"]), -1, dim)
        out = x.clone()
        out[..., first] = x[..., first] * angle.cos() - x[..., second] * angle.sin()
        out[..., second] = x[..., second] * angle.cos() + x[..., first] * angle.sin()
        outputs[name + "_out"] = out
    return outputs


# ---- optimisers -----------------------------------------------------------------------------------------


DECAYS, RATES, LEARNING_RATE = (0.1, 0.0, 0.01), (1.0, 0.5), 1e-2


def parts_of(p):
    """(first, count, decay, rate) of tensors of equal length, the last with the remainder."""
    n, tensors = p.axes["n"], p.axes["tensors"]
    ends = [n // tensors * i for i in range(tensors)] + [n]
    return [(a, b - a, DECAYS[i % 3], RATES[i % 2]) for i, (a, b) in enumerate(zip(ends, ends[1:]))]


def parameters(p):
    """The table: kz_parameter, 64 bytes for each tensor. Places in bytes are not looked at."""
    table = b"".join(struct.pack("<7Q2f", count, first, *[0] * 5, decay, rate) for first, count, decay, rate in parts_of(p))
    return torch.frombuffer(bytearray(table), dtype=torch.int64)


def adamw_inputs(p, generator, uniform):
    n, master = p.axes["n"], p.operation == "update_master"
    gradients = uniform(n)
    dtype = torch.float32 if master else gradients.dtype
    now = struct.pack("<fI", LEARNING_RATE, p.axes["step"])
    inputs = {
        "weights": uniform(n).to(dtype),
        "gradients": gradients,
        "m": (0.1 * uniform(n)).to(dtype),
        "v": torch.rand(n, generator=generator).square().to(dtype),
        "parameters": parameters(p),
        "now": torch.frombuffer(bytearray(now), dtype=torch.int64),
    }
    return inputs | ({"copy": torch.zeros(n, dtype=gradients.dtype)} if master else {})


def adamw_answers(p, inputs):
    weights, g, m, v = (wide(inputs[name]) for name in ("weights", "gradients", "m", "v"))
    m = 0.9 * m + 0.1 * g
    v = 0.999 * v + 0.001 * g * g
    step = p.axes["step"]
    quotient = m / (1 - 0.9**step) / ((v / (1 - 0.999**step)).sqrt() + 1e-8)
    for first, count, decay, rate in parts_of(p):
        of_tensor = slice(first, first + count)
        r = LEARNING_RATE * rate
        weights[of_tensor] = weights[of_tensor] * (1 - r * decay) - r * quotient[of_tensor]
    return {"weights": weights, "m": m, "v": v} | ({"copy": weights} if "copy" in inputs else {})


def norm_inputs(p, generator, uniform):
    inputs = {"gradients": uniform(p.axes["n"]), "parameters": parameters(p)}
    plain = 0.37 if p.operation == "clip" else 1.0
    other = 1.0 if p.operation == "clip" else 0.37
    name = "coefficient" if p.operation == "clip" else "scale"
    return inputs | {name: torch.tensor([plain if p.axes["control"] == 0 else other])}


def norm_answers(p, inputs):
    gradients = wide(inputs["gradients"])
    if p.operation == "clip":
        return {"gradients": gradients * wide(inputs["coefficient"])}
    scale = wide(inputs["scale"])
    norm = gradients.square().sum().sqrt() * scale
    coefficient = (p.scalars["max_norm"] / (norm + 1e-6)).clamp_max(1) * scale
    return {"norm": norm, "coefficient": coefficient, "not_finite": torch.zeros(1, dtype=torch.float64)}


# ---- choosing -------------------------------------------------------------------------------------------


def draw_distinct(rows, columns, generator, dtype):
    """Rows without equal elements: integers that every type has."""
    return torch.cat([torch.randperm(columns, generator=generator) for _ in range(rows)]).to(dtype) - columns // 2


def top_k_inputs(p, generator, uniform):
    return {"x": draw_distinct(p.axes["rows"], p.axes["columns"], generator, uniform(1).dtype)}


def top_k_answers(p, inputs):
    values, index = torch.sort(wide(inputs["x"]).view(p.axes["rows"], -1), 1, descending=True)
    return {"values": values[:, : p.axes["k"]], "index": wide(index[:, : p.axes["k"]])}


def sampling_inputs(p, generator, uniform):
    return {"logits": draw_distinct(p.axes["rows"], p.axes["vocabulary"], generator, uniform(1).dtype)}


def sampling_answers(p, inputs):
    return {"token": wide(wide(inputs["logits"]).view(p.axes["rows"], -1).argmax(1))}


# ---- layers ---------------------------------------------------------------------------------------------


def chain_inputs(p, generator, uniform):
    rows, columns = p.axes["rows"], p.axes["columns"]
    n = rows * columns
    inputs = {"x": 4 * uniform(n if p.operation.startswith("bias") else 2 * n)}
    if p.operation.startswith("bias"):
        inputs["bias"] = uniform(columns)
    if p.operation.endswith("backward"):
        inputs["dy"] = uniform(n)
    return inputs


def gelu(x):
    return 0.5 * x * (1 + torch.erf(x / math.sqrt(2)))


def gelu_slope(x):
    return 0.5 * (1 + torch.erf(x / math.sqrt(2))) + x * torch.exp(-0.5 * x * x) / math.sqrt(2 * math.pi)


def silu(x):
    return x * torch.sigmoid(x)


def silu_slope(x):
    return torch.sigmoid(x) * (1 + x * (1 - torch.sigmoid(x)))


def chain_answers(p, inputs):
    columns, back = p.axes["columns"], p.operation.endswith("backward")
    dy = wide(inputs["dy"]).view(-1, columns) if back else None
    if p.operation.startswith("bias"):
        s = wide(inputs["x"]).view(-1, columns) + wide(inputs["bias"])
        dx = dy * gelu_slope(s) if back else None
        return {"dx": dx, "dbias": dx.sum(0)} if back else {"y": gelu(s)}
    a, b = wide(inputs["x"]).view(-1, 2 * columns).chunk(2, 1)
    function, slope = (silu, silu_slope) if p.operation.startswith("swiglu") else (gelu, gelu_slope)
    return {"dx": torch.cat((dy * b * slope(a), dy * function(a)), 1)} if back else {"y": function(a) * b}


def norm_of_rows(inputs, p):
    """Rows, their mean (0 for rmsnorm) and 1 over their deviation; of the sum with a residual, rounded to the type."""
    x = inputs["x"]
    if p.operation == "residual":
        x = (x.float() + inputs["residual"].float()).to(x.dtype)
    rows = wide(x).view(p.axes["rows"], p.axes["columns"])
    mean = rows.mean(1, keepdim=True) if p.family == "layernorm" else torch.zeros(1, 1, dtype=torch.float64)
    return rows, mean, torch.rsqrt((rows - mean).square().mean(1, keepdim=True) + p.scalars["epsilon"])


def layer_inputs(p, generator, uniform):
    """Of layernorm and rmsnorm."""
    n, columns, centered = p.axes["rows"] * p.axes["columns"], p.axes["columns"], p.family == "layernorm"
    inputs = {"x": uniform(n) + centered, "gamma" if centered else "weight": uniform(columns)}
    if p.operation == "residual":
        inputs["residual"] = uniform(n)
    if p.operation == "backward":
        inputs["dy"] = uniform(n)
    if centered and p.operation == "backward":
        _, mean, rstd = norm_of_rows(inputs, p)
        inputs |= {"mean": mean.flatten().float(), "rstd": rstd.flatten().float()}
    elif centered:
        inputs["beta"] = uniform(columns)
    return inputs


def layer_answers(p, inputs):
    rows, mean, rstd = norm_of_rows(inputs, p)
    centered = p.family == "layernorm"
    h, gamma = (rows - mean) * rstd, wide(inputs["gamma" if centered else "weight"])
    if p.operation == "backward":
        return layer_gradients(h, rstd, gamma, wide(inputs["dy"]).view(rows.shape), centered)
    y = h * gamma + wide(inputs["beta"]) if centered else h * gamma
    outputs = {"y": y, "mean": mean, "rstd": rstd} if centered else {"y": y}
    return outputs | ({"sum": rows} if p.operation == "residual" else {})


def layer_gradients(h, rstd, gamma, dy, centered):
    g = dy * gamma
    dx = g - h * (g * h).mean(1, keepdim=True)
    if not centered:
        return {"dx": rstd * dx, "dweight": (dy * h).sum(0)}
    return {"dx": rstd * (dx - g.mean(1, keepdim=True)), "dgamma": (dy * h).sum(0), "dbeta": dy.sum(0)}


FAMILIES = {
    "softmax": Family(softmax_inputs, softmax_answers),
    "cross_entropy": Family(entropy_inputs, entropy_answers, {"loss": "f32", "log_sum": "f32"}),
    "embedding": Family(embedding_inputs, embedding_answers),
    "rope": Family(rope_inputs, rope_answers),
    "adamw": Family(adamw_inputs, adamw_answers),
    "grad_norm": Family(norm_inputs, norm_answers, {"norm": "f32", "coefficient": "f32", "not_finite": "u32"}),
    "top_k": Family(top_k_inputs, top_k_answers, {"index": "i32"}),
    "sampling": Family(sampling_inputs, sampling_answers, {"token": "i32"}),
    "fused_elementwise": Family(chain_inputs, chain_answers),
    "rmsnorm": Family(layer_inputs, layer_answers),
    "layernorm": Family(layer_inputs, layer_answers, {"mean": "f32", "rstd": "f32"}),
    "attention": Family(attention_problems.attention_inputs, attention_problems.attention_answers),
    "attention_backward": Family(attention_problems.backward_inputs, attention_problems.backward_answers),
    "attention_decode": Family(attention_problems.decode_inputs, attention_problems.decode_answers),
    "transformer_block": Family(block_problems.inputs, block_problems.answers),
}

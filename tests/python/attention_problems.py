"""Small problems of attention, as problems.py has them of the other families: inputs, and answers in double."""

import itertools
import math
import struct
from dataclasses import replace

import torch

MASKS = "full causal window padded packed packed_causal additive"
FAR = 1 << 62  # a reach that ends at no key


def single(x):
    """x as a kernel's float argument has it."""
    return struct.unpack("<f", struct.pack("<f", x))[0]


def reach_of(operation, keys):
    return {"causal": FAR, "packed_causal": FAR, "window": (keys + 1) // 2}.get(operation, 0)


def list_problems(add):
    shapes = [(2, 4, 2, 17, 17, 16), (2, 3, 3, 5, 40, 16), (3, 4, 1, 1, 33, 64)]
    names = ("batch", "heads", "kv_heads", "queries", "keys", "dimension")
    for operation, shape in itertools.product(MASKS.split(), shapes):
        axes = dict(zip(names, shape))
        scalars = {"scale": single(shape[-1] ** -0.5), "reach": reach_of(operation, axes["keys"])}
        yield from add("attention", operation, "f32 f16 bf16", axes, **scalars)
        yield from add("attention_backward", operation, "f32 f16 bf16", axes, **scalars)
    for shape in [(2, 4, 2, 1, 40, 16), (2, 3, 3, 3, 20, 16)]:
        yield from add("attention_decode", "contiguous", "f32 f16 bf16", dict(zip(names, shape)), scale=0.25)


def sequences(p, inputs):
    """(queries, keys, array's sequence) of each: slices of the tokens of their arrays."""
    axes = p.axes
    if p.operation.startswith("packed"):
        ends = [inputs[name].tolist() for name in ("query_offsets", "key_offsets")]
        for b in range(axes["batch"]):
            yield slice(*ends[0][b : b + 2]), slice(*ends[1][b : b + 2]), 0
        return
    lengths = inputs["key_lengths"].tolist() if p.operation == "padded" else [axes["keys"]] * axes["batch"]
    for b, length in enumerate(lengths):
        yield slice(0, axes["queries"]), slice(0, length), b


def decode_inputs(p, generator, uniform):
    inputs = attention_inputs(p, generator, uniform)
    length = p.axes["keys"] - 5
    return inputs | {"lengths": torch.full((p.axes["batch"],), length, dtype=torch.int32)}


def decode_answers(p, inputs):
    """The last of the new queries sees the whole length."""
    length = int(inputs["lengths"][0])
    axes = p.axes | {"keys": length}
    cut = {name: inputs[name].view(-1, p.axes["keys"], axes["dimension"])[:, :length].flatten() for name in "kv"}
    causal = replace(p, family="attention", operation="causal", axes=axes, scalars=p.scalars | {"reach": FAR})
    return attention_answers(causal, {"q": inputs["q"]} | cut)


def backward_inputs(p, generator, uniform):
    inputs = attention_inputs(p, generator, uniform)
    out, lse = forward(p, inputs)
    inputs |= {"out": flat(p, out).to(inputs["q"].dtype), "dout": uniform(out.numel())}
    return inputs | {"lse": lse.flatten().float()}


@torch.enable_grad()  # providers forbid it
def backward_answers(p, inputs):
    """By autograd, in double: of what a query sees; nothing else has gradients."""
    group = p.axes["heads"] // p.axes["kv_heads"]
    arrays = dict(views(p, inputs))
    results = {"d" + name: torch.zeros_like(arrays[name]) for name in "qkv"}
    for b, (queries, keys, at) in enumerate(sequences(p, inputs)):
        cut = {"q": queries, "k": keys, "v": keys}
        parts = {name: arrays[name][at][:, cut[name]].clone().requires_grad_() for name in "qkv"}
        wide = {name: parts[name].repeat_interleave(group, 0) for name in "kv"}
        scores = scores_of(p, inputs, parts["q"], wide["k"], b)
        seen = (scores > -math.inf).any(-1, keepdim=True)
        out = torch.softmax(scores.masked_fill(~seen, 0), -1) * seen @ wide["v"]
        found = torch.autograd.grad(out, list(parts.values()), arrays["dout"][at][:, queries])
        for name, gradient in zip("qkv", found):
            results["d" + name][at][:, cut[name]] = gradient
    return {name: flat(p, gradient) for name, gradient in results.items()}


def attention_inputs(p, generator, uniform):
    axes = p.axes
    tokens = 1 if p.operation.startswith("packed") else axes["batch"]
    of_queries = tokens * axes["heads"] * axes["queries"] * axes["dimension"]
    of_keys = tokens * axes["kv_heads"] * axes["keys"] * axes["dimension"]
    inputs = {"q": uniform(of_queries), "k": uniform(of_keys), "v": uniform(of_keys)}
    if p.operation.startswith("packed"):  # the second sequence is empty, and keys are cut where queries are
        shares = [0.0, 0.4, 0.4, 0.7][: axes["batch"]] + [1.0]
        for name, count in (("query_offsets", axes["queries"]), ("key_offsets", axes["keys"])):
            inputs[name] = torch.tensor([int(share * count) for share in shares], dtype=torch.int32)
    if p.operation == "padded":
        inputs["key_lengths"] = torch.tensor([axes["keys"] // 2, 0, 3][: axes["batch"]], dtype=torch.int32)
    if p.operation == "additive":
        mask = uniform(axes["batch"] * axes["queries"] * axes["keys"])
        mask[:: 3] = -math.inf
        mask[: axes["keys"]] = -math.inf  # of the first query, which sees nothing
        inputs["mask"] = mask
    return inputs


def views(p, inputs):
    """What has an array's name, as batch x heads x tokens x dimension in double."""
    axes, packed = p.axes, p.operation.startswith("packed")
    for name, value in inputs.items():
        if name not in ("q", "k", "v", "out", "dout"):
            continue
        heads = axes["kv_heads"] if name in "kv" else axes["heads"]
        value = value.to(torch.float64)
        if packed:
            yield name, value.view(1, -1, heads, axes["dimension"]).transpose(1, 2)
        else:
            yield name, value.view(axes["batch"], heads, -1, axes["dimension"])


def scores_of(p, inputs, q, k, b):
    """heads x queries x keys, masked; k has been repeated for the heads of a group."""
    scores = q @ k.transpose(1, 2) * p.scalars["scale"]
    queries, keys = scores.shape[1:]
    if p.operation == "additive":
        return scores + inputs["mask"].to(torch.float64).view(p.axes["batch"], 1, queries, keys)[b]
    if p.scalars["reach"]:
        last = torch.arange(queries)[:, None] + keys - queries
        key = torch.arange(keys)[None, :]
        seen = (key <= last) & (key > last - p.scalars["reach"])
        scores = scores.masked_fill(~seen, -math.inf)
    return scores


def forward(p, inputs):
    """out, and the log-sum-exps as batch x heads x queries; of packed sequences heads x queries."""
    arrays, group = dict(views(p, inputs)), p.axes["heads"] // p.axes["kv_heads"]
    out = torch.zeros_like(arrays["q"])
    lse = torch.full(out.shape[:3], -math.inf, dtype=torch.float64)
    for b, (queries, keys, at) in enumerate(sequences(p, inputs)):
        k, v = (arrays[name][at][:, keys].repeat_interleave(group, 0) for name in "kv")
        scores = scores_of(p, inputs, arrays["q"][at][:, queries], k, b)
        out[at][:, queries] = torch.softmax(scores, -1).nan_to_num(0) @ v
        lse[at][:, queries] = torch.logsumexp(scores, -1)
    return out, lse


def attention_answers(p, inputs):
    return {"out": flat(p, forward(p, inputs)[0])}


def flat(p, array):
    """As the family's array lies in memory."""
    return (array.transpose(1, 2) if p.operation.startswith("packed") else array).flatten()

"""Small problems of a transformer's block, as problems.py has them of the other families: inputs, and answers in double."""

import math

import torch

WEIGHTS = ("norm1", "wqkv", "wo", "norm2", "wgu", "wd")
NAMES = ("batch", "tokens", "width", "heads", "kv_heads", "hidden")


def list_problems(add):
    shapes = [(2, 9, 32, 4, 2, 24), (1, 20, 32, 2, 2, 40)]
    yield from add("transformer_block", "forward gradients", "f32 f16 bf16", *(dict(zip(NAMES, s)) for s in shapes))


def shapes_of(p):
    batch, tokens, width, heads, kv_heads, hidden = (p.axes[name] for name in NAMES)
    return {
        "x": (batch * tokens, width),
        "norm1": (width,),
        "wqkv": ((heads + 2 * kv_heads) * (width // heads), width),
        "wo": (width, width),
        "norm2": (width,),
        "wgu": (2 * hidden, width),
        "wd": (width, hidden),
    }


def inputs(p, generator, uniform):
    """Weights as the family draws them; a sequence begins in the middle, as one that goes on does."""
    drawn = {}
    for name, shape in shapes_of(p).items():
        values = uniform(math.prod(shape)).double()
        if name.startswith("w"):
            values = values * (3 / shape[1]) ** 0.5
        drawn[name] = (1 + values / 4 if name.startswith("norm") else values).to(uniform(1).dtype)
    batch, tokens = p.axes["batch"], p.axes["tokens"]
    positions = torch.arange(tokens, dtype=torch.int32)[None] + 7 * torch.arange(batch, dtype=torch.int32)[:, None]
    drawn["positions"] = positions.flatten()
    return drawn | ({"dy": uniform(drawn["x"].numel())} if p.operation == "gradients" else {})


def turned(x, positions):
    """x: batch x heads x tokens x elements of a head."""
    pairs = x.shape[-1] // 2
    angles = positions[:, None, :, None] * 10000.0 ** (-torch.arange(pairs, dtype=torch.float64) / pairs)
    a, b = x[..., :pairs], x[..., pairs:]
    return torch.cat((a * angles.cos() - b * angles.sin(), b * angles.cos() + a * angles.sin()), -1)


def normed(x, weight):
    return x * torch.rsqrt(x.square().mean(1, keepdim=True) + 1e-6) * weight


def forward(p, x, norm1, wqkv, wo, norm2, wgu, wd, positions):
    batch, tokens, width, heads, kv_heads, _ = (p.axes[name] for name in NAMES)
    head = width // heads
    of_heads = (normed(x, norm1) @ wqkv.t()).view(batch, tokens, -1, head).transpose(1, 2)
    q, k, v = of_heads.split((heads, kv_heads, kv_heads), 1)
    q, k = turned(q, positions), turned(k, positions)
    k, v = (t.repeat_interleave(heads // kv_heads, 1) for t in (k, v))
    hidden = torch.ones(tokens, tokens, dtype=torch.bool).triu(1)
    scores = (q @ k.transpose(2, 3) * head**-0.5).masked_fill(hidden, -float("inf"))
    out = (torch.softmax(scores, -1) @ v).transpose(1, 2).reshape(-1, width)
    h = x + out @ wo.t()
    gates = normed(h, norm2) @ wgu.t()
    g, u = gates[:, 0::2], gates[:, 1::2]
    return h + (g * torch.sigmoid(g) * u) @ wd.t()


@torch.enable_grad()  # providers forbid it
def answers(p, inputs):
    arrays = {name: inputs[name].double().view(shape).requires_grad_() for name, shape in shapes_of(p).items()}
    positions = inputs["positions"].double().view(p.axes["batch"], -1)
    y = forward(p, *arrays.values(), positions)
    if p.operation == "forward":
        return {"y": y.detach().flatten()}
    found = torch.autograd.grad(y, list(arrays.values()), inputs["dy"].double().view(y.shape))
    gradients = {"d" + name: gradient.flatten() for name, gradient in zip(arrays, found)}
    return {"y": y.detach().flatten()} | gradients

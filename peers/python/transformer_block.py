"""A transformer's block as PyTorch's users write it: what torch_eager.py runs, and torch_compile.py compiles.

The cosines and sines of the positions are made before, as models keep them. Attention takes the first of PyTorch's kernels
that does the case, in the order of their speed on GPUs that have them all.
"""

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel

from tensors import delivered, tensors

functional = torch.nn.functional
ATTENTION = [
    SDPBackend.CUDNN_ATTENTION, SDPBackend.FLASH_ATTENTION, SDPBackend.EFFICIENT_ATTENTION, SDPBackend.MATH]
EPSILON, THETA = 1e-6, 10000.0
WEIGHTS = ("norm1", "wqkv", "wo", "norm2", "wgu", "wd")


def product(x, w, name):
    """rows x n, of rows x k and a weight of n x k, which `name` names."""
    return torch.mm(x, w.t())


class Block:
    def __init__(self, p):
        names = ("batch", "tokens", "width", "heads", "kv_heads", "hidden")
        self.batch, self.tokens, self.width, self.heads, self.kv_heads, self.hidden = (p.axes[n] for n in names)
        self.head = self.width // self.heads

    def shapes(self):
        """Of its inputs, in the order of the calls."""
        rows, width = (self.batch * self.tokens, self.width), (self.width,)
        of_qkv = (self.heads + 2 * self.kv_heads) * self.head
        return {
            "x": rows,
            "positions": (self.batch, self.tokens),
            "norm1": width,
            "wqkv": (of_qkv, self.width),
            "wo": (self.width, self.width),
            "norm2": width,
            "wgu": (2 * self.hidden, self.width),
            "wd": (self.width, self.hidden),
        }

    def pack(self, x, positions, *rest):
        """batch x tokens x 1 x pairs; in double until they are cosines and sines."""
        exponents = torch.arange(0, self.head, 2, dtype=torch.float64, device=positions.device)
        angles = positions.to(torch.float64)[..., None, None] * THETA ** (-exponents / self.head)
        self.cosine, self.sine = torch.cos(angles).float(), torch.sin(angles).float()

    def turn(self, x):
        a, b = x.float().chunk(2, -1)
        turned = torch.cat((a * self.cosine - b * self.sine, b * self.cosine + a * self.sine), -1)
        return turned.to(x.dtype)

    def attend(self, qkv):
        heads = qkv.view(self.batch, self.tokens, -1, self.head)
        q, k, v = heads.split((self.heads, self.kv_heads, self.kv_heads), 2)
        q, k, v = (t.transpose(1, 2) for t in (self.turn(q), self.turn(k), v))
        with sdpa_kernel(ATTENTION, set_priority=True):
            out = functional.scaled_dot_product_attention(
                q, k, v, is_causal=True, enable_gqa=self.heads != self.kv_heads)
        return out.transpose(1, 2).reshape(-1, self.width)

    def gated(self, x, norm1, wqkv, wo, norm2, wgu, product):
        """h, and what the last product multiplies."""
        n = functional.rms_norm(x, (self.width,), norm1, EPSILON)
        h = x + product(self.attend(product(n, wqkv, "wqkv")), wo, "wo")
        m = functional.rms_norm(h, (self.width,), norm2, EPSILON)
        g, u = product(m, wgu, "wgu").view(-1, self.hidden, 2).unbind(-1)
        return h, functional.silu(g) * u

    def __call__(self, x, positions, norm1, wqkv, wo, norm2, wgu, wd):
        h, a = self.gated(x, norm1, wqkv, wo, norm2, wgu, product)
        return torch.addmm(h, a, wd.t())


# ---- eager ----------------------------------------------------------------------------------------------


class Product(torch.autograd.Function):
    """A product whose weight's gradient is written where it is wanted."""

    @staticmethod
    def forward(ctx, x, w, dw):
        ctx.save_for_backward(x, w)
        ctx.dw = dw
        return torch.mm(x, w.t())

    @staticmethod
    def backward(ctx, dout):
        x, w = ctx.saved_tensors
        torch.mm(dout.t(), x, out=ctx.dw)
        return torch.mm(dout, w), None, None


def views(block, sets):
    return {name: tensors(sets, name, *shape) for name, shape in block.shapes().items()}


def eager(p):
    layers = "rms_norm, mm, scaled_dot_product_attention, silu, mul"
    if p.operation == "forward":
        return layers, lambda sets: make_forward(p, sets)
    return layers + ", autograd", lambda sets: make_gradients(p, sets)


def packed(run, blocks, of):
    run.pack = lambda i: blocks[i].pack(*(views[i] for views in of.values()))
    for i in range(len(blocks)):
        run.pack(i)
    return run


def make_forward(p, sets):
    blocks = [Block(p) for _ in sets]
    of = views(blocks[0], sets)
    y = tensors(sets, "y", *blocks[0].shapes()["x"])

    def run(i):
        *parts, wd = (of[name][i] for name in ("x", *WEIGHTS))
        h, a = blocks[i].gated(*parts, product)
        torch.addmm(h, a, wd.t(), out=y[i])

    return packed(run, blocks, of)


def make_gradients(p, sets):
    """What is not a product's gradient PyTorch returns in memory of its own."""
    blocks = [Block(p) for _ in sets]
    shapes = blocks[0].shapes()
    of = views(blocks[0], sets)
    y, dy, dx = (tensors(sets, name, *shapes["x"]) for name in ("y", "dy", "dx"))
    gradients = {name: tensors(sets, "d" + name, *shapes[name]) for name in WEIGHTS}

    @torch.enable_grad()  # providers forbid it
    def run(i):
        def into_place(x, w, name):
            return Product.apply(x, w, gradients[name][i])

        x, norm1, norm2 = wanted = [of[name][i].detach().requires_grad_() for name in ("x", "norm1", "norm2")]
        wqkv, wo, wgu, wd = (of[name][i] for name in ("wqkv", "wo", "wgu", "wd"))
        h, a = blocks[i].gated(x, norm1, wqkv, wo, norm2, wgu, into_place)
        result = h + into_place(a, wd, "wd")
        return result.detach(), *torch.autograd.grad(result, wanted, dy[i])

    return delivered(packed(run, blocks, of), list(zip(y, dx, gradients["norm1"], gradients["norm2"])))


# ---- compiled -------------------------------------------------------------------------------------------


class Gradients(Block):
    """Both passes as one function: Inductor sees them together."""

    def __call__(self, x, positions, *rest):
        *weights, dy = rest

        def forward(x, *weights):
            return Block.__call__(self, x, positions, *weights)

        y, backward = torch.func.vjp(forward, x, *weights)
        return y, *backward(dy)


def compiled(p):
    block = (Block if p.operation == "forward" else Gradients)(p)
    shapes = block.shapes()
    if p.operation == "forward":
        return block, shapes, {"y": shapes["x"]}
    gradients = {"d" + name: shapes[name] for name in ("x", *WEIGHTS)}
    return block, shapes | {"dy": shapes["x"]}, {"y": shapes["x"]} | gradients

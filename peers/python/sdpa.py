"""PyTorch's scaled_dot_product_attention, a candidate for each of its back ends.

It gives a tensor of its own: the copy into the family's buffer is part of the time (1 of queries x keys x dimension).
PyTorch aligns a causal mask with the first key, the family with the last one: they agree where there are as many queries
as keys, and for one query, which attends to all.
"""

from packages import package
from provider import Unsupported

torch = package("torch", "2.7")

from torch.nn.attention import SDPBackend, sdpa_kernel  # noqa: E402, after the check above

from tensors import tensors  # noqa: E402

NAME = "sdpa"
BACK_ENDS = {
    "flash": SDPBackend.FLASH_ATTENTION,
    "efficient": SDPBackend.EFFICIENT_ATTENTION,
    "cudnn": SDPBackend.CUDNN_ATTENTION,
    "math": SDPBackend.MATH,
}


def version():
    return torch.__version__


def offers(problem):
    axes = problem.axes
    if problem.family != "attention" or 0 in axes.values():
        return []
    if problem.operation == "causal" and axes["queries"] not in (1, axes["keys"]):
        return []
    if problem.device == "cpu":
        return ["flash", "math"]
    half = problem.type in ("f16", "bf16") and axes["dimension"] % 8 == 0
    return [name for name in BACK_ENDS if half or name in ("efficient", "math")]


def prepare(problem, name, sets):
    torch.set_grad_enabled(False)
    torch.set_float32_matmul_precision("highest")  # no TF32
    batch, heads, queries, keys, dimension = problem.axes.values()
    q, out = (tensors(sets, buffer, batch, heads, queries, dimension) for buffer in ("q", "out"))
    k, v = (tensors(sets, buffer, batch, heads, keys, dimension) for buffer in ("k", "v"))
    causal = problem.operation == "causal" and queries > 1
    attention, back_end = torch.nn.functional.scaled_dot_product_attention, BACK_ENDS[name]

    def run(i):
        with sdpa_kernel(back_end):
            out[i].copy_(attention(q[i], k[i], v[i], is_causal=causal))

    try:
        run(0)
    except RuntimeError as failure:
        if "No available kernel" not in str(failure):
            raise
        raise Unsupported(f"PyTorch has no {name} kernel for this case on this device") from None
    return run

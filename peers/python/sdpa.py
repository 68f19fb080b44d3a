"""PyTorch's scaled_dot_product_attention, a candidate for each of its back ends.

It gives a tensor of its own: the copy into the family's buffer is part of the time (1 of queries x keys x dimension).
PyTorch aligns is_causal with the first key, the family with the last one: they agree where there are as many queries as
keys, and for one query, which attends to all. Elsewhere the mask is causal_lower_right, which flash and efficient have
kernels for.

Flash has windows and packed sequences, which scaled_dot_product_attention does not ask for: there it is called as
torch.nn.attention.varlen does. What else a mask says is given as numbers to add. Masks and the lengths of the longest sequences
are made before (pack), as models make them once for all layers.
"""

from packages import package
from provider import Unsupported

torch = package("torch", "2.7")

from torch.nn.attention import SDPBackend, sdpa_kernel  # noqa: E402, after the check above
from torch.nn.attention.bias import causal_lower_right  # noqa: E402

from attention import Shape, additive, refuse_lse, visible  # noqa: E402
from tensors import TYPES, is_empty, tensors  # noqa: E402

NAME = "sdpa"
aten = torch.ops.aten
BACK_ENDS = {
    "flash": SDPBackend.FLASH_ATTENTION,
    "efficient": SDPBackend.EFFICIENT_ATTENTION,
    "cudnn": SDPBackend.CUDNN_ATTENTION,
    "math": SDPBackend.MATH,
}
WINDOW, VARLEN = "flash, window", "flash, varlen"


def version():
    return torch.__version__


def offers(problem):
    if problem.family not in FAMILIES or is_empty(problem):
        return []
    return FAMILIES[problem.family][0](problem, Shape(problem))


def prepare(problem, name, sets):
    torch.set_grad_enabled(False)
    torch.set_float32_matmul_precision("highest")  # no TF32
    shape = Shape(problem)
    run = FAMILIES[problem.family][1](problem, shape, name, sets)
    try:
        for i in range(len(sets)):
            getattr(run, "pack", lambda i: None)(i)
        run(0)
    except RuntimeError as failure:
        if "No available kernel" not in str(failure):
            raise
        raise Unsupported(f"PyTorch has no {name} kernel for this case on this device") from None
    return run


def back_ends(problem, shape, masked=False):
    """Those that may have a kernel; of f32, and of dimensions that are no eights, the general ones."""
    if problem.device == "cpu":
        return ["flash", "math"]
    half = problem.type in ("f16", "bf16") and shape.dimension % 8 == 0
    names = [name for name in BACK_ENDS if half or name in ("efficient", "math")]
    return [name for name in names if not masked or name != "flash"]


# ---- forward --------------------------------------------------------------------------------------------


def offer_forward(problem, shape):
    half_on_gpu = problem.device != "cpu" and problem.type in ("f16", "bf16") and shape.dimension % 8 == 0
    if shape.sees_nothing():
        return []
    if shape.packed:
        return [VARLEN] if half_on_gpu else []
    if shape.operation == "window":
        return [WINDOW] * half_on_gpu + back_ends(problem, shape, masked=True)
    if shape.operation in ("padded", "additive"):
        return back_ends(problem, shape, masked=True)
    names = back_ends(problem, shape)
    if shape.operation == "causal" and shape.queries not in (1, shape.keys):
        names = [name for name in names if name != "cudnn"]  # it is aligned with the first key
    return names


def make_forward(problem, shape, name, sets):
    refuse_lse(sets)
    views = shape.arrays(sets, ("q", "k", "v", "out"))
    if name == VARLEN:
        return make_varlen(shape, sets, views)
    if name == WINDOW:
        return make_window(shape, views)
    q, k, v, out = views.values()
    masks, pack = masks_of(problem, shape, name, sets)
    options = {"scale": shape.scale, "enable_gqa": shape.grouped}
    options["is_causal"] = shape.operation == "causal" and shape.queries == shape.keys > 1
    attention, back_end = torch.nn.functional.scaled_dot_product_attention, BACK_ENDS[name]

    def run(i):
        with sdpa_kernel(back_end):
            out[i].copy_(attention(q[i], k[i], v[i], attn_mask=masks[i], **options))

    if pack:
        run.pack = pack
    return run


def masks_of(problem, shape, name, sets):
    """For each set what is given as attn_mask, and what packs it; None where nothing depends on the inputs."""
    dtype, none = TYPES[problem.type], [None] * len(sets)
    if shape.operation == "causal" and shape.queries not in (1, shape.keys):
        if name in ("flash", "efficient") and problem.device != "cpu":
            return [causal_lower_right(shape.queries, shape.keys)] * len(sets), None
        return [additive(visible(shape.queries, shape.keys, shape.reach, problem.device), dtype)] * len(sets), None
    if shape.operation == "window":
        return [additive(visible(shape.queries, shape.keys, shape.reach, problem.device), dtype)] * len(sets), None
    if shape.operation == "additive":
        if sets[0]["mask"].count != shape.batch * shape.queries * shape.keys:
            raise Unsupported("the mask has strides of its own, which are not told here")
        return tensors(sets, "mask", shape.batch, 1, shape.queries, shape.keys), None
    if shape.operation != "padded":
        return none, None
    lengths = tensors(sets, "key_lengths")

    def pack(i):
        seen = torch.arange(shape.keys, device=problem.device)[None, :] < lengths[i][:, None]
        none[i] = additive(seen, dtype)[:, None, None, :].expand(-1, -1, shape.queries, -1)

    return none, pack


def make_window(shape, views):
    """A batch of sequences of the same length, tokens before heads: views of the family's arrays."""
    q, k, v, out = ([t.transpose(1, 2) for t in view] for view in views.values())
    forward = aten._flash_attention_forward

    def run(i):
        results = forward(q[i], k[i], v[i], None, None, shape.queries, shape.keys, 0.0, True, False, scale=shape.scale,
                          window_size_left=shape.reach - 1, window_size_right=0)
        out[i].copy_(results[0])

    return run


def reach_of(shape):
    """Flash's window: keys before a query's own, and after it; -1 for all of them."""
    if shape.reach == 0:
        return -1, -1
    return (shape.reach - 1 if shape.reach <= shape.keys else -1), 0


def longest(offsets):
    return int((offsets[1:] - offsets[:-1]).max())


def make_varlen(shape, sets, views):
    q, k, v, out = views.values()
    query_offsets, key_offsets = tensors(sets, "query_offsets"), tensors(sets, "key_offsets")
    forward, (left, right) = aten._flash_attention_forward, reach_of(shape)
    most = [None] * len(sets)

    def pack(i):
        most[i] = longest(query_offsets[i]), longest(key_offsets[i])

    def run(i):
        results = forward(q[i], k[i], v[i], query_offsets[i], key_offsets[i], *most[i], 0.0, right == 0, False,
                          scale=shape.scale, window_size_left=left, window_size_right=right)
        out[i].copy_(results[0])

    run.pack = pack
    return run


# The candidates' names, and what makes run.
FAMILIES = {"attention": (offer_forward, make_forward)}

"""PyTorch's scaled_dot_product_attention, a candidate for each of its back ends.

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

from attention import Shape, additive, common_length, dense_mask, refuse_lse, visible  # noqa: E402
from tensors import TYPES, delivered, is_empty, tensors  # noqa: E402

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


def from_the_last(queries, keys):
    from torch.nn.attention.bias import causal_lower_right  # brings Triton along

    return causal_lower_right(queries, keys)


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
            return attention(q[i], k[i], v[i], attn_mask=masks[i], **options)

    if pack:
        run.pack = pack
    return delivered(run, out)


def masks_of(problem, shape, name, sets):
    """For each set what is given as attn_mask, and what packs it; None where nothing depends on the inputs."""
    dtype, none = TYPES[problem.type], [None] * len(sets)
    if shape.operation == "causal" and shape.queries not in (1, shape.keys):
        if name in ("flash", "efficient") and problem.device != "cpu":
            return [from_the_last(shape.queries, shape.keys)] * len(sets), None
        return [additive(visible(shape.queries, shape.keys, shape.reach, problem.device), dtype)] * len(sets), None
    if shape.operation == "window":
        return [additive(visible(shape.queries, shape.keys, shape.reach, problem.device), dtype)] * len(sets), None
    if shape.operation == "additive":
        return dense_mask(shape, sets, 1), None
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
        return forward(q[i], k[i], v[i], None, None, shape.queries, shape.keys, 0.0, True, False, scale=shape.scale,
                       window_size_left=shape.reach - 1, window_size_right=0)[0]

    return delivered(run, out)


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
        return forward(q[i], k[i], v[i], query_offsets[i], key_offsets[i], *most[i], 0.0, right == 0, False,
                       scale=shape.scale, window_size_left=left, window_size_right=right)[0]

    run.pack = pack
    return delivered(run, out)


# ---- a decoder's step -----------------------------------------------------------------------------------


def offer_decode(problem, shape):
    """Of a cache in one piece, in the queries' type, and whole: what is shorter is cut, where all sequences are."""
    if problem.operation != "contiguous":
        return []
    names = back_ends(problem, shape)
    return names if shape.queries == 1 else [name for name in names if name != "cudnn"]


def make_decode(problem, shape, name, sets):
    refuse_lse(sets)
    q, k, v, out = shape.arrays(sets, ("q", "k", "v", "out")).values()
    lengths, cut = tensors(sets, "lengths"), [None] * len(sets)
    options = {"scale": shape.scale, "enable_gqa": shape.grouped}
    attention, back_end = torch.nn.functional.scaled_dot_product_attention, BACK_ENDS[name]

    def mask_of(length):
        if shape.queries == 1:
            return None
        if name in ("flash", "efficient") and problem.device != "cpu":
            return from_the_last(shape.queries, length)
        return additive(visible(shape.queries, length, length, problem.device), TYPES[problem.type])

    def pack(i):
        length = common_length(lengths[i], shape.keys)
        if length < shape.queries:
            raise Unsupported("a query sees nothing: zeros, where PyTorch has NaN")
        cut[i] = k[i][:, :, :length], v[i][:, :, :length], mask_of(length)

    def run(i):
        keys, values, mask = cut[i]
        with sdpa_kernel(back_end):
            return attention(q[i], keys, values, attn_mask=mask, **options)

    run.pack = pack
    return delivered(run, out)


# ---- backward -------------------------------------------------------------------------------------------

# The operators that autograd calls, with what those of the forward pass left (pack): autograd itself would enqueue into
# the forward pass's stream. q, k, v, then what each forward pass gives first: out and its log-sum-exps.


def offer_backward(problem, shape):
    if shape.sees_nothing():
        return []
    if problem.device == "cpu":
        return [] if shape.packed or shape.grouped else ["flash"]
    half = problem.type in ("f16", "bf16") and shape.dimension % 8 == 0
    if shape.packed:
        return [VARLEN] * half
    masked = shape.operation in ("padded", "additive")
    names = ["flash"] * (half and not masked) + ["efficient"] * (not shape.grouped)
    aligned = shape.operation == "full" or shape.operation == "causal" and shape.queries in (1, shape.keys)
    return names + ["cudnn"] * (half and (masked or aligned))


def make_backward(problem, shape, name, sets):
    views = shape.arrays(sets, ("q", "k", "v", "dout", "dq", "dk", "dv"))
    pass_of = {"flash": flash_pass, "efficient": efficient_pass, "cudnn": cudnn_pass, VARLEN: varlen_pass}[name]
    if problem.device == "cpu":
        pass_of = cpu_pass
    forward, backward = pass_of(problem, shape, sets)
    masks, pack_mask = masks_of_backward(problem, shape, name, sets)
    saved = [None] * len(sets)
    inputs = [[views[n][i] for n in ("q", "k", "v")] for i in range(len(sets))]
    outputs = [[views[n][i] for n in ("dq", "dk", "dv")] for i in range(len(sets))]

    def pack(i):
        if pack_mask:
            pack_mask(i)
        saved[i] = forward(i, *inputs[i], masks[i])

    def run(i):
        return backward(i, views["dout"][i], *inputs[i], masks[i], saved[i])[:3]

    run.pack = pack
    return delivered(run, outputs)


def masks_of_backward(problem, shape, name, sets):
    """What is added, and what packs it; None where the back end knows the mask itself."""
    if shape.operation in ("padded", "additive"):
        return masks_of(problem, shape, name, sets)
    gpu, square = problem.device != "cpu", shape.operation == "causal" and shape.queries == shape.keys
    if not shape.reach or square or name in ("flash", "cudnn", VARLEN) and gpu:
        return [None] * len(sets), None
    return [additive(visible(shape.queries, shape.keys, shape.reach, problem.device), TYPES[problem.type])] * len(sets), None


def flash_pass(problem, shape, sets):
    """As its forward pass for windows: tokens before heads."""
    causal, (left, right) = shape.reach != 0, reach_of(shape)
    options = {"scale": shape.scale, "window_size_left": left, "window_size_right": right}
    sizes = None, None, shape.queries, shape.keys, 0.0, causal

    def forward(i, q, k, v, mask):
        results = aten._flash_attention_forward(*turned(q, k, v), *sizes, False, **options)
        return results[:4]  # out, lse, two of its random numbers

    def backward(i, dout, q, k, v, mask, saved):
        out, lse, *random = saved
        return turned(*aten._flash_attention_backward(*turned(dout, q, k, v), out, lse, *sizes, *random, **options))

    return forward, backward


def turned(*arrays):
    return [t.transpose(1, 2) for t in arrays]


def varlen_pass(problem, shape, sets):
    query_offsets, key_offsets = tensors(sets, "query_offsets"), tensors(sets, "key_offsets")
    causal, (left, right) = shape.reach != 0, reach_of(shape)
    options = {"scale": shape.scale, "window_size_left": left, "window_size_right": right}

    def forward(i, q, k, v, mask):
        sizes = (query_offsets[i], key_offsets[i], longest(query_offsets[i]), longest(key_offsets[i]), 0.0, causal)
        results = aten._flash_attention_forward(q, k, v, *sizes, False, **options)
        return sizes, results[:4]

    def backward(i, dout, q, k, v, mask, saved):
        sizes, (out, lse, *random) = saved
        return aten._flash_attention_backward(dout, q, k, v, out, lse, *sizes, *random, **options)

    return forward, backward


def efficient_pass(problem, shape, sets):
    causal = shape.operation == "causal" and shape.queries == shape.keys

    def bias_of(mask):
        return None if mask is None else mask.expand(shape.batch, shape.heads, shape.queries, shape.keys)

    def forward(i, q, k, v, mask):
        return aten._scaled_dot_product_efficient_attention(q, k, v, bias_of(mask), True, 0.0, causal, scale=shape.scale)

    def backward(i, dout, q, k, v, mask, saved):
        return aten._scaled_dot_product_efficient_attention_backward(
            dout, q, k, v, bias_of(mask), *saved, 0.0, [True, True, True, False], causal, scale=shape.scale)

    return forward, backward


def cudnn_pass(problem, shape, sets):
    causal = shape.operation == "causal" and shape.queries > 1

    def forward(i, q, k, v, mask):
        return aten._scaled_dot_product_cudnn_attention(q, k, v, mask, True, 0.0, causal, False, scale=shape.scale)

    def backward(i, dout, q, k, v, mask, saved):
        out, lse, query_ends, key_ends, most_queries, most_keys, seed, offset, _ = saved
        return aten._scaled_dot_product_cudnn_attention_backward(
            dout, q, k, v, out, lse, seed, offset, mask, query_ends, key_ends, most_queries, most_keys, 0.0, causal,
            scale=shape.scale)

    return forward, backward


def cpu_pass(problem, shape, sets):
    causal = shape.operation == "causal" and shape.queries == shape.keys

    def forward(i, q, k, v, mask):
        return aten._scaled_dot_product_flash_attention_for_cpu(q, k, v, 0.0, causal, attn_mask=mask, scale=shape.scale)

    def backward(i, dout, q, k, v, mask, saved):
        return aten._scaled_dot_product_flash_attention_for_cpu_backward(
            dout, q, k, v, *saved, 0.0, causal, attn_mask=mask, scale=shape.scale)

    return forward, backward


# What a family is offered, and what makes run.
FAMILIES = {
    "attention": (offer_forward, make_forward),
    "attention_backward": (offer_backward, make_backward),
    "attention_decode": (offer_decode, make_decode),
}

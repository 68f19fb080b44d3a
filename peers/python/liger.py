"""Liger-Kernel's kernels as its functions launch them, into the family's buffers instead of new tensors.

What is not here, Liger defines otherwise than the families: softmax in half types takes differences in the half type, GEGLU is
gelu by tanh, SwiGLU rounds silu(a) to the half type, and its cross-entropy writes zeros into logits even where the loss
alone is asked for. RMSNorm's backward pass wants what the forward pass kept of each row.
"""

from packages import ADVICE, package
from provider import Missing

torch = package("torch", "2.7")
triton = package("triton", "3.2")

import importlib.metadata  # noqa: E402, after the checks above
import os  # noqa: E402

try:
    from liger_kernel.ops import cross_entropy, layer_norm, rms_norm, rope, softmax, swiglu
    from liger_kernel.ops.utils import calculate_settings
except ImportError as failure:
    raise Missing(f"no package liger-kernel ({failure}): {ADVICE}") from None

from tensors import delivered, is_empty, tensors  # noqa: E402
from torch_ml import IGNORED, labels_of, rope_angles  # noqa: E402

NAME = "liger"
OFFSET = 0.0  # added to the weights
LARGEST_BLOCK = 65536  # elements
FEW_ROWS, ROWS_PER_BLOCK, SHORT_ROW = 4096 * 8, 16, 256  # where Liger takes a block of rows per program
WARPS = 32  # of cross_entropy, on GPUs before Blackwell


def version():
    return importlib.metadata.version("liger-kernel")


def offers(problem):
    if problem.device == "cpu" and os.environ.get("TRITON_INTERPRET") != "1":
        return []
    if problem.family not in FAMILIES or is_empty(problem):
        return []
    found = FAMILIES[problem.family](problem)
    return [found[0]] if found else []


def prepare(problem, name, sets):
    torch.set_grad_enabled(False)
    run = FAMILIES[problem.family](problem)[1](sets)
    run(0)
    return run


# ---- (name, function of the sets that gives run); None for what Liger does not, or does otherwise -----------------


def softmax_of_rows(p):
    rows, columns = p.axes["batch"] * p.axes["rows"], p.axes["columns"]
    if p.type != "f32" or p.operation not in ("softmax", "backward") or columns > LARGEST_BLOCK:
        return None
    block, warps = calculate_settings(columns)
    forward, backward = softmax._softmax_single_block_forward_kernel, softmax._softmax_single_block_backward_kernel
    kernel, names = (forward, ("y", "x")) if p.operation == "softmax" else (backward, ("dy", "y", "dx"))

    def make(sets):
        arrays = [tensors(sets, name, rows, columns) for name in names]

        def run(i):
            arguments = [argument for array in arrays for argument in (array[i], columns)]
            kernel[(rows,)](*arguments, columns, BLOCK_SIZE=block, num_warps=warps)

        return run

    return "softmax_" + ("forward" if p.operation == "softmax" else "backward"), make


def entropy(p):
    """The gradient in place of the logits. Liger divides a mean by a number of rows that it waits for; so is the scale here."""
    rows, classes = p.axes["rows"], p.axes["classes"]
    if p.operation != "gradient":
        return None
    block = min(cross_entropy.MAX_FUSED_SIZE, triton.next_power_of_2(classes))
    options = {name: False for name in ("RETURN_Z_LOSS", "RETURN_TOKEN_ACCURACY", "RETURN_PREDICTED_TOKENS")}
    options |= {"HAS_WEIGHT": False, "HAS_SOFTCAPPING": False, "HAS_GRADIENTS": True}
    options |= {"BLOCK_SIZE": block, "num_warps": WARPS, "reduction": "mean", "lse_square_scale": 0.0}
    options |= {"label_smoothing": p.axes["smoothing"] / 1000000, "softcap": None, "weight_sum": 0.0}
    options |= dict.fromkeys(("weight_ptr", "z_loss_ptr", "token_accuracy_ptr", "predicted_tokens_ptr"))
    options |= {"token_accuracy_stride": 0, "predicted_tokens_stride": 0, "n_cols": classes, "ignore_index": IGNORED}

    def make(sets):
        logits, labels = tensors(sets, "logits", rows, classes), labels_of(sets, classes)
        loss, scale = tensors(sets, "loss"), tensors(sets, "scale")

        def run(i):
            count = 1 / scale[i].item()
            loss[i].zero_()
            cross_entropy.liger_cross_entropy_kernel[(rows,)](
                X_ptr=logits[i], X_stride=classes, Y_ptr=labels[i], Y_stride=1, loss_ptr=loss[i], loss_stride=1,
                n_non_ignore=count, sum_non_ignore_weight=count, **options)
            loss[i].mul_(count)

        return run

    return "cross_entropy_forward(mean)", make


def turn(p):
    """In place, as Liger does it: the copies are part of the time, and so are cosines and sines."""
    batch, sequence, dim, rotary = (p.axes[axis] for axis in ("batch", "sequence", "dim", "rotary"))
    heads = p.axes["q_heads"], p.axes["k_heads"]
    if not p.operation.startswith("halves"):
        return None
    sizes = [triton.next_power_of_2(size) for size in (*heads, dim, rotary)]
    backward = p.operation.endswith("backward")
    # The angles' sign is the kernel's here.
    forward = type(p)(p.family, "halves", p.type, p.axes, p.scalars, p.device)

    def make(sets):
        positions = tensors(sets, "positions")
        shapes = [(batch * sequence, count, dim) for count in heads]
        x = [tensors(sets, name, *shape) for name, shape in zip("qk", shapes)]
        out = [tensors(sets, name + "_out", *shape) for name, shape in zip("qk", shapes)]

        def run(i):
            cosine, sine = rope_angles(forward, positions[i])
            arguments = []
            for source, target, count in zip(x, out, heads):
                target[i].copy_(source[i])
                arguments += [target[i], count * dim]
            rope._triton_rope[(batch * sequence,)](
                *arguments, cosine, rotary // 2, sine, rotary // 2, sequence, batch, batch, *heads, dim, *sizes,
                rotary, BLOCK_SIZE=max(sizes[:2]), BACKWARD_PASS=backward)

        return run

    return "cos, sin, copy_, rope_" + ("backward" if backward else "forward"), make


def gate(p):
    rows, columns = p.axes["rows"], p.axes["columns"]
    if columns > LARGEST_BLOCK or p.operation not in ("swiglu", "swiglu_backward"):
        return None
    if p.operation == "swiglu" and p.type != "f32":
        return None
    block, warps = calculate_settings(columns)
    options = {"ffn_size": columns, "BLOCK_SIZE": block, "num_warps": warps}

    def make_forward(sets):
        x, y = tensors(sets, "x"), tensors(sets, "y")
        kernel = swiglu._swiglu_fused_gate_up_forward_kernel[(rows,)]
        return lambda i: kernel(x[i], y[i], 2 * columns, columns, **options)

    def make_backward(sets):
        x, dy, dx = (tensors(sets, name) for name in ("x", "dy", "dx"))
        kernel = swiglu._swiglu_fused_gate_up_backward_kernel[(rows,)]
        return lambda i: kernel(dy[i], x[i], dx[i], 2 * columns, columns, **options)

    if p.operation == "swiglu":
        return "swiglu_fused_gate_up_forward", make_forward
    return "swiglu_fused_gate_up_backward", make_backward


def rmsnorm(p):
    """The casting mode is gemma's: all arithmetic in float, one rounding at the end, as the family defines it.

    Liger also stores the factor of each row for its backward pass; that is part of what its users pay.
    """
    rows, columns = p.axes["rows"], p.axes["columns"]
    if p.operation != "rmsnorm" or columns > LARGEST_BLOCK:
        return None
    block, warps = calculate_settings(columns)
    by_row = block > SHORT_ROW or rows < FEW_ROWS
    options = {"elementwise_affine": True, "BLOCK_SIZE": block, "num_warps": warps}
    kernel, sizes = rms_norm._rms_norm_forward_kernel[(rows,)], (columns,)
    if not by_row:
        kernel, sizes = rms_norm._block_rms_norm_forward_kernel[(triton.cdiv(rows, ROWS_PER_BLOCK),)], (rows, columns)
        options["BLOCK_ROW"] = ROWS_PER_BLOCK
    gemma, epsilon = rms_norm._CASTING_MODE_GEMMA.value, p.scalars["epsilon"]

    def make(sets):
        x, y = tensors(sets, "x", rows, columns), tensors(sets, "y", rows, columns)
        weight, factors = tensors(sets, "weight"), torch.empty(rows, device=p.device)

        def run(i):
            kernel(y[i], columns, x[i], columns, weight[i], 1, factors, 1, *sizes, epsilon, OFFSET, gemma, **options)

        return run

    return "rms_norm_forward", make


def layernorm(p):
    if p.operation not in ("forward", "backward") or p.axes["columns"] > LARGEST_BLOCK:
        return None
    make = layernorm_forward if p.operation == "forward" else layernorm_backward
    return "layer_norm_" + p.operation, lambda sets: make(p, sets)


def layernorm_forward(p, sets):
    rows, columns, epsilon = p.axes["rows"], p.axes["columns"], p.scalars["epsilon"]
    x, gamma, beta, y, mean, rstd = (tensors(sets, name) for name in ("x", "gamma", "beta", "y", "mean", "rstd"))
    block, warps = calculate_settings(columns)
    kernel = layer_norm._layer_norm_forward_kernel[(rows,)]

    def run(i):
        kernel(y[i], columns, x[i], columns, gamma[i], 1, beta[i], 1, mean[i], 1, rstd[i], 1, columns, epsilon,
               BLOCK_SIZE=block, num_warps=warps)

    return run


def layernorm_backward(p, sets):
    """A sum per multiprocessor and column, which PyTorch folds."""
    rows, columns = p.axes["rows"], p.axes["columns"]
    dy, x, gamma, mean, rstd, dx = (tensors(sets, name) for name in ("dy", "x", "gamma", "mean", "rstd", "dx"))
    totals = [tensors(sets, name) for name in ("dgamma", "dbeta")]
    blocks = 1 if p.device == "cpu" else torch.cuda.get_device_properties(p.device).multi_processor_count
    block, warps = calculate_settings(columns)
    kernel = layer_norm._layer_norm_backward_kernel[(blocks,)]

    def run(i):
        sums = [torch.empty(blocks, columns, device=p.device) for _ in totals]
        kernel(x[i], columns, gamma[i], mean[i], 1, rstd[i], 1, dx[i], columns, sums[0], columns, sums[1], columns,
               dy[i], columns, rows, columns, rows_per_program=triton.cdiv(rows, blocks), BLOCK_SIZE=block,
               num_warps=warps)
        return [of_blocks.sum(0).to(gamma[i].dtype) for of_blocks in sums]

    return delivered(run, list(zip(*totals)))


FAMILIES = {
    "softmax": softmax_of_rows,
    "cross_entropy": entropy,
    "rope": turn,
    "fused_elementwise": gate,
    "rmsnorm": rmsnorm,
    "layernorm": layernorm,
}

"""Liger-Kernel's RMSNorm, as its rms_norm_forward launches it, into the family's buffer instead of a new tensor.

The casting mode is gemma's: all arithmetic in float, one rounding at the end, as the family defines the operation.
Liger also stores the factor of each row for its backward pass; that is part of what its users pay.
"""

from packages import ADVICE, package
from provider import Missing

torch = package("torch", "2.7")
triton = package("triton", "3.2")

import importlib.metadata  # noqa: E402, after the checks above
import os  # noqa: E402

try:
    from liger_kernel.ops import rms_norm
    from liger_kernel.ops.utils import calculate_settings
except ImportError as failure:
    raise Missing(f"no package liger-kernel ({failure}): {ADVICE}") from None

from tensors import tensors  # noqa: E402

NAME = "liger"
OFFSET = 0.0  # added to the weights
FEW_ROWS, ROWS_PER_BLOCK, SHORT_ROW = 4096 * 8, 16, 256  # where Liger takes a block of rows per program


def version():
    return importlib.metadata.version("liger-kernel")


def offers(problem):
    if problem.family != "rmsnorm" or problem.operation != "rmsnorm":
        return []
    if 0 in problem.axes.values() or problem.axes["columns"] > 65536:
        return []
    if problem.device == "cpu" and os.environ.get("TRITON_INTERPRET") != "1":
        return []
    return ["rms_norm_forward"]


def prepare(problem, name, sets):
    rows, columns, epsilon = problem.axes["rows"], problem.axes["columns"], problem.scalars["epsilon"]
    x, y = tensors(sets, "x", rows, columns), tensors(sets, "y", rows, columns)
    weight = tensors(sets, "weight")
    factors = torch.empty(rows, device=problem.device)
    block, warps = calculate_settings(columns)
    by_row = block > SHORT_ROW or rows < FEW_ROWS
    options = {"elementwise_affine": True, "BLOCK_SIZE": block, "num_warps": warps}
    kernel, sizes = rms_norm._rms_norm_forward_kernel[(rows,)], (columns,)
    if not by_row:
        kernel, sizes = rms_norm._block_rms_norm_forward_kernel[(triton.cdiv(rows, ROWS_PER_BLOCK),)], (rows, columns)
        options["BLOCK_ROW"] = ROWS_PER_BLOCK
    gemma = rms_norm._CASTING_MODE_GEMMA.value

    def run(i):
        kernel(y[i], columns, x[i], columns, weight[i], 1, factors, 1, *sizes, epsilon, OFFSET, gemma, **options)

    run(0)
    return run

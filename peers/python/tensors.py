"""PyTorch's view of kz's memory: a Buffer as a tensor, without a copy."""

import ctypes

import torch

from provider import SIZES

TYPES = {
    "f64": torch.float64,
    "f32": torch.float32,
    "f16": torch.float16,
    "bf16": torch.bfloat16,
    "i64": torch.int64,
    "i32": torch.int32,
    "u32": torch.uint32,
    "u16": torch.uint16,
    "u8": torch.uint8,
}


# Axes that say how, and not how many: 0 is a choice there.
CHOICES = {
    "percent", "skew", "shape", "lower", "smoothing", "padding", "split", "control", "top_k", "top_p", "min_p",
    "temperature",
}


def is_empty(problem):
    return any(size == 0 for axis, size in problem.axes.items() if axis not in CHOICES)


class _Bytes:
    """GPU memory as the CUDA array interface describes it; bf16 has no name there, so it is bytes."""

    def __init__(self, address, size):
        self.__cuda_array_interface__ = {
            "shape": (size,),
            "typestr": "|u1",
            "data": (address, False),
            "version": 3,
        }


def tensor(buffer, *shape):
    """The buffer as a tensor of that shape; without a shape, of one dimension. A shape may be of fewer elements."""
    size = buffer.count * SIZES[buffer.type]
    if size == 0:
        whole = torch.empty(0, dtype=TYPES[buffer.type], device=buffer.device)
    elif buffer.device == "cpu":
        memory = (ctypes.c_uint8 * size).from_address(buffer.address)
        whole = torch.frombuffer(memory, dtype=TYPES[buffer.type])
    else:
        whole = torch.as_tensor(_Bytes(buffer.address, size), device=buffer.device).view(TYPES[buffer.type])
    if not shape:
        return whole
    count = 1
    for extent in shape:
        count *= extent
    return whole[:count].view(shape)


def tensors(sets, name, *shape):
    """One buffer in every set: prepare's usual first lines."""
    return [tensor(buffers[name], *shape) for buffers in sets]


def several(results):
    return results if isinstance(results, (tuple, list)) else (results,)


def overwrite(results):
    """With bytes that are NaN in every type of floats, and -1 in integers."""
    for result in results:
        result.untyped_storage().fill_(255)


def delivered(run, outputs):
    """run, which returns a tensor or several, with the deliver that provider.py asks for: they are those of outputs[i]."""

    def deliver(i, results):
        results = several(results)
        for to, result in zip(several(outputs[i]), results, strict=True):
            to.copy_(result)
        overwrite(results)

    run.deliver = deliver
    return run


SIGNED = {torch.uint32: torch.int32, torch.uint16: torch.int16}


def signed(sets, name, *shape):
    """The buffer in every set, unsigned elements as signed ones."""
    return [t.view(SIGNED.get(t.dtype, t.dtype)) for t in tensors(sets, name, *shape)]

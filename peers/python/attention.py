"""What the rivals of attention share: the shapes of its arrays, and which keys a query sees.

kz gives the scale and the reach as scalars, but no strides: arrays that are not dense are refused by their sizes.
"""

import torch

from provider import Unsupported
from tensors import tensors

PACKED = ("packed", "packed_causal")


class Shape:
    """Of a problem of attention, its backward pass or a decoder's step, by the names that these families share."""

    def __init__(self, p):
        names = ("batch", "heads", "kv_heads", "queries", "keys", "dimension")
        self.batch, self.heads, self.kv_heads, self.queries, self.keys, self.dimension = (p.axes[n] for n in names)
        self.operation, self.scale, self.reach = p.operation, p.scalars["scale"], p.scalars.get("reach", 0)
        self.packed = p.operation in PACKED
        self.grouped = self.heads != self.kv_heads
        self.group = self.heads // self.kv_heads

    @property
    def of_queries(self):
        return self._of(self.heads, self.queries)

    @property
    def of_keys(self):
        return self._of(self.kv_heads, self.keys)

    def _of(self, heads, tokens):
        return (tokens, heads, self.dimension) if self.packed else (self.batch, heads, tokens, self.dimension)

    def arrays(self, sets, names):
        """{name: its view in every set}: q and what is like it by queries, k and v and theirs by keys."""
        views = {}
        for name in names:
            shape = self.of_keys if name in ("k", "v", "dk", "dv") else self.of_queries
            if sets[0][name].count != self._count(shape):
                raise Unsupported(f"{name} has strides of its own, which are not told here")
            views[name] = tensors(sets, name, *shape)
        return views

    @staticmethod
    def _count(shape):
        count = 1
        for extent in shape:
            count *= extent
        return count

    def sees_nothing(self):
        """Whether some query does, by the axes alone: PyTorch has NaN there, the families zeros."""
        return self.operation in ("causal", "window") and self.keys < self.queries


def dense_mask(shape, sets, *between):
    """What an additive mask has, for all heads alike; `between`: dimensions of 1 after the batch."""
    if sets[0]["mask"].count != shape.batch * shape.queries * shape.keys:
        raise Unsupported("the mask has strides of its own, which are not told here")
    return tensors(sets, "mask", shape.batch, *between, shape.queries, shape.keys)


def common_length(lengths, keys):
    """Of a cache's sequences, on the host: kz's NaN behind a length reaches what reads it through a mask."""
    used = {min(max(length, 0), keys) for length in lengths.tolist()}
    if len(used) > 1:
        raise Unsupported("the sequences have several lengths: a mask would read what lies behind them")
    return used.pop()


def refuse_lse(sets):
    if "lse" in sets[0]:
        raise Unsupported("the log-sum-exps are wanted, which this call keeps")


def visible(queries, keys, reach, device):
    """queries x keys: the last query sees the last key, and `reach` keys up to its own; 0: all."""
    if reach == 0:
        return torch.ones(queries, keys, dtype=torch.bool, device=device)
    last = torch.arange(queries, device=device)[:, None] + (keys - queries)
    key = torch.arange(keys, device=device)[None, :]
    return (key <= last) & (key > last - reach)


def additive(seen, dtype):
    """A mask to add to scores: 0 where `seen`, -Inf elsewhere."""
    return torch.zeros(seen.shape, dtype=dtype, device=seen.device).masked_fill_(~seen, float("-inf"))


def ranges(offsets):
    """[(first, end)] of each sequence, on the host."""
    ends = offsets.tolist()
    return list(zip(ends, ends[1:]))

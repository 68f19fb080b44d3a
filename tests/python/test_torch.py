"""PyTorch's providers, on the GPU if there is one: everything they offer, against the answers in double."""

import glob
import re
import types
import unittest
from dataclasses import replace
from unittest import mock

import problems
import torch
from provider import Buffer, Unsupported
from tensors import TYPES
from torch._subclasses.fake_tensor import FakeTensorMode

import sdpa
import torch_compile
import torch_eager


def is_in_place(problem):
    """Nothing is delivered, or a count that the host has."""
    counted = problem.family == "compact" and problem.operation != "unique"
    return counted or problem.operation.startswith("exclusive") and problem.axes["n"] == 1


def check(test, provider, problem, name):
    with test.subTest(provider=provider.NAME, problem=problem, candidate=name):
        sets = problems.Sets(problem)
        try:
            run = provider.prepare(problem, name, sets.buffers())
        except Unsupported as reason:
            test.skipTest(str(reason))
        sets.restore()
        results = [run(i) for i in range(len(sets.tensors))]  # all before any is delivered, as in a graph
        for i, result in enumerate(results):
            if hasattr(run, "deliver"):
                run.deliver(i, result)
            test.assertEqual(sets.errors(i), [])
            if hasattr(run, "deliver") and not is_in_place(problem):
                run.deliver(i, result)
                test.assertNotEqual(sets.errors(i), [], "what was delivered lies there still")


def check_all(test, provider, some=lambda problem: True, scalar=float):
    families = set()
    for problem in problems.list_problems():
        problem = replace(problem, scalars={name: scalar(value) if isinstance(value, float) else value
                                            for name, value in problem.scalars.items()})
        for name in provider.offers(problem) if some(problem) else []:
            check(test, provider, problem, name)
            families.add(problem.family)
    return families


def in_tree(families):
    """Those that have a folder: rivals may know a family before it is there."""
    return {family for family in families if glob.glob(f"{problems.ROOT}/kernels/*/{family}/family.c")}


def families_that_name(rival):
    """The families whose table has the rival."""
    found = set()
    for path in glob.glob(problems.ROOT + "/kernels/*/*/family.c"):
        with open(path) as file:
            line = re.search(r"\.rivals =(.*?)\},", file.read(), re.DOTALL)
        if line and f'"{rival}"' in line[1]:
            found.add(path.split("/")[-2])
    return found


def flash_forward(q, k, v, query_offsets, key_offsets, queries, keys, dropout, causal, debug, *, scale,
                  window_size_left, window_size_right):
    """Batches of tokens x heads, or sequences one behind the other; a window counts keys besides the query's own."""
    assert dropout == 0 and not debug and causal == (window_size_right == 0)
    if query_offsets is None:
        assert (queries, keys) == (q.shape[1], k.shape[1])
        parts = list(zip(q, k, v))
    else:
        ends = [offsets.tolist() for offsets in (query_offsets, key_offsets)]
        slices = [[slice(*pair) for pair in zip(e, e[1:])] for e in ends]
        assert [max(s.stop - s.start for s in side) for side in slices] == [queries, keys]
        parts = [(q[a], k[b], v[b]) for a, b in zip(*slices)]
    out = []
    for q_of, k_of, v_of in parts:
        group = q_of.shape[1] // k_of.shape[1]
        wide = [t.to(torch.float64).transpose(0, 1) for t in (q_of, k_of, v_of)]
        wide = [wide[0], *(t.repeat_interleave(group, 0) for t in wide[1:])]
        last = torch.arange(len(q_of))[:, None] + len(k_of) - len(q_of)
        key = torch.arange(len(k_of))[None, :]
        seen = torch.ones(len(q_of), len(k_of), dtype=torch.bool)
        seen &= (key >= last - window_size_left) if window_size_left >= 0 else seen
        seen &= (key <= last + window_size_right) if window_size_right >= 0 else seen
        scores = (wide[0] @ wide[1].transpose(1, 2) * scale).masked_fill(~seen, -float("inf"))
        out.append((torch.softmax(scores, -1) @ wide[2]).transpose(0, 1))
    return (torch.stack(out) if query_offsets is None else torch.cat(out)).to(q.dtype), None


def run_in_shape(problem, name):
    counts, problem = problems.buffer_counts(problem), replace(problem, device="cuda:0")
    sets = [{buffer: Buffer(0, count, kind, "input", problem.device) for buffer, (kind, count) in counts.items()}]

    def tensors(sets, name, *shape):
        of = sets[0][name]
        return [torch.empty(shape or of.count, dtype=TYPES[of.type], device=problem.device)]

    with mock.patch("attention.tensors", tensors), mock.patch("sdpa.tensors", tensors), FakeTensorMode():
        with mock.patch("sdpa.longest", lambda offsets: 16):
            run = sdpa.prepare(problem, name, sets)
            run.deliver(0, run(0))


class Torch(unittest.TestCase):
    def test_eager(self):
        families = check_all(self, torch_eager)
        self.assertEqual(in_tree(families), families_that_name("torch"))

    def test_eager_does_what_it_can(self):
        halves = problems.Problem("reduce_segments", "sum", "f16", {"n": 100, "segments": 3, "skew": 0})
        self.assertEqual(torch_eager.offers(halves), [])  # it would add in f16
        self.assertEqual(torch_eager.offers(problems.Problem("bfs", "bfs", "i32", {"vertices": 4})), [])
        self.assertEqual(torch_eager.offers(problems.Problem("reduce", "sum", "f32", {"n": 0})), [])

    def test_what_pytorch_does_otherwise(self):
        def offered(provider, family, operation, kind, **axes):
            return provider.offers(problems.Problem(family, operation, kind, axes, {"epsilon": 1e-5}, "cuda:0"))

        rows = {"rows": 8, "columns": 64}
        self.assertEqual(offered(torch_eager, "fused_elementwise", "swiglu", "bf16", **rows), [])  # rounds silu(a)
        self.assertEqual(offered(torch_eager, "fused_elementwise", "bias_dropout_add", "f32", **rows), [])
        self.assertEqual(offered(torch_compile, "layernorm", "residual", "bf16", **rows), [])  # does not round the sum
        self.assertEqual(offered(torch_eager, "softmax", "causal", "f32", batch=1, rows=9, columns=8), [])  # NaN
        self.assertEqual(len(offered(torch_eager, "softmax", "causal", "f32", batch=1, rows=8, columns=8)), 1)
        lost = {"tokens": 8, "vocabulary": 9, "dim": 4, "skew": 4, "padding": 0}
        self.assertEqual(offered(torch_eager, "embedding", "gather", "f32", **lost), [])  # ids that name no row
        scaled = {"n": 8, "tensors": 1, "split": 0, "step": 1, "control": 1}
        self.assertEqual(offered(torch_eager, "adamw", "update", "f32", **scaled), [])  # writes the gradients

    def test_labels_that_no_class_has(self):
        problem = problems.Problem("cross_entropy", "loss", "f32", {"rows": 9, "classes": 7, "smoothing": 0}, {}, problems.DEVICE)
        sets = problems.Sets(problem)
        sets.tensors[0]["labels"][4] = 7
        with self.assertRaises(Unsupported):
            torch_eager.prepare(problem, "log_softmax, nll_loss", sets.buffers())

    def test_sdpa(self):
        families = check_all(self, sdpa)
        self.assertEqual(in_tree(families), families_that_name("sdpa"))

    def test_flash_by_its_own_call(self):
        """Windows and packed sequences, on GPUs alone: here a stand-in does what PyTorch's documentation says of the call."""
        done = set()
        for problem in problems.list_problems():
            if problem.family != "attention" or problem.type == "f32":
                continue
            on_gpu = replace(problem, device="cuda:0")
            for name in {sdpa.WINDOW, sdpa.VARLEN} & set(sdpa.offers(on_gpu)):
                with mock.patch.object(sdpa, "aten", types.SimpleNamespace(_flash_attention_forward=flash_forward)):
                    check(self, sdpa, problem, name)
                done.add(problem.operation)
        self.assertEqual(done, {"window", "packed", "packed_causal"})
        wide = next(p for p in problems.list_problems() if p.operation == "packed" and p.type == "bf16")
        self.assertEqual(sdpa.offers(replace(wide, type="f32", device="cuda:0")), [])

    def test_gradients_on_a_gpu(self):
        """Tensors that have shapes alone: what the GPU's operators are given, and that they give what is copied."""
        done = {}
        for problem in problems.list_problems():
            if problem.family != "attention_backward" or problem.type == "f16":
                continue
            for name in sdpa.offers(replace(problem, device="cuda:0")):
                with self.subTest(problem=problem, candidate=name):
                    run_in_shape(problem, name)
                    done.setdefault(problem.operation, set()).add(name)
        self.assertEqual(done["full"], {"flash", "efficient", "cudnn"})
        self.assertEqual(done["window"], {"flash", "efficient"})
        self.assertEqual(done["additive"], {"efficient", "cudnn"})
        self.assertEqual(done["packed_causal"], {sdpa.VARLEN})
        self.assertEqual(len(done), 7)

    def test_masks_that_flash_has_not(self):
        axes = dict(zip(("batch", "heads", "kv_heads", "queries", "keys", "dimension"), (2, 4, 4, 5, 9, 64)))

        def offered(operation, kind="bf16", reach=0, **other):
            problem = problems.Problem("attention", operation, kind, axes | other, {"scale": 0.1, "reach": reach}, "cuda:0")
            return sdpa.offers(problem)

        self.assertEqual(offered("full"), ["flash", "efficient", "cudnn", "math"])
        self.assertEqual(offered("full", "f32"), ["efficient", "math"])
        self.assertEqual(offered("causal", reach=1 << 62), ["flash", "efficient", "math"])  # cudnn's is_causal is another one
        self.assertEqual(offered("causal", reach=1 << 62, queries=9), ["flash", "efficient", "cudnn", "math"])
        self.assertEqual(offered("causal", reach=1 << 62, queries=10), [])  # a query that sees nothing
        self.assertEqual(offered("padded"), ["efficient", "cudnn", "math"])
        self.assertEqual(offered("window", reach=3), [sdpa.WINDOW, "efficient", "cudnn", "math"])

    def test_strides_and_log_sums_are_refused(self):
        problem = next(p for p in problems.list_problems() if p.family == "attention")
        for name, count in (("q", -4), ("lse", 0)):
            sets = problems.Sets(problem)
            buffers = sets.buffers()
            for of_set in buffers:
                like = of_set["q"]
                of_set[name] = replace(like, count=like.count + count)
            for provider, candidate in ((sdpa, "math"), (torch_eager, "")):
                with self.assertRaises(Unsupported):
                    provider.prepare(problem, candidate, buffers)

    def test_what_is_compiled(self):
        with mock.patch("torch.compile", lambda function, **options: function):
            families = check_all(self, torch_compile)
        self.assertEqual(in_tree(families), families_that_name("torch_compile"))

    def test_graphs_of_pytorch(self):
        """Their results lie in one place for all sets: each is delivered before the next run. Uncompiled here."""
        with mock.patch("torch.compile", lambda function, **options: function):
            for problem in problems.list_problems():
                if torch_compile.offers(problem) and problem.operation in ("add", "saxpy", "argmax", "gradient", "forward"):
                    sets = problems.Sets(problem)
                    run = torch_compile.prepare(problem, "reduce-overhead", sets.buffers())
                    sets.restore()
                    for i in range(len(sets.tensors)):
                        result = run(i)
                        if hasattr(run, "deliver"):
                            run.deliver(i, result)
                        self.assertEqual(sets.errors(i), [])

    def test_compile(self):
        """Four families, one of them in place: compiling takes seconds."""
        chosen = {("elementwise", "gelu_erf", "f16"), ("rmsnorm", "rmsnorm", "bf16"), ("cross_entropy", "gradient", "bf16"),
                  ("transformer_block", "gradients", "bf16")}
        families = check_all(self, torch_compile, lambda p: (p.family, p.operation, p.type) in chosen)
        self.assertEqual(families, {family for family, *_ in chosen})

    def test_compile_a_mask(self):
        """Blocks that depend on an input: half a minute."""
        problem = next(p for p in problems.list_problems() if (p.operation, p.type) == ("padded", "f32"))
        check(self, torch_compile, problem, "default")


if __name__ == "__main__":
    unittest.main()

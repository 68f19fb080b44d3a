"""PyTorch's providers, on the GPU if there is one: everything they offer, against the answers in double."""

import glob
import re
import unittest
from dataclasses import replace
from unittest import mock

import problems
from provider import Unsupported

import sdpa
import torch_compile
import torch_eager


def check(test, provider, problem, name):
    with test.subTest(provider=provider.NAME, problem=problem, candidate=name):
        sets = problems.Sets(problem)
        try:
            run = provider.prepare(problem, name, sets.buffers())
        except Unsupported as reason:
            test.skipTest(str(reason))
        sets.restore()
        for i in range(len(sets.tensors)):
            run(i)
            test.assertEqual(sets.errors(i), [])


def check_all(test, provider, some=lambda problem: True, scalar=float):
    families = set()
    for problem in problems.list_problems():
        problem = replace(problem, scalars={name: scalar(value) for name, value in problem.scalars.items()})
        for name in provider.offers(problem) if some(problem) else []:
            check(test, provider, problem, name)
            families.add(problem.family)
    return families


def families_that_name(rival):
    """The families whose table has the rival."""
    found = set()
    for path in glob.glob(problems.ROOT + "/kernels/*/*/family.c"):
        with open(path) as file:
            line = re.search(r"\.rivals =(.*?)\},", file.read(), re.DOTALL)
        if line and f'"{rival}"' in line[1]:
            found.add(path.split("/")[-2])
    return found


class Torch(unittest.TestCase):
    def test_eager(self):
        families = check_all(self, torch_eager)
        self.assertEqual(families, families_that_name("torch"))

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
        self.assertEqual(families, families_that_name("sdpa"))

    def test_what_is_compiled(self):
        with mock.patch("torch.compile", lambda function, **options: function):
            families = check_all(self, torch_compile)
        self.assertEqual(families, families_that_name("torch_compile"))

    def test_compile(self):
        """Three families, one of them in place: compiling takes seconds."""
        chosen = {("elementwise", "gelu_erf", "f16"), ("rmsnorm", "rmsnorm", "bf16"), ("cross_entropy", "gradient", "bf16")}
        families = check_all(self, torch_compile, lambda p: (p.family, p.operation, p.type) in chosen)
        self.assertEqual(families, {family for family, *_ in chosen})


if __name__ == "__main__":
    unittest.main()

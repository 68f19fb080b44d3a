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

    def test_sdpa(self):
        families = check_all(self, sdpa)
        self.assertEqual(families, families_that_name("sdpa"))

    def test_what_is_compiled(self):
        with mock.patch("torch.compile", lambda function, **options: function):
            families = check_all(self, torch_compile)
        self.assertEqual(families, families_that_name("torch_compile"))

    def test_compile(self):
        """Two families: compiling takes seconds."""
        chosen = {("elementwise", "gelu_erf", "f16"), ("rmsnorm", "rmsnorm", "bf16")}
        families = check_all(self, torch_compile, lambda p: (p.family, p.operation, p.type) in chosen)
        self.assertEqual(families, {"elementwise", "rmsnorm"})


if __name__ == "__main__":
    unittest.main()

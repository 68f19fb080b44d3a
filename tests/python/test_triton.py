"""Triton's kernels, ours and Liger's, in its interpreter on CPU tensors: all that they offer, against answers in double."""

import os
import unittest
from unittest import mock

os.environ["TRITON_INTERPRET"] = "1"  # before Triton is imported

import problems
from test_torch import check_all, families_that_name

import liger
import triton_kernels
from triton_kernels import tl


class Number(float):
    """A float for a kernel: the interpreter leaves it a Python number, the compiler makes it a value with .to."""

    def to(self, _):
        return self


def is_interpreted(problem):
    """The interpreter cuts floats to bf16 instead of rounding them, and multiplies their bits."""
    return problem.type != "bf16"


class Triton(unittest.TestCase):
    def test_ours(self):
        families = check_all(self, triton_kernels, is_interpreted)
        self.assertEqual(families, families_that_name("triton"))

    def test_liger(self):
        # The interpreter knows no functions of libdevice.
        rsqrt = mock.patch.object(liger.rms_norm, "rsqrt", lambda x: tl.rsqrt(x))
        with rsqrt, mock.patch.object(liger, "OFFSET", Number(0.0)):
            families = check_all(self, liger, is_interpreted, scalar=Number)
        self.assertEqual(families, families_that_name("liger"))

    def test_it_needs_a_gpu_or_the_interpreter(self):
        problem = problems.Problem("vector_add", "add", "f32", {"n": 100})
        triton_kernels.INTERPRETED = False
        self.addCleanup(setattr, triton_kernels, "INTERPRETED", True)
        self.assertEqual(triton_kernels.offers(problem), [])


if __name__ == "__main__":
    unittest.main()

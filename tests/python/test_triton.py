"""Triton's kernels, ours and Liger's: all that they offer, against answers in double. Without a GPU, in Triton's interpreter."""

import os
import unittest
from unittest import mock

import problems

if problems.DEVICE == "cpu":
    os.environ["TRITON_INTERPRET"] = "1"  # before Triton is imported

from test_torch import check_all, families_that_name

import liger
import triton_kernels
from triton_kernels import tl


class Number(float):
    """A float for a kernel: the interpreter leaves it a Python number, the compiler makes it a value with .to."""

    def to(self, _):
        return self


def can_run(problem):
    """The interpreter cuts floats to bf16 instead of rounding them, and multiplies their bits."""
    return problems.DEVICE != "cpu" or problem.type != "bf16"


class Triton(unittest.TestCase):
    def test_ours(self):
        families = check_all(self, triton_kernels, can_run)
        self.assertEqual(families, families_that_name("triton"))

    def test_liger(self):
        if problems.DEVICE != "cpu":
            self.assertEqual(check_all(self, liger), families_that_name("liger"))
            return
        # The interpreter knows no functions of libdevice.
        rsqrt, also = (mock.patch.object(module, "rsqrt", lambda x: tl.rsqrt(x))
                       for module in (liger.rms_norm, liger.layer_norm))
        with rsqrt, also, mock.patch.object(liger, "OFFSET", Number(0.0)):
            families = check_all(self, liger, can_run, scalar=Number)
        self.assertEqual(families, families_that_name("liger"))

    def test_it_needs_a_gpu_or_the_interpreter(self):
        problem = problems.Problem("vector_add", "add", "f32", {"n": 100})
        with mock.patch.object(triton_kernels, "INTERPRETED", False):
            self.assertEqual(triton_kernels.offers(problem), [])


if __name__ == "__main__":
    unittest.main()

"""kz bench with PyTorch beside its own kernels, on the cpu device: the runner, the sampler and the check, for real."""

import json
import os
import subprocess
import sys
import unittest

import problems

KZ = os.environ.get("KZ", problems.ROOT + "/build/release/bin/kz")


class Bench(unittest.TestCase):
    def bench(self, *arguments):
        command = [KZ, "bench", *arguments, "--device", "cpu", "--time", "0.3", "--no-save", "--json"]
        environment = {**os.environ, "KZ_PYTHON": sys.executable}
        done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True)
        self.assertIn(done.returncode, (0, 7))  # 7: a busy machine, and so no figure that settled
        return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]

    def test_torch_is_timed_and_right(self):
        case = ["--case", "gemm-f32-m64-n64-k64-uniform"]
        records = self.bench("sgemm/18_cpu_simd", *case, "--rivals", "torch", "--rivals", "torch_compile")
        for rival in ("torch", "torch_compile"):
            mine = {record["mode"]: record for record in records if record["candidate"]["by"] == rival}
            self.assertEqual(set(mine), {"latency", "throughput"})
            for record in mine.values():
                self.assertTrue(record["candidate"]["version"])
                self.assertEqual({check["status"] for check in record["check"].values() if check}, {"right"})
            self.assertGreater(mine["latency"]["statistics"]["median_s"], 0)


if __name__ == "__main__":
    unittest.main()

"""The runner without a device: what it asks of PyTorch and of libkz_runner, in which order."""

import unittest
from unittest import mock

import problems  # noqa: F401, finds the runner

import runner


class Runner(unittest.TestCase):
    def test_a_case_leaves_no_stream_behind(self):
        """The stream that was current ends with the case; the next case's prepare ran in it: context is destroyed."""
        asked = mock.Mock()
        served = object.__new__(runner.Runner)
        served.device, served.library = "cuda:0", asked.library
        with mock.patch.object(runner, "use_stream", asked.use_stream):
            served.done(None)
        self.assertEqual(asked.mock_calls, [mock.call.use_stream(0, "cuda:0"), mock.call.library.call("done")])


if __name__ == "__main__":
    unittest.main()

"""The runner where there is no GPU: which stream is current, and what is said of an exception."""

import builtins
import dis
import gc
import inspect
import os
import sys
import tempfile
import types
import unittest
from unittest import mock

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../peers/python"))

import runner  # noqa: E402
from provider import Buffers, Missing  # noqa: E402


def fake_torch(calls):
    cuda = types.SimpleNamespace(
        default_stream=lambda device: "default",
        ExternalStream=lambda handle, device: handle,
        set_stream=calls.append,
    )
    return types.SimpleNamespace(cuda=cuda)


class Streams(unittest.TestCase):
    def test_candidates_share_what_is_current(self):
        calls, torch = [], runner.Torch("cuda:0")
        first, second = (runner.Candidate(lambda i: None, torch) for _ in range(2))
        with mock.patch.dict(sys.modules, torch=fake_torch(calls)):
            for candidate, stream in ((first, 7), (first, 7), (second, 9), (first, 7), (first, None)):
                self.assertEqual(candidate.call(stream, 0), 0)
        self.assertEqual(calls, [7, 9, 7, "default"])

    def test_a_case_leaves_no_stream_behind(self):
        """The sampler's stream ends with the case; what PyTorch enqueued there later said: context is destroyed."""
        asked = mock.Mock()
        served = object.__new__(runner.Runner)
        served.device, served.torch, served.library = "cuda:0", asked.torch, asked.library
        served.done(None)
        self.assertEqual(asked.mock_calls[:2], [mock.call.torch.use_stream(0), mock.call.library.call("done")])

    def test_every_name_is_known(self):
        """A GPU's part of the runner runs on no machine of CI."""
        known = set(dir(builtins)) | set(dir(runner))
        used = set()
        codes = [compile(inspect.getsource(runner), "runner.py", "exec")]
        for code in codes:  # grows as it goes
            codes += [constant for constant in code.co_consts if inspect.iscode(constant)]
            used |= {i.argval for i in dis.get_instructions(code) if i.opname == "LOAD_GLOBAL"}
        self.assertEqual(used - known, set())


class Recorder:
    """libkz_runner of a GPU, as far as the runner sees it: a graph writes where it was recorded to, and calls nobody."""

    def __init__(self, candidate, sets, works=True):
        self.candidate, self.sets, self.works, self.graph = candidate, sets, works, []

    def call(self, name, *arguments):
        if name == "condition":
            for i in (0, *range(self.sets)):  # one that is not recorded comes first
                self.candidate.call(None, i)
            self.graph = [self.candidate.results[i] for i in range(self.sets)]
            arguments[-1]._obj.value = self.sets
        if name == "run" or name == "replay" and not self.graph:
            self.candidate.call(None, arguments[1].value if name == "replay" else 0)
        if name in ("sample", "replay") and self.works:
            for i, result in enumerate(self.graph):
                result[:] = [i]


class Deliveries(unittest.TestCase):
    """Results are lists of one number, -1 until they are there, and so are kz's outputs; an eager run gives 7."""

    SETS = 3

    def serve(self, works=True):
        def run(i):
            return [7]

        run.deliver = self.deliver
        served = object.__new__(runner.Runner)
        served.torch, served.problem = runner.Torch("cpu"), None
        self.candidate = runner.Candidate(run, served.torch)
        served.candidates, served.library = [self.candidate], Recorder(self.candidate, self.SETS, works)
        return served

    def deliver(self, i, result):
        self.outputs[i][:] = result
        result[:] = [-1]

    def ask(self, served, name, **more):
        self.outputs = [[None] for _ in range(self.SETS)]  # kz poisons them
        getattr(served, name)({"candidate": 0, "seed": 0, "set": 0, **more})
        return [only for (only,) in self.outputs]

    def record(self, served):
        self.addCleanup(gc.enable)
        self.ask(served, "condition", mode="throughput", cache="cold", stream="later", seconds=1e-5)

    def test_a_run_is_delivered(self):
        self.assertEqual(self.ask(self.serve(), "run"), [7, None, None])

    def test_single_runs(self):
        served = self.serve()
        for i in (2, 0):
            self.assertEqual(self.ask(served, "replay", set=i)[i], 7)

    def test_every_set_of_a_graph_is_delivered(self):
        served = self.serve()
        self.record(served)
        for _ in range(2):
            self.candidate.call(None, 0)  # hot caches: a run beside the graph
            self.assertEqual(self.ask(served, "replay"), [0, 1, 2])

    def test_what_the_graph_did_not_write_is_found(self):
        served = self.serve(works=False)
        self.record(served)  # where 7 lies by then
        self.assertEqual(self.ask(served, "replay"), [-1, -1, -1])

    def test_what_samples_left_is_found(self):
        served = self.serve()
        self.record(served)
        served.library.call("sample")
        self.candidate.call(None, 0)
        served.library.works = False
        self.assertEqual(self.ask(served, "replay"), [-1, -1, -1])

    def test_what_an_earlier_run_left_is_found(self):
        served, own = self.serve(), [7]
        self.candidate.run = lambda i: own  # and does nothing
        self.candidate.run.deliver = self.deliver
        self.candidate.call(None, 1)
        self.assertEqual(self.ask(served, "replay", set=1)[1], -1)

    def test_who_writes_in_place_keeps_nothing(self):
        candidate = runner.Candidate(lambda i: [7], runner.Torch("cpu"))
        candidate.call(None, 0)
        self.assertEqual(candidate.results, {})


class Failures(unittest.TestCase):
    def test_a_buffer_that_is_not_there_is_told_with_those_that_are(self):
        with self.assertRaisesRegex(LookupError, "^there is no buffer 'inn': this family has in, out$"):
            Buffers({"in": 1, "out": 2})["inn"]

    def test_a_provider_that_is_none_is_told_what_it_lacks(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "bare.py")
            with open(path, "w") as file:
                file.write("NAME = 'bare'\ndef offers(problem): return []\n")
            with self.assertRaisesRegex(AttributeError, "this one no version, prepare$"):
                runner.load(path)

    def test_what_it_gives_back_is_looked_at(self):
        served = object.__new__(runner.Runner)
        served.problem, served.sets, served.torch, served.library = None, [], mock.Mock(), mock.Mock()
        served.read_problem = lambda request: None
        served.provider = types.SimpleNamespace(offers=lambda problem: "sum", prepare=lambda *_: None)
        with self.assertRaisesRegex(TypeError, "a list of names, and gave 'sum'"):
            served.offers({})
        with self.assertRaisesRegex(TypeError, r"a function, run\(i\), and gave None"):
            served.prepare({"name": "sum"})

    def test_an_exception_is_a_line(self):
        said = [runner.describe(failure) for failure in (
            ValueError("one\ntwo"), RuntimeError("inductor raised:\n\nSyntaxError: no"), KeyError(), Missing("no fake"))]
        self.assertEqual([reply["why"] for reply in said], [
            "ValueError: one", "RuntimeError: inductor raised: SyntaxError: no", "KeyError", "no fake"])
        self.assertEqual([reply["kind"] for reply in said], ["failed", "failed", "failed", "missing"])

    def test_it_says_which_line_of_the_provider(self):
        def fails(i):
            return [][i]  # this line

        with open(__file__) as file:
            line = next(i for i, text in enumerate(file, 1) if "# this line" in text)
        try:
            fails(1)
        except IndexError as failure:
            own, other = runner.describe(failure, __file__), runner.describe(failure, "/mine.py")
        self.assertEqual(own["why"], f"IndexError: list index out of range (test_runner.py:{line})")
        self.assertEqual(other["why"], "IndexError: list index out of range")

    def test_one_does_not_leave_the_callback(self):
        candidate = runner.Candidate(lambda i: [][i], runner.Torch("cpu"))
        self.assertEqual(candidate.call(None, 3), 1)
        self.assertIsInstance(candidate.failure, IndexError)


if __name__ == "__main__":
    unittest.main()

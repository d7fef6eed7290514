"""The examples in docs/examples read what the program prints."""

import importlib.util
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

PROGRAM = sys.argv[1]
EXAMPLE = pathlib.Path(__file__).parents[2] / "docs" / "examples" / "draw_run.py"
COUNTERS = ("counters", "naive_uncoalesced", "--size", "64", "--block", "16", "--json")
TRACE = ("trace", "tiled", "--size", "8", "--block", "4", "--json")


def load_example():
    spec = importlib.util.spec_from_file_location("draw_run", EXAMPLE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def printed(*arguments):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, check=True, text=True).stdout


class DrawRun(unittest.TestCase):
    def test_sectors_are_those_of_the_counters(self):
        counters = json.loads(printed(*COUNTERS))
        rows = load_example().sectors_by_line(counters)
        self.assertEqual(
            sum(sectors for _, sectors, _ in rows), counters["total"]["global_loads"]["sectors"]
        )
        self.assertTrue(all(sectors >= ideal > 0 for _, sectors, ideal in rows))

    def test_reads_are_those_of_the_trace(self):
        reads = load_example().reads_by_statement(json.loads(printed(*TRACE)))
        self.assertEqual(sorted(reads), ["A", "As", "B", "Bs"])
        self.assertEqual(sum(reads["A"].values()), 2 * 16)  # two tiles of 4×4
        self.assertEqual(sum(reads["As"].values()), 2 * 4 * 16)  # four products per thread and tile

    def test_it_draws_bars_and_dots_with_what_it_read(self):
        figure, left, right = (unittest.mock.MagicMock() for _ in range(3))
        pyplot = unittest.mock.MagicMock()
        pyplot.subplots.return_value = (figure, (left, right))
        modules = {"matplotlib": unittest.mock.MagicMock(pyplot=pyplot), "matplotlib.pyplot": pyplot}
        with unittest.mock.patch.dict(sys.modules, modules):
            load_example().draw(json.loads(printed(*COUNTERS)), json.loads(printed(*TRACE)), "x.png")
        moved, ideal = (call.args[1] for call in left.bar.call_args_list)
        self.assertGreater(sum(moved), sum(ideal))
        self.assertEqual(right.scatter.call_count, 4)  # A, As, B, Bs
        self.assertEqual(right.axvline.call_count, 4)  # five phases
        figure.savefig.assert_called_once()

    def test_it_draws_a_picture(self):
        if importlib.util.find_spec("matplotlib") is None:
            self.skipTest("matplotlib is not installed")
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "c.json").write_text(printed(*COUNTERS))
            (folder / "t.json").write_text(printed(*TRACE))
            arguments = [str(folder / file) for file in ("c.json", "t.json", "run.png")]
            self.assertEqual(load_example().main(arguments), 0)
            png = (folder / "run.png").read_bytes()
            self.assertEqual(png[:8], b"\x89PNG\r\n\x1a\n")
            self.assertGreater(len(png), 20_000)

    def test_wrong_use_prints_how_to_use_it(self):
        run = subprocess.run([sys.executable, EXAMPLE], capture_output=True, check=False, text=True)
        self.assertEqual(run.returncode, 2)
        self.assertIn("tilestep counters", run.stderr)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])

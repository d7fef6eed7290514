"""The Python side of the wheel: `notebook_test.py PROGRAM [TEST…]`. The class Executed runs
docs/examples/tilestep.ipynb, which needs Python packages."""

import html as html_module
import importlib.util
import os
import pathlib
import re
import sys
import tempfile
import unittest
import unittest.mock
import urllib.parse
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).parents[2]
PACKAGES = ("nbclient", "nbformat", "ipykernel", "pandas")
os.environ["TILESTEP_PROGRAM"] = str(pathlib.Path(sys.argv.pop(1)).resolve())
os.environ["PYTHONPATH"] = str(ROOT / "python")
sys.path.insert(0, str(ROOT / "python"))

import tilestep  # noqa: E402
from tilestep import notebook, program  # noqa: E402
from tilestep.answers import Kernel  # noqa: E402

LAUNCH = "--size 8 --block 4"
SCALE = "__global__ void scale(float* x) { x[0] = y; }"


def pictures(html):
    """The SVGs of a shown run."""
    found = re.findall(r'src="data:image/svg\+xml,([^"]*)"', html)
    return [xml.etree.ElementTree.fromstring(urllib.parse.unquote(html_module.unescape(data))) for data in found]


class Answers(unittest.TestCase):
    def test_a_check_is_the_programs_json(self):
        self.assertTrue(tilestep.check("tiled", size=(8, 8, 8), block=4)["clean"])
        found = tilestep.check("tiled_missing_barrier", size=64, block=16)
        self.assertFalse(found["clean"])
        self.assertIn("race", found["findings"][0]["kind"])

    def test_counters_are_rows(self):
        counted = tilestep.counters("tiled", size=64, block=16, all_blocks=True)
        self.assertEqual(counted["method"]["name"], "full")
        self.assertEqual(len(counted.table("lines")), len(counted["lines"]))

    def test_timings_are_rows_of_numbers(self):
        rows = tilestep.timings("tiled", size=1024, page="block_size", alone=True)
        rows = rows if isinstance(rows, list) else rows.to_dict("records")
        fastest = min(rows, key=lambda row: row["median_ms"])
        self.assertEqual((fastest["kernel"], fastest["M"]), ("tiled", 1024))
        self.assertGreater(fastest["gflops"], 0)

    def test_wrong_input_is_the_programs_sentence(self):
        for wrong, sentence in (
            (lambda: tilestep.check("no_such_kernel"), "no_such_kernel"),
            (lambda: tilestep.check("tiled", nonsense=True), "no option or argument '--nonsense'"),
            (lambda: tilestep.check(SCALE), 'cell.cu:1:42: identifier "y" is undefined'),
            (lambda: notebook.magic(LAUNCH), "needs one kernel"),
            (lambda: notebook.magic(LAUNCH, "int i;"), "has no kernel"),
            (lambda: notebook.magic("tiled", SCALE), "the cell is the kernel"),
            (lambda: notebook.magic("tiled --phases no"), "--phases"),
            (lambda: notebook.magic("tiled --size '8"), "Close the quotation mark"),
        ):
            with self.assertRaises(tilestep.Mistake) as raised:
                wrong()
            self.assertIn(sentence, str(raised.exception))
            shown = raised.exception._render_traceback_()
            self.assertEqual(shown, [f"tilestep: {raised.exception}"])

    def test_the_compiler_is_that_of_the_dependency_unless_one_is_set(self):
        with tempfile.TemporaryDirectory() as folder:
            library = pathlib.Path(folder, "nvidia", "cu13", "lib")
            library.mkdir(parents=True)
            with unittest.mock.patch.object(sys, "path", [folder, *sys.path]):
                with unittest.mock.patch.dict(os.environ):
                    os.environ.pop("TILESTEP_NVRTC", None)
                    self.assertEqual(program.environment()["TILESTEP_NVRTC"], str(library))
                    os.environ["TILESTEP_NVRTC"] = "mine"
                    self.assertEqual(program.environment()["TILESTEP_NVRTC"], "mine")


class Shown(unittest.TestCase):
    def test_every_phase_is_a_picture_and_the_last_is_shown(self):
        run = notebook.magic(f"tiled {LAUNCH}")
        html = run._repr_html_()
        drawn = pictures(html)
        self.assertEqual(len(drawn), 6)  # the start and five phases
        self.assertIn('max="5" value="5"', html)
        hidden = [" hidden>" in image for image in re.findall("<img [^>]*>", html)]
        self.assertEqual(hidden, [True] * 5 + [False])
        texts = ["".join(drawn[2].itertext()), "".join(drawn[5].itertext())]
        self.assertIn("multiply tile 0", texts[0])
        self.assertIn("write back", texts[1])
        self.assertIn("No findings, and the result is correct.", html)
        self.assertIn("A[0][7] via As[0][3]", run.sum)
        self.assertNotIn("http://localhost", html)

    def test_render_draws_the_start_and_the_end_of_each_phase(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            kernel = Kernel("tiled", name)
            launch = ("render", *LAUNCH.split(), "--out", "x.svg")
            written = kernel.ask(*launch, "--phases", "9").split()
            self.assertEqual(written, [f"x-{i}.svg" for i in range(6)])
            for number, words in enumerate(("", "load tile 0", "multiply tile 0", "load tile 1")):
                self.assertIn(words, (folder / written[number]).read_text())
            kernel.ask(*launch, "--at", "phase-end:4")
            self.assertEqual((folder / "x.svg").read_text(), (folder / written[5]).read_text())
            self.assertEqual(kernel.ask(*launch, "--phases", "2").split(), written[:2])
            with self.assertRaisesRegex(tilestep.Mistake, "--at"):
                kernel.ask(*launch, "--phases", "2", "--at", "end")

    def test_options_of_the_stage_are_not_those_of_the_launch(self):
        run = tilestep.run("tiled", size=8, block=4, phases=2, theme="dark", focus_thread=5)
        self.assertEqual(len(run.pictures), 2)
        self.assertIn("thread (1,1)", run.sum)

    def test_a_race_is_named(self):
        html = notebook.magic(f"tiled_missing_barrier {LAUNCH}")._repr_html_()
        self.assertIn("no barrier orders the two", html)
        self.assertNotIn("No findings", html)


class Executed(unittest.TestCase):
    def setUp(self):
        missing = [name for name in PACKAGES if importlib.util.find_spec(name) is None]
        if missing:
            self.skipTest(f"needs the Python packages {', '.join(missing)}: scripts/packages-test.txt")

    def test_the_example_shows_what_its_text_says(self):
        import nbclient
        import nbformat

        example = nbformat.read(ROOT / "docs" / "examples" / "tilestep.ipynb", as_version=4)
        nbclient.NotebookClient(example, timeout=200).execute()
        if out := os.environ.get("TILESTEP_NOTEBOOK_OUT"):
            nbformat.write(example, out)
        outputs = [output for cell in example.cells for output in cell.get("outputs", ())]
        shown = [output["data"].get("text/html", "") for output in outputs if "data" in output]
        self.assertEqual([len(pictures(html)) for html in shown], [6, 4, 8, 0, 0])
        self.assertIn("No findings, and the result is correct.", shown[0])
        self.assertIn("no barrier orders the two", shown[1])
        self.assertIn("global_loads.sectors", shown[3])
        self.assertIn("gflops", shown[4])
        errors = [output for output in outputs if output["output_type"] == "error"]
        self.assertEqual(len(errors), 1)
        self.assertEqual(errors[0]["traceback"], ['tilestep: cell.cu:2:5: identifier "x" is undefined'])


if __name__ == "__main__":
    unittest.main()

"""What the program's commands print, as Python objects."""

import contextlib
import csv
import dataclasses
import json
import pathlib
import subprocess
import tempfile
import typing

from . import program

CELL = "cell.cu"


class Mistake(Exception):
    """Place, cause and cure of wrong input, as the program reports them."""

    def _render_traceback_(self):  # IPython's: the sentence without a traceback
        return [f"tilestep: {self}"]


class Answer(dict):
    """One JSON object of a command."""

    def table(self, key):
        """A list of objects as a pandas data frame; without pandas the list itself."""
        rows = self[key]
        try:
            import pandas
        except ModuleNotFoundError:
            return rows
        return pandas.json_normalize(rows)


def words(options):
    """Keywords as words of a command line."""
    result = []
    for name, value in options.items():
        for one in value if isinstance(value, list) else [value]:
            if one is None or one is False:
                continue
            result.append("--" + name.replace("_", "-"))
            if one is not True:
                result.append(",".join(map(str, one)) if isinstance(one, tuple) else str(one))
    return result


@dataclasses.dataclass
class Kernel:
    """A kernel as the program opens it: a name or a file, and the folder where commands run."""

    name: str
    folder: typing.Optional[str] = None

    def ask(self, command, *arguments):
        """Standard output of a command; raises Mistake."""
        try:
            done = subprocess.run(
                [program.path(), command, self.name, *arguments],
                cwd=self.folder,
                env=program.environment(),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                encoding="utf-8",
                check=False,
            )
        except OSError as error:
            raise Mistake(
                f"{program.path()} cannot be started: {error.strerror}. The wheel is for x86-64 Linux; "
                "reinstall it, or set TILESTEP_PROGRAM to a program of your own."
            ) from None
        # 1: it has findings; what check does not simulate is in its JSON
        if done.returncode not in (0, 1) and not done.stdout.strip():
            said = done.stderr.strip() or f"the program ended with status {done.returncode}."
            raise Mistake(said.removeprefix("tilestep: "))
        return done.stdout

    def answer(self, command, *arguments):
        """The JSON of a command."""
        return Answer(json.loads(self.ask(command, *arguments, "--json")))


@contextlib.contextmanager
def opened(kernel):
    """A Kernel. CUDA text is a file in a folder of its own for as long."""
    kernel = str(kernel)
    if "__global__" not in kernel:
        yield Kernel(kernel)
        return
    with tempfile.TemporaryDirectory(prefix="tilestep-") as folder:
        pathlib.Path(folder, CELL).write_text(kernel, encoding="utf-8")
        yield Kernel(CELL, folder)


def check(kernel, **options):
    """Findings of a kernel, and its result compared with the reference (docs/formats/check.md)."""
    with opened(kernel) as launch:
        return launch.answer("check", *words(options))


def counters(kernel, **options):
    """Counts of a launch (docs/formats/counters.md); table("lines"), table("accesses") and others."""
    with opened(kernel) as launch:
        return launch.answer("counters", *words(options))


def number(text):
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text


def timings(kernel="tiled", **options):
    """Measured times of a plot of `tilestep chart`, one row a point, as Answer.table returns rows."""
    with opened(kernel) as plotted, tempfile.TemporaryDirectory(prefix="tilestep-") as folder:
        file = pathlib.Path(folder, "points.csv")
        plotted.ask("chart", *words(options), "--out", str(file))
        with file.open(newline="", encoding="utf-8") as lines:
            rows = [{key: number(cell) for key, cell in row.items()} for row in csv.DictReader(lines)]
    return Answer(points=rows).table("points")

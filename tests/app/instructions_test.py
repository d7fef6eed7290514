#!/usr/bin/env python3
"""Counts the host instructions of common commands and of a window's start, and compares them with the table
"Instructions" of docs/benchmarks.md. A count differs by thousandths from run to run whatever else the machine does,
so what makes every command slower is seen on the day it lands. `instructions_test.py PROGRAM SOURCE_FOLDER`"""

import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

TOLERANCE = 0.1
SKIPPED = 77  # ctest's SKIP_RETURN_CODE
# The work of a window up to its first complete frame, except OpenGL, whose software renderer generates code for
# the CPU at hand.
WINDOW = (
    *("workspace::Workspace::Impl::Impl(*", "workspace::read_measurements(*", "workspace::SceneMaker::make(*"),
    *("platform::load_fonts(*", "ui::draw(*"),
)


def rows(document):
    """(command, figure in millions) of each row; the last column is what the tree takes now."""
    section = document.split("\n## Instructions\n")[1].split("\n## ")[0]
    return [
        (command, float(figure.replace(",", "")))
        for command, figure in re.findall(r"^\| `([^`]+)` .*\| \**([\d,.]+)\** \|$", section, re.MULTILINE)
    ]


def million_instructions(program, command, folder):
    words = [str(program), *shlex.split(command)]
    run = {"cwd": folder, "stdin": subprocess.DEVNULL, "capture_output": True, "text": True, "check": False}
    first = subprocess.run(words, **run)  # fills the compile cache
    if first.returncode != 0:
        sys.exit(f"{command}: exit status {first.returncode}\n{first.stdout}{first.stderr}")
    valgrind = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
    if words[1] == "render":
        valgrind += [f"--toggle-collect=tilestep::{function}" for function in WINDOW]
    counted = subprocess.run([*valgrind, *words], **run)
    found = re.search(r"Collected : (\d+)", counted.stderr)
    if counted.returncode != 0 or found is None:
        sys.exit(f"valgrind {command}: exit status {counted.returncode}\n{counted.stderr}")
    return int(found[1]) / 1e6


def main(program, source):
    if " avx2 " not in pathlib.Path("/proc/cpuinfo").read_text():
        print("The figures are those of a CPU with AVX2.")
        return SKIPPED
    # One core, because work that is distributed to several is counted in each.
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    table = rows((source / "docs" / "benchmarks.md").read_text())
    if not table:
        sys.exit('docs/benchmarks.md has no rows under "Instructions".')
    wrong = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for part in ("assets", "kernels"):
            (folder / part).symlink_to(source / part)
        for variable in ("DISPLAY", "WAYLAND_DISPLAY", "TILESTEP_SHARE"):
            os.environ.pop(variable, None)
        os.environ |= {"XDG_CACHE_HOME": f"{folder}/cache", "XDG_DATA_HOME": f"{folder}/data"}
        for command, figure in table:
            count = million_instructions(program, command, folder)
            print(f"{count:8.1f} M, in the table {figure:6.0f}  {command}", flush=True)
            if abs(count - figure) > TOLERANCE * figure:
                wrong.append(command)
    for command in wrong:
        print(
            f"{command}: more than {TOLERANCE:.0%} from the table. Look with callgrind_annotate for what has grown "
            "and mend it, or write the new figure into docs/benchmarks.md, Instructions."
        )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()))

#!/usr/bin/env python3
"""Draws every kernel of this folder: the end of its first phase, and of its run.

    tests/reproductions/shown.py PROGRAM

What cannot be recorded is refused with a sentence (exit status 2). Anything else is a fault of the
program's, a crash above all: the kernels here were written to trip it.
"""
import concurrent.futures
import os
import pathlib
import subprocess
import sys
import tempfile

FOLDER = pathlib.Path(__file__).resolve().parent
PLACES = ("phase-end:0", "end")
IN_ENGLISH = {**os.environ, "LC_ALL": "C.UTF-8"}  # whose sentences end with a full stop
PNG = b"\x89PNG\r\n\x1a\n"


def draw(program, folder, kernel, place):
    """Nothing where it was drawn or refused with a sentence; else what went wrong."""
    picture = pathlib.Path(folder) / f"{kernel.stem}-{place.replace(':', '-')}.png"
    run = subprocess.run([program, "render", kernel.name, "--at", place, "--pixels", "1280x720",
                          "--out", str(picture)], cwd=FOLDER, text=True, timeout=120, env=IN_ENGLISH,
                         stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    said = run.stderr.strip()
    if run.returncode == 2 and "tilestep: " in said and said.endswith("."):
        return "refused"
    if run.returncode == 0 and picture.is_file() and picture.read_bytes().startswith(PNG):
        return ""
    return f"{kernel.name} at {place}: exit {run.returncode}, {run.stderr.strip() or 'nothing said'}"


def main():
    program = os.path.abspath(sys.argv[1])
    kernels = [file for file in sorted(FOLDER.glob("*.cu")) if file.with_suffix(".toml").exists()]
    jobs = [(kernel, place) for kernel in kernels for place in PLACES]
    with tempfile.TemporaryDirectory() as folder, \
            concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        answers = list(pool.map(lambda job: draw(program, folder, *job), jobs))
    wrong = [answer for answer in answers if answer not in ("", "refused")]
    print("\n".join(wrong))
    print(f"{answers.count('')} of {len(jobs)} pictures drawn, {answers.count('refused')} refused")
    return 1 if wrong or answers.count("") < len(jobs) // 2 else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Runs the commands written in *.expected files and compares what they print.

    tests/reproductions/run.py PROGRAM [--update] [NAME…]

Each NAME.expected holds commands, lines that start with "$ tilestep", each followed by what it prints
(standard output, then standard error) and "exit STATUS" where that is not 0. They run in this folder,
so a case is a NAME.cu with its NAME.toml beside it. --update writes what is printed now.
"""
import concurrent.futures
import difflib
import os
import pathlib
import shlex
import subprocess
import sys

FOLDER = pathlib.Path(__file__).resolve().parent
IN_ENGLISH = {**os.environ, "LC_ALL": "C.UTF-8"}


def printed(program, command):
    run = subprocess.run([program, *shlex.split(command)[1:]], cwd=FOLDER, text=True, timeout=120,
                         env=IN_ENGLISH, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    text = run.stdout + run.stderr
    if text and not text.endswith("\n"):
        text += "\n"
    return f"$ {command}\n{text}" + (f"exit {run.returncode}\n" if run.returncode else "")


def now(program, file):
    commands = [line[2:] for line in file.read_text(encoding="utf-8").splitlines()
                if line.startswith("$ ")]
    if not commands:
        sys.exit(f"{file.name} has no command: write lines such as '$ tilestep check {file.stem}.cu'.")
    return "\n".join(printed(program, command) for command in commands)


def main():
    update = "--update" in sys.argv
    program, *names = [word for word in sys.argv[1:] if word != "--update"]
    files = sorted(FOLDER.glob("*.expected"))
    files = [file for file in files if not names or file.stem in names]
    if not files:
        sys.exit(f"there is no such case in {FOLDER}")
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        outputs = list(pool.map(lambda file: now(os.path.abspath(program), file), files))
    different = 0
    for file, text in zip(files, outputs):
        wanted = file.read_text(encoding="utf-8")
        if text == wanted:
            continue
        different += 1
        if update:
            file.write_text(text, encoding="utf-8")
        else:
            sys.stdout.writelines(difflib.unified_diff(
                wanted.splitlines(True), text.splitlines(True), file.name, "now"))
    print(f"{len(files)} cases, {different} {'written' if update else 'different'}")
    return 1 if different and not update else 0


if __name__ == "__main__":
    sys.exit(main())

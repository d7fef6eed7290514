#!/usr/bin/env python3
"""clang-tidy on our own sources, with the checks of .clang-tidy; any finding fails.

    scripts/tidy.py                 every source the dev build compiles
    scripts/tidy.py app/ptx/ …      only what contains one of these

The sources are looked at as the build compiles them, several as one. What was found clean is kept
(~/.cache/tilestep/tidy) under a hash of the preprocessed text, the checks and clang-tidy's version, so
a second run looks at what has changed. Paths in the text are taken from the repository on: a result
serves every checkout.
"""

import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = pathlib.Path(os.environ.get("TILESTEP_BUILD", ROOT / "build/dev"))
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache")) / "tilestep/tidy"
OURS = ("app", "tests", "benchmarks")


def entries(patterns):
    """What the build compiles of ours, as (source, arguments without compiler and output)."""
    database = BUILD / "compile_commands.json"
    if not database.is_file():
        sys.exit(f"tilestep: no {database}: run cmake --preset dev first.")
    wanted = tuple(str(ROOT / pattern) for pattern in patterns)
    for entry in json.loads(database.read_text(encoding="utf-8")):
        source = entry["file"]
        if not contained(source).startswith(tuple(str(ROOT / folder) for folder in OURS)):
            continue
        if any(name in contained(source) for name in wanted):
            words = shlex.split(entry["command"])
            compiler = next(i for i, word in enumerate(words) if word.endswith(("++", "cc", "clang")))
            yield source, entry["directory"], words[compiler:]


def contained(source):
    """The paths of the sources that a source of several includes; of others, its own."""
    if "/Unity/" not in source:
        return source
    text = pathlib.Path(source).read_text(encoding="utf-8")
    return "\n".join(re.findall(r'^#include "([^"]+\.cpp)"', text, re.MULTILINE))


def without_output(words):
    out = list(words)
    for flag in ("-o", "-MF", "-MT"):
        if flag in out:
            at = out.index(flag)
            del out[at : at + 2]
    return [word for word in out if word not in ("-c", "-MD")]


def key(entry, configuration):
    source, directory, words = entry
    command = [*without_output(words), "-E", "-C"]
    text = subprocess.run(command, cwd=directory, capture_output=True, check=True).stdout
    digest = hashlib.sha256(configuration)
    digest.update(text.replace(str(ROOT).encode(), b""))
    return digest.hexdigest()


def pinned_clang_tidy():
    fetch = str(ROOT / "third_party/fetch.sh")
    subprocess.run([fetch, "clang-tidy"], check=True)
    folder = subprocess.run([fetch, "--path", "clang-tidy"], capture_output=True, text=True, check=True).stdout
    return f"{folder.strip()}/clang_tidy/data/bin/clang-tidy"


def look(entry, configuration, clang_tidy):
    """Findings in one source (several, compiled as one); whether they were looked for."""
    try:
        clean = CACHE / key(entry, configuration)
    except subprocess.CalledProcessError as error:
        return error.stderr.decode(), True
    if clean.exists():
        clean.touch()
        return "", False
    command = [clang_tidy, "-quiet", "-p", str(BUILD), entry[0]]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode == 0:
        clean.parent.mkdir(parents=True, exist_ok=True)
        clean.touch()
        return "", True
    return result.stdout + result.stderr, True


def forget_old(most=4000):
    kept = sorted(CACHE.glob("*"), key=lambda path: path.stat().st_mtime, reverse=True)
    for path in kept[most:]:
        path.unlink()


def main(patterns):
    clang_tidy = pinned_clang_tidy()
    version = subprocess.run([clang_tidy, "--version"], capture_output=True, check=True).stdout
    configuration = version + (ROOT / ".clang-tidy").read_bytes()
    work = list(entries(patterns or OURS))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(lambda entry: look(entry, configuration, clang_tidy), work))
    forget_old()
    looked = sum(was_looked for _, was_looked in results)
    findings = [text for text, _ in results if text]
    if not findings:
        print(f"tilestep: clang-tidy found nothing in {len(work)} compiled sources, {looked} of them new.")
        return 0
    print(*findings, sep="\n")
    lines = {line for text in findings for line in text.splitlines() if re.search(r": (warning|error):", line)}
    print("tilestep: clang-tidy found:", *sorted(lines), sep="\n", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

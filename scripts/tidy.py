#!/usr/bin/env python3
"""clang-tidy on our own sources, with the checks of .clang-tidy; any finding fails.

    scripts/tidy.py                 what has changed since the commit of scripts/tidy_clean.txt
    scripts/tidy.py app/ptx/ …      only what contains one of these
    scripts/tidy.py --all           everything; if it is clean, writes HEAD to scripts/tidy_clean.txt

A header without a source of its name is looked at by itself, so it is shown to compile alone. Sources
that the build compiles as one (TILESTEP_UNITY) are looked at as one if several of them have changed:
their headers are read once. What was found clean is kept (~/.cache/tilestep/tidy) under a hash of the
preprocessed text, the checks and clang-tidy's version, so a second run looks at what has changed. Paths in
the text are taken from the repository on: a result serves every checkout.
"""

import collections
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
OURS = ("app/", "tests/", "benchmarks/")
CLEAN = ROOT / "scripts/tidy_clean.txt"
MANY = 4  # changed sources of a unit from which on the unit is looked at


def git(*words):
    result = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    return result.stdout if result.returncode == 0 else None


def changed_files():
    """What differs from the commit that was clean, as paths below the root; None: that is not known."""
    clean = CLEAN.read_text(encoding="utf-8").strip() if CLEAN.is_file() else ""
    changed = git("diff", "--name-only", clean, "--") if clean else None
    untracked = git("ls-files", "--others", "--exclude-standard")
    return None if changed is None or untracked is None else [*changed.split(), *untracked.split()]


def commands():
    """How the build compiles each of our sources: path to (folder, arguments without the source and the output, the
    source of several includes that has it, or None)."""
    database = BUILD / "compile_commands.json"
    if not database.is_file():
        sys.exit(f"tilestep: no {database}: run cmake --preset dev first.")
    found = {}
    for entry in json.loads(database.read_text(encoding="utf-8")):
        words = shlex.split(entry["command"])
        compiler = next(i for i, word in enumerate(words) if word.endswith(("++", "cc", "clang")))
        words = [word for word in without_output(words[compiler:]) if word != entry["file"]]
        for source in contained(entry["file"]):
            if source.is_relative_to(ROOT):
                unit = entry["file"] if is_unit(entry["file"]) else None
                found[source.relative_to(ROOT).as_posix()] = entry["directory"], words, unit
    return found


def is_unit(source):
    """Whether the build wrote this source, which includes several of ours."""
    return "/Unity/" in source


def contained(source):
    """The sources that a source of several includes; of others, itself."""
    if not is_unit(source):
        return [pathlib.Path(source)]
    text = pathlib.Path(source).read_text(encoding="utf-8")
    return [pathlib.Path(path) for path in re.findall(r'^#include "([^"]+\.cpp)"', text, re.MULTILINE)]


def entries(patterns, everything):
    """What is to be looked at, sources or units, as (path, folder, arguments)."""
    sources = commands()
    paths = [path for path in sources if path.startswith(OURS)]
    for header in sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "app").rglob("*.h")):
        room = "/".join(header.split("/")[:2]) + "/"
        of_room = next((path for path in paths if path.startswith(room)), None)
        if header.removesuffix(".h") + ".cpp" not in sources and of_room:
            sources[header] = (*sources[of_room][:2], None)
            paths.append(header)
    if patterns:
        paths = [path for path in paths if any(pattern in path for pattern in patterns)]
    elif not everything and (changed := changed_files()) is not None:
        own = {path.removesuffix(".h") + ".cpp" for path in changed if path.endswith(".h")}
        paths = [path for path in paths if path in changed or path in own]
    of_unit = collections.Counter(sources[path][2] for path in paths)
    work = {}
    for path in paths:
        directory, words, unit = sources[path]
        looked_at = unit if unit and not patterns and of_unit[unit] >= MANY else path
        work[looked_at] = directory, words
    return [(path, *how) for path, how in work.items()]


def without_output(words):
    out = list(words)
    for flag in ("-o", "-MF", "-MT"):
        if flag in out:
            at = out.index(flag)
            del out[at : at + 2]
    return [word for word in out if word not in ("-c", "-MD", "-Werror") and not word.startswith("--param")]


def key(entry, configuration):
    path, directory, words = entry
    command = [*words, "-w", "-E", "-C", "-x", "c++", str(ROOT / path)]
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
    """Findings in one source; whether they were looked for."""
    try:
        clean = CACHE / key(entry, configuration)
    except subprocess.CalledProcessError as error:
        return error.stderr.decode(), True
    if clean.exists():
        clean.touch()
        return "", False
    path, directory, words = entry
    sources = ["-header-filter=/(app|tests|benchmarks)/.*[.](h|cpp)$"] if is_unit(path) else []
    command = [clang_tidy, "-quiet", *sources, str(ROOT / path), "--", *words[1:], "-x", "c++"]
    result = subprocess.run(command, cwd=directory, capture_output=True, text=True, check=False)
    if result.returncode == 0:
        clean.parent.mkdir(parents=True, exist_ok=True)
        clean.touch()
        return "", True
    return result.stdout + result.stderr, True


def forget_old(most=4000):
    kept = sorted(CACHE.glob("*"), key=lambda path: path.stat().st_mtime, reverse=True)
    for path in kept[most:]:
        path.unlink()


def main(arguments):
    everything = "--all" in arguments
    clang_tidy = pinned_clang_tidy()
    version = subprocess.run([clang_tidy, "--version"], capture_output=True, check=True).stdout
    configuration = version + (ROOT / ".clang-tidy").read_bytes()
    work = entries([word for word in arguments if word != "--all"], everything)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(lambda entry: look(entry, configuration, clang_tidy), work))
    forget_old()
    looked = sum(was_looked for _, was_looked in results)
    findings = [text for text, _ in results if text]
    if not findings:
        print(f"tilestep: clang-tidy found nothing in {len(work)} sources, {looked} of them new.")
        if everything:
            CLEAN.write_text(git("rev-parse", "HEAD") or "", encoding="utf-8")
        return 0
    print(*findings, sep="\n")
    lines = {line for text in findings for line in text.splitlines() if re.search(r": (warning|error):", line)}
    print("tilestep: clang-tidy found:", *sorted(lines), sep="\n", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

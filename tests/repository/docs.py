"""The rules for Markdown files, and for what any text says about files of this repository."""

import importlib.util
import pathlib
import re

import rooms

FOLDERS = ("docs", "assets", "third_party", "kernels", "app", "tests", "scripts")
COLUMNS = 160
SOURCES = (".h", ".cpp", ".cu", ".py", ".sh", ".cmake", ".toml", ".md", ".frag", ".vert")
TOP = ("app", "assets", "benchmarks", "cmake", "docs", "kernels", "scripts", "shaders", "tests", "third_party")

# Headers that docs name and that are not ours.
FOREIGN = ("cuda_occupancy.h", "helper.h", "includes.h", "stdio.h")


def texts(root):
    """Our Markdown files as (relative path, text), sorted."""
    found = [root / "README.md"] if (root / "README.md").is_file() else []
    for folder in FOLDERS:
        found += sorted((root / folder).rglob("*.md"))
    for path in found:
        yield path.relative_to(root).as_posix(), path.read_text(encoding="utf-8")


def docs_columns(root):
    """Markdown can be read in a terminal: at most 160 columns, but for table rows and addresses."""
    for path, text in texts(root):
        for number, line in enumerate(text.splitlines(), 1):
            if len(line) > COLUMNS and not line.startswith("|") and "://" not in line:
                yield f"{path}:{number}: {len(line)} columns; break the line, {COLUMNS} are allowed"


def slug(heading):
    """A heading's anchor, as GitHub makes it."""
    words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
    return re.sub(r"[^\w\- ]", "", words).strip().replace(" ", "-")


def anchors(text):
    return {slug(match[1]) for match in re.finditer(r"^#+ (.*)$", text, re.MULTILINE)}


def broken_link(root, path, target):
    """What is wrong with a link of `path`, or None."""
    name, _, anchor = target.partition("#")
    if str(path).startswith("assets/lessons/") and not name and "=" in anchor:
        return None  # changes the stage: `tilestep lesson check` checks it
    file = (root / path).parent / name if name else root / path
    if not file.exists():
        return f"no such file: {target}"
    if anchor and anchor not in anchors(file.read_text(encoding="utf-8")):
        return f"no such heading: {target}"
    return None


def resolved(root, name):
    """The files that a doc may mean by `name`: a path from the root or from app/, or a bare name."""
    if "/" not in name:
        return [file for folder in TOP for file in sorted((root / folder).rglob(name))]
    wanted = [root / name, root / "app" / name]
    return [file for file in wanted if file.exists()]


def sources_under(folder):
    """What a doc may mean by `app/ui: kActions`, which says the folder and not the file."""
    return [file for file in sorted(folder.rglob("*.*")) if file.suffix in SOURCES]


def holds(files, symbol):
    return any(re.search(rf"\b{re.escape(symbol)}\b", file.read_text(encoding="utf-8")) for file in files)


def missing(root, quoted):
    """What a quoted word of a doc names and the tree has not, or None."""
    in_folder = re.fullmatch(r"([\w-]+/[\w/-]+): ([\w.]+)", quoted)
    if in_folder and in_folder[1].split("/")[0] in TOP:
        folder = root / in_folder[1]
        return None if holds(sources_under(folder), in_folder[2]) else f"{in_folder[1]} has no {in_folder[2]}"
    words = re.fullmatch(r"([\w./-]+\.\w+): ([\w.]+)(\(\))?", quoted)
    name = words[1] if words else quoted
    if "NAME" in name:
        return None  # a file that the reader adds
    if re.fullmatch(r"[\w./-]+", name) and "/" in name:
        first = name.split("/")[0]
        if first in TOP or (first in rooms.ROOMS and pathlib.PurePath(name).suffix in SOURCES):
            if not resolved(root, name):
                return f"no such file: {name}"
    elif re.fullmatch(r"[\w-]+\.(h|cpp)", name) and name not in FOREIGN and not resolved(root, name):
        return f"no such file: {name}"
    if words and not holds(resolved(root, name), words[2]):
        return f"{name} has no {words[2]}"
    scoped = re.match(r"(\w+)::(\w+)", quoted)
    if scoped and scoped[1] in rooms.ROOMS:
        folder = root / "app" / scoped[1]
        if not holds([file for file in folder.rglob("*.[hc]*") if file.suffix in (".h", ".cpp")], scoped[2]):
            return f"room {scoped[1]} has no {scoped[2]}"
    return None


def docs_name_what_exists(root):
    """Files, headings and symbols that docs name exist: `app/simt/state/event.h`,
    `simt/state/event.h`, `event.h`, `event.h: Observer`, `app/simt: Observer`, `simt::Observer`."""
    for path, text in texts(root):
        plain = re.sub(r"^```.*?^```", lambda block: "\n" * block[0].count("\n"), text, flags=re.MULTILINE | re.DOTALL)
        for match in re.finditer(r"\]\(([^)\s]+)\)|`([^`\n]+)`", plain):
            line = plain.count("\n", 0, match.start()) + 1
            if match[1]:
                reason = None if "://" in match[1] else broken_link(root, path, match[1])
            else:
                reason = missing(root, match[2])
            if reason:
                yield f"{path}:{line}: {reason}"


def readme_table(root):
    """README.md's table of kernels is what scripts/readme_table.py makes of the recorded timings."""
    script = pathlib.Path(__file__).parents[2] / "scripts" / "readme_table.py"
    spec = importlib.util.spec_from_file_location("readme_table", script)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    if (root / "README.md").read_text(encoding="utf-8") != module.rewritten(root):
        yield "README.md:1: run scripts/readme_table.py"


RULES = {
    "docs_columns": docs_columns,
    "docs_name_what_exists": docs_name_what_exists,
    "readme_table": readme_table,
}

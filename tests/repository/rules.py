#!/usr/bin/env python3
"""The rules of the source tree that a program can check. `rules.py RULE ROOT` prints what breaks
RULE, one place a line, and exits 1 if anything does."""

import pathlib
import re
import subprocess
import sys

import docs
import rooms

OURS = ("app", "tests", "benchmarks", "cmake", "kernels", "scripts", "shaders", "third_party", ".ci")
CPP = (".h", ".cpp")
TEXT = (*CPP, ".cu", ".glsl", ".vert", ".frag", ".py", ".sh", ".cmake")

LIKE_C = (*CPP, ".cu", ".glsl", ".vert", ".frag")
COMMENT_OF_C = re.compile(r"(?:(?<=\s)|^)//[/!]? ?(.*)$")
COMMENT_OF_SCRIPT = re.compile(r"(?:(?<=\s)|^)#+!? ?(.*)$")
NAMED_FILE = re.compile(r"(?<![\w</])([\w./-]*\w\.(?:h|cpp|md))\b(?!>)")
UNPLAIN = re.compile(
    r"\b(stand|stands|stood|standing|come|comes|came|coming|tell|tells|told|telling|lives|lived)\b(?! for\b)", re.I
)
OPENINGS = re.compile(r"(?:Of|Which|That|Whose)\b")

# Headers that comments name and that are not ours.
FOREIGN = (
    *docs.FOREIGN, "cblas.h", "cuda.h", "cuda_bf16.h", "cuda_fp16.h", "cuda_pipeline.h", "cuda_runtime.h",
    "helper_cuda.h", "sort.h", "unistd.h", "x.h",
)


def files(root, folders=OURS, suffixes=TEXT):
    """Our files below `root` as (relative path, text), sorted."""
    for folder in folders:
        for path in sorted((root / folder).rglob("*")):
            if path.is_file() and (path.suffix in suffixes or path.name == "CMakeLists.txt"):
                yield path.relative_to(root).as_posix(), path.read_text(encoding="utf-8")
    top = root / "CMakeLists.txt"
    if top.is_file() and ".cmake" in suffixes:
        yield "CMakeLists.txt", top.read_text(encoding="utf-8")


def lines_matching(text, pattern):
    for match in re.finditer(pattern, text, re.MULTILINE):
        yield text.count("\n", 0, match.start()) + 1, match


def include_rule(path, target, quoted):
    """Why `path` may not include `target`, or None."""
    room = path.split("/")[1]
    if room not in rooms.ROOMS:
        return f"{room} is no room: add it to tests/repository/rooms.py"
    if not quoted:
        if any(re.search(pattern, target) for pattern in rooms.FORBIDDEN[room]):
            return f"{room} must not know <{target}>"
        return None
    if "/" not in target:
        return f'write "{room}/{target}": includes start at app/'
    other = target.split("/")[0]
    if other == room:
        return wing_rule(path, target)
    if other in rooms.ROOMS[room]:
        return None
    return f'{room} must not know {other} ("{target}")'


def wing_rule(path, target):
    """Why `path` may not include `target` of its own room, or None."""
    wing = path.removeprefix("app/").rpartition("/")[0]
    other = target.rpartition("/")[0]
    if wing == other:
        return None
    for folder in (wing, other):
        if "/" in folder and folder not in rooms.WINGS:
            return f"{folder} is no wing: add it to tests/repository/rooms.py"
    if other in rooms.WINGS.get(wing, [other]):
        return None
    return f'{wing} must not know {other} ("{target}")'


def includes(root):
    """Rooms include only what stands left of them (docs/architecture.md)."""
    for path, text in files(root, ("app",), CPP):
        if path.count("/") < 2:
            continue  # main.cpp and other programs belong to no room
        for line, match in lines_matching(text, r'^[ \t]*#[ \t]*include\s*([<"])([^">]+)[">]'):
            reason = include_rule(path, match[2], match[1] == '"')
            if reason:
                yield f"{path}:{line}: {reason}"


def headers_listed(root):
    """What another room includes is public: it stands under HEADERS, where the compile-alone test
    finds it."""
    for path, text in files(root, ("app",), CPP):
        for line, match in lines_matching(text, r'^[ \t]*#[ \t]*include\s*"(\w+)/([^"]+)"'):
            room, name = match[1], match[2]
            declared = root / "app" / room / "CMakeLists.txt"
            if room == path.split("/")[1] or not declared.is_file():
                continue
            if name not in declared.read_text(encoding="utf-8").replace(")", " ").split():
                yield f"{path}:{line}: add {name} to HEADERS in app/{room}/CMakeLists.txt"


def stem_of_header(source, headers):
    """The header that a source implements: of its name, or of its name's beginning up to a `_`."""
    folder, _, name = source.removesuffix(".cpp").rpartition("/")
    while name:
        if f"{folder}/{name}.h" in headers:
            return f"{folder}/{name}.h"
        name = name.rpartition("_")[0]
    return None


def sources_named(root):
    """A header is implemented where its name says: `machine.h` in machine.cpp and machine_*.cpp."""
    paths = [path for path, _ in files(root, ("app",), CPP)]
    headers = {path for path in paths if path.endswith(".h")}
    for path in paths:
        if not path.endswith(".cpp") or path.count("/") < 2:
            continue  # programs: main.cpp and its neighbours
        if stem_of_header(path, headers) is None:
            yield f"{path}:1: no header has its name, nor the beginning of its name before a `_`"


def own_header_first(root):
    """The first include of a source is the header of its name: so compiling it has shown that the
    header stands alone."""
    texts = dict(files(root, ("app",), CPP))
    for path, text in texts.items():
        header = path.removesuffix(".cpp") + ".h"
        if not path.endswith(".cpp") or header not in texts:
            continue
        first = re.search(r'^[ \t]*#[ \t]*include\s*[<"]([^">]+)', text, re.MULTILINE)
        if first is None or f"app/{first[1]}" != header:
            yield f'{path}:1: include "{header.removeprefix("app/")}" first'


def unused_using(root):
    """A `using a::b;` of a source is used in it (clang-tidy looks at several sources at once, and
    there it does not tell)."""
    for path, text in files(root, ("app", "tests", "benchmarks"), CPP):
        if not path.endswith(".cpp"):
            continue
        code = re.sub(r"//.*", "", text)
        for line, match in lines_matching(text, r"^[ \t]*using [\w:]+::(\w+);"):
            if len(re.findall(rf"\b{match[1]}\b", code)) < 2:
                yield f"{path}:{line}: nothing uses {match[1]}"


def file_size(root):
    """A file can be read in a sitting: at most 500 lines."""
    for path, text in files(root):
        count = len(text.splitlines())
        if count > 500:
            yield f"{path}:500: {count} lines; split it, 500 are allowed"


def no_glob(root):
    """CMake lists its sources: a globbed list goes stale without a word."""
    for path, text in files(root, suffixes=(".cmake",)):
        for line, _ in lines_matching(text, r"^[^#\n]*\bfile\s*\(\s*GLOB"):
            yield f"{path}:{line}: list the files instead of file(GLOB)"


# Global state that a process has once: the current language (docs/architecture.md).
KEEPS_STATE = ("app/problem/language.cpp",)


def source_habits(root):
    """No file-wide `using namespace`, no mutable static state in app/, no wordless TODO."""
    habits = (
        ("", r"^using namespace\b", "name what you use instead of `using namespace`"),
        (
            "app/",  # a test's fake C library can store its state only there
            r"^[ \t]+static (?!const\b|constexpr\b|inline\b|thread_local const\b)[^()=;{]*\w\s*(=|;|\{)",
            "no mutable static state: pass it in",
        ),
        ("", r"\b(TODO|FIXME|XXX)\b:?\s*$", "say what is to be done, or do it"),
    )
    for path, text in files(root, suffixes=CPP):
        if not path.endswith(CPP):
            continue
        for folder, pattern, reason in habits:
            if not path.startswith(folder) or (folder == "app/" and path in KEEPS_STATE):
                continue
            for line, match in lines_matching(text, pattern):
                yield f"{path}:{line}: {reason}: {match[0].strip()}"


# Files that show the text of an instruction to a person: in a fault, a finding, a table.
SHOWS_INSTRUCTION_TEXT = (
    "app/cli/run_command.cpp",
    "app/insight/check/checker.cpp",
    "app/insight/check/undefined_values.cpp",
    "app/insight/count/cost.cpp",
    "app/simt/exec/context.cpp",
    "app/simt/exec/control.cpp",
    "app/simt/exec/executors_bulk_copy.cpp",
    "app/simt/exec/matrix.cpp",
    "app/simt/exec/matrix_warpgroup.cpp",
    "app/simt/exec/control_paths.cpp",
    "app/simt/exec/executors_warp.cpp",
)


def decoded_once(root):
    """PTX is decoded once, by app/ptx/text: who wants to know what an instruction means reads the
    fields of ptx::Instruction; its text is for showing (docs/reading-ptx.md)."""
    for path, text in files(root, ("app",), CPP):
        if path.startswith("app/ptx/") or path in SHOWS_INSTRUCTION_TEXT or not path.endswith(CPP):
            continue
        code = re.sub(r"//.*", "", text)
        for line, match in lines_matching(code, r"\b(instruction_text|opcode_text|text_offset)\b"):
            yield f"{path}:{line}: read the instruction's fields instead of {match[1]}"


def formatting(root):
    """.clang-format decides."""
    sources = [root / path for path, _ in files(root, suffixes=CPP) if path.endswith(CPP)]
    if not sources:
        return
    command = ["clang-format", "--dry-run", "--Werror", *map(str, sources)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        bad = sorted(set(re.findall(r"^(.*?):\d+:\d+: error", result.stderr, re.MULTILINE)))
        for path in bad:
            yield f"{path}: run clang-format -i on it"
        if not bad:
            yield result.stderr


def comment_blocks(path, text):
    """Each comment of a file as (line, words): lines of comment below each other are one."""
    comment = COMMENT_OF_C if path.endswith(LIKE_C) else COMMENT_OF_SCRIPT
    line, said = 0, []
    for number, source in enumerate(text.splitlines(), 1):
        code = re.sub(r'"(?:\\.|[^"\\])*"', lambda literal: "_" * len(literal[0]), source)
        found = comment.search(code)
        alone = found and not code[: found.start()].strip()
        if said and not (alone and said[-1][0]):
            yield line, " ".join(words for _, words in said)
            said = []
        if found:
            line = line if said else number
            said.append((alone, source[found.start(1):].strip()))
    if said:
        yield line, " ".join(words for _, words in said)


def comments_plain(root):
    """Comments are written as docs/words.md says: nothing stands, comes, tells or lives; none opens
    with "Of", "Which", "That" or "Whose"."""
    for path, text in files(root, suffixes=LIKE_C):
        for line, words in comment_blocks(path, text):
            plain = re.sub(r'`[^`]*`|"[^"]*"', "", words)
            odd = UNPLAIN.search(plain)
            if odd:
                yield f"{path}:{line}: '{odd[0]}': name the relation (is, has, holds, reads, shows, arrives)"
            if OPENINGS.match(words):
                yield f"{path}:{line}: opens with '{words.split()[0]}': begin with the subject"


def comments_name_what_exists(root):
    """The sources and documents that comments name exist."""
    names = {pathlib.PurePosixPath(path).name for path, _ in files(root)}
    for path, text in files(root):
        if path.startswith("tests/repository/"):
            continue  # they break the rule on purpose
        for line, words in comment_blocks(path, text):
            for named in NAMED_FILE.findall(words):
                if "NAME" in named:
                    continue  # a file that the reader adds
                name = pathlib.PurePosixPath(named).name
                if named.endswith(".md"):
                    gone = not (root / named).exists() and not ((root / path).parent / named).exists()
                else:
                    gone = name not in names and name not in FOREIGN or "/" in named and docs.missing(root, named)
                if gone:
                    yield f"{path}:{line}: no such file: {named}"


RULES = {
    **docs.RULES,
    "comments_plain": comments_plain,
    "comments_name_what_exists": comments_name_what_exists,
    "includes": includes,
    "headers_listed": headers_listed,
    "sources_named": sources_named,
    "own_header_first": own_header_first,
    "unused_using": unused_using,
    "file_size": file_size,
    "no_glob": no_glob,
    "source_habits": source_habits,
    "decoded_once": decoded_once,
    "formatting": formatting,
}


def main(arguments):
    if len(arguments) != 2 or arguments[0] not in RULES:
        print(f"usage: rules.py {'|'.join(RULES)} ROOT", file=sys.stderr)
        return 2
    rule = RULES[arguments[0]]
    broken = list(rule(pathlib.Path(arguments[1])))
    print(*broken, sep="\n")
    if broken:
        print(f"{len(broken)} place(s) break the rule: {rule.__doc__}")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

#!/usr/bin/env python3
"""Writes docs/keys.md and docs/commands.md from the tables that the program uses.

  scripts/reference.py [PROGRAM]           rewrites what is between the markers of both pages
  scripts/reference.py --check [PROGRAM]   says which page is old; exit status 1 if one is

PROGRAM is build/dev/bin/tilestep where it is not given. Text outside of the markers is written by hand.
"""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
BEGIN, END = "<!-- written by scripts/reference.py -->\n", "<!-- end -->\n"


def rewritten(program, name):
    """The page docs/NAME.md as it should be."""
    text = (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8")
    command = [program, "--language", "en", "reference", name]
    made = subprocess.run(command, capture_output=True, check=True, text=True).stdout
    return re.sub(f"{BEGIN}.*?{END}", lambda _: f"{BEGIN}{made}\n{END}", text, flags=re.DOTALL)


def main(arguments):
    check = "--check" in arguments
    programs = [word for word in arguments if word != "--check"]
    program = pathlib.Path(programs[0] if programs else ROOT / "build/dev/bin/tilestep").resolve()
    old = 0
    for name in ("keys", "commands"):
        page = ROOT / "docs" / f"{name}.md"
        text = rewritten(program, name)
        if text == page.read_text(encoding="utf-8"):
            continue
        old += 1
        if check:
            print(f"docs/{name}.md: run scripts/reference.py")
        else:
            page.write_text(text, encoding="utf-8")
    return 1 if check and old else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

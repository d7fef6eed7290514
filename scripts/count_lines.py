#!/usr/bin/env python3
"""Counts code lines and files of each room of app/: what is neither blank nor a comment.

  scripts/count_lines.py [FOLDER]     default: app; --small N also names stems below N lines
"""
import argparse
import pathlib
import re

SOURCES = {".cpp", ".h", ".cu", ".cuh"}
BLOCK_COMMENT = re.compile(r"/\*.*?\*/", re.S)
MOST_SOURCES_OF_A_FOLDER = 30


def code_lines(path):
    text = BLOCK_COMMENT.sub("", path.read_text(encoding="utf-8"))
    lines = (line.strip() for line in text.splitlines())
    return sum(1 for line in lines if line and not line.startswith("//"))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?", default=None)
    parser.add_argument("--small", type=int, default=0)
    options = parser.parse_args()
    root = pathlib.Path(options.folder or pathlib.Path(__file__).resolve().parent.parent / "app")
    rooms, folders, stems = {}, {}, {}
    for path in sorted(p for p in root.rglob("*") if p.suffix in SOURCES):
        lines = code_lines(path)
        place = path.relative_to(root)
        room = place.parts[0] if len(place.parts) > 1 else "."
        files, total, small = rooms.get(room, (0, 0, 0))
        rooms[room] = (files + 1, total + lines, small + (lines < 25))
        if path.suffix == ".cpp":
            folders[place.parent] = folders.get(place.parent, 0) + 1
        stem = place.with_suffix("")
        stems[stem] = stems.get(stem, 0) + lines
    print(f"{'room':<12}{'files':>7}{'code lines':>12}{'below 25':>10}")
    for room, (files, lines, small) in rooms.items():
        print(f"{room:<12}{files:>7}{lines:>12,}{small:>10}")
    totals = [sum(column) for column in zip(*rooms.values())]
    print(f"{'all':<12}{totals[0]:>7}{totals[1]:>12,}{totals[2]:>10}")
    for folder, count in folders.items():
        if count > MOST_SOURCES_OF_A_FOLDER:
            print(f"{folder}: {count} sources, more than {MOST_SOURCES_OF_A_FOLDER}")
    for stem, lines in sorted(stems.items(), key=lambda item: item[1]):
        if lines < options.small:
            print(f"{lines:>6} {stem}")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Draws what Tilestep has counted and traced, with matplotlib.

    tilestep counters tiled --size 64 --block 16 --json > counters.json
    tilestep trace tiled --size 8,8,8 --block 4 --json > trace.json
    python3 draw_run.py counters.json trace.json run.png

The window's export panel (Ctrl+Shift+E) writes the same JSON. docs/formats.md says what is in it.
"""

import json
import pathlib
import sys

WRONG_USE = 2


def sectors_by_line(counters):
    """(line, sectors that its global loads move, the fewest that hold their bytes), by line."""
    rows = []
    for line in counters["lines"]:
        loads = line["global_loads"]
        if loads["requests"] > 0:
            rows.append((line["line"], loads["sectors"], loads["ideal_sectors"]))
    return sorted(rows)


def reads_by_statement(trace):
    """For each array the lanes that read it, as {array: {statement: lanes}}."""
    reads = {}
    for statement in trace["statements"]:
        for access in statement["accesses"]:
            if access["kind"] != "load":
                continue
            for lane in access["lanes"]:
                array = lane["element"].split("[")[0]
                count = reads.setdefault(array, {})
                count[statement["statement"]] = count.get(statement["statement"], 0) + 1
    return reads


def draw(counters, trace, file):
    """Two plots in one picture: sectors by line, and who reads what when."""
    import matplotlib

    matplotlib.use("Agg")  # files, no window
    from matplotlib import pyplot

    figure, (left, right) = pyplot.subplots(1, 2, figsize=(12, 4.5), layout="constrained")
    rows = sectors_by_line(counters)
    names = [f"line {line}" for line, _, _ in rows]
    left.bar(names, [sectors for _, sectors, _ in rows], label="sectors moved")
    left.bar(names, [ideal for _, _, ideal in rows], width=0.5, label="fewest possible")
    left.set_ylabel("sectors of 32 bytes")
    left.set_title(f"Global loads of {counters['kernel']}, BLOCK_SIZE {counters['block_size']}")
    left.legend()
    reads = reads_by_statement(trace)
    for row, (array, lanes) in enumerate(sorted(reads.items())):
        right.scatter(list(lanes), [row] * len(lanes), s=[4 * n for n in lanes.values()])
    right.set_yticks(range(len(reads)), sorted(reads))
    right.set_ylim(-0.7, len(reads) - 0.3)
    right.set_xlabel("statement")
    right.set_title(f"Reads of block {trace['block']}: the larger, the more lanes")
    for phase in trace["phases"][1:]:
        first = next(
            (s["statement"] for s in trace["statements"] if s["first_step"] >= phase["first_step"]),
            None,
        )
        if first is not None:
            right.axvline(first - 0.5, color="grey", linewidth=0.8)
    figure.savefig(file, dpi=150)


def main(arguments):
    if len(arguments) != 3:
        print(__doc__, file=sys.stderr)
        return WRONG_USE
    counters, trace = (json.loads(pathlib.Path(file).read_text()) for file in arguments[:2])
    try:
        draw(counters, trace, arguments[2])
    except ModuleNotFoundError as missing:
        print(f"{missing.name} is missing. Install it: pip install matplotlib.", file=sys.stderr)
        return WRONG_USE
    print(arguments[2])
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

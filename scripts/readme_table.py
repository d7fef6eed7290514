#!/usr/bin/env python3
"""Rewrites README.md's table of kernels from the recorded timings: `readme_table.py [ROOT]`.

Speed: the best BLOCK_SIZE, or the best of a kernel's instances, at 4096×4096×4096, median of the
samples on a flushed L2 cache. Only verified points count; kernels that are broken on purpose have
no speed. A note says what kernels on tensor cores have where rows are not aligned."""

import json
import pathlib
import statistics
import sys
import tomllib

DATA = "assets/timings/h200.json"
CATALOG = "kernels/catalog.toml"
SIZE = 4096
UNALIGNED = 1001  # rows of floats that are not aligned to 16 bytes
BROKEN = "Broken on purpose"
BEGIN = "<!-- kernels: written by scripts/readme_table.py -->\n"
END = "<!-- end of kernels -->\n"


def best_points(points, size):
    """By kernel: the fastest verified (GFLOP/s, BLOCK_SIZE, ran at full clock) at size cubed."""
    best = {}
    for point in points:
        cubed = point["M"] == point["N"] == point["K"] == size
        if not cubed or not point["verified"] or not point["samples_ms"]:
            continue
        gflops = 2 * size**3 / statistics.median(point["samples_ms"]) / 1e6
        found = (gflops, point["block_size"], not point.get("held_back_by"))
        best[point["kernel"]] = max(best.get(point["kernel"], found), found)
    return best


def share(ratio):
    """0.586 → "58.6%", with two digits after the point below 1%."""
    return f"{100 * ratio:.{1 if ratio >= 0.01 else 2}f}%"


def names(kernel):
    """What its points are called: the first instance has the kernel's own name."""
    others = kernel.get("instances", [])[1:]
    return [kernel["id"]] + [f"{kernel['id']}_{instance['name']}" for instance in others]


def fastest(kernel, best):
    """Of a kernel's instances; None: no verified point, or broken on purpose."""
    measured = [best[name] for name in names(kernel) if name in best]
    return None if kernel["family"] == BROKEN else max(measured, default=None)


def row(name, summary, point, cublas, mark=""):
    if point is None:
        return f"| {name} | – | – | – | {summary} |"
    gflops, block_size, full_clock = point
    speed = f"{gflops:,.0f}" + ("" if full_clock else " ¹")
    return f"| {name} | {speed} | {share(gflops / cublas)}{mark} | {block_size or '–'} | {summary} |"


def without_alignment(kernels, best):
    """The two lines of the note about kernels on tensor cores, at UNALIGNED cubed."""
    said = []
    for kernel in kernels:
        point = fastest(kernel, best)
        has = "cannot run" if point is None else f"has {share(point[0] / best['cublas'][0])} of cuBLAS"
        said.append(f"`{kernel['id']}` {has}")
    return [
        "² N and K are multiples of 4 here. Where they are not, rows are not aligned to 16 bytes:",
        f"at {UNALIGNED}×{UNALIGNED}×{UNALIGNED} " + ", ".join(said) + ".",
    ]


def table(root):
    """The lines between the markers, as one text."""
    data = json.loads((root / DATA).read_text(encoding="utf-8"))
    kernels = tomllib.loads((root / CATALOG).read_text(encoding="utf-8"))["kernel"]
    best = best_points(data["points"], SIZE)
    cublas = best["cublas"][0]
    about = data["provenance"]
    on_tensor_cores = [kernel for kernel in kernels if "arithmetic" in kernel]
    lines = [
        f"Speed on one {about['gpu']} at {SIZE}×{SIZE}×{SIZE} in float32, with the best BLOCK_SIZE of 1 to 32 and a flushed L2 cache",
        f"(driver {about['driver']}, cuBLAS {about['cublas']}, {about['date'][:10]}, [{DATA}]({DATA})).",
        "A dash: no BLOCK_SIZE, one block only, not timed, or broken on purpose. ¹ The power cap limited the GPU's clock.",
    ]
    if on_tensor_cores:
        lines += without_alignment(on_tensor_cores, best_points(data["points"], UNALIGNED))
    lines += [
        "",
        "| kernel | GFLOP/s | of cuBLAS | BLOCK_SIZE | idea |",
        "|---|--:|--:|--:|---|",
        row("cuBLAS", "`cublasSgemm`, TF32 off.", best["cublas"], cublas),
    ]
    for kernel in kernels:
        mark = " ²" if kernel in on_tensor_cores else ""
        lines.append(row(f"`{kernel['id']}`", kernel["summary"], fastest(kernel, best), cublas, mark))
    return "\n".join(lines) + "\n"


def rewritten(root):
    """README.md with the table as it should be."""
    text = (root / "README.md").read_text(encoding="utf-8")
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError("README.md lacks the two lines that scripts/readme_table.py writes between")
    return before + begin + "\n" + table(root) + "\n" + end + after


if __name__ == "__main__":
    top = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parents[1])
    (top / "README.md").write_text(rewritten(top), encoding="utf-8")

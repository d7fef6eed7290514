"""Tilestep in Python: the program's answers as objects, and `%%tilestep` in a notebook.

    import tilestep
    tilestep.run("tiled", size=8, block=4)                     # shown in a notebook
    tilestep.check("my_kernel.cu", size=64)["clean"]
    tilestep.counters("tiled", size=4096, block=16).table("lines")

A kernel is an id of the catalog, a .cu file, or CUDA text. Keywords are the program's options:
`focus_block=1` is `--focus-block 1`, `size=(8, 8, 4)` is `--size 8,8,4`, `all_blocks=True` is a flag,
and a list repeats an option.
"""

from .answers import Answer, Mistake, check, counters, timings
from .notebook import Run, load_ipython_extension, run

__all__ = ["Answer", "Mistake", "Run", "check", "counters", "load_ipython_extension", "run", "timings"]

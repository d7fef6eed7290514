"""A run as HTML for a notebook: the stage with a slider over its phases, findings, counters, the sum.

No server and no file: pictures are data addresses, and the slider's script is one line, so an
exported notebook works too.
"""

import html
import pathlib
import shlex
import tempfile

from .answers import Mistake, opened, words

# Options of the stage alone, which the other commands do not have: the option, its default.
STAGE = {
    "--phases": "24",
    "--pixels": "1100x760",
    "--theme": "light",
    "--focus-block": "0",
    "--focus-thread": "0",
    "--memory": None,
    "--volume": None,
}
SLIDE = "for(const[i,p]of[...this.parentNode.querySelectorAll('img')].entries())p.hidden=i!=this.value"
COUNTS = ("requests", "bytes", "sectors", "wavefronts", "bank_conflicts")
MEMORY = ("global_loads", "global_stores", "shared_loads", "shared_stores")
MARGIN = "padding:0 1em;text-align:right"


def by_option(line):
    """["--size", "8", "--memory"] → {"--size": ["8"], "--memory": []}, and the words before them."""
    first, found = [], []
    for word in line:
        if word.startswith("--"):
            found.append([word])
        else:
            (found[-1] if found else first).append(word)
    return first, found


def picture(svg, number, is_last):
    data = svg.replace("%", "%25").replace("#", "%23").replace('"', "'")
    hidden = "" if is_last else " hidden"
    return (
        f'<img src="data:image/svg+xml,{html.escape(data, quote=False)}" '
        f'alt="The stage after {number} phases" style="width:100%"{hidden}>'
    )


class Run:
    """A launch: `pictures` (SVG texts: the start, then the end of each phase), `check`, `counters`
    (answers.Answer) and `sum` (a text). A notebook shows it."""

    def __init__(self, kernel, line):
        _, options = by_option(line)
        launch = [word for option in options if option[0] not in STAGE for word in option]
        stage = {name: [name, default] for name, default in STAGE.items() if default}
        stage |= {option[0]: option for option in options if option[0] in STAGE}
        drawn = [word for option in stage.values() for word in option]
        with opened(kernel) as program, tempfile.TemporaryDirectory(prefix="tilestep-") as folder:
            self.check = program.answer("check", *launch)
            self.counters = program.answer("counters", *launch)
            self.sum = program.ask(
                *("sums", *launch, "--of-thread", *stage["--focus-thread"][1:]),
                *("--of-block", *stage["--focus-block"][1:]),
            )
            out = str(pathlib.Path(folder, "stage.svg"))
            files = program.ask("render", *launch, *drawn, "--stage-only", "--out", out)
            self.pictures = [
                pathlib.Path(file).read_text(encoding="utf-8") for file in files.splitlines()
            ]

    def __repr__(self):
        launch = "{kernel} {M}×{N}×{K}, BLOCK_SIZE {block_size}".format(**self.check)
        return f"{launch}: {len(self.check['findings'])} findings"

    def _repr_html_(self):
        last = len(self.pictures) - 1
        stage = "".join(picture(svg, i, i == last) for i, svg in enumerate(self.pictures))
        slider = (
            f'<input type="range" min="0" max="{last}" value="{last}" aria-label="Phase" '
            f'style="width:100%" oninput="{SLIDE}">'
        )
        parts = stage + slider + self._findings() + self._counts() + self._sum()
        return f'<div style="max-width:1100px">{parts}</div>'

    def _findings(self):
        sentences = [finding["sentence"] for finding in self.check["findings"]]
        wrong = [output for output in self.check["outputs"] if output["wrong"]]
        sentences += [f"{o['buffer']} is wrong: {o['wrong']} of {o['compared']} elements." for o in wrong]
        sentences += [*self.check["not_simulated"], *self.check["notes"], self.check["guessed"]]
        if self.check["clean"]:
            sentences.insert(0, "No findings, and the result is correct.")
        items = "".join(f"<li>{html.escape(sentence)}</li>" for sentence in sentences if sentence)
        return f"<ul>{items}</ul>"

    def _counts(self):
        total = self.counters["total"]
        head = "".join(f'<th style="{MARGIN}">{name.replace("_", " ")}</th>' for name in ("", *COUNTS))
        rows = ""
        for memory in MEMORY:
            counts = "".join(
                f'<td style="{MARGIN}">{total[memory][name]:,}</td>' if name in total[memory] else "<td></td>"
                for name in COUNTS
            )
            rows += f'<tr><th style="{MARGIN}">{memory.replace("_", " ")}</th>{counts}</tr>'
        return f"<details><summary>Counters</summary><table><tr>{head}</tr>{rows}</table></details>"

    def _sum(self):
        return f"<details><summary>Sum</summary><pre>{html.escape(self.sum)}</pre></details>"


def run(kernel, **options):
    """Executes a launch on the CPU. Options are those of the program's launch, and of the stage:
    phases, pixels, theme, focus_block, focus_thread, memory, volume."""
    return Run(kernel, words(options))


def magic(line, cell=None):
    """`%%tilestep --size 8 --block 4` over a kernel; `%tilestep tiled --size 8` for one of the catalog."""
    try:
        line = shlex.split(line)
    except ValueError as error:
        raise Mistake(f"%tilestep {line}: {error}. Close the quotation mark.") from None
    first, _ = by_option(line)
    if cell is None and len(first) != 1:
        raise Mistake("%tilestep needs one kernel before its options, for example: %tilestep tiled --size 8")
    if cell is not None and first:
        raise Mistake(f"%%tilestep {first[0]}: the cell is the kernel. Write options alone, or one % for {first[0]}.")
    if cell is not None and "__global__" not in cell:
        raise Mistake("The cell has no kernel: below %%tilestep write a __global__ function.")
    return Run(cell if cell is not None else first[0], line[len(first) :])


def load_ipython_extension(ipython):
    """`%load_ext tilestep`."""
    ipython.register_magic_function(magic, "line_cell", "tilestep")

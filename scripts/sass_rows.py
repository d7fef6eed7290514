#!/usr/bin/env python3
"""Rows of tests/ptx/sass_recorded.csv, from what nvdisasm (CUDA Binary Utilities) lists.

    TILESTEP_CUBINS=FOLDER test_ptx --gtest_also_run_disabled_tests --gtest_filter='*WrittenToAFolder'
    python3 scripts/sass_rows.py FOLDER > tests/ptx/sass_recorded.csv
    python3 scripts/sass_rows.py FOLDER --forms > tests/ptx/sass_forms.csv

Reads the listings of FOLDER/<kernel>-<BLOCK_SIZE>-90.cubin in the order of FOLDER/rows-90.csv. The
listing's text is all that is read: the program's own reader of machine code has no part in it.
--forms: one instruction of each form, as bits and text. The file also has the forms of a few usual
kernels: reductions, scans, a convolution, a histogram, softmax, a switch; put their cubins into FOLDER as well. """
import csv
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

HEAD = "kernel,block_size,instructions,ffma,hmma,reads_even,reads_odd,reads_kept,reads_of_matrices,text"
INSTRUCTION = re.compile(r"\s*/\*([0-9a-f]{4,})\*/\s+((?:@!?U?P[0-9T]\S*\s+)?(\S+)(.*?))\s*;")


def code_of(cubin):
    """The section .text.KERNEL of an ELF file."""
    data = cubin.read_bytes()
    start, = struct.unpack_from("<Q", data, 0x28)
    count, names = struct.unpack_from("<HH", data, 0x3C)
    sections = [struct.unpack_from("<IIQQQQ", data, start + 64 * k) for k in range(count)]
    for section in sections:
        if data[sections[names][4] + section[0] :].startswith(b".text."):
            return data[section[4] : section[4] + section[5]]
    raise ValueError(f"{cubin} has no code")


def listing(cubin):
    """(offset, text, match) of each instruction: raw code, so that labels are offsets."""
    with tempfile.NamedTemporaryFile() as file:
        file.write(code_of(cubin))
        file.flush()
        text = subprocess.run(["nvdisasm", "-b", "SM90", file.name], capture_output=True, check=True, text=True)
    for line in text.stdout.splitlines():
        match = INSTRUCTION.match(line)
        if match:
            yield int(match[1], 16), re.sub(r"\s+\(\*.*", "", match[2]).replace(" ,", ","), match


def hash_of(lines):
    """FNV-1a, 64 bits."""
    value = 0xCBF29CE484222325
    for byte in "".join(line + "\n" for line in lines).encode():
        value = (value ^ byte) * 0x100000001B3 % 2**64
    return f"{value:016x}"


def form(text):
    for pattern, name in (
        (r"^@!?U?P\w+ ", "@"), (r"\.reuse", ""), (r"\bUR(\d+|Z)", "U"), (r"\bR(\d+|Z)\b", "R"),
        (r"\bUP[0-9T]", "V"), (r"\bP[0-9T]\b", "P"), (r"-?0x[0-9a-f]+", "#"),
    ):
        text = re.sub(pattern, name, text)
    return text


def print_forms(folder):
    seen = set()
    for cubin in sorted(folder.glob("*-90.cubin")):
        code = code_of(cubin)
        for offset, text, _ in listing(cubin):
            if form(text) not in seen:
                seen.add(form(text))
                low, high = struct.unpack_from("<QQ", code, offset)
                print(f"{high:016x},{low:016x},{offset},{text}")


def sources(operands):
    """Registers of three sources, None where it is none, and whether each is kept."""
    texts = [o.strip() for o in operands.split(",")][1:]
    found = []
    for text in texts:
        match = re.match(r"[-|]*(R\d+)((?:\.\w+)*)", text)
        number = int(match[1][1:]) if match else None
        found.append((number, match is not None and ".reuse" in match[2]))
    return found


class Reads:
    """Registers that FFMA and HMMA read; one that the instruction before has kept is not read."""

    def __init__(self):
        self.banks = [0, 0]
        self.kept = 0
        self.of_matrices = 0
        self.before = (None, [None, None, None])

    def add(self, name, operands):
        if name not in ("FFMA", "HMMA"):
            self.before = (None, [None, None, None])
            return
        kept = self.before[1] if self.before[0] == name else [None, None, None]
        seen = set()
        after = [None, None, None]
        for place, (number, is_kept) in enumerate(sources(operands)):
            if number is None:
                continue
            after[place] = number if is_kept else None
            if kept[place] == number:
                self.kept += name == "FFMA"
            elif number not in seen and name == "FFMA":
                self.banks[number % 2] += 1
            elif number not in seen:
                self.of_matrices += (4, 2, 4)[place]
            seen.add(number)
        self.before = (name, after)


def row(folder, kernel, block_size):
    counts = dict.fromkeys(HEAD.split(",")[2:], 0)
    reads = Reads()
    lines = list(listing(folder / f"{kernel}-{block_size}-90.cubin"))
    for _, _, match in lines:
        name, operands = match[3].split(".")[0], match[4]
        counts["instructions"] += 1
        reads.add(name, operands)
        counts["ffma"] += name == "FFMA"
        counts["hmma"] += name == "HMMA"
    counts["reads_even"], counts["reads_odd"] = reads.banks
    counts["reads_kept"] = reads.kept
    counts["reads_of_matrices"] = reads.of_matrices
    is_known = all(match[3] != "WARPGROUP.ARRIVE" for _, _, match in lines)
    counts["text"] = hash_of(text for _, text, _ in lines) if is_known else "0"
    return ",".join([kernel, str(block_size), *map(str, counts.values())])


def main():
    folder = pathlib.Path(sys.argv[1])
    if "--forms" in sys.argv:
        print_forms(folder)
        return
    print(HEAD)
    with open(folder / "rows-90.csv", encoding="utf-8") as file:
        for known in csv.DictReader(file):
            kernel, block_size = known["kernel"], known["block_size"]
            print(row(folder, kernel, block_size))


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Writes app/compile/host_macros.inc: what the host compiler of nvcc predefines and NVRTC does not.

  scripts/host_macros.py          writes the table: needs g++ and libnvrtc
  scripts/host_macros.py --check  says which rows this machine's compilers would change; exit status 1 if any

nvcc preprocesses device code by `g++ -E -x c++` and gives its own compiler the result, so these macros exist there.
Which of them NVRTC has by itself is asked by an #ifdef for each. (A long double does not exist in device code:
double(…L), as g++ writes the limits of double, becomes the same number as a double.)
"""
import argparse
import ctypes
import pathlib
import re
import subprocess
import sys

TABLE = pathlib.Path(__file__).resolve().parent.parent / "app" / "compile" / "host_macros.inc"


def predefined():
    """(name, value) by what g++ prints, in the order of names."""
    text = subprocess.run(["g++", "-dM", "-E", "-x", "c++", "/dev/null"], capture_output=True, text=True, check=True).stdout
    found = re.findall(r"#define (\w+(?:\([^)]*\))?) ?(.*)", text)
    return sorted((name, re.sub(r"^double\((.*)L\)$", r"\1", value)) for name, value in found)


def plain(name):
    return name.split("(")[0]


def known_to_nvrtc(names, library):
    nvrtc = ctypes.CDLL(library)
    source = "".join(f'#ifdef {name}\n#warning "has {name}."\n#endif\n' for name in names)
    program, size = ctypes.c_void_p(), ctypes.c_size_t()
    nvrtc.nvrtcCreateProgram(ctypes.byref(program), source.encode(), b"names.cu", 0, None, None)
    nvrtc.nvrtcCompileProgram(program, 1, (ctypes.c_char_p * 1)(b"-std=c++20"))
    nvrtc.nvrtcGetProgramLogSize(program, ctypes.byref(size))
    log = ctypes.create_string_buffer(size.value)
    nvrtc.nvrtcGetProgramLog(program, log)
    return set(re.findall(r'"has (\w+)\."', log.value.decode()))


def rows(library):
    macros = predefined()
    known = known_to_nvrtc([plain(name) for name, _ in macros], library)
    version = subprocess.run(["g++", "-dumpfullversion"], capture_output=True, text=True, check=True).stdout.strip()
    head = f"// Written by scripts/host_macros.py: g++ {version}, less what NVRTC predefines.\n"
    quoted = [(name, value.replace("\\", "\\\\").replace('"', '\\"')) for name, value in macros if plain(name) not in known]
    return head + "".join(f'{{"{name}", "{value}"}},\n' for name, value in quoted)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--nvrtc", default="libnvrtc.so", help="path of libnvrtc.so")
    options = parser.parse_args()
    wanted = rows(options.nvrtc)
    if not options.check:
        TABLE.write_text(wanted, encoding="utf-8")
        return 0
    changed = set(wanted.splitlines()) ^ set(TABLE.read_text(encoding="utf-8").splitlines())
    print("\n".join(sorted(changed)))
    return 1 if changed else 0


if __name__ == "__main__":
    sys.exit(main())

"""The program of this wheel, and NVIDIA's compiler library from the wheel it depends on."""

import importlib.util
import os
import pathlib
import sys

PROGRAM = pathlib.Path(__file__).parent / "program" / "bin" / "tilestep"
NVRTC = pathlib.Path("cu13", "lib")  # in nvidia-cuda-nvrtc


def path():
    """The program: TILESTEP_PROGRAM, or the wheel's own."""
    return os.environ.get("TILESTEP_PROGRAM") or str(PROGRAM)


def environment():
    """The environment of the program: TILESTEP_NVRTC is the dependency's, unless it is set."""
    result = dict(os.environ)
    package = importlib.util.find_spec("nvidia")
    folders = package.submodule_search_locations if package else ()
    for folder in folders or ():
        if (pathlib.Path(folder) / NVRTC).is_dir():
            result.setdefault("TILESTEP_NVRTC", str(pathlib.Path(folder) / NVRTC))
    return result


def main():
    """The command `tilestep`."""
    os.execve(path(), ["tilestep", *sys.argv[1:]], environment())

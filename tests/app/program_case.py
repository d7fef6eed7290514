"""A test case that runs the executable named by the script's first argument in a folder of its own, without a display
and with an empty cache."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM = pathlib.Path(sys.argv.pop(1)).resolve()
ROOT = pathlib.Path(__file__).parents[2]
WRONG_USE = 2


class ProgramCase(unittest.TestCase):
    COMMAND = ()  # before the arguments of each run

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.environment = dict(os.environ)
        for name in ("DISPLAY", "WAYLAND_DISPLAY", "TILESTEP_NVRTC", "TILESTEP_SHARE"):
            self.environment.pop(name, None)
        self.environment["XDG_CACHE_HOME"] = str(self.folder / "cache")
        self.environment["XDG_DATA_HOME"] = str(self.folder / "data")

    def run_program(self, *arguments, expect=0):
        result = subprocess.run(
            [PROGRAM, *self.COMMAND, *map(str, arguments)],
            env=self.environment,
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        self.assertEqual(result.returncode, expect, f"{arguments}\n{result.stdout}{result.stderr}")
        return result

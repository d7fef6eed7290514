#!/usr/bin/env python3
"""What `cmake --install` puts down runs from anywhere, with an empty environment.
`install_test.py CMAKE BUILD [TEST…]`"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

CMAKE = sys.argv.pop(1)
BUILD = pathlib.Path(sys.argv.pop(1)).resolve()


class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        there = pathlib.Path(cls.folder.name) / "first"
        subprocess.run(
            [CMAKE, "--install", BUILD, "--prefix", there], check=True, stdout=subprocess.DEVNULL
        )
        cls.tree = pathlib.Path(cls.folder.name) / "moved here"
        there.rename(cls.tree)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def run_program(self, *arguments):
        result = subprocess.run(
            [self.tree / "bin/tilestep", *arguments],
            env={},
            cwd="/",
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        self.assertEqual(result.returncode, 0, f"{arguments}\n{result.stdout}{result.stderr}")
        return result.stdout

    def test_it_says_version_and_build(self):
        self.assertRegex(
            self.run_program("--version"), r"^tilestep \d+\.\d+\.\d+ \(([0-9a-f]{7}, )?\w+\)\n$"
        )

    def test_it_finds_its_own_files(self):
        self.run_program("check", "tiled", "--size", "8", "--block", "4")
        lines = {line["part"]: line for line in json.loads(self.run_program("doctor", "--json"))}
        self.assertTrue(lines["Kernels"]["found"])
        self.assertTrue(lines["Timings"]["found"])
        if lines["Fonts"]["found"]:
            self.assertIn(str(self.tree), lines["Fonts"]["message"])

    def test_no_file_points_out_of_the_tree(self):
        links = [path for path in self.tree.rglob("*") if path.is_symlink()]
        self.assertEqual(links, [])
        self.assertTrue((self.tree / "share/doc/tilestep/copyright").is_file())

    def completed(self, *words):
        """What bash offers for a line of `words`, the last of them unfinished."""
        script = self.tree / "share/bash-completion/completions/tilestep"
        quoted = " ".join(f"'{word}'" for word in ("tilestep", *words))
        text = f'. "$0"; COMP_WORDS=({quoted}); COMP_CWORD={len(words)}; _tilestep; printf "%s\\n" "${{COMPREPLY[@]}}"'
        result = subprocess.run(
            ["bash", "-c", text, script], cwd=self.tree, capture_output=True, text=True, check=True
        )
        self.assertEqual(result.stderr, "")
        return result.stdout.split()

    def test_bash_completes_commands_options_values_and_kernels(self):
        self.assertEqual(self.completed("che"), ["check"])
        self.assertEqual(self.completed("lesson", "che"), ["check"])
        self.assertIn("tiled_padded", self.completed("tiled_p"))
        self.assertIn("--schedule", self.completed("check", "tiled", "--sch"))
        self.assertIn("--entry", self.completed("check", "--ent"))  # an option of a group
        self.assertEqual(self.completed("check", "--build", "f"), ["fast"])
        self.assertEqual(self.completed("chart", "--page", "lad"), ["ladder"])
        self.assertEqual(self.completed("bench", "--out", "sha"), ["share"])
        self.assertEqual(self.completed("comple"), [])  # hidden

    def test_every_shell_knows_every_command(self):
        commands = self.completed("")
        for script in ("zsh/site-functions/_tilestep", "fish/vendor_completions.d/tilestep.fish"):
            text = (self.tree / "share" / script).read_text()
            for command in ("check", "doctor", "--schedule", "tiled_padded"):
                self.assertIn(command.removeprefix("--"), text)
        self.assertIn("check", commands)
        self.assertTrue(os.access(self.tree / "bin/tilestep", os.X_OK))


if __name__ == "__main__":
    unittest.main()

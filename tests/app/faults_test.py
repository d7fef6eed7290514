#!/usr/bin/env python3
"""The executable on a machine where something is missing or broken: one sentence with place, cause
and cure, and whatever can go on goes on. `faults_test.py PROGRAM FAKE_DRIVER [TEST…]`"""

import json
import pathlib
import re
import shutil
import sys
import unittest

FAKE_DRIVER = pathlib.Path(sys.argv.pop(2)).resolve()

from command_line_test import PROGRAM, WRONG_USE, Program  # noqa: E402  (it takes sys.argv[1])

FOUND = 1
SENTENCE = r"\Atilestep: [^\n]+\.\n\Z"


class Faults(Program):
    def setUp(self):
        super().setUp()
        self.libraries = self.folder / "libraries"
        self.libraries.mkdir()
        self.environment["LD_LIBRARY_PATH"] = str(self.libraries)
        for name in ("CUDA_HOME", "CUDA_PATH"):
            self.environment.pop(name, None)

    def has_window(self):
        return "render" in self.run_program("--help").stdout

    def install_driver(self):
        """With its cuBLAS: the machine's own, if it has one, would call into the fake driver. So does
        NVRTC, hence what a sweep launches, its drift reference too, is compiled before."""
        for block_size in ("2", "4", "8", "16"):
            self.run_program("check", "tiled", "--size", "8", "--block", block_size)
        for name in ("libcuda.so.1", "libcublas.so.13"):
            (self.libraries / name).symlink_to(FAKE_DRIVER)

    def refused(self, *arguments):
        error = self.run_program(*arguments, expect=WRONG_USE).stderr
        self.assertRegex(error, SENTENCE, arguments)
        return error

    def still_simulates(self):
        self.run_program("check", "tiled", "--size", "8")


class BrokenGpu(Faults):
    """What of NVIDIA's is there, and does not work."""

    def test_a_driver_that_is_no_library(self):
        (self.libraries / "libcuda.so.1").write_text("not a library")
        for command in (("run", "tiled"), ("bench", "--kernels", "tiled")):
            error = self.refused(*command)
            self.assertIn("No CUDA driver: ", error)
            self.assertIn("libcuda.so.1: ", error)
            self.assertIn("Install the NVIDIA driver", error)
        self.still_simulates()

    def test_a_driver_without_its_functions(self):
        (self.libraries / "libcuda.so.1").symlink_to(self.other_library())
        error = self.refused("run", "tiled")
        self.assertIn("lacks cuInit", error)
        self.assertIn("Update the NVIDIA driver", error)
        self.still_simulates()

    def other_library(self):
        with open("/proc/self/maps") as maps:
            return next(line.split()[-1] for line in maps if "/libc.so.6" in line)

    def test_a_driver_that_does_not_start(self):
        self.install_driver()
        self.environment["TILESTEP_FAKE_INIT"] = "803"
        error = self.refused("run", "tiled")
        self.assertIn("No GPU: cuInit failed", error)
        self.assertIn("restart the machine", error)
        self.still_simulates()

    def test_every_way_to_call_cublas_is_a_series(self):
        self.install_driver()
        sweep = ("bench", "--kernels", "tiled", "--sizes", "8", "--block-sizes", "4", "--cublas", "all")
        # The fake driver's kernels store nothing, its cuBLAS multiplies.
        points = json.loads(self.run_program(*sweep, "--json").stdout)["points"]
        verified = [point["kernel"] for point in points if point["verified"]]
        ways = ("", "_default", "_tf32", "_fast_tf32", "_fast_16f", "_fast_16bf", "_emulated_16bfx9")
        self.assertEqual(verified, ["cublas" + way for way in ways])

    def test_errors_stand_beside_those_of_cublas(self):
        self.install_driver()
        command = ("errors", "tiled", "--size", "8", "--block", "4", "--cublas", "pedantic,tf32")
        data = json.loads(self.run_program(*command, "--json").stdout)
        self.assertEqual([table["input"] for table in data["tables"]], ["random:1", "decades:1"])
        for table in data["tables"]:
            tiled, pedantic, tf32 = table["series"]
            self.assertEqual(tiled["not_finite"], 64)
            self.assertLess(pedantic["frobenius"], 1e-6)
            self.assertEqual(tf32["kernel"], "cublas_tf32")
        self.assertEqual(data["special_values"][1]["values"][0]["C00"], "inf")
        self.assertIn("NaN", self.run_program(*command).stdout)

    def test_memory_that_is_not_there(self):
        self.install_driver()
        self.environment["TILESTEP_FAKE_ALLOC"] = "2"
        error = self.refused("run", "tiled")
        self.assertIn("CUDA_ERROR_OUT_OF_MEMORY", error)
        self.assertIn("Choose smaller sizes", error)
        self.still_simulates()

    SWEEP = (
        *("bench", "--kernels", "tiled", "--sizes", "8", "--block-sizes", "2,4,8", "--order", "0"),
        *("--no-cublas", "--time-wrong", "--out", "x.json"),
    )

    def lost(self, *options):
        """What a sweep says that ends early; it keeps the points before."""
        error = self.run_program(*self.SWEEP, *options, expect=FOUND).stderr
        self.assertIn("with --resume continues", error)
        self.assertTrue((self.folder / "x.json").read_text().startswith("{"))
        (sentence,) = re.findall(r"^tilestep: [^\n]+\.$", error, re.MULTILINE)
        self.still_simulates()
        return sentence

    def test_a_gpu_that_is_lost_in_a_sweep(self):
        self.install_driver()
        self.environment["TILESTEP_FAKE_LOST_AT"] = "60"
        error = self.lost()
        self.assertRegex(error, "tiled, 8, BLOCK_SIZE [248]: cuLaunchKernel failed")

    def test_a_kernel_that_never_ends(self):
        self.install_driver()
        self.environment["TILESTEP_FAKE_ENDLESS_AT"] = "60"
        error = self.lost("--time-limit", "0.05")
        self.assertIn("did not finish within 0.05 s", error)

    def test_doctor_says_which_part_is_missing_and_ends_well(self):
        self.install_driver()
        report = self.run_program("doctor").stdout
        self.assertIn("Fake GPU", report)
        self.assertIn("No NVML: libnvidia-ml.so.1", report)

    def test_broken_libraries_beside_a_driver_cost_only_what_they_are_for(self):
        self.install_driver()
        (self.libraries / "libnvidia-ml.so.1").write_text("not a library")
        (self.libraries / "libcublas.so.13").unlink()
        (self.libraries / "libcublas.so.13").write_text("not a library")
        report = self.run_program("doctor").stdout
        self.assertIn("Fake GPU", report)
        self.assertIn("No NVML: ", report)


class Home(Faults):
    """Nowhere to keep anything: nothing is kept, everything works."""

    def commands(self):
        yield ("check", "tiled", "--size", "8")
        yield ("counters", "tiled", "--size", "8")
        yield ("doctor",)
        if self.has_window():
            yield ("render", "tiled", "--pixels", "320x240", "--out", self.folder / "x.png")

    def all_work(self):
        for arguments in self.commands():
            # Mesa itself prints that it has no room for its shaders.
            self.assertNotIn("tilestep:", self.run_program(*arguments).stderr, arguments)

    def test_no_home(self):
        for name in ("HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME"):
            self.environment.pop(name, None)
        self.all_work()

    def test_a_home_that_cannot_be_written(self):
        """A file stands where the folders would be, so that even root cannot make them."""
        home = self.folder / "home"
        home.write_text("old")
        self.environment["HOME"] = str(home)
        for name in ("XDG_CACHE_HOME", "XDG_DATA_HOME"):
            self.environment[name] = str(home / "below")
        self.all_work()
        self.assertEqual(home.read_text(), "old")


class Window(Faults):
    """Pictures without fonts, shaders or OpenGL."""

    RENDER = ("render", "tiled", "--pixels", "320x240", "--out", "x.png")

    def share(self):
        """A copy of share/ to take something out of."""
        share = self.folder / "share"
        original = PROGRAM.parent.parent / "share" / "tilestep"
        shutil.copytree(original, share, ignore=shutil.ignore_patterns("ptx-cache"))
        (share / "ptx-cache").symlink_to(original / "ptx-cache")
        self.environment["TILESTEP_SHARE"] = str(share)
        return share

    def picture(self):
        return (self.folder / "x.png").read_bytes().startswith(b"\x89PNG")

    def test_no_fonts(self):
        fonts = self.share() / "fonts"
        shutil.rmtree(fonts)
        self.run_program(*self.RENDER)
        self.assertTrue(self.picture())

    def test_fonts_that_are_none(self):
        fonts = self.share() / "fonts"
        files = list(fonts.rglob("*.[ot]tf"))
        self.assertTrue(files)
        whole = files[0].read_bytes()
        for contents in (b"", b"not a font", whole[:1000], whole[: len(whole) // 2]):
            for font in files:
                font.write_bytes(contents)
            self.run_program(*self.RENDER)
            self.assertTrue(self.picture())

    def test_no_shaders(self):
        shutil.rmtree(self.share() / "shaders")
        self.assertIn("shaders", self.refused(*self.RENDER))
        self.still_simulates()

    def test_an_svg_needs_no_opengl(self):
        self.run_program(*self.RENDER[:-1], "with.svg")
        self.environment["__EGL_VENDOR_LIBRARY_FILENAMES"] = "/nonexistent.json"
        shutil.rmtree(self.share() / "shaders")
        self.run_program(*self.RENDER[:-1], "without.svg")
        drawn = [(self.folder / name).read_text() for name in ("with.svg", "without.svg")]
        self.assertIn('<rect class="cell"', drawn[0])
        self.assertEqual(*drawn)

    def test_no_opengl(self):
        self.environment["__EGL_VENDOR_LIBRARY_FILENAMES"] = "/nonexistent.json"
        error = self.refused(*self.RENDER)
        self.assertIn("OpenGL 3.3 is not available without a display: ", error)
        self.assertIn("Install Mesa's drivers", error)
        self.still_simulates()
        report = self.run_program("doctor", expect=FOUND).stdout
        self.assertIn("OpenGL 3.3 is not available", report)


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""The executable as a user's shell sees it: exit status, output, what happens without NVIDIA's
compiler. `command_line_test.py PROGRAM [TEST…]`"""

import json
import itertools
import os
import pathlib
import resource
import signal
import struct
import subprocess
import sys
import tempfile
import unittest

PROGRAM = pathlib.Path(sys.argv.pop(1)).resolve()
WRONG_USE = 2
COMMANDS = (
    *("check", "describe", "trace", "counters", "occupancy", "origin", "uses", "run", "bench"),
    "doctor",
)


class Program(unittest.TestCase):
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
            [PROGRAM, *map(str, arguments)],
            env=self.environment,
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        self.assertEqual(result.returncode, expect, f"{arguments}\n{result.stdout}{result.stderr}")
        return result

    def without_compiler(self):
        self.environment["TILESTEP_NVRTC"] = str(self.folder / "not_there.so")


class Commands(Program):
    def test_every_subcommand_has_help_with_an_example(self):
        self.assertIn("Example", self.run_program("--help").stdout)
        for command in COMMANDS:
            self.assertIn(f"tilestep {command}", self.run_program(command, "--help").stdout)

    def test_the_old_name_of_a_subcommand_names_the_new_one(self):
        arguments = ("explain", "missing.cu", "--out", "missing.toml")
        result = self.run_program(*arguments, expect=WRONG_USE)
        self.assertIn("tilestep describe", result.stderr)
        self.assertNotIn("explain", self.run_program("--help").stdout)

    def test_wrong_use_is_a_sentence_and_exit_2(self):
        for arguments in (
            ("check", "no_such_kernel"),
            ("check", "tiled", "--size", "0"),
            ("check", "tiled", "--no-such-option"),
            ("check", "missing.cu"),
        ):
            result = self.run_program(*arguments, expect=WRONG_USE)
            self.assertNotEqual((result.stdout + result.stderr).strip(), "", arguments)

    def test_the_tiled_kernel_is_clean(self):
        self.run_program("check", "tiled", "--size", "13,7,9", "--block", "4")

    def test_the_missing_barrier_is_named_with_threads_and_lines(self):
        result = self.run_program(
            "check", "tiled_missing_barrier", "--size", "64", "--block", "16", "--json", expect=1
        )
        findings = json.loads(result.stdout)["findings"]
        race = next(finding for finding in findings if "race" in finding["kind"])
        first, second = race["parties"]
        self.assertNotEqual(first["thread"], second["thread"])
        self.assertNotEqual(first["line"], second["line"])
        self.assertRegex(race["element"], r"^[AB]s\[\d+\]\[\d+\]")

    def test_trace_prints_json(self):
        result = self.run_program("trace", "tiled", "--size", "4", "--block", "2", "--json")
        self.assertTrue(json.loads(result.stdout))

    def test_occupancy_prints_a_row_for_each_block_size(self):
        report = json.loads(self.run_program("occupancy", "tiled", "--arch", "8.6", "--json").stdout)
        self.assertEqual([row["block_size"] for row in report["rows"]], list(range(1, 33)))
        self.assertEqual(report["rows"][31]["warps"], 32)  # of 48: one block of 1024 threads
        one = self.run_program("occupancy", "tiled", "--block", "16").stdout
        self.assertIn("Hopper", one)
        self.run_program("occupancy", "tiled", "--arch", "5.2", expect=WRONG_USE)

    def test_counters_prints_its_tables_and_json(self):
        launch = ("tiled", "--size", "37,41,23", "--block", "8")
        for table in ("kernel", "line", "warp", "access"):
            self.assertIn("blocks; each represents", self.run_program("counters", *launch, "--by", table).stdout)
        some = json.loads(self.run_program("counters", *launch, "--json").stdout)
        every = json.loads(self.run_program("counters", *launch, "--all-blocks", "--json").stdout)
        self.assertEqual((some["schema"], some["version"]), ("tilestep-counters", 1))
        self.assertEqual(some["method"]["name"], "representatives")
        self.assertEqual(every["method"]["name"], "full")
        self.assertLess(some["method"]["blocks_executed"], every["method"]["blocks_executed"])
        for field in ("total", "barriers", "buffers", "closed_forms", "lines", "warps", "accesses"):
            self.assertEqual(some[field], every[field], field)
        self.assertTrue(all(form["agrees"] for form in some["closed_forms"]))
        a = some["buffers"][0]["reads_per_element"]
        self.assertEqual((a["min"], a["max"], a["elements"]), (6, 6, 37 * 23))

    def test_counters_as_machine_code_say_whose_loads_they_count(self):
        launch = ("tiled", "--size", "131,117,93", "--block", "4", "--json")
        text = json.loads(self.run_program("counters", *launch).stdout)
        self.assertIsNone(text["machine_code"])
        self.assertEqual(text["total"]["shared_loads"]["wavefronts"], 190080)
        code = json.loads(self.run_program("counters", *launch, "--as-machine-code").stdout)
        self.assertEqual(code["machine_code"]["architecture"], "9.0")
        if code["machine_code"]["agrees"]:  # without NVRTC nothing can
            self.assertEqual(code["total"]["shared_loads"]["wavefronts"], 118800)
            self.assertIn("{%f", json.dumps(code["accesses"]))
        else:
            self.assertNotEqual(code["machine_code"]["why_not"], "")
            self.assertEqual(code["total"], text["total"])
        self.run_program("counters", *launch, "--as-machine-code", "--build", "step", expect=WRONG_USE)
        self.run_program("counters", *launch, "--as-machine-code", "--arch", "5.2", expect=WRONG_USE)

    def test_origin_and_uses_say_where_values_came_from_and_went(self):
        launch = ("tiled", "--size", "8", "--block", "4", "--json")
        origin = json.loads(self.run_program("origin", *launch, "--of", "C[5][6]").stdout)
        self.assertEqual(len(origin["sum"]["terms"]), 8)
        self.assertIn("A[5][7]", origin["elements"])
        uses = json.loads(self.run_program("uses", *launch, "--of", "A[5][7]").stdout)
        self.assertEqual({put["cell"] for put in uses["shared_cells"]}, {"As[1][3]"})
        self.assertEqual(len(uses["products"]), 8)
        result = self.run_program("origin", *launch, "--of", "As[4][0]", expect=WRONG_USE)
        self.assertIn("As[4][0] is out of range", result.stderr)

    def test_doctor_prints_json(self):
        result = subprocess.run([PROGRAM, "doctor", "--json"], capture_output=True, check=False)
        self.assertTrue(json.loads(result.stdout))


class Arguments(Program):
    """Whatever the arguments are, the program ends, with a sentence."""

    PARTS = ("nosuch", "", "check", "--arch", "--size", "--", "-", "--build=", "x\x1b[31m")

    def refused(self, *arguments):
        result = self.run_program(*arguments, expect=WRONG_USE)
        self.assertRegex(result.stderr, r"^tilestep: .+\.\n\Z", arguments)
        self.assertNotIn("\x1b", result.stderr)
        return result.stderr

    def test_any_mixture_of_empty_unknown_and_missing_ones_is_refused(self):
        for three in itertools.permutations(self.PARTS, 3):
            if three[:2] not in (("check", "--"), ("check", "-")):
                self.refused(*three)

    def test_an_empty_argument_is_no_name_of_a_group_of_options(self):
        for arguments in (
            ("nosuch", "", "--arch"),
            ("check", "tiled", "", "--size"),
            ("check", "tiled", "", "--grid", "1", "--nosuch"),
        ):
            self.refused(*arguments)

    def test_every_unexpected_argument_is_shown(self):
        error = self.refused("check", "tiled", "", "two words", "--nosuch")
        self.assertIn("'', 'two words', '--nosuch'", error)
        self.assertIn("tilestep check --help", error)

    def test_a_missing_value_names_its_option(self):
        self.assertIn("--size", self.refused("check", "tiled", "--size"))


class Output(Program):
    """What cannot be written is said, whole files only, and the old one stays."""

    CSV = "kernel,size,block_size,ms\n" + "tiled,8,4,1.5\n" * 400

    def setUp(self):
        super().setUp()
        (self.folder / "a.csv").write_text(self.CSV)
        (self.folder / "own.cu").write_text(OWN_KERNEL)
        self.convert = ("convert", "a.csv", "out.json", "--gpu", "x")

    def run_with(self, *arguments, **popen):
        return subprocess.run(
            [PROGRAM, *map(str, arguments)],
            env=self.environment,
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            **popen,
        )

    def test_standard_output_on_a_full_disk_is_wrong_use(self):
        for arguments in (
            ("--help",),
            ("--version",),
            ("check", "--help"),
            ("check", "tiled", "--json"),
            ("counters", "tiled", "--json"),
            ("trace", "tiled", "--size", "16"),
            ("occupancy", "tiled"),
            ("doctor",),
            ("completions", "bash"),
            ("describe", "own.cu"),
        ):
            with open("/dev/full", "w") as full:
                result = self.run_with(*arguments, stdout=full)
            self.assertEqual(result.returncode, WRONG_USE, arguments)
            self.assertIn("tilestep: Standard output cannot be written: No space left", result.stderr)

    def test_a_reader_that_ends_first_is_no_mistake(self):
        for signals in (True, False):  # False: SIGPIPE stays ignored, as Python has it
            reading, writing = os.pipe()
            os.close(reading)
            result = self.run_with(
                "counters", "tiled", "--json", stdout=writing, restore_signals=signals
            )
            os.close(writing)
            self.assertEqual(result.stderr, "")

    def test_a_closed_standard_output_is_no_file_of_ours(self):
        result = self.run_with(
            *("chart", "tiled", "--out", "x.svg"), preexec_fn=lambda: os.close(1)
        )
        self.assertEqual(result.returncode, WRONG_USE)
        self.assertTrue((self.folder / "x.svg").read_text().endswith("</svg>\n"))

    def limited(self, size, ignored):
        def prepare():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN if ignored else signal.SIG_DFL)
            resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

        return prepare

    def writers(self):
        """Commands, and the file that each writes."""
        lesson = "# A\n```scene\nname = \"a\"\nkernel = \"tiled\"\n```\n"
        (self.folder / "lesson.md").write_text(lesson)
        commands = [
            (self.convert, "out.json"),
            (("chart", "tiled", "--out", "x.svg"), "x.svg"),
            (("chart", "tiled", "--out", "x.csv"), "x.csv"),
            (("merge", "b.json", "--out", "m.json"), "m.json"),
        ]
        if "render" in self.run_program("--help").stdout:
            pixels = ("--pixels", "320x240")
            commands.append((("render", "tiled", *pixels, "--out", "x.png"), "x.png"))
            commands.append((("scenes", "--lesson", "lesson.md", *pixels, "--out", "."), "a.png"))
        self.run_program("convert", "a.csv", "b.json", "--gpu", "x")
        return commands

    def test_a_full_disk_leaves_the_old_file_and_is_wrong_use(self):
        for arguments, name in self.writers():
            self.run_program(*arguments)  # the compile cache is warm
            (self.folder / name).write_text("old")
            before = sorted(os.listdir(self.folder))
            result = self.run_with(
                *arguments, stdout=subprocess.DEVNULL, preexec_fn=self.limited(40, ignored=True)
            )
            self.assertEqual(result.returncode, WRONG_USE, f"{arguments} {result.stderr}")
            self.assertRegex(result.stderr, f"{name}: cannot be written: .*\\. Free some space")
            self.assertEqual((self.folder / name).read_text(), "old")
            self.assertEqual(sorted(os.listdir(self.folder)), before)

    def test_a_kill_at_any_byte_leaves_a_whole_file_and_the_next_run_writes_it(self):
        for arguments, name in self.writers():
            self.run_program(*arguments)
            whole = (self.folder / name).read_bytes()
            (self.folder / name).write_text("old")
            for size in (0, 1, len(whole) // 2, len(whole) - 1):
                result = self.run_with(
                    *arguments, stdout=subprocess.DEVNULL, preexec_fn=self.limited(size, ignored=False)
                )
                self.assertEqual(result.returncode, -signal.SIGXFSZ, f"{arguments} {size}")
                self.assertEqual((self.folder / name).read_text(), "old")
            self.run_program(*arguments)
            self.assertEqual((self.folder / name).read_bytes(), whole)

    def test_of_two_processes_one_wins(self):
        (self.folder / "b.csv").write_text(self.CSV.replace("1.5", "2.5"))
        whole = set()
        for source in ("a.csv", "b.csv"):
            self.run_program("convert", source, "out.json", "--gpu", "x")
            whole.add((self.folder / "out.json").read_bytes())
        for _ in range(10):
            both = [
                subprocess.Popen(
                    [PROGRAM, "convert", source, "out.json", "--gpu", "x"],
                    cwd=self.folder,
                    env=self.environment,
                    stderr=subprocess.DEVNULL,
                )
                for source in ("a.csv", "b.csv")
            ]
            self.assertEqual([process.wait() for process in both], [0, 0])
            self.assertIn((self.folder / "out.json").read_bytes(), whole)
        self.assertEqual(list(self.folder.glob("*.part")), [])


class Input(Program):
    """No file of the user's makes the program wait, crash or print its bytes to the terminal."""

    def readers(self, name):
        """Commands that read the file `name`, whatever it is."""
        (self.folder / "own.cu").write_text(OWN_KERNEL)
        return (
            ("check", f"{name}.cu"),
            ("describe", f"{name}.cu"),
            ("check", "own.cu", "--description", f"{name}.toml"),
            ("check", "tiled", "--input", f"{name}.csv"),
            ("convert", f"{name}.csv", "x.json", "--gpu", "x"),
            ("convert", f"{name}.json", "x.csv"),
            ("merge", f"{name}.json", "--out", "x.json"),
            ("chart", "--data", f"{name}.json"),
            ("scenes", "--lesson", f"{name}.md"),
        )

    def check_refusal(self, name, make, words):
        for ending in ("cu", "toml", "csv", "json", "md", "npy"):
            make(self.folder / f"{name}.{ending}")
        for arguments in self.readers(name):
            if arguments[0] == "scenes" and "scenes" not in self.run_program("--help").stdout:
                continue
            error = self.run_program(*arguments, expect=WRONG_USE).stderr
            self.assertRegex(error, words, arguments)
            self.assertRegex(error, r"^tilestep: [^\n]+\.\n\Z", arguments)

    def test_a_named_pipe_is_refused_at_once(self):
        self.check_refusal("pipe", os.mkfifo, "is a named pipe, not a file")

    def test_a_folder_is_refused(self):
        self.check_refusal("folder", os.mkdir, "is a folder, not a file")

    def test_a_device_is_refused(self):
        self.check_refusal("zero", lambda path: path.symlink_to("/dev/zero"), "is a device")

    def test_what_fails_while_it_is_read_is_said(self):
        self.check_refusal("mem", lambda path: path.symlink_to("/proc/self/mem"), "cannot be read: ")

    def test_a_named_pipe_among_the_files_that_a_description_names_is_refused(self):
        for name in ("in.npy", "in.csv", "header.h"):
            os.mkfifo(self.folder / name)
        (self.folder / "own.cu").write_text('#include "header.h"\n' + OWN_KERNEL)
        self.run_program("check", "own.cu")  # without the header, as if it were not there
        (self.folder / "own.cu").write_text(OWN_KERNEL)
        for name in ("in.npy", "in.csv"):
            (self.folder / "own.toml").write_text(OWN_DESCRIPTION.replace("INPUT", name))
            error = self.run_program("check", "own.cu", expect=WRONG_USE).stderr
            self.assertIn(f"{name} is a named pipe", error)

    def test_what_the_shell_hands_over_may_be_a_pipe(self):
        result = subprocess.run(
            [PROGRAM, "check", "tiled", "--size", "2", "--input", "stdin.csv"],
            cwd=self.folder,
            env=self.environment,
            input="1,2\n3,4\n---\n1,2\n3,4\n",
            text=True,
            capture_output=True,
            check=False,
            preexec_fn=lambda: (self.folder / "stdin.csv").symlink_to("/dev/stdin"),
        )
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_bytes_of_a_file_do_not_reach_the_terminal(self):
        nasty = b'"\\u001b[31m" = 1\n"\xe2\x80\xae" = "\\u0007"\n\xff'
        for name, text in (
            ("a.toml", nasty[:17]),
            ("b.toml", nasty[17:]),
            ("c.toml", nasty[-1:]),
            ("d.toml", b'entry = "own"\ngrid = "\\u001b[31m"\nblock = "1"\n'),
        ):
            (self.folder / name).write_bytes(text)
            (self.folder / name).with_suffix(".cu").write_text(OWN_KERNEL)
            error = self.run_program("check", name.replace("toml", "cu"), expect=WRONG_USE).stderr
            self.assertIn(f"{name}:", error)
            self.assertNotRegex(error, "[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e]")
        (self.folder / "e.json").write_bytes(b'{"format": "\x1b[31m \xff"}')
        error = self.run_program("chart", "--data", "e.json", expect=WRONG_USE).stderr
        self.assertRegex(error, r"^tilestep: e\.json:1:\d+: not JSON: .*\.\n\Z")
        self.assertNotIn("json.exception", error)

    def test_a_source_that_has_no_effect_is_refused(self):
        (self.folder / "own.cu").write_text(OWN_KERNEL)
        (self.folder / "other.cu").write_text(OWN_KERNEL)
        text = 'source = "other.cu"\n' + OWN_DESCRIPTION.replace('{ file = "INPUT" }', '"ramp"')
        (self.folder / "own.toml").write_text(text)
        for arguments in (("own.cu",), ("own.cu", "--description", "own.toml")):
            error = self.run_program("check", *arguments, expect=WRONG_USE).stderr
            self.assertIn('own.toml: source = "other.cu" has no effect', error)
        self.run_program("check", "own.toml", "--size", "8")
        self.run_program("check", "other.cu", "--description", "own.toml", "--size", "8")

    def test_long_lines_and_deep_nesting_are_read(self):
        source = "#define X " + "x" * 40000 + "\n// " + "y" * 1000000 + "\n" + OWN_KERNEL
        (self.folder / "long.cu").write_text(source)
        self.run_program("check", "long.cu", "--size", "8")
        for name, text in (
            ("include", '#include "' + "a" * 200000 + '"\n#error\n' + OWN_KERNEL),
            ("message", "#error " + "y" * 200000 + "\n" + OWN_KERNEL),
        ):
            (self.folder / f"{name}.cu").write_text(text)
            self.run_program("check", f"{name}.cu", expect=WRONG_USE)
        (self.folder / "key.cu").write_text(OWN_KERNEL)
        for text in ("k" * 1000000 + " = 1\n", "a" + ".a" * 100000 + " = 1\n", "a = " + "[" * 100000):
            (self.folder / "key.toml").write_text(text)
            error = self.run_program("check", "key.cu", expect=WRONG_USE).stderr
            self.assertRegex(error, r"^tilestep: key.toml:1:")
            self.assertLess(len(error), 1000)

    def test_a_broken_catalog_is_named_and_not_the_kernel(self):
        share = self.folder / "share"
        (share / "kernels").mkdir(parents=True)
        (share / "kernels" / "catalog.toml").write_text("[[kernel]]\nid = 3\n")
        self.environment["TILESTEP_SHARE"] = str(share)
        commands = [("check", "tiled"), ("chart", "tiled")]
        if "render" in self.run_program("--help").stdout:
            commands += [("render", "tiled")]
        for arguments in commands:
            error = self.run_program(*arguments, expect=WRONG_USE).stderr
            self.assertIn("catalog.toml:2: id must be a string", error)


OWN_KERNEL = """\
__global__ void own(const float* A, const float* B, float* C, int M, int N, int K) {
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0.0f;
  if (row < M && col < N) {
    for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + col];
    C[row * N + col] = sum;
  }
}
"""
OWN_DESCRIPTION = """\
entry = "own"
grid = ["ceil_div(N, 4)", "ceil_div(M, 4)"]
block = ["4", "4"]
buffers = [
  { name = "A", rows = "M", cols = "K", input = { file = "INPUT" } },
  { name = "B", rows = "K", cols = "N" },
  { name = "C", rows = "M", cols = "N", role = "output" },
]
arguments = ["A", "B", "C", "M", "N", "K"]
"""


class WithoutCompiler(Program):
    def test_occupancy_says_what_it_lacks(self):
        self.without_compiler()
        error = self.run_program("occupancy", "tiled", expect=WRONG_USE).stderr
        self.assertIn("TILESTEP_NVRTC", error)
        self.assertNotIn("Until then", error)  # shipped PTX is no help here

    def test_the_catalog_runs_from_shipped_ptx(self):
        self.without_compiler()
        for kernel in ("naive", "tiled", "submatrix"):
            for build in ("step", "fast"):
                for block in ("1", "7", "32"):
                    size = 2 * int(block)
                    self.run_program(
                        *("check", kernel, "--size", size, "--block", block, "--build", build)
                    )

    def test_an_own_kernel_says_what_is_missing(self):
        self.without_compiler()
        (self.folder / "own.cu").write_text(
            "__global__ void own(const float* A, const float* B, float* C, int M, int N, int K) {\n"
            "  int row = blockIdx.y * blockDim.y + threadIdx.y;\n"
            "  int col = blockIdx.x * blockDim.x + threadIdx.x;\n"
            "  if (row < M && col < N) C[row * N + col] = A[row * K] * B[col];\n"
            "}\n"
        )
        result = self.run_program("check", "own.cu", expect=WRONG_USE)
        self.assertIn("NVRTC", result.stderr)


class Pictures(Program):
    def png_size(self, file):
        head = file.read_bytes()[:24]
        self.assertEqual(head[:8], b"\x89PNG\r\n\x1a\n")
        return struct.unpack(">II", head[16:24])

    def test_render_writes_a_picture_without_a_display(self):
        self.assertIn("tilestep render", self.run_program("render", "--help").stdout)
        out = self.folder / "x.png"
        self.run_program("render", "tiled", "--at", "phase:1", "--pixels", "640x480", "--out", out)
        self.assertEqual(self.png_size(out), (640, 480))

    def test_size_is_the_problem_of_a_picture(self):
        out = self.folder / "x.png"
        launch = ("render", "tiled", "--size", "4,8,4", "--block", "4", "--pixels", "640x480")
        self.run_program(*launch, "--out", out)
        self.assertEqual(self.png_size(out), (640, 480))
        for command in (("render", "tiled"), ("scenes",)):
            result = self.run_program(*command, "--size", "640x480", expect=WRONG_USE)
            self.assertIn("--pixels", result.stderr)

    def test_scenes_writes_the_opening_scenes(self):
        self.run_program("scenes", "--out", self.folder / "scenes")
        pictures = sorted((self.folder / "scenes").glob("*.png"))
        self.assertGreaterEqual(len(pictures), 3)
        for picture in pictures:
            self.png_size(picture)

    def test_without_a_display_the_window_says_so(self):
        error = self.run_program(expect=WRONG_USE).stderr
        self.assertIn("No display: neither DISPLAY nor WAYLAND_DISPLAY is set", error)

    def test_a_display_where_no_server_answers_is_named(self):
        self.environment["DISPLAY"] = ":4711"
        error = self.run_program(expect=WRONG_USE).stderr
        self.assertIn("DISPLAY is ':4711', but no server answers there", error)

    def test_block_size_0_selects_the_points_of_kernels_without_one_only(self):
        page = ("render", "tiled", "--page", "block_size", "--pixels", "320x240")
        self.run_program(*page, "--timed-size", "1024", "--select", "cublas:0", "--out", "x.png")
        for selected in ("tiled:0", "tiled:-1", "tiled:33", "cublas:-1", "cublas:99999999999"):
            error = self.run_program(*page, "--select", selected, expect=WRONG_USE).stderr
            self.assertIn(f"--select {selected}: ", error)
        scene = '# A\n```scene\nname = "a"\ntab = "timing"\ntiming = { kernel = "tiled" }\n```\n'
        (self.folder / "a.md").write_text(scene)
        error = self.run_program("scenes", "--lesson", "a.md", expect=WRONG_USE).stderr
        self.assertIn("a.md: scene 'a': BLOCK_SIZE 0 of tiled", error)


if __name__ == "__main__":
    unittest.main()

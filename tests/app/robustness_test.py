#!/usr/bin/env python3
"""The executable with arguments, files, disks and pipes that are not as they should be.
`robustness_test.py PROGRAM [TEST…]`"""

import contextlib
import itertools
import os
import pathlib
import resource
import shutil
import signal
import socket
import struct
import subprocess
import threading
import time
import unittest

from program_case import PROGRAM, WRONG_USE, ProgramCase

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


class Arguments(ProgramCase):
    """Whatever the arguments are, the program ends, with a sentence."""

    PARTS = ("nosuch", "", "--arch", "--size", "--", "-", "--build=", "x\x1b[31m")

    def refused(self, *arguments):
        result = self.run_program(*arguments, expect=WRONG_USE)
        self.assertRegex(result.stderr, r"^tilestep: .+\.\n\Z", arguments)
        self.assertNotIn("\x1b", result.stderr)
        return result.stderr

    def test_any_mixture_of_empty_unknown_and_missing_ones_is_refused(self):
        for three in itertools.permutations(self.PARTS, 3):
            self.refused(*three)
            self.refused("check", *three)

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


class Output(ProgramCase):
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
            self.assertEqual(result.returncode, WRONG_USE, f"{arguments}\n{result.stderr}")
            self.assertIn("tilestep: Cannot write to standard output: No space left", result.stderr)

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
        self.assertEqual(result.returncode, WRONG_USE, result.stderr)
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
            commands.append((("render", "tiled", *pixels, "--out", "y.svg"), "y.svg"))
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
            self.assertEqual(result.returncode, WRONG_USE, f"{arguments}\n{result.stderr}")
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


class Display(ProgramCase):
    """An X server that ends, or refuses, while the program talks to it."""

    def accept(self, listener, serve):
        """Accepts clients as an X server with one screen does, serves them, and ends the connection."""
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            with client:
                head = client.recv(12)
                names = struct.unpack("<HH", head[6:10])
                if any(names):
                    client.recv(sum((length + 3) // 4 * 4 for length in names))
                client.sendall(self.setup())
                with contextlib.suppress(OSError):
                    serve(client)

    def setup(self):
        visual = struct.pack("<IBBHIIII", 33, 4, 8, 256, 0xFF0000, 0xFF00, 0xFF, 0)
        depth = struct.pack("<BxHxxxx", 24, 1) + visual
        screen = struct.pack("<IIIIIHHHHHHIBBBB", 1, 2, 0xFFFFFF, 0, 0, 800, 600, 200, 150, 1, 1, 33, 0, 0, 24, 1)
        pixels = struct.pack("<BBB5x", 24, 32, 32)
        rest = struct.pack("<IIIIHHBBBBBBBBI", 1, 1 << 21, (1 << 21) - 1, 0, 0, 65535, 1, 1, 0, 0, 32, 32, 8, 255, 0)
        rest += pixels + screen + depth
        return struct.pack("<BxHHH", 1, 11, 0, len(rest) // 4) + rest

    def error_with(self, serve):
        """What the program says of an X server that accepts it and goes on by serve(client)."""
        with socket.create_server(("127.0.0.1", 0)) as listener:
            port = listener.getsockname()[1]
            if port < 6000:
                self.skipTest("an X display has a port from 6000 on")
            server = threading.Thread(target=self.accept, args=(listener, serve), daemon=True)
            server.start()
            self.environment["DISPLAY"] = f"127.0.0.1:{port - 6000}"
            return self.run_program("tiled", expect=WRONG_USE).stderr

    def test_a_lost_server_is_no_finding(self):
        error = self.error_with(lambda client: client.recv(4))
        self.assertIn("tilestep: The X server closed the connection", error)

    def refuse_with(self, code):
        """Answers every request with that error."""

        def serve(client):
            stream = client.makefile("rb")
            number = 0
            while head := stream.read(4):
                number += 1
                opcode, words = struct.unpack("<BxH", head)
                stream.read(4 * words - 4)
                client.sendall(struct.pack("<BBHIHB21x", 0, code, number, 0, 0, opcode))

        return serve

    def test_a_window_that_another_client_destroyed_is_no_finding(self):
        error = self.error_with(self.refuse_with(3))
        self.assertRegex(error, r"(?m)^tilestep: Another program destroyed the window\. .*\.\n\Z")

    def test_any_other_error_of_the_server_is_a_sentence(self):
        error = self.error_with(self.refuse_with(11))
        self.assertRegex(error, r"(?m)^tilestep: The X server rejected a request \(error 11, .*\.\n\Z")


@unittest.skipUnless(shutil.which("Xvfb"), "a window needs a display")
class Comeback(ProgramCase):
    """A window that crashes, or loses its display, is back at the same beat, without a question."""

    SESSION = "tilestep/sessions/default.toml"

    def serve(self, *number):
        """An X server, and its number. The folder has a file with its screen."""
        read, write = os.pipe()
        server = subprocess.Popen(
            ["Xvfb", *number, "-displayfd", str(write), "-screen", "0", "640x480x24", "-fbdir", self.folder],
            pass_fds=[write],
            stderr=subprocess.DEVNULL,
        )
        os.close(write)
        with os.fdopen(read) as numbers:
            return server, numbers.readline().strip()

    def variables(self, process):
        return pathlib.Path(f"/proc/{process.pid}/environ").read_bytes().split(b"\0")

    def wait_for(self, is_so):
        while not is_so():
            self.assertIsNone(self.process.poll(), "it ended")
            time.sleep(0.02)

    def has_returned(self, times):
        return f"TILESTEP_RETURNED={times}".encode() in self.variables(self.process)

    def screen(self):
        return (self.folder / "Xvfb_screen0").read_bytes()

    def start(self, number):
        self.environment |= {"DISPLAY": f":{number}", "XDG_STATE_HOME": str(self.folder)}
        self.environment.pop("WAYLAND_DISPLAY", None)
        session = self.folder / self.SESSION
        self.process = subprocess.Popen(
            [PROGRAM, "lesson", "3"], cwd=self.folder, env=self.environment, stderr=subprocess.DEVNULL
        )
        self.addCleanup(self.process.wait)
        self.addCleanup(self.process.kill)
        self.wait_for(lambda: session.exists() and "03-two-barriers" in session.read_text())

    def test_a_crash_is_followed_by_the_same_session_three_times_at_most(self):
        server, number = self.serve()
        self.addCleanup(server.wait)
        self.addCleanup(server.kill)
        self.start(number)
        for times, crash in enumerate((signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS), start=1):
            # Before the window exists, a signal ends the program, so it is sent once the handler is set.
            self.wait_for(lambda: self.handles(crash))
            self.process.send_signal(crash)
            self.wait_for(lambda: self.has_returned(times))
        self.assertIn("03-two-barriers", (self.folder / self.SESSION).read_text())

    def handles(self, crash):
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        caught = int(next(line for line in status.splitlines() if line.startswith("SigCgt")).split()[1], 16)
        return bool(caught >> (crash - 1) & 1)

    def test_a_display_that_comes_back_has_the_window_again(self):
        server, number = self.serve()
        self.start(number)
        self.wait_for(lambda: self.handles(signal.SIGSEGV))
        server.kill()
        server.wait()
        self.wait_for(lambda: self.has_returned(1))
        server, _ = self.serve(f":{number}")
        self.addCleanup(server.wait)
        self.addCleanup(server.kill)
        self.wait_for(lambda: self.handles(signal.SIGSEGV))

    def test_a_picture_that_another_window_covered_is_painted_again(self):
        server, number = self.serve()
        self.addCleanup(server.wait)
        self.addCleanup(server.kill)
        empty = self.screen()
        self.start(number)
        self.wait_for(lambda: self.is_still() and self.screen() != empty)
        picture = self.screen()
        with subprocess.Popen(
            [PROGRAM, "tiled", "--fresh"], cwd=self.folder, env=self.environment, stderr=subprocess.DEVNULL
        ) as other:
            self.wait_for(lambda: self.is_still() and self.screen() != picture)
            other.kill()
        self.wait_for(lambda: self.screen() == picture)

    def ticks(self):
        """The processor time of the window so far."""
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return int(fields[11]) + int(fields[12])

    def is_still(self):
        """The screen has not changed, and the window has no work that may still change it."""
        before, ticks = self.screen(), self.ticks()
        time.sleep(2.0)
        return self.screen() == before and self.ticks() - ticks < 20


class Input(ProgramCase):
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
        self.run_program("check", "own.cu")  # without the header
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
            self.assertIn('own.toml: `source` = "other.cu" has no effect', error)
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


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""`tilestep lab` as a course uses it: forty submissions of one lab, hostile ones among them, and what
the command says to wrong calls. `lab_test.py PROGRAM [TEST…]`"""

import json
import pathlib
import random
import re
import unittest

from program_case import ROOT, WRONG_USE, ProgramCase

LAB = "samples-exercise"
STORED = ROOT / "tests" / "course" / "labs" / "lab5_samples"
SOLUTION = (STORED / "solution.cu").read_text()

HEAD = """template <int BLOCK_SIZE>
__global__ void lab5_samples(float* C, const float* A, const float* B, int hA, int wA, int wB) {
"""
STORE = "    C[c + wB * ty + tx] = Csub;"
BOMB = """template <class A, class B> struct Pair {};
template <int N, class T> struct Bomb {
  using X = typename Bomb<N - 1, Pair<T, int>>::X;
  using Y = typename Bomb<N - 1, Pair<T, char>>::Y;
};
template <class T> struct Bomb<0, T> { using X = int; using Y = int; };
"""


def kernel(body):
    return f"{HEAD}{body}}}\n"


def before_store(statement):
    return SOLUTION.replace(STORE, f"    {statement}\n{STORE}")


def macros():
    """Each macro is ten of the one before: 10^12 tokens."""
    lines = ["#define M0 Csub += 1.0f;"]
    lines += [f"#define M{i} {f'M{i - 1} ' * 10}" for i in range(1, 13)]
    return "\n".join(lines) + "\n" + before_store("M12")


def harmless():
    """By name: the text, how it is graded, how many rows pass."""
    texts = {path.stem: path.read_text() for path in STORED.glob("row*.cu")}
    found = {name: (text, None, int(name[3:]) - 1) for name, text in texts.items()}
    found["solution"] = (SOLUTION, "passed", 7)
    found["with_windows_lines"] = (SOLUTION.replace("\n", "\r\n").encode(), "passed", 7)
    found["in_latin_1"] = ("// gr\xfc\xdfe\n".encode("latin-1") + SOLUTION.encode(), "passed", 7)
    found["after_a_byte_order_mark"] = (b"\xef\xbb\xbf" + SOLUTION.encode(), "passed", 7)
    found["with_a_program_around"] = (
        f"#include <cstdio>\n{SOLUTION}\nint main() {{ printf(\"done\"); }}\n",
        "passed",
        7,
    )
    found["two_kernels"] = (f"__global__ void other(int* x) {{ *x = 1; }}\n{SOLUTION}", "passed", 7)
    found["a_missing_bracket"] = (SOLUTION.rstrip()[:-1], "not-compiled", 0)
    found["handed_out"] = (
        (ROOT / "assets" / "lessons" / "labs" / "lab5_samples.cu").read_text(),
        "wrong",
        0,
    )
    return found


def hostile():
    junk = random.Random(1).randbytes(20_000)
    far = "if (hA > 0) { C[8ULL << 30] = 1.0f; }"
    in_branch = "if (threadIdx.x == 0) { __syncthreads(); }"
    return {
        "never_ends": (kernel("  for (;;) { C[0] += 1.0f; }\n"), "cut-off"),
        "never_ends_without_a_word": (kernel("  while (true) {}\n"), "cut-off"),
        "a_billion_rounds": (
            before_store("for (int i = 0; i < 1000000000; ++i) { Csub += A[0]; Csub -= A[0]; }"),
            "cut-off",
        ),
        "waits_for_nobody": (
            kernel("  volatile float* flag = C;\n  while (flag[0] != 1234.0f) {}\n"),
            None,
        ),
        "prints_endlessly": (kernel('  for (;;) { printf("again\\n"); }\n'), "cut-off"),
        "calls_itself": (
            "__device__ int deeper(int n) { return n < 0 ? n : deeper(n + 1) + 1; }\n"
            + kernel("  C[0] = deeper(1);\n"),
            None,
        ),
        "barrier_in_a_branch": (kernel(f"  {in_branch}\n"), "finding"),
        "gigabytes_beyond": (kernel(f"  {far}\n"), "finding"),
        "reads_from_nowhere": (kernel("  C[0] = *(const float*)0x123456789abcull;\n"), "finding"),
        "a_huge_array": (f"__device__ float huge[1u << 30];\n{SOLUTION}", None),
        "huge_local_arrays": (
            kernel("  float x[1 << 22];\n  for (int i = 0; i < 1 << 22; ++i) { x[i] = A[0]; }\n"
                   "  C[0] = x[hA];\n"),
            None,
        ),
        "asks_for_memory": (kernel("  for (;;) { C[0] = (float)(size_t)malloc(1 << 20); }\n"), None),
        "includes_a_device": (f'#include "/dev/random"\n{SOLUTION}', "passed"),
        "includes_zeros": (f"#include </dev/zero>\n{SOLUTION}", "passed"),
        "includes_itself": (f"#include __FILE__\n{SOLUTION}", "not-compiled"),
        "a_megabyte_of_comments": (f"{'// long' * 6 + chr(10)}" * 23_000 + SOLUTION, "passed"),
        "a_megabyte_of_code": (before_store("Csub += 1.0f; Csub -= 1.0f;\n" * 35_000), None),
        "more_than_a_megabyte": (SOLUTION + "// \n" * 300_000, "unreadable"),
        "templates": (f"{BOMB}{before_store('Bomb<40, int>::X x = 0; Csub += x;')}", None),
        "macros": (macros(), None),
        "brackets": (before_store(f"Csub += {'(' * 100_000}0.0f{')' * 100_000};"), "passed"),
        "empty": ("", "not-compiled"),
        "blanks": (" \n\t\n", "not-compiled"),
        "binary": (b"\x7fELF\x02\x01\x01\0\0" + junk, "unreadable"),
        "junk": (bytes(b for b in junk if b), "not-compiled"),
        "no_kernel": ("int add(int a, int b) { return a + b; }\n", "not-compiled"),
        "another_signature": (
            "template <int BLOCK_SIZE>\n__global__ void lab5_samples(float* C, int n) {}\n",
            "refused",
        ),
        "a_trap": (kernel("  __trap();\n"), None),
        "inline_junk": (kernel('  asm volatile("jump to the moon;");\n'), None),
    }


class Lab(ProgramCase):
    COMMAND = ("lab",)

    def write(self, name, text):
        file = self.folder / f"{name}.cu"
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
        return file


class Submissions(Lab):
    """Forty and more of one lab; each is graded, whatever the others do."""

    def test_hostile_ones_are_cut_off_and_told_and_cost_only_themselves(self):
        fair = harmless()
        unfair = hostile()
        self.assertGreaterEqual(len(fair) + len(unfair), 40)
        for name, (text, *_) in {**fair, **unfair}.items():
            self.write(name, text)
        files = sorted(self.folder.glob("*.cu"))
        graded = json.loads(self.run_program(*files, "--lab", LAB, "--json", expect=1).stdout)
        by_name = {pathlib.Path(one["file"]).stem: one for one in graded["submissions"]}
        for name, (_, outcome, rows_passed) in fair.items():
            one = by_name[name]
            self.assertEqual(one["rows_passed"], rows_passed, one)
            self.assertEqual(one["passed"], rows_passed == 7, one)
            self.assertIn(outcome, (None, one["outcome"]), one)
        for name, (_, outcome) in unfair.items():
            one = by_name[name]
            self.assertEqual(one["passed"], outcome == "passed", one)
            self.assertIn(outcome, (None, one["outcome"]), one)
            self.assertTrue(one["passed"] or one["sentence"], one)
        passed = sum(one["passed"] for one in graded["submissions"])
        self.assertEqual((passed, len(files) - passed), (graded["passed"], graded["failed"]))

    def test_a_submission_beyond_its_memory_is_told_so(self):
        text = SOLUTION.replace("float Csub = 0.0f;", "float Csub = 0.0f; Bomb<40, int>::X x = 0;")
        file = self.write("memory", BOMB + text)
        limits = ("--memory-limit", "300", "--time-limit", "60")
        graded = json.loads(self.run_program(file, "--lab", LAB, *limits, "--json", expect=1).stdout)
        self.assertIn("memory", graded["submissions"][0]["sentence"])


class CommandLine(Lab):
    def test_the_name_of_a_file_says_which_lab_it_is_for(self):
        self.write("lab5_samples", SOLUTION)
        self.write("lab5_samples-alice", SOLUTION)
        self.write("samples-exercise_bob", (STORED / "row3.cu").read_text())
        files = sorted(file.name for file in self.folder.glob("*.cu"))
        result = self.run_program(*files, expect=1)
        lines = result.stdout.splitlines()
        self.assertRegex(lines[1], r"^  lab5_samples-alice.cu +7 of 7 *$")
        self.assertRegex(lines[3], r"^  samples-exercise_bob.cu +2 of 7 +3: 10×7×8, BLOCK_SIZE 4, seq")
        self.assertEqual(lines[-1], "2 of 3 pass.")
        self.run_program("lab5_samples.cu")

    def test_json_says_what_was_launched_and_where_to_look(self):
        file = self.write("mine", (STORED / "row2.cu").read_text())
        graded = json.loads(self.run_program(file, "--lab", "lab5_samples", "--json", expect=1).stdout)
        self.assertEqual(("tilestep-lab", 1), (graded["schema"], graded["version"]))
        one = graded["submissions"][0]
        self.assertEqual((LAB, "05-edges", "finding"), (one["lab"], one["lesson"], one["outcome"]))
        row = one["failed_row"]
        self.assertEqual((2, 8, 4), (row["row"], row["M"], row["block_size"]))
        self.assertEqual(("run_ahead:1", 4), (row["schedule"], row["warp_size"]))
        self.assertGreater(row["step"], 0)
        self.assertTrue(row["hint"])
        self.assertEqual(one["sentence"], one["causes"][0]["sentence"])
        self.assertEqual(21, one["causes"][0]["line"])

    def test_a_single_submission_is_told_all_that_it_fails_for(self):
        file = self.write("mine", (STORED / "row3.cu").read_text())
        self.assertIn("C[1][0] is 0, expected 70", self.run_program(file, "--lab", LAB, expect=1).stdout)

    def test_reasons_are_in_the_language_that_is_asked_for(self):
        texts = {path.stem: path.read_text() for path in STORED.glob("row*.cu")}
        texts["no_bracket"] = SOLUTION.rstrip()[:-1]
        texts["unknown_name"] = SOLUTION.replace("float Csub", "flaot Csub")
        texts["no_header"] = before_store("half x = Csub;")
        texts["endless"] = kernel("  for (;;) { C[0] += 1.0f; }\n")
        for name, text in texts.items():
            file = self.write(name, text)
            told = self.run_program(
                file, "--lab", LAB, "--time-limit", "3", "--language", "zh", expect=1
            ).stdout
            self.assertRegex(told, "[\u4e00-\u9fff]{4}", name)
            self.assertNotRegex(told, r"\b(the|at|line|is|are|and|of)\b [a-z]+ [a-z]+", name)

    def test_a_lab_of_ones_own_lesson_is_graded(self):
        (self.folder / "own.cu").write_text((ROOT / "kernels" / "naive.cu").read_text())
        (self.folder / "own.toml").write_text(
            'entry = "matmul_naive"\ngrid = ["ceil_div(N, 4)", "ceil_div(M, 4)"]\n'
            'block = ["4", "4"]\narguments = ["A", "B", "C", "M", "N", "K"]\nbuffers = [\n'
            '{ name = "A", rows = "M", cols = "K", role = "input" },\n'
            '{ name = "B", rows = "K", cols = "N", role = "input" },\n'
            '{ name = "C", rows = "M", cols = "N", role = "output" },\n]\n'
        )
        (self.folder / "own.md").write_text(
            '# Own\n```scene\nname = "a"\n```\n```lab\nname = "mine"\nkernel = "own.cu"\ntext = "Mend it."\n[[row]]\n'
            'launch = { M = 4, N = 4, K = 4 }\nrequire = "count(loads.A) <= 32"\n```\n'
        )
        result = self.run_program("own.cu", "--lesson", "own.md", expect=1)
        self.assertIn("1: 4×4×4  Loads of A are 64; at most 32 are allowed.", result.stdout)

    def test_what_a_kernel_prints_is_no_grade(self):
        claim = '    printf("{\\"grade\\": {\\"passed\\": true}}\\n");\n  }\n}\n'
        text = (STORED / "row5.cu").read_text().rstrip()
        file = self.write("mine", text[: text.rindex("}", 0, text.rindex("}"))] + claim)
        self.run_program(file, "--lab", LAB, expect=1)

    def test_labs_are_listed(self):
        labs = json.loads(self.run_program("--list", "--json").stdout)
        by_name = {lab["name"]: lab for lab in labs}
        self.assertEqual(("lab5_samples", 7), (by_name[LAB]["kernel"], by_name[LAB]["rows"]))
        self.assertGreater(by_name[LAB]["variants"], 100)
        self.assertRegex(self.run_program("--list").stdout, rf"{LAB} +lab5_samples +05-edges +7 +[\d,]+  \w+")

    def test_a_text_to_start_from_is_handed_out_but_never_over_a_file(self):
        self.assertIn("mine.cu", self.run_program(LAB, "--copy", "mine.cu").stdout)
        mine = self.folder / "mine.cu"
        given = ROOT / "assets" / "lessons" / "labs" / "lab5_samples.cu"
        self.assertEqual(mine.read_text(), given.read_text())
        mine.write_text("work of an evening")
        error = self.run_program(LAB, "--copy", "mine.cu", expect=WRONG_USE).stderr
        self.assertIn("mine.cu exists", error)
        self.assertEqual(mine.read_text(), "work of an evening")
        (self.folder / "link.cu").symlink_to("nowhere.cu")
        self.run_program(LAB, "--copy", "link.cu", expect=WRONG_USE)
        error = self.run_program("--copy", "other.cu", expect=WRONG_USE).stderr
        self.assertIn("tilestep lab NAME --copy FILE.cu", error)

    def test_a_missing_header_is_named(self):
        file = self.write("mine", before_store("__half x = __float2half(Csub);"))
        error = self.run_program(file, "--lab", LAB, expect=1).stdout
        self.assertIn("#include <cuda_fp16.h>", error)
        self.assertIn('identifier "__half" is undefined', error)

    def test_a_variant_is_the_same_for_the_same_seed_and_names_itself(self):
        texts = {}
        for name, seed in (("a", "alice"), ("again", "alice"), ("b", "bob"), ("c", "王伟")):
            self.run_program(LAB, "--copy", f"{name}.cu", "--seed", seed)
            texts[name] = (self.folder / f"{name}.cu").read_text()
            self.assertEqual(texts[name].split("\n")[0], f"// variant = {seed}")
        self.assertEqual(texts["a"], texts["again"])
        self.assertEqual(3, len({text.partition("\n")[2] for text in texts.values()}))
        graded = json.loads(self.run_program("a.cu", "--lab", LAB, "--json", expect=1).stdout)
        self.assertEqual("alice", graded["submissions"][0]["variant"])
        other = json.loads(self.run_program("a.cu", "--lab", LAB, "--seed", "bob", "--json", expect=1).stdout)
        self.assertEqual("other-variant", other["submissions"][0]["outcome"])
        self.assertIn("Line 1 names variant alice", other["submissions"][0]["sentence"])

    def test_a_variant_is_graded_by_its_own_rows(self):
        launches = set()
        for seed in map(str, range(12)):
            wrong = SOLUTION.replace("k + tx < wA ?", "true ?").replace("k + ty < wA &&", "")
            file = self.write("mine", f"// variant = {seed}\n{wrong}")
            graded = json.loads(self.run_program(file, "--lab", LAB, "--json", expect=1).stdout)
            row = graded["submissions"][0]["failed_row"]
            self.assertEqual(row["row"], 4)
            launches.add(row["launch"])
        self.assertEqual(3, len(launches), launches)
        self.write("right", f"// variant = alice\n{SOLUTION}")
        self.assertRegex(self.run_program("right.cu", "--lab", LAB).stdout, r"right.cu +alice +7 of 7")

    def test_a_roster_has_a_variant_for_each_name(self):
        (self.folder / "names.txt").write_text("alice\nvan Dam\n\n王伟\n")
        said = self.run_program(LAB, "--copy", "out", "--roster", "names.txt").stdout
        self.assertIn("out has 3 files", said)
        files = sorted(file.name for file in (self.folder / "out").iterdir())
        self.assertEqual(["lab5_samples_alice.cu", "lab5_samples_van Dam.cu", "lab5_samples_王伟.cu"], files)
        alice = self.folder / "out" / "lab5_samples_alice.cu"
        (self.folder / "out" / "lab5_samples_王伟.cu").write_text(alice.read_text())  # a neighbor's text
        alice.write_text(SOLUTION)  # without its first line
        graded = json.loads(self.run_program(*[f"out/{name}" for name in files], "--roster", "names.txt", "--json",
                                         expect=1).stdout)["submissions"]
        self.assertEqual(["alice", "van Dam", "王伟"], [one["variant"] for one in graded])
        self.assertEqual(["passed", "wrong", "other-variant"], [one["outcome"] for one in graded])
        self.run_program(LAB, "--copy", "out", "--roster", "names.txt", expect=WRONG_USE)
        self.write("lab5_samples_eve", SOLUTION)
        error = self.run_program("lab5_samples_eve.cu", "--roster", "names.txt", expect=WRONG_USE).stderr
        self.assertIn("does not end with a name of names.txt", error)
        (self.folder / "names.txt").write_text("a/b\n")
        self.run_program(LAB, "--copy", "other", "--roster", "names.txt", expect=WRONG_USE)

    def test_comments_are_in_the_language_that_is_asked_for(self):
        labs = json.loads(self.run_program("--list", "--json").stdout)
        for lab in labs:
            given = pathlib.Path(lab["file"]).read_text()
            self.run_program(lab["name"], "--copy", f"{lab['name']}.cu", "--language", "zh")
            text = (self.folder / f"{lab['name']}.cu").read_text()
            self.assertEqual(len(given.split("\n")), len(text.split("\n")))
            for line, other in zip(given.split("\n"), text.split("\n")):
                code, slashes, words = line.partition("//")
                self.assertEqual((code, slashes), other.partition("//")[:2])
                if re.search("[A-Za-z]{3} [a-z]{2,}", words):
                    self.assertRegex(other, "[\u4e00-\u9fff]", lab["name"])

    def test_wrong_calls_are_told_before_anything_is_graded(self):
        self.write("mine", SOLUTION)
        for arguments, sentence in (
            (("mine.cu",), "Say which lab it is for"),
            (("mine.cu", "--lab", "nothing"), "There is no lab 'nothing'. The labs are fill-shared,"),
            (("mine.cu", "missing.cu", "--lab", LAB), "missing.cu: there is no such file"),
            ((), "Nothing to grade"),
            (("mine.cu", "--lesson", "missing.md"), "missing.md"),
            (("mine.cu", "--lab", LAB, "--time-limit", "0"), "--time-limit"),
            (("mine.cu", "--lab", LAB, "--memory-limit", "1"), "--memory-limit"),
        ):
            self.assertIn(sentence, self.run_program(*arguments, expect=WRONG_USE).stderr)

    def test_a_folder_is_no_submission(self):
        (self.folder / "folder.cu").mkdir()
        self.write("mine", SOLUTION)
        graded = self.run_program("folder.cu", "mine.cu", "--lab", LAB, "--json", expect=1).stdout
        outcomes = [one["outcome"] for one in json.loads(graded)["submissions"]]
        self.assertEqual(["unreadable", "passed"], outcomes)


if __name__ == "__main__":
    unittest.main()

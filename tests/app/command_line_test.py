#!/usr/bin/env python3
"""The executable as a user's shell sees it: exit status, output, what happens without NVIDIA's
compiler. `command_line_test.py PROGRAM [TEST…]`"""

import json
import pathlib
import struct
import subprocess
import unittest
import xml.etree.ElementTree

from program_case import PROGRAM, WRONG_USE, ProgramCase

COMMANDS = (
    *("check", "describe", "trace", "counters", "occupancy", "origin", "uses", "run", "bench"),
    *("tune", "errors", "sums"),
    *("lab", "course", "doctor"),
)


SCALE = """__global__ void scale(float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    x[i] = 2.0f * x[i];
  }
}
"""


class Program(ProgramCase):
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
        checked = json.loads(result.stdout)
        self.assertEqual((checked["schema"], checked["version"]), ("tilestep-check", 1))
        findings = checked["findings"]
        race = next(finding for finding in findings if "race" in finding["kind"])
        first, second = race["parties"]
        self.assertNotEqual(first["thread"], second["thread"])
        self.assertNotEqual(first["line"], second["line"])
        self.assertRegex(race["element"], r"^[AB]s\[\d+\]\[\d+\]")

    def test_classes_of_blocks_are_enough_to_check(self):
        options = ("check", "tiled", "--size", "96", "--block", "8")
        text = self.run_program(*options, "--blocks", "classes").stdout
        self.assertIn("Executed 1 of 144 blocks.", text)
        self.assertIn("C is correct: 64 elements", text)
        self.assertIn("No findings.\n", text)
        result = json.loads(self.run_program(*options, "--blocks", "classes", "--json").stdout)
        self.assertEqual((result["blocks"], result["blocks_executed"]), (144, 1))
        self.assertEqual(result["comparison"]["compared"], 64)
        self.assertNotIn("Executed", self.run_program(*options).stdout)
        error = self.run_program(
            *("check", "tiled_no_guard", "--size", "9", "--block", "4", "--blocks", "classes"),
            expect=WRONG_USE,
        ).stderr
        self.assertIn("it could not be proved which blocks represent all others", error)

    def test_trace_prints_json(self):
        result = self.run_program("trace", "tiled", "--size", "4", "--block", "2", "--json")
        self.assertTrue(json.loads(result.stdout))

    def test_trace_and_counters_print_csv(self):
        trace = self.run_program("trace", "tiled", "--size", "4", "--block", "2", "--csv").stdout
        self.assertTrue(trace.startswith("statement,step,warp,line,event,"))
        launch = ("counters", "tiled", "--size", "64", "--block", "16")
        rows = [row.split(",") for row in self.run_program(*launch, "--csv").stdout.splitlines()]
        self.assertEqual((rows[0][0], rows[1][0]), ("line", "total"))
        self.assertEqual({len(row) for row in rows}, {len(rows[0])})
        column = rows[0].index("global_loads.sectors")
        total = json.loads(self.run_program(*launch, "--json").stdout)["total"]
        self.assertEqual(int(rows[1][column]), total["global_loads"]["sectors"])
        self.assertEqual(sum(int(row[column]) for row in rows[2:]), int(rows[1][column]))
        self.run_program("trace", "tiled", "--json", "--csv", expect=WRONG_USE)

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
        if code["machine_code"]["agrees"]:  # impossible without NVRTC
            self.assertEqual(code["total"]["shared_loads"]["wavefronts"], 118800)
            self.assertIn("LDS.128 R", json.dumps(code["accesses"]))
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

    def test_practice_asks_the_same_of_a_seed_and_answers(self):
        launch = ("practice", "tiled", "--size", "8", "--block", "4", "--count", "6", "--json", "--seed")
        once = json.loads(self.run_program(*launch, "7").stdout)
        self.assertEqual(once, json.loads(self.run_program(*launch, "7").stdout))
        self.assertNotEqual(once, json.loads(self.run_program(*launch, "8").stdout))
        self.assertEqual(len(once), 6)
        for question in once:
            self.assertNotIn(question["answer"], [wrong["value"] for wrong in question["wrong"]])
        here = self.run_program("practice", "tiled", "--size", "8", "--block", "4", "--at", "statement:8", "--of-thread", "6")
        self.assertIn("thread (2,1) of block (0,0)", here.stdout)
        self.run_program("practice", "tiled", "--at", "nowhere", expect=WRONG_USE)

    def test_a_lesson_is_checked_and_told_where_it_does_not_hold(self):
        lesson = pathlib.Path(self.folder) / "l.md"
        scene = '```scene\nname = "one"\nkernel = "naive"\nM = 2\n```\n'
        question = '```question\nname = "q"\nkind = "number"\ntext = "?"\nanswer = "M"\nright = "Because."\n[[wrong]]\nis = "%s"\n```\n'
        lesson.write_text(scene + question % "N")
        checked = json.loads(self.run_program("lesson", "check", lesson, "--json").stdout)
        self.assertEqual(checked[0]["mistakes"], [])
        answer, wrong = checked[0]["beats"][2]["said"]
        self.assertEqual((answer["what"], answer["value"], answer["line"]), ("answer", "2", 10))
        self.assertEqual((wrong["what"], wrong["value"]), ("wrong", "8"))
        lesson.write_text(scene + question % "2 + 0")
        result = self.run_program("lesson", "check", lesson, expect=1)
        self.assertIn("l.md:13: The answer 2 is listed as wrong, but it is the correct answer.", result.stderr)
        lesson.write_text(scene + question % "P")
        result = self.run_program("lesson", "check", lesson, expect=1)
        self.assertIn("l.md:13: 'P' is not an expression", result.stderr)
        self.run_program("lesson", "check", "nowhere.md", expect=WRONG_USE)
        self.run_program("lesson", expect=WRONG_USE)

    def test_the_lessons_that_ship_are_listed(self):
        listed = json.loads(self.run_program("lesson", "list", "--json").stdout)
        self.assertIn("03-two-barriers", [one["id"] for one in listed])
        self.assertTrue(all(one["minutes"] > 0 for one in listed))
        film = [one["id"] for one in listed if one["questions"] == 0]
        self.assertEqual(film, ["opening"], "every lesson asks, and the film does not")

    def test_sums_say_where_they_live_and_land(self):
        launch = ("register_tile_2d", "--size", "16", "--block", "4", "--of-thread", "6")
        sums = json.loads(self.run_program("sums", *launch, "--json").stdout)["sums"]
        self.assertEqual(len(sums), 16)
        of_c = {one["element"]: one for one in sums}
        self.assertEqual(of_c["C[5][6]"]["lives_in"], "acc[1][1]")
        self.assertEqual(len(of_c["C[5][6]"]["sum"]["terms"]), 16)
        self.assertTrue(of_c["C[5][6]"]["stored"])
        early = json.loads(self.run_program("sums", *launch, "--step", "0", "--json").stdout)["sums"]
        self.assertEqual({one["value"] for one in early}, {None})
        self.assertIn("acc[1][1]", self.run_program("sums", *launch).stdout)
        self.run_program("sums", "tiled", "--of-thread", "16", "--size", "8", "--block", "4", expect=WRONG_USE)

    def test_doctor_prints_json(self):
        result = subprocess.run([PROGRAM, "doctor", "--json"], capture_output=True, check=False)
        self.assertTrue(json.loads(result.stdout))

    def measured(self):
        """A data set of two rungs at two sizes, and of cuBLAS at one."""
        points = [
            {"kernel": kernel, "M": size, "N": size, "K": size, "block_size": 0, "verified": True,
             "samples_ms": [0.9 * ms, ms, 1.1 * ms]}
            for kernel, size, ms in (
                ("cublas", 512, 0.02),
                ("sliced_k:STAGES=3", 512, 0.016),
                ("warp_tile", 512, 0.04),
                ("warp_tile", 4096, 3.0),
            )
        ]
        provenance = dict.fromkeys(("driver", "cuda", "cublas", "host", "method"), "some")
        provenance |= {"gpu": "Some GPU", "date": "2026-11-26T10:00:00Z"}
        provenance |= dict.fromkeys(("sm_clock_mhz", "memory_clock_mhz", "max_sm_clock_mhz"), 0)
        data = {"format": "tilestep-timings", "version": 1, "provenance": provenance, "points": points}
        (self.folder / "x.json").write_text(json.dumps(data))

    def test_tune_makes_a_table_of_winners_that_best_by_size_takes(self):
        self.measured()
        text = self.run_program("tune", "--from", "x.json", "--table", "x.toml").stdout
        self.assertRegex(text, r"512×512×512 +sliced_k:STAGES=3 +16\.78 +10\.0% +125\.0% +150\.0% ahead of warp_tile")
        table = (self.folder / "x.toml").read_text()
        self.assertIn('kernel = "sliced_k:STAGES=3"', table)
        self.assertIn("cublas_ms = 0.02", table)
        data = json.loads(self.run_program("tune", "--from", "x.json", "--json").stdout)
        self.assertEqual([w["kernel"] for w in data["winners"]], ["sliced_k:STAGES=3", "warp_tile"])
        self.assertEqual(data["winners"][0]["values"]["STAGES"], 3)
        error = self.run_program("tune", "--kernels", "tiled", expect=WRONG_USE).stderr
        self.assertIn("'tiled' does not compete for best_by_size", error)

    def test_best_by_size_is_the_winner_of_the_size_and_says_so(self):
        result = self.run_program("check", "best_by_size", "--size", "40,72,36")
        self.assertRegex(result.stderr, r"\Abest_by_size at 40×72×36 uses split_k with BM = [^\n]+\n\Z")
        self.assertIn("No findings.", result.stdout)
        self.assertIn("Add --size", self.run_program("check", "best_by_size", expect=WRONG_USE).stderr)
        self.run_program("chart", "best_by_size", "--size", "512", "--page", "size", "--out", "x.csv")
        csv = (self.folder / "x.csv").read_text()
        self.assertRegex(csv, r'"Best by size, derived",measured,"h200",best_by_size,512,.*,sliced_k_small\n')

    def test_a_grid_of_three_dimensions_is_told_whole(self):
        result = self.run_program("check", "split_k_teaching")
        self.assertIn("16×16×64  2×2×2 blocks of 8×1 threads", result.stdout)

    def test_a_variation_of_a_kernel_is_a_kernel(self):
        result = self.run_program("check", "sliced_k:BM=32:BN=64:PORTION=16:SLICES=8", "--size", "40,72,36")
        self.assertIn("No findings.", result.stdout)


class WithoutCompiler(Program):
    def test_occupancy_says_what_it_lacks(self):
        self.without_compiler()
        error = self.run_program("occupancy", "tiled", expect=WRONG_USE).stderr
        self.assertIn("TILESTEP_NVRTC", error)
        self.assertNotIn("Until then", error)  # shipped PTX does not help here

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
        for command in ("film", "render"):
            self.assertIn(f"tilestep {command}", self.run_program(command, "--help").stdout)
        out = self.folder / "x.png"
        self.run_program("render", "tiled", "--at", "phase:1", "--pixels", "640x480", "--out", out)
        self.assertEqual(self.png_size(out), (640, 480))

    def test_render_draws_finer_and_the_stage_alone(self):
        out = self.folder / "x.png"
        picture = ("render", "tiled", "--at", "phase:1", "--pixels", "640x480", "--out", out)
        self.run_program(*picture, "--density", "3")
        self.assertEqual(self.png_size(out), (1920, 1440))
        self.run_program(*picture, "--stage-only")
        width, height = self.png_size(out)
        self.assertTrue(0 < width <= 640 and 0 < height < 480, (width, height))
        error = self.run_program(*picture, "--tab", "timing", "--stage-only", expect=WRONG_USE)
        self.assertIn("has no stage", error.stderr)

    def test_render_writes_an_svg_with_text_as_text(self):
        out = self.folder / "x.svg"
        launch = ("render", "tiled", "--size", "8", "--block", "4", "--at", "phase:1")
        self.run_program(*launch, "--pixels", "1600x900", "--out", out)
        svg = xml.etree.ElementTree.parse(out).getroot()
        space = "{http://www.w3.org/2000/svg}"
        self.assertEqual(svg.tag, f"{space}svg")
        self.assertEqual((svg.get("width"), svg.get("height")), ("1600", "900"))
        texts = ["".join(text.itertext()) for text in svg.iter(f"{space}text")]
        self.assertIn("tiled.cu", texts)
        self.assertIn("float acc = 0.0f;", texts)
        sentences = [t for t in texts if t.startswith("16 threads read a column of As and a row of Bs.")]
        self.assertEqual(len(sentences), 1, texts)
        cells = [rect for rect in svg.iter(f"{space}rect") if rect.get("class") == "cell"]
        self.assertGreaterEqual(len(cells), 3 * 64 + 3 * 16)  # A, B and C; As, Bs and acc

    def test_render_compares_two_runs(self):
        out = self.folder / "x.svg"
        launch = ("render", "tiled", "--size", "8", "--at", "phase-end:1", "--out", out)
        self.run_program(*launch, "--compare", "naive:2")
        svg = xml.etree.ElementTree.parse(out).getroot()
        texts = ["".join(t.itertext()) for t in svg.iter("{http://www.w3.org/2000/svg}text")]
        self.assertIn("Naive · BLOCK_SIZE 2", texts)
        self.assertIn("Both sides add the same 32 products to 4 elements.", texts)
        for wrong in ("nosuch", "tiled:x", "tiled:99"):
            error = self.run_program(*launch, "--compare", wrong, expect=WRONG_USE).stderr
            self.assertIn(f"--compare {wrong}: ", error)

    def test_render_shows_the_fast_build_alone_or_beside_the_step_build(self):
        out = self.folder / "x.svg"
        launch = ("render", "tiled", "--size", "8", "--at", "end", "--out", out)

        def texts_of(*more):
            self.run_program(*launch, *more)
            svg = xml.etree.ElementTree.parse(out).getroot()
            return ["".join(t.itertext()) for t in svg.iter("{http://www.w3.org/2000/svg}text")]

        beside = texts_of("--compare", "fast")
        self.assertIn("Tiled · fast build", beside)
        self.assertIn("Both sides add the same 128 products to 16 elements.", beside)
        alone = texts_of("--build", "fast")
        self.assertTrue(any(text.endswith("· fast build") for text in alone), alone)
        self.assertIn("Tiled · step build", texts_of("--build", "fast", "--compare", "step"))

    def test_a_scene_with_an_edited_kernel_is_the_same_in_a_fresh_home(self):
        scene = (
            'version = 1\nkernel = "scale.cu"\nblock_size = 4\nN = 8\nM = 1\nK = 1\nstep = 12\n'
            f"edited_source = '''\n{SCALE}// edited\n'''\n"
            "[own_kernel]\ndescription = '''\n"
            'entry = "scale"\ngrid = "ceil_div(N, BLOCK_SIZE)"\nblock = "BLOCK_SIZE"\n'
            'source = "scale.cu"\nreference = ""\narguments = ["x", "N"]\n'
            'buffers = [{ name = "x", cols = "N", role = "inout", input = { csv = "8,7,6,5,4,3,2,1" } }]\n'
            f"'''\ntext = '''\n{SCALE}'''\n"
        )
        picture = ("--pixels", "1280x720", "--out")
        pictures = []
        for home in ("one", "two"):
            folder = self.folder / home
            folder.mkdir()
            self.environment["HOME"] = str(folder)
            self.environment["XDG_CACHE_HOME"] = str(folder / "cache")
            (folder / "s.toml").write_text(scene)
            self.run_program("render", "--scene", folder / "s.toml", *picture, folder / "x.png")
            pictures.append((folder / "x.png").read_bytes())
        self.assertEqual(pictures[0], pictures[1])
        start = self.folder / "start.png"
        self.run_program("render", "--scene", "one/s.toml", "--at", "start", *picture, start)
        self.assertNotEqual(start.read_bytes(), pictures[0])
        wrong = self.run_program("render", "naive", "--scene", "one/s.toml", expect=WRONG_USE)
        self.assertIn("Leave out the options for them", wrong.stderr)
        wrong = self.run_program("render", "--scene", "none.toml", expect=WRONG_USE)
        self.assertIn("none.toml", wrong.stderr)

    def test_a_picture_of_another_format_is_wrong_use(self):
        for out in ("x.jpg", "x", ".svg"):
            error = self.run_program("render", "tiled", "--out", out, expect=WRONG_USE).stderr
            self.assertIn(f"--out {out}: ", error)
            self.assertIn("Choose a name that ends in .png or .svg", error)

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

    def test_a_lesson_is_a_hand_out_with_pictures(self):
        scene = 'name = "one"\nkernel = "naive"\nM = 4\nN = 4\nK = 4\n'
        text = f"# A\n\n## B · 乙\n\n```scene\n{scene}```\n\n[en]\n{{{{ M }}}} rows\n\n[zh]\n{{{{ M }}}} 行\n"
        (self.folder / "l.md").write_text(text)
        size = ("--pixels", "640x360")
        self.run_program("lesson", "handout", "l.md", "--language", "zh", *size, "--out", "x.md")
        paper = "# A\n\n## 乙\n\n![乙](<x_pictures/01-one.png>)\n\n4 行\n"
        self.assertEqual(paper, (self.folder / "x.md").read_text())
        self.assertLess(self.png_size(self.folder / "x_pictures" / "01-one.png"), (640, 360))
        arguments = ("lesson", "handout", "l.md", "--language", "de", "--out", "y.md")
        self.assertIn("Available: en, zh", self.run_program(*arguments, expect=WRONG_USE).stderr)
        self.assertFalse((self.folder / "y.md").exists())

    def test_a_lesson_is_drawn_at_its_beats(self):
        picture = ("--pixels", "640x480", "--out")
        drawn = []
        for beat in ("1", "2"):
            out = self.folder / f"beat-{beat}.png"
            self.run_program("render", "--lesson", "3", "--beat", beat, *picture, out)
            drawn.append(out.read_bytes())
        self.assertNotEqual(drawn[0], drawn[1])
        self.run_program("render", "--lesson", "14", "--beat", "2", *picture, out)  # does not compile
        error = self.run_program("render", "--lesson", "3", "--beat", "99", expect=WRONG_USE).stderr
        self.assertIn("--beat 99: this lesson has beats 1 to", error)
        error = self.run_program("render", "--lesson", "99", expect=WRONG_USE).stderr
        self.assertIn("there is no lesson '99'", error)
        lesson = '# A\n\n## One\n```scene\nname = "a"\n```\nWords.\n```scene\nname = "b"\n```\n'
        (self.folder / "a.md").write_text(lesson)
        self.run_program("scenes", "--lesson", "a.md", "--beats", *picture, self.folder / "beats")
        names = sorted(p.name for p in (self.folder / "beats").glob("*.png"))
        self.assertEqual(names, ["01-a.png", "02-b.png"])
        self.run_program("scenes", "--lesson", "a.md", "--svg", *picture, self.folder / "both")
        names = sorted(p.name for p in (self.folder / "both").iterdir())
        self.assertEqual(names, ["a.png", "a.svg", "b.png", "b.svg"])
        self.assertIn("</text>", (self.folder / "both" / "a.svg").read_text())

    def test_a_session_may_stand_before_what_opens_a_window(self):
        for command in (("--fresh", "lesson", "5"), ("--session", "x", "lesson", "5")):
            self.assertIn("No display", self.run_program(*command, expect=WRONG_USE).stderr)
        error = self.run_program("--fresh", "check", "tiled", expect=WRONG_USE).stderr
        self.assertIn("Write it after: tilestep check --fresh.", error)

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

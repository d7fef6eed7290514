#!/usr/bin/env python3
"""Each rule must be able to fail: small trees that break one, and one that breaks none."""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import rooms
import rules

SCRIPT = pathlib.Path(__file__).parents[2] / "scripts" / "readme_table.py"


class Rules(unittest.TestCase):
    def broken(self, rule, tree):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for path, text in tree.items():
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text(text, encoding="utf-8")
            return list(rules.RULES[rule](root))

    def test_a_room_may_include_what_stands_left_of_it(self):
        tree = {"app/simt/machine.h": '#include "ptx/module.h"\n#include <vector>\n'}
        self.assertEqual(self.broken("includes", tree), [])

    def test_a_room_may_not_include_what_stands_right_of_it(self):
        found = self.broken("includes", {"app/ptx/loader.cpp": '\n#include "simt/machine.h"\n'})
        self.assertEqual(found, ['app/ptx/loader.cpp:2: ptx must not know simt ("simt/machine.h")'])

    def test_the_machine_knows_no_thread(self):
        found = self.broken("includes", {"app/simt/machine.cpp": "#include <thread>\n"})
        self.assertEqual(found, ["app/simt/machine.cpp:1: simt must not know <thread>"])

    def test_only_drawing_rooms_know_imgui(self):
        self.assertEqual(self.broken("includes", {"app/ui/panel.cpp": "#include <imgui.h>\n"}), [])
        for room in ("record", "workspace", "cli"):
            found = self.broken("includes", {f"app/{room}/a.cpp": "#include <imgui.h>\n"})
            self.assertEqual(len(found), 1, room)

    def test_the_command_line_does_not_know_the_window(self):
        line = '#include "platform/window.h"\n'
        self.assertEqual(len(self.broken("includes", {"app/cli/check_command.cpp": line})), 1)
        self.assertEqual(self.broken("includes", {"app/main.cpp": line}), [])

    def test_an_unknown_room_is_told_to_register(self):
        self.assertEqual(len(self.broken("includes", {"app/attic/a.h": "#include <vector>\n"})), 1)

    def test_a_private_header_that_another_room_includes_is_found(self):
        tree = {
            "app/ptx/CMakeLists.txt": "HEADERS a.h)\n",
            "app/simt/a.cpp": '#include "ptx/a.h"\n#include "ptx/b.h"\n',
            "app/ptx/c.cpp": '#include "ptx/b.h"\n',
        }
        found = self.broken("headers_listed", tree)
        self.assertEqual(found, ["app/simt/a.cpp:2: add b.h to HEADERS in app/ptx/CMakeLists.txt"])

    def test_a_wing_knows_only_the_wings_of_its_row(self):
        line = '#include "simt/machine/machine.h"\n'
        self.assertEqual(self.broken("includes", {"app/simt/machine/a.cpp": line}), [])
        found = self.broken("includes", {"app/simt/exec/a.cpp": line})
        self.assertEqual(
            found, ['app/simt/exec/a.cpp:1: simt/exec must not know simt/machine ("simt/machine/machine.h")']
        )

    def test_an_unknown_wing_is_told_to_register(self):
        line = '#include "simt/state/event.h"\n'
        found = self.broken("includes", {"app/simt/attic/a.cpp": line})
        self.assertEqual(len(found), 1)

    def test_no_wing_knows_one_that_knows_it(self):
        for wing, others in rooms.WINGS.items():
            if wing.split("/")[0] == "ui":
                continue  # panels draw pages, pages use widgets
            for other in others:
                self.assertNotIn(wing, rooms.WINGS[other], f"{wing} and {other}")

    def test_a_source_without_its_header_is_found(self):
        good = {"app/ptx/a.h": "", "app/ptx/a.cpp": "", "app/ptx/a_b_c.cpp": "", "app/main.cpp": ""}
        self.assertEqual(self.broken("sources_named", good), [])
        self.assertEqual(len(self.broken("sources_named", {**good, "app/ptx/ab.cpp": ""})), 1)
        self.assertEqual(len(self.broken("sources_named", {**good, "app/ptx/text/a.cpp": ""})), 1)

    def test_another_header_before_the_own_one_is_found(self):
        tree = {"app/ptx/a.h": "", "app/ptx/a.cpp": '#include "ptx/a.h"\n#include "ptx/b.h"\n'}
        self.assertEqual(self.broken("own_header_first", tree), [])
        tree["app/ptx/a.cpp"] = '#include <vector>\n#include "ptx/a.h"\n'
        self.assertEqual(len(self.broken("own_header_first", tree)), 1)

    def test_a_using_that_nothing_uses_is_found(self):
        used = "using std::vector;\nvector<int> v;\n"
        self.assertEqual(self.broken("unused_using", {"app/ptx/a.cpp": used}), [])
        self.assertEqual(len(self.broken("unused_using", {"app/ptx/a.cpp": "using std::vector; // vector\n"})), 1)

    def test_the_501st_line_is_found(self):
        self.assertEqual(self.broken("file_size", {"app/ptx/a.cpp": "\n" * 500}), [])
        self.assertEqual(len(self.broken("file_size", {"app/ptx/a.cpp": "\n" * 501})), 1)

    def test_globs_are_found(self):
        found = self.broken("no_glob", {"app/CMakeLists.txt": "file(GLOB sources *.cpp)\n"})
        self.assertEqual(len(found), 1)

    def test_habits_are_found(self):
        for line in ("using namespace std;", "  static int calls = 0;", "// " + "TODO"):
            self.assertEqual(len(self.broken("source_habits", {"app/ui/a.cpp": line + "\n"})), 1, line)

    def test_odd_comments_are_found(self):
        for comment in (
            "int a = 1;  // where it stands",
            "// Of side 1.",
            "// Whatever.\n// Which is told",
        ):
            found = self.broken("comments_plain", {"app/ui/a.cpp": comment + "\n"})
            self.assertEqual(len(found), 1, comment)
        for comment in ('say("// it stands");', "// M stands for rows", "// a block\n// of threads"):
            self.assertEqual(self.broken("comments_plain", {"app/ui/a.cpp": comment + "\n"}), [], comment)

    def test_harmless_lines_are_left_alone(self):
        lines = (
            "  static constexpr int kSize = 4;",
            "  static void wake();",
            "  static_assert(sizeof(int) == 4);",
            "  [[nodiscard]] static Window make(int width = 4);",
        )
        for line in lines:
            self.assertEqual(self.broken("source_habits", {"app/ui/a.h": line + "\n"}), [], line)

    def test_a_long_line_of_a_doc_is_found(self):
        tree = {"docs/a.md": "x" * 160 + "\n| " + "x" * 160 + " |\n"}
        self.assertEqual(self.broken("docs_columns", tree), [])
        self.assertEqual(len(self.broken("docs_columns", {"docs/a.md": "x" * 161})), 1)

    def test_what_a_doc_names_and_is_not_there_is_found(self):
        tree = {
            "app/simt/state/event.h": "struct Observer {};\n",
            "docs/b.md": "# One, two\n",
            "docs/a.md": "`simt/state/event.h: Observer` `app/simt: Observer` `event.h` `simt::Observer` [b](b.md#one-two) `x/y`\n`a: b`",
        }
        self.assertEqual(self.broken("docs_name_what_exists", tree), [])
        tree["assets/lessons/a.md"] = "[naive](#kernel=naive)\n"
        self.assertEqual(self.broken("docs_name_what_exists", tree), [])
        tree["assets/lessons/a.md"] = "[naive](#naive)\n"
        self.assertEqual(len(self.broken("docs_name_what_exists", tree)), 1)
        del tree["assets/lessons/a.md"]
        for word in (
            "`simt/state/events.h`",
            "`app/simt/event.h`",
            "`events.h`",
            "`simt/state/event.h: Observers`",
            "`app/simt: Observers`",
            "`app/other: Observer`",
            "`simt::Observers`",
            "[b](c.md)",
            "[b](b.md#two)",
        ):
            found = self.broken("docs_name_what_exists", {**tree, "docs/a.md": f"text\n{word}\n"})
            self.assertEqual([line.split(":")[:2] for line in found], [["docs/a.md", "2"]], word)

    def test_a_comment_that_names_a_missing_file_is_found(self):
        tree = {"docs/b.md": "", "app/ui/b.cpp": "", "scripts/b.py": "# see docs/b.md\n"}
        good = "// see b.cpp, ui/b.cpp,\n// app/ui/b.cpp and docs/b.md"
        self.assertEqual(self.broken("comments_name_what_exists", {**tree, "app/ui/a.cpp": good}), [])
        for comment in ("see gone.cpp", "see ui/other/b.cpp", "two lines,\n// and docs/c.md"):
            found = self.broken("comments_name_what_exists", {**tree, "app/ui/a.cpp": f"// {comment}\n"})
            self.assertEqual(found, [f"app/ui/a.cpp:1: no such file: {comment.split()[-1]}"])
        found = self.broken("comments_name_what_exists", {**tree, "scripts/a.py": "x = 1  # see docs/c.md\n"})
        self.assertEqual(found, ["scripts/a.py:1: no such file: docs/c.md"])

    def test_a_stale_table_of_the_readme_is_found(self):
        point = {"M": 4096, "N": 4096, "K": 4096, "verified": True, "samples_ms": [2.0]}
        unaligned = {**point, "M": 1001, "N": 1001, "K": 1001}
        provenance = {"gpu": "G", "driver": "1", "cublas": "2", "date": "2026-11-22T00:00:00Z"}
        data = {
            "provenance": provenance,
            "points": [
                {**point, "kernel": "cublas", "block_size": 0, "samples_ms": [1.0]},
                {**point, "kernel": "tiled", "block_size": 16},
                {**point, "kernel": "tiled", "block_size": 8, "samples_ms": [1.5], "verified": False},
                {**point, "kernel": "wrong", "block_size": 8},
                {**point, "kernel": "tensor", "block_size": 0, "samples_ms": [0.5]},
                {**unaligned, "kernel": "cublas", "block_size": 0, "samples_ms": [1.0]},
                {**unaligned, "kernel": "tensor", "block_size": 0, "samples_ms": [2.0]},
                {**unaligned, "kernel": "strict", "block_size": 0, "samples_ms": []},
            ],
        }
        kernel = '[[kernel]]\nid = "{}"\nfamily = "{}"\nsummary = "S."\n'
        markers = "<!-- kernels: written by scripts/readme_table.py -->\n{}<!-- end of kernels -->\n"
        kernels = [kernel.format(*k) for k in (("tiled", "Tiles"), ("wrong", "Broken on purpose"), ("tensor", "Tiles"))]
        kernels += ['arithmetic = "tf32x3"\n', kernel.format("strict", "Tiles") + 'arithmetic = "tf32x3"\n']
        tree = {
            "assets/timings/h200.json": json.dumps(data),
            "kernels/catalog.toml": "".join(kernels),
            "README.md": markers.format("| `tiled` | 0 |\n"),
        }
        self.assertEqual(self.broken("readme_table", tree), ["README.md:1: run scripts/readme_table.py"])
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for path, text in tree.items():
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text(text, encoding="utf-8")
            subprocess.run([sys.executable, "-B", SCRIPT, folder], check=True)
            self.assertEqual(list(rules.RULES["readme_table"](root)), [])
            written = (root / "README.md").read_text(encoding="utf-8")
        self.assertIn("| `tiled` | 68,719 | 50.0% | 16 | S. |", written)
        self.assertIn("| `wrong` | – | – | – | S. |", written)
        self.assertIn("| `tensor` | 274,878 | 200.0% ² | – | S. |", written)
        self.assertIn("at 1001×1001×1001 `tensor` has 50.0% of cuBLAS, `strict` cannot run.", written)

    def test_reading_an_instruction_s_text_is_found(self):
        line = "const auto text = ptx::instruction_text(module, i);  // as it stands\n"
        found = self.broken("decoded_once", {"app/simt/bind/bind.cpp": "\n" + line})
        self.assertEqual(
            found, ["app/simt/bind/bind.cpp:2: read the instruction's fields instead of instruction_text"]
        )
        opcode = {"app/insight/check/order.h": "ptx::opcode_text(module, i) == name;\n"}
        self.assertEqual(len(self.broken("decoded_once", opcode)), 1)

    def test_showing_an_instruction_s_text_is_allowed(self):
        line = "fault.detail = ptx::instruction_text(module, i);\n"
        for path in (*rules.SHOWS_INSTRUCTION_TEXT, "app/ptx/text/assemble.cpp"):
            self.assertEqual(self.broken("decoded_once", {path: line}), [], path)
        comment = {"app/simt/a.cpp": "// as instruction_text says\n"}
        self.assertEqual(self.broken("decoded_once", comment), [])

    def test_bad_format_is_found(self):
        self.assertEqual(self.broken("formatting", {"app/ui/a.cpp": "int a = 1;\n"}), [])
        self.assertEqual(len(self.broken("formatting", {"app/ui/a.cpp": "int   a=1 ;\n"})), 1)


if __name__ == "__main__":
    unittest.main()

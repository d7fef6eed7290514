#!/usr/bin/env python3
"""`tilestep course` as a teacher uses it: a kit without the programs that print and film, and a folder of what
students handed in. `course_test.py PROGRAM [TEST…]`"""

import csv
import ctypes
import ctypes.util
import json
import unittest

from program_case import ROOT, WRONG_USE, ProgramCase

INCOMPLETE = 1
SOLUTION = (ROOT / "tests" / "course" / "labs" / "lab5_samples" / "solution.cu").read_text()
STARTER = (ROOT / "assets" / "lessons" / "labs" / "lab5_samples.cu").read_text()


class Digest(ctypes.Structure):
    _fields_ = (("low", ctypes.c_uint64), ("high", ctypes.c_uint64))


def handed_in(student, lessons):
    """A file of "Hand in progress …"."""
    progress = {"lessons": lessons, "schema": "tilestep-progress", "student": student, "version": 1}
    body = (json.dumps(progress, indent=2, sort_keys=True, ensure_ascii=False) + "\n").encode()
    schema = progress["schema"].encode()
    hashed = b"".join(len(part).to_bytes(8, "little") + part for part in (schema, body))
    library = ctypes.CDLL(ctypes.util.find_library("xxhash"))
    library.XXH3_128bits.restype = Digest
    library.XXH3_128bits.argtypes = (ctypes.c_char_p, ctypes.c_size_t)
    digest = library.XXH3_128bits(hashed, len(hashed))
    return json.dumps({**progress, "check": f"{digest.high:016x}{digest.low:016x}"})


class Course(ProgramCase):
    COMMAND = ("course",)


class Kit(Course):
    def test_without_the_typesetter_there_is_html_and_a_sentence(self):
        (self.folder / "bin").mkdir()
        self.environment["PATH"] = str(self.folder / "bin")
        result = self.run_program("kit", "2", "--out", "kit", "--language", "zh", expect=INCOMPLETE)
        self.assertIn("sudo apt install weasyprint", result.stderr)
        self.assertIn("sudo apt install ffmpeg", result.stderr)
        lesson = self.folder / "kit" / "02-shared"
        for kind in ("guide", "handout", "key", "slides"):
            page = (lesson / f"{kind}.html").read_text()
            self.assertIn('<html lang="zh">', page)
            self.assertIn(f'<body class="{kind}">', page)
            self.assertNotIn("{{", page)
            for picture in page.split('<img src="')[1:]:
                self.assertTrue((lesson / picture.split('"')[0]).is_file(), picture)
        self.assertIn('<a href="02-shared/slides.html">', (self.folder / "kit" / "index.html").read_text())
        self.assertTrue((self.folder / "kit" / "fonts" / "Roboto-Regular.ttf").is_file())

    def test_an_unknown_lesson_is_named(self):
        said = self.run_program("kit", "99", "--out", "kit", expect=WRONG_USE).stderr
        self.assertIn("there is no lesson '99'", said)


class Grade(Course):
    def rows(self, name):
        with open(self.folder / name, encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    def test_submissions_are_graded_into_the_gradebook(self):
        handed_in = self.folder / "handed-in"
        ann = handed_in / "Ann Example_4711_assignsubmission_file_"
        ann.mkdir(parents=True)
        (ann / "lab5_samples.cu").write_text(SOLUTION)
        (handed_in / "lab5_samples_bob.cu").write_text(STARTER)
        (handed_in / "Cid_12_assignsubmission_file_lab5_samples.cu").write_text(SOLUTION)
        (handed_in / "progress.json").write_text("{}")
        (handed_in / "lab5_samples.cu").write_text(SOLUTION)
        (self.folder / "list.csv").write_text("First name,Last name,ID number\nAnn,Example,17\nCid,,18\n")
        result = self.run_program(
            *("grade", "handed-in", "--csv", "grades.csv", "--moodle", "moodle.csv"),
            *("--participants", "list.csv"),
        )
        self.assertIn("progress.json: this is not a progress that was handed in.", result.stderr)
        self.assertIn("lab5_samples.cu: the file name does not name a student.", result.stderr)
        self.assertIn("bob has no ID number", result.stderr)
        labs = {row["name"]: row for row in self.rows("grades.csv") if row["kind"] == "lab"}
        correct = {name: row["correct"] for name, row in labs.items()}
        self.assertEqual(correct, {"Ann Example": "1", "bob": "0", "Cid": "1"})
        self.assertEqual(labs["Ann Example"]["item"], "samples-exercise")
        self.assertEqual(labs["Ann Example"]["points"], "1")
        self.assertLess(float(labs["bob"]["points"]), 1)
        moodle = {row["Name"]: row for row in self.rows("moodle.csv")}
        self.assertEqual(moodle["Ann Example"]["ID number"], "17")
        self.assertGreater(float(moodle["Ann Example"]["Tilestep 05-edges"]), 0)

    def test_a_text_that_is_kept_in_the_progress_is_graded(self):
        def lesson(text):
            lab = {"passed": True, "failures": 0, "text": text}
            return {"version": "", "beats": [], "at": "", "answers": {}, "labs": {"samples-exercise": lab}, "seconds": {}}

        (self.folder / "in").mkdir()
        for student, text in (("Ann", SOLUTION), ("Bob", STARTER)):
            (self.folder / "in" / f"{student}.json").write_text(handed_in(student, {"05-edges": lesson(text)}))
        self.run_program("grade", "in", "--csv", "grades.csv")
        labs = {row["name"]: row["correct"] for row in self.rows("grades.csv") if row["kind"] == "lab"}
        self.assertEqual(labs, {"Ann": "1", "Bob": "0"}, "whatever the progress says")

    def test_an_empty_folder_is_said(self):
        (self.folder / "empty").mkdir()
        said = self.run_program("grade", "empty", expect=WRONG_USE).stderr
        self.assertIn("there is nothing to grade", said)
        said = self.run_program("grade", "none", expect=WRONG_USE).stderr
        self.assertIn("there is no such folder", said)


if __name__ == "__main__":
    unittest.main()

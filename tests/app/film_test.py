"""Films from a shell: what ffmpeg reads in them, frame by frame, and what is said without it."""

import json
import shutil
import signal
import subprocess
import unittest

from program_case import PROGRAM, WRONG_USE, ProgramCase

INTERRUPTED = 1
RATE = 25
LAUNCH = ("tiled", "--size", "4", "--block", "2")


def differ(one, other):
    """Two pictures, by more than H.264 loses."""
    return sum(abs(a - b) > 8 for a, b in zip(one, other)) > 4


class Film(ProgramCase):
    COMMAND = ("film",)

    def setUp(self):
        super().setUp()
        self.environment["TMPDIR"] = str(self.folder)

    def film(self, *arguments, pixels="640x360", expect=0, launch=LAUNCH):
        return self.run_program(*launch, "--pixels", pixels, *arguments, expect=expect)

    def probe(self, file):
        """The film's stream, and how many pictures it has."""
        entries = "stream=codec_name,pix_fmt,width,height,r_frame_rate,nb_read_frames"
        said = subprocess.run(
            ["ffprobe", "-v", "error", "-count_frames", "-show_entries", entries, "-of", "json", file],
            capture_output=True,
            check=True,
        ).stdout
        return json.loads(said)["streams"][0]

    def pictures(self, file):
        """Every picture's pixels, in grey and small."""
        side = 64
        raw = subprocess.run(
            ["ffmpeg", "-v", "error", "-i", file, "-vf", f"scale={side}:{side},format=gray"]
            + ["-f", "rawvideo", "-"],
            capture_output=True,
            check=True,
        ).stdout
        size = side * side
        return [raw[i : i + size] for i in range(0, len(raw), size)]

    def need_ffmpeg(self):
        if shutil.which("ffmpeg") is None:
            self.skipTest("ffmpeg is not installed")

    def test_a_lesson_is_filmed_beat_by_beat_and_a_question_twice(self):
        question = '```question\nname = "q"\nkind = "number"\ntext = "K?"\nat = "a"\nanswer = "K"\n```\n'
        lesson = '# A\n\n## One\n```scene\nname = "a"\n```\nWords.\n' + question + '```scene\nname = "b"\n```\n'
        (self.folder / "a.md").write_text(lesson)
        out = self.folder / "a.mp4"
        self.film("--pace", 5, "--out", out, launch=("--lesson", "a.md"))
        self.assertEqual(int(self.probe(out)["nb_read_frames"]), 4 * RATE // 5)
        captions = (self.folder / "a.en.vtt").read_text()
        self.assertTrue(captions.startswith("WEBVTT\n\n00:00:00.000 --> 00:00:00.200\nWords.\n"), captions)
        self.assertIn("Answer: 8", captions)
        self.assertTrue((self.folder / "a.zh.vtt").exists())

    def test_the_phases_that_lead_to_a_scene_are_played(self):
        self.need_ffmpeg()
        scene = '```scene\nname = "{}"\nkernel = "tiled"\nM = 4\nN = 4\nK = 4\nblock_size = 2\nplace = "{}"\n```\n'
        places = (("a", "start"), ("b", "phase-end:1"))
        lesson = "# A\n\n## One\n" + "".join(scene.format(*place) for place in places)
        (self.folder / "a.md").write_text(lesson)
        out = self.folder / "a.mp4"
        self.film("--pace", 5, "--out", out, launch=("--lesson", "a.md"))
        frames = int(self.probe(out)["nb_read_frames"])
        self.assertEqual(frames, 2 * RATE // 5 + 2 * 4 * RATE)  # two beats, two phases of 4 s

    def test_an_mp4_plays_everywhere_and_goes_from_place_to_place(self):
        self.need_ffmpeg()
        out = self.folder / "x.mp4"
        self.film("--from", "start", "--to", "phase:1", "--pace", 5, "--still", "--out", out)
        film = self.probe(out)
        self.assertEqual((film["codec_name"], film["pix_fmt"]), ("h264", "yuv420p"))
        self.assertEqual((film["width"], film["height"]), (640, 360))
        self.assertEqual(int(film["nb_read_frames"]), 3 * RATE // 5)  # start, phase 0, phase 1
        self.assertLess(out.read_bytes().index(b"moov"), out.read_bytes().index(b"mdat"))
        shown = self.pictures(out)
        places = [shown[2], shown[7], shown[12]]
        for i, one in enumerate(places):
            for other in places[i + 1 :]:
                self.assertTrue(differ(one, other))

    def test_a_gif_has_the_same_pictures(self):
        self.need_ffmpeg()
        out = self.folder / "x.gif"
        self.film("--to", "phase:0", "--pace", 5, "--still", "--out", out)
        self.assertEqual(out.read_bytes()[:6], b"GIF89a")
        self.assertIn(b"NETSCAPE2.0", out.read_bytes())  # it repeats
        self.assertGreaterEqual(len(self.pictures(out)), 2)
        left = sorted(path.name for path in self.folder.iterdir())
        self.assertEqual(left, ["cache", "x.gif"], "nothing in between is left")

    def test_an_interrupted_film_ends_soon_and_leaves_nothing(self):
        self.need_ffmpeg()
        with subprocess.Popen(
            [PROGRAM, "film", *LAUNCH, "--pace", "0.1", "--tell-progress", "--out", "x.mp4"],
            env=self.environment,
            cwd=self.folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as film:
            film.stdout.readline()  # it has begun
            film.terminate()
            _, error = film.communicate(timeout=20)
        self.assertIn(film.returncode, (INTERRUPTED, 128 + signal.SIGTERM), error)
        if film.returncode == INTERRUPTED:
            self.assertIn("The film was stopped", error)
            self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["cache"])

    def test_phases_play(self):
        self.need_ffmpeg()
        out = self.folder / "x.mp4"
        self.film("--to", "phase:0", "--pace", 1, "--out", out)
        shown = self.pictures(out)
        self.assertEqual(len(shown), 2 * RATE)
        moving = [differ(a, b) for a, b in zip(shown[RATE:], shown[RATE + 1 :])]
        self.assertGreater(sum(moving[: RATE // 2]), 5, "in the first half it moves")
        self.assertEqual(sum(moving[-3:]), 0, "at the end it stands")

    def test_odd_sizes_become_even(self):
        self.need_ffmpeg()
        out = self.folder / "x.mp4"
        film = ("--to", "phase:0", "--pace", 25, "--still", "--out", out)
        self.film(*film, pixels="641x361")
        film = self.probe(out)
        self.assertEqual((film["width"], film["height"]), (640, 360))

    def test_without_ffmpeg_it_says_what_to_install(self):
        self.environment["PATH"] = str(self.folder)
        for name in ("x.mp4", "x.gif"):
            error = self.film("--out", self.folder / name, expect=WRONG_USE).stderr
            self.assertIn("sudo apt install ffmpeg", error)
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["cache"])

    def test_places_that_are_none_are_a_sentence(self):
        for arguments, words in (
            (("--from", "nowhere"), "is not a place in a run"),
            (("--to", "phase:99"), "There is no phase 99"),
            (("--from", "phase:1", "--to", "phase:0"), "Choose a later end"),
            (("--out", "x.avi"), "Choose a name that ends in .gif or .mp4"),
            (("--out", "no/such/folder/x.mp4"), "cannot be written"),
        ):
            self.assertIn(words, self.film(*arguments, expect=WRONG_USE).stderr)


if __name__ == "__main__":
    unittest.main()

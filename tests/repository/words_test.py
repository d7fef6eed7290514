"""scripts/words.py finds every text, and says what a translation lacks."""

import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts"))
import words  # noqa: E402

PO = 'msgid ""\nmsgstr ""\n"Plural-Forms: nplurals=2; plural=n != 1;\\n"\n\n'


def found_in(source, name="app/cli/probe.cpp"):
    messages = words.Messages()
    path = pathlib.PurePosixPath(name)
    tokens = words.tokens_of(source)
    for i, token in enumerate(tokens[:-1]):
        words.look(path, tokens, i, messages)
    return {text: plural for text, (plural, _) in messages.all.items()}


class Extraction(unittest.TestCase):
    def test_finds_calls_and_joins_literals(self):
        self.assertEqual(found_in('x = tr("one "\n "two {}", n); // tr("not this")'), {"one two {}": None})
        self.assertEqual(found_in('tr(a ? "this" : "that")'), {"this": None, "that": None})
        self.assertEqual(found_in('tr_n("{} cat", "{} cats", n)'), {"{} cat": "{} cats"})
        self.assertEqual(found_in('plural(f(a, b), "byte")'), {"{} byte": "{} bytes"})
        self.assertEqual(found_in('say("{} is right\\n", x)'), {"{} is right\n": None})
        self.assertEqual(found_in('command.add_option("--of", value, "Which element")'), {"Which element": None})
        self.assertEqual(found_in('constexpr Message kGone = "It is gone.";'), {"It is gone.": None})

    def test_finds_tables(self):
        row = '{{state::Tab::Step, "step", "Step it", "Steps."}}'
        self.assertEqual(found_in(row, "app/state/words.h"), {"Step it": None, "Steps.": None})
        row = '{"id_of_it", "{thread} waits.", "Waits."},'
        self.assertEqual(found_in(row, "app/narration/english.h"), {"{thread} waits.": None, "Waits.": None})

    def test_finds_what_is_shown_of_the_catalog(self):
        messages = words.Messages()
        kernel = {"id": "tiled", "title": "Tiled", "family": "Tiles", "summary": "It tiles.", "entry": "matmul",
                  "instances": [{"name": "tuned"}, {"name": "teaching"}],
                  "requirements": [{"that": "M == N", "otherwise": "Square only."}]}
        preset = {"id": "3x3", "title": "3×3", "summary": "One block."}
        words.from_catalog("catalog.toml", {"kernel": [kernel], "preset": [preset]}, messages)
        self.assertEqual(list(messages.all),
                         ["Tiled", "Tiled, teaching", "Tiles", "It tiles.", "Square only.", "One block."])
        self.assertEqual(messages.all["Tiled"], (None, "catalog.toml:tiled"))

    def test_leaves_numbers_and_symbols(self):
        self.assertEqual(found_in('tr("{} × {}", a, b); fmt::format("words", a)'), {"{} × {}": None})


class Check(unittest.TestCase):
    def mistakes(self, entries, messages):
        with tempfile.TemporaryDirectory(dir=words.ROOT / "build" if (words.ROOT / "build").is_dir() else None) as folder:
            file = pathlib.Path(folder) / "de.po"
            file.write_text(PO + entries, encoding="utf-8")
            words.ROOT, root = pathlib.Path(folder), words.ROOT
            try:
                return list(words.mistakes(file, messages))
            finally:
                words.ROOT = root

    def test_says_what_is_missing(self):
        found = self.mistakes("", {"It is gone.": (None, "a.cpp:1")})
        self.assertEqual(found, ['de.po: no translation of "It is gone." (a.cpp:1)'])

    def test_says_where_a_plural_form_is_missing(self):
        entry = 'msgid "{} cat"\nmsgid_plural "{} cats"\nmsgstr[0] "{} Katze"\nmsgstr[1] ""\n'
        self.assertEqual(len(self.mistakes(entry, {"{} cat": ("{} cats", "a.cpp:1")})), 1)

    def test_says_where_places_differ(self):
        good = 'msgid "{} in {:.2f}"\nmsgstr "{1:.2f}, {0}"\n'
        bad = 'msgid "{} in {:.2f}"\nmsgstr "{1}, {0}"\n'
        messages = {"{} in {:.2f}": (None, "a.cpp:1")}
        self.assertEqual(self.mistakes(good, messages), [])
        self.assertEqual(len(self.mistakes(bad, messages)), 1)

    def test_says_what_is_said_no_more(self):
        found = self.mistakes('msgid "old"\nmsgstr "alt"\n', {})
        self.assertEqual(found, ['de.po: "old" is not said any more; scripts/words.py removes it'])


class Terms(unittest.TestCase):
    TABLE = ("| English | 中文 |\n|---|---|\n| warp, lane (of a warp) | 线程束, 通道 |\n| reads | 读取 |\n")

    def test_are_those_of_the_table(self):
        self.assertEqual(words.terms("中文", self.TABLE), {"warp": "线程束", "lane": "通道"})
        self.assertEqual(words.terms("Deutsch", self.TABLE), {})

    def test_are_the_same_in_every_text(self):
        def found(text, form):
            return list(words.other_terms(text, form, {"warp": "线程束"}))

        self.assertEqual(found("Two warps wait.", "两个线程束在等待。"), [])
        self.assertEqual(found("Two warps wait.", "两个经线在等待。"), [("warp", "线程束")])
        self.assertEqual(found("{warp} waits; write `warp` or --warp.", "{warp} 在等待。"), [])
        self.assertEqual(found("It has lane, warp and step.", "它有 lane、warp 和 step。"), [])


class Rewriting(unittest.TestCase):
    def test_keeps_what_is_translated(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "de.po"
            messages = {'a "b"\nc': (None, "a.cpp:1"), "{} cat": ("{} cats", "a.cpp:2")}
            translated = {'a "b"\nc': ["x\ny"], "{} cat": ["{} Katze", "{} Katzen"]}
            words.write_po(file, "Plural-Forms: nplurals=2; plural=n != 1;\n", translated, messages)
            self.assertEqual(words.read_po(file)[1], translated)


if __name__ == "__main__":
    unittest.main()

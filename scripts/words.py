#!/usr/bin/env python3
"""The texts that Tilestep says, and their translations: assets/words/TAG.po.

  scripts/words.py            every .po file gets the texts that it lacks, empty, and loses those that the program
                              no longer says
  scripts/words.py --check    says what is missing or wrong; exit status 1 if anything is
  scripts/words.py --new TAG  begins assets/words/TAG.po

A text is found in tr("…"), tr_n("…", "…", n), plural(n, "noun"), in a table of words (Word<>, Row, actions, Message),
in what the command line prints with say("…"), in its --help, in the catalog of kernels (kernels/catalog.toml), in the
glossary of CUDA's words (app/problem/source/cuda_glossary.txt) and in the comments of the labs' kernels
(assets/lessons/labs), whose translations have as many lines.
"""

import argparse
import pathlib
import re
import sys
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent
WORDS = ROOT / "assets" / "words"
CATALOG = ROOT / "kernels" / "catalog.toml"
LABS = ROOT / "assets" / "lessons" / "labs"
GLOSSARY = ROOT / "app" / "problem" / "source" / "cuda_glossary.txt"
TOKEN = re.compile(
    r"""//[^\n]*|/\*.*?\*/|(?P<raw>R"(?P<d>[^(]*)\((?P<rawtext>.*?)\)(?P=d)")|(?P<str>"(?:\\.|[^"\\\n])*")"""
    r"""|'(?:\\.|[^'\\])+'|(?P<id>[A-Za-z_][A-Za-z_0-9]*)|(?P<num>\d[\w.']*)|(?P<op>::|->|[^\s])""",
    re.S,
)
LETTERS = re.compile(r"[A-Za-z]{2}")
PLACE = re.compile(r"\{\{|\}\}|\{([^{}]*)\}")
HELP = {"add_option", "add_flag", "add_subcommand", "add_word_option", "add_option_function", "add_flag_function",
        "footer", "description", "group", "set_version_flag"}

EXPECTED = {"expect", "expect_word", "expect_count"}  # of the PTX reader
# Nouns that have one translation each.
CHECKED_TERMS = ("thread", "grid", "warp", "lane", "shared memory", "global memory", "register", "barrier", "race", "deadlock", "tile",
                 "padding", "coalesced", "sector", "bank", "bank conflict", "occupancy", "wave", "roofline", "statement",
                 "phase", "finding", "kernel", "tensor core", "TMA unit")
# Parts of a text that are no prose: places, code, options, names, values of options.
CODE = re.compile(r"kernel module|\{[^}]*\}|`[^`]*`|--\w[\w-]*|[\w./]*[_/.=:][\w./]*\w|\"[^\"]*\"|\bExample:.*", re.DOTALL)



class Token:
    def __init__(self, kind, text, line):
        self.kind, self.text, self.line = kind, text, line


def unescape(literal):
    out, i = [], 0
    body = literal[1:-1]
    while i < len(body):
        if body[i] == "\\" and i + 1 < len(body):
            i += 1
            out.append({"n": "\n", "t": "\t"}.get(body[i], body[i]))
        else:
            out.append(body[i])
        i += 1
    return "".join(out)


def tokens_of(text):
    """Tokens; literals beside each other are one string, as the compiler has it."""
    tokens, line, at = [], 1, 0
    for match in TOKEN.finditer(text):
        line += text.count("\n", at, match.start())
        at = match.start()
        if match["str"] or match["raw"]:
            said = match["rawtext"] if match["raw"] else unescape(match["str"])
            if tokens and tokens[-1].kind == "str":
                tokens[-1].text += said
            else:
                tokens.append(Token("str", said, line))
        elif match["id"]:
            tokens.append(Token("id", match["id"], line))
        elif match["num"]:
            tokens.append(Token("num", match["num"], line))
        elif match["op"]:
            tokens.append(Token("op", match["op"], line))
    return tokens


def arguments(tokens, at):
    """The arguments of the call or braces whose opening bracket is tokens[at]: lists of tokens."""
    pairs = {"(": ")", "{": "}", "[": "]"}
    depth, all_of, current = 0, [], []
    for token in tokens[at:]:
        if token.kind == "op" and token.text in pairs:
            depth += 1
            if depth == 1:
                continue
        elif token.kind == "op" and token.text in pairs.values():
            depth -= 1
            if depth == 0:
                break
        elif depth == 1 and token.kind == "op" and token.text == ",":
            all_of.append(current)
            current = []
            continue
        current.append(token)
    if current:
        all_of.append(current)
    return all_of


def only_string(argument):
    return argument[0].text if len(argument) == 1 and argument[0].kind == "str" else None


def strings_in(argument):
    """Both sides of a choice: condition ? "a" : "b"."""
    return [token.text for token in argument if token.kind == "str"]


class Messages:
    """English text → (plural or None, where it is said first)."""

    def __init__(self):
        self.all = {}

    def add(self, text, place, plural=None, has_words=True):
        if text and text.strip() and (LETTERS.search(text) or not has_words):
            known = self.all.get(text)
            self.all[text] = ((known[0] if known else None) or plural, known[1] if known else place)


def is_enumerator(argument):
    return len(argument) >= 3 and all(t.kind == "id" or t.text == "::" for t in argument)


def has_words_of_enums(path, tokens):
    """Whether a header has a table of an enum's words (problem/words.h: kWords)."""
    return path.name == "words.h" or (path.suffix == ".h" and any(token.text == "kWords" for token in tokens))


def from_table(path, tokens, i, messages):
    """A row in braces that begins at tokens[i]."""
    row = arguments(tokens, i)
    place = f"{path}:{tokens[i].line}"
    texts = [only_string(argument) for argument in row]
    if len(row) >= 3 and is_enumerator(row[0]) and texts[1] and has_words_of_enums(path, tokens):
        for text in texts[2:]:
            messages.add(text, place)
    if path.as_posix() == "app/ui/actions_table.cpp" and len(row) >= 5:
        for text in texts[2:4]:
            messages.add(text, place)
    if path.as_posix() == "app/narration/english.h":
        if len(row) == 3 and texts[0] is not None:
            messages.add(texts[1], place)
            messages.add(texts[2], place)
        elif len(row) == 2 and None not in texts:
            messages.add("{} " + texts[0], place, "{} " + texts[1])


def from_call(path, tokens, i, messages):
    """A call whose name is tokens[i]."""
    name = tokens[i].text
    place = f"{path}:{tokens[i].line}"
    if name not in HELP | EXPECTED | {"tr", "tr_n", "plural", "say", "Message"}:
        return
    given = arguments(tokens, i + 1)
    if not given:
        return
    first = only_string(given[0])
    if name in ("tr", "Message"):
        for text in strings_in(given[0]) if name == "tr" and first is None and "?" in [
                t.text for t in given[0]] else [first]:
            messages.add(text, place, has_words=False)  # tr("{}."): its full stop
    elif name == "tr_n" and len(given) > 1:
        messages.add(first, place, only_string(given[1]))
    elif name == "plural" and len(given) == 2:
        for noun in strings_in(given[1]):
            messages.add("{} " + noun, place, "{} " + noun + "s")
    elif name in EXPECTED and path.parts[1:3] == ("ptx", "text"):
        messages.add(only_string(given[-1]), place)
    elif name == "say" and path.parts[1] in ("cli", "program"):
        messages.add(first, place)
    elif name in HELP and path.parts[1] in ("cli", "program"):
        for argument in given if name in ("footer", "description") else given[1:]:
            for text in strings_in(argument):
                if not text.startswith("-"):
                    messages.add(text, place)


def look(path, tokens, i, messages):
    """What begins at tokens[i]."""
    token, following = tokens[i], tokens[i + 1]
    if token.kind == "op" and token.text == "{":
        from_table(path, tokens, i, messages)
    elif token.kind == "id" and following.text in ("(", "{") and following.kind == "op":
        from_call(path, tokens, i, messages)
    elif token.kind == "id" and token.text == "Message" and following.kind == "id":
        rest = tokens[i + 2:i + 4]
        if len(rest) == 2 and rest[0].text in ("=", "{") and rest[1].kind == "str":
            messages.add(rest[1].text, f"{path}:{token.line}")


def from_catalog(path, catalog, messages):
    """What is shown of kernels and presets; a kernel's second instance has its name behind the title."""
    for entry in catalog.get("kernel", []) + catalog.get("preset", []):
        place = f"{path}:{entry['id']}"
        title = entry.get("title", "")
        instances = [f"{title}, {instance['name']}" for instance in entry.get("instances", [])[1:]]
        for text in [title, *instances, entry.get("family"), entry.get("summary")]:
            messages.add(text, place)
        for requirement in entry.get("requirements", []):
            messages.add(requirement["otherwise"], place)


def from_glossary(path, text, messages):
    """The third of a term's four lines is its meaning."""
    lines = [line for line in text.split("\n") if line and not line.startswith("# ")]
    for word, meaning in zip(lines[0::4], lines[2::4]):
        messages.add(meaning, f"{path}:{word}", has_words=False)


def from_comments(path, text, messages):
    """As app/lesson/variant.cpp: comments_of. // lines below each other are one comment."""
    comment, begun = [], 0
    for number, line in enumerate([*text.split("\n"), ""], 1):
        code, slashes, words = line.partition("//")
        if comment and (code.strip() or not slashes):
            messages.add("\n".join(comment), f"{path}:{begun}")
            comment = []
        if slashes:
            begun = begun if comment else number
            comment.append(words.removeprefix(" "))
            if code.strip():  # behind code
                messages.add("\n".join(comment), f"{path}:{begun}")
                comment = []


def extract():
    messages = Messages()
    for file in sorted([*(ROOT / "app").rglob("*.h"), *(ROOT / "app").rglob("*.cpp")]):
        path = file.relative_to(ROOT)
        tokens = tokens_of(file.read_text(encoding="utf-8"))
        for i in range(len(tokens) - 1):
            look(path, tokens, i, messages)
    for file in sorted(LABS.glob("*.cu")):
        from_comments(file.relative_to(ROOT), file.read_text(encoding="utf-8"), messages)
    from_glossary(GLOSSARY.relative_to(ROOT), GLOSSARY.read_text(encoding="utf-8"), messages)
    from_catalog(CATALOG.relative_to(ROOT), tomllib.loads(CATALOG.read_text(encoding="utf-8")), messages)
    return messages.all


def quoted(text):
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\t", "\\t")
    lines = escaped.split("\n")
    if len(lines) == 1:
        return f'"{escaped}"'
    parts = [line + "\\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])
    return '""\n' + "\n".join(f'"{part}"' for part in parts)


def read_po(file):
    """Header text, and English text → forms."""
    entries, entry, target = [], None, None
    for line in file.read_text(encoding="utf-8").split("\n"):
        if line.startswith("msgid "):
            entry = {"key": "", "plural": "", "forms": []}
            entries.append(entry)
            target = "key"
        elif line.startswith("msgid_plural "):
            target = "plural"
        elif line.startswith("msgstr"):
            entry["forms"].append("")
            target = "forms"
        elif not line.startswith('"'):
            continue
        text = unescape(line[line.index('"'):])
        if target == "forms":
            entry["forms"][-1] += text
        else:
            entry[target] += text
    header = next((e["forms"][0] for e in entries if not e["key"]), "")
    return header, {e["key"]: e["forms"] for e in entries if e["key"]}


def write_po(file, header, translated, messages):
    forms = int((re.search(r"nplurals=(\d+)", header) or [0, "1"])[1])
    out = [f'msgid ""\nmsgstr {quoted(header)}\n']
    room = None
    for text, (plural, place) in messages.items():
        here = place.rsplit(":", 1)[0]
        comment = f"#: {here}\n" if here != room else ""
        room = here
        known = translated.get(text, [])
        if plural is None:
            out.append(f"{comment}msgid {quoted(text)}\nmsgstr {quoted(known[0] if known else '')}\n")
        else:
            known = (known + [""] * forms)[:forms]
            rows = "\n".join(f"msgstr[{i}] {quoted(form)}" for i, form in enumerate(known))
            out.append(f"{comment}msgid {quoted(text)}\nmsgid_plural {quoted(plural)}\n{rows}\n")
    file.write_text("\n".join(out), encoding="utf-8")


def places(text):
    """As app/problem/language.cpp: placeholders."""
    found, counted, numbered = set(), 0, False
    for match in PLACE.finditer(text):
        place = match[1]
        if place is None or "|" in place:
            continue
        if place == "" or place.startswith(":"):
            place, counted = f"{counted}{place}", counted + 1
        else:
            numbered = numbered or place[0].isdigit()
        found.add(place)
    return found | {"mixed"} if counted and numbered else found


def terms(language, text):
    """The terms of docs/words.md with their translation into the language of that name."""
    rows = [[cell.strip() for cell in line.strip("| ").split(" | ")] for line in text.splitlines() if line.startswith("|")]
    head = next((row for row in rows if row[0] == "English" and language in row), None)
    found = {}
    for row in rows[rows.index(head) + 2 if head else len(rows):]:
        cells = [re.sub(r" ?[(（][^)）]*[)）]", "", cell).split(", ") for cell in (row[0], row[head.index(language)])]
        found.update((term, word) for term, word in zip(*cells) if term in CHECKED_TERMS)
    return found


def other_terms(text, form, of_language):
    """The terms of a text that its translation says with another word. What both leave in English is a name."""
    prose = CODE.sub("", text)
    for term, word in of_language.items():
        says = re.search(rf"\b{term}(?:s|es)?\b", prose, re.IGNORECASE)
        if says and word not in form and term not in form.lower():
            yield term, word


def mistakes(file, messages):
    header, translated = read_po(file)
    language = re.search(r"^X-Language-Name: (.*)$", header, re.MULTILINE)
    of_language = terms(language[1], (ROOT / "docs/words.md").read_text(encoding="utf-8")) if language else {}
    name = file.relative_to(ROOT)
    for text, (plural, place) in messages.items():
        forms = translated.get(text)
        if not forms or "" in forms:
            yield f"{name}: no translation of \"{text}\" ({place})"
            continue
        for form in forms:
            if places(form) != places(plural or text):
                yield f"{name}: \"{form}\" has other places than \"{text}\" ({place})"
            for term, word in other_terms(text, form, of_language):
                yield f"{name}: \"{form}\" does not call '{term}' {word} as docs/words.md does ({place})"
            if place.startswith("assets/lessons/labs/") and form.count("\n") != text.count("\n"):
                yield f"{name}: \"{form}\" has other lines than \"{text}\" ({place})"
    for text in translated.keys() - messages.keys():
        yield f"{name}: \"{text}\" is not said any more; scripts/words.py removes it"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--new", metavar="TAG")
    options = parser.parse_args()
    messages = extract()
    files = sorted(WORDS.glob("*.po"))
    if options.new:
        header = ("Language: {0}\nX-Language-Name: {0}\nMIME-Version: 1.0\nContent-Type: text/plain; charset=UTF-8\n"
                  "Content-Transfer-Encoding: 8bit\nPlural-Forms: nplurals=2; plural=n != 1;\n").format(options.new)
        write_po(WORDS / f"{options.new}.po", header, {}, messages)
    elif options.check:
        found = [mistake for file in files for mistake in mistakes(file, messages)]
        print("\n".join(found) or f"{len(messages)} texts, in {len(files)} more languages.")
        return 1 if found or not files else 0
    else:
        for file in files:
            header, translated = read_po(file)
            write_po(file, header, translated, messages)
            empty = sum(1 for text in messages if "" in translated.get(text, [""]))
            print(f"{file.relative_to(ROOT)}: {len(messages)} texts, {empty} not translated")
    return 0


if __name__ == "__main__":
    sys.exit(main())

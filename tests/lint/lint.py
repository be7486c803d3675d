#!/usr/bin/env python3
"""The project's own rules, on the text of the sources. Exit status 1 if one is broken.

usage: lint.py [TREE]      lint a tree (default: the repository)
       lint.py --self-test every rule must find its own bad example
docs/COMMON_ERRORS.md says why each rule is there.
"""
import re
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
FOLDERS = ["base", "probes", "tuners", "bench", "service", "api", "daemon"]

# A folder may include itself and these (ARCHITECTURE.md).
ARROWS = {
    "base": set(),
    "probes": {"base"},
    "tuners": {"base", "probes"},
    "bench": {"base"},
    "service": {"base", "probes", "tuners", "bench"},
    "api": {"base", "probes", "tuners", "bench", "service"},
    "daemon": {"base", "probes", "tuners", "bench", "service", "api"},
}

OPENERS = re.compile(
    r"(?<![\w.>:])(?:::|std::)?(?:"
    r"(?:open|openat|openat2|open64|creat|fopen|fopen64|freopen|opendir|fdopendir|scandir|readlink|"
    r"readlinkat|glob|ftw|nftw|fts_open|stat|lstat|fstatat|statx|access|faccessat|realpath|"
    r"canonicalize_file_name)\s*\(|"
    r"(?:basic_)?[io]?fstream\b|filebuf\b|filesystem::)"
)
MAX_FILE_LINES = 400
MAX_FUNCTION_LINES = 50  # 40 is what to aim at


def read_list(path):
    """Lines "key  reason" of an exception list; the reason is not optional."""
    entries = {}
    for line in path.read_text().splitlines():
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        key, _, reason = line.partition("  ")
        if not reason.strip():
            sys.exit(f"{path}: no reason given for {key}")
        entries[key] = reason.strip()
    return entries


def code_of(text):
    """The text with comments, strings and character literals blanked; lines stay where they are."""
    pattern = re.compile(
        r'R"([^(\s]*)\(.*?\)\1"|//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])+\'',
        re.S)
    return pattern.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), text)


def head_of(lines, i):
    """The first line of the statement whose last line is i: parentheses balance there."""
    depth = 0
    for j in range(i, max(-1, i - 12), -1):
        depth += lines[j].count(")") - lines[j].count("(")
        if depth <= 0:
            return j
    return i


def functions(code):
    """(line number, head, length) of every function body as clang-format lays them out."""
    lines = code.split("\n")
    for i, line in enumerate(lines):
        if not line.rstrip().endswith("{") or ")" not in line:
            continue
        first = head_of(lines, i)
        if first and re.match(r"\s*:\s", lines[first]):  # a constructor's initialisers
            first = head_of(lines, first - 1)
        indent = re.match(r" *", lines[first]).group()
        head = lines[first].strip()
        if len(indent) > 2 or re.match(r"(if|for|while|switch|else|do|try|namespace|extern)\b|\}", head):
            continue
        end = next((j for j in range(i + 1, len(lines)) if lines[j].startswith(indent + "}")), i)
        yield first + 1, head, end - i - 1


class Lint:
    def __init__(self, tree, lists):
        self.tree = tree
        self.root_exceptions = read_list(lists / "root_exceptions.txt")
        self.length_exceptions = read_list(lists / "length_exceptions.txt")
        self.used = set()
        self.found = []

    def say(self, path, line, rule, text):
        self.found.append(f"{path.relative_to(self.tree)}:{line}: {rule}: {text}")

    def allowed(self, table, key):
        if key in table:
            self.used.add(key)
            return True
        return False

    def check_root(self, path, code):
        name = str(path.relative_to(self.tree))
        for n, line in enumerate(code.split("\n"), 1):
            m = OPENERS.search(line)
            if not m or re.match(r"\s*#include", line):
                continue
            word = re.search(r"\w+", m.group().replace("std::", "")).group()
            if self.allowed(self.root_exceptions, name) or self.allowed(self.root_exceptions, f"{name}:{word}"):
                continue
            self.say(path, n, "root", f"'{m.group().strip(' (')}' outside base/root.cpp; read through Root "
                     "(or name the file with a reason in tests/lint/root_exceptions.txt)")

    def check_length(self, path, text, code):
        name = str(path.relative_to(self.tree))
        lines = text.count("\n")
        if lines > MAX_FILE_LINES and not self.allowed(self.length_exceptions, name):
            self.say(path, lines, "length", f"{lines} lines; {MAX_FILE_LINES} are the limit")
        for first, head, length in functions(code):
            if length > MAX_FUNCTION_LINES and not self.allowed(self.length_exceptions, f"{name}:{head.split('(')[0].split()[-1]}"):
                self.say(path, first, "length", f"function of {length} lines; {MAX_FUNCTION_LINES} are the limit: {head}")

    def check_arrows(self, path, text):
        folder = path.relative_to(self.tree).parts[0]
        for n, line in enumerate(text.split("\n"), 1):
            m = re.match(r'\s*#include "([a-z_]+)/', line)
            if m and m.group(1) != folder and m.group(1) not in ARROWS[folder]:
                self.say(path, n, "arrows", f"{folder}/ may not include {m.group(1)}/ (ARCHITECTURE.md)")
            m = re.match(r"\s*#include <boost/(asio|beast)", line)
            if m and folder != "api":
                self.say(path, n, "arrows", f"boost/{m.group(1)} belongs in api/ only")

    def check_words(self, path, code, text):
        for n, line in enumerate(code.split("\n"), 1):
            for pattern, why in (
                (r"\bdetached\b", "a detached coroutine loses its exceptions and outlives its owner"),
                (r"(?<![\w.>])(?:std::)?(?:system|popen)\s*\(", "no shell is ever started"),
                (r"\busing namespace\b(?! std::(?:literals|chrono_literals|string_view_literals))",
                 "write the namespace out"),
                (r"(?<![\w.>])(?:std::)?(?:atoi|atol|atoll|strtol|strtoul|stoi|stol|stoul|stoull)\s*\(",
                 "use base/text.hpp: these turn garbage into numbers"),
            ):
                if re.search(pattern, line):
                    self.say(path, n, "words", f"{line.strip()[:60]}: {why}")
        for n, line in enumerate(text.split("\n"), 1):
            if re.search(r"\b(TODO|FIXME|XXX)\b", line):
                self.say(path, n, "words", "finish it or write an issue")
        if path.suffix == ".hpp" and "#pragma once" not in text:
            self.say(path, 1, "words", "header without #pragma once")

    def run(self):
        count = 0
        for folder in FOLDERS:
            for path in sorted((self.tree / folder).rglob("*.[ch]pp")):
                text = path.read_text()
                code = code_of(text)
                self.check_root(path, code)
                self.check_length(path, text, code)
                self.check_arrows(path, text)
                self.check_words(path, code, text)
                count += 1
        for path in sorted((self.tree / "tests").rglob("*")):
            if path.suffix in (".py", ".cpp", ".hpp") and "__pycache__" not in path.parts:
                self.check_length(path, path.read_text(), "")
                count += 1
        for key in sorted((self.root_exceptions.keys() | self.length_exceptions.keys()) - self.used):
            self.found.append(f"tests/lint: exception for {key} is no longer needed")
        return count


BAD = {  # rule -> (file, text); each must be found
    "root": [("probes/a.cpp", 'int f() { return ::open("/sys/x", 0); }\n'),
             ("probes/a.cpp", "void f() { std::ifstream in(name); }\n"),
             ("service/a.cpp", "void f() { for (auto& e : std::filesystem::directory_iterator(d)) {} }\n"),
             ("tuners/a.cpp", "auto f = fopen(name, mode);\n")],
    "length": [("base/a.cpp", "int x;\n" * 401), ("tests/unit/a.cpp", "int x;\n" * 401),
               ("tests/a/b.py", "x = 1\n" * 401),
               ("base/a.cpp", "int f(int a) {\n" + "  ++a;\n" * 51 + "}\n"),
               ("base/a.hpp", "#pragma once\nclass A {\n  int f(int a) {\n" + "    ++a;\n" * 51 + "  }\n};\n"),
               ("base/a.cpp", "int f(int a,\n      int b) {\n" + "  ++a;\n" * 51 + "}\n")],
    "arrows": [("base/a.cpp", '#include "probes/probe.hpp"\n'), ("probes/a.cpp", '#include "tuners/knob.hpp"\n'),
               ("service/a.cpp", "#include <boost/asio.hpp>\n")],
    "words": [("api/a.cpp", "void f() { co_spawn(x, g(), net::detached); }\n"),
              ("base/a.cpp", "int f(char* s) { return atoi(s); }\n"), ("base/a.hpp", "int f();\n"),
              ("daemon/a.cpp", "int f() { return system(s); }\n")],
}
GOOD = [("tests/unit/a.cpp", "int f(int a) {\n" + "  ++a;\n" * 99 + "}\n" + "auto in = fopen(a, b);\n"),
        ("probes/a.cpp", '// open("/sys") is Root\'s\nvoid f() { acceptor.open(p); w.open(1); say("fopen(3)"); }\n'),
        ("base/a.cpp", "int f(int a) {\n" + "  ++a;\n" * 50 + "}\n"),
        ("api/a.cpp", '#include <boost/asio.hpp>\n#include "service/engine.hpp"\n')]


def self_test():
    failures = 0
    with tempfile.TemporaryDirectory() as empty:
        for name in ("root_exceptions.txt", "length_exceptions.txt"):
            (Path(empty) / name).write_text("")

        def rules_broken(file, text):
            with tempfile.TemporaryDirectory() as tree:
                path = Path(tree) / file
                path.parent.mkdir(parents=True)
                path.write_text(text)
                lint = Lint(Path(tree), Path(empty))
                lint.run()
                return {f.split(": ")[1] for f in lint.found}

        for rule, examples in BAD.items():
            for file, text in examples:
                if rules_broken(file, text) != {rule}:
                    failures += 1
                    print(f"self-test: rule {rule} does not find {file}: {text[:70]!r}")
        for file, text in GOOD:
            if rules_broken(file, text):
                failures += 1
                print(f"self-test: {file} is wrongly refused: {text[:70]!r}")
    return 1 if failures else 0


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    tree = Path(sys.argv[1]) if len(sys.argv) > 1 else HERE.parent.parent
    lint = Lint(tree.resolve(), HERE)
    count = lint.run()
    if not count:
        print(f"lint: no sources under {tree}")
        return 2
    print("\n".join(lint.found) if lint.found else f"lint: {count} files, nothing found")
    return 1 if lint.found else 0


sys.exit(main())

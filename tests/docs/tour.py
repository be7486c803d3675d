#!/usr/bin/env python3
"""Runs the ```console blocks of a document, in one shell and in order, and compares what they print.

usage: tour.py DOCUMENT BIN
"$ " starts a command, "> " goes on with it, the rest is what it prints. "..." stands for any lines.
BIN takes the place of build/release/bin, so that other presets can be tested.
"""
import re
import subprocess
import sys
import tempfile
from pathlib import Path

TREE = Path(__file__).resolve().parents[2]
END = "@@end of command@@"


def commands(text):
    """-> [(command, [expected lines])]"""
    found = []
    for block in re.findall(r"```console\n(.*?)```", text, flags=re.S):
        for line in block.splitlines():
            if line.startswith("$ "):
                found.append((line[2:], []))
            elif line.startswith("> ") and not found[-1][1]:
                found[-1] = (found[-1][0] + "\n" + line[2:], [])
            else:
                found[-1][1].append(line)
    return found


def matches(expected, lines):
    """Whether the lines are the expected ones, "..." standing for any number of any lines."""
    if not expected:
        return not lines
    if expected[0] == "...":
        return any(matches(expected[1:], lines[i:]) for i in range(len(lines) + 1))
    return bool(lines) and lines[0].rstrip() == expected[0].rstrip() and matches(expected[1:], lines[1:])


def run(steps, here, binaries):
    script = "".join(f"{command.replace('$PWD/build/release/bin', binaries)}\nprintf '\\n%s\\n' '{END}'\n"
                     for command, _ in steps)
    done = subprocess.run(["bash"], input=script, cwd=here, text=True, timeout=300,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    return [part.strip("\n").splitlines() for part in done.stdout.split(END + "\n")]


def main():
    document, binaries = Path(sys.argv[1]), str(Path(sys.argv[2]).resolve())
    steps = commands(document.read_text())
    if not steps:
        print(f"{document}: no console blocks")
        return 1
    failed = 0
    with tempfile.TemporaryDirectory() as work:
        # Its own folder in place of the repository: build/tour is made there.
        (Path(work) / "tests").symlink_to(TREE / "tests")
        (Path(work) / "build").mkdir()
        outputs = run(steps, work, binaries)
    for i, (command, expected) in enumerate(steps):
        lines = outputs[i] if i < len(outputs) else ["(the shell ended before)"]
        if not matches(expected, lines):
            failed += 1
            print(f"FAIL $ {command}\n  expected:\n    " + "\n    ".join(expected) + "\n  printed:\n    " + "\n    ".join(lines))
    print(f"{document.name}: {len(steps)} commands, {failed} differ")
    return 1 if failed else 0


sys.exit(main())

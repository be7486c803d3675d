#!/usr/bin/env python3
"""Every link and every `path/in/code.quotes` in the documents leads to a file of this repository."""
import re
import sys
from pathlib import Path

TREE = Path(__file__).resolve().parents[2]
FOLDERS = ("base", "probes", "tuners", "service", "api", "daemon", "profiles", "tests", "docs", "openapi", ".ci")


def broken(document):
    text = document.read_text()
    prose = re.sub(r"```.*?```", "", text, flags=re.S)
    for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", prose):
        if "://" not in target and not (document.parent / target).exists():
            yield f"link to {target}"
    for quoted in re.findall(r"`([\w.-]+(?:/[\w.<>*-]*)+)`", prose):
        if quoted.split("/")[0] in FOLDERS and "<" not in quoted and not list(TREE.glob(quoted.rstrip("/"))):
            yield f"`{quoted}`"


def main():
    documents = [*TREE.glob("*.md"), *TREE.glob("docs/**/*.md")]
    found = [f"{d.relative_to(TREE)}: {b}: no such file" for d in sorted(documents) for b in broken(d)]
    print("\n".join(found) or f"{len(documents)} documents, all links lead somewhere")
    return 1 if found else 0


sys.exit(main())

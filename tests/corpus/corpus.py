#!/usr/bin/env python3
"""Runs the program on every captured machine and compares with what is known about it.

corpus.py --program LANEKEEPER --corpus DIR --work DIR [--notes] [CAPTURE...]

The corpus folder holds index.json, facts/*.json and trees/*.tar.xz. A capture whose answers
somebody confirmed must agree in every value that checks.py compares, but for the differences
that explained.py names; of the others only a valid inventory is asked, and differences are
printed as notes. Exit status 77: the folder is not there, nothing was tested.
"""

import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent))

import checks  # noqa: E402
import checks_nvme  # noqa: E402
from explained import EXPLAINED  # noqa: E402
from reasons import nulls_without_reason  # noqa: E402

SKIPPED = 77
DEADLINE_S = 30
ROOM_BYTES = 2 << 30
LEAST_COMPARED = 60  # else the comparison with hwloc tests nothing


def scratch(work):
    """Where trees are unpacked: in memory if there is room, as a tree has up to 40,000 files."""
    shared = pathlib.Path("/dev/shm")
    roomy = shared.is_dir() and os.access(shared, os.W_OK) and \
        shutil.disk_usage(shared).free > ROOM_BYTES
    return shared if roomy else work


def unpack(archive, into):
    subprocess.run(["tar", "-xf", archive, "-C", into], check=True)


def run(program, tree):
    """The inventory as JSON, or a message that says what went wrong."""
    done = subprocess.run([program, "inventory", "--root", str(tree), "--json"],
                          capture_output=True, timeout=DEADLINE_S, check=False)
    if done.returncode != 0:
        return None, f"exit status {done.returncode}: {done.stderr.decode(errors='replace')}"
    try:
        return json.loads(done.stdout), None
    except ValueError as error:
        return None, f"not JSON: {error}"


def empty(entry):
    """Nothing in the capture belongs into an inventory."""
    return not entry["n_online"] and not entry["nvme"]


def judge(entry, facts, inventory):
    """Yields (field, expected, actual) for every difference."""
    yield from checks.compare(entry, facts, inventory)
    yield from checks_nvme.compare(entry, facts, inventory)


def test(entry, args):
    """Failures and notes of one capture, and whether hwloc could be asked about it."""
    facts = json.loads((args.corpus / entry["facts"]).read_text())
    with tempfile.TemporaryDirectory(dir=scratch(args.work), prefix="lanekeeper-") as tree:
        unpack(args.corpus / entry["tree"], tree)
        try:
            inventory, trouble = run(args.program, tree)
        except subprocess.TimeoutExpired:
            return [f"no answer in {DEADLINE_S} s"], [], False
    if trouble and empty(entry) and "nothing could be read" in trouble:
        return [], [f"right for a capture without CPUs and drives: {trouble.strip()}"], False
    if trouble:
        return [trouble], [], False
    failures, notes = [], []
    for field in nulls_without_reason(inventory):
        failures.append(f"{field} is null and no problem says why")
    for probe in inventory["probes"]:
        if any(each["cause"] == "hung" for each in probe["problems"]):
            failures.append(f"probe {probe['name']} hung or ended its process")
    explained = EXPLAINED.get(entry["id"], {})
    seen = set()
    for field, expected, actual in judge(entry, facts, inventory):
        seen.add(field)
        line = f"{field}: known {short(expected)}, answered {short(actual)}"
        if field in explained:
            notes.append(f"{line}: {explained[field]}")
        elif entry["confirmed_by"]:
            failures.append(line)
        else:
            notes.append(f"{line} (nobody confirmed)")
    failures += [f"{field} agrees, but explained.py lists it" for field in explained
                 if field not in seen]
    return failures, notes, checks.asked_hwloc(inventory)


def short(value):
    text = json.dumps(value)
    return text if len(text) <= 160 else text[:157] + "..."


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", required=True)
    parser.add_argument("--corpus", required=True, type=pathlib.Path)
    parser.add_argument("--work", required=True, type=pathlib.Path)
    parser.add_argument("--notes", action="store_true", help="print differences that are allowed")
    parser.add_argument("captures", nargs="*")
    return parser.parse_args()


def main():
    args = parse()
    if not (args.corpus / "index.json").exists():
        print(f"corpus: skipped, {args.corpus} holds no index.json (set LK_CORPUS_DIR)")
        return SKIPPED
    if shutil.which("xz") is None:
        print("corpus: skipped, xz is missing (Debian package xz-utils)")
        return SKIPPED
    args.work.mkdir(parents=True, exist_ok=True)
    index = json.loads((args.corpus / "index.json").read_text())
    chosen = [entry for entry in index if not args.captures or entry["id"] in args.captures]
    start, failed, noted, compared = time.monotonic(), 0, 0, 0
    for entry in chosen:
        failures, notes, asked = test(entry, args)
        compared += 1 if asked else 0
        failed += 1 if failures else 0
        noted += len(notes)
        for line in failures:
            print(f"FAIL {entry['id']}: {line}")
        for line in notes if args.notes else []:
            print(f"note {entry['id']}: {line}")
    print(f"corpus: {len(chosen)} captures, {failed} failed, {noted} allowed differences, "
          f"{compared} compared with hwloc, {time.monotonic() - start:.1f} s")
    if not args.captures and compared < LEAST_COMPARED:
        print(f"FAIL: hwloc could be asked about {compared} captures only")
        failed += 1
    return 1 if failed or not chosen else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Time of one whole inventory against lstopo on the same captured tree.

Compared, as one process each, output discarded, 20 runs each, interleaved:
  lanekeeper inventory --json --root TREE
  lstopo-no-graphics --input TREE --input-format fsroot      (its default: with I/O objects)
Ours reads more (interrupts, frequency, idle states, links, queues); lstopo is the yardstick for
what a tool may cost that reads a host once. Exit status 1 if our median is above twice lstopo's.
"""
import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tarfile
import tempfile
import time
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
CAPTURE = "debug-tools__dell_2_numa"
FIXTURE = "two_sockets"
LIMIT = 2.0


def corpus_dir():
    """As CMake's cache has it: LK_CORPUS_DIR."""
    cache = REPOSITORY / "build/release/CMakeCache.txt"
    if cache.exists():
        for line in cache.read_text().splitlines():
            if line.startswith("LK_CORPUS_DIR:"):
                return Path(line.split("=", 1)[1])
    return REPOSITORY.parent / "shared/corpus"


def find_tree(work):
    archive = corpus_dir() / "trees" / f"{CAPTURE}.tar.xz"
    if archive.exists():
        with tarfile.open(archive) as tar:
            tar.extractall(work)
        roots = [p for p in [work, *work.iterdir()] if (p / "sys").is_dir()]
        return roots[0], CAPTURE
    print(f"bench: {archive} is not here; a fixture machine is measured instead")
    subprocess.run([sys.executable, REPOSITORY / "tests/fixtures/build.py", work, FIXTURE], check=True,
                   stdout=subprocess.DEVNULL)
    return work / FIXTURE, f"fixture {FIXTURE}"


def run(command):
    """Wall and CPU seconds of one process; its failure ends the benchmark."""
    before = os.times()
    start = time.perf_counter()
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
    wall = time.perf_counter() - start
    after = os.times()
    if done.returncode:
        sys.exit(f"bench: {command[0]} failed ({done.returncode}): {done.stderr.decode()[:300]}")
    return wall, (after.children_user - before.children_user) + (after.children_system - before.children_system)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--lanekeeper", default=str(REPOSITORY / "build/release/bin/lanekeeper"))
    arguments = parser.parse_args()
    work = Path(tempfile.mkdtemp())
    try:
        tree, name = find_tree(work)
        commands = {
            "lanekeeper": [arguments.lanekeeper, "inventory", "--json", "--root", str(tree)],
            "lstopo": ["lstopo-no-graphics", "--input", str(tree), "--input-format", "fsroot"],
        }
        times = {key: [] for key in commands}
        for command in commands.values():  # once unmeasured: the page cache
            run(command)
        for _ in range(arguments.runs):
            for key, command in commands.items():
                times[key].append(run(command))
    finally:
        shutil.rmtree(work)
    print(f"inventory of {name}, {arguments.runs} runs each, interleaved; milliseconds")
    print(f"{'':12}{'median':>9}{'min':>9}{'max':>9}{'CPU':>9}")
    medians = {}
    for key, values in times.items():
        wall = [1000 * w for w, _ in values]
        medians[key] = statistics.median(wall)
        cpu = statistics.median(1000 * c for _, c in values)
        print(f"{key:12}{medians[key]:9.1f}{min(wall):9.1f}{max(wall):9.1f}{cpu:9.1f}")
    ratio = medians["lanekeeper"] / medians["lstopo"]
    print(f"ratio {ratio:.2f} (limit {LIMIT})")
    return 0 if ratio <= LIMIT else 1


sys.exit(main())

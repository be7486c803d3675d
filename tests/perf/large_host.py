#!/usr/bin/env python3
"""Time and memory of a large made-up host: 512 CPUs, 8 nodes, 64 drives, 10,000 interrupts.

Measured, medians of the rounds:
  lanekeeper inventory --json --root TREE      under 1 s, no process of it above 64 MiB
  lanekeeper audit --json --root TREE          the audit alone (with the inventory's time taken
                                               off) under 50 ms
  the same for hosts of a half and a quarter   the cost per CPU, drive and interrupt does not grow
Exit status 1 if one of them does not hold.
"""
import argparse
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "tests/fixtures"))
import build  # noqa: E402  (the fixtures' builder, beside machines.py)
from model import Disk, Machine  # noqa: E402
from machines import drive  # noqa: E402

SECONDS, MIB, AUDIT_MS, GROWTH = 1.0, 64, 50, 1.3


def large(share):
    """A host of 1/share of the full size."""
    nodes, drives = 8 // share, 64 // share
    per = drives // nodes
    return Machine(
        f"large_{share}", "two packages, SNC, many drives",
        packages=2, nodes_per_package=nodes // 2, cores_per_node=32, threads=2,
        drives=[drive(i, 0x03 * i + 2, i // per, queues=152) for i in range(drives)],
        disks=[Disk(name="sda", address="0000:00:17.0", driver="ahci", partitions=(1, 400, 16))],
        mounts=[("/dev/sda2", "/", "ext4")])


def run(command):
    """Wall seconds, and the peak resident MiB of the largest of its processes so far."""
    start = time.perf_counter()
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    wall = time.perf_counter() - start
    if done.returncode not in (0, 1, 3):
        sys.exit(f"bench: {command} failed ({done.returncode}): {done.stderr.decode()[:300]}")
    return wall, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("lanekeeper")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    work = Path(tempfile.mkdtemp(prefix="lanekeeper-bench-", dir=build.scratch()))
    try:
        trees = {}
        for share in (4, 2, 1):
            build.write(large(share), work / str(share))
            trees[share] = work / str(share)
        inventory = {share: [] for share in trees}
        audit, memory = [], 0.0
        for _ in range(options.rounds):
            for share, tree in trees.items():
                wall, peak = run([options.lanekeeper, "inventory", "--json", "--root", tree])
                inventory[share].append(wall)
                memory = max(memory, peak)
            audit.append(run([options.lanekeeper, "audit", "--json", "--profile", "nvme-max",
                              "--root", trees[1]])[0])
    finally:
        shutil.rmtree(work)
    middle = {share: statistics.median(times) for share, times in inventory.items()}
    audit_ms = (statistics.median(audit) - middle[1]) * 1000
    growth = middle[1] / (2 * middle[2])
    checks = [
        (f"inventory {middle[1] * 1000:.0f} ms", middle[1] <= SECONDS, f"{SECONDS:.0f} s"),
        (f"largest process {memory:.0f} MiB", memory <= MIB, f"{MIB} MiB"),
        (f"audit {audit_ms:.0f} ms", audit_ms <= AUDIT_MS, f"{AUDIT_MS} ms"),
        (f"twice the host costs {growth * 2:.2f} times", growth <= GROWTH, f"{GROWTH * 2} times"),
    ]
    print(f"512 CPUs, 8 nodes, 64 drives, 10,000 interrupts; {options.rounds} rounds, interleaved")
    print("quarter, half, whole: " + ", ".join(f"{middle[s] * 1000:.0f}" for s in (4, 2, 1)) + " ms")
    for text, holds, limit in checks:
        print(f"{text:36} (limit {limit}){'' if holds else '  ABOVE THE LIMIT'}")
    return 0 if all(holds for _, holds, _ in checks) else 1


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Time and memory of a large made-up host: 512 CPUs, 8 nodes, 64 drives, 10,000 interrupts.

Measured, medians of the rounds:
  lanekeeper inventory --json --root TREE      under 1 s, no process of it above 64 MiB
  GET /v1/audit?profile=P, first answer        audit and its JSON under 50 ms
  the same for hosts of a half and a quarter   the cost per CPU, drive and interrupt does not grow
Exit status 1 if one of them does not hold.
"""
import argparse
import http.client
import os
import shutil
import socket
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


def write_trees(shares, work):
    """In a process of its own: what this one's memory grew to would be counted for its children."""
    pid = os.fork()
    if pid == 0:
        for share in shares:
            build.write(large(share), work / str(share))
        os._exit(0)
    if os.waitpid(pid, 0)[1]:
        sys.exit("bench: the trees could not be written")
    return {share: work / str(share) for share in shares}


def run(command):
    """Wall seconds, and the peak resident MiB of the largest of its processes."""
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 1, 3):
        sys.exit(f"bench: {command} failed ({process.returncode})")
    return wall, usage.ru_maxrss / 1024


class Connection(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("localhost", timeout=60)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)


def audit_times(lanekeeper, tree, work):
    """Seconds of the first audit of each profile: later ones are remembered."""
    path = str(work / "api.sock")
    server = subprocess.Popen([lanekeeper, "serve", "--root", tree, "--listen", "unix:" + path,
                               "--state-dir", work / "state"], stderr=subprocess.DEVNULL)
    try:
        end = time.monotonic() + 30
        ready = False
        while not ready and time.monotonic() < end:
            time.sleep(0.2)
            if os.path.exists(path):
                connection = Connection(path)
                connection.request("GET", "/readyz")
                ready = connection.getresponse().status == 200
        times = []
        connection = Connection(path)
        for profile in ("nvme-max", "nvme-latency", "nvme-throughput", "report"):
            start = time.perf_counter()
            connection.request("GET", "/v1/audit?profile=" + profile)
            answer = connection.getresponse()
            answer.read()
            if answer.status != 200:
                sys.exit(f"bench: GET /v1/audit: {answer.status}")
            times.append(time.perf_counter() - start)
        return times
    finally:
        server.terminate()
        server.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("lanekeeper")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    work = Path(tempfile.mkdtemp(prefix="lanekeeper-bench-", dir=build.scratch()))
    try:
        trees = write_trees((4, 2, 1), work)
        inventory = {share: [] for share in trees}
        audit, memory = [], 0.0
        for _ in range(options.rounds):
            for share, tree in trees.items():
                wall, peak = run([options.lanekeeper, "inventory", "--json", "--root", tree])
                inventory[share].append(wall)
                memory = max(memory, peak)
            audit += audit_times(options.lanekeeper, trees[1], work)
    finally:
        shutil.rmtree(work)
    middle = {share: statistics.median(times) for share, times in inventory.items()}
    audit_ms = statistics.median(audit) * 1000
    growth = middle[1] / (2 * middle[2])
    checks = [
        (f"inventory {middle[1] * 1000:.0f} ms", middle[1] <= SECONDS, f"{SECONDS:g} s"),
        (f"largest process {memory:.0f} MiB", memory <= MIB, f"{MIB} MiB"),
        (f"audit {audit_ms:.0f} ms", audit_ms <= AUDIT_MS, f"{AUDIT_MS:g} ms"),
        (f"twice the host costs {growth * 2:.2f} times", growth <= GROWTH, f"{GROWTH * 2:g} times"),
    ]
    print(f"512 CPUs, 8 nodes, 64 drives, 10,000 interrupts; {options.rounds} rounds, interleaved")
    print("quarter, half, whole: " + ", ".join(f"{middle[s] * 1000:.0f}" for s in (4, 2, 1)) + " ms")
    for text, holds, limit in checks:
        print(f"{text:36} (limit {limit}){'' if holds else '  ABOVE THE LIMIT'}")
    return 0 if all(holds for _, holds, _ in checks) else 1


if __name__ == "__main__":
    sys.exit(main())

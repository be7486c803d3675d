#!/usr/bin/env python3
"""Runs in the guest: the API while the host changes under it.

A drive is pulled and pushed, a CPU goes and comes, a disk hangs and heals. Meanwhile a script polls
/v1/audit and /metrics every 100 ms and must never see an error, an answer older than one before, or
one that does not fit itself; a listener to /v1/events must be told of each change.
"""
import http.client
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

SOCKET = "/run/lk.sock"
SEEN_WITHIN = 2.0  # seconds, from the moment the kernel shows it
READS = 4  # or as long as the emulated machine takes to be read so many times, if that is longer
PROFILE = "nvme-throughput"
failures = []


def check(holds, text):
    print(f"{time.monotonic():8.2f} s  {'ok  ' if holds else 'FAIL'} {text}", flush=True)
    if not holds:
        failures.append(text)


class Connection(http.client.HTTPConnection):
    def __init__(self, timeout=20):
        super().__init__("localhost", timeout=timeout)

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(SOCKET)


def ask(connection, method, path):
    connection.request(method, path)
    answer = connection.getresponse()
    return answer, answer.read()


def get(path):
    answer, body = ask(Connection(), "GET", path)
    if answer.status != 200:
        raise RuntimeError(f"{path}: {answer.status} {body[:200]}")
    return json.loads(body)


def until(condition, limit):
    """Seconds until it held; None if it did not."""
    start = time.monotonic()
    while time.monotonic() - start < limit:
        if condition():
            return time.monotonic() - start
        time.sleep(0.02)
    return None


class Poller(threading.Thread):
    def __init__(self):
        super().__init__(daemon=True)
        self.stop = False
        self.rounds = 0
        self.slowest = {"/metrics": 0.0, "/v1/audit": 0.0}
        self.trouble = []
        self.generation = 0

    def run(self):
        connection = Connection()
        while not self.stop:
            start = time.monotonic()
            try:
                self.audit(connection)
                self.metrics(connection)
            except Exception as error:  # any is what this test is about
                self.trouble.append(repr(error))
                connection = Connection()
            self.rounds += 1
            time.sleep(max(0, 0.1 - (time.monotonic() - start)))

    def timed(self, connection, path):
        start = time.monotonic()
        answer, body = ask(connection, "GET", path)
        name = path.split("?")[0]
        self.slowest[name] = max(self.slowest[name], time.monotonic() - start)
        if answer.status != 200:
            self.trouble.append(f"{path}: {answer.status}")
        return answer, body

    def newer(self, what, generation):
        if generation < self.generation:
            self.trouble.append(f"{what} of generation {generation} after {self.generation}")
        self.generation = max(self.generation, generation)

    def audit(self, connection):
        answer, body = self.timed(connection, "/v1/audit?profile=" + PROFILE)
        audit = json.loads(body)
        self.newer("audit", audit["generation"])
        if f"-{audit['generation']}-" not in answer.headers["ETag"]:
            self.trouble.append(f"ETag {answer.headers['ETag']} of generation {audit['generation']}")
        counted = {}
        for finding in audit["findings"]:
            counted[finding["verdict"]] = counted.get(finding["verdict"], 0) + 1
        if counted != {k: v for k, v in audit["summary"].items() if v}:
            self.trouble.append(f"summary {audit['summary']} over {counted}")

    def metrics(self, connection):
        _, body = self.timed(connection, "/metrics")
        found = re.search(rb"^lanekeeper_inventory_generation (\d+)$", body, re.M)
        if not found:
            self.trouble.append("metrics without a generation")
        else:
            self.newer("metrics", int(found[1]))


class Listener(threading.Thread):
    def __init__(self):
        super().__init__(daemon=True)
        self.events = []
        self.error = None

    def run(self):
        try:
            connection = Connection(timeout=60)
            connection.request("GET", "/v1/events")
            answer = connection.getresponse()
            event = {}
            for raw in answer:
                line = raw.decode().rstrip("\r\n")
                if line.startswith(":"):
                    continue
                if line:
                    name, _, value = line.partition(": ")
                    event[name] = value
                elif event:
                    if "data" in event:
                        self.events.append((event["event"], json.loads(event["data"])))
                    event = {}
        except Exception as error:
            self.error = repr(error)

    def told(self, kind, wanted):
        return any(name == kind and wanted(data) for name, data in list(self.events))


def limit():
    read = sum(each["duration_us"] for each in get("/v1/inventory/probes")) / 1e6
    return max(SEEN_WITHIN, READS * read)


def drive_ids():
    return {each["id"] for each in get("/v1/inventory/nvme")["controllers"]}


def pull_and_push(listener):
    drives = get("/v1/inventory/nvme")["controllers"]
    drive = next(each for each in drives if each["serial"] == "LK1")
    device = Path("/sys/bus/pci/devices") / drive["id"]
    (device / "remove").write_text("1")
    check(until(lambda: not device.exists(), 5) is not None, "the kernel removed the drive")
    took = until(lambda: drive["id"] not in drive_ids(), 10)
    check(took is not None and took <= limit(), f"a pulled drive is seen gone ({took} s of {limit():.1f})")

    def told(turn):
        return lambda data: any(each["turn"] == turn and each["field"] == "nvme.controllers[]"
                                for each in data["differences"])
    check(until(lambda: listener.told("inventory", told("removed")), 3) is not None,
          "an event names the drive that went")

    def live():
        return any((each / "state").read_text().strip() == "live"
                   for each in Path("/sys/class/nvme").iterdir()
                   if (each / "serial").read_text().strip() == "LK1" and list(each.glob("nvme*n1")))
    Path("/sys/bus/pci/rescan").write_text("1")
    check(until(live, 20) is not None, "the kernel has the drive again")

    def back():
        return any(each["serial"] == "LK1" and each["state"] == "live" and each["queues"]
                   for each in get("/v1/inventory/nvme")["controllers"])
    took = until(back, 10)
    check(took is not None and took <= limit(), f"a pushed drive is seen ({took} s of {limit():.1f})")
    check(until(lambda: listener.told("inventory", told("added")), 3) is not None,
          "an event names the drive that came")


def offline_and_online(listener):
    switch = Path("/sys/devices/system/cpu/cpu3/online")
    for value, wanted in (("0", "0-2"), ("1", "0-3")):
        switch.write_text(value)
        took = until(lambda: get("/v1/inventory/cpu")["online"] == wanted, 10)
        check(took is not None and took <= limit(), f"CPUs {wanted} are seen online ({took} s of {limit():.1f})")
    check(until(lambda: listener.told("inventory", lambda data: any(each["field"] == "cpu.online"
                                                                    for each in data["differences"])), 3)
          is not None, "an event tells of the CPU")


def hang():
    """As tests/vm/collect: a frozen file system below a loop device. Gives what heals it."""
    subprocess.run("mkdir -p /run/hang && mount -t tmpfs tmpfs /run/hang && "
                   "truncate -s 64M /run/hang/disk && (modprobe loop || true)", shell=True, check=True)
    first = subprocess.check_output(["losetup", "--show", "-f", "/run/hang/disk"], text=True).strip()
    subprocess.run(f"mkfs.ext4 -q {first} && mkdir /run/hang/mount && mount {first} /run/hang/mount"
                   " && truncate -s 16M /run/hang/mount/inner", shell=True, check=True)
    second = subprocess.check_output(["losetup", "--show", "-f", "/run/hang/mount/inner"],
                                     text=True).strip()
    time.sleep(2)  # let events of the loop devices pass
    subprocess.run(["fsfreeze", "-f", "/run/hang/mount"], check=True)
    subprocess.Popen(["dd", "if=/dev/zero", f"of={second}", "bs=4096", "count=1", "oflag=direct"],
                     stderr=subprocess.DEVNULL)
    queue = Path("/sys/block") / Path(second).name
    until(lambda: re.search("[1-9]", (queue / "inflight").read_text()), 10)
    text = (queue / "queue/scheduler").read_text()
    other = "mq-deadline" if text.startswith("[none]") else "none"
    subprocess.Popen(["sh", "-c", f"echo {other} > {queue}/queue/scheduler"],
                     stderr=subprocess.DEVNULL)
    time.sleep(1)


def hung_device(poller):
    hang()
    poller.slowest = {name: 0.0 for name in poller.slowest}
    before = get("/v1/inventory/probes")
    rounds = poller.rounds
    for _ in range(3):
        answer, _ = ask(Connection(), "POST", "/v1/inventory/refresh")
        check(answer.status == 202, f"a refresh is taken while a disk hangs ({answer.status})")
        time.sleep(3)
    check(poller.rounds - rounds > 20, f"polled {poller.rounds - rounds} times while a disk hung")
    for name, seconds in poller.slowest.items():
        check(seconds < 1, f"{name} took {seconds:.2f} s at most while a disk hung")
    check(bool(before), "the parts were there")
    subprocess.run(["fsfreeze", "-u", "/run/hang/mount"], check=True)


def main():
    shutil.copy(os.environ["LK_BIN"] + "/lanekeeper", "/run/lanekeeper")
    with open("/run/serve.log", "w") as log:
        server = subprocess.Popen(["/run/lanekeeper", "serve", "--listen", "unix:" + SOCKET,
                                   "--state-dir", "/run/lkstate"], stderr=log)
    try:
        def ready():
            try:
                return ask(Connection(), "GET", "/readyz")[0].status == 200
            except OSError:
                return False
        check(until(ready, 60) is not None, "ready")
        poller, listener = Poller(), Listener()
        poller.start()
        listener.start()
        time.sleep(1)
        pull_and_push(listener)
        offline_and_online(listener)
        hung_device(poller)
        poller.stop = True
        poller.join(30)
        check(poller.rounds > 30, f"{poller.rounds} rounds of polling")
        check(not poller.trouble, f"no error, nothing stale, nothing half: {poller.trouble[:5]}")
        check(listener.error is None, f"the listener heard to the end: {listener.error}")
    finally:
        server.terminate()
        check(server.wait(30) == 0, "ended cleanly")
        print(Path("/run/serve.log").read_text(), flush=True)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/python3
"""A served tree that changes: events, refreshes, comparisons, since, and compressed bodies.

usage: live_test.py PATH_TO_LANEKEEPER [unittest arguments]
"""
import gzip
import json
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from curl_test import COMPONENTS, closed, fixture, jsonschema  # noqa: E402

import curl_test  # noqa: E402

GOVERNOR = "sys/devices/system/cpu/cpufreq/policy0/scaling_governor"


def validate(content, name):
    schema = closed({"$ref": "#/components/schemas/" + name})
    jsonschema.Draft202012Validator({**schema, "components": COMPONENTS}).validate(content)


def until(condition, what, limit=20):
    end = time.monotonic() + limit
    while not (value := condition()):
        if time.monotonic() > end:
            raise AssertionError("not in time: " + what)
        time.sleep(0.05)
    return value


class Served:
    """`lanekeeper serve` of a copy of a fixture machine that may be changed."""

    def __init__(self, folder, *options, config=""):
        self.folder = Path(folder)
        self.tree = self.folder / "tree"
        if not self.tree.exists():
            shutil.copytree(fixture("two_sockets"), self.tree, symlinks=True)
        (self.folder / "config.yaml").write_text(config)
        self.log = self.folder / "log"
        self.process = subprocess.Popen(
            [curl_test.LANEKEEPER, "serve", "--root", self.tree, "--listen", "127.0.0.1:0", "--state-dir",
             self.folder / "state", "--config", self.folder / "config.yaml", *options],
            stdout=open(self.log, "w"), stderr=subprocess.STDOUT)
        port = until(lambda: re.search(r"127\.0\.0\.1:(\d+)", self.log.read_text()), "a listener")[1]
        self.url = f"http://127.0.0.1:{port}"
        until(lambda: self.curl("/readyz", "-o", "/dev/null", "-w", "%{http_code}") == b"200", "ready")

    def curl(self, path, *options):
        return subprocess.run(["curl", "-sS", "--max-time", "30", *options, self.url + path],
                              capture_output=True, check=True).stdout

    def get(self, path):
        return json.loads(self.curl(path))

    def refresh(self):
        answer = self.curl("/v1/inventory/refresh", "-X", "POST", "-w", "%{http_code}")
        assert answer.endswith(b"202"), answer
        validate(json.loads(answer[:-3]), "Refresh")

    def write(self, path, text):
        (self.tree / path).write_text(text)
        before = self.get("/v1/inventory")["generation"]
        self.refresh()
        until(lambda: self.get("/v1/inventory")["generation"] > before, "a new generation")

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(20)


class Listener:
    def __init__(self, server, *options):
        self.process = subprocess.Popen(["curl", "-sSN", "--max-time", "60", *options, server.url + "/v1/events"],
                                        stdout=subprocess.PIPE, text=True)
        self.last_id = None

    def next(self):
        """(type, data) of the next event; heartbeats and bare ids are passed over."""
        event = {}
        for line in self.process.stdout:
            line = line.rstrip("\n")
            if line and not line.startswith(":"):
                name, _, value = line.partition(": ")
                event[name] = value
            elif not line and event:
                self.last_id = event.get("id", self.last_id)
                if "data" in event:
                    return event["event"], json.loads(event["data"])
                event = {}
        raise AssertionError("the stream ended")

    def hello(self):
        for line in self.process.stdout:
            if line.startswith("id: "):
                self.last_id = line[4:].strip()
                return

    def close(self):
        self.process.kill()
        self.process.stdout.close()
        self.process.wait()


class Live(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def serve(self, **more):
        server = Served(self.folder, **more)
        self.addCleanup(server.process.kill)
        return server

    def listen(self, server, *options):
        listener = Listener(server, *options)
        self.addCleanup(listener.close)
        return listener

    def test_changes_are_told(self):
        server = self.serve()
        listener = self.listen(server)
        listener.hello()
        first = server.get("/v1/audit?only=cpu.governor")["findings"]
        self.assertTrue(all(each["since"] for each in first))
        server.write(GOVERNOR, "powersave\n")
        kind, data = listener.next()
        self.assertEqual(kind, "inventory")
        validate(data, "InventoryChange")
        self.assertEqual([(d["field"], d["targets"], d["to"]) for d in data["differences"]],
                         [("cpufreq.policies[].governor", ["policy:0"], "powersave")])
        after = server.get("/v1/audit?only=cpu.governor")["findings"]
        self.assertEqual({f["since"] for f in after if f["actual"] == "performance"}, {first[0]["since"]})
        # A listener that was away gets what it missed, once.
        last = listener.last_id
        listener.close()
        server.write(GOVERNOR, "performance\n")
        again = self.listen(server, "-H", "Last-Event-ID: " + last)
        events = [again.next()]
        while events[-1][0] != "inventory":
            events.append(again.next())
        for kind, data in events:
            validate(data, {"inventory": "InventoryChange", "finding": "VerdictChange"}[kind])
        self.assertEqual(events[-1][1]["differences"][0]["to"], "performance")
        self.assertEqual(server.stop(), 0)

    def test_an_id_of_another_run_means_start_over(self):
        server = self.serve()
        for last in ("00000000-1", "nonsense"):
            kind, data = self.listen(server, "-H", "Last-Event-ID: " + last).next()
            self.assertEqual(kind, "reset")
            validate(data, "Reset")

    def test_listeners_are_counted_and_let_go(self):
        server = self.serve()
        listeners = [self.listen(server) for _ in range(5)]

        def clients(number):
            return lambda: f"\nlanekeeper_events_clients {number}\n" in server.curl("/metrics").decode()
        until(clients(5), "five clients")
        for each in listeners[:3]:
            each.close()
        until(clients(2), "two clients")
        self.assertEqual(server.stop(), 0)  # without waiting for the two

    def test_head_of_events_ends(self):
        head = self.serve().curl("/v1/events", "--head").decode()
        self.assertIn("text/event-stream", head)
        self.assertNotIn("Content-Length", head)

    def test_previous_boot(self):
        boot = "proc/sys/kernel/random/boot_id"
        server = self.serve()
        problem = server.get("/v1/inventory/diff?from=previous_boot")
        self.assertEqual((problem["status"], problem["code"]), (404, "baseline_unknown"))
        (server.tree / boot).parent.mkdir(parents=True, exist_ok=True)
        (server.tree / boot).write_text("11111111-2222-3333-4444-555555555555\n")
        self.assertEqual(server.stop(), 0)
        server = self.serve()
        (server.tree / boot).write_text("99999999-2222-3333-4444-555555555555\n")
        (server.tree / "sys/class/dmi/id/bios_version").write_text("9.9.9\n")
        self.assertEqual(server.stop(), 0)
        server = self.serve()
        diff = server.get("/v1/inventory/diff")
        validate(diff, "InventoryDiff")
        self.assertEqual([(d["subject"], d["to"]) for d in diff["differences"]], [("firmware", "9.9.9")])
        shown = subprocess.run([curl_test.LANEKEEPER, "diff", "--previous-boot", "--root", server.tree, "--state-dir",
                                server.folder / "state"], capture_output=True, text=True)
        self.assertEqual((shown.returncode, shown.stderr), (1, ""))
        self.assertIn("9.9.9", shown.stdout)

    def test_golden(self):
        server = self.serve(config="golden: " + self.folder + "/golden.json\n")
        self.assertEqual(server.get("/v1/inventory/diff?from=golden")["code"], "baseline_unreadable")
        Path(self.folder, "golden.json").write_bytes(server.curl("/v1/inventory"))
        server.write(GOVERNOR, "powersave\n")
        diff = server.get("/v1/inventory/diff?from=golden")
        validate(diff, "InventoryDiff")
        self.assertEqual([d["field"] for d in diff["differences"]], ["cpufreq.policies[].governor"])
        self.assertEqual(server.curl("/v1/inventory/diff?from=nothing", "-o", "/dev/null", "-w", "%{http_code}"), b"400")

    def test_compressed(self):
        server = self.serve()
        for path in ("/v1/inventory", "/v1/audit", "/v1/inventory/nvme", "/v1/knobs", "/openapi.json"):
            for _ in range(2):  # made, then remembered
                with self.subTest(path=path):
                    plain = server.curl(path, "-D", self.folder + "/plain")
                    packed = server.curl(path, "-H", "Accept-Encoding: gzip", "-D", self.folder + "/packed")
                    head = Path(self.folder, "packed").read_text()
                    self.assertIn("Content-Encoding: gzip", head)
                    self.assertIn("Vary: Accept-Encoding", head)
                    self.assertIn("Vary: Accept-Encoding", Path(self.folder, "plain").read_text())
                    self.assertIn(f"Content-Length: {len(packed)}", head)
                    self.assertEqual(gzip.decompress(packed), plain)
                    tag = re.search(r"ETag: (\S+)", head)[1]
                    self.assertTrue(tag.startswith("W/"), tag)
                    code = server.curl(path, "-H", "Accept-Encoding: gzip", "-H", f"If-None-Match: {tag}",
                                       "-o", "/dev/null", "-w", "%{http_code}")
                    self.assertEqual(code, b"304")
        for refused in ("gzip;q=0", "identity", "br"):
            self.assertEqual(server.curl("/v1/knobs", "-H", "Accept-Encoding: " + refused)[:1], b"[")
        self.assertEqual(server.curl("/livez", "-H", "Accept-Encoding: gzip"), b"live\n")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    curl_test.LANEKEEPER = Path(sys.argv.pop(1)).resolve()
    unittest.main(warnings="ignore")

#!/usr/bin/python3
"""Debian's Prometheus, set up as docs/prometheus says, finds the faults of a served machine.

usage: prometheus_test.py PATH_TO_LANEKEEPER
"""
import json
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
DOCS = TOP / "docs/prometheus"


def until(condition, what, limit=60):
    end = time.monotonic() + limit
    while not (value := condition()):
        if time.monotonic() > end:
            sys.exit("not in time: " + what)
        time.sleep(0.1)
    return value


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    if not (shutil.which("prometheus") and shutil.which("promtool")):
        print("prometheus is not here: ./dev test gets it")
        return 77
    rules = (DOCS / "lanekeeper.rules.yml").read_text()
    subprocess.run(["promtool", "check", "config", DOCS / "prometheus.yml"], check=True)
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        subprocess.run([sys.executable, TOP / "tests/fixtures/build.py", work, "degraded_switch"], check=True,
                       stdout=subprocess.DEVNULL)
        ours, theirs = free_port(), free_port()
        lanekeeper = subprocess.Popen(
            [sys.argv[1], "serve", "--root", work / "degraded_switch", "--listen", f"127.0.0.1:{ours}", "--state-dir",
             work / "state"], stderr=subprocess.DEVNULL)
        # As documented, but for the port and waiting: nobody sits through 30 seconds.
        config = (DOCS / "prometheus.yml").read_text().replace("127.0.0.1:7780", f"127.0.0.1:{ours}")
        (work / "prometheus.yml").write_text(config.replace("30s", "1s"))
        (work / "lanekeeper.rules.yml").write_text(re.sub(r"for: \d+m", "for: 0s", rules))
        prometheus = subprocess.Popen(
            ["prometheus", f"--config.file={work}/prometheus.yml", f"--storage.tsdb.path={work}/data",
             f"--web.listen-address=127.0.0.1:{theirs}"], stderr=subprocess.DEVNULL)

        def query(expression):
            url = f"http://127.0.0.1:{theirs}/api/v1/query?query=" + urllib.parse.quote(expression)
            try:
                with urllib.request.urlopen(url, timeout=5) as answer:
                    return json.load(answer)["data"]["result"]
            except OSError:
                return []
        try:
            until(lambda: query('up{job="lanekeeper"} == 1'), "Prometheus scrapes")
            alerts = until(lambda: query('ALERTS{alertname="LanekeeperCheckFails"}'), "an alert fires")
            checks = {each["metric"]["check"] for each in alerts}
            with urllib.request.urlopen(f"http://127.0.0.1:{ours}/v1/audit?verdict=fail") as answer:
                wanted = {each["check"] for each in json.load(answer)["findings"] if each["severity"] != "info"}
            if checks != wanted:
                sys.exit(f"alerts for {sorted(checks)}, the audit says {sorted(wanted)}")
            degraded = until(lambda: query('ALERTS{alertname="LanekeeperLinkDegraded"}'), "a degraded link alerts")
            print("alerts:", ", ".join(sorted(checks)), "and", len(degraded), "degraded links")
        finally:
            for process in (prometheus, lanekeeper):
                process.terminate()
                process.wait(20)
    return 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""The API's speed and size, side by side with others on this machine; medians of the rounds.

  GET /metrics           requests per second against prometheus-node-exporter's: at least 50 times
  GET /v1/inventory      against nginx with one worker that serves the same bytes: at least half
  10,000 idle connections  memory of the server under 100 MB, latency of /livez at most twice as long
  the server at rest     under 24 MB; ready within 300 ms of its start on this host

wrk, nginx and prometheus-node-exporter are Debian's, unpacked into build/tools by ./dev bench.
Exit status 1 if one of them does not hold.
"""
import argparse
import os
import re
import resource
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
TOOLS = REPOSITORY / "build/tools"
CONNECTIONS = 10000
failed = []


def check(text, holds, limit):
    print(f"{text:58} (limit {limit}){'' if holds else '  DOES NOT HOLD'}", flush=True)
    if not holds:
        failed.append(text)


def tool(name):
    found = shutil.which(name)
    for folder in ("usr/bin", "usr/sbin"):
        if (TOOLS / folder / name).exists():
            found = str(TOOLS / folder / name)
    if not found:
        sys.exit(f"bench: there is no {name}; ./dev bench gets it")
    return found


def environment():
    libraries = ":".join(str(each) for each in (TOOLS / "usr/lib").glob("*-linux-gnu"))
    return {**os.environ, "LD_LIBRARY_PATH": libraries}


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def await_answer(url, limit=20):
    """Seconds until it answered 200."""
    start = time.perf_counter()
    while time.perf_counter() - start < limit:
        try:
            with urllib.request.urlopen(url, timeout=2) as answer:
                if answer.status == 200:
                    return time.perf_counter() - start
        except OSError:
            time.sleep(0.002)
    sys.exit(f"bench: {url} does not answer")


class Lanekeeper:
    def __init__(self, binary, work, *options):
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.process = subprocess.Popen(
            [binary, "serve", "--listen", f"127.0.0.1:{self.port}", "--state-dir", work / "state", *options],
            stderr=subprocess.DEVNULL)
        self.ready_s = await_answer(self.url + "/readyz")

    def megabytes(self):
        text = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", text)[1]) / 1000

    def stop(self):
        self.process.terminate()
        self.process.wait()


def requests_per_second(url):
    text = subprocess.run([tool("wrk"), "-t1", "-c8", "-d2s", url], capture_output=True, text=True,
                          env=environment(), check=True).stdout
    if "Non-2xx" in text:
        sys.exit(f"bench: errors from {url}: {text}")
    return float(re.search(r"Requests/sec:\s+([\d.]+)", text)[1])


def compare(rounds, ours, theirs):
    """Medians of both, taken by turns."""
    samples = ([], [])
    for _ in range(rounds):
        samples[0].append(requests_per_second(ours))
        samples[1].append(requests_per_second(theirs))
    return [statistics.median(each) for each in samples]


def bench_metrics(binary, work, rounds):
    server = Lanekeeper(binary, work)
    port = free_port()
    exporter = subprocess.Popen([tool("prometheus-node-exporter"), f"--web.listen-address=127.0.0.1:{port}"],
                                stderr=subprocess.DEVNULL)
    try:
        await_answer(f"http://127.0.0.1:{port}/metrics")
        ours, theirs = compare(rounds, server.url + "/metrics", f"http://127.0.0.1:{port}/metrics")
        check(f"/metrics {ours:.0f}/s, node-exporter {theirs:.0f}/s: {ours / theirs:.0f} times", ours >= 50 * theirs,
              "50 times")
        check(f"at rest {server.megabytes():.1f} MB", server.megabytes() < 24, "24 MB")
    finally:
        server.stop()
        exporter.kill()
        exporter.wait()
    ready = []
    for _ in range(2 * rounds + 1):
        server = Lanekeeper(binary, work)
        ready.append(server.ready_s * 1000)
        server.stop()
    check(f"ready after {statistics.median(ready):.0f} ms", statistics.median(ready) < 300, "300 ms")


def bench_inventory(binary, work, rounds):
    subprocess.run([sys.executable, REPOSITORY / "tests/fixtures/build.py", work, "snc4_24_drives"], check=True,
                   stdout=subprocess.DEVNULL)
    server = Lanekeeper(binary, work, "--root", work / "snc4_24_drives")
    port = free_port()
    (work / "files").mkdir()
    (work / "nginx.conf").write_text(f"""
worker_processes 1; daemon off; pid {work}/nginx.pid; error_log /dev/null;
events {{ worker_connections 64; }}
http {{ access_log off; default_type application/json; sendfile on; tcp_nopush on; open_file_cache max=10;
  client_body_temp_path {work}; proxy_temp_path {work}; fastcgi_temp_path {work}; uwsgi_temp_path {work};
  scgi_temp_path {work}; server {{ listen 127.0.0.1:{port}; root {work}/files; }} }}
""")
    with urllib.request.urlopen(server.url + "/v1/inventory") as answer:
        (work / "files/inventory.json").write_bytes(answer.read())
    work.chmod(0o755)
    nginx = subprocess.Popen([tool("nginx"), "-c", work / "nginx.conf", "-p", work], stderr=subprocess.DEVNULL,
                             env=environment())
    try:
        other = f"http://127.0.0.1:{port}/inventory.json"
        await_answer(other)
        ours, theirs = compare(rounds, server.url + "/v1/inventory", other)
        size = (work / "files/inventory.json").stat().st_size
        check(f"/v1/inventory ({size} bytes) {ours:.0f}/s, nginx {theirs:.0f}/s: {ours / theirs:.2f} times",
              ours >= 0.5 * theirs, "0.5 times")
    finally:
        server.stop()
        nginx.terminate()
        nginx.wait()


def latency(url, times=300):
    samples = []
    for _ in range(times):
        start = time.perf_counter()
        with urllib.request.urlopen(url) as answer:
            answer.read()
        samples.append(time.perf_counter() - start)
    return statistics.median(samples)


def bench_idle(binary, work):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = CONNECTIONS if hard == resource.RLIM_INFINITY else min(CONNECTIONS, hard - 200)
    if most < CONNECTIONS:
        print(f"the hard limit of descriptors, {hard}, allows no more than {most} connections")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, most + 200), hard))
    server = Lanekeeper(binary, work)
    idle = []
    try:
        before = latency(server.url + "/livez")
        for _ in range(most):
            idle.append(socket.create_connection(("127.0.0.1", server.port)))
        after = latency(server.url + "/livez")
        with urllib.request.urlopen(server.url + "/metrics") as answer:
            opened = int(re.search(rb"\nlanekeeper_http_connections (\d+)", answer.read())[1])
        check(f"{opened} idle connections are kept", opened >= most, str(most))
        check(f"with them {server.megabytes():.0f} MB", server.megabytes() < 100, "100 MB")
        check(f"/livez {before * 1e6:.0f} us, with them {after * 1e6:.0f} us", after < 2 * before, "2 times")
    finally:
        for each in idle:
            each.close()
        server.stop()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("lanekeeper")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    work = Path(tempfile.mkdtemp(prefix="lanekeeper-bench-"))
    try:
        bench_metrics(options.lanekeeper, work, options.rounds)
        bench_inventory(options.lanekeeper, work, options.rounds)
        bench_idle(options.lanekeeper, work)
    finally:
        shutil.rmtree(work)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

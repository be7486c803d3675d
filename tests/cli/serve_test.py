"""lanekeeper serve as a service manager and its clients meet it."""
import http.client
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import time

import harness
from harness import Case, machine, run


class UnixConnection(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("localhost")
        self.path = str(path)

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(self.path)


class Serve(Case):
    def serve(self, *args, env=None):
        process = subprocess.Popen([harness.BINARY, "serve", *map(str, args)], stderr=subprocess.PIPE,
                                   stdout=subprocess.DEVNULL, text=True,
                                   env={**os.environ, **(env or {})})
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def get(self, path, url, patience=20):
        end = time.monotonic() + patience
        while True:
            connection = UnixConnection(path)
            try:
                connection.request("GET", url)
                answer = connection.getresponse()
                return answer.status, answer.read()
            except (FileNotFoundError, ConnectionRefusedError):
                if time.monotonic() > end:
                    raise
                time.sleep(0.05)
            finally:
                connection.close()

    def until(self, holds, patience=30):
        end = time.monotonic() + patience
        while not holds():
            self.assertLess(time.monotonic(), end, "that never happened")
            time.sleep(0.05)

    def until_ready(self, path):
        self.until(lambda: self.get(path, "/readyz")[0] == 200)

    def test_serves_reloads_and_ends(self):
        path = self.dir / "api.sock"
        config = self.dir / "config.yaml"
        config.write_text("labels: {rack: one}\n")
        notify = self.dir / "notify.sock"
        manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.addCleanup(manager.close)
        manager.bind(str(notify))
        manager.settimeout(20)
        process = self.serve("--config", config, "--listen", f"unix:{path}",
                             env={"NOTIFY_SOCKET": str(notify)})
        self.assertEqual(manager.recv(100), b"READY=1")
        self.until_ready(path)
        first = json.loads(self.get(path, "/v1/inventory")[1])
        self.assertEqual(first["labels"], {"rack": "one"})
        config.write_text("labels: {rack: two}\n")
        process.send_signal(signal.SIGHUP)
        for _ in range(400):
            now = json.loads(self.get(path, "/v1/inventory")[1])
            if now["labels"] == {"rack": "two"}:
                break
            time.sleep(0.05)
        self.assertEqual(now["labels"], {"rack": "two"})
        self.assertGreater(now["generation"], first["generation"])
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(timeout=20), 0)
        self.assertEqual(manager.recv(100), b"STOPPING=1")

    def test_a_broken_configuration_is_not_taken_over(self):
        path = self.dir / "broken.sock"
        config = self.dir / "broken.yaml"
        config.write_text("labels: {rack: one}\n")
        process = self.serve("--config", config, "--listen", f"unix:{path}")
        self.until_ready(path)
        config.write_text("labels: [\n")
        process.send_signal(signal.SIGHUP)
        for line in process.stderr:
            if "the configuration stays as it was" in line:
                break
        else:
            self.fail("nothing was said")
        self.assertEqual(json.loads(self.get(path, "/v1/inventory")[1])["labels"], {"rack": "one"})
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(timeout=20), 0)

    def test_a_tree_that_is_removed_is_told(self):
        root = self.dir / "tree"
        shutil.copytree(machine("vm_one_node"), root, symlinks=True)
        path = self.dir / "gone.sock"
        config = self.dir / "gone.yaml"
        config.write_text("refresh_s: 1\n")
        process = self.serve("--root", root, "--config", config, "--listen", f"unix:{path}", "--state-dir",
                             self.dir / "gone-state")
        self.until_ready(path)
        before = json.loads(self.get(path, "/v1/inventory")[1])
        shutil.rmtree(root)
        self.until(lambda: b"\nlanekeeper_inventory_refresh_success 0\n" in self.get(path, "/metrics")[1])
        self.until(lambda: self.get(path, "/readyz")[0] == 503)
        problem = json.loads(self.get(path, "/readyz")[1])
        self.assertEqual(problem["code"], "inventory_stale")
        self.assertIn("ENOENT", problem["detail"])
        self.assertEqual(self.get(path, "/livez")[0], 200)
        after = json.loads(self.get(path, "/v1/inventory")[1])
        self.assertLessEqual(before["collected_at"], after["collected_at"])
        self.assertEqual(after["host"], before["host"])
        shutil.copytree(machine("vm_one_node"), root, symlinks=True)
        self.until(lambda: self.get(path, "/readyz")[0] == 200)
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(timeout=20), 0)

    def test_access_log(self):
        path = self.dir / "log.sock"
        config = self.dir / "log.yaml"
        for wanted in ("true", "false"):
            config.write_text(f"access_log: {wanted}\n")
            process = self.serve("--root", machine("vm_one_node"), "--config", config, "--listen", f"unix:{path}",
                                 "--state-dir", self.dir / "log-state")
            self.until_ready(path)
            self.assertEqual(self.get(path, "/v1/audit?verdict=fail")[0], 200)
            self.assertEqual(self.get(path, "/x%1b%9b")[0], 404)
            process.send_signal(signal.SIGTERM)
            said = process.communicate(timeout=20)[1]
            lines = [line for line in said.splitlines() if "access: " in line and "readyz" not in line]
            if wanted == "false":
                self.assertEqual(lines, [])
                continue
            who = f"lanekeeper: access: uid {os.getuid()} pid {os.getpid()} "
            self.assertRegex(lines[0], re.escape(who + '"GET /v1/audit?verdict=fail" 200 ') +
                             r"\d+ bytes \d+\.\d ms route=/v1/audit id=\S+$")
            self.assertRegex(lines[1], re.escape(who + '"GET /x%1b%9b" 404 ') + r".* route=none ")

    def test_a_standard_error_that_nobody_reads_stops_nothing(self):
        path = self.dir / "deaf.sock"
        config = self.dir / "deaf.yaml"
        config.write_text("access_log: true\n")
        process = self.serve("--root", machine("vm_one_node"), "--config", config, "--listen", f"unix:{path}",
                             "--state-dir", self.dir / "deaf-state")
        self.until_ready(path)
        for _ in range(1500):  # more than a pipe holds
            self.assertEqual(self.get(path, "/livez?" + "x" * 1000)[0], 400)
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(timeout=20), 0)

    def test_limits_of_a_client(self):
        path = self.dir / "limits.sock"
        config = self.dir / "limits.yaml"
        config.write_text("client_work_per_s: 1\n")
        self.serve("--root", machine("vm_one_node"), "--config", config, "--listen", f"unix:{path}", "--state-dir",
                   self.dir / "limits-state")
        self.until_ready(path)
        answers = [self.get(path, "/v1/audit?verdict=fail") for _ in range(5)]
        self.assertEqual(answers[0][0], 200)
        refused = [json.loads(body) for status, body in answers if status == 429]
        self.assertEqual({each["code"] for each in refused}, {"rate_limited"})
        self.assertEqual({self.get(path, "/v1/inventory")[0] for _ in range(50)}, {200})  # at hand: no bound

    def test_a_poller_is_never_refused(self):
        path = self.dir / "poll.sock"
        self.serve("--root", machine("vm_one_node"), "--listen", f"unix:{path}", "--state-dir", self.dir / "poll-state")
        self.until_ready(path)
        for _ in range(30):
            for url in ("/v1/audit?profile=nvme-max&verdict=fail", "/metrics", "/v1/inventory/cpu", "/v1/profiles"):
                self.assertEqual(self.get(path, url)[0], 200)
            time.sleep(0.02)

    def test_port_in_use(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            port = taken.getsockname()[1]
            self.refused(run("serve", "--listen", f"127.0.0.1:{port}"), "EADDRINUSE", str(port))

    def test_wrong_addresses(self):
        self.refused(run("serve", "--listen", "nowhere"), "nowhere")
        self.refused(run("serve", "--listen", f"unix:{self.dir}/none/x.sock"), "ENOENT")
        self.refused(run("serve", "--state-dir", "here"), "absolute")
        self.refused(run("serve", "--listen", "0.0.0.0:0"), "0.0.0.0")

    def test_root_that_is_no_tree(self):
        self.refused(run("serve", "--root", self.dir / "none", "--listen", "127.0.0.1:0"), "ENOENT")

    def test_openapi(self):
        self.assertEqual(json.loads(self.done(run("openapi", "--json")))["openapi"][:3], "3.1")
        self.assertIn("openapi: 3.1", self.done(run("openapi")).replace('"', ""))

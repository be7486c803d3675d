#!/usr/bin/python3
"""Every route, asked with curl of a served fixture machine, against openapi/openapi.json.

usage: curl_test.py PATH_TO_LANEKEEPER [unittest arguments]
"""
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
from urllib.parse import quote

import jsonschema
import yaml

HERE = Path(__file__).resolve().parent
TOP = HERE.parent.parent
LANEKEEPER = None
FIXTURES = tempfile.TemporaryDirectory()

DOCUMENT = json.loads((TOP / "openapi" / "openapi.json").read_text())


def closed(node):
    """The schemas, with fields that they do not name forbidden: what is sent must be documented."""
    if isinstance(node, dict):
        node = {key: closed(value) for key, value in node.items()}
        if "properties" in node and "required" in node:
            node["additionalProperties"] = False
    elif isinstance(node, list):
        node = [closed(value) for value in node]
    return node


COMPONENTS = closed(DOCUMENT["components"])


def validate(content, schema):
    jsonschema.Draft202012Validator({**closed(schema), "components": COMPONENTS}).validate(content)


def fixture(name):
    path = Path(FIXTURES.name) / name
    if not path.exists():
        subprocess.run([sys.executable, TOP / "tests/fixtures/build.py", FIXTURES.name, name], check=True,
                       stdout=subprocess.DEVNULL)
    return path


class Answer:
    def __init__(self, head, body):
        self.status = int(head.split()[1])
        self.headers = {name.lower(): value for name, value in re.findall(r"^([^:\r\n]+): (.*?)\r?$", head, re.M)}
        self.body = body
        self.type = self.headers.get("content-type")

    def json(self):
        return json.loads(self.body)


class Served:
    def __init__(self, machine):
        self.folder = tempfile.TemporaryDirectory()
        self.socket = f"{self.folder.name}/api.sock"
        log = Path(self.folder.name) / "log"
        self.process = subprocess.Popen(
            [LANEKEEPER, "serve", "--root", fixture(machine), "--listen", "127.0.0.1:0", "--listen", f"unix:{self.socket}"],
            stdout=open(log, "w"), stderr=subprocess.STDOUT)
        end = time.monotonic() + 60
        while not (found := re.search(r"127\.0\.0\.1:(\d+)", log.read_text())):
            if self.process.poll() is not None or time.monotonic() > end:
                raise RuntimeError(f"lanekeeper serve does not start: {log.read_text()}")
            time.sleep(0.05)
        self.port = int(found.group(1))
        while self.curl("/readyz").status != 200:
            if time.monotonic() > end:
                raise RuntimeError("no inventory in time: " + self.curl("/readyz").body)
            time.sleep(0.05)

    def curl(self, path, *options, unix=False):
        where = ["--unix-socket", self.socket] if unix else []
        if "--head" not in options:
            options += ("-D", "-")
        done = subprocess.run(["curl", "-sS", "-g", "--path-as-is", "--max-time", "30", *where, *options,
                               f"http://127.0.0.1:{self.port}{path}"], capture_output=True, check=True)
        head, _, body = done.stdout.decode().partition("\r\n\r\n")
        return Answer(head, body)

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(15)
        finally:
            self.process.kill()
            self.folder.cleanup()


class Routes(unittest.TestCase):
    """All routes of the document, on one machine."""

    @classmethod
    def setUpClass(cls):
        cls.server = Served("snc4_24_drives")
        drive = cls.server.curl("/v1/inventory/nvme").json()["controllers"][3]
        cls.values = {"drive": drive["name"], "id": "cpu.governor", "name": "balanced", "code": "not_found"}

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()

    def paths(self):
        for pattern, item in DOCUMENT["paths"].items():
            # Streams, writes and comparisons are what live_test.py is about.
            if "get" not in item or pattern in ("/v1/events", "/v1/inventory/diff"):
                continue
            path = re.sub(r"\{(\w+)\}", lambda m: quote(self.values[m.group(1)], safe=""), pattern)
            yield path, item["get"]

    def assert_problem(self, answer, status, code):
        self.assertEqual((answer.status, answer.type), (status, "application/problem+json"), answer.body[:300])
        problem = answer.json()
        validate(problem, {"$ref": "#/components/schemas/ProblemDetails"})
        self.assertEqual((problem["status"], problem["code"]), (status, code))
        page = self.server.curl(problem["type"])
        self.assertEqual(page.status, 200)
        self.assertIn(code, page.body)
        return problem

    def test_answers_fit_the_document(self):
        for path, operation in self.paths():
            with self.subTest(path=path):
                answer = self.server.curl(path)
                self.assertEqual(answer.status, 200, answer.body[:300])
                (media, content), = operation["responses"]["200"]["content"].items()
                self.assertEqual(answer.type.split(";")[0], media)
                if media == "application/json":
                    validate(answer.json(), content["schema"])
                self.assertEqual("etag" in answer.headers, "304" in operation["responses"])

    def test_unix_socket(self):
        for path, _ in self.paths():
            with self.subTest(path=path):
                self.assertEqual(self.server.curl(path, unix=True).status, 200)

    def test_head(self):
        for path, _ in self.paths():
            with self.subTest(path=path):
                get, head = self.server.curl(path), self.server.curl(path, "--head")
                self.assertEqual(head.body, "")
                for answer in (get, head):
                    answer.headers.pop("date")
                    if path == "/metrics":
                        answer.headers.pop("content-length")
                self.assertEqual((get.status, get.headers), (head.status, head.headers))

    def test_not_modified(self):
        for path, operation in self.paths():
            with self.subTest(path=path):
                if "304" not in operation["responses"]:
                    continue
                etag = self.server.curl(path).headers["etag"]
                for tag in (etag, "*", f'"x", {etag}'):
                    answer = self.server.curl(path, "-H", f"If-None-Match: {tag}")
                    self.assertEqual((answer.status, answer.body), (304, ""))
                    self.assertEqual(answer.headers["etag"], etag)
                    self.assertNotIn("content-length", answer.headers)
                self.assertEqual(self.server.curl(path, "-H", 'If-None-Match: "x"').status, 200)

    def test_other_methods(self):
        for pattern, item in DOCUMENT["paths"].items():
            path = re.sub(r"\{(\w+)\}", lambda m: quote(self.values[m.group(1)], safe=""), pattern)
            known = [method.upper() for method in item]
            allow = ", ".join("GET, HEAD" if each == "GET" else each for each in known)
            for method in {"POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"} - set(known):
                with self.subTest(path=path, method=method):
                    answer = self.server.curl(path, "-X", method)
                    self.assertEqual((answer.status, answer.headers.get("allow")), (405, allow))
        self.assert_problem(self.server.curl("/livez", "-X", "POST", "-d", "x=y"), 405, "method_not_allowed")
        self.assert_problem(self.server.curl("/livez", "-X", "BREW"), 501, "method_unknown")

    def test_types_that_are_not_there(self):
        for path, _ in self.paths():
            with self.subTest(path=path):
                self.assert_problem(self.server.curl(path, "-H", "Accept: image/png"), 406, "not_acceptable")

    def test_unknown_parameters(self):
        for path, _ in self.paths():
            with self.subTest(path=path):
                self.assert_problem(self.server.curl(path + "?nonsense=1"), 400, "parameter_unknown")

    def test_bodies(self):
        for path, _ in self.paths():
            with self.subTest(path=path):
                self.assert_problem(self.server.curl(path, "-X", "GET", "-d", "x"), 413, "body_too_large")

    def test_headers(self):
        for path, _ in self.paths():
            with self.subTest(path=path):
                headers = self.server.curl(path, "-H", "Origin: http://evil.test").headers
                self.assertEqual(headers["x-content-type-options"], "nosniff")
                self.assertIn("default-src 'none'", headers["content-security-policy"])
                self.assertEqual(headers["cache-control"], "no-cache" if "etag" in headers else "no-store")
                self.assertNotIn("access-control-allow-origin", headers)

    def test_foreign_hosts(self):
        for path, _ in self.paths():
            with self.subTest(path=path):
                self.assert_problem(self.server.curl(path, "-H", "Host: evil.test"), 421, "host_unknown")
                self.assertEqual(self.server.curl(path, "-H", "Host: evil.test", unix=True).status, 200)

    def test_what_does_not_exist(self):
        for path, code in (("/v2/inventory", "not_found"), ("/v1/inventory/", "not_found"), ("/v1", "not_found"),
                           ("/v1/inventory/gpu", "not_found"), ("//livez", "not_found"), ("/v1/../livez", "not_found"),
                           ("/v1/inventory/nvme/nvme99", "drive_unknown"), ("/v1/knobs/cpu.governer", "knob_unknown"),
                           ("/v1/profiles/balance", "profile_unknown"), ("/v1/audit?profile=balance", "profile_unknown"),
                           ("/problems/none", "not_found"), ("/v1/inventory/nvme/..%2f..%2fetc%2fpasswd", "drive_unknown"),
                           ("/v1/profiles/..%2f..%2fetc%2fpasswd", "profile_unknown")):
            with self.subTest(path=path):
                self.assert_problem(self.server.curl(path), 404, code)
        self.assertIn('"cpu.governor" meant', self.server.curl("/v1/knobs/cpu.governer").json()["detail"])
        for path, hint in (("/v1/inventry", '"/v1/inventory" meant'), ("/v1/inventory/cpus", '"/v1/inventory/cpu" meant'),
                           ("/v1/inventory/foo12345", "below /v1/inventory are block, cpu, "),
                           ("/v1", "below /v1 are audit, events, inventory, knobs, "), ("/v2/knobs", '"/v1" meant'),
                           ("/v1/knobs/a/b", "below /v1/knobs is {id}"), ("/xyzzy1", "below / are livez, metrics, ")):
            self.assertIn(hint, self.server.curl(path).json()["detail"], path)
        self.assert_problem(self.server.curl("/v1/knobs/%zz"), 400, "bad_request")

    def test_parts_are_the_whole(self):
        whole = self.server.curl("/v1/inventory").json()
        for part, value in whole.items():
            answer = self.server.curl(f"/v1/inventory/{part}")
            shown = subprocess.run([LANEKEEPER, "inventory", "--root", fixture("snc4_24_drives"), "--part", part],
                                   capture_output=True).returncode == 0
            self.assertEqual(answer.status == 200, shown, part)  # one list for both
            self.assertEqual(shown, not isinstance(value, (int, str)), part)
            if shown:
                self.assertEqual(answer.json(), value, part)

    def test_drives_by_every_name(self):
        nvme = self.server.curl("/v1/inventory/nvme").json()
        for drive in nvme["controllers"][:4]:
            space = next(n for n in nvme["namespaces"] if any(p["controller"] == drive["name"] for p in n["paths"]))
            for name in (drive["id"], drive["name"], drive["serial"], drive["pci_address"], drive["slot"], space["wwid"],
                         space["name"]):
                with self.subTest(name=name):
                    found = self.server.curl("/v1/inventory/nvme/" + quote(name, safe="")).json()
                    self.assertEqual(found["namespaces"], [space])
                    del found["namespaces"]
                    self.assertEqual(found, drive)

    def test_audit_filters(self):
        whole = self.server.curl("/v1/audit").json()
        self.assertGreater(len(whole["findings"]), 3)
        for parameter, field in (("verdict", "verdict"), ("severity", "severity"), ("only", "check")):
            for value in {finding[field] for finding in whole["findings"]}:
                with self.subTest(parameter=parameter, value=value):
                    part = self.server.curl(f"/v1/audit?{parameter}={value}").json()
                    self.assertEqual(part["findings"], [f for f in whole["findings"] if f[field] == value])
                    self.assertEqual(part["summary"], whole["summary"])
        both = self.server.curl("/v1/audit?verdict=pass,fail&profile=balanced").json()
        self.assertEqual(both["findings"], [f for f in whole["findings"] if f["verdict"] in ("pass", "fail")])
        for query in ("verdict=fial", "severity=high", "only=nothing", "verdict=pass&verdict=fail", "verdict="):
            problem = self.assert_problem(self.server.curl("/v1/audit?" + query), 400, "parameter_invalid")
            self.assertEqual(problem["errors"][0]["parameter"], query.split("=")[0])

    def test_openapi_is_the_published_one(self):
        self.assertEqual(self.server.curl("/openapi.json").json(), DOCUMENT)
        self.assertEqual(yaml.safe_load(self.server.curl("/openapi.yaml").body), DOCUMENT)

    def test_index_lists_every_route(self):
        shown = re.findall(r"<li>(\w+) (?:<a href=\"([^\"]*)\">)?([^<:]+)", self.server.curl("/").body)
        wanted = [(method.upper(), pattern) for pattern, item in DOCUMENT["paths"].items() for method in item
                  if method in ("get", "post", "put", "patch", "delete")]
        self.assertEqual(sorted((method, pattern) for method, _, pattern in shown), sorted(wanted))
        for _, link, pattern in shown:
            self.assertEqual(link, "" if "{" in pattern else pattern)

    def test_requests_are_counted(self):
        def count():
            line = 'lanekeeper_http_requests_total{route="/livez",method="HEAD",code="200"} '
            return sum(float(each.removeprefix(line)) for each in self.server.curl("/metrics").body.split("\n") if each.startswith(line))
        before = count()
        for _ in range(3):
            self.server.curl("/livez", "--head")
        self.assertEqual(count(), before + 3)


class Machines(unittest.TestCase):
    """Every machine: the whole inventory, all audits and the metrics."""

    names = subprocess.run([sys.executable, TOP / "tests/fixtures/build.py", "--list", "."], capture_output=True,
                           text=True, check=True).stdout

    def test_machines(self):
        for machine in re.findall(r"^(\S+)", self.names, re.M):
            with self.subTest(machine=machine):
                server = Served(machine)
                try:
                    self.check(server)
                    getattr(self, "check_" + machine, lambda _: None)(server)
                finally:
                    self.assertEqual(server.stop(), 0)

    def check(self, server):
        inventory = server.curl("/v1/inventory").json()
        validate(inventory, {"$ref": "#/components/schemas/Inventory"})
        for profile in server.curl("/v1/profiles").json():
            self.assertTrue(profile["valid"], profile)
            validate(server.curl("/v1/profiles/" + profile["name"]).json(), {"$ref": "#/components/schemas/Profile"})
            audit = server.curl("/v1/audit?profile=" + profile["name"]).json()
            validate(audit, {"$ref": "#/components/schemas/Audit"})
            self.assertEqual(audit["generation"], inventory["generation"])
        for drive in inventory["nvme"]["controllers"]:
            answer = server.curl("/v1/inventory/nvme/" + quote(drive["id"], safe=""))
            validate(answer.json(), {"$ref": "#/components/schemas/Drive"})
        self.check_metrics(server, inventory)

    def check_metrics(self, server, inventory):
        text = server.curl("/metrics").body
        if shutil.which("promtool"):  # Debian has it in prometheus, which would start a server
            lint = subprocess.run(["promtool", "check", "metrics"], input=text, capture_output=True, text=True)
            self.assertEqual((lint.returncode, lint.stdout + lint.stderr), (0, ""))

        def samples(family):
            return dict(re.findall(rf'^lanekeeper_{family}{{drive="([^"]+)"[^}}]*}} (\S+)$', text, re.M))
        drives = inventory["nvme"]["controllers"]
        self.assertEqual(set(samples("nvme_info")), {d["id"] for d in drives})
        self.assertEqual(samples("nvme_numa_node"),
                         {d["id"]: str(d["effective_node"]) for d in drives if d["effective_node"] is not None})
        self.assertEqual(samples("nvme_link_degraded"),
                         {d["id"]: str(int(d["link"]["degraded"])) for d in drives if d["link"]["degraded"] is not None})
        targets = sum(float(n) for n in re.findall(r"^lanekeeper_finding_targets{.*} (\S+)$", text, re.M))
        self.assertEqual(targets, sum(f["target_count"] for f in server.curl("/v1/audit").json()["findings"]))
        self.assertNotRegex(text, r"(?i)nan|=\"\"")
        for name in ("build_info", "host_info", "inventory_generation", "probe_success", "probe_duration_seconds"):
            self.assertRegex(text, rf"(?m)^lanekeeper_{name}[{{ ]")
        self.assertRegex(text, r"(?m)^process_resident_memory_bytes \d")

    def check_multipath(self, server):
        nvme = server.curl("/v1/inventory/nvme").json()
        serials = [drive["serial"] for drive in nvme["controllers"]]
        shared = next(serial for serial in serials if serials.count(serial) > 1)
        answer = server.curl("/v1/inventory/nvme/" + quote(shared, safe=""))
        self.assertEqual((answer.status, answer.json()["code"]), (409, "drive_ambiguous"))

    def check_vm_one_node(self, server):
        self.assertEqual(server.curl("/v1/inventory/nvme").json(), {"controllers": [], "namespaces": []})


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    LANEKEEPER = Path(sys.argv.pop(1)).resolve()
    unittest.main(warnings="ignore")

#!/usr/bin/python3
"""Waivers, audits and profiles that clients send, over a Unix socket and TCP; labels in metrics.

usage: waivers_test.py PATH_TO_LANEKEEPER [unittest arguments]
"""
import datetime
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import curl_test  # noqa: E402
import live_test  # noqa: E402
from live_test import until, validate  # noqa: E402

NOBODY = 65534
CONFIG = """profile: strict
profile_dirs: [%s/profiles]
labels: {site: lab, "rack-no": "7", "rack.no": "8"}
waivers:
  - {id: gov, check: cpu.governor, label: site=lab, reason: power budget, owner: ops, expires: 2099-01-01}
  - {id: over, check: mem.swappiness, target: "*", reason: was, owner: ops, expires: 2020-01-01}
"""
NEW = {"check": "mem.swappiness", "target": "host", "reason": "until the upgrade", "owner": "ops", "ticket": "T-1",
       "expires": "2099-06-30"}
STRICT = """name: strict
description: fails on the fixture
checks:
  - {knob: cpu.governor, expect: powersave, severity: critical}
  - {knob: mem.swappiness, expect: ">= 60", severity: warning}
"""
PROFILE = """name: mine
description: of a client
checks:
  - {knob: cpu.governor, expect: %s, severity: critical}
"""


class Served(live_test.Served):
    def __init__(self, folder):
        self.socket = f"{folder}/api.sock"
        profiles = Path(folder) / "profiles"
        profiles.mkdir(exist_ok=True)
        (profiles / "strict.yaml").write_text(STRICT)
        super().__init__(folder, "--listen", f"unix:{self.socket}", config=CONFIG % folder)

    def ask(self, method, path, body=None, *, unix=True, kind="application/json", headers=(), **options):
        where = ["--unix-socket", self.socket] if unix else []
        more = [] if body is None else ["--data-binary", "@-", "-H", "Content-Type: " + kind]
        for each in headers:
            more += ["-H", each]
        text = body if isinstance(body, str) else json.dumps(body)
        done = subprocess.run(["curl", "-sS", "-g", "-D", "-", "-X", method, "--max-time", "30", *where, *more,
                               self.url + path], input=text.encode(), capture_output=True, check=True, **options)
        text = done.stdout.decode().removeprefix("HTTP/1.1 100 Continue\r\n\r\n")
        head, _, rest = text.partition("\r\n\r\n")
        return curl_test.Answer(head, rest)

    def events(self, name):
        done = subprocess.run(["curl", "-sSN", "--max-time", "1", "-H", "Last-Event-ID: " + self.start,
                               self.url + "/v1/events"], capture_output=True)
        return [json.loads(data) for kind, data in re.findall(r"event: (\w+)\ndata: (.*)\n", done.stdout.decode())
                if kind == name]

    def mark(self):
        done = subprocess.run(["curl", "-sSN", "--max-time", "1", self.url + "/v1/events"], capture_output=True)
        self.start = re.search(r"id: (\S+)", done.stdout.decode())[1]


class Case(unittest.TestCase):
    def assert_problem(self, answer, status, code):
        self.assertEqual((answer.status, answer.type), (status, "application/problem+json"), answer.body[:300])
        problem = answer.json()
        validate(problem, "ProblemDetails")
        self.assertEqual(problem["code"], code)
        return problem

    def listed(self):
        return {each["id"]: each for each in self.server.get("/v1/waivers")}

    def finding(self, check, waived):
        return [f for f in self.server.get("/v1/audit")["findings"] if f["check"] == check and f["waived"] == waived]


class Changed(Case):
    """Each on a server of its own."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        Path(self.folder.name).chmod(0o755)
        self.server = Served(self.folder.name)
        self.addCleanup(lambda: self.server.stop())

    def test_made_kept_and_removed(self):
        self.server.mark()
        before = self.server.get("/v1/audit")["summary"]
        self.assertTrue(self.finding("mem.swappiness", False))
        answer = self.server.ask("POST", "/v1/waivers", NEW)
        self.assertEqual(answer.status, 201, answer.body)
        made = answer.json()
        validate(made, "Waiver")
        self.assertEqual(answer.headers["location"], "/v1/waivers/" + made["id"])
        self.assertEqual((made["source"], made["expires"], made["expired"], made["origin"]),
                         ("api", "2099-07-01T00:00:00Z", False, f"user {os.geteuid()}"))
        self.assertEqual(self.listed()[made["id"]], made)
        self.assertEqual(self.finding("mem.swappiness", True)[0]["waiver"]["id"], made["id"])
        after = self.server.get("/v1/audit")["summary"]
        self.assertEqual((after["fail"], after["waived"]), (before["fail"], before["waived"] + 1))

        self.server.stop()
        self.server.__init__(self.folder.name)
        self.server.mark()
        self.assertEqual(self.listed()[made["id"]], made)
        self.assertTrue(self.finding("mem.swappiness", True))
        old = self.server.ask("GET", "/v1/waivers").headers["etag"]
        self.assert_problem(self.server.ask("DELETE", answer.headers["location"], headers=['If-Match: "x"']), 412,
                            "precondition_failed")
        gone = self.server.ask("DELETE", answer.headers["location"], headers=["If-Match: " + old])
        self.assertEqual((gone.status, gone.body, gone.type), (204, "", None))
        self.assertNotIn(made["id"], self.listed())
        self.assertTrue(self.finding("mem.swappiness", False))
        self.assert_problem(self.server.ask("DELETE", answer.headers["location"]), 404, "waiver_unknown")
        events = self.server.events("waiver")
        for each in events:
            validate(each, "WaiverChange")
        self.assertEqual([(e["change"], e["waiver"]["id"]) for e in events], [("removed", made["id"])])

    def test_end_in_time(self):
        self.server.mark()
        end = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=3)
        answer = self.server.ask("POST", "/v1/waivers", {**NEW, "expires": end.isoformat()})
        self.assertEqual(answer.status, 201, answer.body)
        self.assertTrue(self.finding("mem.swappiness", True))
        until(lambda: self.finding("mem.swappiness", False), "the end of the waiver", 8)
        self.assertLess(abs((datetime.datetime.now(datetime.timezone.utc) - end).total_seconds()), 2.5)
        self.assertTrue(self.listed()[answer.json()["id"]]["expired"])
        self.assertEqual([e["change"] for e in self.server.events("waiver")], ["added", "expired"])
        self.assertNotIn('check="mem.swappiness",severity="warning",verdict="fail",waived="true"',
                         self.server.curl("/metrics").decode())

    def test_without_room(self):
        if os.geteuid() != 0:
            self.skipTest("needs root, to mount a small file system")
        self.server.stop()
        state = Path(self.folder.name) / "state"
        shutil.rmtree(state)
        state.mkdir()
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "none", state]).returncode != 0:
            self.skipTest("cannot mount a small file system")
        self.addCleanup(subprocess.run, ["umount", "-l", state])
        self.server.__init__(self.folder.name)
        with open(state / "filler", "wb", buffering=0) as filler:
            try:
                while True:
                    filler.write(b"x" * 4096)
            except OSError:
                pass
        before, audit = self.listed(), self.server.get("/v1/audit")
        self.assert_problem(self.server.ask("POST", "/v1/waivers", NEW), 507, "storage_full")
        self.assertEqual((self.listed(), self.server.get("/v1/audit")), (before, audit))
        (state / "filler").unlink()
        self.assertEqual(self.server.ask("POST", "/v1/waivers", NEW).status, 201)


class Shared(Case):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        Path(cls.folder.name).chmod(0o755)
        cls.server = Served(cls.folder.name)

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()
        cls.folder.cleanup()


class Waivers(Shared):
    def test_of_the_configuration(self):
        for each in self.listed().values():
            validate(each, "Waiver")
        self.assertEqual({i: (w["source"], w["expired"]) for i, w in self.listed().items()},
                         {"gov": ("config", False), "over": ("config", True)})
        self.assertRegex(self.listed()["gov"]["origin"], r"config\.yaml:5$")
        audit = self.server.get("/v1/audit")
        validate(audit, "Audit")
        waived = [f for f in audit["findings"] if f["waived"]]
        self.assertEqual({f["check"] for f in waived}, {"cpu.governor"})
        self.assertEqual(audit["summary"]["waived"], len(waived))
        self.assertEqual(waived[0]["verdict"], "fail")
        self.assertEqual(waived[0]["waiver"], {"id": "gov", "reason": "power budget", "expires": "2099-01-02T00:00:00Z"})
        metrics = self.server.curl("/metrics").decode()
        self.assertRegex(metrics, r'finding_targets{check="cpu.governor",[^}]*verdict="fail",waived="true"} [1-9]')
        self.assertNotRegex(metrics, r'finding_targets{check="cpu.governor",[^}]*verdict="fail",waived="false"}')
        info = re.search(r"^lanekeeper_host_info{(.*)} 1$", metrics, re.M)[1]
        for label in ('label_site="lab"', 'label_rack_no="7"', 'label_rack_no_2="8"'):
            self.assertIn(label, info)
        if shutil.which("promtool"):
            lint = subprocess.run(["promtool", "check", "metrics"], input=metrics, capture_output=True, text=True)
            self.assertEqual((lint.returncode, lint.stdout + lint.stderr), (0, ""))
        self.assert_problem(self.server.ask("DELETE", "/v1/waivers/gov"), 409, "waiver_of_config")

    def test_what_is_wrong_is_pointed_at(self):
        for change, pointer in (({"resaon": "x"}, "/resaon"), ({"expires": "soon"}, "/expires"),
                                ({"expires": "2020-01-01"}, "/expires"), ({"check": "mem.swapiness"}, "/check"),
                                ({"label": "a=b"}, "/label"), ({"target": None}, "/target"), ({"owner": ""}, "/owner"),
                                ({"reason": 7}, "/reason"), ({"reason": "x" * 2000}, "/reason"),
                                ({"reason": "a\u202eb"}, "/reason"), ({"ticket": ["T"]}, "/ticket")):
            with self.subTest(change=change):
                problem = self.assert_problem(self.server.ask("POST", "/v1/waivers", {**NEW, **change}), 422, "body_invalid")
                self.assertEqual([e["pointer"] for e in problem["errors"]], [pointer])
        left_out = {key: value for key, value in NEW.items() if key != "owner"}
        problem = self.assert_problem(self.server.ask("POST", "/v1/waivers", left_out), 422, "body_invalid")
        self.assertEqual(problem["errors"][0]["pointer"], "/owner")
        self.assert_problem(self.server.ask("POST", "/v1/waivers", "{"), 400, "body_malformed")
        self.assert_problem(self.server.ask("POST", "/v1/waivers"), 400, "body_malformed")
        self.assert_problem(self.server.ask("POST", "/v1/waivers", NEW, kind="text/plain"), 415, "content_type_unsupported")
        self.assert_problem(self.server.ask("POST", "/v1/waivers", {**NEW, "reason": "x" * 20000}), 413, "body_too_large")
        self.assertEqual(set(self.listed()), {"gov", "over"})

    def test_who_may(self):
        self.assert_problem(self.server.ask("POST", "/v1/waivers", NEW, unix=False), 403, "access_denied")
        self.assert_problem(self.server.ask("DELETE", "/v1/waivers/gov", unix=False), 403, "access_denied")
        if os.geteuid() == 0:
            other = {"user": NOBODY, "group": NOBODY, "extra_groups": []}
            self.assert_problem(self.server.ask("POST", "/v1/waivers", NEW, **other), 403, "access_denied")
            self.assertEqual(self.server.ask("GET", "/v1/waivers", **other).status, 200)
            self.assertEqual(self.server.ask("POST", "/v1/audit", {}, **other).status, 200)
        self.assertEqual(set(self.listed()), {"gov", "over"})


class Sent(Shared):
    """Profiles that clients send. Nothing of them is kept."""

    def validated(self, text, **options):
        answer = self.server.ask("POST", "/v1/profiles/validate", text, kind="application/yaml", **options)
        self.assertEqual(answer.status, 200, answer.body)
        validate(answer.json(), "Validation")
        return answer.json()

    def test_validate(self):
        for unix in (True, False):
            self.assertEqual(self.validated(PROFILE % "performance", unix=unix), {"valid": True, "errors": []})
        wrong = self.validated((PROFILE % "x").replace("cpu.governor", "cpu.governer"))
        self.assertEqual((wrong["valid"], wrong["errors"][0]["line"], wrong["errors"][0]["nearest"]),
                         (False, 4, "cpu.governor"))
        wrong = self.validated(PROFILE.replace("description", "descripton") % "x")
        self.assertEqual((wrong["errors"][0]["line"], wrong["errors"][0]["nearest"]), (2, "description"))
        for text in ("", "]", "name: [x]\n", "a: &a [*a]\n", PROFILE % "x" + "extends: nothing\n"):
            with self.subTest(text=text):
                wrong = self.validated(text)
                self.assertFalse(wrong["valid"])
                self.assertNotIn("profile:", wrong["errors"][0]["detail"])
        self.assertIsNone(self.validated("")["errors"][0]["nearest"])
        self.assert_problem(self.server.ask("POST", "/v1/profiles/validate", "x"), 415, "content_type_unsupported")
        self.assert_problem(self.server.ask("POST", "/v1/profiles/validate", "#" * 300000, kind="application/yaml"), 413,
                            "body_too_large")

    def test_audit(self):
        def audit(body):
            answer = self.server.ask("POST", "/v1/audit", body, unix=False)
            self.assertEqual((answer.status, answer.headers.get("etag")), (200, None), answer.body[:300])
            validate(answer.json(), "Audit")
            return answer.json()

        def without_since(audit):
            return {**audit, "findings": [{**f, "since": None} for f in audit["findings"]]}
        for body, query in (({"profile": "balanced"}, "?profile=balanced"), ({}, "")):
            self.assertEqual(audit(body), without_since(self.server.get("/v1/audit" + query)))
        mine = audit({"inline": PROFILE % "powersave"})
        self.assertEqual(mine["profile"], "mine")
        self.assertEqual({(f["check"], f["verdict"], f["severity"], f["waived"]) for f in mine["findings"]},
                         {("cpu.governor", "fail", "critical", True)})
        only_here = (PROFILE % "powersave").replace("severity", "where: {label: %s}, severity")
        verdicts = lambda label: {f["verdict"] for f in audit({"inline": only_here % label})["findings"]}
        self.assertEqual((verdicts("site=lab"), verdicts("site=shop")), ({"fail"}, {"not_applicable"}))
        problem = self.assert_problem(self.server.ask("POST", "/v1/audit", {"inline": "name: [\n"}), 422, "body_invalid")
        self.assertEqual(problem["errors"][0]["pointer"], "/inline")
        self.assertIn("inline:", problem["detail"])
        for body, pointer in (({"inline": "x", "profile": "balanced"}, "/inline"), ({"porfile": "x"}, "/porfile"),
                              ([], ""), ({"profile": 1}, "/profile")):
            with self.subTest(body=body):
                problem = self.assert_problem(self.server.ask("POST", "/v1/audit", body), 422, "body_invalid")
                self.assertEqual(problem["errors"][0]["pointer"], pointer)
        self.assert_problem(self.server.ask("POST", "/v1/audit", {"profile": "balancd"}), 404, "profile_unknown")
        self.assert_problem(self.server.ask("POST", "/v1/audit", '{"profile":"a","profile":"b"}'), 400, "body_malformed")
        self.assert_problem(self.server.ask("POST", "/v1/audit", {"inline": "#" * 300000}), 413, "body_too_large")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    curl_test.LANEKEEPER = Path(sys.argv.pop(1)).resolve()
    unittest.main()

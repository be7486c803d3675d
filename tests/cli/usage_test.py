"""Commands, options, exit statuses; profiles, knobs and configuration."""
import json
import subprocess

import harness
from harness import Case, run


class Usage(Case):
    def test_help(self):
        text = self.done(run("--help"))
        for command in ["inventory", "audit", "explain", "profiles", "knobs", "placement", "exec", "capture", "serve",
                        "openapi", "config", "version", "completion"]:
            self.assertIn(f"\n  {command} ", text)
        self.assertNotIn("reader", text)
        self.assertIn("--fail-on", self.done(run("audit", "--help")))

    def test_unknown(self):
        self.refused(run("invntory"), 'unknown command "invntory", is inventory meant?')
        self.refused(run("inventory", "--jsn"), "unknown option --jsn, is --json meant?")
        self.refused(run("profiles", "lst"), 'unknown command "lst", is list meant?')
        self.refused(run("inventory", "extra"), 'unexpected argument "extra"')
        self.refused(run("audit", "--fail-on", "fatal"), "--fail-on")
        self.refused(run("inventory", "-o", "xml"), "--output")
        self.refused(run("audit", "--root"), "--root")

    def test_missing(self):
        self.refused(run(), "a command is missing")
        self.refused(run("profiles"), "a command is missing")
        self.refused(run("explain"), "check is required")
        self.refused(run("capture"), "--out is required")
        self.refused(run("completion"), "shell is required")

    def test_messages_do_not_reach_into_the_terminal(self):
        hostile = b"a\x1b[31m\xc2\x9b2J\x9b2J\xe2\x80\xae\x07\xff"
        file = self.dir / "hostile.yaml"
        file.write_bytes(b"profile: \"" + hostile.replace(b"\x1b", b"") .replace(b"\x07", b"").replace(b"\x9b2J\xe2", b"\xe2").replace(b"\xff", b"") + b"\"\n")
        for command in (["inventory", b"--" + hostile], ["inventory", "--root", b"/" + hostile],
                        ["inventory", "--part", hostile], [hostile], ["audit", "--only", hostile],
                        ["explain", hostile], ["knobs", "show", hostile], ["profiles", "show", hostile],
                        ["audit", "-o", hostile], ["config", "check", hostile], ["config", "check", file],
                        ["serve", "--listen", hostile]):
            with self.subTest(command):
                done = subprocess.run([harness.BINARY, *command], capture_output=True, timeout=60)
                self.assertEqual(done.returncode, 2)
                said = (done.stdout + done.stderr).decode()  # whole UTF-8
                self.assertNotRegex(said, "[\x00-\x09\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")

    def test_version(self):
        self.assertRegex(self.done(run("version")), r"^lanekeeper \d+\.\d+\.\d+\n$")
        self.assertIn("version", json.loads(self.done(run("version", "--json"))))

    def test_completion(self):
        script = self.done(run("completion", "bash"))
        probe = script + ('COMP_WORDS=(lanekeeper profiles ""); COMP_CWORD=2; _lanekeeper; '
                          'echo "${COMPREPLY[@]}"; COMP_WORDS=(lanekeeper audit --fail-on ""); '
                          'COMP_CWORD=3; _lanekeeper; echo "${COMPREPLY[@]}"; '
                          'COMP_WORDS=(lanekeeper inventory --p); COMP_CWORD=2; _lanekeeper; '
                          'echo "${COMPREPLY[@]}"')
        shown = subprocess.run(["bash", "-c", probe], capture_output=True, text=True, timeout=60)
        self.assertEqual(shown.stdout.splitlines(),
                         ["list show validate", "info warning critical", "--part"], shown.stderr)

    def test_manual_page_names_every_option(self):
        page = self.done(run("man")).replace("\\-", "-")
        for option in ["--fail-on", "--listen", "--no-redact", "--part", "--root", "--state-dir"]:
            self.assertIn(option, page)

    def test_output_that_nobody_reads(self):
        shell = subprocess.run(["bash", "-c", f"'{harness.BINARY}' inventory --json | true; "
                                              'echo "${PIPESTATUS[0]}"'],
                               capture_output=True, text=True, timeout=60)
        self.assertEqual((shell.stdout, shell.stderr), ("0\n", ""))

    def test_output_that_cannot_be_written(self):
        with open("/dev/full", "w") as full:
            result = subprocess.run([harness.BINARY, "version"], stdout=full, stderr=subprocess.PIPE,
                                    text=True, timeout=60)
        self.assertEqual(result.returncode, 2)
        self.assertIn("ENOSPC", result.stderr)


class Profiles(Case):
    def test_list_and_show(self):
        names = [p["name"] for p in json.loads(self.done(run("profiles", "list", "--json")))]
        for name in ["balanced", "nvme-latency", "nvme-max", "nvme-throughput", "report"]:
            self.assertIn(name, names)
        self.assertIn("built-in:balanced.yaml", self.done(run("profiles", "list")))
        self.assertIn("cpu.governor", self.done(run("profiles", "show", "balanced")))
        self.assertIn("checks", json.loads(self.done(run("profiles", "show", "balanced", "--json"))))
        self.refused(run("profiles", "show", "balancd"), 'is "balanced" meant?')

    def test_validate(self):
        good = self.dir / "mine.yaml"
        good.write_text("name: mine\ndescription: test\nextends: balanced\nchecks: []\n")
        self.assertIn("is valid", self.done(run("profiles", "validate", good)))
        self.refused(run("profiles", "validate", self.dir / "none.yaml"), "ENOENT")
        self.refused(run("profiles", "validate", self.dir), "EISDIR")

    def test_root_says_nothing_about_profiles(self):
        for command in (["list"], ["show", "balanced"], ["validate", "x.yaml"]):
            self.refused(run("profiles", *command, "--root", self.dir), "unknown option --root")

    def test_profiles_beside_a_file_can_be_extended(self):
        folder = self.dir / "beside"
        folder.mkdir()
        (folder / "base.yaml").write_text("name: base\ndescription: x\nchecks:\n  - knob: cpu.governor\n    expect: x\n")
        (folder / "top.yaml").write_text("name: top\ndescription: x\nextends: base\nchecks: []\n")
        self.assertIn("1 checks", self.done(run("profiles", "validate", folder / "top.yaml")))
        self.assertIn("cpu.governor", self.done(run("profiles", "show", folder / "top.yaml")))
        store = self.dir / "store"
        store.mkdir()
        (store / "other.yaml").write_text("name: other\ndescription: x\nchecks: []\n")
        config = self.dir / "store.yaml"
        config.write_text(f"profile_dirs: [{store}]\n")
        (folder / "top.yaml").write_text("name: top\ndescription: x\nextends: other\nchecks: []\n")
        self.refused(run("profiles", "validate", folder / "top.yaml"), 'unknown profile "other"')
        self.assertIn("is valid", self.done(run("profiles", "validate", folder / "top.yaml", "--config", config)))

    def test_what_is_wrong_is_named_with_its_line(self):
        start = "name: bad\ndescription: test\n"
        for text, *wanted in [
                ("checks:\n  - knob: cpu.governr\n", "bad.yaml:4:", "cpu.governor"),
                ("checks:\n  - knob: cpu.governor\n    expct: x\n", "bad.yaml:5:", "expect"),
                ("checks: 7\n", "bad.yaml:3:"),
                ("extends: bad2\n", "bad.yaml:3:"),
                ("description: again\n", "bad.yaml:3:", "twice"),
                ("checks: !!python/object x\n", "bad.yaml:3:", "tags"),
                ("checks: [\n", "bad.yaml:")]:
            with self.subTest(text):
                file = self.dir / "bad.yaml"
                file.write_text(start + text)
                self.refused(run("profiles", "validate", file), *wanted)

    def test_cycle(self):
        folder = self.dir / "profiles"
        folder.mkdir()
        for name, base in [("one", "two"), ("two", "one")]:
            (folder / f"{name}.yaml").write_text(
                f"name: {name}\ndescription: x\nextends: {base}\nchecks: []\n")
        config = self.dir / "config.yaml"
        config.write_text(f"profile_dirs: [{folder}]\n")
        self.refused(run("profiles", "show", "one", "--config", config), "circle")
        self.assertIn("broken", self.done(run("profiles", "list", "--config", config)))

    def test_knobs(self):
        ids = [k["id"] for k in json.loads(self.done(run("knobs", "list", "--json")))]
        self.assertGreater(len(ids), 40)
        self.assertIn("cpu.governor", self.done(run("knobs", "list")))
        self.assertIn("why it matters", self.done(run("knobs", "show", "cpu.governor")))
        self.refused(run("knobs", "show", "cpu.govenor"), 'is "cpu.governor" meant?')


class Config(Case):
    def config(self, text):
        file = self.dir / "config.yaml"
        file.write_text(text)
        return file

    def test_check(self):
        text = self.done(run("config", "check", self.config("refresh_s: 9\nlabels: {a: b}\n")))
        self.assertIn("refresh_s:     9", text)
        self.assertIn("a=b", text)

    def test_wrong(self):
        for text, *wanted in [("profle: x\n", ":1:", 'is "profile" meant?'),
                              ("\nchanges: off\n", ":2:", "unknown key"),
                              ("refresh_s: fast\n", ":1:", "whole number"),
                              ("labels: 3\n", ":1:", "map"),
                              ("profile: a\nprofile: b\n", ":2:", "twice"),
                              ("profile: nosuch\n", "nosuch"),
                              ("listen: nowhere\n", ":1:", "nowhere")]:
            with self.subTest(text):
                self.refused(run("config", "check", self.config(text)), *wanted)
        self.refused(run("config", "check", self.dir / "none.yaml"), "ENOENT")
        for address in ("0.0.0.0:0", "example.org:80", "unix:here", "127.1:80", "unix:/" + "x" * 108):
            with self.subTest(address):
                said = [run(*command).stderr for command in (
                    ("config", "check", self.config(f'listen: ["{address}"]\n')), ("serve", "--listen", address))]
                self.assertIn(address, said[0])
                self.assertEqual(said[0].partition("config.yaml:1: ")[2], said[1].removeprefix("lanekeeper: "))
        self.refused(run("config", "check", self.config("listen: []\n")), ":1: there is no address to listen on")
        file = self.config("refresh_s: fast\n")
        for command in ("inventory", "audit", "serve"):
            self.refused(run(command, "--config", file), ":1:")

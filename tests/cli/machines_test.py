"""The fixture machines: picture, audit, explain."""
import json
import os
import re
import shlex
import shutil
import tarfile

from harness import MACHINES, Case, machine, run


class Machines(Case):
    def test_picture(self):
        text = self.done(run("inventory", "--root", machine("two_sockets")))
        for word in ["package 0", "package 1", "node 0", "nvme0", "GT/s x4", "[captured tree]"]:
            self.assertIn(word, text)
        self.assertNotIn("\x1b", text)
        self.assertRegex(text, r"node 0  CPUs [0-9,-]+; memory [0-9.]+ GiB; distance \d+ to 1\n")

    def test_picture_names_what_is_wrong(self):
        self.assertIn("degraded", self.done(run("inventory", "--root", machine("degraded_link"))))
        text = self.done(run("inventory", "--root", machine("no_node")))
        self.assertIn("drives without a known node", text)

    def test_audit_statuses(self):
        root = machine("degraded_link")
        result = run("audit", "--root", root, "--only", "nvme.link")
        self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
        self.assertRegex(result.stdout, r"warning +fail +nvme\.link")
        self.assertIn(f"next: lanekeeper explain nvme.link --root {root} --profile balanced", result.stdout)
        self.assertEqual(run("audit", "--root", root, "--only", "nvme.link", "--fail-on",
                             "critical").returncode, 0)
        audit = json.loads(run("audit", "--root", root, "--json").stdout)
        self.assertEqual(audit["profile"], "balanced")
        self.assertEqual(sum(audit["summary"].values()), len(audit["findings"]))

    def test_printed_commands_work_as_printed(self):
        shutil.copytree(machine("degraded_link"), self.dir / "a tree's copy", symlinks=True)
        config = self.dir / "config.yaml"
        config.write_text("profile: nvme-max\n")
        for root in (machine("degraded_link"), self.dir / "a tree's copy"):
            for options in (["--root", root], ["--root", root, "--config", config],
                            ["--root", root, "--profile", "nvme-latency"]):
                with self.subTest(options):
                    audit = run("audit", *options).stdout
                    next_line = re.search(r"^next: lanekeeper (.*)$", audit, re.M).group(1)
                    text = self.done(run(*shlex.split(next_line)))
                    profile = re.search(r"^profile (\S+)", audit).group(1)
                    self.assertIn(f"The profile {profile} expects", text)
                    self.assertRegex(text, "FAIL|UNKNOWN|LOCKED")
        text = self.done(run("inventory", "--root", root, env={"COLUMNS": "60"}))
        commands = re.findall(r"lanekeeper (.*--root.*)$", text, re.M)
        self.assertEqual(len(commands), 2, text)
        for command in commands:
            self.assertIn(run(*shlex.split(command)).returncode, (0, 1), command)
        refusal = run("audit", "--root", root, "--config", config, "--only", "zzzzzzzz").stderr
        command = re.search(r"try: lanekeeper (.*)\)", refusal).group(1)
        self.assertIn("nvme-max", self.done(run(*shlex.split(command))))

    def test_audit_shows_all_when_asked(self):
        root = machine("two_sockets")
        some = run("audit", "--root", root, "--profile", "report").stdout
        every = run("audit", "--root", root, "--profile", "report", "--all").stdout
        self.assertGreater(every.count("\n"), some.count("\n"))

    def test_audit_unknown_names(self):
        root = machine("vm_one_node")
        self.refused(run("audit", "--root", root, "--profile", "balancd"), 'is "balanced" meant?')
        self.refused(run("audit", "--root", root, "--only", "nvme.lnk"), 'is "nvme.link" meant?')
        self.refused(run("audit", "--root", root, "--profile", "./none.yaml"), "ENOENT")

    def test_explain(self):
        root = machine("degraded_link")
        text = self.done(run("explain", "nvme.link", "--root", root))
        for word in ["nvme.link", "why:", "expected", "FAIL"]:
            self.assertIn(word, text)
        self.refused(run("explain", "nvme.lnk", "--root", root), 'is "nvme.link" meant?')

    def test_explain_fits_the_terminal(self):
        text = self.done(run("explain", "cpu.governor", "--root", machine("two_sockets"),
                             env={"COLUMNS": "80"}))
        self.assertFalse([line for line in text.splitlines() if len(line) > 80])

    def test_labels_of_this_host_are_not_those_of_a_tree(self):
        config = self.dir / "labels.yaml"
        config.write_text("labels: {rack: r7}\n")
        root = machine("vm_one_node")
        with_config = json.loads(self.done(run("inventory", "--root", root, "--config", config,
                                               "--json")))
        self.assertEqual(with_config["labels"], {"rack": "r7"})

    def test_nodes_that_the_configuration_names(self):
        root = machine("no_node")
        drives = json.loads(self.done(run("inventory", "--root", root, "--part", "nvme")))
        drive = drives["controllers"][0]
        wwid = next(n["wwid"] for n in drives["namespaces"] if n["paths"][0]["controller"] == drive["name"])
        config = self.dir / "nodes.yaml"
        names = [drive[key] for key in ("id", "name", "serial", "slot", "pci_address")] + [wwid, "/dev/" + drive["name"]]
        for name in names:
            with self.subTest(name):
                self.assertIsNotNone(name)
                config.write_text(json.dumps({"numa_nodes": {name: 1}}))
                text = self.done(run("inventory", "--root", root, "--config", config, "--part", "nvme"))
                found = json.loads(text)["controllers"]
                self.assertEqual((found[0]["effective_node"], found[0]["node_source"]), (1, "override"))
                self.assertEqual(found[1:], drives["controllers"][1:])

    def test_nodes_of_drives_that_are_not_there(self):
        root = machine("no_node")
        config = self.dir / "nowhere.yaml"
        config.write_text("numa_nodes: {nvme77: 1, nvme00: 0, nvme1: 0, \"0000:3b:00.0\": 1, nvme0: 0}\n")
        done = run("inventory", "--root", root, "--config", config, "--json")
        self.assertEqual(done.returncode, 0)
        for said in ('names "nvme77", which is no NVMe drive of this host', 'is "nvme0" meant?',
                     'names "nvme0", a drive that it gives another node as "0000:3b:00.0"'):
            self.assertIn(said, done.stderr)
        self.assertNotIn('"nvme1"', done.stderr)
        nvme, = (p for p in json.loads(done.stdout)["probes"] if p["name"] == "nvme")
        self.assertEqual(nvme["status"], "partial")
        self.assertIn("numa_nodes.nvme77", [p["field"] for p in nvme["problems"]])
        self.assertIn("nvme77", run("audit", "--root", root, "--config", config).stderr)

    def test_waivers(self):
        """Only a fail that nobody accepts is worth an exit status of 1."""
        root, config = machine("degraded_link"), self.dir / "waivers.yaml"
        waiver = "  - {check: nvme.link, target: %s, reason: %s, owner: ops, expires: %s}\n"

        def audit(*waivers):
            config.write_text("waivers:\n" + "".join(waivers))
            return run("audit", "--root", root, "--config", config)
        first = waiver % ("EXS00001", "spare ordered", "2099-01-01")
        one = audit(first)
        self.assertEqual(one.returncode, 1, one.stderr)
        self.assertRegex(one.stdout, r"(?m)^warning +fail, waived +nvme\.link .* nvme1 ")
        self.assertRegex(one.stdout, r"(?m)^waived until 2099-01-02T00:00:00Z: nvme\.link on nvme1 .*: spare ordered$")
        self.assertIn("3 fail (1 of them warning or critical), 1 waived", one.stdout)
        both = audit(first, waiver % ("nvme0", "old riser", "2099-01-01T08:00:00+01:00"))
        self.assertEqual(both.returncode, 3, both.stdout)  # one link is unknown
        expired = audit(first, waiver % ("nvme0", "old riser", "2020-01-01"))
        self.assertEqual((expired.returncode, expired.stdout), (1, one.stdout))
        explained = self.done(run("explain", "nvme.link", "--root", root, "--config", config))
        self.assertIn("FAIL (waived) on nvme:0000:3f:00.0", explained)
        self.assertIn("until 2099-01-02T00:00:00Z, spare ordered", explained)
        checked = self.done(run("config", "check", config))
        self.assertIn("nvme.link on nvme0 until 2020-01-02T00:00:00Z (expired)", checked)
        config.write_text("waivers:\n" + waiver % ("x", "y", "soon"))
        self.refused(run("audit", "--root", root, "--config", config), "waivers.yaml:2: expires")

    def test_captured_again_without_redaction_it_is_the_same(self):
        for name in MACHINES:
            with self.subTest(name):
                out = self.dir / f"{name}.tar.xz"
                self.done(run("capture", "--root", machine(name), "--no-redact", "--out", out))
                self.assertEqual(self.inventory(self.unpacked(out) / "tree"),
                                 self.inventory(machine(name)))

    def test_redacted_it_still_joins(self):
        out = self.dir / "redacted.tar.xz"
        self.done(run("capture", "--root", machine("multipath"), "--out", out))
        tree = self.unpacked(out) / "tree"
        before = self.inventory(machine("multipath"))
        after = self.inventory(tree)
        shape = [(n["name"], len(n["paths"])) for n in before["nvme"]["namespaces"]]
        self.assertEqual(shape, [(n["name"], len(n["paths"])) for n in after["nvme"]["namespaces"]])
        subsystems = [c["subsystem"] for c in after["nvme"]["controllers"]]
        groups = [c["subsystem"] for c in before["nvme"]["controllers"]]
        self.assertEqual([groups.index(g) for g in groups],
                         [subsystems.index(s) for s in subsystems])
        self.assertEqual(after["host"]["hostname"], "redacted-host")
        secrets = set()
        for controller in before["nvme"]["controllers"]:
            secrets |= {controller["serial"], controller["subsystem"]}
        secrets |= {n["wwid"] for n in before["nvme"]["namespaces"]}
        self.assert_nowhere(tree, secrets - {None})

    def inventory(self, root):
        inventory = json.loads(self.done(run("inventory", "--root", root, "--json")))
        del inventory["collected_at"]
        if inventory["boot_id"].startswith("tree:"):
            del inventory["boot_id"]  # named after the folder
        for probe in inventory["probes"]:
            del probe["duration_us"]
        return inventory

    def unpacked(self, archive):
        target = archive.with_suffix(".d")
        with tarfile.open(archive) as tar:
            tar.extractall(target)
        return target

    def assert_nowhere(self, tree, secrets):
        for path in tree.rglob("*"):
            if path.is_symlink():
                text = str(path) + os.readlink(path)
            elif path.is_file():
                text = str(path) + path.read_bytes().decode(errors="replace")
            else:
                text = str(path)
            for secret in secrets:
                self.assertNotIn(secret, text, path)

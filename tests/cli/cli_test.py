#!/usr/bin/env python3
"""The command line as people and scripts meet it: every command, its exit status, bad input.

usage: cli_test.py PATH-OF-LANEKEEPER [unittest arguments]
"""
import http.client
import json
import os
import signal
import socket
import stat
import subprocess
import sys
import tarfile
import tempfile
import time
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
BUILD = HERE.parent / "fixtures" / "build.py"
NOBODY = 65534
MACHINES = ["two_sockets", "multipath", "vm_one_node", "no_node", "degraded_link"]


def run(*args, env=None, user=None, stdin=None, timeout=60):
    environment = {**os.environ, "NO_COLOR": "1", **(env or {})}
    environment.pop("COLUMNS", None)
    environment.update(env or {})
    return subprocess.run([BINARY, *map(str, args)], capture_output=True, text=True, timeout=timeout,
                          env=environment, user=user, group=user, input=stdin)


def nobody_can_run():
    """Whether an ordinary user can be become, and reach the binary: a checkout may lie in a private folder."""
    if os.geteuid() != 0:
        return False
    try:
        return run("version", user=NOBODY).returncode == 0
    except PermissionError:
        return False


class Case(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls._dir = tempfile.TemporaryDirectory(prefix="lk-cli-")
        cls.dir = Path(cls._dir.name)
        cls.dir.chmod(0o755)

    @classmethod
    def tearDownClass(cls):
        subprocess.run(["chmod", "-R", "u+rwX", cls.dir], check=False)
        cls._dir.cleanup()

    def refused(self, result, *words, status=2):
        self.assertEqual(result.returncode, status, result.stderr + result.stdout)
        self.assertTrue(result.stderr.startswith("lanekeeper: "), result.stderr)
        for word in words:
            self.assertIn(word, result.stderr)
        self.assertLessEqual(result.stderr.count("\n"), 2, result.stderr)

    def done(self, result, status=0):
        self.assertEqual(result.returncode, status, result.stderr + result.stdout)
        self.assertEqual(result.stderr, "")
        return result.stdout

    def tree(self, name, files, links=()):
        base = self.dir / name
        (base / "sys").mkdir(parents=True)
        for path, content in files.items():
            file = base / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content if isinstance(content, bytes) else content.encode())
        for path, target in links:
            link = base / path
            link.parent.mkdir(parents=True, exist_ok=True)
            link.symlink_to(target)
        return base


class Usage(Case):
    def test_help(self):
        text = self.done(run("--help"))
        for command in ["inventory", "audit", "explain", "profiles", "knobs", "capture", "serve",
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
        shell = subprocess.run(["bash", "-c", f"'{BINARY}' inventory --json | true; "
                                              'echo "${PIPESTATUS[0]}"'],
                               capture_output=True, text=True, timeout=60)
        self.assertEqual((shell.stdout, shell.stderr), ("0\n", ""))

    def test_output_that_cannot_be_written(self):
        with open("/dev/full", "w") as full:
            result = subprocess.run([BINARY, "version"], stdout=full, stderr=subprocess.PIPE,
                                    text=True, timeout=60)
        self.assertEqual(result.returncode, 2)
        self.assertIn("ENOSPC", result.stderr)


class Host(Case):
    def test_inventory_of_this_host(self):
        inventory = json.loads(self.done(run("inventory", "--json")))
        self.assertTrue(inventory["live"])
        self.assertEqual(inventory["generation"], 1)
        self.assertEqual(json.loads(self.done(run("inventory", "-o", "json")))["boot_id"],
                         inventory["boot_id"])
        self.assertIn(inventory["host"]["kernel"], self.done(run("inventory")))

    def test_part(self):
        part = json.loads(self.done(run("inventory", "--part", "cpu")))
        self.assertIn("online", part)
        self.assertIsInstance(json.loads(self.done(run("inventory", "--part", "probes"))), list)
        self.refused(run("inventory", "--part", "cpus"), 'is "cpu" meant?')

    def test_narrow_terminal(self):
        for line in self.done(run("inventory", env={"COLUMNS": "60"})).splitlines():
            if "lanekeeper inventory" not in line:
                self.assertLessEqual(len(line), 90, line)

    def test_audit_of_this_host(self):
        result = run("audit", "--profile", "report")
        self.assertIn(result.returncode, (0, 3), result.stderr)
        self.assertIn("profile report", result.stdout)

    def test_without_standard_input(self):
        done = subprocess.run(f"'{BINARY}' inventory --json <&-", shell=True, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_user_says_what_it_could_not_read(self):
        if not nobody_can_run():
            self.skipTest("needs root to become nobody, and a binary that nobody can reach")
        result = run("inventory", user=NOBODY)
        self.assertEqual(result.returncode, 0, result.stderr)


class Machines(Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        subprocess.run([sys.executable, BUILD, cls.dir / "m", *MACHINES], check=True,
                       stdout=subprocess.DEVNULL)

    def machine(self, name):
        return self.dir / "m" / name

    def test_picture(self):
        text = self.done(run("inventory", "--root", self.machine("two_sockets")))
        for word in ["package 0", "package 1", "node 0", "nvme0", "GT/s x4", "[captured tree]"]:
            self.assertIn(word, text)
        self.assertNotIn("\x1b", text)
        self.assertRegex(text, r"node 0  CPUs [0-9,-]+; memory [0-9.]+ GiB; distance \d+ to 1\n")

    def test_picture_names_what_is_wrong(self):
        self.assertIn("degraded", self.done(run("inventory", "--root", self.machine("degraded_link"))))
        text = self.done(run("inventory", "--root", self.machine("no_node")))
        self.assertIn("drives without a known node", text)

    def test_audit_statuses(self):
        root = self.machine("degraded_link")
        result = run("audit", "--root", root, "--only", "nvme.link")
        self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
        self.assertRegex(result.stdout, r"warning +fail +nvme\.link")
        self.assertIn("next: lanekeeper explain nvme.link --profile balanced", result.stdout)
        self.assertEqual(run("audit", "--root", root, "--only", "nvme.link", "--fail-on",
                             "critical").returncode, 0)
        audit = json.loads(run("audit", "--root", root, "--json").stdout)
        self.assertEqual(audit["profile"], "balanced")
        self.assertEqual(sum(audit["summary"].values()), len(audit["findings"]))

    def test_audit_shows_all_when_asked(self):
        root = self.machine("two_sockets")
        some = run("audit", "--root", root, "--profile", "report").stdout
        every = run("audit", "--root", root, "--profile", "report", "--all").stdout
        self.assertGreater(every.count("\n"), some.count("\n"))

    def test_audit_unknown_names(self):
        root = self.machine("vm_one_node")
        self.refused(run("audit", "--root", root, "--profile", "balancd"), 'is "balanced" meant?')
        self.refused(run("audit", "--root", root, "--only", "nvme.lnk"), 'is "nvme.link" meant?')
        self.refused(run("audit", "--root", root, "--profile", "./none.yaml"), "ENOENT")

    def test_explain(self):
        root = self.machine("degraded_link")
        text = self.done(run("explain", "nvme.link", "--root", root))
        for word in ["nvme.link", "why:", "expected", "FAIL"]:
            self.assertIn(word, text)
        self.refused(run("explain", "nvme.lnk", "--root", root), 'is "nvme.link" meant?')

    def test_explain_fits_the_terminal(self):
        text = self.done(run("explain", "cpu.governor", "--root", self.machine("two_sockets"),
                             env={"COLUMNS": "80"}))
        self.assertFalse([line for line in text.splitlines() if len(line) > 80])

    def test_labels_of_this_host_are_not_those_of_a_tree(self):
        config = self.dir / "labels.yaml"
        config.write_text("labels: {rack: r7}\nnuma_nodes: {SER1: 0}\n")
        root = self.machine("vm_one_node")
        with_config = json.loads(self.done(run("inventory", "--root", root, "--config", config,
                                               "--json")))
        self.assertEqual(with_config["labels"], {"rack": "r7"})

    def test_captured_again_without_redaction_it_is_the_same(self):
        for name in MACHINES:
            with self.subTest(name):
                out = self.dir / f"{name}.tar.xz"
                self.done(run("capture", "--root", self.machine(name), "--no-redact", "--out", out))
                self.assertEqual(self.inventory(self.unpacked(out) / "tree"),
                                 self.inventory(self.machine(name)))

    def test_redacted_it_still_joins(self):
        out = self.dir / "redacted.tar.xz"
        self.done(run("capture", "--root", self.machine("multipath"), "--out", out))
        tree = self.unpacked(out) / "tree"
        before = self.inventory(self.machine("multipath"))
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


class Capture(Case):
    def test_this_host(self):
        out = self.dir / "host.tar.xz"
        self.done(run("capture", "--out", out))
        self.assertEqual(stat.S_IMODE(out.stat().st_mode), 0o600)
        with tarfile.open(out) as tar:
            names = tar.getnames()
            kinds = {member.type for member in tar}
        self.assertIn("tree/proc/cpuinfo", names)
        self.assertIn("tree/tree.json", names)
        self.assertFalse([name for name in names if "scaling_cur_freq" in name])
        self.assertLessEqual(kinds, {tarfile.REGTYPE, tarfile.DIRTYPE, tarfile.SYMTYPE})

    def test_container_marks_without_their_content(self):
        root = self.tree("pod", {"proc/cpuinfo": "processor\t: 0\n",
                                 "run/.containerenv": "name=customer-x\n"})
        out = self.dir / "pod.tar.xz"
        self.done(run("capture", "--root", root, "--no-redact", "--out", out))
        with tarfile.open(out) as tar:
            self.assertEqual(tar.extractfile("tree/run/.containerenv").read(), b"")

    def test_nothing_to_keep(self):
        root = self.tree("hollow", {})
        self.refused(run("capture", "--root", root, "--out", self.dir / "h.tar.xz"),
                     "nothing could be read")

    def test_secrets_on_the_command_line_and_addresses(self):
        root = self.tree("secret", {
            "proc/cpuinfo": "processor\t: 0\n",
            "proc/cmdline": "quiet rd.luks.key=abcdefgh ip=10.11.12.13::10.11.12.1 "
                            "ifname=eth0:52:54:00:12:34:56 root=UUID="
                            "0b1c2d3e-1111-2222-3333-444455556666 token=hunter2\n",
            "proc/self/mountinfo": "1 0 0:1 / / rw - ext4 /dev/disk/by-uuid/"
                                   "0b1c2d3e-1111-2222-3333-444455556666 rw\n",
            "proc/sys/kernel/hostname": "storage-17\n",
            "sys/class/block/md0/md/array": "storage-17:0\n",
            "proc/1/environ": "container=lxc\0API_PASSWORD=letmein\0"})
        out = self.dir / "secret.tar.xz"
        self.done(run("capture", "--root", root, "--out", out))
        with tarfile.open(out) as tar:
            text = {m.name: tar.extractfile(m).read().decode() for m in tar if m.isfile()}
        whole = "".join(text.values())
        for secret in ["abcdefgh", "10.11.12", "52:54:00", "0b1c2d3e", "hunter2", "storage-17",
                       "letmein"]:
            self.assertNotIn(secret, whole)
        self.assertEqual(text["tree/proc/1/environ"], "container=lxc\0")
        uuid = "00000000-0000-4000-8000-000000000001"
        self.assertIn("UUID=" + uuid, text["tree/proc/cmdline"])
        self.assertIn("by-uuid/" + uuid, text["tree/proc/self/mountinfo"])

    def test_nothing_is_left_behind(self):
        before = sorted(self.dir.iterdir())
        self.refused(run("capture", "--out", "/nonexistent/x.tar.xz"), "/nonexistent/x.tar.xz",
                     "ENOENT")
        self.refused(run("capture", "--root", self.dir / "none", "--out", self.dir / "x.tar.xz"),
                     "ENOENT")
        folder = self.dir / "folder"
        folder.mkdir()
        self.refused(run("capture", "--out", folder), "EISDIR")
        folder.rmdir()
        self.assertEqual(sorted(self.dir.iterdir()), before)

    def test_only_a_file_is_replaced(self):
        target = self.dir / "target"
        link = self.dir / "link.tar.xz"
        link.symlink_to(target)
        self.refused(run("capture", "--out", link), "EINVAL")
        self.assertTrue(link.is_symlink())
        self.assertFalse(target.exists())
        link.unlink()

    def test_no_permission(self):
        if not nobody_can_run():
            self.skipTest("needs root to become nobody, and a binary that nobody can reach")
        self.refused(run("capture", "--out", self.dir / "denied.tar.xz", user=NOBODY), "EACCES")

    def test_disk_full(self):
        if os.geteuid() != 0:
            self.skipTest("needs root to mount")
        small = self.dir / "small"
        small.mkdir()
        mount = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4k", "tmpfs", small],
                               capture_output=True)
        if mount.returncode != 0:
            self.skipTest("cannot mount a tmpfs here")
        try:
            self.refused(run("capture", "--out", small / "x.tar.xz"), "ENOSPC")
            self.assertEqual(list(small.iterdir()), [])
        finally:
            subprocess.run(["umount", small], check=True)


class BadTrees(Case):
    def test_no_tree(self):
        self.refused(run("inventory", "--root", self.dir / "none"), "ENOENT")
        empty = self.dir / "empty"
        empty.mkdir()
        self.refused(run("inventory", "--root", empty), "neither sys/ nor proc/", str(empty))
        file = self.dir / "file"
        file.write_text("x")
        self.refused(run("inventory", "--root", file), "ENOTDIR")

    def test_nothing_in_it(self):
        root = self.tree("bare", {})
        for command in ("inventory", "audit"):
            self.refused(run(command, "--root", root), "nothing could be read")

    def test_without_sys(self):
        root = self.dir / "procs"
        (root / "proc/sys/kernel").mkdir(parents=True)
        (root / "proc/sys/kernel/osrelease").write_text("6.1.0\n")
        text = self.done(run("inventory", "--root", root))
        self.assertIn("6.1.0", text)
        self.assertIn("unknown (", text)
        self.assertIn(run("audit", "--root", root).returncode, (1, 3))

    def test_files_of_nuls_and_a_megabyte(self):
        root = self.tree("odd", {
            "sys/devices/system/cpu/online": b"\0" * 4096,
            "sys/devices/system/cpu/present": "0-3\n",
            "proc/sys/vm/swappiness": b"1" * (1 << 20),
            "proc/sys/kernel/osrelease": "6.1\x1b[31mred\n"})
        inventory = json.loads(self.done(run("inventory", "--root", root, "--json")))
        self.assertIsNone(inventory["cpu"]["online"])
        self.assertIsNone(inventory["kernel"]["sysctls"]["vm.swappiness"])
        problems = [p["message"] for probe in inventory["probes"] for p in probe["problems"]]
        self.assertTrue([p for p in problems if "proc/sys/vm/swappiness" in p and "EFBIG" in p])
        text = self.done(run("inventory", "--root", root))
        self.assertIn("cpu.online: holds nothing but NUL bytes", text)
        self.assertNotIn("\x1b", text)

    def test_links_that_leave_the_tree_or_loop(self):
        root = self.tree("links", {"sys/devices/system/cpu/present": "0\n"}, [
            ("sys/devices/system/cpu/online", "/../../../../../../../../proc/cpuinfo"),
            ("sys/class/nvme/nvme0", "../nvme/nvme0"),
            ("sys/block/sda", "/etc"),
            ("proc/cmdline", str(self.dir / "outside"))])
        (self.dir / "outside").write_text("TOPSECRET\n")
        result = run("inventory", "--root", root, "--json")
        self.assertNotIn("TOPSECRET", self.done(result))
        self.assertIsNone(json.loads(result.stdout)["host"]["cmdline"])
        out = self.dir / "links.tar.xz"
        captured = run("capture", "--root", root, "--out", out)
        self.assertEqual(captured.returncode, 0, captured.stderr)
        with tarfile.open(out) as tar:
            for member in tar:
                if member.isfile():
                    self.assertNotIn(b"TOPSECRET", tar.extractfile(member).read())

    def test_unreadable_file(self):
        if os.geteuid() == 0 and not nobody_can_run():
            self.skipTest("nobody cannot run the binary here")
        root = self.tree("denied", {"sys/devices/system/cpu/present": "0\n",
                                    "sys/devices/system/cpu/online": "0\n",
                                    "proc/sys/vm/swappiness": "60\n"})
        (root / "proc/sys/vm/swappiness").chmod(0)
        user = NOBODY if os.geteuid() == 0 else None
        text = self.done(run("inventory", "--root", root, user=user))
        self.assertIn("proc/sys/vm/swappiness: Permission denied (EACCES)", text)
        self.assertIn("run as root", text)


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
        file = self.config("refresh_s: fast\n")
        for command in ("inventory", "audit", "serve"):
            self.refused(run(command, "--config", file), ":1:")


class UnixConnection(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("localhost")
        self.path = str(path)

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(self.path)


class Serve(Case):
    def serve(self, *args, env=None):
        process = subprocess.Popen([BINARY, "serve", *map(str, args)], stderr=subprocess.PIPE,
                                   stdout=subprocess.DEVNULL, text=True,
                                   env={**os.environ, **(env or {})})
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def get(self, path, url, patience=20):
        end = time.monotonic() + patience
        while True:
            try:
                connection = UnixConnection(path)
                connection.request("GET", url)
                answer = connection.getresponse()
                body = answer.read()
                connection.close()
                return answer.status, body
            except (FileNotFoundError, ConnectionRefusedError):
                if time.monotonic() > end:
                    raise
                time.sleep(0.05)

    def until_ready(self, path):
        for _ in range(400):
            status, _body = self.get(path, "/readyz")
            if status == 200:
                return
            time.sleep(0.05)
        self.fail("never ready")

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


if __name__ == "__main__":
    BINARY = os.path.abspath(sys.argv.pop(1))
    unittest.main()

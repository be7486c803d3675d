"""Trees that are broken, hostile or nearly empty."""
import json
import os
import pty
import shutil
import subprocess
import tarfile
from pathlib import Path

import harness
from harness import NOBODY, Case, run


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

    def test_without_sys_nothing_is_called_absent(self):
        """A file that is missing from a tree that is missing says nothing about the host."""
        whole = harness.machine("two_sockets")
        for part in ("sys", "proc"):
            root = self.dir / f"only-{part}"
            root.mkdir()
            shutil.copytree(whole / part, root / part, symlinks=True)
            audit = json.loads(run("audit", "--root", root, "--profile", "report", "-o", "json").stdout)
            other = {"sys": "proc/", "proc": "sys/"}[part]
            wrong = [f["check"] for f in audit["findings"] if f["verdict"] == "not_applicable"
                     and any(e["path"].startswith(other) for e in f["evidence"])]
            self.assertEqual(wrong, [], part)
        verdicts = {f["check"]: f["verdict"] for f in audit["findings"]}
        for check in ("kernel.clocksource", "mem.thp", "cpu.governor", "cpu.turbo", "idle.exit_latency",
                      "nvme.link", "irq.queue_local", "env.locked", "pcie.aspm_policy", "cpu.smt"):
            self.assertEqual(verdicts[check], "unknown", check)

    def test_no_proc_is_mounted(self):
        """The program finds itself, and links in the tree, without /proc."""
        if b"__asan_init" in Path(harness.BINARY).read_bytes():
            self.skipTest("AddressSanitizer itself needs /proc")
        tree = harness.machine("vmd")
        wanted = json.loads(self.done(run("inventory", "--root", tree, "--json")))
        hidden = subprocess.run(
            ["unshare", "-m", "sh", "-c", 'mount -t tmpfs none /proc && exec "$@"', "sh", harness.BINARY,
             "inventory", "--root", tree, "--json"], capture_output=True, text=True, timeout=60, check=False)
        if "unshare:" in hidden.stderr or "mount:" in hidden.stderr:
            self.skipTest(f"cannot hide /proc here: {hidden.stderr.strip()}")
        found = json.loads(self.done(hidden))
        for inventory in (wanted, found):
            inventory.pop("collected_at")
            inventory.pop("probes")
        self.assertEqual(found, wanted)

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

    def test_no_text_of_a_tree_moves_the_cursor(self):
        hostile = "x\x1b[2Jx\u009b2Jx\u202ex\x07x".encode() + b"\x9b2J\xff"
        root = self.tree("hostile", {"sys/devices/system/cpu/present": "0\n", "sys/devices/system/cpu/online": "0\n",
                                     "proc/sys/kernel/osrelease": hostile, "proc/sys/kernel/hostname": hostile,
                                     "proc/cmdline": hostile, "sys/class/dmi/id/sys_vendor": hostile,
                                     "sys/devices/system/clocksource/clocksource0/current_clocksource": hostile,
                                     "sys/devices/system/cpu/cpuidle/current_driver": hostile})
        for command in (["inventory"], ["inventory", "--json"], ["audit", "--all"], ["explain", "kernel.clocksource"]):
            with self.subTest(command):
                done = subprocess.run([harness.BINARY, *command, "--root", root], capture_output=True, timeout=60)
                said = (done.stdout + done.stderr).decode()
                self.assertIn("x?" if command != ["inventory", "--json"] else "x\\u009b2Jx", said)
                self.assertNotRegex(said, "[\x00-\x09\x0b-\x1f\x7f-\x9f]")
        inventory = json.loads(self.done(run("inventory", "--json", "--root", root)))
        self.assertIn("x\x1b[2Jx\u009b2Jx\u202ex\x07x", inventory["host"]["hostname"])

    def test_colours_are_ours_alone(self):
        root = self.tree("colours", {"sys/devices/system/cpu/online": "0\n", "proc/sys/kernel/hostname": "h\x1b[31m\x011\n"})
        pid, terminal = pty.fork()
        if pid == 0:
            os.environ.update(TERM="xterm", COLUMNS="80")
            os.environ.pop("NO_COLOR", None)
            os.execv(harness.BINARY, [harness.BINARY, "inventory", "--root", root])
        said = b""
        try:
            while piece := os.read(terminal, 65536):
                said += piece
        except OSError:  # the other end is gone
            pass
        os.close(terminal)
        os.waitpid(pid, 0)
        self.assertIn(b"\x1b[1mh?[31m?1", said)

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
        root = self.tree("denied", {"sys/devices/system/cpu/present": "0\n",
                                    "sys/devices/system/cpu/online": "0\n",
                                    "proc/sys/vm/swappiness": "60\n"})
        (root / "proc/sys/vm/swappiness").chmod(0)
        user = NOBODY if os.geteuid() == 0 else None
        text = self.done(run("inventory", "--root", root, user=user))
        self.assertIn("proc/sys/vm/swappiness: Permission denied (EACCES)", text)
        self.assertIn("run as root", text)

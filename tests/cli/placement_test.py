"""placement and exec: what would make a program local to a drive, and doing it."""
import json
import shutil
import subprocess
import unittest

from harness import Case, machine, run


class Placement(Case):
    def test_every_format(self):
        root = machine("two_sockets")
        expected = {
            "numactl": "numactl --physcpubind=8-15,24-31 --preferred=1\n",
            "cpuset": "cpuset.cpus=8-15,24-31\ncpuset.mems=1\n",
            "fio": "cpus_allowed=8-15,24-31\nnuma_mem_policy=prefer:1\n"}
        for name, text in expected.items():
            self.assertEqual(self.done(run("placement", "--drive", "nvme2", "--format", name, "--root", root)), text)
        self.assertEqual(self.done(run("placement", "--drive", "nvme2", "--root", root)), expected["numactl"])

    def test_every_name_of_a_drive(self):
        root = machine("two_sockets")
        inventory = json.loads(self.done(run("inventory", "--json", "--root", root)))
        drive = inventory["nvme"]["controllers"][2]
        wwid = [n["wwid"] for n in inventory["nvme"]["namespaces"] if n["paths"][0]["controller"] == drive["name"]]
        texts = {self.done(run("placement", "--drive", name, "--root", root))
                 for name in [drive["name"], drive["serial"], drive["pci_address"], drive["slot"], *wwid]}
        self.assertEqual(len(texts), 1)

    def test_isolated_cpus_are_left_out_and_that_is_said(self):
        root = self.dir / "isolated"
        shutil.copytree(machine("two_sockets"), root, symlinks=True)
        (root / "sys/devices/system/cpu/isolated").write_text("9-10\n")
        result = run("placement", "--drive", "nvme2", "--root", root)
        self.assertEqual(result.stdout, "numactl --physcpubind=8,11-15,24-31 --preferred=1\n")
        self.assertIn("CPUs 9-10 of the drive's node are left out: isolated", result.stderr)

    @unittest.skipIf(shutil.which("systemd-analyze") is None, "needs systemd-analyze")
    def test_systemd_takes_the_drop_in(self):
        for policy in ("prefer", "bind"):
            text = self.done(run("placement", "--drive", "nvme2", "--format", "systemd", "--memory", policy,
                                 "--root", machine("two_sockets")))
            unit = self.dir / "job.service"
            unit.write_text("[Service]\nExecStart=/bin/true\n\n" + text)
            done = subprocess.run(["systemd-analyze", "verify", "--man=no", unit], capture_output=True, text=True,
                                  timeout=60)
            said = [line for line in done.stderr.splitlines() if "job.service" in line]
            self.assertEqual((done.returncode, said), (0, []), done.stderr)
            # The test would see a wrong value.
            unit.write_text(unit.read_text().replace("NUMAPolicy=", "NUMAPolicy=x"))
            done = subprocess.run(["systemd-analyze", "verify", "--man=no", unit], capture_output=True, text=True,
                                  timeout=60)
            self.assertIn("NUMA policy", done.stderr)

    def test_refused(self):
        root = machine("no_node")
        self.refused(run("placement", "--drive", "nvme0", "--root", root), "is not known", "numa_nodes")
        self.refused(run("placement", "--drive", "nvme77", "--root", root), 'no drive "nvme77"', "there are")
        self.refused(run("placement", "--root", root), "--drive")
        self.refused(run("placement", "--drive", "nvme0", "--format", "yaml", "--root", root), "format")
        self.refused(run("placement", "--drive", "nvme4n1", "--root", machine("multipath")), "several drives")


class Exec(Case):
    def test_not_on_a_captured_tree(self):
        self.refused(run("exec", "--near", "nvme0", "--root", machine("two_sockets"), "--", "true"), "on this host")

    def test_a_drive_that_is_not_there_starts_nothing(self):
        marker = self.dir / "started"
        result = run("exec", "--near", "no-such-drive", "--", "touch", marker)
        self.refused(result, 'no drive "no-such-drive"', status=125)
        self.assertFalse(marker.exists())

    def test_what_follows_the_dashes_is_the_commands(self):
        result = run("exec", "--near", "no-such-drive", "--", "sh", "-c", "exit 42", "--", "--near=x")
        self.refused(result, 'no drive "no-such-drive"', status=125)

    def test_usage(self):
        self.refused(run("exec", "--", "true"), "--near")
        self.refused(run("exec", "--near", "nvme0"), "which command?")
        self.refused(run("exec", "--near", "nvme0", "--memory", "all", "--", "true"), "memory")

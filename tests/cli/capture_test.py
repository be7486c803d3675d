"""Captures: what is kept, what is taken out, what is left behind."""
import re
import stat
import subprocess
import tarfile

import harness
from harness import Case, NOBODY, needs_root, run


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

    def test_the_printed_command_works(self):
        root = self.tree("small", {"proc/cpuinfo": "processor\t: 0\n", "proc/sys/kernel/osrelease": "6.1\n"})
        out = self.dir / "it's small.tar.xz"
        text = self.done(run("capture", "--root", root, "--out", out))
        command = re.search(r"^to look at it: (.*)$", text, re.M).group(1)
        folder = self.dir / "look"
        folder.mkdir()
        shell = subprocess.run(["bash", "-c", command.replace("lanekeeper", str(harness.BINARY))], cwd=folder,
                               capture_output=True, text=True, timeout=60)
        self.assertEqual(shell.returncode, 0, shell.stderr)
        self.assertIn("6.1", shell.stdout)

    def test_no_name(self):
        self.refused(run("capture", "--root", self.dir / "none", "--out", ""), "--out wants the name of a file")

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

    @needs_root
    def test_no_permission(self):
        self.refused(run("capture", "--out", self.dir / "denied.tar.xz", user=NOBODY), "EACCES")

    @needs_root
    def test_disk_full(self):
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

"""What the tests of the command line share: running it, small trees, an ordinary user."""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "fixtures"))
import build  # noqa: E402

NOBODY = 65534
MACHINES = ["two_sockets", "multipath", "vm_one_node", "no_node", "degraded_link"]
BINARY = None  # set by run.py


def run(*args, env=None, user=None, stdin=None, timeout=60):
    environment = {**os.environ, "NO_COLOR": "1"}
    environment.pop("COLUMNS", None)
    environment.update(env or {})
    binary = BINARY if user is None else public_binary()
    return subprocess.run([binary, *map(str, args)], capture_output=True, timeout=timeout, env=environment,
                          user=user, group=user, input=stdin, encoding="utf-8", errors="surrogateescape")


_public = None


def public_binary():
    """The binary where any user can reach it: a checkout may lie in a private folder."""
    global _public
    if _public is None:
        _public = tempfile.TemporaryDirectory(prefix="lk-public-", dir="/tmp")
        Path(_public.name).chmod(0o755)
        shutil.copy(BINARY, _public.name)
        (Path(_public.name) / BINARY.name).chmod(0o755)
    return Path(_public.name) / BINARY.name


needs_root = unittest.skipIf(os.geteuid() != 0, "needs root, to become an ordinary user or to mount")


def scratch_folder():
    """In memory where there is room: machines have thousands of small files."""
    folder = tempfile.TemporaryDirectory(prefix="lk-cli-", dir=build.scratch())
    Path(folder.name).chmod(0o755)
    return folder


_machines = None


def machine(name):
    """A fixture machine's tree; written once, so only to be read."""
    global _machines
    if _machines is None:
        _machines = scratch_folder()
    path = Path(_machines.name) / name
    return path if path.exists() else Path(build.build(_machines.name, name))


class Case(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls._dir = scratch_folder()
        cls.dir = Path(cls._dir.name)

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

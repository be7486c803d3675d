"""The host that the test runs on."""
import json
import subprocess

import harness
from harness import Case, NOBODY, needs_root, run


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
        done = subprocess.run(f"'{harness.BINARY}' inventory --json <&-", shell=True, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)

    @needs_root
    def test_user_says_what_it_could_not_read(self):
        result = run("inventory", user=NOBODY)
        self.assertEqual(result.returncode, 0, result.stderr)

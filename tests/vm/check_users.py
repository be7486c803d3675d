"""Who was seen to use the drives, and what runs a command beside them."""
import json
import re
import subprocess
import tarfile
import tempfile
from pathlib import Path

from guest_files import check, same


def owners(drive):
    return [(o["kind"], o["name"].split(" (")[0]) for o in drive["owners"]]


def workloads(inventory):
    """-> {serial: [(name, kind, via, cpus)]}"""
    serials = {c["id"]: c["serial"] for c in inventory["nvme"]["controllers"]}
    found = {}
    for w in inventory["workloads"]:
        found.setdefault(serials[w["drive"]], []).append((w["name"], w["kind"], w["via"], w["cpus"]))
    return found


USED = {"LK1": [("database.service", "unit", ["file"], "1")], "LK2": [("sleep", "process", ["device"], "0-3")],
        "LK3": [("sleep", "process", ["device"], "3")], "LKX": [("hidden.service", "unit", ["file"], "0-3")]}


@check
def users_of_the_drives_are_seen(guest):
    inventory = guest.json("used-inventory.json")
    drives = guest.drives(inventory)
    same("owners", {serial: owners(drive) for serial, drive in drives.items()},
         {"LK0": [("nvmet", "nqn.2024-01.org.example:export/1")], "LK1": [("filesystem", "/run/database")],
          "LK2": [("process", "sleep")], "LK3": [("process", "sleep")], "LKX": [("process", "hidden.service")]})
    same("workloads", workloads(inventory), USED)
    same("roles", {drive["role"] for drive in drives.values()}, {"data"})
    unit = next(w for w in inventory["workloads"] if w["name"] == "database.service")
    same("most memory of the unit", max(unit["memory_bytes"], key=unit["memory_bytes"].get), "1")
    assert unit["memory_bytes"]["1"] >= 16 << 20, unit["memory_bytes"]
    same("workloads before", guest.inventory["workloads"], [])
    in_use = {n["paths"][0]["name"]: n["in_use"]["verdict"] for n in inventory["nvme"]["namespaces"]}
    same("namespaces in use", sorted(in_use.values()), ["in_use"] * 5)


@check
def the_bound_are_local_and_the_unbound_remote(guest):
    findings = guest.json("used-audit.json")["findings"]
    serials = {"nvme:" + c["pci_address"]: c["serial"] for c in guest.inventory["nvme"]["controllers"]}
    verdicts = {serials[t]: (f["verdict"], f["severity"]) for f in findings for t in f["targets"]}
    same("workload.local", {k: v[0] for k, v in verdicts.items()},
         {"LK0": "not_applicable", "LK1": "pass", "LK2": "fail", "LK3": "pass", "LKX": "unknown"})
    same("severity", verdicts["LK2"][1], "warning")


@check
def who_could_not_be_looked_at_is_told(guest):
    inventory = guest.json("nobody-used-inventory.json")
    problems = [p for probe in inventory["probes"] for p in probe["problems"] if p["field"] == "workloads"]
    same("causes", {p["cause"] for p in problems}, {"denied"})
    same("what an ordinary user sees", inventory["workloads"], [])


@check
def a_capture_holds_the_users(guest):
    same("status", guest.status("used-capture.txt"), 0)
    with tempfile.TemporaryDirectory() as work:
        with tarfile.open(guest.dir / "used.tar.xz") as tar:
            names = tar.getnames()
            tar.extractall(work)
        top = next(p for p in [Path(work), *Path(work).iterdir()] if (p / "sys").is_dir())
        same("command lines", [n for n in names if re.search(r"proc/\d+/(cmdline|exe|cwd)$", n)], [])
        assert not any("nqn.2024-01" in n for n in names), "the name of an exported subsystem"
        done = subprocess.run([guest.lanekeeper, "inventory", "--json", "--root", str(top)], capture_output=True,
                              text=True, check=True)
    captured, live = json.loads(done.stdout), guest.json("used-inventory.json")
    strip = lambda i: [{k: v for k, v in w.items() if k != "memory_bytes"} for w in i["workloads"]]
    same("workloads", strip(captured), strip(live))
    kinds = lambda i: [[o["kind"] for o in c["owners"]] for c in i["nvme"]["controllers"]]
    same("kinds of owners", kinds(captured), kinds(live))


@check
def exec_runs_on_the_drives_node(guest):
    for name, node, policy in (("near", "2", "prefer"), ("near-bound", "3", "bind")):
        same(f"status of {name}", guest.status(f"{name}.txt"), 0)
        cpus, most, policies = guest.text(f"{name}.txt").splitlines()
        same(f"{name}: CPUs", cpus, node)
        same(f"{name}: node with most of its memory", most, node)
        assert f"{policy}:{node}" in policies.split() or policies.startswith(f"{policy}"), policies


@check
def exec_refuses_and_passes_on(guest):
    same("a drive whose node is not known", guest.status("near-nowhere.txt"), 125)
    same("was it started", guest.text("near-nowhere.txt"), "")
    assert "numa_nodes" in guest.text("near-nowhere.txt.err"), guest.text("near-nowhere.txt.err")
    same("no such command", guest.status("near-no-command.txt"), 127)
    same("no program", guest.status("near-no-program.txt"), 126)
    same("the command's own status", guest.status("near-status.txt"), 42)
    same("a cpuset without the drive's CPUs", guest.status("near-forbidden.txt"), 125)


@check
def temperatures_only_when_asked_for(guest):
    for drive in guest.drives().values():
        same("temperature not asked for", drive["temperature_c"], None)
    for drive in guest.json("asked.json")["controllers"]:
        assert drive["temperature_c"] and 0 < drive["temperature_c"] < 100, drive["temperature_c"]

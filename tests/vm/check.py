#!/usr/bin/env python3
"""Compares what Lanekeeper said in the guest (tests/vm/collect) with what the guest is known to be
and with what lspci, nvme and lstopo said there.

usage: check.py --kernel 6.1|6.12 --lanekeeper BINARY DIR
UPDATE_GOLDEN=1 writes the audits' golden files anew; their explanations are kept.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import xml.etree.ElementTree as xml
from pathlib import Path

GOLDEN = Path(__file__).resolve().parent / "golden"
PROFILES = ["balanced", "nvme-throughput", "nvme-latency", "nvme-max"]
DRIVES = {"LK0": 0, "LK1": 1, "LK2": 2, "LK3": 3, "LKX": -1}
checks = []


def check(function):
    checks.append(function)
    return function


def same(what, ours, theirs):
    assert ours == theirs, f"{what}: {ours!r}, expected {theirs!r}"


class Guest:
    """The files of one run."""

    def __init__(self, directory, kernel, lanekeeper):
        self.dir, self.kernel, self.lanekeeper = Path(directory), kernel, lanekeeper
        self.inventory = self.json("inventory.json")

    def text(self, name):
        return (self.dir / name).read_text()

    def json(self, name):
        try:
            return json.loads(self.text(name))
        except ValueError:
            raise AssertionError(f"{name} is no JSON; its stderr: {self.text(name + '.err')[:500]}") from None

    def status(self, name):
        return int(self.text(name + ".status"))

    def drives(self, inventory=None):
        return {c["serial"]: c for c in (inventory or self.inventory)["nvme"]["controllers"]}


def leaves(value, path=""):
    """(field path with [] for list elements, value) of everything that is no object or list."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from leaves(item, f"{path}.{key}" if path else key)
    elif isinstance(value, list):
        for item in value:
            yield from leaves(item, path + "[]")
    else:
        yield path, value


# --- inventory ---------------------------------------------------------------------------------
@check
def the_reads_ended_well(guest):
    same("status of inventory", guest.status("inventory.json"), 0)
    same("what it said on stderr", guest.text("inventory.json.err"), "")


@check
def every_null_has_a_reason(guest):
    fields = {p["field"] for probe in guest.inventory["probes"] for p in probe["problems"]}
    # The reasons of maps are told per key, of parts for all that is in them.
    bare = sorted({path for path, value in leaves({k: v for k, v in guest.inventory.items() if k != "probes"})
                   if value is None and not any(path == f or path.startswith((f + ".", f + "[]")) for f in fields)})
    same("nulls without a reason", bare, [])


@check
def nothing_failed_or_was_denied(guest):
    bad = [(probe["name"], p["field"], p["cause"], p["path"]) for probe in guest.inventory["probes"]
           for p in probe["problems"] if p["cause"] in ("denied", "unreadable", "malformed", "hung")]
    same("problems as root", bad, [])


@check
def four_nodes_on_two_packages(guest):
    numa = guest.inventory["numa"]
    same("node ids", [n["id"] for n in numa["nodes"]], [0, 1, 2, 3])
    same("CPUs", [n["cpus"] for n in numa["nodes"]], ["0", "1", "2", "3"])
    same("packages", [n["packages"] for n in numa["nodes"]], [[0], [0], [1], [1]])
    for a in range(4):
        expected = {str(b): 10 if a == b else 12 if a // 2 == b // 2 else 21 for b in range(4)}
        same(f"distances of node {a}", numa["nodes"][a]["distances"], expected)
    same("nodes per package", numa["clustering"]["nodes_per_package"], 2)
    cpu = guest.inventory["cpu"]
    same("online", cpu["online"], "0-3")
    same("packages, cores, threads", [cpu["packages"], cpu["cores"], cpu["threads"]], [2, 4, 4])


@check
def a_drive_on_each_node_and_one_nobody_knows(guest):
    drives = guest.drives()
    same("serials", sorted(drives), sorted(DRIVES))
    for serial, node in DRIVES.items():
        drive = drives[serial]
        same(f"{serial} numa_node", drive["numa_node"], node)
        same(f"{serial} effective_node", drive["effective_node"], None if node < 0 else node)
        same(f"{serial} local_cpus", drive["local_cpus"], None if node < 0 else str(node))
        same(f"{serial} node_source", drive["node_source"], "unknown" if node < 0 else "device")
        same(f"{serial} node_confidence", drive["node_confidence"], "low" if node < 0 else "high")
        same(f"{serial} driver, transport, state", [drive[k] for k in ("driver", "transport", "state")],
             ["nvme", "pcie", "live"])


@check
def each_queue_goes_to_its_own_cpu(guest):
    names = {}
    for line in guest.text("interrupts").splitlines():
        m = re.match(r"\s*(\d+):.*\s(nvme\d+q\d+)$", line)
        if m:
            names[m.group(2)] = int(m.group(1))
    for serial, drive in guest.drives().items():
        same(f"{serial} queues", [q["queue"] for q in drive["queues"]], [1, 2, 3, 4])
        for queue in drive["queues"]:
            what, cpu = f"{serial} queue {queue['queue']}", str(queue["queue"] - 1)
            same(f"{what} cpus", queue["cpus"], cpu)
            same(f"{what} irq", queue["irq"], names[f"{drive['name']}q{queue['queue']}"])
            same(f"{what} effective", queue["effective_cpus"], cpu)
            same(f"{what} managed", queue["managed"], True)
            assert queue["local"] in (True, None), f"{what} local: {queue['local']}"


@check
def governors_and_idle_states(guest):
    cpufreq, cpuidle = guest.inventory["cpufreq"], guest.inventory["cpuidle"]
    same("cpufreq driver", cpufreq["driver"], "acpi-cpufreq")
    same("governors", [p["governor"] for p in cpufreq["policies"]], ["schedutil"] * 4)
    for policy in cpufreq["policies"]:
        assert {"performance", "ondemand", "powersave", "schedutil"} <= set(policy["governors"]), policy["governors"]
        same("limits", [policy["hardware_min_khz"], policy["hardware_max_khz"]], [1000000, 3000000])
    same("cpuidle driver", cpuidle["driver"], "acpi_idle")
    same("groups of CPUs", [g["cpus"] for g in cpuidle["groups"]], ["0-3"])
    same("states", [(s["name"], s["latency_us"]) for s in cpuidle["groups"][0]["states"]],
         [("POLL", 0), ("C1", 1), ("C2", 50), ("C3", 170)])
    same("clocksource", guest.inventory["kernel"]["clocksource"], "hpet")


# --- other tools -------------------------------------------------------------------------------
@check
def agrees_with_lspci(guest):
    blocks = {}
    for block in guest.text("lspci.txt").strip().split("\n\n"):
        blocks[block.split()[0]] = block
    ours = {d["pci_address"]: d for d in guest.drives().values()}
    same("addresses", sorted(ours), sorted(blocks))
    for address, block in blocks.items():
        drive, node = ours[address], re.search(r"NUMA node: (\d+)", block)
        same(f"{address} node", drive["numa_node"], int(node.group(1)) if node else -1)
        speed, width = re.search(r"LnkSta:\s+Speed ([\d.]+)GT/s[^,]*, Width x(\d+)", block).groups()
        same(f"{address} link", [drive["link"]["speed_gts"], drive["link"]["width"]], [float(speed), int(width)])
        speed, width = re.search(r"LnkCap:.*Speed ([\d.]+)GT/s, Width x(\d+)", block).groups()
        same(f"{address} max", [drive["link"]["max_speed_gts"], drive["link"]["max_width"]], [float(speed), int(width)])
        aspm = re.search(r"LnkCtl:\s+ASPM ([^;]*);", block).group(1)
        same(f"{address} ASPM off", [drive["aspm"]["l0s"], drive["aspm"]["l1"]].count(True) == 0, aspm == "Disabled")
        end = drive["path"][-1]
        sizes = re.search(r"DevCtl:.*?MaxPayload (\d+) bytes, MaxReadReq (\d+) bytes", block, re.S).groups()
        same(f"{address} sizes", [end["max_payload_bytes"], end["max_read_request_bytes"]], [int(s) for s in sizes])
        able = re.search(r"DevCap:\s+MaxPayload (\d+) bytes", block).group(1)
        same(f"{address} payload it can take", end["max_payload_supported_bytes"], int(able))
        target = re.search(r"LnkCtl2: Target Link Speed: ([\d.]+)GT/s", block).group(1)
        same(f"{address} target", end["link"]["target_speed_gts"], float(target))
        same(f"{address} driver", drive["driver"], re.search(r"Kernel driver in use: (\S+)", block).group(1))
        same(f"{address} degraded", drive["link"]["degraded"], False)


@check
def agrees_with_nvme_list(guest):
    drives = guest.drives()
    spaces = {p["controller"]: n for n in guest.inventory["nvme"]["namespaces"] for p in n["paths"]}
    theirs = guest.json("nvme.json")["Devices"]
    same("serials", sorted(drives), sorted(d["SerialNumber"] for d in theirs))
    for device in theirs:
        drive = drives[device["SerialNumber"]]
        space = spaces[drive["name"]]
        same("namespace", "/dev/" + space["name"], device["DevicePath"])
        same("model, firmware", [drive["model"], drive["firmware"]], [device["ModelNumber"], device["Firmware"]])
        same("sizes", [space["size_bytes"], space["lba_bytes"]], [device["PhysicalSize"], device["SectorSize"]])


def lstopo_nodes(tree):
    """-> {node: cpuset mask}, {disk: node or None}; a disk's node is that of the object above its bridge."""
    nodes, disks = {}, {}

    def walk(element, near):
        own = [c for c in element if c.tag == "object" and c.get("type") == "NUMANode"]
        near = int(own[0].get("os_index")) if len(own) == 1 else near
        for child in element:
            if child.tag == "object" and child.get("type") == "NUMANode":
                nodes[int(child.get("os_index"))] = int(child.get("cpuset"), 16)
            if child.get("type") == "OSDev" and child.get("osdev_type") == "0":
                disks[child.get("name")] = near
            walk(child, near)

    walk(tree.getroot(), None)
    return nodes, disks


@check
def agrees_with_lstopo(guest):
    nodes, disks = lstopo_nodes(xml.parse(guest.dir / "lstopo.xml"))
    ours = {n["id"]: 1 << int(n["cpus"]) for n in guest.inventory["numa"]["nodes"]}
    same("nodes", ours, nodes)
    controllers = {c["name"]: c["effective_node"] for c in guest.inventory["nvme"]["controllers"]}
    places = {n["name"]: controllers[n["paths"][0]["controller"]] for n in guest.inventory["nvme"]["namespaces"]}
    same("nodes of disks", places, {d: n for d, n in disks.items() if d.startswith("nvme")})


# --- who uses the drives -----------------------------------------------------------------------
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


# --- audits ------------------------------------------------------------------------------------
def verdicts(guest, audit):
    """-> {line: reason}, one line per finding: "fail warning cpu.governor policy:0-3 = schedutil"; drives by serial."""
    names = {c["pci_address"]: c["serial"] for c in guest.inventory["nvme"]["controllers"]}
    serials = {c["name"]: c["serial"] for c in guest.inventory["nvme"]["controllers"]}
    names |= {n["wwid"]: serials[n["paths"][0]["controller"]] for n in guest.inventory["nvme"]["namespaces"]}
    lines = {}
    for f in audit["findings"]:
        actual = "" if f["actual"] is None else f" = {f['actual']}"
        if f["check"] == "mem.dirty":  # a share of what memory happens to be free
            actual = re.sub(r"\d+ MiB", "N MiB", actual)
        line = f"{f['verdict']} {f['severity']} {f['check']} {' '.join(f['targets'])}{actual}"
        for name, serial in names.items():
            line = line.replace(name, serial)
        lines[re.sub(r"\s+", " ", line)] = f["reason"] or ""
    return lines


def read_golden(path):
    """-> {line: explanation}; "[6.12] " before a line: on that kernel only."""
    golden = {}
    for line in path.read_text().splitlines() if path.exists() else []:
        if line and not line.startswith("#"):
            text, _, why = line.partition("  # ")
            golden[text.strip()] = why.strip()
    return golden


def for_kernel(golden, kernel):
    return sorted(re.sub(r"^\[[\d.]+\] ", "", line) for line in golden
                  if not line.startswith("[") or line.startswith(f"[{kernel}] "))


def update_golden(path, lines, kernel):
    old = read_golden(path)
    keep = {line: why for line, why in old.items() if line in lines or
            (line.startswith("[") and not line.startswith(f"[{kernel}] "))}
    for line in lines:
        if line not in keep:
            keep[f"[{kernel}] {line}"] = old.get(f"[{kernel}] {line}") or lines[line]
    both = {re.sub(r"^\[[\d.]+\] ", "", k) for k in keep}
    merged = {}
    for text in sorted(both):
        tagged = [k for k in keep if k.endswith("] " + text)]
        why = next((keep[k] for k in [text, *tagged] if keep.get(k)), "")
        merged.update({text: why} if text in keep or len(tagged) == 2 else {tagged[0]: why})
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(f"{k}  # {v}\n" if v else f"{k}\n" for k, v in merged.items()))


def audit_matches_golden(guest, profile):
    lines = verdicts(guest, guest.json(f"audit-{profile}.json"))
    path = GOLDEN / f"{profile}.txt"
    if os.environ.get("UPDATE_GOLDEN"):
        update_golden(path, lines, guest.kernel)
    expected = for_kernel(read_golden(path), guest.kernel)
    assert sorted(lines) == expected, f"audit {profile}:\n" + "\n".join(
        [f"      not expected: {line}" for line in lines if line not in expected] +
        [f"      missing: {line}" for line in expected if line not in lines])


for name in PROFILES:
    def run(guest, profile=name):
        audit_matches_golden(guest, profile)
    run.__name__ = f"audit_{name.replace('-', '_')}_is_its_golden_file"
    check(run)


def failing(audit, severity):
    return {f["check"] for f in audit["findings"] if f["verdict"] == "fail" and f["severity"] == severity}


@check
def nvme_throughput_fails_exactly_these(guest):
    audit = guest.json("audit-nvme-throughput.json")
    same("critical", failing(audit, "critical"), set())
    same("warnings", failing(audit, "warning"), {"cpu.governor", "kernel.clocksource"})
    same("infos", failing(audit, "info"), {"nvme.node_known", "mem.swappiness", "kernel.aio_max"})
    rest = {f["check"]: f["verdict"] for f in audit["findings"] if f["verdict"] not in ("pass", "fail", "not_applicable")}
    same("neither pass, fail nor not_applicable", rest, {})
    same("irq.queue_local", {f["verdict"] for f in audit["findings"] if f["check"] == "irq.queue_local"}, {"pass"})
    same("exit status", guest.status("audit-nvme-throughput.json"), 1)


@check
def nvme_max_also_fails_the_exit_latency(guest):
    assert "idle.exit_latency" in failing(guest.json("audit-nvme-max.json"), "warning")


@check
def an_ordinary_user_is_told_what_it_could_not_read(guest):
    same("status of inventory", guest.status("nobody-inventory.json"), 0)
    inventory = guest.json("nobody-inventory.json")
    denied = {p["field"] for probe in inventory["probes"] for p in probe["problems"] if p["cause"] == "denied"}
    assert "cpuidle.latency_limit_us" in denied, denied
    audit = guest.json("nobody-audit.json")
    unknown = {f["check"] for f in audit["findings"] if f["verdict"] == "unknown"}
    same("unknown", unknown, {"idle.exit_latency", "idle.polling", "workload.local"})
    assert "dev/cpu_dma_latency: Permission denied (EACCES)" in guest.text("nobody-audit.txt")
    same("exit status with failures", guest.status("nobody-audit.json"), 1)
    same("exit status of a check at warning level that is unknown", guest.status("nobody-only.json"), 3)


# --- capture and hung device -------------------------------------------------------------------
VARYING = {"generation", "boot_id", "collected_at", "live", "probes"}


def differences(ours, theirs, ignore):
    a, b = dict_of(ours), dict_of(theirs)
    return sorted(k for k in a.keys() | b.keys() if a.get(k, "(absent)") != b.get(k, "(absent)")
                  and not any(re.fullmatch(i, k) for i in ignore))


def dict_of(value, path=""):
    """Leaves by full path with list positions; empty lists and objects count as leaves."""
    if isinstance(value, dict) and value:
        return {k: v for key, item in value.items() for k, v in dict_of(item, f"{path}.{key}".lstrip(".")).items()}
    if isinstance(value, list) and value:
        return {k: v for i, item in enumerate(value) for k, v in dict_of(item, f"{path}[{i}]").items()}
    return {path: json.dumps(value)}


@check
def a_capture_reads_back_the_same(guest):
    same("status of capture", guest.status("capture.txt"), 0)
    with tempfile.TemporaryDirectory() as work:
        with tarfile.open(guest.dir / "host.tar.xz") as tar:
            tar.extractall(work)
        top = next(p for p in [Path(work), *Path(work).iterdir()] if (p / "sys").is_dir())
        done = subprocess.run([guest.lanekeeper, "inventory", "--json", "--root", str(top)],
                              capture_output=True, text=True, check=False)
        same("status of inventory --root", done.returncode, 0)
        captured = json.loads(done.stdout)
    same("live", captured["live"], False)
    strip = lambda i: {k: v for k, v in i.items() if k not in VARYING}
    same("boot_id", captured["boot_id"], guest.inventory["boot_id"])
    same("what differs", differences(strip(guest.inventory), strip(captured), IN_CAPTURE_ONLY), [])


# What a later moment or another process may change: whether an interrupt has fired by then, and
# the CPUs that the process itself may use.
IN_CAPTURE_ONLY = [r"irqs\[\d+\]\.fired", r"irqs\[\d+\]\.effective_cpus", r"nvme\.controllers\[\d+\]\.queues\[\d+\]\.local"]


@check
def a_hung_device_costs_its_values_only(guest):
    same("status", guest.status("hung-inventory.json"), 0)
    seconds = float(guest.text("hung-inventory.json.seconds"))
    assert seconds < 60, f"inventory took {seconds:.1f} s beside a hung device"
    hung, name = guest.json("hung-inventory.json"), guest.text("hung-name").strip()
    reads_hang = (guest.dir / "queue-read-hangs").exists()
    same("reads of queue/ hang on 6.1", reads_hang, guest.kernel == "6.1")
    disk = next(b for b in hung["block"] if b["name"] == name)
    causes = {p["field"] for probe in hung["probes"] for p in probe["problems"] if p["cause"] == "hung"}
    if reads_hang:
        same(f"queue of {name}", disk["queue"] and {k for k, v in disk["queue"].items() if v is not None}, None)
        assert causes, "no problem with cause hung"
    strip = lambda i: {k: v for k, v in i.items() if k not in VARYING | {"block", "file_texts", "host", "irqs"}}
    same("what else differs", differences(strip(guest.inventory), strip(hung), IN_CAPTURE_ONLY), [])
    others = lambda i: [b for b in i["block"] if not b["name"].startswith("loop")]
    same("other disks", others(hung), others(guest.inventory))


@check
def a_healed_device_is_read_again(guest):
    healed, name = guest.json("healed-inventory.json"), guest.text("hung-name").strip()
    disk = next(b for b in healed["block"] if b["name"] == name)
    assert disk["queue"] and disk["queue"]["scheduler"], f"{name} after healing: {disk['queue']}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--kernel", required=True)
    parser.add_argument("--lanekeeper", required=True)
    parser.add_argument("dir")
    arguments = parser.parse_args()
    guest = Guest(arguments.dir, arguments.kernel, arguments.lanekeeper)
    failed = 0
    for function in checks:
        try:
            function(guest)
            print(f"ok    {function.__name__}")
        except (AssertionError, KeyError, StopIteration, OSError, TypeError, AttributeError) as error:
            failed += 1
            print(f"FAIL  {function.__name__}: {type(error).__name__ if not isinstance(error, AssertionError) else ''}{error}")
    print(f"guest {arguments.kernel}: {len(checks) - failed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())

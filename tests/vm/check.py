#!/usr/bin/env python3
"""Compares what Lanekeeper said in the guest (tests/vm/collect) with what the guest is known to be
and with what lspci, nvme and lstopo said there.

usage: check.py --kernel 6.1|6.12 --lanekeeper BINARY DIR
UPDATE_GOLDEN=1 writes the audits' golden files anew; their explanations are kept.
"""
import argparse
import re
import sys
import xml.etree.ElementTree as xml

import check_audit  # noqa: F401 its checks register themselves
import check_capture  # noqa: F401
import check_users  # noqa: F401
from guest_files import Guest, check, checks, leaves, same

DRIVES = {"LK0": 0, "LK1": 1, "LK2": 2, "LK3": 3, "LKX": -1}


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
        aspm = re.search(r"LnkCtl:\s+ASPM ([^;]*);", block).group(1).split()
        for state, key in (("L0s", "l0s"), ("L1", "l1")):  # as root all is readable: null would be a fault
            same(f"{address} ASPM {state}", drive["aspm"][key], state in aspm)
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

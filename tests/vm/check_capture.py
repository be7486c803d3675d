"""What a capture of the guest reads back as, and what a hung device costs."""
import json
import re
import subprocess
import tarfile
import tempfile
from pathlib import Path

from check_audit import verdicts
from guest_files import check, same

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
def a_hung_device_changes_no_other_verdict(guest):
    usual, hung = guest.json("audit-balanced.json"), guest.json("hung-audit.json")
    name = guest.text("hung-name").strip()
    same("exit status", guest.status("hung-audit.json"), guest.status("audit-balanced.json"))
    of_it = [f for f in hung["findings"] if any(name in target for target in f["targets"] + f["names"])]
    for finding in of_it:
        same(f"{finding['check']} of {name}", finding["verdict"], "unknown")
        assert "no answer in time" in finding["reason"], finding["reason"]
    # Whether an interrupt has fired by now may differ.
    lines = [sorted(line for line in verdicts(guest, audit) if " irq.queue_local " not in line and name not in line)
             for audit in (usual, hung)]
    same("verdicts beside a hung device", lines[1], lines[0])


@check
def a_healed_device_is_read_again(guest):
    healed, name = guest.json("healed-inventory.json"), guest.text("hung-name").strip()
    disk = next(b for b in healed["block"] if b["name"] == name)
    assert disk["queue"] and disk["queue"]["scheduler"], f"{name} after healing: {disk['queue']}"

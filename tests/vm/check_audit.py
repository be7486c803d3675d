"""What the audits said in the guest."""
import os
import re
from pathlib import Path

from guest_files import check, same

GOLDEN = Path(__file__).resolve().parent / "golden"
PROFILES = ["balanced", "nvme-throughput", "nvme-latency", "nvme-max"]


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

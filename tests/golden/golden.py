#!/usr/bin/env python3
"""Builds the fixture machines, runs the program on each and compares with the golden files.

golden.py PROGRAM [NAME...]; UPDATE_GOLDEN=1 rewrites the files instead.
"""

import difflib
import fnmatch
import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "fixtures"))

import build  # noqa: E402
from machines import MACHINES  # noqa: E402

# File of the answer, arguments, and the exit statuses that are allowed. Each line is one command
# run on every machine; --root is added.
COMMANDS = [
    ("inventory.json", ["inventory", "--json"], {0}),
    ("audit-nvme-throughput.json", ["audit", "--profile", "nvme-throughput", "-o", "json"],
     {0, 1, 3}),
    ("audit-nvme-throughput.txt", ["audit", "--profile", "nvme-throughput"], {0, 1, 3}),
]
WIDTH = 320  # JSON that fits is kept on one line, so that a difference names one object


def normalise(value):
    """Times differ from run to run."""
    if isinstance(value, list):
        return [normalise(each) for each in value]
    if not isinstance(value, dict):
        return value
    fixed = {"collected_at": "TIME", "duration_us": 0, "since": "TIME"}
    return {key: fixed[key] if key in fixed and each is not None else normalise(each)
            for key, each in value.items()}


def layout(value, indent=0):
    """JSON with one object or list a line where it fits."""
    flat = json.dumps(value, ensure_ascii=False)
    if len(flat) + indent <= WIDTH or not isinstance(value, (dict, list)):
        return flat
    pad = " " * (indent + 1)
    if isinstance(value, dict):
        parts = [f"{pad}{json.dumps(k)}: {layout(v, indent + 1)}" for k, v in value.items()]
        return "{\n" + ",\n".join(parts) + "\n" + " " * indent + "}"
    parts = [pad + layout(each, indent + 1) for each in value]
    return "[\n" + ",\n".join(parts) + "\n" + " " * indent + "]"


def answer(program, arguments, allowed, root=None):
    of = ["--root", str(root)] if root else []
    done = subprocess.run([program, *arguments, *of], capture_output=True, text=True, timeout=120, check=False)
    if done.returncode not in allowed:
        raise SystemExit(f"{' '.join(arguments + of)}: exit {done.returncode}\n"
                         f"{done.stderr}")
    return done.stdout, done.returncode


def unexplained(value, problems, path=""):
    """Places of nulls that no Problem explains, [] for any element of a list."""
    if value is None:
        steps = [i for i in range(len(path) + 1) if i == len(path) or path[i] in ".["]
        return set() if any(path[:i] in problems for i in steps) else {path}
    if isinstance(value, list):
        return set().union(*[unexplained(v, problems, path + "[]") for v in value], set())
    if isinstance(value, dict):
        return set().union(*[unexplained(v, problems, f"{path}.{k}" if path else k)
                             for k, v in value.items() if k != "probes"], set())
    return set()


def check_reasons(name, inventory):
    problems = {p["field"] for probe in inventory["probes"] for p in probe["problems"]}
    places = sorted(unexplained(inventory, problems))
    for place in places:
        print(f"{name}: {place} is null and no problem says why", file=sys.stderr)
    return not places


def breaches(finding):
    """What a finding does not keep of the contract that every knob has (tests/unit/knob_contract_test.cpp)."""
    verdict, remedy = finding["verdict"], finding["remedy"]
    if not finding["targets"] or finding["target_count"] < 1:
        yield "no target"
    if verdict == "pass" and (finding["actual"] is None or not finding["evidence"]):
        yield "passes without value or evidence"
    if verdict in ("not_applicable", "unknown", "locked") and not finding["reason"]:
        yield f"{verdict} without a reason"
    if verdict == "fail" and (finding["actual"] is None or not finding["evidence"] or not remedy["text"]):
        yield "fails without value, evidence or remedy"
    if verdict == "fail" and finding["severity"] != "info" and not remedy["command"] and remedy["kind"] != "firmware":
        yield "a remedy without a command"
    if any(each["path"].startswith("/") for each in finding["evidence"]):
        yield "evidence with an absolute path"


def keeps_contract(program, tree):
    """Every knob on this machine: alone (report), and against what the strictest profile expects."""
    knobs = {each["id"] for each in json.loads(answer(program, ["knobs", "list", "--json"], {0})[0])}
    broken = []
    for profile in ("report", "nvme-max"):
        text, _ = answer(program, ["audit", "--profile", profile, "-o", "json"], {0, 1, 3}, tree)
        findings = json.loads(text)["findings"]
        if profile == "report":
            broken += [f"{knob}: no finding" for knob in knobs - {each["knob"] for each in findings}]
        broken += [f"{profile} {each['check']} {each['targets'][:2]}: {breach}" for each in findings
                   for breach in breaches(each)]
    for each in broken:
        print(f"{tree.name}: {each}", file=sys.stderr)
    return not broken


# Files whose text evidence does not show as it stands, and why.
NOT_WHOLE = {
    "*/meminfo": "a table: the line that was used",
    "*/config": "binary: the register that was used",
    "dev/cpu_dma_latency": "binary: the number",
    "etc/*": "that it exists is the evidence",
    "run/*": "that it exists is the evidence",
}


def check_evidence(name, tree, audit):
    """What evidence says of a file is what stands in the file."""
    good = True
    for finding in audit["findings"]:
        for evidence in finding["evidence"]:
            file = tree / evidence["path"]
            if not file.is_file() or finding["verdict"] == "unknown":
                continue
            content = file.read_bytes()
            text = content.decode(errors="replace").strip("\0 \t\n")
            whole = not any(fnmatch.fnmatch(evidence["path"], each) for each in NOT_WHOLE)
            lines = [line.strip() for line in text.splitlines()]
            if evidence["raw"] == text or (not whole and (
                    b"\0" in content or evidence["raw"] in lines + ["exists"])):
                continue
            print(f"{name}: {finding['check']} shows {evidence['raw']!r} of {evidence['path']}, "
                  f"which says {text[:100]!r}", file=sys.stderr)
            good = False
    return good


def check_all_evidence(program, name, tree):
    profiles = json.loads(subprocess.run([program, "profiles", "list", "-o", "json"], check=True,
                                         capture_output=True, text=True, timeout=60).stdout)
    good = True
    for profile in [each["name"] for each in profiles]:
        text, _ = answer(program, ["audit", "--profile", profile, "-o", "json"], {0, 1, 3}, tree)
        good = check_evidence(name, tree, json.loads(text)) and good
    return good


def compare(path, text):
    if os.environ.get("UPDATE_GOLDEN") == "1":
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        return True
    old = path.read_text() if path.exists() else ""
    if old == text:
        return True
    changed = list(difflib.unified_diff(old.splitlines(), text.splitlines(), str(path), "now",
                                        lineterm="", n=1))
    print("\n".join(changed[:60]), file=sys.stderr)
    if len(changed) > 60:
        print(f"... {len(changed) - 60} more lines", file=sys.stderr)
    return False


def main():
    program = os.path.abspath(sys.argv[1])
    good = True
    with tempfile.TemporaryDirectory(dir=build.scratch(), prefix="lanekeeper-") as folder:
        for name in sys.argv[2:] or MACHINES:
            tree = build.build(folder, name)
            good = keeps_contract(program, tree) and good
            good = check_all_evidence(program, name, tree) and good
            for file, arguments, allowed in COMMANDS:
                text, code = answer(program, arguments, allowed, tree)
                text = text.replace(folder, "TREES")
                if file.endswith(".json"):
                    value = json.loads(text)
                    if file == "inventory.json":
                        good = check_reasons(name, value) and good
                    text = layout(normalise(value)) + "\n"
                if len(allowed) > 1:
                    text = text.rstrip("\n") + f"\nexit {code}\n" if not file.endswith(
                        ".json") else text
                good = compare(HERE / name / file, text) and good
    if not good:
        print("golden: not as expected; UPDATE_GOLDEN=1 rewrites the files", file=sys.stderr)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())

"""Comparison of processors, nodes, frequency, idle states and interrupts with known answers."""


def cpus(text):
    """The set of a list like "0-3,8"; None stays None."""
    if text is None:
        return None
    out = set()
    for piece in filter(None, text.split(",")):
        first, _, last = piece.partition("-")
        out.update(range(int(first), int(last or first) + 1))
    return out


def listed(numbers):
    return sorted(numbers) if numbers is not None else None


def differ(field, expected, actual):
    if expected != actual:
        yield field, expected, actual


def compare_cpu(entry, facts, inventory):
    cpu = inventory["cpu"]
    online = cpus(entry["online"]) or None
    yield from differ("cpu.online", listed(online), listed(cpus(cpu["online"])))
    if online is None:
        return
    if facts["cpu"]["dirs"]:
        yield from differ("cpu.offline", listed(cpus(entry["offline"])),
                          listed(cpus(cpu["offline"])))
    yield from differ("cpu.packages", entry["packages"], cpu["packages"])
    if entry["cores"] is not None:
        yield from differ("cpu.cores", entry["cores"], cpu["cores"])
    if entry["threads_per_core"]:
        yield from differ("cpu.threads_per_core", entry["threads_per_core"],
                          cpu["threads_per_core"])
    for name in ("isolated", "nohz_full"):
        known = facts["cpu"][name]
        if known is not None and known != "(null)":
            yield from differ(f"cpu.{name}", listed(cpus(known)), listed(cpus(cpu[name])))
    yield from differ("cpu.smt", facts["cpu"]["smt_control"], cpu["smt"])
    vendor = facts["cpu"]["cpuinfo_vendor"]
    if vendor is not None:
        yield from differ("cpu.vendor", vendor, cpu["vendor"])
    allowed = facts["allowed"]
    if allowed and allowed["source"] == "proc/self/status":
        yield from differ("cpu.allowed", listed(cpus(allowed["cpus"])),
                          listed(cpus(cpu["allowed"])))


def compare_nodes(entry, facts, inventory):
    nodes = {node["id"]: node for node in inventory["numa"]["nodes"]}
    yield from differ("numa.nodes", listed(cpus(entry["numa_nodes"] or "")), sorted(nodes))
    if not facts["numa"]:
        return
    online = cpus(entry["online"])
    for known in facts["numa"]["nodes"]:
        node = nodes.get(known["id"])
        if node is None:
            continue
        expected = cpus(known["cpus"])
        if expected is not None and online is not None:
            expected &= online
        yield from differ("numa.nodes[].cpus", listed(expected), listed(cpus(node["cpus"])))
        memory = known["mem_kib"]
        yield from differ("numa.nodes[].memory_bytes",
                          None if memory is None else memory * 1024, node["memory_bytes"])
        yield from differ("numa.nodes[].distances", known.get("distance_to") or {},
                          node["distances"])
    cpuless = [id for id, node in nodes.items() if node["cpus"] == ""]
    yield from differ("numa.cpuless", entry["cpuless_nodes"], sorted(cpuless))
    memoryless = [id for id, node in nodes.items() if node["memory_bytes"] == 0]
    yield from differ("numa.memoryless", entry["memoryless_nodes"], sorted(memoryless))


SUB_NUMA = {"snc", "cod", "nps", "l3_as_numa", "unknown"}
KINDS = {"none": {"none"}, "sub-numa": SUB_NUMA,
         # Packages that the architecture does not name are unknown rather than interleaved.
         "node-spans-packages": {"interleaved", "unknown"}, "overlapping-nodes": {"unknown"}}


def compare_clustering(entry, inventory):
    clustering = inventory["numa"]["clustering"]
    kind = entry["snc_kind"]
    if kind is None:
        return
    if clustering["kind"] not in KINDS[kind]:
        yield "numa.clustering.kind", kind, clustering["kind"]
    yield from differ("numa.clustering.nodes_per_package", entry["snc"],
                      clustering["nodes_per_package"])


def compare_cpufreq(entry, facts, inventory):
    known = facts["cpufreq"]
    if not known:
        return
    for field, name in (("governors", "governor"), ("drivers", "driver"), ("epp", "epp")):
        if known[field] is None:
            continue
        expected = {}
        for value, where in known[field].items():
            value = None if value in ("", "None") else value
            expected.setdefault(value, set()).update(cpus(where))
        actual = {}
        for policy in inventory["cpufreq"]["policies"]:
            actual.setdefault(policy[name], set()).update(cpus(policy["cpus"]))
        as_text = [{str(value): listed(where) for value, where in each.items()}
                   for each in (expected, actual)]
        yield from differ(f"cpufreq.policies[].{name}", *as_text)
    if known["no_turbo"] is not None:
        yield from differ("cpufreq.turbo", not known["no_turbo"],
                          inventory["cpufreq"]["turbo"]["enabled"])
    yield from differ("cpufreq.mode", known["pstate_status"], inventory["cpufreq"]["mode"])


def idle_state(state):
    return (state["index"], state["name"], state["latency_us"], state["residency_us"])


def compare_cpuidle(facts, inventory):
    known = facts["cpuidle"]
    if not known:
        return
    cpuidle = inventory["cpuidle"]
    yield from differ("cpuidle.driver", known["driver"], cpuidle["driver"])
    yield from differ("cpuidle.governor", known["governor"], cpuidle["governor"])
    expected = [(group["cpus"], [idle_state(each) for each in group["states"]])
                for group in known["groups"]]
    actual = [(group["cpus"], [idle_state(each) for each in group["states"]])
              for group in cpuidle["groups"]]
    yield from differ("cpuidle.groups", sorted(expected), sorted(actual))


def compare_irqs(facts, inventory):
    known = facts["irq"]
    if not known or not known["irqs"]:
        return
    irqs = {str(irq["irq"]): irq for irq in inventory["irqs"]}
    yield from differ("irqs", known["n_irqs"], len(irqs))
    for number, expected in known["irqs"].items():
        irq = irqs.get(number)
        if irq is None:
            yield "irqs", number, None
            continue
        for name, field in (("smp_affinity", "affinity"), ("effective_affinity", "effective_cpus")):
            if expected.get(name) is not None:
                yield from differ(f"irqs[].{field}", listed(cpus(expected[name])),
                                  listed(cpus(irq[field])))
        if expected.get("node") is not None:
            yield from differ("irqs[].node", expected["node"], irq["node"])
        if expected.get("total") is not None:
            yield from differ("irqs[].fired", expected["total"] > 0, irq["fired"])
        if expected.get("actions"):
            yield from differ("irqs[].actions", expected["actions"], irq["actions"])
        if expected.get("pci") and expected.get("pci_by") != "action text":
            yield from differ("irqs[].pci_address", expected["pci"], irq["pci_address"])


def compare_hwloc(inventory):
    """The program says itself where hwloc reads the same files otherwise (docs/adr/0006)."""
    for warning in inventory["numa"]["warnings"]:
        if warning.startswith("hwloc"):
            yield "hwloc", "agreement", warning


def asked_hwloc(inventory):
    return not any("not compared with hwloc" in problem["message"]
                   for probe in inventory["probes"] for problem in probe["problems"])


def compare(entry, facts, inventory):
    yield from compare_cpu(entry, facts, inventory)
    yield from compare_nodes(entry, facts, inventory)
    yield from compare_clustering(entry, inventory)
    yield from compare_cpufreq(entry, facts, inventory)
    yield from compare_cpuidle(facts, inventory)
    yield from compare_irqs(facts, inventory)
    yield from compare_hwloc(inventory)

"""Comparison of NVMe controllers with known answers: which there are, what they are, on which node
they hang and what their links and disks say."""

CLASS_FIELDS = {"name": "name", "transport": "transport", "model": "model", "serial": "serial",
                "firmware": "firmware", "state": "state", "subsystem": "subsysnqn",
                "queue_count": "queue_count"}
PCI_FIELDS = {"vendor_id": "vendor", "device_id": "device"}


def compare(entry, facts, inventory):
    """Yields (field, expected, actual) for every difference."""
    controllers = inventory["nvme"]["controllers"]
    by_address = {each["pci_address"]: each for each in controllers if each["pci_address"]}
    for drive in entry["nvme"] or []:
        if not drive.get("pci"):
            continue
        controller = by_address.get(drive["pci"])
        if controller is None:
            yield "nvme.controllers", drive["pci"], None
        elif drive["numa_node"] != controller["numa_node"]:
            yield "nvme.controllers[].numa_node", drive["numa_node"], controller["numa_node"]
    known = facts.get("nvme") or {}
    for fact in known.get("pci_only") or []:
        if fact["address"] in by_address:
            yield from _function(fact, by_address[fact["address"]])
    by_name = {each["name"]: each for each in controllers if each["name"]}
    for fact in known.get("controllers") or []:
        if fact["name"] not in by_name:
            yield "nvme.controllers", fact["name"], None
            continue
        yield from _controller(fact, by_name[fact["name"]])
        yield from _namespaces(fact, inventory["nvme"]["namespaces"])


def _function(fact, controller):
    """What PCI alone tells."""
    yield from _fields(PCI_FIELDS, fact, controller)
    if fact.get("driver") and fact["driver"] != controller["driver"]:
        yield "nvme.controllers[].driver", fact["driver"], controller["driver"]
    path = [each["address"] for each in controller["path"]]
    if fact["path_chain"] != path:
        yield "nvme.controllers[].path[].address", fact["path_chain"], path
    speed = float(fact["current_link_speed"].split()[0]) if fact["current_link_speed"] else None
    if speed != controller["link"]["speed_gts"]:
        yield "nvme.controllers[].link.speed_gts", speed, controller["link"]["speed_gts"]
    if fact["link_degraded"] is not None and fact["link_degraded"] != controller["link"]["degraded"]:
        yield "nvme.controllers[].link.degraded", fact["link_degraded"], \
            controller["link"]["degraded"]
    node = fact.get("resolved_node")
    if fact.get("resolved_by") == "numa_node" and node != controller["effective_node"]:
        yield "nvme.controllers[].effective_node", node, controller["effective_node"]


def _controller(fact, controller):
    yield from _fields(CLASS_FIELDS, fact, controller)
    number = int(fact["cntlid"]) if fact.get("cntlid") else None
    if number != controller["controller_id"]:
        yield "nvme.controllers[].controller_id", number, controller["controller_id"]


def _namespaces(fact, namespaces):
    """Each disk of the controller is a path of some namespace, with these attributes."""
    for disk in fact.get("namespaces") or []:
        found = [each for each in namespaces if (disk["name"], fact["name"]) in
                 [(path["name"], path["controller"]) for path in each["paths"]]]
        if len(found) != 1:
            yield "nvme.namespaces[].paths[].name", disk["name"], [each["name"] for each in found]
            continue
        size = disk["size_512"] * 512 if disk.get("size_512") is not None else None
        if size != found[0]["size_bytes"]:
            yield "nvme.namespaces[].size_bytes", size, found[0]["size_bytes"]
        queue = found[0]["queue"]
        if not queue or queue["device"] != disk["name"]:
            continue  # the queue of another path stands for the namespace
        for field in ("nr_requests", "rotational"):
            if disk.get(field) != queue[field]:
                yield f"nvme.namespaces[].queue.{field}", disk.get(field), queue[field]


def _fields(names, fact, controller):
    for ours, theirs in names.items():
        if fact.get(theirs) is not None and fact[theirs] != controller[ours]:
            yield f"nvme.controllers[].{ours}", fact[theirs], controller[ours]

"""Comparison of NVMe controllers with known answers: which there are, and on which node."""


def compare(entry, facts, inventory):
    """Yields (field, expected, actual) for every difference; index.json's `nvme` lists the drives."""
    found = {each["pci_address"]: each for each in inventory["nvme"]["controllers"]
             if each["pci_address"]}
    for drive in entry["nvme"] or []:
        if not drive.get("pci"):
            continue
        controller = found.get(drive["pci"])
        if controller is None:
            yield "nvme.controllers", drive["pci"], None
        elif drive["numa_node"] != controller["numa_node"]:
            yield "nvme.controllers[].numa_node", drive["numa_node"], controller["numa_node"]

"""The files of one run of the guest, and the checks that read them."""
import json
from pathlib import Path

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

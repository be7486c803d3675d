#!/usr/bin/python3
"""The published contract: valid OpenAPI 3.1, whole, and the same in both formats.

usage: openapi_test.py CACHE_DIR [unittest arguments]
CACHE_DIR keeps the npm validator of package.json between runs.
"""
import json
import re
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

import jsonschema
import yaml

HERE = Path(__file__).resolve().parent
FOLDER = HERE.parent.parent / "openapi"
CACHE = None


def walk(node, path=""):
    yield path, node
    if isinstance(node, dict):
        for key, value in node.items():
            yield from walk(value, f"{path}/{key}")
    elif isinstance(node, list):
        for i, value in enumerate(node):
            yield from walk(value, f"{path}/{i}")


class Contract(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.document = json.loads((FOLDER / "openapi.json").read_text())

    def operations(self):
        for path, item in self.document["paths"].items():
            for method, operation in item.items():
                yield path, method, operation

    def test_both_formats_say_the_same(self):
        self.assertEqual(self.document, yaml.safe_load((FOLDER / "openapi.yaml").read_text()))

    def test_a_validator_agrees(self):
        if shutil.which("npm") is None:
            self.skipTest("npm is not installed")
        CACHE.mkdir(parents=True, exist_ok=True)
        for name in ("package.json", "package-lock.json"):
            shutil.copy(HERE / name, CACHE)
        if not (CACHE / "node_modules").exists():
            done = subprocess.run(["npm", "ci", "--no-audit", "--no-fund"], cwd=CACHE, capture_output=True, text=True)
            if done.returncode != 0:
                self.skipTest("npm cannot install the validator: " + done.stderr[-200:])
        for name in ("openapi.json", "openapi.yaml"):
            done = subprocess.run([CACHE / "node_modules/.bin/validate-api", FOLDER / name], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertIn('"valid": true', done.stdout)

    def test_schemas_are_json_schema(self):
        for name, schema in self.document["components"]["schemas"].items():
            with self.subTest(schema=name):
                jsonschema.Draft202012Validator.check_schema(schema)

    def test_references_lead_somewhere(self):
        for path, node in walk(self.document):
            if not isinstance(node, dict) or not isinstance(node.get("$ref"), str):
                continue
            target = self.document
            for part in node["$ref"].removeprefix("#/").split("/"):
                self.assertIn(part, target, f"{path}: {node['$ref']}")
                target = target[part]

    def test_every_schema_is_used(self):
        used = {node["$ref"].rsplit("/", 1)[1] for _, node in walk(self.document)
                if isinstance(node, dict) and isinstance(node.get("$ref"), str)}
        self.assertEqual(set(self.document["components"]["schemas"]) - used, set())

    def test_operations_are_complete(self):
        seen = set()
        for path, method, operation in self.operations():
            with self.subTest(path=path, method=method):
                self.assertNotIn(operation["operationId"], seen)
                seen.add(operation["operationId"])
                self.assertIn("default", operation["responses"])
                declared = {p["name"] for p in operation.get("parameters", []) if p["in"] == "path"}
                self.assertEqual(declared, set(re.findall(r"\{(\w+)\}", path)))
                for parameter in operation.get("parameters", []):
                    self.assertTrue(parameter["description"])

    def test_fields_have_names_and_meaning(self):
        for name, schema in self.document["components"]["schemas"].items():
            for field, content in schema["properties"].items():
                with self.subTest(schema=name, field=field):
                    self.assertRegex(field, r"^[a-z][a-z0-9_]*$")
                    self.assertTrue(content.get("description"))
            self.assertEqual(set(schema["required"]), set(schema["properties"]))


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    CACHE = Path(sys.argv.pop(1))
    unittest.main()

# SPDX-License-Identifier: Apache-2.0
"""The schema for editors: every example conforms to it, and mistakes do not."""

from __future__ import annotations

import json
import subprocess
import unittest
from typing import Any, Iterator

from support import PROGRAM, ROOT, PackageTest

try:
    import tomllib
except ModuleNotFoundError:  # before Python 3.11
    tomllib = None  # type: ignore[assignment]

TYPES: dict[str, Any] = {"object": dict, "array": list, "string": str, "boolean": bool, "number": (int, float), "integer": int}


def is_type(value: Any, name: str) -> bool:
    return isinstance(value, TYPES[name]) and (name == "boolean" or not isinstance(value, bool))


class Schema:
    """As much of JSON schema (draft 7) as `trammel schema` uses."""

    def __init__(self, root: dict[str, Any]):
        self.root = root

    def problems(self, value: Any, schema: dict[str, Any], at: str = "") -> Iterator[str]:
        known = {"$ref", "type", "anyOf", "enum", "properties", "required", "additionalProperties", "items"}
        known |= {"minItems", "maxItems", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"}
        strange = set(schema) - known - {"description", "$schema", "title", "definitions"}
        if strange:
            yield f"{at}: this test does not know {strange}"
        if "$ref" in schema:
            yield from self.problems(value, self.root["definitions"][schema["$ref"].split("/")[-1]], at)
        types = schema.get("type", [])
        types = [types] if isinstance(types, str) else types
        if types and not any(is_type(value, name) for name in types):
            yield f"{at}: {value!r} is not {types}"
            return
        if "anyOf" in schema and not any(not list(self.problems(value, one, at)) for one in schema["anyOf"]):
            yield f"{at}: {value!r} fits none of {schema['anyOf']}"
        if "enum" in schema and value not in schema["enum"]:
            yield f"{at}: {value!r} is none of {schema['enum']}"
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            if value < schema.get("minimum", value) or value > schema.get("maximum", value):
                yield f"{at}: {value} is out of range"
            if value <= schema.get("exclusiveMinimum", value - 1) or value >= schema.get("exclusiveMaximum", value + 1):
                yield f"{at}: {value} is out of range"
        if isinstance(value, list):
            if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)):
                yield f"{at}: {len(value)} items"
            for i, item in enumerate(value):
                yield from self.problems(item, schema.get("items", {}), f"{at}[{i}]")
        if isinstance(value, dict):
            properties = schema.get("properties", {})
            for key in schema.get("required", []):
                if key not in value:
                    yield f"{at}: '{key}' is missing"
            for key, item in value.items():
                if key in properties:
                    yield from self.problems(item, properties[key], f"{at}.{key}")
                elif schema.get("additionalProperties") is False:
                    yield f"{at}: unknown key '{key}'"


@unittest.skipIf(tomllib is None, "TOML is read by Python from 3.11 on")
class SchemaOfModels(PackageTest):
    def setUp(self) -> None:
        super().setUp()
        done = subprocess.run([PROGRAM, "schema"], capture_output=True, text=True, check=True)
        self.schema = Schema(json.loads(done.stdout))

    def problems(self, text: str) -> list[str]:
        return list(self.schema.problems(tomllib.loads(text), self.schema.root))

    def test_examples_conform(self) -> None:
        files = sorted((ROOT / "examples").rglob("*.toml"))
        self.assertGreater(len(files), 20)
        for file in files:
            self.assertEqual(self.problems(file.read_text(encoding="utf-8")), [], file)

    def test_mistakes_do_not(self) -> None:
        for text, words in {
            "titel = 'x'": "unknown key 'titel'",
            "[[body]]\nname = 'a'\nmas = 1": "unknown key 'mas'",
            "[[body]]\nmass = 1": "'name' is missing",
            "[[body]]\nname = 'a'\nmass = -1": "-1",
            "[[body]]\nname = 'a'\nkind = 'rigit'": "'rigit' is none of",
            "[[body]]\nname = 'a'\nposition = [1, 2]": "2 items",
            "[[body]]\nname = 'a'\nshape = { kind = 'box', siz = [1, 1, 1] }": "unknown key 'siz'",
            "[[repeat]]\ncount = 2\n[[repeat.joint]]\nname = 'a'\nkind = 'revolut'": "'revolut' is none of",
            "body = { name = 'a' }": "is not ['array']",
        }.items():
            self.assertIn(words, "\n".join(self.problems(text)), text)


if __name__ == "__main__":
    unittest.main()

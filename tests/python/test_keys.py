# SPDX-License-Identifier: Apache-2.0
"""help() of the methods of a model names the keys that the reader takes, all of them and no others."""

from __future__ import annotations

import inspect
import keyword
import re
import unittest

from support import PackageTest, pendulum

import trammel

KIND_KEYS = {"contact": "law", "wheel": "profile"}


def messages(table: str, **keys: object) -> str:
    try:
        trammel.Model().add(table, "a", **keys).check()
    except trammel.InputError as error:
        return str(error)
    return ""


def quoted(text: str) -> list[str]:
    return re.findall(r"'(\w+)'", text)


def kinds_of(table: str) -> list[str]:
    """The words that the reader takes for the kind; [""] if it knows no kinds."""
    key = KIND_KEYS.get(table, "kind")
    found = re.search(rf"'{key}' is 'none_at_all'.*Allowed: (.*)", messages(table, **{key: "none_at_all"}))
    return quoted(found.group(1)) if found else [""]


def allowed_by_the_reader(table: str) -> set[str]:
    allowed: set[str] = set()
    key = KIND_KEYS.get(table, "kind")
    for kind in kinds_of(table):
        text = messages(table, none_at_all=1, **({key: kind} if kind else {}))
        found = re.search(r"unknown key 'none_at_all'.*Allowed here: (.*)", text)
        assert found is not None, f"{table} {kind}: {text}"
        allowed |= set(quoted(found.group(1)))
    return allowed - {"name"}


class Keys(PackageTest):
    def tables(self) -> list[str]:
        names = [table.name for table in trammel._core.tables() if table.is_list and table.name != "repeat"]
        self.assertGreater(len(names), 15)
        return names

    def test_help_names_what_the_reader_takes(self) -> None:
        for table in self.tables():
            method = getattr(trammel.Model, table)
            named = set(re.findall(r"^(\w+)(?: \[[^\]]*\])?: ", method.__doc__, re.MULTILINE))
            self.assertEqual(named, allowed_by_the_reader(table), table)

    def test_signatures_have_the_same_keywords(self) -> None:
        for table in self.tables():
            shown = set(inspect.signature(getattr(trammel.Model, table)).parameters) - {"self", "name", "keys"}
            allowed = {key for key in allowed_by_the_reader(table) if not keyword.iskeyword(key)}
            self.assertEqual(shown, allowed, table)

    def test_help_says_unit_default_and_kind(self) -> None:
        words = trammel.Model.body.__doc__ or ""
        self.assertRegex(words, r"(?m)^mass \[kg\]: .*mass > 0")
        self.assertRegex(words, r"(?m)^kind: .*planar.*\(default: rigid\)")
        self.assertRegex(trammel.Model.joint.__doc__ or "", r"(?m)^pitch \[m\]: screw: .*\(required\)")

    def test_none_takes_a_key_of_a_loaded_file_away(self) -> None:
        file = pendulum().save(self.folder / "pendulum.toml")
        file.write_text(file.read_text() + '[output]\nfile = "kept.h5"\n')
        model = trammel.load(file)
        self.assertEqual(model._study(None).output_file, "kept.h5")
        self.assertEqual(model.output(file=None)._study(None).output_file, "")
        self.assertEqual(trammel.load(file)._study({"output.file": None}).output_file, "")
        self.assertEqual(trammel.load(file)._study({"output.file": ""}).output_file, "")
        with self.assertRaisesRegex(trammel.InputError, "did you mean 'mass'"):
            trammel.load(file).check({"body.bob.mas": None})


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: Apache-2.0
"""Writes the docstrings of the package from the comments of the C++ headers, when it is built.

    make_docstrings.py ROOT docstrings.h _docstrings.py

`docstrings.h` has one constant per class, function and member for the module in C++, `_docstrings.py` the same texts by
name for what is written in Python.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tools"))
from header_comments import Entry, read_header  # noqa: E402

HEADERS = ["base/error.h", "base/keys.h", "mechanics/*.h", "simulation/*.h", "io/*.h"]


def collect(entries: list[Entry], prefix: str, texts: dict[str, str]) -> None:
    for entry in entries:
        if not entry.name.isidentifier():
            continue
        name = prefix + entry.name
        if entry.comment or name not in texts:
            texts[name] = entry.comment
        collect(entry.members, name + "_", texts)


def write(path: Path, text: str) -> None:
    if not path.exists() or path.read_text(encoding="utf-8") != text:  # what did not change is not built again
        path.write_text(text, encoding="utf-8")


def main() -> None:
    root, header, module = map(Path, sys.argv[1:])
    folders = [root / "include/trammel", root / "internal/trammel"]
    texts: dict[str, str] = {}
    for path in [path for pattern in HEADERS for folder in folders for path in sorted(folder.glob(pattern))]:
        read = read_header(path)
        collect(read.entries, "", texts)
        if path.name == "model.h":  # Model is described by the comment that opens its header
            texts["Model"] = read.comment
    lines = ["#pragma once", "", "namespace trammel::docs {", ""]
    for name, text in texts.items():
        lines.append(f'[[maybe_unused]] inline constexpr const char* {name} = R"doc({text})doc";')
    lines += ["", "}  // namespace trammel::docs", ""]
    write(header, "\n".join(lines))
    listing = "".join(f"    {name!r}: {text!r},\n" for name, text in texts.items())
    text = f'"""Made from the comments of the C++ headers."""\n\nTEXTS: dict[str, str] = {{\n{listing}}}\n'
    write(module, text)


if __name__ == "__main__":
    main()

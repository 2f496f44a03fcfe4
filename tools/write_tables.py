# SPDX-License-Identifier: Apache-2.0
"""Writes the marked tables of the documentation anew, as the program prints them.

    write_tables.py PROGRAM

What stands between `<!-- keys: body -->` (or `<!-- keys: force tyre -->`, of one kind; `<!-- keys: body.shape -->`, of a
table inside) and `<!-- /keys -->` is `trammel schema --format markdown --table body`; between `<!-- channels -->` and
`<!-- /channels -->` stands `trammel schema --format markdown --channels`.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

DOCS = Path(__file__).resolve().parent.parent / "docs"
MARKED = re.compile(r"(<!-- (keys|channels)(?:: ([\w.]+)(?: (\w+))?)? -->\n).*?(<!-- /\2 -->)", re.DOTALL)


def main() -> None:
    program = sys.argv[1]

    def table(match: re.Match[str]) -> str:
        begin, what, name, kind, end = match.groups()
        choice = ["--table", name] if what == "keys" else ["--channels"]
        if kind:
            choice += ["--kind", kind]
        done = subprocess.run([program, "schema", "--format", "markdown", *choice], capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(f"{begin.strip()}: {done.stderr}")
        return f"{begin}\n{done.stdout}\n{end}"

    for page in sorted(DOCS.rglob("*.md")):
        old = page.read_text(encoding="utf-8")
        new = MARKED.sub(table, old)
        if new != old:
            page.write_text(new, encoding="utf-8")
            print(page.relative_to(DOCS.parent))


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: Apache-2.0
"""Pages of the API: C++ from the comments of its headers, Python from the package."""

from __future__ import annotations

import csv
import html
import inspect
import sys
from pathlib import Path

from pages import render_comment, show_source

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
from header_comments import Entry, read_header  # noqa: E402

LAYERS = {
    "base": "Errors, status values, text",
    "math": "Rotations, charts, dual numbers, expressions, functions of time",
    "linalg": "Sparse matrices and linear solvers",
    "dae": "What an integrator sees",
    "nonlinear": "Convergence of Newton's iteration",
    "integrators": "Methods in time",
    "mechanics": "The model and its equations",
    "formulations": "From mechanics to equations that integrators solve",
    "simulation": "Running, recording, summing up",
    "io": "Files in and out",
}
Made = tuple[str, str, list[tuple[str, str]]]  # title, page, headings


def _show(entry: Entry, anchor: str) -> str:
    parts = [f'<section class="entry" id="{anchor}">{show_source(entry.declaration, "cpp")}']
    if entry.comment:
        parts.append(render_comment(entry.comment))
    if entry.kind == "enum" or (entry.members and all(m.kind == "variable" for m in entry.members)):
        rows = []
        for member in entry.members:
            what = member.name if entry.kind == "enum" else member.declaration.rstrip(";")
            rows.append(f"<tr><td><code>{html.escape(what)}</code></td><td>{render_comment(member.comment)}</td></tr>")
        parts.append(f'<div class="table"><table>{"".join(rows)}</table></div>')
    else:
        parts.append(_show_all(entry.members, anchor))
    parts.append("</section>")
    return "".join(parts)


def _show_all(entries: list[Entry], anchor: str) -> str:
    """The entries one by one; those that explain themselves together."""
    parts, plain = [], []

    def flush() -> None:
        if plain:
            parts.append(f'<section class="entry">{show_source(chr(10).join(plain), "cpp")}</section>')
            plain.clear()

    for i, entry in enumerate(entries):
        if entry.comment or entry.members:
            flush()
            parts.append(_show(entry, f"{anchor}-{entry.name}-{i}"))
        elif entry.declaration not in plain:
            plain.append(entry.declaration)
    flush()
    return "".join(parts)


def cpp_pages(root: Path) -> list[tuple[str, str, str, list[tuple[str, str]]]]:
    """One page per layer: (name, title, page, headings)."""
    include = root / "include/trammel"
    folders = sorted(p.name for p in include.iterdir() if p.is_dir())
    made = []
    for layer in [name for name in LAYERS if name in folders] + [name for name in folders if name not in LAYERS]:
        about = LAYERS.get(layer, "")
        body = [f"<h1>C++: {layer}</h1><p>{about}. Everything is in <code>namespace trammel</code>.</p>"]
        headings = []
        for path in sorted((include / layer).rglob("*.h")):
            name = path.relative_to(include.parent).as_posix()
            header = read_header(path)
            anchor = path.relative_to(include / layer).as_posix().replace("/", "-").replace(".h", "")
            headings.append((anchor, path.relative_to(include / layer).as_posix()))
            body.append(f'<h2 id="{anchor}">{name}</h2>')
            if header.comment:
                body.append(render_comment(header.comment))
            body.append(_show_all(header.entries, anchor))
        made.append((layer, f"C++: {layer}", "".join(body), headings))
    return made


def _signature(thing: object, name: str) -> str:
    try:
        return name + str(inspect.signature(thing)).replace("'", "")  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return name


def _python_entry(name: str, thing: object, anchor: str, level: int) -> str:
    text = inspect.getdoc(thing) or ""
    if isinstance(thing, property) or inspect.isdatadescriptor(thing):
        head = name
    elif inspect.isclass(thing):
        head = f"class {_signature(thing, name) if '__init__' in vars(thing) else name}"
    else:
        head = f"def {_signature(thing, name)}"
    parts = [f'<section class="entry" id="{anchor}">{show_source(head, "python")}{render_comment(text)}']
    if inspect.isclass(thing) and level == 0:
        for member, value in vars(thing).items():
            if member.startswith("_") or not (callable(value) or inspect.isdatadescriptor(value)):
                continue
            parts.append(_python_entry(member, value, f"{anchor}-{member}", 1))
    parts.append("</section>")
    return "".join(parts)


def python_page() -> Made:
    import trammel

    body = ["<h1>Python: the package trammel</h1>", render_comment(inspect.getdoc(trammel) or "")]
    headings = []
    for name in [name for name in trammel.__all__ if not name.startswith("__")]:
        headings.append((name, name))
        body.append(f'<h2 id="{name}">{name}</h2>')
        body.append(_python_entry(name, getattr(trammel, name), f"api-{name}", 0))
    return "Python: trammel", "".join(body), headings


def show_table(path: Path, most: int = 60) -> str:
    """A table of numbers; of a long one the first rows, all of it behind the link."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(line for line in file if not line.startswith("#")))
    if not rows:
        return ""
    head = "".join(f"<th>{html.escape(cell)}</th>" for cell in rows[0])
    body = "".join(
        "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>" for row in rows[1 : most + 1]
    )
    more = f"<p>… {len(rows) - 1 - most} more rows in the file.</p>" if len(rows) - 1 > most else ""
    return (
        f'<h3><a href="{path.name}">{path.name}</a></h3>'
        f'<div class="table"><table><tr>{head}</tr>{body}</table></div>{more}'
    )

# SPDX-License-Identifier: Apache-2.0
"""Writes values as TOML; every number reads back as the same double."""

from __future__ import annotations

import json
import math
import re
from typing import Any, Mapping

_BARE = re.compile(r"[A-Za-z0-9_-]+\Z")


def key(name: str) -> str:
    return name if _BARE.match(name) else json.dumps(name, ensure_ascii=False)


def value(x: Any) -> str:
    """The value as TOML on one line; TypeError if it is nothing that a model file can hold."""
    if hasattr(x, "tolist"):  # arrays and scalars of NumPy
        x = x.tolist()
    if isinstance(x, bool):
        return "true" if x else "false"
    if isinstance(x, int):
        return str(x)
    if isinstance(x, float):
        if math.isnan(x):
            return "nan"
        return repr(x)  # also inf and -inf
    if isinstance(x, str):
        # JSON escapes what TOML must have escaped, but for DEL.
        return json.dumps(x, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(x, Mapping):
        return "{ " + ", ".join(f"{key(str(k))} = {value(v)}" for k, v in x.items() if v is not None) + " }"
    if isinstance(x, (list, tuple, range)):
        return "[" + ", ".join(map(value, x)) + "]"
    raise TypeError(f"{type(x).__name__} {x!r} has no place in a model")

# SPDX-License-Identifier: Apache-2.0
"""How a run ended and what it cost, as numbers."""

from __future__ import annotations

from typing import Any, Iterator, Mapping

from trammel import _core

_FIELDS = [name for name, value in vars(_core.Summary).items() if isinstance(value, property)]


class Statistics(Mapping[str, Any]):
    """How a run ended and what it cost: `statistics["steps"]`, `statistics.steps`, `dict(statistics)`.

    Of a run of this session every field of `Summary`; of a file what it recorded.
    """

    def __init__(self, values: Mapping[str, Any], text: str = ""):
        self._values = dict(values)
        self._text = text

    @classmethod
    def of_run(cls, summary: _core.Summary) -> "Statistics":
        return cls({name: getattr(summary, name) for name in _FIELDS}, str(summary))

    @classmethod
    def of_file(cls, recorded: Mapping[str, Any]) -> "Statistics":
        return cls(recorded)

    def __getitem__(self, name: str) -> Any:
        return self._values[name]

    def __getattr__(self, name: str) -> Any:
        try:
            return self.__dict__["_values"][name]
        except KeyError:
            raise AttributeError(f"the statistics have no '{name}'; they have {', '.join(self._values)}") from None

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._values]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __str__(self) -> str:
        return self._text or "\n".join(f"{name}: {value}" for name, value in self._values.items())

    def __repr__(self) -> str:
        return f"Statistics({self._values!r})"

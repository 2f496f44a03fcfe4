# SPDX-License-Identifier: Apache-2.0
"""Derivatives of what a run gives by what its model is made of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Mapping, NamedTuple, Optional, Sequence, Union

from trammel import _core
from trammel.errors import InputError, SimulationError
from trammel.model import Model, load
from trammel.results import Results

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from trammel.model import PathLike, Settings

    Array = NDArray[np.float64]
    Outputs = Union[str, Sequence[str], Callable[[Results], Any]]


class Gradient(NamedTuple):
    """Outputs of a run, and their derivatives by parameters."""

    values: "Array"
    """The outputs, as the run with the parameters as they are gives them."""
    derivatives: "Array"
    """[…, parameter]: of each output by each parameter."""
    results: Results
    """Of that run."""


_APART = "no step to repeat"
"""The end of a run whose motion is too far from the one that it repeats."""


def _key(name: str) -> str:
    """Names with a dot are keys of the model file: "body.rod.mass"."""
    return name if "." in name else f"parameters.{name}"


def _point(model: Model, parameters: Union[Mapping[str, float], Sequence[str]], settings: Any) -> dict[str, float]:
    if isinstance(parameters, Mapping):
        return {str(name): float(value) for name, value in parameters.items()}
    known = model._study(settings).parameters
    names = [parameters] if isinstance(parameters, str) else list(parameters)
    for name in names:
        if name not in known:
            raise InputError(
                [_core.Issue("gradient", f"the model has no parameter '{name}': it has {', '.join(known) or 'none'}. "
                             f"With a value, {{'body.rod.mass': 2}}, it may be any number of the model")]
            )
    return {name: known[name] for name in names}


def _reader(outputs: "Outputs", frames: str) -> Callable[[Results], "Array"]:
    import numpy as np

    if frames not in ("last", "all"):
        raise InputError([_core.Issue("gradient", f"frames = {frames!r}: 'last' or 'all'")])
    if not isinstance(outputs, str) and callable(outputs):
        call: Callable[[Results], Any] = outputs
        return lambda results: np.asarray(call(results), dtype=np.float64)
    names = [outputs] if isinstance(outputs, str) else list(outputs)

    def read(results: Results) -> "Array":
        columns = [np.asarray(results[name], dtype=np.float64) for name in names]
        taken = [column if frames == "all" else np.asarray(column[-1], dtype=np.float64) for column in columns]
        return taken[0] if isinstance(outputs, str) else np.array(taken, dtype=np.float64)

    return read


def gradient(
    model: Union[Model, "PathLike"],
    parameters: Union[Mapping[str, float], Sequence[str]],
    outputs: "Outputs",
    *,
    step: float = 1e-5,
    frames: str = "last",
    settings: Optional["Settings"] = None,
) -> Gradient:
    """Derivatives of outputs of a run by parameters of its model.

    The model is run once; then twice for each parameter, with a value that is larger and smaller by `step` of it (of 1
    if it is 0), repeating the steps of the first run (`Model.run(steps_of=…)`), and their central difference is taken.
    So the derivatives are those of what the run gives, smooth to rounding, however loose its tolerance is. Where a
    contact or a stop falls into another step with such a difference a tenth of it is taken, and a hundredth, and at last
    the difference from one side.

    `parameters`: names of [parameters], at the values that the model has; or {name: value}, in which names with a dot
    are keys of the model file, {"body.rod.mass": 2}. `outputs`: a channel or measure or several, in the last frame or
    in all of them (`frames="all"`); or a function of the `Results` that gives a number or an array.
    """
    import numpy as np

    made = model if isinstance(model, Model) else load(model)
    point = _point(made, parameters, settings)
    read = _reader(outputs, frames)
    if not 0.0 < step < 1.0:
        raise InputError([_core.Issue("gradient", f"step = {step}: a part of each parameter, between 0 and 1")])

    def run(changed: Mapping[str, float], steps_of: Optional[Results]) -> Results:
        words = [f"{_key(name)}={value!r}" for name, value in changed.items()]
        if isinstance(settings, Mapping):
            from trammel.model import _setting

            words = [_setting(name, value) for name, value in settings.items()] + words
        else:
            words = list(settings or []) + words
        return made.run(settings=words, steps_of=steps_of)

    results = run(point, None)
    values = read(results)

    def repeat(name: str, value: float) -> Optional["Array"]:
        """None: a contact or a stop falls into another step than in the first run."""
        try:
            return read(run({**point, name: value}, results))
        except SimulationError as error:
            if error.results is None or not error.results.summary.get("stop", "").endswith(_APART):
                raise
            refusals.append(error)
            return None

    def differentiate(name: str, value: float) -> "Array":
        for delta in (smaller * step * (abs(value) or 1.0) for smaller in (1.0, 0.1, 0.01)):
            sides = [(x, repeat(name, x)) for x in (value + delta, value - delta)]
            if all(found is not None for _, found in sides):
                break
        else:  # the point itself instead of the side that does not go
            sides = [side for side in sides if side[1] is not None] + [(value, repeat(name, value))]
        (x, more), (y, less) = sides[:2] if len(sides) > 1 else [(value, None)] * 2
        if more is None or less is None:
            raise refusals[-1]
        for found in (more, less):
            if found.shape != values.shape:
                raise InputError([_core.Issue("gradient", f"the outputs are {found.shape} numbers with another '{name}', "
                                              f"and {values.shape} without")])
        return np.asarray((more - less) / (x - y), dtype=np.float64)

    refusals: list[SimulationError] = []
    columns = [differentiate(name, value) for name, value in point.items()]
    return Gradient(values, np.stack(columns, axis=-1), results)

# SPDX-License-Identifier: Apache-2.0
"""A machine that a script drives: inputs in, a step, what it does out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterator, Mapping, NamedTuple, Optional, Sequence, Union

from trammel import _core
from trammel.model import Model, load

if TYPE_CHECKING:
    import numpy as np

    from trammel.model import PathLike, Settings

    Inputs = Union[Mapping[str, float], Sequence[float], "np.ndarray[Any, Any]"]


class LiveEvent(NamedTuple):
    """An event of the model that a step met; `stops`: the step ended there."""

    name: str
    t: float
    rising: bool
    stops: bool


class Values(Mapping[str, Any]):
    """Numbers of channels at one instant, by name: `values["rod.position"]`, `values["rod.position.x"]`."""

    def __init__(self, live: _core.Live, outputs: bool):
        self._live = live
        self._outputs = outputs
        self._row = live.row(outputs)
        self._names: Optional[dict[str, tuple[int, int]]] = None

    def _places(self) -> dict[str, tuple[int, int]]:
        if self._names is None:
            self._names = {name: (first, n) for name, first, n in self._live.places(self._outputs)}
        return self._names

    def __getitem__(self, name: str) -> Any:
        first, n = self._live.find(name, self._outputs)
        return float(self._row[first]) if n == 1 else self._row[first : first + n]

    def __iter__(self) -> Iterator[str]:
        return iter(self._places())

    def __len__(self) -> int:
        return len(self._places())

    def __repr__(self) -> str:
        return f"<trammel.Values: {len(self)} channels>"


class Simulation:
    """A machine that is driven from outside, one step after the other.

        arm = trammel.Simulation(model)
        for k in range(1000):
            angle, rate = arm.read("elbow.angle", "elbow.angle_rate")
            arm.step(1e-3, {"torque": -20 * angle - 2 * rate})

    `inputs` are the model's [[input]]s. It is moved by the method and the steps of a run. The same calls give the same
    bits, and `step_to(end)` those of `model.run()`. Wrong use raises InputError and changes nothing; a motion that
    cannot go on raises SimulationError, after which `reset` or `set_state` begin anew.
    """

    def __init__(self, model: Union[Model, "PathLike"], *, settings: Optional["Settings"] = None):
        made = model if isinstance(model, Model) else load(model)
        self._take(_core.Live(made._study(settings), list(made._laws.values()), list(made._forces.values())))

    def _take(self, live: _core.Live) -> None:
        self._live = live
        self._plans: dict[tuple[str, ...], _core.Plan] = {}

    @property
    def time(self) -> float:
        """Where it is [s]."""
        return self._live.time

    @property
    def steps(self) -> int:
        """Steps of the method since the start or the last `reset`."""
        return self._live.steps

    @property
    def failure(self) -> str:
        """Why it cannot go on; empty: it can."""
        return self._live.failure

    # ---- inputs

    @property
    def input_names(self) -> list[str]:
        """The model's inputs, in order."""
        return self._live.input_names

    @property
    def inputs(self) -> dict[str, float]:
        """What the inputs are set to."""
        return dict(zip(self._live.input_names, self._live.inputs))

    def set_inputs(self, inputs: "Inputs") -> None:
        """New values, some by name or all of them in order: from now on, or arrived at when the next step ends."""
        if isinstance(inputs, Mapping):
            for name, value in inputs.items():
                self._live.set_input(name, value)
        else:
            self._live.set_inputs(inputs)

    # ---- moving

    def step(self, dt: float, inputs: Optional["Inputs"] = None) -> list[LiveEvent]:
        """Moves on by dt > 0 seconds, with these inputs; returns the events that were met."""
        if inputs is not None:
            self.set_inputs(inputs)
        events = self._live.step(dt)
        return [LiveEvent(*event) for event in events] if events else events

    def step_to(self, t: float, inputs: Optional["Inputs"] = None) -> list[LiveEvent]:
        """The same until the time t."""
        if inputs is not None:
            self.set_inputs(inputs)
        return [LiveEvent(*event) for event in self._live.step_to(t)]

    # ---- looking

    def read(self, *names: str) -> "np.ndarray[Any, Any]":
        """The numbers of these channels, one after the other. Positions, velocities and states cost little; the first
        channel that is none of them costs a whole frame, with its reactions and energies."""
        plan = self._plans.get(names)
        if plan is None:
            plan = self._plans[names] = self._live.make_plan(list(names))
        return self._live.read(plan)

    @property
    def state(self) -> Values:
        """Where the machine is: positions, orientations, velocities of bodies, coordinates of joints, states of
        controls. `set_state` takes them back."""
        return Values(self._live, False)

    @property
    def outputs(self) -> Values:
        """Every channel that a run records, at this instant."""
        return Values(self._live, True)

    # ---- elsewhere

    def set_state(
        self, values: Mapping[str, Any], *, strict: bool = False, t: Optional[float] = None
    ) -> list[str]:
        """Puts the machine elsewhere: {"elbow.angle": 0.3, "base.position": [0, 0, 1], "pid.integral": 0}.

        What is not named keeps its joint coordinates. Values that contradict joints are corrected, and what was
        corrected is returned, one line each; with `strict` they are refused and nothing changes.
        """
        import numpy as np  # when it is needed: it takes longer than all of trammel

        named = [(name, np.atleast_1d(np.asarray(value, dtype=float)).tolist()) for name, value in values.items()]
        return self._live.set_state(named, strict, t)

    def reset(self) -> None:
        """As at the beginning, inputs included."""
        self._live.reset()

    def copy(self) -> "Simulation":
        """Another one that goes on from here on its own, with the same bits."""
        made = object.__new__(type(self))
        made._take(self._live.copy())
        return made

    def __repr__(self) -> str:
        return f"<trammel.Simulation at t = {self.time:g} s, {self.steps} steps>"

# SPDX-License-Identifier: Apache-2.0
"""The equations of a machine as functions of arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Mapping, NamedTuple, Optional, Union

from trammel import _core
from trammel.model import Model, load

if TYPE_CHECKING:
    import numpy as np

    from trammel.model import PathLike, Settings

    Array = np.ndarray[Any, np.dtype[np.float64]]


class Accelerations(NamedTuple):
    """What forward dynamics finds: accelerations and multipliers."""

    a: "Array"
    lam: "Array"


class Constraints(NamedTuple):
    """Rows Φ, Φ̇, the part γ of Φ̈ = G a + γ, and G."""

    phi: "Array"
    phi_dot: "Array"
    gamma: "Array"
    G: "Array"


class FrameMotion(NamedTuple):
    """Position, orientation, Jacobian (3 linear, 3 angular; world axes) and its rate."""

    p: "Array"
    R: "Array"
    J: "Array"
    J_rate: "Array"


class Momentum(NamedTuple):
    """Of the whole machine; `angular` about the centre of mass."""

    mass: "Array"
    center: "Array"
    velocity: "Array"
    linear: "Array"
    angular: "Array"


class InverseDerivatives(NamedTuple):
    """Of inverse dynamics."""

    by_q: "Array"
    by_v: "Array"
    by_a: "Array"
    by_lam: "Array"


class ForwardDerivatives(NamedTuple):
    """Of forward dynamics."""

    a_by_q: "Array"
    a_by_v: "Array"
    a_by_tau: "Array"
    lam_by_q: "Array"
    lam_by_v: "Array"
    lam_by_tau: "Array"


class MachineFunctions:
    """M(q) a + h(q, v) + G(q)ᵀ λ = τ as functions of arrays, one state [number] or many [state, number].

        arm = trammel.MachineFunctions(model, coordinates="joint")
        arm.forward_dynamics(q, v, tau).a

    h holds everything that the model says: gravity, springs, controls. What is left out (v, a, tau, lam) is zero.
    Rotations in space are three numbers relative to the start, v holds angular velocities in body axes.
    """

    def __init__(
        self,
        model: Union[Model, "PathLike"],
        *,
        coordinates: Optional[str] = None,
        settings: Optional["Settings"] = None,
    ):
        made = model if isinstance(model, Model) else load(model)
        chosen = [] if coordinates is None else [("solver.coordinates", coordinates)]
        given: "Settings"
        if isinstance(settings, Mapping):
            given = {**settings, **dict(chosen)}
        else:
            given = [*(settings or []), *(f"{key}={value}" for key, value in chosen)]
        self._core = _core.Functions(made._study(given), list(made._laws.values()), list(made._forces.values()))

    @property
    def nv(self) -> int:
        """The number of coordinates."""
        return self._core.nv

    @property
    def nc(self) -> int:
        """The number of rows of constraints."""
        return self._core.nc

    @property
    def coordinate_names(self) -> list[str]:
        """What each coordinate is: "elbow.angle", "rod.x"."""
        return self._core.coordinate_names

    @property
    def row_names(self) -> list[str]:
        """What each row of constraints is."""
        return self._core.row_names

    @property
    def q(self) -> "Array":
        """Consistent positions, at the start."""
        return self._core.q

    @property
    def v(self) -> "Array":
        """Consistent velocities, at the start."""
        return self._core.v

    def set_time(self, t: float) -> None:
        """The time of everything that follows [s]."""
        self._core.set_time(t)

    def set_inputs(self, **values: float) -> None:
        """Values of the model's inputs for everything that follows."""
        for name, value in values.items():
            self._core.set_input(name, value)

    def mass_matrix(self, q: Any) -> "Array":
        """M(q)."""
        result: "Array" = self._core.mass_matrix(q)[0]
        return result

    def bias(self, q: Any, v: Any = None) -> "Array":
        """h(q, v): what τ must be for no accelerations."""
        result: "Array" = self._core.bias(q, v)[0]
        return result

    def inverse_dynamics(self, q: Any, v: Any = None, a: Any = None, lam: Any = None) -> "Array":
        """τ = M a + h + Gᵀ λ."""
        result: "Array" = self._core.inverse_dynamics(q, v, a, lam)[0]
        return result

    def forward_dynamics(self, q: Any, v: Any = None, tau: Any = None) -> Accelerations:
        """a and λ; of a tree in joint coordinates by articulated bodies."""
        return Accelerations(*self._core.forward_dynamics(q, v, tau))

    def constraints(self, q: Any, v: Any = None) -> Constraints:
        """Φ, Φ̇, γ and G, of rows that the coordinates do not fulfil by themselves."""
        return Constraints(*self._core.constraints(q, v))

    def frame(self, name: str, q: Any, v: Any = None) -> FrameMotion:
        """Of a body or a frame: where it is, its Jacobian and the rate of that."""
        return FrameMotion(*self._core.frame(name, q, v))

    def momentum(self, q: Any, v: Any = None) -> Momentum:
        """Mass, centre of mass, its velocity, momentum and moment of momentum."""
        return Momentum(*self._core.momentum(q, v))

    def inverse_derivatives(self, q: Any, v: Any = None, a: Any = None, lam: Any = None) -> InverseDerivatives:
        """∂τ/∂(q, v, a, λ)."""
        return InverseDerivatives(*self._core.inverse_derivatives(q, v, a, lam))

    def forward_derivatives(self, q: Any, v: Any = None, tau: Any = None) -> ForwardDerivatives:
        """∂(a, λ)/∂(q, v, τ)."""
        return ForwardDerivatives(*self._core.forward_derivatives(q, v, tau))

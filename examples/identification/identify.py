# SPDX-License-Identifier: Apache-2.0
"""Finds length and mass of a swinging rod from its measured angle."""

from pathlib import Path

import numpy as np
from scipy.optimize import least_squares

import trammel

TRUE = {"L": 1.0, "m": 1.0}
START = {"L": 0.9, "m": 1.3}


def measure(model: trammel.Model, noise: float) -> np.ndarray:
    """What a sensor would give: the angle of the rod as it is, with noise."""
    angle = model.run(settings={f"parameters.{name}": value for name, value in TRUE.items()})["angle"]
    return angle + noise * np.random.default_rng(1).standard_normal(len(angle))


def identify(model: trammel.Model, start: dict[str, float], channel: str, data: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The parameters that fit the data best, and their standard errors."""
    first = np.array(list(start.values()))
    known: dict[tuple[float, ...], trammel.Gradient] = {}

    def look(x: np.ndarray) -> trammel.Gradient:
        at = tuple(map(float, x * first))
        if at not in known:
            known[at] = trammel.gradient(model, dict(zip(start, at)), channel, frames="all")
        return known[at]

    # Factors of the first guess and parts of the data's size: SciPy's tolerances know neither metres nor newtons.
    size = np.abs(data).max()
    found = least_squares(
        lambda x: (look(x).values - data) / size,
        np.ones(len(first)),
        jac=lambda x: look(x).derivatives * first / size,
        x_scale="jac",
    )
    variance = 2.0 * found.cost / max(len(data) - len(first), 1)
    errors = np.sqrt(variance * np.diag(np.linalg.inv(found.jac.T @ found.jac)))
    return found.x * first, errors * first


if __name__ == "__main__":
    model = trammel.load(Path(__file__).with_name("swing.toml"))
    for noise in [0.0, 0.01]:
        values, errors = identify(model, START, "angle", measure(model, noise))
        print(f"noise {noise} rad:", ", ".join(f"{n} = {x:.5f} ± {e:.5f}" for n, x, e in zip(START, values, errors)))

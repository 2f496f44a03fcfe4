# SPDX-License-Identifier: Apache-2.0
"""Chooses spring and damper of a quarter car for comfort, with a wheel that stays on the road."""

from pathlib import Path

import numpy as np
from scipy.optimize import minimize

import trammel

NAMES = ["k", "c"]
START = np.array([30000.0, 800.0])
WEIGHT = 2.0e-6  # of the wheel's load against the comfort [(m/s²)²/N²]


def discomfort(results: trammel.Results) -> float:
    """Mean squares over the run: of the car's acceleration, and of how much the load of the tyre changes."""
    acceleration = results["car.acceleration.z"]
    load = results["contact.applied_effort"]
    return float(np.mean(acceleration**2) + WEIGHT * np.mean((load - load[0]) ** 2))


def optimise(model: trammel.Model) -> tuple[np.ndarray, float, float]:
    """The best parameters, and the discomfort before and with them."""

    def look(x: np.ndarray) -> tuple[float, np.ndarray]:
        found = trammel.gradient(model, dict(zip(NAMES, x * START)), discomfort)
        return float(found.values), found.derivatives * START  # by parameters of the size of 1

    before = look(np.ones(2))[0]
    best = minimize(look, np.ones(2), jac=True, method="L-BFGS-B", bounds=[(0.3, 3), (0.3, 6)])
    return best.x * START, before, float(best.fun)


if __name__ == "__main__":
    model = trammel.load(Path(__file__).with_name("quarter_car.toml"))
    (k, c), before, after = optimise(model)
    print(f"k = {k:.0f} N/m, c = {c:.0f} N s/m: discomfort {before:.4f} -> {after:.4f}")

# SPDX-License-Identifier: Apache-2.0
"""A carriage changes the line through a crossover: carriage.toml in Python, with the same parts."""

from pathlib import Path

import trammel

V = 25  # [m/s]
R = 1200  # [m]

model = trammel.Model("Railway carriage, line change", folder=Path(__file__).parent)
model.add(
    "track",
    "line",
    kind="ramps",
    **{"from": -20},  # a word of Python
    to=420,
    positions=[50.0, 114.8, 124.1, 188.9],
    changes=[1 / R, -1 / R, -1 / R, 1 / R],
    ramp=4,
)
model.include("parts/vehicle.toml", parameters={"V": V})
model.include("parts/wheels_s1002.toml", parameters={"V": V})
model.include("parts/measures.toml")
model.analysis(end=15)
model.solver(coordinates="joint", integrator="bdf", rtol=1e-4, atol=1e-4)

if __name__ == "__main__":
    results = model.run()
    print(results)
    results.report("carriage.html")

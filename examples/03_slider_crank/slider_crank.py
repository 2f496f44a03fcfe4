# SPDX-License-Identifier: Apache-2.0
"""A crank is driven with a smooth start and moves a slider: slider_crank.toml in Python."""

from math import pi

import trammel

r = 0.15  # crank [m]
l = 0.45  # rod [m]

# What formulas use must have a name in the model; the rest are numbers of Python.
model = trammel.Model("Slider crank", gravity=[0, 0, -9.81], parameters={"r": r, "l": l, "tau": 0.2})
model.parameters(speed=2 * pi * 2)  # two turns per second [rad/s]

model.body("crank", shape={"kind": "box", "size": [r, 0.02, 0.04], "density": 7800}, position=[r / 2, 0, 0])
model.body(
    "rod",
    shape={"kind": "cylinder", "radius": 0.01, "length": l, "axis": "x", "density": 7800},
    position=[r + l / 2, 0, 0],
)
model.body("slider", shape={"kind": "box", "size": [0.08, 0.05, 0.05], "density": 7800}, position=[r + l, 0, 0])

model.joint("bearing", kind="revolute", bodies=["ground", "crank"], point=[0, 0, 0], axis="-y")
model.joint("crank_pin", kind="spherical", bodies=["crank", "rod"], point=[r, 0, 0])
model.joint("wrist_pin", kind="universal", bodies=["slider", "rod"], point=[r + l, 0, 0], axis="y", axis_b="z")
model.joint("guide", kind="prismatic", bodies=["ground", "slider"], point=[r + l, 0, 0], axis="x")
model.motion("drive", joint="bearing", function="speed*(t - tau*tanh(t/tau))")

model.measure("stroke", "slider.x - (l - r)", unit="m")
model.measure("driving_torque", "drive.effort", unit="N m")
model.analysis(end=2)
model.solver(h=5e-4)

if __name__ == "__main__":
    results = model.run()
    print(results)
    results.report("slider_crank.html")

# SPDX-License-Identifier: Apache-2.0
"""Two rods, one hanging from the other: double_pendulum.toml in Python."""

import trammel

L1, L2 = 1.0, 0.7  # [m]

model = trammel.Model("Double pendulum", gravity=[0, 0, -9.81])
model.body(
    "upper",
    shape={"kind": "box", "size": [L1, 0.05, 0.05], "density": 2700},
    position=[L1 / 2, 0, 0],
)
model.body(
    "lower",
    shape={"kind": "box", "size": [L2, 0.04, 0.04], "density": 2700},
    position=[L1 + L2 / 2, 0, 0],
)
model.joint("shoulder", kind="revolute", bodies=["ground", "upper"], point=[0, 0, 0], axis="y")
model.joint("elbow", kind="revolute", bodies=["upper", "lower"], point=[L1, 0, 0], axis="y")
model.measure("tip", kind="point", body="lower", point=[L1 + L2, 0, 0])
model.analysis(end=5)
model.solver(rtol=1e-7, atol=1e-8)  # no h: the step follows the error

if __name__ == "__main__":
    results = model.run()
    print(results)
    results.report("double_pendulum.html")

# SPDX-License-Identifier: Apache-2.0
"""A mass on a massless rod swings from the horizontal: pendulum.toml in Python."""

import trammel

L = 1  # length [m]
m = 1  # mass [kg]

model = trammel.Model("Pendulum", gravity=[0, 0, -9.81])
model.body("bob", kind="particle", mass=m, position=[L, 0, 0])
model.joint("rod", kind="distance", bodies=["ground", "bob"], point=[0, 0, 0], point_b=[L, 0, 0])
model.measure("angle", "atan2(bob.x, -bob.z)", unit="rad")  # from the vertical
model.measure("tension", "rod.force", unit="N")  # magnitude of the joint's reaction
model.analysis(end=10)
model.solver(h=1e-3)

if __name__ == "__main__":
    results = model.run()
    print(results)
    results.report("pendulum.html")

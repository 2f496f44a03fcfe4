# SPDX-License-Identifier: Apache-2.0
"""A unit mass on the unit circle with a stiff spring: stiff_spring.toml in Python."""

import trammel

eps = 1e-4

model = trammel.Model("Mass on a circle with a stiff spring", gravity=[0, -1, 0])
model.body("mass", kind="planar", mass=1, inertia=1, position=[0.04471, -0.999, 0])
model.joint(
    "circle",
    kind="distance",
    bodies=["ground", "mass"],
    point=[0, 0, 0],
    point_b=[0.04471, -0.999, 0],
    length=1,
    squared=True,
)
model.force(
    "spring",
    kind="spring_damper",
    point_a={"body": "ground", "at": [0, -0.5, 0]},
    point_b={"body": "mass", "at": [0, 0, 0]},
    stiffness=1 / eps**2,
    free_length=0.4,
)
model.analysis(end=0.05)
model.solver(
    integrator="bdf",
    formulation="coordinate_split",
    error_set="independent_positions",
    untested=["mass.angle"],
    preset="dassl",
    max_order=2,
    h0=1e-6,
    rtol=1e-3,
    atol=1e-3,
)
model.output(every_step=True)

if __name__ == "__main__":
    results = model.run()
    print(results)
    results.report("stiff_spring.html")

# SPDX-License-Identifier: Apache-2.0
"""Two bodies with a stiff bushing: bushing.toml in Python."""

import trammel

eps = 1e-3  # stiffness 1/eps [N/m]
c = 10  # damping [N s/m]

model = trammel.Model("Two bodies with a stiff bushing", gravity=[0, 0, 0])
model.body("first", kind="planar", mass=1, inertia=1)
model.body(
    "second",
    kind="planar",
    mass=1,
    inertia=1,
    position=[0.99989, -1.4852e-2, 0],
    velocity=[-6.75e-5, -4.5444e-3, 0],
)
model.joint("held", kind="fixed", bodies=["ground", "first"])
model.joint(
    "link",
    kind="distance",
    point={"body": "first", "at": [0, 0, 0]},
    point_b={"body": "second", "at": [0, 0, 0]},
    bodies=["first", "second"],
    length=1,
    squared=True,
)
model.joint("upright", kind="constant_orientation", bodies=["ground", "second"])
model.force(
    "bushing",
    kind="planar_bushing",
    bodies=["first", "second"],
    point_a={"body": "first", "at": [0.5, 0, 0]},
    point_b={"body": "second", "at": [-0.5, 0, 0]},
    K=[1 / eps, 1 / eps, 1 / eps],
    C=[c, c, c],
)
model.analysis(end=1)
model.solver(
    integrator="bdf",
    formulation="coordinate_split",
    error_set="independent",
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
    results.report("bushing.html")

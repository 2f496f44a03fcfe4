# SPDX-License-Identifier: Apache-2.0
"""A rear axle on a test rig, one wheel on a moving stamp: axle_rig.toml in Python."""

from math import sqrt

import trammel

h = 0.3301  # wheel centres above the road
preload = 1410.55  # of each bushing, upwards [N]

# What formulas use must have a name in the model.
model = trammel.Model("Rear axle on a stamp")
model.parameters(amplitude=0.04, frequency=1.5, k=95e3, c=6.5e3, F0=6280.03, strut=sqrt(0.04**2 + 0.1**2 + 0.5**2))

model.body("subframe", mass=32, inertia=[2.6, 0.9, 3.2], position=[0, 0, 0.30])
model.body("stamp", mass=10, inertia=[1, 1, 1], position=[0, 0.7979, 0])
model.add("geometry", body="stamp", kind="cylinder", radius=0.2, length=0.1, position=[0, 0, -0.05])
model.joint("stamp_guide", kind="prismatic", bodies=["ground", "stamp"], axis="z")
model.motion(
    "stamp_drive", joint="stamp_guide", function="amplitude*step(t, 0, 0, 0.5, 1)*sin(2*pi*frequency*t)"
)

# Bushings at (±0.30, ±0.40, -0.05) from the subframe's centre, with a vertical force that carries the axle.
for i in range(4):
    point = [0.30 if i < 2 else -0.30, 0.40 if i % 2 == 0 else -0.40, 0.25]
    model.force(
        f"bushing_{i}",
        kind="bushing",
        bodies=["ground", "subframe"],
        point=point,
        K=[2.0e6, 2.0e6, 3.0e6, 0, 0, 0],
        C=[1.5e3, 1.5e3, 2.0e3, 0, 0, 0],
    )
    model.force(f"preload_{i}", kind="force", body="subframe", point=point, force=[0, 0, preload])

for i in range(2):
    side = 1 - 2 * i  # 0: left, 1: right
    lower, upper, upright = f"lower_arm_{i}", f"upper_arm_{i}", f"upright_{i}"
    model.body(lower, mass=5, inertia=[0.05, 0.06, 0.10], position=[0.0048, 0.6112 * side, h - 0.1733])
    model.body(upper, mass=2.5, inertia=[0.015, 0.010, 0.020], position=[-0.1083, 0.5972 * side, h + 0.2262])
    # The wheel of 22 kg does not turn: it is part of the upright, about the common centre of mass.
    model.body(
        upright,
        mass=35,
        inertia=[
            0.72 + 13 * 22 / 35 * 0.0329**2,
            1.24 + 13 * 22 / 35 * 0.01**2,
            0.70 + 13 * 22 / 35 * (0.01**2 + 0.0329**2),
            -13 * 22 / 35 * 0.01 * 0.0329 * side,
            0,
            0,
        ],
        position=[-13 / 35 * 0.010, (13 * 0.765 + 22 * 0.7979) / 35 * side, h],
    )
    model.add("geometry", body=upright, kind="cylinder", radius=0.33, inner_radius=0.2, length=0.2, axis="y")

    model.joint(
        f"lower_{i}",
        kind="revolute",
        bodies=["subframe", lower],
        point=[-0.20, 0.47 * side, h - 0.1451],
        axis=[0.4 * side, -0.05, -0.005 * side],
    )
    model.joint(
        f"lower_ball_{i}", kind="spherical", bodies=[lower, upright], point=[0, 0.77 * side, h - 0.2001]
    )
    model.joint(
        f"upper_{i}",
        kind="revolute",
        bodies=["subframe", upper],
        point=[-0.25, 0.51 * side, h + 0.2299],
        axis=[0.15 * side, -0.04, -0.005 * side],
    )
    model.joint(
        f"upper_ball_{i}",
        kind="spherical",
        bodies=[upper, upright],
        point=[-0.04, 0.695 * side, h + 0.2249],
        loop=True,
    )
    model.joint(
        f"rod_{i}",
        kind="distance",
        bodies=["subframe", upright],
        point=[-0.20, 0.42 * side, h + 0.03],
        point_b=[-0.15, 0.77 * side, h - 0.0001],
        loop=True,
    )
    model.force(
        f"strut_{i}",
        kind="spring_damper",
        bodies=["ground", lower],
        point_a=[-0.04, 0.52 * side, h + 0.3499],
        point_b=[0, 0.62 * side, h - 0.1501],
        law="F0 - k*(length - strut) - c*rate",
    )

model.force("bar", kind="anti_roll_bar", joints=["lower_0", "lower_1"], stiffness=150)
tyre = {
    "kind": "standing_tyre",
    "axis": "y",
    "stiffness": 2.8e5,
    "damping": 500,
    "free_radius": 0.344,
    "horizontal_stiffness": 1.5e5,
    "horizontal_damping": 600,
}
model.force("tyre_0", wheel="upright_0", road="stamp", center=[0, 0.7979, h], contact=[0, 0.7979, 0], **tyre)
model.force("tyre_1", wheel="upright_1", center=[0, -0.7979, h], contact=[0, -0.7979, 0], **tyre)

model.analysis(end=5)
model.output(interval=0.01)
model.solver(integrator="bdf", coordinates="joint", max_order=5, rtol=1e-4, atol=1e-5)

if __name__ == "__main__":
    results = model.run()
    print(results)
    results.report("axle_rig.html")

# SPDX-License-Identifier: Apache-2.0
"""A disc rolls on a circle and leans inwards, like a coin: rolling_disc.toml in Python."""

from math import cos, radians, sin, sqrt

import trammel

m = 2  # [kg]
r = 0.3  # radius of the disc [m]
b = 1.0  # radius of the circle on which its centre moves [m]
alpha = radians(70)  # angle between the axle and the vertical; 90 degrees is upright

# Steady rolling: the precession that balances gravity, centrifugal force and gyroscopic moment
precession = sqrt(9.81 * cos(alpha) / (sin(alpha) * (1.5 * b + 0.25 * r * cos(alpha))))
spin = -precession * (b / r + cos(alpha))

model = trammel.Model("Rolling disc", gravity=[0, 0, -9.81])
model.body(
    "disc",
    mass=m,
    inertia=[m * r**2 / 4, m * r**2 / 4, m * r**2 / 2],  # thin disc; its axle is the body's z axis
    position=[b, 0, r * sin(alpha)],
    axis_angle={"axis": "y", "angle": alpha},
    velocity=[0, b * precession, 0],
    angular_velocity_world=[spin * sin(alpha), 0, precession + spin * cos(alpha)],
)
model.joint(
    "contact",
    kind="rolling_disc",
    bodies=["ground", "disc"],
    point=[0, 0, 0],  # a point of the plane
    axis="z",  # its normal
    axis_b=[sin(alpha), 0, cos(alpha)],  # the axle, as drawn
    radius=r,
)
model.measure("distance_from_centre", "hypot(disc.x, disc.y)", unit="m")  # constant in steady rolling
model.analysis(end=10)
model.solver(h=2e-3)

if __name__ == "__main__":
    results = model.run()
    print(results)
    results.report("rolling_disc.html")

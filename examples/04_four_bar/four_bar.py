# SPDX-License-Identifier: Apache-2.0
"""A four-bar linkage of planar bodies: four_bar.toml in Python."""

from math import hypot, sqrt

import trammel

a, b, c, d = 0.2, 0.5, 0.4, 0.5  # crank, coupler, rocker, distance of the ground pivots [m]
w0 = 12  # start: crank speed [rad/s]
rho = 2  # mass per length [kg/m]

# Drawn with the crank upright: the pin between coupler and rocker is where two circles meet.
f = hypot(d, a)  # from the crank pin to the right pivot
g = (b**2 - c**2 + f**2) / (2 * f)  # along that line
k = sqrt(b**2 - g**2)  # and normal to it
px, pz = (g * d + k * a) / f, a + (-g * a + k * d) / f


def bar(name, length, position, **keys):
    """A thin bar in the x-z plane; with this normal angles count from x towards z."""
    model.body(
        name,
        kind="planar",
        normal="-y",
        mass=rho * length,
        inertia=rho * length**3 / 12,
        position=position,
        **keys,
    )


model = trammel.Model("Four-bar linkage", gravity=[0, 0, -9.81])
bar("crank", a, [0, 0, a / 2], velocity=[-w0 * a / 2, 0, 0], angular_velocity=w0, firm=["velocity"])
bar("coupler", b, [px / 2, 0, (a + pz) / 2])
bar("rocker", c, [(px + d) / 2, 0, pz / 2])

model.joint("A0", kind="revolute", bodies=["ground", "crank"], point=[0, 0, 0])
model.joint("A", kind="revolute", bodies=["crank", "coupler"], point=[0, 0, a])
model.joint("B", kind="revolute", bodies=["coupler", "rocker"], point=[px, 0, pz])
model.joint("B0", kind="revolute", bodies=["ground", "rocker"], point=[d, 0, 0])
model.force("return_spring", kind="joint_spring", joint="B0", stiffness=0.5, damping=0.02)
model.measure(
    "coupler_point",
    kind="point",
    body="coupler",
    point=[px / 2 - 0.1 * (pz - a) / b, 0, (a + pz) / 2 + 0.1 * px / b],
)
model.analysis(end=3)
model.solver(h=5e-4)

if __name__ == "__main__":
    results = model.run()
    print(results)
    results.report("four_bar.html")

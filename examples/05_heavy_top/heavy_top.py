# SPDX-License-Identifier: Apache-2.0
"""A fast top with its tip held: heavy_top.toml in Python."""

import trammel

m = 15  # [kg]
l = 1  # from the fixed point to the centre of mass [m]
spin = 150  # about the top's axis, the body's y axis [rad/s]
tilt = -4.61538  # about the body's z axis [rad/s]: makes the precession almost steady

model = trammel.Model("Heavy top", gravity=[0, 0, -9.81])
model.body(
    "top",
    mass=m,
    inertia=[0.234375, 0.46875, 0.234375],  # about the centre of mass, body axes [kg m^2]
    position=[0, l, 0],  # the top's axis is drawn horizontal
    angular_velocity=[0, spin, tilt],  # in body axes
    velocity=[-l * tilt, 0, 0],  # omega x r: consistent with the fixed tip
)
model.geometry(body="top", kind="cylinder", radius=0.25, length=0.03, axis="y", color="#c8512d")
model.geometry(body="top", kind="cone", radius=0.09, length=l, axis="-y", position=[0, -l / 2, 0], color="#d9a441")
model.geometry(body="top", kind="capsule", radius=0.025, length=0.22, axis="y", position=[0, 0.12, 0], color="#7a5230")
model.geometry(
    body="top",
    kind="extrusion",
    polygon=[[-0.24, -0.02], [0.24, -0.02], [0.24, 0.02], [-0.24, 0.02]],
    length=0.034,
    axis="y",
    color="#f4e3c1",
)
model.joint("tip", kind="spherical", bodies=["ground", "top"], point=[0, 0, 0])
model.measure("height", "top.z", unit="m")
model.measure("spin_rate", "top.wy", unit="rad/s")  # constant: the top is symmetric about y
model.analysis(end=2)
model.solver(h=1e-4)  # 150 rad/s: 420 steps per turn

if __name__ == "__main__":
    results = model.run()
    print(results)
    results.report("heavy_top.html")

# SPDX-License-Identifier: Apache-2.0
"""A slider crank whose joints are bushings: stiff_slider_crank.toml in Python."""

import trammel

r, l = 0.15, 0.45  # crank, rod [m]
k, c = 1e6, 200  # stiffness [N/m] and damping [N s/m] of a bushing
k_guide, c_guide = 1e4, 2  # of the guide against turning [N m/rad], [N m s/rad]
w0 = 20  # start: crank speed [rad/s]
torque = 2  # drives the crank [N m]
load = 8  # friction of the slider [N s/m]

model = trammel.Model("Stiff slider crank", gravity=[0, 0, -9.81])
planar = {"kind": "planar", "normal": "-y"}  # angles count from x towards z
model.body(
    "crank",
    **planar,
    mass=0.9,
    inertia=0.9 * r**2 / 12,
    position=[r / 2, 0, 0],
    velocity=[0, 0, w0 * r / 2],
    angular_velocity=w0,
)
model.body(
    "rod",
    **planar,
    mass=1.1,
    inertia=1.1 * l**2 / 12,
    position=[r + l / 2, 0, 0],
    velocity=[0, 0, w0 * r / 2],
    angular_velocity=-w0 * r / l,
)
model.body("slider", **planar, mass=0.5, inertia=5e-4, position=[r + l, 0, 0])

# Three numbers are the diagonal of K and C: along x, across, about the angle.
for name, bodies, x, stiffness, damping in [
    ("bearing", ["ground", "crank"], 0, [k, k, 0], [c, c, 0]),
    ("crank_pin", ["crank", "rod"], r, [k, k, 0], [c, c, 0]),
    ("wrist_pin", ["rod", "slider"], r + l, [k, k, 0], [c, c, 0]),
    ("guide", ["ground", "slider"], r + l, [0, k, k_guide], [load, c, c_guide]),
]:
    model.force(name, kind="planar_bushing", bodies=bodies, point=[x, 0, 0], K=stiffness, C=damping)
model.force("motor", kind="torque", body="crank", torque=[0, -torque, 0])
model.measure(
    "pin_gap",
    kind="distance",
    point_a={"body": "crank", "at": [r / 2, 0, 0]},
    point_b={"body": "rod", "at": [-l / 2 + 1e-9, 0, 0]},
)
model.analysis(end=1)
model.solver(h=2e-4, rho_inf=0.6)  # damp what the step cannot resolve

if __name__ == "__main__":
    results = model.run()
    print(results)
    results.report("stiff_slider_crank.html")

# SPDX-License-Identifier: Apache-2.0
"""A cam sweeps an impactor past the middle of a clamped beam: cam.toml in Python."""

from math import cos, pi, radians, sin

import trammel

L = 2.4  # length of the beam [m]
l = 0.4  # length of the cam [m]
depth = 0.489974  # pivot of the cam below the beam [m]
start = radians(35)  # from where the cam starts, towards the clamp
end_of_cam = [L / 2 - l * sin(start), -depth + l * cos(start), 0]

model = trammel.Model("Cam with impactor hitting a flexible beam", gravity=[0, 0, 0])
model.parameters(phi_0=pi / 3, Omega=2 * pi / 3)

# Bodies that are nodes of the beams as well.
model.body("impactor", position=end_of_cam, mass=4, inertia=[5.1e-3, 5.1e-3, 3.2e-3])
model.body("target", position=[L / 2, 0, 0], mass=4, inertia=[4.3e-3, 4.3e-3, 7.2e-3])
model.body("tip", position=[L, 0, 0], mass=40, inertia=[0, 0, 0])

# An aluminium box, weak in the plane of motion, and on edge.
weak = {
    "kind": "given",
    "stiffness": [4.4e7, 2.762e6, 1.4161e7, 2.8e4, 3.0e5, 2.3e4],
    "mass": 1.6,
    "inertia": [1.174545e-2, 1.090909e-2, 8.363636e-4],
    "width": 0.05,
    "height": 0.25,
}
on_edge = {
    "kind": "given",
    "stiffness": [4.4e7, 1.4161e7, 2.762e6, 2.8e4, 2.3e4, 3.0e5],
    "mass": 1.6,
    "inertia": [1.174545e-2, 8.363636e-4, 1.090909e-2],
    "width": 0.25,
    "height": 0.05,
}
model.beam("inner", points=[[0, 0, 0], [L / 2, 0, 0]], elements=4, end_body="target", section=weak)
model.beam("outer", points=[[L / 2, 0, 0], [L, 0, 0]], elements=4, start_body="target", end_body="tip", section=weak)
model.beam("cam", points=[[L / 2, -depth, 0], end_of_cam], elements=2, end_body="impactor", section=on_edge)

model.joint("clamp", kind="fixed", bodies=["ground", "inner_0"], point=[0, 0, 0])
model.joint("pivot", kind="revolute", bodies=["ground", "cam_0"], point=[L / 2, -depth, 0], axis="-z")
model.motion("drive", joint="pivot", function="phi_0*(1 - cos(Omega*t))")

model.add("geometry", "striker", body="impactor", kind="sphere", radius=0.04, color="#c8742e")
model.add("geometry", "anvil", body="target", kind="sphere", radius=0.06, color="#4a6fa5")
model.contact(
    "impact",
    between=["striker", "anvil"],
    law="hunt_crossley",
    stiffness=2e9,
    damping_factor=1e-3,
    friction={"kind": "lugre", "mu_k": 0.3, "mu_s": 0.3, "sigma0": 1e5, "v_s": 1e-3, "gamma": 2},
)

model.measure("lift", "target.y", unit="m")
model.measure("tip_lift", "tip.y", unit="m")
model.analysis(end=1)
model.solver(
    integrator="generalized_alpha",
    linear_solver="skyline_ldlt",
    newton_test="all",
    newton_tol=1e-9,
    hmax=1e-2,
    rtol=0,
    atol=1e-6,
    scaling={"kind": "physical", "m_ave": 1, "d_ave": 0, "k_ave": 1e3, "rho": 1},
)
model.output(interval=1e-3)

if __name__ == "__main__":
    results = model.run()
    print(results)
    results.report("cam.html")

# SPDX-License-Identifier: Apache-2.0
"""A thin beam is lifted at its tip by a crank and buckles sideways: thin_beam.toml in Python."""

import trammel

d = 0.005  # offset of the link from the beam's plane [m]
aluminium = {"young": 73e9, "poisson": 0.3, "density": 2700}
steel = {"young": 210e9, "poisson": 0.3, "density": 7800}
strip = {"kind": "rectangle", "width": 0.0025, "height": 0.1}
tube = {"kind": "tube", "radius": 0.015, "inner_radius": 0.007}

model = trammel.Model("Thin beam actuated by a tip crank", gravity=[0, 0, 0], parameters={"T": 1.6})
model.beam("strip", points=[[0, 0, 0], [1, 0, 0]], elements=8, section=strip, material=aluminium)
model.beam(
    "connector",
    points=[[1, 0, 0], [1, d, 0]],
    elements=2,
    section=strip,
    material=aluminium,
    start_body="strip_24",  # a rigid corner
)
model.beam("link", points=[[1, d, 0], [1, d, -0.5]], elements=4, up="x", section=tube, material=steel)
model.beam("crank", points=[[0.97, d, -0.5], [1, d, -0.5]], elements=1, section=tube, material=steel)

# Rotations in joints as unknowns of their own, without mass.
model.coordinate("pin_rotation")
model.coordinate("crank_rotation")
model.joint("clamp", kind="fixed", bodies=["ground", "strip_0"], point=[0, 0, 0])
model.joint("ball", kind="spherical", bodies=["connector_6", "link_0"], point=[1, d, 0])
model.joint(
    "pin", kind="revolute", bodies=["link_12", "crank_3"], point=[1, d, -0.5], axis="y", coordinate="pin_rotation"
)
model.joint(
    "pivot",
    kind="revolute",
    bodies=["ground", "crank_0"],
    point=[0.97, d, -0.5],
    axis="-y",
    coordinate="crank_rotation",
)
model.motion("drive", joint="crank_rotation", function="1.6 * (1 - cos(2*pi*t/T))")

model.measure("u1", "strip_12.x - 0.5", unit="m")
model.measure("u2", "strip_12.y", unit="m")
model.measure("u3", "strip_12.z", unit="m")
model.analysis(end=1.6)
model.solver(
    integrator="generalized_alpha",
    rho_inf=0.6,
    h=2e-4,
    newton_tol=1e-9,
    scaling={"m_ave": 0.675, "d_ave": 0, "k_ave": 4.5625e4},
)
model.output(interval=0.002)

if __name__ == "__main__":
    results = model.run()
    print(results)
    results.report("thin_beam.html")

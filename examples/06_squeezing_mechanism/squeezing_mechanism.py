# SPDX-License-Identifier: Apache-2.0
"""Andrews' squeezing mechanism: squeezing_mechanism.toml in Python."""

from math import cos, sin

import trammel

# drawn angles [rad]
beta0 = -0.0617138900142764496
gamma0 = 0.455279819163070380
phi0 = 0.222668390165885885
delta0 = 0.487364979543842550
omega0 = -0.222668390165885885
eps0 = 1.23054744454982119
# pivots on the ground [m]
xa, ya = -0.06934, -0.00227
xb, yb = -0.03635, 0.03273
xc, yc = 0.014, 0.072
# lengths [m]
d, da = 0.028, 0.0115
e, ea = 0.02, 0.01421
rr, ra = 0.007, 0.00092
ss, sa, sb, sc, sd = 0.035, 0.01874, 0.01043, 0.018, 0.02
ta, tb = 0.02308, 0.00916
u, ua, ub = 0.04, 0.01228, 0.00449
zf, zt = 0.02, 0.04
fa = 0.01421

# name, mass, inertia, centre of mass from the pivot in body axes, pivot, drawn angle
bodies = [
    ("crank", 0.04325, 2.194e-6, (ra, 0), (0, 0), beta0),
    ("coupler", 0.00365, 4.410e-7, (-da, 0), (rr * cos(beta0), rr * sin(beta0)), beta0),
    ("rocker", 0.02373, 5.255e-6, (sb, -sa), (xb, yb), gamma0),
    ("link_5", 0.07050, 1.169e-5, (ta, tb), (xa, ya), delta0),
    ("link_4", 0.00706, 5.667e-7, (0, -(e - ea)), (xa + zt * cos(delta0), ya + zt * sin(delta0)), phi0 + delta0),
    ("link_7", 0.05498, 1.912e-5, (-ub, -ua), (xa, ya), eps0),
    ("link_6", 0.00706, 5.667e-7, (zf - fa, 0), (xa + u * sin(eps0), ya - u * cos(eps0)), omega0 + eps0),
]
# name, bodies, point on the first, point on the second where it is another one
hinges = [
    ("O", "ground", "crank", (0, 0), None),
    ("P", "crank", "coupler", (rr, 0), None),
    ("B", "ground", "rocker", (xb, yb), None),
    ("A5", "ground", "link_5", (xa, ya), None),
    ("H", "link_5", "link_4", (zt, 0), None),
    ("A7", "ground", "link_7", (xa, ya), None),
    ("G", "link_7", "link_6", (0, -u), None),
    ("E3", "coupler", "rocker", (-d, 0), (0, -ss)),
    ("E4", "coupler", "link_4", (-d, 0), (0, -e)),
    ("E6", "coupler", "link_6", (-d, 0), (zf, 0)),
]


def on(body, point):
    """A point of a body, in its axes; of the ground, in the world."""
    return [*point, 0] if body == "ground" else {"body": body, "at": [*point, 0]}


model = trammel.Model("Andrews' squeezing mechanism", gravity=[0, 0, 0])
for name, mass, inertia, center, pivot, angle in bodies:
    model.body(
        name,
        kind="planar",
        mass=mass,
        inertia=inertia,
        center_of_mass=[*center, 0],
        position=[*pivot, 0],
        axis_angle={"axis": "z", "angle": angle},
    )
for name, a, b, point, point_b in hinges:
    other = on(b, point_b) if point_b else None
    model.joint(name, kind="revolute", bodies=[a, b], point=on(a, point), point_b=other)
model.force(
    "spring",
    kind="spring_damper",
    point_a=[xc, yc, 0],
    point_b=on("rocker", (sd, -sc)),
    stiffness=4530,
    free_length=0.07785,
)
model.force("drive", kind="torque", body="crank", torque=[0, 0, 0.033])

# The seven coordinates of the benchmark. Joint angles count full turns from the drawing.
for name, start, joint in [
    ("beta", beta0, "O"),
    ("theta", None, "P"),
    ("gamma", gamma0, "B"),
    ("phi", phi0, "H"),
    ("delta", delta0, "A5"),
    ("omega", omega0, "G"),
    ("epsilon", eps0, "A7"),
]:
    model.measure(name, f"{joint}.angle" if start is None else f"{start!r} + {joint}.angle", unit="rad")
model.analysis(end=0.03)
model.solver(h=1e-5)

if __name__ == "__main__":
    results = model.run()
    print(results)
    results.report("squeezing_mechanism.html")

# SPDX-License-Identifier: Apache-2.0
"""A chain of pendulums on a suspension point that swings slowly: pendulum_chain.toml in Python."""

from math import pi

import trammel

N = 16  # pendulums: masses of 1 kg on rods of 1 m
omega = 2 * pi * 0.05  # of the suspension [rad/s]
velocity = [0.3 * omega, 0, 0.2 * omega]

model = trammel.Model("Chain of pendulums with a moving suspension", parameters={"omega": omega})
model.body("m_0", mass=1, inertia=[1, 1, 1], position=[2, 0, 0], velocity=velocity)
model.joint("slide", kind="prismatic", bodies=["ground", "m_0"], axis=[0.3, 0, 0.2])
model.motion("suspension", joint="slide", function="sqrt(0.13)*sin(omega*t)")
for i in range(1, N + 1):
    model.body(f"m_{i}", mass=1, inertia=[1e-9, 1e-9, 1e-9], position=[2, 0, -i], velocity=velocity)
    model.joint(
        f"pin_{i}", kind="revolute", bodies=[f"m_{i - 1}", f"m_{i}"], point=[2, 0, 1 - i], axis=[0, -1, 0]
    )
    model.add("geometry", body=f"m_{i}", kind="capsule", radius=0.02, length=1, position=[0, 0, 0.5])
model.analysis(end=200)
model.output(interval=1)
model.solver(
    integrator="bdf",
    coordinates="joint",
    formalism="explicit",
    jacobian="dense_differences",
    jacobian_update="extended",
    max_order=5,
    h0=1e-3,  # everything is at rest at first: h0 decides what the start excites
    rtol=1e-4,
    atol=1e-6,
)

if __name__ == "__main__":
    results = model.run()
    print(results)
    results.report("pendulum_chain.html")

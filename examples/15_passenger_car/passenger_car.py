# SPDX-License-Identifier: Apache-2.0
"""A passenger car performing line changes: passenger_car.toml in Python, with the same parts."""

from pathlib import Path

import trammel

model = trammel.Model("Passenger car", folder=Path(__file__).parent)
# Speed, held by the drive [m/s]; amplitude of the rack [m]; drive torque per deviation of the speed [N m s/m].
model.parameters(V=20, amplitude=0.003, Kv=3000)
model.include(
    "parts/vehicle.toml",
    parameters={"V": 20, "friction": 0, "v_r": 2e-3, "digressive": 0},
    at=[0, 0, 0.54],
)
model.motion("driver", joint="rack_guide", function="-amplitude*sin(2*pi*0.5*t)")  # a turn to the left first


def along(point: str) -> str:
    """Velocity of the chassis along the way to one of its points, 1 m off."""
    return " + ".join(f"({point}.{x} - chassis.{x})*chassis.v{x}" for x in "xyz")


model.measure("v_long", along("nose"), unit="m/s")
model.measure("v_lat", along("flank"), unit="m/s")
model.measure("yaw", "atan2(nose.y - chassis.y, nose.x - chassis.x)", unit="rad")
model.measure("roll", "atan2(flank.z - chassis.z, roof.z - chassis.z)", unit="rad")
model.measure("pitch_angle", "-asin(nose.z - chassis.z)", unit="rad")

model.measure("drive", "Kv*(V - v_long)*step(v_long, 0, 0, 1, 1)", unit="N m")  # of the cruise control, off at standstill
for name, body, torque in [
    ("drive_left", "rear_left_wheel", "drive/2"),
    ("drive_right", "rear_right_wheel", "drive/2"),
    ("drive_reaction", "chassis", "-drive"),
]:
    model.force(name, kind="torque", body=body, torque=[0, torque, 0], in_body_axes=True)

model.analysis(end=5, start_from="equilibrium")
model.output(interval=0.02)
model.solver(integrator="bdf", coordinates="joint", max_order=5, rtol=1e-4, atol=1e-5)

if __name__ == "__main__":
    results = model.run()
    print(results)
    results.report("passenger_car.html")

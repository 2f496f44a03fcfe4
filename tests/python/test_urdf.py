# SPDX-License-Identifier: Apache-2.0
"""Robots from URDF files beside an independent reader and independent dynamics (urdf_reference.py)."""

from __future__ import annotations

import random
import subprocess
import unittest
from pathlib import Path

import numpy as np
from support import PROGRAM, ROOT, PackageTest
from urdf_reference import FREEDOMS, Robot, random_tree, turn

import trammel

ROBOTS = ROOT / "examples" / "robots"
FLOATING = {"walker", "drone"}
TOLERANCE = 1e-9  # relative to the largest number of its kind


def functions(file: Path, floating: bool, coordinates: str = "joint") -> trammel.MachineFunctions:
    model = trammel.Model("robot", gravity=[0, 0, -9.81])
    model.include(str(file), base="floating" if floating else "fixed", packages=[str(ROBOTS.parent)])
    return trammel.MachineFunctions(model, coordinates=coordinates)


def called(name: str) -> str:
    """What the reader calls a link: `rotor/0` has a letter that names do not have."""
    return name.replace("/", "_")


class Robots(PackageTest):
    def compare(self, file: Path, floating: bool, coordinates: str, seed: int, at_rest: bool) -> None:
        robot = Robot(file, floating)
        machine = functions(file, floating, coordinates)
        rng = np.random.default_rng(seed)
        names = machine.coordinate_names
        joints = {f"{called(j)}{'_joint' if j in robot.links else ''}": at for j, at in robot.joints.items()}
        q, v = machine.q.copy(), np.zeros(machine.nv)
        if coordinates == "joint":
            q = np.zeros(machine.nv) if at_rest else rng.uniform(-0.5, 0.5, machine.nv)
            v = np.zeros(machine.nv) if at_rest else rng.uniform(-2, 2, machine.nv)
        state, rates = {}, np.zeros(robot.n)
        index = {}
        for k, name in enumerate(names):
            joint = joints.get(name.rsplit(".", 1)[0])
            if joint is not None and FREEDOMS[joint.kind] == 1:
                index[joint.name] = k
                if joint.limits and not joint.mimic:  # inside of the stops
                    q[k] = min(max(q[k], joint.limits[0] + 1e-3), joint.limits[1] - 1e-3)
        for joint in robot.order:  # mimics follow, in the order in which they depend on each other
            if joint.mimic and coordinates == "joint":
                chain, at = [], joint
                while at.mimic:
                    chain.append(at)
                    at = robot.joints[at.mimic[0]]
                for one in reversed(chain):
                    other, factor, offset = one.mimic  # type: ignore[misc]
                    q[index[one.name]] = factor * q[index[other]] + offset
                    v[index[one.name]] = factor * v[index[other]]
        q, v = self.state_of(robot, machine, q, v, state, rates, index)
        a = machine.forward_dynamics(q, v).a
        base = None
        if floating:
            at = machine.frame(called(robot.root), q, v)
            base = (at.R, at.p)
            rates[:6] = np.concatenate([at.J[:3] @ v, at.R.T @ (at.J[3:] @ v)])
        moved = robot.motion(state, rates, base)
        wanted = robot.accelerations(state, rates, base)
        scale = {k: max(np.abs(x[k]).max() for x in moved.values()) + 1e-3 for k in ("p", "w")}
        size = max(np.abs(x).max() for x in wanted.values())
        for name, at in moved.items():
            found = machine.frame(called(name), q, v)
            np.testing.assert_allclose(found.p, at["p"], atol=TOLERANCE * scale["p"], rtol=0, err_msg=f"{file.name} {name}")
            np.testing.assert_allclose(found.R, at["R"], atol=TOLERANCE, rtol=0)
            np.testing.assert_allclose(found.J @ v, at["w"], atol=TOLERANCE * scale["w"], rtol=0)
            np.testing.assert_allclose(found.J @ a + found.J_rate @ v, wanted[name], atol=TOLERANCE * size, rtol=0, err_msg=f"{file.name} {name}")
        total = machine.momentum(q, v)
        self.assertAlmostEqual(total.mass / robot.mass, 1, places=12)

    def state_of(self, robot, machine, q, v, state, rates, index):  # type: ignore[no-untyped-def]
        """The same state in the reference's coordinates, those of several freedoms by where the links are."""
        for joint in robot.order:
            if FREEDOMS[joint.kind] == 1:
                if joint.name in index:
                    state[joint.name] = [q[index[joint.name]]]
                    rates[joint.first] = v[index[joint.name]]
                    continue
            if joint.kind == "fixed":
                continue
            up, at = (machine.frame(called(x), q, v) for x in (joint.parent, joint.child))
            R_j = up.R @ joint.R
            R, p = R_j.T @ at.R, R_j.T @ (at.p - up.p - up.R @ joint.p)
            w_up = up.J[3:] @ v
            speed = at.J[:3] @ v - up.J[:3] @ v - np.cross(w_up, at.p - up.p)
            spin = at.J[3:] @ v - w_up
            if joint.kind == "floating":
                state[joint.name] = (R, p)
                rates[joint.first : joint.first + 6] = np.concatenate([R_j.T @ speed, at.R.T @ spin])
                continue
            angle = np.arctan2(joint.axis @ np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]), np.trace(R) - 1)
            np.testing.assert_allclose(R, turn(joint.axis, angle), atol=1e-12)
            if joint.kind == "planar":
                x, y = joint.plane()
                self.assertLess(abs(joint.axis @ p), 1e-12)
                state[joint.name] = [x @ p, y @ p, angle]
                rates[joint.first : joint.first + 3] = [x @ R_j.T @ speed, y @ R_j.T @ speed, joint.axis @ R_j.T @ spin]
            elif joint.kind == "prismatic":
                state[joint.name] = [joint.axis @ p]
                rates[joint.first] = joint.axis @ R_j.T @ speed
            else:
                state[joint.name] = [angle]
                rates[joint.first] = joint.axis @ R_j.T @ spin
        return q, v

    def compare_derivatives(self, file: Path, seed: int) -> None:
        """Exact ones of accelerations beside complex steps through the independent dynamics, off the rows of mimics."""
        robot, machine = Robot(file), functions(file, False)
        rng = np.random.default_rng(seed)
        joints = {f"{called(j)}{'_joint' if j in robot.links else ''}": at for j, at in robot.joints.items()}
        moving = [joints[name.rsplit(".", 1)[0]] for name in machine.coordinate_names]
        self.assertEqual(len(moving), robot.n)
        first = [joint.first for joint in moving]
        q, v, tau = rng.uniform(-0.5, 0.5, machine.nv), rng.uniform(0.5, 2, machine.nv), rng.uniform(-3, 3, machine.nv)
        for k, joint in enumerate(moving):
            if joint.limits:  # inside of the stops
                q[k] = min(max(q[k], joint.limits[0] + 1e-3), joint.limits[1] - 1e-3)

        def accelerations(q: np.ndarray, v: np.ndarray, tau: np.ndarray) -> np.ndarray:
            state = {joint.name: [q[k]] for k, joint in enumerate(moving)}
            sorted_v, sorted_tau = np.zeros(robot.n, v.dtype), np.zeros(robot.n, tau.dtype)
            sorted_v[first], sorted_tau[first] = v, tau
            return robot.freedoms_accelerations(state, sorted_v, sorted_tau)[first]

        exact = machine.forward_derivatives(q, v, tau)
        given = [q, v, tau]
        for which, found in enumerate((exact.a_by_q, exact.a_by_v, exact.a_by_tau)):
            wanted = np.zeros_like(found)
            for k in range(machine.nv):
                at = [x.astype(complex) for x in given]
                at[which][k] += 1e-30j
                wanted[:, k] = accelerations(*at).imag / 1e-30
            np.testing.assert_allclose(found, wanted, atol=TOLERANCE * np.abs(wanted).max(initial=0), rtol=0, err_msg=f"{file.name}, by {'q v τ'.split()[which]}")

    def test_derivatives_are_those_of_complex_steps(self) -> None:
        for name in ("arm", "cart_pole", "crane", "gripper", "hand", "pan_tilt"):
            with self.subTest(robot=name):
                self.compare_derivatives(ROBOTS / f"{name}.urdf", 1)
        for seed in range(20):
            file = self.folder / f"tree_{seed}.urdf"
            file.write_text(random_tree(seed, "revolute continuous prismatic fixed"))
            with self.subTest(seed=seed):
                self.compare_derivatives(file, seed)

    def test_ten_robots_move_as_independent_dynamics_says(self) -> None:
        files = sorted(ROBOTS.glob("*.urdf"))
        self.assertEqual(len(files), 10)
        for file in files:
            for seed in range(3):
                with self.subTest(robot=file.stem, seed=seed):
                    self.compare(file, file.stem in FLOATING, "joint", seed, at_rest=seed == 0)

    def test_absolute_coordinates_say_the_same_at_the_start(self) -> None:
        for name in ("arm", "pan_tilt", "hovercraft", "crane", "walker"):
            with self.subTest(robot=name):
                self.compare(ROBOTS / f"{name}.urdf", name in FLOATING, "absolute", 0, at_rest=True)

    def test_random_trees_move_as_independent_dynamics_says(self) -> None:
        for seed in range(30):
            file = self.folder / f"tree_{seed}.urdf"
            file.write_text(random_tree(seed))
            with self.subTest(seed=seed):
                self.compare(file, seed % 3 == 0, "joint", seed, at_rest=seed % 5 == 0)

    def test_an_imported_robot_is_the_included_one_bit_by_bit(self) -> None:
        for name in ("arm", "hand", "pan_tilt", "crane", "drone"):
            with self.subTest(robot=name):
                out = self.folder / f"{name}.toml"
                base = "floating" if name in FLOATING else "fixed"
                subprocess.run([PROGRAM, "import", ROBOTS / f"{name}.urdf", "-o", out, "--base", base, "-q"], check=True)
                written = trammel.MachineFunctions(out, coordinates="joint")
                included = functions(ROBOTS / f"{name}.urdf", name in FLOATING)
                self.assertEqual(written.coordinate_names, included.coordinate_names)
                rng = np.random.default_rng(7)
                q, v = rng.uniform(-0.3, 0.3, (2, written.nv))
                np.testing.assert_array_equal(written.forward_dynamics(q, v).a, included.forward_dynamics(q, v).a)
                np.testing.assert_array_equal(written.mass_matrix(q), included.mass_matrix(q))

    def test_every_model_of_a_robot_runs(self) -> None:
        for file in sorted(ROBOTS.glob("*.toml")):
            with self.subTest(model=file.stem):
                answer = subprocess.run([PROGRAM, "run", file, "-o", self.folder / f"{file.stem}.h5"], capture_output=True, text=True)
                self.assertEqual(answer.returncode, 0, answer.stderr)
                self.assertNotIn("ALARM", answer.stdout)
                self.assertIn(f"trammel import", answer.stdout)  # something is changed in each of them, and it is said

    def test_what_a_file_lost_is_told(self) -> None:
        model = trammel.load(ROBOTS / "arm.toml")
        with self.assertWarnsRegex(UserWarning, "left out of the URDF file") as told:
            results = model.run(settings={"analysis.end": 0.01})
        self.assertEqual(Path(told.filename).name, "test_urdf.py")
        self.assertIn("left out of the URDF file", results.attributes["reading_notes"])

    def test_inputs_drive_the_joints_of_transmissions(self) -> None:
        arm = trammel.Simulation(ROBOTS / "arm.toml")
        self.assertEqual(arm.input_names, [f"motor{i}" for i in range(1, 7)])
        arm.step(1e-3, {"motor1": 0.01})
        self.assertGreater(arm.read("axis1.angle_rate")[0], 0)
        weak, strong = (trammel.Simulation(ROBOTS / "arm.toml") for _ in range(2))
        weak.step(1e-3, {"motor1": 1.2})  # 100 times that: the limit of 120 N m
        strong.step(1e-3, {"motor1": 7.0})
        self.assertEqual(weak.read("axis1.angle_rate")[0], strong.read("axis1.angle_rate")[0])

    def test_a_stop_holds_what_the_limit_says(self) -> None:
        results = trammel.load(ROBOTS / "cart_pole.toml").run(settings={"analysis.end": 3})
        self.assertLess(np.abs(results["slide.displacement"]).max(), 2.05)


if __name__ == "__main__":
    unittest.main(verbosity=2)

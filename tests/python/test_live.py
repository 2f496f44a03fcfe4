# SPDX-License-Identifier: Apache-2.0
"""Driving a machine from a script, and its equations as functions of arrays."""

from __future__ import annotations

import unittest

import numpy as np
from support import PackageTest, chain

import trammel

G = 9.81


def arm(n: int = 6) -> trammel.Model:
    """Links of a robot, hinged about z and y in turns, a torque from outside on each joint."""
    model = trammel.Model("Arm", gravity=[0, 0, -G])
    for i in range(n):
        model.body(f"link_{i}", mass=2 - 0.2 * i, inertia=[0.01, 0.02, 0.03], position=[0.2 * i + 0.1, 0, 0])
        model.joint(
            f"j{i}",
            kind="revolute",
            bodies=["ground" if i == 0 else f"link_{i - 1}", f"link_{i}"],
            point=[0.2 * i, 0, 0],
            axis="y" if i % 2 else "z",
        )
        model.input(f"u{i}", unit="N m")
        model.force(f"drive_{i}", kind="joint_spring", joint=f"j{i}", law=f"u{i}")
    model.frame("tool", body=f"link_{n - 1}", position=[0.2 * n, 0, 0.05])
    model.analysis(end=1)
    return model


def difference(f, x: np.ndarray, h: float = 1e-4) -> np.ndarray:  # type: ignore[no-untyped-def]
    """∂f/∂x, of order four."""
    columns = []
    for k in range(len(x)):
        e = np.zeros(len(x))
        e[k] = h
        columns.append((8 * (f(x + e) - f(x - e)) - (f(x + 2 * e) - f(x - 2 * e))) / (12 * h))
    return np.stack(columns, axis=-1)


class Driving(PackageTest):
    def test_a_controller_holds_a_robot_against_its_weight(self) -> None:
        live = trammel.Simulation(arm())
        names = [f"j{i}.angle" for i in range(6)] + [f"j{i}.angle_rate" for i in range(6)]
        functions = trammel.MachineFunctions(arm(), coordinates="joint")
        for k in range(200):
            x = live.read(*names)
            weight = functions.inverse_dynamics(x[:6])
            self.assertEqual(live.step(1e-3, weight - 40 * x[:6] - 4 * x[6:]), [])
        self.assertEqual(live.time, 0.2)
        self.assertLess(np.abs(live.read(*names)).max(), 1e-6)

    def test_the_steps_of_a_run_are_taken(self) -> None:
        model = arm(3)
        results = model.run()
        live = trammel.Simulation(model)
        live.step_to(1.0)
        outputs = live.outputs
        for name in ("link_2.position", "j1.angle_rate", "j0.reaction_force", "energy.drift"):
            np.testing.assert_array_equal(outputs[name], results[name][-1])
        self.assertIn("link_2.position", list(outputs))

    def test_fixed_steps_are_those_of_a_run_however_they_are_called(self) -> None:
        """To the bit, times included: t + h after t, and the end itself."""
        names = [f"j{i}.{what}" for i in range(3) for what in ("angle", "angle_rate")]
        for integrator in ("generalized_alpha", "midpoint", "bdf", "radau", "runge_kutta"):
            model = arm(3)
            model.force("breeze", kind="force", body="link_2", force=["sin(30*t)", 0, 0])  # knows the time
            model.analysis(end=0.3)
            settings = {"solver.integrator": integrator, **({} if integrator == "bdf" else {"solver.h": 1e-3})}
            results = model.run(settings={**settings, "output.every_step": True})
            wanted = np.array([results[name][-1] for name in names])
            calls = [[0.3]] if integrator == "bdf" else [[0.3], [1e-3] * 300, [1e-2] * 30, [0.1] * 3]
            for lengths in calls:
                live = trammel.Simulation(model, settings=settings)
                for length in lengths:
                    live.step(length)
                with self.subTest(integrator=integrator, calls=len(lengths)):
                    np.testing.assert_array_equal(live.read(*names), wanted)
                    self.assertEqual(live.time, results.time[-1])

    def test_work_of_held_inputs_is_torque_times_angle(self) -> None:
        """Between two samples a torque is constant: W = Σ u Δθ, whatever the steps and the coordinates."""
        goal = np.array([0.4, -0.3, 0.5, 0.2, -0.4, 0.3])
        angles = [f"j{i}.angle" for i in range(6)]
        for coordinates in ("joint", "absolute"):
            for integrator in ("runge_kutta", "radau"):
                live = trammel.Simulation(arm(), settings={"solver.coordinates": coordinates, "solver.integrator": integrator})
                work = size = 0.0
                x = np.append(live.read(*angles), np.zeros(6))
                for _ in range(40):
                    torque = 60 * (goal - x[:6]) - 6 * x[6:]
                    live.step(5e-3, torque)
                    new = live.read(*angles, *[f"j{i}.angle_rate" for i in range(6)])
                    work += torque @ (new[:6] - x[:6])
                    size += np.abs(torque * (new[:6] - x[:6])).sum()
                    x = new
                with self.subTest(coordinates=coordinates, integrator=integrator):
                    self.assertGreater(size, 1)
                    self.assertAlmostEqual(live.outputs["energy.work"] / size, work / size, 6)

    def test_states_are_set_by_name_and_copies_go_their_own_way(self) -> None:
        live = trammel.Simulation(arm(3))
        self.assertEqual(live.set_state({"j1.angle": 0.5, "j2.angle_rate": -1}), [])
        self.assertAlmostEqual(live.state["j1.angle"], 0.5, 12)
        other = live.copy()
        live.step(0.01, {"u1": 1})
        other.step(0.01)
        self.assertEqual(other.inputs["u1"], 0)
        self.assertNotEqual(live.state["j1.angle"], other.state["j1.angle"])
        live.reset()
        self.assertEqual((live.time, live.inputs["u1"]), (0, 0))
        with self.assertRaisesRegex(trammel.InputError, "> 0"):
            live.step(0)
        with self.assertRaisesRegex(trammel.InputError, "did you mean 'u1'|no \\[\\[input\\]\\]"):
            live.set_inputs({"u_1": 0})
        with self.assertRaisesRegex(trammel.InputError, "finite"):
            live.set_inputs([np.nan] * 3)

    def test_a_law_that_raises_ends_the_step_and_is_said_afterwards(self) -> None:
        patience: list[bool] = [True]

        def law(t: float, angle: float, rate: float) -> float:
            if not patience:
                raise RuntimeError("enough")
            return 0.0

        model = arm(2)
        model.force("law", kind="joint_spring", joint="j1", law=law)
        live = trammel.Simulation(model)
        patience.clear()
        with self.assertRaisesRegex(RuntimeError, "enough"):
            live.step(0.2)
        with self.assertRaisesRegex(trammel.SimulationError, "cannot go on"):
            live.step(0.2)
        patience.append(True)
        live.reset()
        live.step(0.01)


def closed_loop() -> trammel.Model:
    """A ball joint, a hinge, a rod that closes the loop, a coupled slider, and a base that nothing moves."""
    model = trammel.Model("Loop", gravity=[0, 0, -9.81])
    model.body("base", mass=3, inertia=[1, 1, 1])
    model.joint("floor", kind="fixed", bodies=["ground", "base"], point=[0, 0, 0])
    for name, x in (("upper", 0.5), ("lower", 1.5)):
        model.body(name, mass=2, inertia=[0.02, 0.2, 0.21], position=[x, 0, 0])
    model.joint("ball", kind="spherical", bodies=["base", "upper"], point=[0, 0, 0])
    model.joint("knee", kind="revolute", bodies=["upper", "lower"], point=[1, 0, 0], axis=[0, 1, 0.2])
    model.joint("rod", kind="distance", bodies=["ground", "lower"], point=[1, 1, 0.5], point_b=[2, 0, 0])
    model.body("slide", mass=1, inertia=[0.1, 0.1, 0.1], position=[0, 2, 0])
    model.joint("rail", kind="prismatic", bodies=["base", "slide"], point=[0, 2, 0], axis="x")
    model.coupler("rack", joints=["knee", "rail"], factors=[0.3, 1])
    model.force("knee_spring", kind="joint_spring", joint="knee", stiffness=5, damping=0.1)
    return model


class Functions(PackageTest):
    def setUp(self) -> None:
        super().setUp()
        self.random = np.random.default_rng(3)

    def state(self, f: trammel.MachineFunctions) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        q, v, a = (self.random.uniform(-1, 1, f.nv) for _ in range(3))
        return f.q + 0.3 * q, v, a

    def test_forward_and_inverse_dynamics_undo_each_other_in_both_sets(self) -> None:
        for coordinates in ("joint", "absolute"):
            f = trammel.MachineFunctions(arm(4), coordinates=coordinates)
            q, v, tau = self.state(f)
            a, lam = f.forward_dynamics(q, v, tau)
            np.testing.assert_allclose(f.inverse_dynamics(q, v, a, lam), tau, atol=1e-9)
            np.testing.assert_allclose(f.mass_matrix(q) @ a + f.bias(q, v) - tau, -f.constraints(q).G.T @ lam, atol=1e-9)
            rows = f.constraints(q, v)
            np.testing.assert_allclose(rows.G @ a + rows.gamma, 0, atol=1e-9)

    def test_both_sets_accelerate_the_bodies_equally(self) -> None:
        absolute = trammel.MachineFunctions(arm(4), coordinates="absolute")
        joint = trammel.MachineFunctions(arm(4), coordinates="joint")
        tool = [f.frame("tool", f.q, f.v) for f in (absolute, joint)]
        np.testing.assert_allclose(tool[0].p, tool[1].p, atol=1e-12)
        rates = [t.J @ f.forward_dynamics(f.q, f.v).a for t, f in zip(tool, (absolute, joint))]
        np.testing.assert_allclose(rates[0], rates[1], atol=1e-9)
        self.assertGreater(np.abs(rates[0]).max(), 1)

    def test_states_in_one_array_give_what_each_gives(self) -> None:
        f = trammel.MachineFunctions(arm(), coordinates="joint")
        q = self.random.uniform(-1, 1, (50, f.nv))
        v = self.random.uniform(-1, 1, f.nv)
        many = f.forward_dynamics(q, v).a
        self.assertEqual(many.shape, (50, 6))
        for i in (0, 17, 49):
            np.testing.assert_array_equal(many[i], f.forward_dynamics(q[i], v).a)
        self.assertEqual(f.frame("tool", q).J.shape, (50, 6, 6))
        with self.assertRaisesRegex(trammel.InputError, "6 numbers, not 5"):
            f.bias(q[:, :5])

    def test_jacobians_and_their_rates_are_derivatives_of_positions(self) -> None:
        for coordinates in ("joint", "absolute"):
            f = trammel.MachineFunctions(arm(3), coordinates=coordinates)
            q, v, _ = self.state(f)
            if coordinates == "absolute":  # at θ = 0 the rates of q are v
                q[:] = f.q
            at = f.frame("tool", q, v)
            np.testing.assert_allclose(difference(lambda x: f.frame("tool", x).p, q), at.J[:3], atol=1e-9)
            if coordinates == "joint":
                h = 1e-4
                rate = (f.frame("tool", q + h * v, v).J - f.frame("tool", q - h * v, v).J) / (2 * h)
                np.testing.assert_allclose(rate, at.J_rate, atol=1e-6)

    def test_derivatives_are_those_of_the_functions_off_the_constraints(self) -> None:
        machines = [(arm(3), "joint"), (arm(3), "absolute"), (closed_loop(), "joint"), (closed_loop(), "absolute")]
        for model, coordinates in machines:
            f = trammel.MachineFunctions(model, coordinates=coordinates)
            q, v, tau = self.state(f)
            a, lam = f.forward_dynamics(q, v, tau)
            inverse = f.inverse_derivatives(q, v, a, lam)
            close = {"rtol": 1e-7, "atol": 1e-7}
            np.testing.assert_allclose(inverse.by_q, difference(lambda x: f.inverse_dynamics(x, v, a, lam), q), **close)
            np.testing.assert_allclose(inverse.by_v, difference(lambda x: f.inverse_dynamics(q, x, a, lam), v), **close)
            np.testing.assert_allclose(inverse.by_a, f.mass_matrix(q), atol=1e-12)
            forward = f.forward_derivatives(q, v, tau)
            far = {"rtol": 1e-6, "atol": 1e-5}
            np.testing.assert_allclose(forward.a_by_q, difference(lambda x: f.forward_dynamics(x, v, tau).a, q), **far)
            np.testing.assert_allclose(forward.a_by_v, difference(lambda x: f.forward_dynamics(q, x, tau).a, v), **far)
            np.testing.assert_allclose(forward.a_by_tau, difference(lambda x: f.forward_dynamics(q, v, x).a, tau), **far)
            if f.nc:
                by_q = difference(lambda x: f.forward_dynamics(x, v, tau).lam, q)
                np.testing.assert_allclose(forward.lam_by_q, by_q, rtol=1e-5, atol=1e-4)

    def test_laws_in_python_are_those_of_the_model(self) -> None:
        def law(t: float, angle: float, rate: float) -> float:
            return -4 * angle - 0.05 * rate

        def push(t: float, link: trammel.Frame) -> list:  # type: ignore[type-arg]
            return [((0.0, 0.0, -2 * link.v[2]), None)]

        written, plain = chain(4, law=law), chain(4, stiffness=4, damping=0.05)
        rng = np.random.default_rng(3)
        q, v = rng.uniform(-1, 1, (2, 5, 4))
        for coordinates in ("joint", "absolute"):
            a, b = (trammel.MachineFunctions(model, coordinates=coordinates) for model in (written, plain))
            if coordinates == "absolute":
                q, v = np.repeat(b.q[None], 2, 0) + rng.uniform(-0.01, 0.01, (2, b.nv)), rng.uniform(-1, 1, (2, b.nv))
            np.testing.assert_allclose(a.forward_dynamics(q, v).a, b.forward_dynamics(q, v).a, rtol=1e-12, atol=1e-12)
            of_a, of_b = a.inverse_derivatives(q[0], v[0]), b.inverse_derivatives(q[0], v[0])
            np.testing.assert_allclose(of_a.by_q, of_b.by_q, rtol=1e-6, atol=1e-5)  # laws in Python are differentiated by differences
            np.testing.assert_allclose(of_a.by_v, of_b.by_v, rtol=1e-6, atol=1e-5)
        blown = chain(4, stiffness=4, damping=0.05).custom_force(push, ["link_3"])
        f, g = (trammel.MachineFunctions(model, coordinates="joint") for model in (blown, plain))
        q, v = rng.uniform(-1, 1, (2, 4))
        J = g.frame("link_3", q, v).J
        np.testing.assert_allclose(f.bias(q, v), g.bias(q, v) + J[2] * 2 * (J[2] @ v), rtol=1e-9, atol=1e-9)

    def test_momentum_is_that_of_the_whole_machine(self) -> None:
        f = trammel.MachineFunctions(arm(3), coordinates="joint")
        q, v, _ = self.state(f)
        m = f.momentum(q, v)
        self.assertAlmostEqual(float(m.mass), 2 + 1.8 + 1.6, 12)
        h = 1e-5
        rate = (f.momentum(q + h * v).center - f.momentum(q - h * v).center) / (2 * h)
        np.testing.assert_allclose(m.velocity, rate, atol=1e-8)
        np.testing.assert_allclose(m.linear, m.mass * m.velocity, atol=1e-12)
        # Of a rigid turn about z through the first joint: L about the centre is I ω.
        turning = np.array([1.0, 0, 0])
        spin = f.momentum(f.q, turning)
        x = np.array([0.1, 0.3, 0.5])
        masses = np.array([2, 1.8, 1.6])
        about = np.sum(0.03 + masses * (x - np.sum(masses * x) / masses.sum()) ** 2)
        np.testing.assert_allclose(spin.angular, [0, 0, about], atol=1e-12)


if __name__ == "__main__":
    unittest.main()

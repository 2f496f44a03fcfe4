# SPDX-License-Identifier: Apache-2.0
"""Robots by other means: reads URDF with the standard library and finds motions with Jacobians of all links.

Nothing here is shared with the program. A state is one array per joint: an angle or a displacement, of a planar joint (x, y, angle), of a
floating one a pose and a twist. Accelerations follow from M q̈ + h = τ with the rows of mimics, solved as one system. Numbers may be complex:
the imaginary part of a result at q + iε is ε times its derivative, to rounding.
"""

from __future__ import annotations

import random
import xml.etree.ElementTree as xml
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Optional

import numpy as np

G = np.array([0, 0, -9.81])
FREEDOMS = {"revolute": 1, "continuous": 1, "prismatic": 1, "fixed": 0, "planar": 3, "floating": 6}


def skew(a: Any) -> np.ndarray:
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


def turn(axis: Any, angle: float) -> np.ndarray:
    """Rodrigues' formula."""
    K = skew(np.asarray(axis) / np.linalg.norm(axis))
    return np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K


def numbers(element: Optional[xml.Element], key: str, default: str) -> np.ndarray:
    return np.array([float(x) for x in (default if element is None else element.get(key, default)).split()])


def origin(element: Optional[xml.Element]) -> tuple[np.ndarray, np.ndarray]:
    at = None if element is None else element.find("origin")
    r, p, y = numbers(at, "rpy", "0 0 0")
    return turn([0, 0, 1], y) @ turn([0, 1, 0], p) @ turn([1, 0, 0], r), numbers(at, "xyz", "0 0 0")


@dataclass
class Link:
    name: str
    mass: float = 0.0
    center: np.ndarray = field(default_factory=lambda: np.zeros(3))
    inertia: np.ndarray = field(default_factory=lambda: np.zeros((3, 3)))


@dataclass
class Joint:
    name: str
    kind: str
    parent: str
    child: str
    R: np.ndarray
    p: np.ndarray
    axis: np.ndarray
    damping: float
    friction: float
    mimic: Optional[tuple[str, float, float]]
    limits: Optional[tuple[float, float]]
    first: int = 0

    def plane(self) -> tuple[np.ndarray, np.ndarray]:
        """Two directions normal to the axis, in axes of the joint."""
        e = np.eye(3)[np.argmin(np.abs(self.axis))]
        x = np.cross(self.axis, e)
        x /= np.linalg.norm(x)
        return x, np.cross(self.axis, x)


class Robot:
    def __init__(self, file: Path, floating: bool = False):
        root = xml.parse(file).getroot()
        self.links = {}
        for at in root.findall("link"):
            link = self.links[at.get("name", "")] = Link(at.get("name", ""))
            inertial = at.find("inertial")
            if inertial is None:
                continue
            R, link.center = origin(inertial)
            link.mass = float(inertial.find("mass").get("value"))  # type: ignore[union-attr,arg-type]
            i = {k: float(inertial.find("inertia").get(k, "0")) for k in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")}  # type: ignore[union-attr]
            J = np.array([[i["ixx"], i["ixy"], i["ixz"]], [i["ixy"], i["iyy"], i["iyz"]], [i["ixz"], i["iyz"], i["izz"]]])
            link.inertia = R @ J @ R.T
        self.joints = {}
        for at in root.findall("joint"):
            R, p = origin(at)
            axis = numbers(at.find("axis"), "xyz", "1 0 0")
            dynamics, mimic, limit = at.find("dynamics"), at.find("mimic"), at.find("limit")
            self.joints[at.get("name", "")] = Joint(
                at.get("name", ""),
                at.get("type", ""),
                at.find("parent").get("link"),  # type: ignore[union-attr,arg-type]
                at.find("child").get("link"),  # type: ignore[union-attr,arg-type]
                R,
                p,
                axis / np.linalg.norm(axis),
                numbers(dynamics, "damping", "0")[0],
                numbers(dynamics, "friction", "0")[0],
                None if mimic is None else (mimic.get("joint", ""), numbers(mimic, "multiplier", "1")[0], numbers(mimic, "offset", "0")[0]),
                None if limit is None or "lower" not in limit.attrib else (float(limit.get("lower", "0")), float(limit.get("upper", "0"))),
            )
        children = {j.child for j in self.joints.values()}
        self.root = next(name for name in self.links if name not in children)
        self.floating = floating
        self.order, n = [], 6 if floating else 0
        open_links = [self.root]
        while open_links:
            at_link = open_links.pop()
            for j in self.joints.values():
                if j.parent == at_link:
                    j.first, n = n, n + FREEDOMS[j.kind]
                    self.order.append(j)
                    open_links.append(j.child)
        self.n = n

    @property
    def mass(self) -> float:
        return sum(link.mass for link in self.links.values())

    def relative(self, j: Joint, q: Any) -> tuple[np.ndarray, np.ndarray]:
        """Pose of the child in the joint's frame."""
        if j.kind in ("revolute", "continuous"):
            return turn(j.axis, q[0]), np.zeros(3)
        if j.kind == "prismatic":
            return np.eye(3), q[0] * j.axis
        if j.kind == "planar":
            x, y = j.plane()
            return turn(j.axis, q[2]), q[0] * x + q[1] * y
        return q if j.kind == "floating" else (np.eye(3), np.zeros(3))

    def motion(self, q: dict[str, Any], v: np.ndarray, base: Any = None) -> dict[str, dict[str, np.ndarray]]:
        """Of each link: R, p, Jacobian J (3 linear, 3 angular) of its origin and what q̈ = 0 leaves of its acceleration, J̇ q̇; w = J q̇."""
        R, p = (np.eye(3), np.zeros(3)) if base is None else base
        scalar = np.result_type(v, *(np.asarray(x) for x in q.values() if not isinstance(x, tuple)))
        J = np.zeros((6, self.n), scalar)
        rate = np.zeros(6, scalar)
        if self.floating:
            J[:3, :3] = np.eye(3)
            J[3:, 3:6] = R  # ω in axes of the link: α = R ω̇
        links = {self.root: {"R": R, "p": p, "J": J, "rate": rate, "w": J @ v}}
        for j in self.order:
            up = links[j.parent]
            R_j = up["R"] @ j.R
            R_q, p_q = self.relative(j, q.get(j.name))
            R, p = R_j @ R_q, up["p"] + up["R"] @ j.p + R_j @ p_q
            r, w = p - up["p"], up["w"][3:]
            J = up["J"].copy()
            J[:3] -= skew(r) @ up["J"][3:]
            S = np.zeros((6, FREEDOMS[j.kind]), scalar)
            if j.kind in ("revolute", "continuous"):
                S[3:, 0] = R_j @ j.axis
            elif j.kind == "prismatic":
                S[:3, 0] = R_j @ j.axis
            elif j.kind == "planar":
                x, y = j.plane()
                S[:3, 0], S[:3, 1], S[3:, 2] = R_j @ x, R_j @ y, R_j @ j.axis
            elif j.kind == "floating":
                S[:3, :3], S[3:, 3:] = R_j, R
            at = slice(j.first, j.first + FREEDOMS[j.kind])
            J[:, at] += S
            own = S @ v[at]
            rate = up["rate"].copy()
            rate[:3] += np.cross(up["rate"][3:], r) + np.cross(w, np.cross(w, r)) + 2 * np.cross(w, own[:3])
            rate[3:] += np.cross(w, own[3:])
            links[j.child] = {"R": R, "p": p, "J": J, "rate": rate, "w": J @ v}
        return links

    def accelerations(self, q: dict[str, Any], v: np.ndarray, base: Any = None) -> dict[str, np.ndarray]:
        """Of each link: its origin's acceleration and the angular one, world axes, under gravity, damping, friction and mimics."""
        a = self.freedoms_accelerations(q, v, np.zeros(self.n), base)
        return {name: at["J"] @ a + at["rate"] for name, at in self.motion(q, v, base).items()}

    def freedoms_accelerations(self, q: dict[str, Any], v: np.ndarray, tau: np.ndarray, base: Any = None, friction_rate: float = 0.01) -> np.ndarray:
        links = self.motion(q, v, base)
        scalar = np.result_type(tau, *(at["J"] for at in links.values()), v)
        M, f = np.zeros((self.n, self.n), scalar), tau.astype(scalar)
        for name, at in links.items():
            link = self.links[name]
            if link.mass == 0:
                continue
            c, w = at["R"] @ link.center, at["w"][3:]
            I = at["R"] @ link.inertia @ at["R"].T
            J_c = at["J"][:3] - skew(c) @ at["J"][3:]
            a_c = at["rate"][:3] + np.cross(at["rate"][3:], c) + np.cross(w, np.cross(w, c))
            M += link.mass * J_c.T @ J_c + at["J"][3:].T @ I @ at["J"][3:]
            f += J_c.T @ (link.mass * (G - a_c)) - at["J"][3:].T @ (I @ at["rate"][3:] + np.cross(w, I @ w))
        rows = []
        for j in self.order:
            if FREEDOMS[j.kind] == 1:
                f[j.first] -= j.damping * v[j.first] + j.friction * np.tanh(v[j.first] / friction_rate)
            if j.mimic:
                row = np.zeros(self.n)
                row[j.first], row[self.joints[j.mimic[0]].first] = 1, -j.mimic[1]
                rows.append(row)
        A = np.zeros((len(rows), self.n)) if not rows else np.array(rows)
        K = np.block([[M, A.T], [A, np.zeros((len(rows), len(rows)))]])
        # Scaled, because masses of one robot may differ by powers of ten.
        d = 1 / np.sqrt(np.concatenate([np.diag(M), np.ones(len(rows))]))
        return (d * np.linalg.solve(d[:, None] * K * d, d * np.concatenate([f, np.zeros(len(rows))])))[: self.n]


def random_tree(seed: int, kinds: str = "revolute continuous prismatic fixed planar floating", floating: bool = False) -> str:
    """A robot of some links: any parents, any frames, tensors that a body can have, links without mass, mimics."""
    rng = random.Random(seed)

    def some(n: int, size: float = 1.0) -> str:
        return " ".join(repr(rng.uniform(-size, size)) for _ in range(n))

    def inertial() -> str:
        m = 10 ** rng.uniform(-1, 1)
        a, b, c = (m * rng.uniform(0.001, 0.02) for _ in range(3))  # ∫x², ∫y², ∫z²: any three make a body
        return (
            f'<inertial><origin xyz="{some(3, 0.2)}" rpy="{some(3, 3)}"/><mass value="{m!r}"/>'
            f'<inertia ixx="{b + c!r}" ixy="0" ixz="0" iyy="{a + c!r}" iyz="0" izz="{a + b!r}"/></inertial>'
        )

    n = rng.randint(3, 9)
    massless = [i for i in range(1, n) if rng.random() < 0.15]
    text = f'<robot name="tree {seed}">\n<link name="l0">{inertial()}</link>\n'
    movable: list[str] = []
    for i in range(1, n):
        kind = "fixed" if i in massless else rng.choice(kinds.split())
        text += f'<link name="l{i}">{"" if i in massless else inertial()}</link>\n'
        text += f'<joint name="j{i}" type="{kind}"><parent link="l{rng.randrange(i)}"/><child link="l{i}"/>'
        text += f'<origin xyz="{some(3, 0.5)}" rpy="{some(3, 3)}"/><axis xyz="{some(3)}"/>'
        if kind in ("revolute", "prismatic"):
            text += '<limit lower="-3" upper="3" effort="1" velocity="1"/>'
        if FREEDOMS[kind] == 1:
            text += f'<dynamics damping="{rng.uniform(0, 1)!r}"/>'
            if movable and rng.random() < 0.3:
                text += f'<mimic joint="{rng.choice(movable)}" multiplier="{rng.uniform(-2, 2)!r}" offset="{rng.choice([0, 0.1])}"/>'
            else:
                movable.append(f"j{i}")
        text += "</joint>\n"
    return text + "</robot>\n"

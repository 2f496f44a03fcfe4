# SPDX-License-Identifier: Apache-2.0
"""Robots beside DART and Simbody: masses, freedoms, positions, velocities and accelerations, at rest and at random states, and what
forward dynamics and its derivatives cost.

    ./dev bench peers robots [TREES]

The ten robots of examples/robots and random trees (100 unless said), each with the same state in all programs. Differences are relative to the
largest number of their kind in the robot. DART reads the same file, but no planar joints; Simbody reads none and is told the tree as the
independent reader of the tests finds it.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
import warnings
import xml.etree.ElementTree as xml
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "python"))

import numpy as np  # noqa: E402
from urdf_reference import FREEDOMS, Robot, random_tree  # noqa: E402

import trammel  # noqa: E402

ROBOTS = ROOT / "examples" / "robots"
FLOATING = {"walker", "drone"}
LIMIT = 1e-9
KINDS = ("mass", "pose", "velocity", "acceleration")


def called(name: str) -> str:
    return name.replace("/", "_")


def without_shapes(file: Path, folder: Path) -> Path:
    """DART ends the program where a mesh is mirrored; shapes do not move anything."""
    tree = xml.parse(file)
    for link in tree.getroot().findall("link"):
        for shape in [*link.findall("visual"), *link.findall("collision")]:
            link.remove(shape)
    tree.write(folder / file.name)
    return folder / file.name


def tree_of(robot: Robot) -> list[str]:
    """For Simbody: one line per link, parents first."""

    def line(link: str, parent: str, joint: str, kind: str, p: Any, R: Any, axis: Any) -> str:
        own = robot.links[link]
        found = np.concatenate([p, np.ravel(R), axis, [own.mass], own.center, own.inertia.ravel()])
        return " ".join(["link", link, parent, joint, kind, *(repr(float(x)) for x in found)])

    lines = [line(robot.root, "world", "@base", "floating" if robot.floating else "fixed", np.zeros(3), np.eye(3), [0, 0, 1])]
    return [*lines, *(line(j.child, j.parent, j.name, j.kind, j.p, j.R, j.axis) for j in robot.order), "tree"]


class Peer:
    """Another program with the robot: says its mass and freedoms, then answers states."""

    def __init__(self, command: list[str], tree: list[str]):
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        self.tell(tree)
        self.said = {}
        for key in ("mass", "dofs"):
            word, value = self.next_line().split()
            assert word == key
            self.said[key] = float(value)

    def tell(self, lines: list[str]) -> None:
        self.process.stdin.write("".join(f"{line}\n" for line in lines))  # type: ignore[union-attr]
        self.process.stdin.flush()  # type: ignore[union-attr]

    def next_line(self) -> str:
        line = self.process.stdout.readline()  # type: ignore[union-attr]
        if not line:
            raise RuntimeError(f"{self.process.args} does not take this robot")
        return line

    def ask(self, state: list[str]) -> tuple[dict[str, np.ndarray], list[float]]:
        """Motion of the links; seconds of one forward dynamics and of its derivatives."""
        self.tell([*state, "go"])
        links = {}
        while (line := self.next_line()).startswith("link"):
            _, name, *numbers = line.split()
            links[name] = np.array(numbers, dtype=float)
        assert self.next_line().strip() == "done"
        return links, [float(x) for x in line.split()[1:]]

    def close(self) -> None:
        self.process.stdin.close()  # type: ignore[union-attr]
        self.process.wait()


def compare(programs: dict[str, str], file: Path, floating: bool, seeds: range) -> dict[str, Any]:
    robot = Robot(file, floating)
    model = trammel.Model("robot", gravity=[0, 0, -9.81])
    model.include(str(file), base="floating" if floating else "fixed", packages=[str(ROBOTS.parent)])
    ours = trammel.MachineFunctions(model, coordinates="joint")
    with tempfile.TemporaryDirectory() as folder:
        peers = {"Simbody": Peer([programs["Simbody"]], tree_of(robot))}
        if all(joint.kind != "planar" for joint in robot.order):
            bare = without_shapes(file, Path(folder))
            peers["DART"] = Peer([programs["DART"], str(bare), "floating" if floating else "fixed"], [])
    worst: dict[str, Any] = dict.fromkeys(KINDS, 0.0)
    for name, peer in peers.items():
        worst["mass"] = max(worst["mass"], abs(ours.momentum(ours.q).mass / peer.said["mass"] - 1))
        assert peer.said["dofs"] == ours.nv, f"{file.name}: {name} has {peer.said['dofs']} freedoms, here {ours.nv}"
    index = {}
    for k, name in enumerate(ours.coordinate_names):
        for joint in robot.joints.values():
            if FREEDOMS[joint.kind] == 1 and name.rsplit(".", 1)[0] in (called(joint.name), called(joint.name) + "_joint"):
                index[joint.name] = k
    for seed in seeds:
        rng = np.random.default_rng(seed)
        q = np.zeros(ours.nv) if seed == 0 else rng.uniform(-0.5, 0.5, ours.nv)
        v = np.zeros(ours.nv) if seed == 0 else rng.uniform(-2, 2, ours.nv)
        state = []
        for joint in robot.order:
            if joint.mimic or joint.name not in index:
                continue
            if joint.limits:
                k = index[joint.name]
                q[k] = min(max(q[k], joint.limits[0] + 1e-3), joint.limits[1] - 1e-3)
        for joint in robot.order:
            chain, at = [], joint
            while at.mimic:
                chain.append(at)
                at = robot.joints[at.mimic[0]]
            for one in reversed(chain):
                other, factor, offset = one.mimic  # type: ignore[misc]
                q[index[one.name]], v[index[one.name]] = factor * q[index[other]] + offset, factor * v[index[other]]
        # Of what has several freedoms the pose is told, and its rate.
        free = [joint.child for joint in robot.order if FREEDOMS[joint.kind] > 1]
        for joint in robot.order:
            if FREEDOMS[joint.kind] == 1:
                k = index[joint.name]
                state.append(f"joint {joint.name} {q[k]!r} {v[k]!r} {joint.damping!r} {joint.friction!r}")
                if joint.mimic:
                    state.append(f"mimic {joint.name} {joint.mimic[0]} {joint.mimic[1]!r}")
            # Parents first: velocities are relative to the world.
            if joint.child in free:
                state.append(free_line(ours, joint.child, q, v))
        if floating:
            state.insert(0, free_line(ours, robot.root, q, v))
        a = ours.forward_dynamics(q, v).a
        for peer_name, peer in peers.items():
            links, worst[peer_name] = peer.ask(state)
            found: dict[str, np.ndarray] = {}
            for name in links:
                at_frame = ours.frame(called(name), q, v)
                J, rate = at_frame.J, at_frame.J_rate
                found[name] = np.concatenate([at_frame.p, at_frame.R.ravel(), J @ v, J @ a + rate @ v])
            for kind, part in (("pose", slice(0, 12)), ("velocity", slice(12, 18)), ("acceleration", slice(18, 24))):
                size = max(np.abs(x[part]).max() for x in links.values()) + 1e-12
                error = max(np.abs(found[n][part] - links[n][part]).max() for n in links) / size
                worst[kind] = max(worst[kind], float(error))
    for peer in peers.values():
        peer.close()
    worst["ours"] = [measure(ours.forward_dynamics, q, v, 10000), measure(ours.forward_derivatives, q, v, 2000)]
    worst["links"], worst["freedoms"] = len(robot.links), ours.nv
    return worst


def measure(call: Any, q: np.ndarray, v: np.ndarray, n: int) -> float:
    """Seconds of the processor per state, of n states at once."""
    begin = time.process_time()
    call(np.repeat(q[None], n, 0), np.repeat(v[None], n, 0))
    return (time.process_time() - begin) / n


def free_line(ours: Any, link: str, q: np.ndarray, v: np.ndarray) -> str:
    at = ours.frame(called(link), q, v)
    return "free " + " ".join([link, *(repr(float(x)) for x in np.concatenate([at.p, at.R.ravel(), at.J @ v]))])


def main() -> int:
    warnings.simplefilter("ignore")  # what is left out of the files
    programs = {"DART": sys.argv[1], "Simbody": sys.argv[2]}
    trees = int(sys.argv[3]) if len(sys.argv) > 3 else 100
    print("                                                                    forward dynamics [µs]    its derivatives [µs]")
    print("               links freedoms    mass    pose velocity acceleration   ours   DART Simbody   ours   DART Simbody")
    worst = 0.0
    for file in sorted(ROBOTS.glob("*.urdf")):
        r = compare(programs, file, file.stem in FLOATING, range(6))
        costs = [[1e6 * r[who][k] if who in r else np.nan for who in ("ours", "DART", "Simbody")] for k in range(2)]
        print(
            f"{file.stem:14} {r['links']:5} {r['freedoms']:8} {r['mass']:7.1e} {r['pose']:7.1e} {r['velocity']:8.1e} {r['acceleration']:12.1e} "
            + " ".join(f"{x:6.2f}" for x in costs[0])
            + "  "
            + " ".join(f"{x:6.1f}" for x in costs[1]),
            flush=True,
        )
        worst = max(worst, *(r[k] for k in KINDS))
    of_trees = dict.fromkeys(KINDS, 0.0)
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(1000, 1000 + trees):
            file = Path(folder) / f"tree_{seed}.urdf"
            file.write_text(random_tree(seed, "revolute continuous prismatic fixed floating" + (" planar" if seed % 4 == 0 else "")))
            r = compare(programs, file, seed % 3 == 0, range(3))
            for key in of_trees:
                of_trees[key] = max(of_trees[key], r[key])
    print(f"{trees} random trees, largest: " + ", ".join(f"{key} {value:.1e}" for key, value in of_trees.items()))
    worst = max(worst, *of_trees.values())
    print(f"largest difference {worst:.1e}, limit {LIMIT:.0e}: {'fine' if worst <= LIMIT else 'TOO LARGE'}")
    return 0 if worst <= LIMIT else 1


if __name__ == "__main__":
    sys.exit(main())

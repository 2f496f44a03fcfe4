# SPDX-License-Identifier: Apache-2.0
"""Robots beside DART: masses, joints, positions, velocities and accelerations, at rest and at random states, and what forward dynamics costs.

    ./dev bench peers robots [TREES]

The ten robots of examples/robots and random trees (100 unless said), each with the same state in both programs. Differences are relative to the
largest number of their kind in the robot. DART reads no planar joints.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
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


class Dart:
    def __init__(self, program: str, file: Path, floating: bool):
        base = "floating" if floating else "fixed"
        self.folder = tempfile.TemporaryDirectory()
        bare = without_shapes(file, Path(self.folder.name))
        self.process = subprocess.Popen(
            [program, str(bare), base], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        self.said = {}
        for key in ("mass", "joints", "dofs"):
            word, value = self.next_line().split()
            assert word == key
            self.said[key] = float(value)

    def next_line(self) -> str:
        line = self.process.stdout.readline()  # type: ignore[union-attr]
        if not line:
            raise RuntimeError("DART does not read this robot")
        return line

    def ask(self, state: list[str]) -> tuple[dict[str, np.ndarray], float]:
        self.process.stdin.write("\n".join([*state, "go"]) + "\n")  # type: ignore[union-attr]
        self.process.stdin.flush()  # type: ignore[union-attr]
        links = {}
        while (line := self.next_line()).startswith("link"):
            _, name, *numbers = line.split()
            links[name] = np.array(numbers, dtype=float)
        seconds = float(line.split()[1])
        assert self.next_line().strip() == "done"
        return links, seconds

    def close(self) -> None:
        self.process.stdin.close()  # type: ignore[union-attr]
        self.process.wait()
        self.folder.cleanup()


def compare(program: str, file: Path, floating: bool, seeds: range) -> dict[str, float]:
    robot = Robot(file, floating)
    model = trammel.Model("robot", gravity=[0, 0, -9.81])
    model.include(str(file), base="floating" if floating else "fixed", packages=[str(ROBOTS.parent)])
    ours = trammel.MachineFunctions(model, coordinates="joint")
    dart = Dart(program, file, floating)
    massless = {name for name, link in robot.links.items() if link.mass == 0}
    worst = {"mass": abs(ours.momentum(ours.q).mass / dart.said["mass"] - 1), "pose": 0.0, "velocity": 0.0, "acceleration": 0.0}
    index = {}
    for k, name in enumerate(ours.coordinate_names):
        for joint in robot.joints.values():
            if FREEDOMS[joint.kind] == 1 and name.rsplit(".", 1)[0] in (called(joint.name), called(joint.name) + "_joint"):
                index[joint.name] = k
    assert dart.said["dofs"] == ours.nv, f"{file.name}: {dart.said['dofs']} freedoms, here {ours.nv}"
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
        # A robot that hangs on the world is free at its root in DART.
        free = [joint.child for joint in robot.order if joint.kind == "floating"] + ([robot.root] if floating else [])
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
        links, seconds = dart.ask(state)
        a = ours.forward_dynamics(q, v).a
        found: dict[str, np.ndarray] = {}
        for name in links:
            at_frame = ours.frame(called(name), q, v)
            J, rate = at_frame.J, at_frame.J_rate
            found[name] = np.concatenate([at_frame.p, at_frame.R.ravel(), J @ v, J @ a + rate @ v])
        for kind, part in (("pose", slice(0, 12)), ("velocity", slice(12, 18)), ("acceleration", slice(18, 24))):
            size = max(np.abs(x[part]).max() for x in links.values()) + 1e-12
            error = max(np.abs(found[n][part] - links[n][part]).max() for n in links) / size
            worst[kind] = max(worst[kind], float(error))
    dart.close()
    begin = time.process_time()
    n = 10000
    ours.forward_dynamics(np.repeat(q[None], n, 0), np.repeat(v[None], n, 0))
    worst["ours"], worst["dart"] = (time.process_time() - begin) / n, seconds
    worst["links"], worst["freedoms"] = len(robot.links), ours.nv
    worst["merged"] = len(massless)
    return worst


def free_line(ours: Any, link: str, q: np.ndarray, v: np.ndarray) -> str:
    at = ours.frame(called(link), q, v)
    return "free " + " ".join([link, *(repr(float(x)) for x in np.concatenate([at.p, at.R.ravel(), at.J @ v]))])


def main() -> int:
    program, trees = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 100
    print("                 links freedoms     mass     pose  velocity  acceleration   forward dynamics [µs]: ours, DART")
    worst = 0.0
    for file in sorted(ROBOTS.glob("*.urdf")):
        if "planar" in file.read_text():
            print(f"{file.stem:16} has a planar joint, which DART does not read")
            continue
        r = compare(program, file, file.stem in FLOATING, range(6))
        print(
            f"{file.stem:16} {r['links']:5} {r['freedoms']:8} {r['mass']:8.1e} {r['pose']:8.1e} {r['velocity']:9.1e} "
            f"{r['acceleration']:13.1e}   {1e6 * r['ours']:8.2f} {1e6 * r['dart']:8.2f}"
        )
        worst = max(worst, *(r[k] for k in ("mass", "pose", "velocity", "acceleration")))
    of_trees = dict.fromkeys(("mass", "pose", "velocity", "acceleration"), 0.0)
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(1000, 1000 + trees):
            file = Path(folder) / f"tree_{seed}.urdf"
            file.write_text(random_tree(seed, "revolute continuous prismatic fixed floating"))
            r = compare(program, file, seed % 3 == 0, range(3))
            for key in of_trees:
                of_trees[key] = max(of_trees[key], r[key])
    print(f"{trees} random trees, largest: " + ", ".join(f"{key} {value:.1e}" for key, value in of_trees.items()))
    worst = max(worst, *of_trees.values())
    print(f"largest difference {worst:.1e}, limit {LIMIT:.0e}: {'fine' if worst <= LIMIT else 'TOO LARGE'}")
    return 0 if worst <= LIMIT else 1


if __name__ == "__main__":
    sys.exit(main())

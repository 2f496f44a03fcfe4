# SPDX-License-Identifier: Apache-2.0
"""What the program chooses, beside the methods that it chooses from: costs at equal error.

    ./dev bench default [MODEL.toml ...] [--limit SECONDS] [--generated N] [--seed FIRST] [--work FOLDER] [--half 0|1]
                        [--also FOLDER ...]

For each machine `trammel compare` runs every method at five tolerances. The cost of a method at an error (1e-3, 1e-5 and 1e-7 of the
motion's extent, largest over all frames) is interpolated in logarithms; printed is that of the choice over the cheapest.
Cost is the time of the processor, the least of several runs where one takes a moment: counters of instructions are not everywhere.
Machines are those of examples/ and of the folders in --also, or those named, or random ones: trees and loops of links with springs, dampers,
bushings, contacts and beams.
Tables are kept in a folder, by model and program, so that what was interrupted goes on where it was. A rule is developed on the machines of one
half and judged on those of the other: they are dealt out by their names.
"""

import argparse
import hashlib
import json
import math
import pathlib
import random
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TOLERANCES = "1e-2,1e-3,1e-5,1e-7,1e-8,1e-9"
ERRORS = (1e-3, 1e-5, 1e-7)
# Too large for a matrix of methods: they have benchmarks of their own.
TOO_LARGE = {"chain.toml", "net.toml"}


def cost_at(runs, error):
    """Seconds for an error, by a line through logarithms; None: not reached."""
    best, before = None, None
    for run in sorted(runs, key=lambda r: -r["rtol"]):
        found, seconds = run["error"], max(run["time"], 1e-9)
        if found is None:
            continue
        if found <= error and (best is None or seconds < best):
            best = seconds
        if before and before[0] > error >= found > 0:
            part = math.log(error / before[0]) / math.log(found / before[0])
            best = min(best, math.exp((1 - part) * math.log(before[1]) + part * math.log(seconds)))
        before = (found, seconds)
    return best


def compare(program, model, limit, folder):
    """The table of a machine, from the folder if it was made before; a list of lines: why there is none."""
    about = hashlib.sha256(pathlib.Path(program).read_bytes() + model.read_bytes() + f"{TOLERANCES} {limit}".encode()).hexdigest()[:16]
    kept = folder / f"{model.stem}-{about}.json"
    if not kept.exists():
        table = folder / f".{model.stem}-{about}.part.json"
        done = subprocess.run(
            [program, "compare", str(model), "--tolerances", TOLERANCES, "--limit", str(limit), "--give-up", "5", "--quiet", "--table", str(table)],
            capture_output=True, text=True)
        if table.exists():
            table.rename(kept)
        else:
            kept.write_text(json.dumps(done.stderr.strip().splitlines()[-1:]))
    return json.loads(kept.read_text())


def half_of(name):
    return hashlib.sha256(name.encode()).digest()[0] % 2


def judge(result, limit):
    """(ratios of the choice over the cheapest by error, its words, the cheapest methods). A choice that did not get there within the longest
    run counts as that."""
    by_setting = {}
    for run in result["runs"]:
        by_setting.setdefault(run["setting"], []).append(run)
    chosen = next((r["chosen"] for r in result["runs"] if r["setting"] == "auto"), "failed")
    ratios, cheapest = [], []
    for error in ERRORS:
        costs = {name: cost_at(runs, error * result["extent"]) for name, runs in by_setting.items()}
        costs = {name: cost for name, cost in costs.items() if cost}
        if not costs:
            continue
        best = min(costs, key=costs.get)
        ratios.append(costs.get("auto", max(limit, costs[best])) / costs[best])
        cheapest.append(best)
    return ratios, chosen, cheapest


def random_machine(seed):
    """A tree of links, with or without a loop, springs, dampers, a mount on bushings, a ball that strikes the floor, a beam."""
    draw = random.Random(seed)
    n = draw.randint(2, 6)
    text = ["gravity = [0, 0, -9.81]"]
    ground = "ground"
    if draw.random() < 0.25:  # the tree stands on a mount
        k, c = 10 ** draw.uniform(4, 7), 10 ** draw.uniform(1, 4)
        text.append(f'[[body]]\nname = "mount"\nmass = 5\ninertia = [0.2, 0.2, 0.2]\n[[force]]\nname = "feet"\nkind = "bushing"\n'
                    f'bodies = ["ground", "mount"]\npoint = [0, 0, 0]\nK = [{k}, {k}, {2 * k}, {0.1 * k}, {0.1 * k}, {0.1 * k}]\n'
                    f"C = [{c}, {c}, {c}, {0.1 * c}, {0.1 * c}, {0.1 * c}]")
        ground = "mount"
    parents, tips = [], [(0.0, 0.0, 0.0)]
    for i in range(n):
        parent = draw.randint(max(0, i - 2), i) if i else 0
        x, y, z = tips[parent]
        length, turn, rise = draw.uniform(0.3, 1.0), draw.uniform(-1.0, 1.0), draw.uniform(-1.2, 0.4)
        d = (length * math.cos(turn) * math.cos(rise), length * math.sin(turn) * math.cos(rise), length * math.sin(rise))
        mass = draw.uniform(0.3, 4.0)
        j = mass * length * length / 12
        text.append(f'[[body]]\nname = "link_{i}"\nmass = {mass}\ninertia = [{j}, {0.9 * j}, {0.8 * j}]\n'
                    f'position = [{x + d[0] / 2}, {y + d[1] / 2}, {z + d[2] / 2}]')
        axis = [draw.uniform(-1, 1) for _ in range(3)]
        kind = draw.choice(["revolute", "revolute", "revolute", "spherical"])
        a = ground if parent == 0 else f"link_{parents[parent - 1]}"
        text.append(f'[[joint]]\nname = "joint_{i}"\nkind = "{kind}"\nbodies = ["{a}", "link_{i}"]\npoint = [{x}, {y}, {z}]'
                    + (f"\naxis = {axis}" if kind == "revolute" else ""))
        parents.append(i)
        tips.append((x + d[0], y + d[1], z + d[2]))
    for k in range(draw.randint(0, 3)):
        i = draw.randrange(n)
        stiffness, damping = 10 ** draw.uniform(1, 7), 10 ** draw.uniform(-1, 4)
        tip = tips[i + 1]
        text.append(f'[[force]]\nname = "spring_{k}"\nkind = "spring_damper"\nbodies = ["ground", "link_{i}"]\n'
                    f'point_a = [{tip[0] + 0.5}, {tip[1]}, {tip[2] + 0.8}]\npoint_b = [{tip[0]}, {tip[1]}, {tip[2]}]\n'
                    f"stiffness = {stiffness}\ndamping = {damping}")
    tip = tips[-1]
    if draw.random() < 0.4:  # rods from tips to the ground close loops
        for k, i in enumerate(sorted(draw.sample(range(n), draw.randint(1, max(1, n // 3))))):
            x, y, z = tips[i + 1]
            text.append(f'[[joint]]\nname = "rod_{k}"\nkind = "distance"\nbodies = ["ground", "link_{i}"]\n'
                        f'point = [{x + 0.6}, {y - 0.3}, {z + 0.5}]\npoint_b = [{x}, {y}, {z}]')
    if draw.random() < 0.2:
        text.append(f'[[geometry]]\nname = "ball"\nbody = "link_{n - 1}"\nkind = "sphere"\nradius = 0.1\n'
                    f'[[geometry]]\nname = "floor"\nkind = "plane"\nposition = [0, 0, {tip[2] - 0.3 - draw.uniform(0.0, 0.3)}]\n'
                    f'[[contact]]\nname = "strike"\nbetween = ["ball", "floor"]\nlaw = "hunt_crossley"\n'
                    f"stiffness = {10 ** draw.uniform(3, 7)}\ndamping_factor = 0.3")
    if draw.random() < 0.15:
        elements = draw.randint(1, 3)
        text.append(f'[[beam]]\nname = "whip"\npoints = [[{tip[0]}, {tip[1]}, {tip[2]}], [{tip[0] + 0.5}, {tip[1]}, {tip[2]}]]\n'
                    f'elements = {elements}\nsection = {{ kind = "rectangle", width = 0.01, height = 0.02 }}\n'
                    f"material = {{ young = {10 ** draw.uniform(7, 11)}, poisson = 0.3, density = 2700 }}\n"
                    f'[[joint]]\nname = "clamp"\nkind = "fixed"\nbodies = ["link_{n - 1}", "whip_0"]\npoint = [{tip[0]}, {tip[1]}, {tip[2]}]')
    text.append(f"[analysis]\nend = {draw.choice([0.5, 1, 2])}")
    return "\n".join(text) + "\n"


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("models", nargs="*")
    words.add_argument("--program", default=str(ROOT / "build/release/bin/trammel"))
    words.add_argument("--limit", type=float, default=2.0, help="longest run [s]")
    words.add_argument("--work", type=pathlib.Path, default=ROOT / "build/bench_default", help="folder of tables")
    words.add_argument("--half", type=int, choices=(0, 1), help="machines of one half")
    words.add_argument("--also", type=pathlib.Path, nargs="*", default=[], help="folders of more models")
    words.add_argument("--generated", type=int, default=0, help="random machines instead")
    words.add_argument("--seed", type=int, default=1)
    given = words.parse_args()
    folder = given.work
    folder.mkdir(parents=True, exist_ok=True)
    models = [pathlib.Path(m) for m in given.models]
    if given.generated:
        for seed in range(given.seed, given.seed + given.generated):
            models.append(folder / f"machine_{seed}.toml")
            models[-1].write_text(random_machine(seed))
    elif not models:
        folders = [ROOT / "examples/models", *sorted(ROOT.glob("examples/[0-9]*")), *given.also]
        models = [p for folder in folders for p in sorted(folder.glob("*.toml")) if p.name not in TOO_LARGE]
    if given.half is not None:
        models = [m for m in models if half_of(m.stem) == given.half]
    everything, machines, worst = [], 0, []
    for model in models:
        result = compare(given.program, model, given.limit, folder)
        if isinstance(result, list):
            print(f"{model.stem:<28} no reference: {' '.join(result)[:100]}", flush=True)
            continue
        ratios, chosen, cheapest = judge(result, given.limit)
        machines += 1
        everything += ratios
        worst.append(max(ratios, default=math.inf))
        print(f"{model.stem:<28} {' '.join(f'{r:6.2f}' for r in ratios):<24} {chosen}; cheapest: {', '.join(dict.fromkeys(cheapest))}",
              flush=True)
    everything.sort()
    if everything:
        part = lambda limit: 100 * sum(r <= limit for r in everything) / len(everything)
        print(f"\n{machines} machines, {len(everything)} points: median {everything[len(everything) // 2]:.2f}, within 1.5: {part(1.5):.0f} %, "
              f"within 2: {part(2):.0f} %, largest {everything[-1]:.2f}; machines with all their points within 1.5: "
              f"{sum(w <= 1.5 for w in worst)}, within 2: {sum(w <= 2 for w in worst)}")


if __name__ == "__main__":
    sys.exit(main())

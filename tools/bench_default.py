# SPDX-License-Identifier: Apache-2.0
"""What the program chooses, beside the methods that it chooses from: costs at equal error.

    ./dev bench default [MODEL.toml ...] [--limit SECONDS] [--generated N] [--seed FIRST]

For each machine `trammel compare` runs every method at four tolerances. The cost of a method at an error (1e-3, 1e-5 and 1e-7 of the
motion's extent, largest over all frames) is interpolated in logarithms; printed is that of the choice over the cheapest.
Machines are those of examples/, or those named, or random ones: trees and loops of hinged links with springs, dampers, bushings and stops.
"""

import argparse
import json
import math
import pathlib
import random
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
TOLERANCES = "1e-3,1e-5,1e-7,1e-8"
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


def compare(program, model, limit):
    table = pathlib.Path(tempfile.mkdtemp()) / "table.json"
    done = subprocess.run(
        [program, "compare", str(model), "--tolerances", TOLERANCES, "--limit", str(limit), "--quiet", "--table", str(table)],
        capture_output=True, text=True)
    return json.loads(table.read_text()) if table.exists() else done.stderr.strip().splitlines()[-1:]


def judge(result):
    """(ratios of the choice over the cheapest by error, its words, the cheapest methods)."""
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
        ratios.append(costs["auto"] / costs[best] if "auto" in costs else math.inf)
        cheapest.append(best)
    return ratios, chosen, cheapest


def random_machine(seed):
    """A tree of hinged links, with or without a loop, springs and dampers of random stiffness, sometimes a stop or a bushing."""
    draw = random.Random(seed)
    n = draw.randint(2, 6)
    text = ["gravity = [0, 0, -9.81]"]
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
        a = "ground" if parent == 0 else f"link_{parents[parent - 1]}"
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
    if draw.random() < 0.4:  # a rod from the last tip to the ground closes a loop
        tip = tips[-1]
        text.append(f'[[joint]]\nname = "rod"\nkind = "distance"\nbodies = ["ground", "link_{n - 1}"]\n'
                    f'point = [{tip[0] + 0.6}, {tip[1] - 0.3}, {tip[2] + 0.5}]\npoint_b = [{tip[0]}, {tip[1]}, {tip[2]}]')
    text.append(f"[analysis]\nend = {draw.choice([1, 2, 4])}")
    return "\n".join(text) + "\n"


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("models", nargs="*")
    words.add_argument("--program", default=str(ROOT / "build/release/bin/trammel"))
    words.add_argument("--limit", type=float, default=5.0, help="longest run [s]")
    words.add_argument("--generated", type=int, default=0, help="random machines instead")
    words.add_argument("--seed", type=int, default=1)
    given = words.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp())
    models = [pathlib.Path(m) for m in given.models]
    if given.generated:
        for seed in range(given.seed, given.seed + given.generated):
            models.append(folder / f"machine_{seed}.toml")
            models[-1].write_text(random_machine(seed))
    elif not models:
        models = sorted(p for p in [*ROOT.glob("examples/[0-9]*/*.toml"), *ROOT.glob("examples/models/*.toml")]
                        if p.name not in TOO_LARGE)
    everything, machines = [], 0
    for model in models:
        result = compare(given.program, model, given.limit)
        if isinstance(result, list):
            print(f"{model.stem:<28} no reference: {' '.join(result)[:100]}", flush=True)
            continue
        ratios, chosen, cheapest = judge(result)
        machines += 1
        everything += ratios
        print(f"{model.stem:<28} {' '.join(f'{r:6.2f}' for r in ratios):<24} {chosen}; cheapest: {', '.join(dict.fromkeys(cheapest))}",
              flush=True)
    everything.sort()
    if everything:
        part = lambda limit: 100 * sum(r <= limit for r in everything) / len(everything)
        print(f"\n{machines} machines, {len(everything)} points: median {everything[len(everything) // 2]:.2f}, within 1.5: {part(1.5):.0f} %, "
              f"within 2: {part(2):.0f} %, largest {everything[-1]:.2f}")


if __name__ == "__main__":
    sys.exit(main())

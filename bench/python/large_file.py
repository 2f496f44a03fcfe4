# SPDX-License-Identifier: Apache-2.0
"""Reads one channel of a results file of 1 GB.

    ./dev python bench/python/large_file.py [FILE.h5]

Without a file one is made (a fan of 1000 pendulums, some 4000 frames, half a minute) and removed. Each reading is done by
a new interpreter: `import` is not counted, opening the file and finding the channel are. The pages of the file are in
memory, as they are after the run that wrote it; give a FILE.h5 and drop the caches before for a cold disk.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import trammel

READ = """
import sys, time, trammel
begin = time.perf_counter()
results = trammel.open(sys.argv[1])
opened = time.perf_counter()
values = results[sys.argv[2]]
print(opened - begin, time.perf_counter() - opened, *values.shape)
"""


def make(path: Path, n: int = 1000) -> None:
    model = trammel.Model("Pendulums", gravity=[0, 0, -9.81])
    for i in range(n):
        model.body(f"bob_{i}", kind="particle", mass=1, position=[1, 0.1 * i, 0])
        points = {"point": [0, 0.1 * i, 0], "point_b": [1, 0.1 * i, 0]}
        model.joint(f"rod_{i}", kind="distance", bodies=["ground", f"bob_{i}"], **points)
    model.analysis(end=6).solver(h=5e-3).output(interval=1.1e-3).run(file=path)


def main() -> None:
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(scratch) / "large.h5"
        if not path.exists():
            make(path)
        results = trammel.open(path)
        names = results.channels
        print(f"{path.stat().st_size / 1e9:.2f} GB, {len(results)} frames, {len(names)} channels")
        for channel in ["bob_500.position", "bob_500.position.z", "energy.total", "solver.h"]:
            times = []
            for _ in range(5):
                call = [sys.executable, "-c", READ, str(path), channel]
                opening, reading, *shape = subprocess.run(call, capture_output=True, check=True).stdout.split()
                times.append((float(opening) + float(reading), float(opening), float(reading)))
            total, opening, reading = (statistics.median(column) for column in zip(*times))
            size = b" x ".join(shape).decode()
            print(f"{channel:20} {size:10} open {opening:.3f} s, read {reading:.3f} s, together {total:.3f} s")


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: Apache-2.0
"""Reads random numbers of a results file with h5py, apart from all of our own code.

    python3 sample_channels.py FILE.h5 COUNT SEED

prints a JSON list of [channel, row, value].
"""

import json
import random
import sys

import h5py


def channel_name(view, quantity, item):
    """The dotted name of docs/results.md: "/bodies/{name}/position" -> "rod.position"."""
    folders = view.strip("/").split("/")
    if folders[-1] == "{name}":
        return ".".join(folders[:-1] + [item])
    return ".".join([item] + folders[folders.index("{name}") + 1 :])


def main(path, count, seed):
    pick = random.Random(seed)
    samples = []
    with h5py.File(path, "r") as file:
        groups = list(file["/frames"])
        for _ in range(count):
            quantity = pick.choice(groups)
            table = file["/frames"][quantity]
            names = file["/names"][quantity].asstr()[:]
            components = [text.decode() for text in table.attrs.get("components", [])]
            row, item, component = (pick.randrange(n) for n in table.shape)
            name = channel_name(table.attrs["view"].decode(), quantity, names[item])
            if components:
                name += "." + components[component]
            samples.append([name, row, float(table[row, item, component])])
    json.dump(samples, sys.stdout)


main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))

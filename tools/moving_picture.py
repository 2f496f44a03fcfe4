# SPDX-License-Identifier: Apache-2.0
"""Writes the moving picture of the README: the slider crank over one turn, as an SVG that browsers animate.

    PYTHONPATH=build/release/python python3 tools/moving_picture.py examples/03_slider_crank/slider_crank.toml OUT.svg
"""

from __future__ import annotations

import sys

import numpy as np

import trammel

SCALE, MARGIN, FRAMES = 900, 40, 60  # [px/m], [px]




def main() -> None:
    results = trammel.run(sys.argv[1])
    crank = results["crank.position"]
    turned = np.unwrap(np.arctan2(crank[:, 2], crank[:, 0]))
    last = np.searchsorted(turned, turned[-1] - 2 * np.pi)  # the last turn: the start is slow
    rows = np.linspace(last, len(results) - 1, FRAMES).astype(int)
    pin = 2 * crank[rows]  # a uniform crank on the origin
    slider = results["slider.position"][rows]
    points = np.concatenate([pin, slider, np.zeros((1, 3))])
    low, high = points[:, [0, 2]].min(0), points[:, [0, 2]].max(0)

    def place(p: np.ndarray) -> str:
        return f"{(p[0] - low[0]) * SCALE + MARGIN:.1f},{(high[1] - p[2]) * SCALE + MARGIN:.1f}"

    width, height = (high - low) * SCALE + 2 * MARGIN
    origin = place(np.zeros(3))
    lines = ";".join(f"{origin} {place(a)} {place(b)}" for a, b in zip(pin, slider))
    xs = ";".join(f"{float(place(b).split(',')[0]) - 22:.1f}" for b in slider)
    y = float(place(slider[0]).split(",")[1])
    moving = 'dur="2s" repeatCount="indefinite"'
    first = lines.split(";")[0]
    text = f"""<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}">
<rect width="100%" height="100%" fill="#ffffff"/>
<line x1="0" x2="{width:.0f}" y1="{y + 16:.1f}" y2="{y + 16:.1f}" stroke="#999999" stroke-width="2"/>
<rect x="{xs.split(';')[0]}" y="{y - 15:.1f}" width="44" height="30" rx="4" fill="#0072b2">
<animate attributeName="x" values="{xs}" {moving}/></rect>
<polyline points="{first}" fill="none" stroke="#d55e00" stroke-width="9" stroke-linecap="round" stroke-linejoin="round">
<animate attributeName="points" values="{lines}" {moving}/></polyline>
<circle cx="{origin.split(',')[0]}" cy="{origin.split(',')[1]}" r="8" fill="#333333"/>
</svg>
"""
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        file.write(text)


main()

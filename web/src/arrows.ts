// SPDX-License-Identifier: Apache-2.0
// Axes of bodies, and arrows of reactions and applied forces, all in one scale.
import * as THREE from "three";
import type { Track } from "./data";
import type { Drawing, Layers } from "./drawing";
import { direction, from, hidden, scale, turn, z_axis } from "./drawing";
import type { Motion } from "./motion";
import type { SceneForce, SceneJoint, Vec3 } from "./scene";

/** Where an arrow starts, and which vector of its track it shows. */
interface Arrow {
  place: SceneJoint | SceneForce;
  column: number;
}

export function addAxes(d: Drawing): void {
  const motion = d.motion as Motion;
  const n = motion.count;
  const colors = ["#e5484d", "#46a758", "#3e8bff"];
  const axes: Vec3[] = [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ];
  const shaft = new THREE.CylinderGeometry(0.022, 0.022, 1, 10).rotateX(Math.PI / 2).translate(0, 0, 0.5);
  axes.forEach((axis, k) =>
    d.addBatch(
      "axes",
      shaft,
      colors[k],
      n,
      (i, out) => {
        motion.point(i, [0, 0, 0], from);
        motion.direction(i, axis, direction);
        turn.setFromUnitVectors(z_axis, direction);
        const l = Math.min(0.14 * d.size, Math.max(0.04 * d.size, 0.7 * d.bodyExtent[i]));
        out.compose(from, turn, scale.set(l, l, l));
      },
      true,
    ),
  );
}

/** Arrows of joints' reactions and of applied forces, on the second bodies, all in one scale. */
export function addForces(d: Drawing): void {
  const { reaction, applied } = (d.motion as Motion).animation;
  const { joints, forces } = d.scene;
  const kinds: { layer: keyof Layers; track: Track; at: Arrow[]; color: string }[] = [];
  // Some forces are recorded but sit nowhere; places and columns are matched by name.
  const add = (layer: keyof Layers, quantity: string, track: Track | null, all: (SceneJoint | SceneForce)[], color: string) => {
    const columns = new Map((d.run.quantity(quantity)?.names ?? []).map((name, i) => [name, i]));
    if (!track || track.columns !== 3 * columns.size) return;
    const at = all.flatMap((place) => {
      const column = columns.get(place.name);
      return column === undefined ? [] : [{ place, column }];
    });
    kinds.push({ layer, track, at, color });
  };
  add("reactions", "reaction_force", reaction, joints, "#ff5d3b");
  add("forces", "applied_force", applied, forces, "#9b5de5");
  // What 95 % of the forces stay below is a quarter of the machine long.
  const magnitudes: number[] = [];
  for (const { track } of kinds) {
    const n = track.columns / 3;
    const step = Math.max(1, Math.floor((track.frames * n) / 20000));
    for (let k = 0; k < track.frames * n; k += step) {
      const frame = Math.floor(k / n);
      const f = Math.hypot(...[0, 1, 2].map((c) => track.at(3 * (k % n) + c, frame)));
      if (Number.isFinite(f)) magnitudes.push(f);
    }
  }
  magnitudes.sort((a, b) => a - b);
  const typical = magnitudes[Math.floor(0.95 * (magnitudes.length - 1))] ?? 0;
  if (!(typical > 0)) return;
  d.forceScale = (0.25 * d.size) / typical;
  for (const { layer, track, at, color } of kinds) addArrows(d, layer, track, at, color);
}

function addArrows(d: Drawing, layer: keyof Layers, track: Track, at: Arrow[], color: string): void {
  const motion = d.motion as Motion;
  const shaft = new THREE.CylinderGeometry(1, 1, 1, 14).rotateX(Math.PI / 2).translate(0, 0, 0.5);
  const head = new THREE.ConeGeometry(1, 1, 18).rotateX(Math.PI / 2).translate(0, 0, 0.5);
  const r = 0.0045 * d.size;
  const arrow = (isHead: boolean) => (i: number, out: THREE.Matrix4) => {
    const { place, column } = at[i];
    motion.vector(track, column, direction);
    const l = Math.min(direction.length() * d.forceScale, 0.6 * d.size);
    if (!(l > 0.006 * d.size)) return void out.copy(hidden);
    direction.normalize();
    turn.setFromUnitVectors(z_axis, direction);
    motion.point(place.b, place.point_b, from);
    const tip = Math.min(0.035 * d.size, 0.5 * l);
    if (isHead) out.compose(from.addScaledVector(direction, l - tip), turn, scale.set(2.6 * r, 2.6 * r, tip));
    else out.compose(from, turn, scale.set(r, r, l - tip));
  };
  d.addBatch(layer, shaft, color, at.length, arrow(false), true);
  d.addBatch(layer, head, color, at.length, arrow(true), true);
}

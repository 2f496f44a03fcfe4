// SPDX-License-Identifier: Apache-2.0
// The signs of joints and forces, which the descriptions of their kinds draw as data, and where the ground holds.
import * as THREE from "three";
import type { Drawing, Held } from "./drawing";
import { between, direction, from, scale, to, turn, z_axis } from "./drawing";
import type { Motion } from "./motion";
import type { Picture, PicturePart, SceneJoint } from "./scene";
import { forcePicture, jointPicture } from "./scene";
import { tube, unit } from "./shapes";

function helix(): THREE.BufferGeometry {
  // A coil of radius 1 along z from 0 to 1; stretched as the spring is. Its wire is round at the usual slenderness.
  const turns = 9;
  const slenderness = 12;
  class Coil extends THREE.Curve<THREE.Vector3> {
    constructor() {
      super();
    }
    getPoint(s: number, out = new THREE.Vector3()): THREE.Vector3 {
      const inside = Math.min(1, Math.max(0, (s - 0.12) / 0.76));
      const r = s < 0.1 || s > 0.9 ? 0 : 1;
      const angle = 2 * Math.PI * turns * inside;
      return out.set(r * Math.cos(angle), r * Math.sin(angle), slenderness * s);
    }
  }
  return new THREE.TubeGeometry(new Coil(), 320, 0.17, 8).scale(1, 1, 1 / slenderness);
}

const pictureShapes: Record<PicturePart["shape"], () => THREE.BufferGeometry> = {
  cylinder: unit.cylinder,
  sphere: unit.sphere,
  box: () => new THREE.BoxGeometry(1, 1, 1),
  torus: () => new THREE.TorusGeometry(1, 0.42, 12, 28),
  coil: helix,
  ring: () => tube(1, 0.86, 0.1),
};

/** How large the sign of a joint is: it must fit its bodies, and be seen. */
function jointSize(d: Drawing, a: number, b: number): number {
  const extents = [a, b].filter((body) => body >= 0).map((body) => d.bodyExtent[body]);
  return Math.min(0.016 * d.size, 0.09 * Math.min(...extents, Infinity)) || 0.012 * d.size;
}

/** What the pictures of joints and forces show: parts that look alike are one batch. */
export function addPictures(d: Drawing): void {
  const batches = new Map<string, { part: PicturePart; held: Held[] }>();
  const add = (picture: Picture, held: Held) => {
    for (const part of picture.parts) {
      if (part.place === "solid") continue; // a part of its body
      const key = JSON.stringify(part);
      if (!batches.has(key)) batches.set(key, { part, held: [] });
      batches.get(key)?.held.push(held);
    }
  };
  for (const joint of d.scene.joints) add(jointPicture(d.scene, joint), joint);
  for (const force of d.scene.forces) add(forcePicture(d.scene, force), { ...force, axis_b: force.axis_a });
  for (const { part, held } of batches.values()) addPicture(d, part, held);
}

function addPicture(d: Drawing, part: PicturePart, held: Held[]): void {
  const motion = d.motion as Motion;
  const layer = part.always ? null : "joints";
  const [x, y, z] = part.size;
  const unitOf = (h: Held) =>
    part.unit === "machine" ? d.size : part.unit === "radius" ? (h.radius ?? 0) : Math.max(part.least * d.size, jointSize(d, h.a, h.b));
  const geometry = pictureShapes[part.shape]();
  if (part.place === "point")
    d.addBatch(layer, geometry, part.color, held.length, (i, out) => {
      const r = unitOf(held[i]);
      motion.point(held[i].b, held[i].point_b, from);
      along(d, part, held[i]);
      turn.setFromUnitVectors(z_axis, direction);
      out.compose(from, turn, scale.set(x * r, y * r, z * r));
    });
  if (part.place === "between")
    d.addBatch(layer, geometry, part.color, held.length, (i, out) => {
      motion.point(held[i].a, held[i].point_a, from);
      motion.point(held[i].b, held[i].point_b, to);
      const radius = x * unitOf(held[i]);
      between(from, to, part.slimmest > 0 ? Math.min(radius, part.slimmest * from.distanceTo(to)) : radius, out);
      if (part.shape !== "coil") return;
      // The coil starts at its first point, a bar in its middle.
      direction.subVectors(to, from).multiplyScalar(-0.5);
      out.setPosition(direction.add(out_position.setFromMatrixPosition(out)));
    });
  if (part.place === "ends") {
    const ends = held.flatMap((h) => [
      { held: h, body: h.a, at: h.point_a },
      { held: h, body: h.b, at: h.point_b },
    ]);
    d.addBatch(layer, geometry, part.color, ends.length, (i, out) => {
      motion.point(ends[i].body, ends[i].at, from);
      const r = unitOf(ends[i].held);
      out.compose(from, turn.identity(), scale.set(x * r, y * r, z * r));
    });
  }
  if (part.place === "rail") {
    const reach = held.map((h) => slideOf(d, h));
    d.addBatch(layer, geometry, part.color, held.length, (i, out) => {
      const [low, high] = reach[i];
      const r = unitOf(held[i]);
      motion.point(held[i].a, held[i].point_a, from);
      motion.direction(held[i].a, held[i].axis_a, direction);
      from.addScaledVector(direction, 0.5 * (low + high));
      turn.setFromUnitVectors(z_axis, direction);
      out.compose(from, turn, scale.set(x * r, y * r, high - low));
    });
  }
}

/** The direction of a part's z axis, now. */
function along(d: Drawing, part: PicturePart, held: Held): void {
  const motion = d.motion as Motion;
  const normal = part.along === "normal" ? d.scene.bodies[held.b]?.normal : undefined;
  if (normal) motion.direction(held.b, normal, direction);
  else if (part.along === "axis_b") motion.direction(held.b, held.axis_b, direction);
  else if (part.along === "z") motion.direction(held.b, [0, 0, 1], direction);
  else motion.direction(held.a, held.axis_a, direction);
}


function feetOf(d: Drawing): SceneJoint[] {
  return d.scene.joints.filter((joint) => (joint.a < 0 || joint.b < 0) && jointPicture(d.scene, joint).foot);
}
function footSize(d: Drawing, joint: SceneJoint): number {
  return Math.max(2.4 * jointSize(d, joint.a, joint.b), 0.018 * d.size);
}

/** Heights, along `up`, down to which feet reach. */
export function feetLevels(d: Drawing, up: THREE.Vector3): number[] {
  return feetOf(d).map((joint) => from.set(...(joint.a < 0 ? joint.point_a : joint.point_b)).dot(up) - 1.6 * footSize(d, joint));
}

/** Where the ground holds the machine. */
export function addFeet(d: Drawing): void {
  const feet = feetOf(d);
  d.addBatch("joints", new THREE.ConeGeometry(1, 1.6, 4).rotateX(Math.PI / 2).rotateZ(Math.PI / 4), "#6f7782", feet.length, (i, out) => {
    const joint = feet[i];
    from.set(...(joint.a < 0 ? joint.point_a : joint.point_b));
    const g = direction.set(...d.scene.gravity);
    const r = footSize(d, joint);
    if (g.length() === 0) g.set(0, 0, -1);
    g.normalize();
    turn.setFromUnitVectors(z_axis, g.clone().negate());
    out.compose(from.addScaledVector(g, 0.8 * r), turn, scale.set(r, r, r));
  });
}

/** From where to where a slider moves along its axis over the whole run, with some rail to spare. */
function slideOf(d: Drawing, joint: Held): [number, number] {
  const motion = d.motion as Motion;
  const times = motion.animation.times;
  let low = 0;
  let high = 0;
  const samples = Math.min(200, times.length);
  for (let s = 0; s < samples; ++s) {
    motion.moveTo(times[Math.floor((s * (times.length - 1)) / Math.max(1, samples - 1))]);
    motion.point(joint.a, joint.point_a, from);
    motion.point(joint.b, joint.point_b, to);
    motion.direction(joint.a, joint.axis_a, direction);
    const x = to.sub(from).dot(direction);
    if (!Number.isFinite(x)) continue;
    low = Math.min(low, x);
    high = Math.max(high, x);
  }
  motion.moveTo(times[0]);
  const spare = Math.max(0.06 * d.size, 1.2 * (joint.b >= 0 ? d.bodyExtent[joint.b] : 0));
  return [low - spare, high + spare];
}

const out_position = new THREE.Vector3();

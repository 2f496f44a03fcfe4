// SPDX-License-Identifier: Apache-2.0
// Where a machine is: its size, what it fills during its motion, what is below it, and what would hide it.
import * as THREE from "three";
import type { Drawing } from "./drawing";
import { direction, identity, isFinite, matrix, scale } from "./drawing";
import type { Motion } from "./motion";
import type { Vec3 } from "./scene";
import { attachments, auxiliaryBodies, forcePicture, jointPicture } from "./scene";
import type { Part } from "./shapes";
import { geometryOf, supportOf } from "./shapes";
import { feetLevels } from "./symbols";

/** The diagonal of what is known of the machine at the start: origins and the points of its joints. */
export function drawnSize(d: Drawing): number {
  const box = new THREE.Box3();
  if (!d.motion) return 1;
  const points = attachments(d.scene);
  const auxiliary = auxiliaryBodies(d.scene);
  let widest = 0;
  d.scene.bodies.forEach((body, b) => {
    for (const p of [body.center_of_mass, ...points[b]]) box.expandByPoint(d.point(b, p));
    if (!auxiliary[b]) widest = Math.max(widest, Math.sqrt(Math.max(...body.inertia.slice(0, 3), 0) / body.mass));
  });
  for (const joint of d.scene.joints) if (joint.a < 0) box.expandByPoint(d.point(-1, joint.point_a));
  for (const force of d.scene.forces)
    if (force.a < 0 && forcePicture(d.scene, force).spans_a) box.expandByPoint(d.point(-1, force.point_a));
  for (const shape of d.scene.shapes)
    widest = Math.max(widest, 0.6 * Math.max(...(shape.size ?? [0]), shape.length ?? 0, shape.radius ?? 0));
  const lengthOf = (b: THREE.Box3) => {
    if (b.isEmpty()) return 0;
    const length = b.getSize(new THREE.Vector3()).length();
    return length > 1e-5 * b.max.length() ? length : 0; // what 32 bits leave of a point is no length
  };
  let size = Math.max(lengthOf(box), 2 * widest);
  if (!(size > 0)) {
    // A point that moves is as large as its way tells.
    const { times } = d.motion.animation;
    for (let i = 0; i < times.length; i += Math.max(1, Math.floor(times.length / 200)))
      d.scene.bodies.forEach((body, b) => box.expandByPoint((d.motion as Motion).pointAtFrame(b, body.center_of_mass, i, new THREE.Vector3())));
    size = lengthOf(box);
  }
  return size > 0 && Number.isFinite(size) ? size : 1;
}

/** Walls and boxes that would hide what moves inside of them are seen through, unless the model says otherwise. */
export function seeThrough(d: Drawing, parts: Part[]): void {
  const motion = d.motion as Motion;
  const { times } = motion.animation;
  const candidates = parts.filter((part) => part.opacity === undefined && part.key === "box");
  if (candidates.length === 0) return;
  const p = new THREE.Vector3();
  for (const t of [times[0], times[times.length >> 1], times[times.length - 1]]) {
    motion.moveTo(t);
    for (const part of candidates) {
      const inverse = motion.matrix(part.body, new THREE.Matrix4()).multiply(part.matrix).invert();
      const box = (geometryOf(part).boundingBox as THREE.Box3).clone();
      const wall = part.body < 0 && plateNormal(part) !== null && !isFloor(d, part);
      const inside = () =>
        d.scene.bodies.some((body, b) => b !== part.body && box.containsPoint(motion.point(b, body.center_of_mass, p).applyMatrix4(inverse)));
      if (wall || inside()) part.opacity = 0.22;
    }
  }
  motion.moveTo(times[0]);
}

/** Across a thin plate; null of what is none. */
function plateNormal(part: Part): THREE.Vector3 | null {
  const box = geometryOf(part).boundingBox as THREE.Box3;
  const size = box.getSize(new THREE.Vector3()).multiply(scale.setFromMatrixScale(part.matrix));
  const edges = [size.x, size.y, size.z];
  const thin = edges.indexOf(Math.min(...edges));
  if (edges[thin] > 0.02 * Math.max(...edges)) return null;
  return new THREE.Vector3().setComponent(thin, 1).transformDirection(part.matrix);
}

/** A level plate of the ground with all bodies above it. */
function isFloor(d: Drawing, part: Part): boolean {
  const normal = plateNormal(part);
  if (part.body >= 0 || !normal || Math.abs(normal.dot(d.up)) < 0.999) return false;
  const height = new THREE.Vector3().setFromMatrixPosition(part.matrix).dot(d.up);
  return d.scene.bodies.every((body, b) => d.point(b, body.center_of_mass).dot(d.up) > height);
}

/** The top of the floor that the model draws; null if it draws none. */
export function floorLevel(d: Drawing, parts: Part[], up: THREE.Vector3): number | null {
  const floors = parts.filter((part) => isFloor(d, part));
  if (floors.length === 0) return null;
  return Math.max(...floors.map((part) => -bottom(part, identity, up.clone().negate())));
}

/** Of a part at a pose of its body: its lowest height along `up`. u·(A x + b) is lowest where −Aᵀu·x is largest. */
export function bottom(part: Part, pose: THREE.Matrix4, up: THREE.Vector3): number {
  const e = matrix.multiplyMatrices(pose, part.matrix).elements;
  if (!isFinite(matrix)) return Infinity;
  const along = (k: number) => e[k] * up.x + e[k + 1] * up.y + e[k + 2] * up.z;
  return along(12) - supportOf(part, direction.set(-along(0), -along(4), -along(8)));
}

/**
 * The height, along `up`, of the ground below the machine: the bottom of its base if it has one below it (what never moves, be it
 * drawn on the ground or a body), else the lowest place of anything during the whole motion, feet included.
 */
export function lowest(d: Drawing, parts: Part[], up: THREE.Vector3): number {
  const motion = d.motion;
  if (!motion) return 0;
  const { times } = motion.animation;
  const samples = Math.max(1, Math.min(times.length, Math.ceil(40000 / (parts.length + 1)), 300));
  const low = parts.map(() => Infinity);
  const still = d.scene.bodies.map(() => true);
  const first = d.scene.bodies.map((_, b) => motion.matrix(b, new THREE.Matrix4()));
  for (let s = 0; s < samples; ++s) {
    motion.moveTo(times[Math.floor((s * (times.length - 1)) / Math.max(1, samples - 1))]);
    const poses = d.scene.bodies.map((_, b) => motion.matrix(b, new THREE.Matrix4()));
    poses.forEach((pose, b) => (still[b] &&= pose.elements.every((x, k) => Math.abs(x - first[b].elements[k]) < 1e-5 * d.size)));
    parts.forEach((part, i) => (low[i] = Math.min(low[i], bottom(part, part.body < 0 ? identity : poses[part.body], up))));
  }
  motion.moveTo(times[0]);
  const moving = d.scene.bodies.map((body, b) => (still[b] ? NaN : d.point(b, body.center_of_mass).dot(up))).filter((x) => !Number.isNaN(x));
  const middle = moving.reduce((sum, x) => sum + x / moving.length, 0);
  const base = Math.min(...low.filter((x, i) => (parts[i].body < 0 || still[parts[i].body]) && x < middle && parts[i].opacity === undefined));
  if (Number.isFinite(base) && moving.length > 0) return base;
  const level = Math.min(...low, ...feetLevels(d, up));
  return Number.isFinite(level) ? level : 0;
}

/** What the machine fills during the whole motion, and at its start. */
export function findBounds(d: Drawing, parts: Part[]): { whole: THREE.Box3; start: THREE.Box3 } {
  const [whole, start] = [new THREE.Box3(), new THREE.Box3()];
  const { corners, radii } = spansOf(d, parts);
  const motion = d.motion as Motion;
  const frames = motion.animation.times;
  const samples = Math.max(1, Math.min(frames.length, Math.ceil(200000 / (motion.count + 1)), 400));
  const p = new THREE.Vector3();
  const ground = parts.filter((part) => part.body < 0);
  for (let s = 0; s < samples; ++s) {
    motion.moveTo(frames[Math.floor((s * (frames.length - 1)) / Math.max(1, samples - 1))]);
    for (let b = 0; b < motion.count; ++b) {
      p.set(motion.position[3 * b], motion.position[3 * b + 1], motion.position[3 * b + 2]);
      if (!Number.isFinite(p.x + p.y + p.z)) continue;
      // Joint points and the centre of mass tell the extent better than a ball about the origin.
      const r = radii[b];
      for (const at of corners[b]) {
        motion.point(b, at, p);
        whole.expandByPoint(p.clone().addScalar(r)).expandByPoint(p.clone().addScalar(-r));
        if (s === 0) start.expandByPoint(p.clone().addScalar(r)).expandByPoint(p.clone().addScalar(-r));
      }
    }
  }
  const spanning = [
    ...d.scene.joints.filter((joint) => jointPicture(d.scene, joint).spans_a),
    ...d.scene.forces.filter((force) => forcePicture(d.scene, force).spans_a),
  ];
  for (const held of spanning) {
    if (held.a >= 0) continue;
    whole.expandByPoint(p.set(...held.point_a));
    start.expandByPoint(p);
  }
  if (ground.length > 0 && ground.every((part) => part.extent < 3 * d.size))
    for (const part of ground) {
      const geometry = geometryOf(part);
      geometry.computeBoundingBox();
      if (geometry.boundingBox) whole.union(geometry.boundingBox.clone().applyMatrix4(part.matrix));
    }
  motion.moveTo(frames[0]);
  return { whole, start };
}

/** Points of each body that span it, and what is about them. */
function spansOf(d: Drawing, parts: Part[]): { corners: Vec3[][]; radii: number[] } {
  const points = attachments(d.scene);
  const boxes = d.scene.bodies.map(() => new THREE.Box3());
  for (const part of parts) {
    if (part.body < 0) continue;
    const geometry = geometryOf(part);
    if (geometry.boundingBox) boxes[part.body].union(geometry.boundingBox.clone().applyMatrix4(part.matrix));
  }
  const corners = boxes.map((box, b) => {
    if (box.isEmpty()) return [d.scene.bodies[b].center_of_mass, ...points[b]];
    const list: Vec3[] = [];
    for (let i = 0; i < 8; ++i)
      list.push([
        i & 1 ? box.max.x : box.min.x,
        i & 2 ? box.max.y : box.min.y,
        i & 4 ? box.max.z : box.min.z,
      ]);
    return list;
  });
  return { corners, radii: boxes.map((box) => (box.isEmpty() ? 0.02 * d.size : 0)) };
}

// SPDX-License-Identifier: Apache-2.0
// Shapes of bodies: as the model draws them, or sensible ones from joint points and inertia.
import * as THREE from "three";
import type { Scene, SceneBody, SceneShape, Vec3 } from "./scene";
import { attachments, auxiliaryBodies, jointPicture } from "./scene";

/** A geometry at a place on a body. Equal keys share one geometry and are drawn together. */
export interface Part {
  body: number;
  key: string;
  make: () => THREE.BufferGeometry;
  matrix: THREE.Matrix4; // in the body's axes, scale included
  color: string | null;
  tint: number; // of the default colour: −1 darker … 1 lighter
  extent: number; // largest distance of a point from the body's origin
  unseen?: boolean; // can be clicked, but something else is drawn there
  opacity?: number; // as the model says; else what encloses something is seen through
}

let detail = 1; // of round shapes: thousands of them need fewer facets
export const unit = {
  box: () => new THREE.BoxGeometry(1, 1, 1),
  sphere: () => new THREE.SphereGeometry(1, Math.ceil(32 * detail), Math.ceil(20 * detail)),
  // three.js' cylinders lie along y; ours along z
  cylinder: () => new THREE.CylinderGeometry(1, 1, 1, Math.ceil(40 * detail)).rotateX(Math.PI / 2),
  cone: () => new THREE.ConeGeometry(1, 1, Math.ceil(40 * detail)).rotateX(Math.PI / 2),
};

const vector = (v: Vec3) => new THREE.Vector3(v[0], v[1], v[2]);
const z_axis = new THREE.Vector3(0, 0, 1);

function place(position: THREE.Vector3, quaternion: THREE.Quaternion, scale: THREE.Vector3): THREE.Matrix4 {
  return new THREE.Matrix4().compose(position, quaternion, scale);
}

function extentOf(geometry: THREE.BufferGeometry, matrix: THREE.Matrix4): number {
  geometry.computeBoundingBox();
  const box = geometry.boundingBox ?? new THREE.Box3();
  let extent = 0;
  for (let i = 0; i < 8; ++i) {
    const corner = new THREE.Vector3(
      i & 1 ? box.max.x : box.min.x,
      i & 2 ? box.max.y : box.min.y,
      i & 4 ? box.max.z : box.min.z,
    ).applyMatrix4(matrix);
    extent = Math.max(extent, corner.length());
  }
  return extent;
}

const made = new Map<string, THREE.BufferGeometry>();
/** Geometries are shared by everything that asks for the same key. */
export function geometryOf(part: Part): THREE.BufferGeometry {
  let geometry = made.get(part.key);
  if (!geometry) made.set(part.key, (geometry = part.make()));
  return geometry;
}

function part(
  body: number,
  key: string,
  make: () => THREE.BufferGeometry,
  matrix: THREE.Matrix4,
  color: string | null = null,
  tint = 0,
): Part {
  const p: Part = { body, key, make, matrix, color, tint, extent: 0 };
  p.extent = extentOf(geometryOf(p), matrix);
  return p;
}

const supports: Record<string, (d: THREE.Vector3) => number> = {
  box: (d) => 0.5 * (Math.abs(d.x) + Math.abs(d.y) + Math.abs(d.z)),
  sphere: (d) => d.length(),
  cylinder: (d) => Math.hypot(d.x, d.y) + 0.5 * Math.abs(d.z),
};

/** The largest d·x over the points x of a part's geometry (before its matrix). */
export function supportOf(p: Part, d: THREE.Vector3): number {
  const known = supports[p.key];
  if (known) return known(d);
  const points = geometryOf(p).getAttribute("position");
  const step = Math.max(1, Math.floor(points.count / 4000));
  let most = -Infinity;
  for (let i = 0; i < points.count; i += step)
    most = Math.max(most, d.x * points.getX(i) + d.y * points.getY(i) + d.z * points.getZ(i));
  return most;
}

const digits = (...numbers: number[]) => numbers.map((x) => x.toPrecision(6)).join(",");

function extrude(shape: THREE.Shape, length: number, bevel: number): THREE.BufferGeometry {
  const b = Math.min(bevel, 0.45 * length);
  const geometry = new THREE.ExtrudeGeometry(shape, {
    depth: length - 2 * b,
    bevelEnabled: b > 0,
    bevelThickness: b,
    bevelSize: b,
    bevelOffset: -b,
    bevelSegments: 2,
    curveSegments: 24,
  });
  return geometry.translate(0, 0, -length / 2 + b);
}

export function tube(radius: number, inner: number, length: number): THREE.BufferGeometry {
  const ring = new THREE.Shape().absarc(0, 0, radius, 0, 2 * Math.PI, false);
  ring.holes.push(new THREE.Path().absarc(0, 0, inner, 0, 2 * Math.PI, true));
  return extrude(ring as THREE.Shape, length, 0);
}

/** A shape of the model. */
export function drawnPart(shape: SceneShape): Part {
  const drawn = partOfKind(shape);
  if (shape.opacity !== undefined) drawn.opacity = shape.opacity;
  return drawn;
}

function partOfKind(shape: SceneShape): Part {
  const at = vector(shape.position);
  const [w, x, y, z] = shape.quaternion;
  const turn = new THREE.Quaternion(x, y, z, w);
  const color = shape.color ?? null;
  const r = shape.radius ?? 1;
  const l = shape.length ?? 1;
  const one = new THREE.Vector3(1, 1, 1);
  switch (shape.kind) {
    case "box":
      return part(shape.body, "box", unit.box, place(at, turn, vector(shape.size ?? [1, 1, 1])), color);
    case "sphere":
      return part(shape.body, "sphere", unit.sphere, place(at, turn, new THREE.Vector3(r, r, r)), color);
    case "cylinder":
      if (shape.inner_radius) {
        const inner = shape.inner_radius;
        return part(shape.body, `tube:${digits(r, inner, l)}`, () => tube(r, inner, l), place(at, turn, one), color);
      }
      return part(shape.body, "cylinder", unit.cylinder, place(at, turn, new THREE.Vector3(r, r, l)), color);
    case "cone":
      return part(shape.body, "cone", unit.cone, place(at, turn, new THREE.Vector3(r, r, l)), color);
    case "capsule":
      return part(
        shape.body,
        `capsule:${digits(r, l)}`,
        () => new THREE.CapsuleGeometry(r, l, 12, 32).rotateX(Math.PI / 2),
        place(at, turn, one),
        color,
      );
    case "extrusion": {
      const p = shape.polygon ?? [];
      const outline = () =>
        new THREE.Shape(Array.from({ length: p.length / 2 }, (_, i) => new THREE.Vector2(p[2 * i], p[2 * i + 1])));
      return part(shape.body, `extrusion:${digits(l, ...p)}`, () => extrude(outline(), l, 0), place(at, turn, one), color);
    }
    case "mesh": {
      const make = () => {
        const geometry = new THREE.BufferGeometry();
        geometry.setAttribute("position", new THREE.Float32BufferAttribute(shape.vertices ?? [], 3));
        geometry.setIndex(shape.triangles ?? []);
        // Corners of a machine part are sharp: every triangle has its own normal.
        const flat = geometry.toNonIndexed();
        flat.computeVertexNormals();
        return flat;
      };
      const v = shape.vertices ?? [];
      const key = `mesh:${v.length}:${shape.triangles?.length ?? 0}:${digits(...v.slice(0, 30))}`;
      return part(shape.body, key, make, place(at, turn, one), color);
    }
  }
}

/** A round bar between two points. */
function bar(body: number, from: THREE.Vector3, to: THREE.Vector3, radius: number, tint = 0): Part {
  const d = to.clone().sub(from);
  const turn = new THREE.Quaternion().setFromUnitVectors(z_axis, d.clone().normalize());
  const middle = from.clone().addScaledVector(d, 0.5);
  return part(
    body,
    "cylinder",
    unit.cylinder,
    place(middle, turn, new THREE.Vector3(radius, radius, d.length())),
    null,
    tint,
  );
}

function ball(body: number, at: THREE.Vector3, radius: number, tint = 0): Part {
  const scale = new THREE.Vector3(radius, radius, radius);
  return part(body, "sphere", unit.sphere, place(at, new THREE.Quaternion(), scale), null, tint);
}

/** The outline at a distance r around the convex hull of points: a disc, a bar with round ends, a plate. */
function roundedHull(points: THREE.Vector2[], r: number): THREE.Shape {
  const sorted = [...points]
    .sort((a, b) => a.x - b.x || a.y - b.y)
    .filter((p, i, all) => i === 0 || p.distanceTo(all[i - 1]) > 1e-6 * r);
  const cross = (o: THREE.Vector2, a: THREE.Vector2, b: THREE.Vector2) =>
    (a.x - o.x) * (b.y - o.y) - (a.y - o.y) * (b.x - o.x);
  const half = (list: THREE.Vector2[]) => {
    const chain: THREE.Vector2[] = [];
    for (const p of list) {
      while (chain.length > 1 && cross(chain[chain.length - 2], chain[chain.length - 1], p) <= 0) chain.pop();
      chain.push(p);
    }
    return chain.slice(0, -1);
  };
  const hull = sorted.length < 2 ? sorted : [...half(sorted), ...half(sorted.reverse())];
  const outline: THREE.Vector2[] = [];
  hull.forEach((corner, i) => {
    const before = hull[(i + hull.length - 1) % hull.length];
    const after = hull[(i + 1) % hull.length];
    let from = Math.atan2(corner.y - before.y, corner.x - before.x) - Math.PI / 2;
    let to = Math.atan2(after.y - corner.y, after.x - corner.x) - Math.PI / 2;
    if (hull.length === 1) [from, to] = [0, 2 * Math.PI];
    while (to < from) to += 2 * Math.PI;
    const n = Math.max(2, Math.ceil(((to - from) / Math.PI) * 24));
    for (let k = 0; k <= n; ++k) {
      const angle = from + ((to - from) * k) / n;
      outline.push(new THREE.Vector2(corner.x + r * Math.cos(angle), corner.y + r * Math.sin(angle)));
    }
  });
  return new THREE.Shape(outline);
}

/** Planar bodies: a flat link through its joint points, in one of a few layers so that neighbours do not cut. */
function planarLink(body: number, spec: SceneBody, points: THREE.Vector3[], size: number): Part[] {
  const normal = vector(spec.normal ?? [0, 0, 1]);
  const turn = new THREE.Quaternion().setFromUnitVectors(z_axis, normal);
  const back = turn.clone().invert();
  const com = vector(spec.center_of_mass);
  const corners = points.length > 1 ? points : [...points, com];
  const flat = corners.map((p) => p.clone().applyQuaternion(back));
  let span = 0;
  for (const p of flat) for (const q of flat) span = Math.max(span, Math.hypot(p.x - q.x, p.y - q.y));
  const gyration = Math.sqrt(Math.max(0, spec.inertia[0] + spec.inertia[1] + spec.inertia[2]) / spec.mass);
  const small = 0.03 * size; // links of one machine are equally wide, as if cut from one bar
  const r = span > 1e-9 ? Math.min(0.16 * span, small) : Math.max(1.4 * small, Math.min(1.4 * gyration, 0.12 * size));
  const thickness = Math.min(0.7 * r, 0.022 * size);
  const layer = ((body % 3) - 1) * thickness * 1.06;
  const outline = flat.map((p) => new THREE.Vector2(p.x, p.y));
  const at = new THREE.Vector3(0, 0, flat[0].z + layer).applyQuaternion(turn);
  const key = `link:${digits(r, thickness, ...outline.flatMap((p) => [p.x, p.y]))}`;
  const make = () => extrude(roundedHull(outline, r), thickness, 0.18 * thickness);
  const parts = [part(body, key, make, place(at, turn, new THREE.Vector3(1, 1, 1)))];
  const inner = corners.every((p) => p.distanceTo(com) > 0.3 * r);
  if (inner && points.length < 2 && span <= 1e-9) parts.push(ball(body, com, 0.4 * r, -1));
  return parts;
}

/** Principal moments and axes of a symmetric matrix, by Jacobi's rotations. */
function principal(inertia: SceneBody["inertia"]): { moments: number[]; axes: THREE.Quaternion } {
  const [xx, yy, zz, xy, xz, yz] = inertia;
  const a = [
    [xx, xy, xz],
    [xy, yy, yz],
    [xz, yz, zz],
  ];
  const v = [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ];
  for (let sweep = 0; sweep < 12; ++sweep)
    for (const [p, q] of [
      [0, 1],
      [0, 2],
      [1, 2],
    ]) {
      if (Math.abs(a[p][q]) < 1e-15 * (Math.abs(a[p][p]) + Math.abs(a[q][q]))) continue;
      const angle = 0.5 * Math.atan2(2 * a[p][q], a[q][q] - a[p][p]);
      const c = Math.cos(angle);
      const s = Math.sin(angle);
      for (let k = 0; k < 3; ++k) [a[k][p], a[k][q]] = [c * a[k][p] - s * a[k][q], s * a[k][p] + c * a[k][q]];
      for (let k = 0; k < 3; ++k) [a[p][k], a[q][k]] = [c * a[p][k] - s * a[q][k], s * a[p][k] + c * a[q][k]];
      for (let k = 0; k < 3; ++k) [v[k][p], v[k][q]] = [c * v[k][p] - s * v[k][q], s * v[k][p] + c * v[k][q]];
    }
  const m = new THREE.Matrix4().makeBasis(
    new THREE.Vector3(v[0][0], v[1][0], v[2][0]),
    new THREE.Vector3(v[0][1], v[1][1], v[2][1]),
    new THREE.Vector3(v[0][2], v[1][2], v[2][2]),
  );
  if (m.determinant() < 0) m.scale(new THREE.Vector3(1, 1, -1));
  return { moments: [a[0][0], a[1][1], a[2][2]], axes: new THREE.Quaternion().setFromRotationMatrix(m) };
}

/** The homogeneous solid with the same inertia: a cylinder (or disc, or rod) if two moments agree, else a box. */
function inertiaSolid(body: number, spec: SceneBody, size: number): Part {
  const { moments, axes } = principal(spec.inertia);
  const com = vector(spec.center_of_mass);
  const least = 0.012 * size;
  const m = spec.mass;
  const close = (a: number, b: number) => Math.abs(a - b) < 0.02 * Math.max(...moments);
  if (Math.max(...moments) <= 0) return ball(body, com, 0.03 * size);
  if (close(moments[0], moments[1]) && close(moments[1], moments[2])) {
    const r = Math.max(least, Math.sqrt((2.5 * moments[0]) / m));
    return ball(body, com, r);
  }
  for (let axis = 0; axis < 3; ++axis) {
    const [i, j] = [(axis + 1) % 3, (axis + 2) % 3];
    if (!close(moments[i], moments[j])) continue;
    const r2 = (2 * moments[axis]) / m;
    const l2 = (12 * moments[i]) / m - 3 * r2;
    const r = Math.max(least, Math.sqrt(Math.max(0, r2)));
    const l = Math.max(least, Math.sqrt(Math.max(0, l2)));
    const direction = new THREE.Vector3().setComponent(axis, 1).applyQuaternion(axes);
    const turn = new THREE.Quaternion().setFromUnitVectors(z_axis, direction);
    return part(body, "cylinder", unit.cylinder, place(com, turn, new THREE.Vector3(r, r, l)));
  }
  const edge = (i: number) => {
    const [j, k] = [(i + 1) % 3, (i + 2) % 3];
    return Math.max(least, Math.sqrt(Math.max(0, (6 * (moments[j] + moments[k] - moments[i])) / m)));
  };
  return part(body, "box", unit.box, place(com, axes, new THREE.Vector3(edge(0), edge(1), edge(2))));
}

/** A rigid body without a drawing: bars from its joint points to the solid of its inertia, or from joint to joint. */
function rigidDefault(body: number, spec: SceneBody, points: THREE.Vector3[], size: number, auxiliary: boolean): Part[] {
  const com = vector(spec.center_of_mass);
  if (points.length === 2) {
    const d = points[0].distanceTo(points[1]);
    const onLine = com.clone().sub(points[0]).cross(points[1].clone().sub(points[0])).length() < 0.05 * d * d;
    if (onLine) {
      const r = Math.min(0.05 * d, 0.02 * size);
      return [bar(body, points[0], points[1], r), ball(body, points[0], 1.5 * r), ball(body, points[1], 1.5 * r)];
    }
  }
  const parts = [auxiliary ? ball(body, com, 0.01 * size) : inertiaSolid(body, spec, size)];
  for (const p of points) {
    const d = p.distanceTo(com);
    if (d > 1e-6 * size) parts.push(bar(body, com, p, Math.min(0.03 * d, 0.012 * size), -1));
  }
  return parts;
}

/** What joints show of their second bodies: a disc with spokes or a ball with a band is seen to roll. */
function solids(scene: Scene): Part[] {
  const parts: Part[] = [];
  for (const joint of scene.joints)
    for (const shown of jointPicture(scene, joint).parts) {
      if (shown.place !== "solid" || joint.b < 0) continue;
      const r = joint.radius ?? 0;
      if (!(r > 0)) continue;
      const axle = shown.along === "axis_b" ? vector(joint.axis_b) : z_axis.clone();
      const spin = new THREE.Quaternion().setFromAxisAngle(z_axis, shown.turn);
      const turn = new THREE.Quaternion().setFromUnitVectors(z_axis, axle).multiply(spin);
      const at = vector(joint.point_b);
      const size = vector(shown.size).multiplyScalar(r);
      if (shown.shape === "ring") {
        const ring = () => tube(size.x, 0.86 * size.y, 0.1 * size.z);
        parts.push(part(joint.b, `tube:ring:${digits(r)}`, ring, place(at, turn, new THREE.Vector3(1, 1, 1)), null, shown.tint));
      } else if (shown.shape === "cylinder" || shown.shape === "sphere" || shown.shape === "box") {
        parts.push(part(joint.b, shown.shape, unit[shown.shape], place(at, turn, size), null, shown.tint));
      }
    }
  return parts;
}

/** Stripes across a thin plate, so that it is seen to move along itself. */
function plateStripes(body: number, at: THREE.Vector3, turn: THREE.Quaternion, size: Vec3, color: string | null): Part[] {
  const order = [0, 1, 2].sort((a, b) => size[a] - size[b]); // thin, narrow, long
  const [thin, narrow, long] = order;
  if (size[thin] > 0.02 * size[long]) return [];
  const n = Math.max(3, Math.min(40, Math.round((3 * size[long]) / size[narrow])));
  return Array.from({ length: n }, (_, i) => {
    const scale: Vec3 = [0, 0, 0];
    scale[thin] = 1.2 * size[thin];
    scale[narrow] = size[narrow];
    scale[long] = (0.06 * size[long]) / n;
    const along = new THREE.Vector3().setComponent(long, ((i + 0.5) / n - 0.5) * size[long]).applyQuaternion(turn);
    return part(body, "box", unit.box, place(at.clone().add(along), turn, vector(scale)), color, -1);
  });
}

/** Marks on what is round, so that its turning is seen: a bar across a disc, a band about a ball. */
function turningMarks(scene: Scene): Part[] {
  const marks: Part[] = [];
  for (const shape of scene.shapes) {
    const r = shape.radius ?? 0;
    const l = shape.length ?? 0;
    if (shape.body < 0 || shape.inner_radius || shape.beam) continue;
    const [w, x, y, z] = shape.quaternion;
    const turn = new THREE.Quaternion(x, y, z, w);
    const at = vector(shape.position);
    const disc = shape.kind === "cylinder" && l < 0.9 * r;
    if (disc) marks.push(part(shape.body, "box", unit.box, place(at, turn, new THREE.Vector3(1.8 * r, 0.08 * r, 1.02 * l)), shape.color ?? null, -1));
    if (shape.kind === "box" && shape.size) marks.push(...plateStripes(shape.body, at, turn, shape.size, shape.color ?? null));
    if (shape.kind === "sphere")
      marks.push(part(shape.body, "cylinder", unit.cylinder, place(at, turn, new THREE.Vector3(1.003 * r, 1.003 * r, 0.14 * r)), shape.color ?? null, -1));
  }
  return marks;
}

/** Every part of the machine; `size` is a length that stands for the whole of it. */
export function makeParts(scene: Scene, size: number): Part[] {
  detail = scene.bodies.length > 200 ? 0.35 : 1;
  const parts = scene.shapes.map((shape): Part => ({ ...drawnPart(shape), unseen: shape.beam }));
  parts.push(...turningMarks(scene));
  const drawn = new Set(scene.shapes.map((shape) => shape.body));
  // Nodes of beams whose section is not known: the beam is drawn as a whole, a click finds the node.
  for (const node of new Set((scene.beams ?? []).flatMap((beam) => beam.nodes)))
    if (node >= 0 && !drawn.has(node)) parts.push({ ...ball(node, new THREE.Vector3(), 0.01 * size), unseen: true });
  for (const roller of solids(scene)) if (!drawn.has(roller.body)) parts.push(roller);
  for (const p of parts) drawn.add(p.body);
  const points = attachments(scene);
  const auxiliary = auxiliaryBodies(scene);
  scene.bodies.forEach((spec, body) => {
    if (drawn.has(body)) return;
    const at = points[body].map(vector);
    // Many particles are small ones: a net is seen as a net.
    const grain = Math.min(0.035, 0.22 / Math.sqrt(scene.bodies.length)) * size;
    if (spec.kind === "particle") parts.push(ball(body, new THREE.Vector3(), grain));
    else if (spec.kind === "planar") parts.push(...planarLink(body, spec, at, size));
    else parts.push(...rigidDefault(body, spec, at, size, auxiliary[body]));
  });
  return parts;
}

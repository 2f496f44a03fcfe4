// SPDX-License-Identifier: Apache-2.0
// The machine as drawn (src/simulation/scene.cpp): what a picture needs besides the motion.
import type { Run } from "./data";

export type Vec3 = [number, number, number];

export interface SceneBody {
  name: string;
  kind: "rigid" | "planar" | "particle";
  mass: number;
  inertia: [number, number, number, number, number, number]; // xx, yy, zz, xy, xz, yz
  center_of_mass: Vec3;
  normal?: Vec3; // planar bodies, in body axes
}

export interface SceneShape {
  body: number; // −1: ground
  kind: "box" | "sphere" | "cylinder" | "capsule" | "cone" | "extrusion" | "mesh";
  position: Vec3;
  quaternion: [number, number, number, number]; // w, x, y, z
  size?: Vec3;
  radius?: number;
  inner_radius?: number;
  length?: number;
  polygon?: number[];
  vertices?: number[];
  triangles?: number[];
  color?: string;
  opacity?: number; // 0 … 1
  beam?: boolean; // the prism of a beam's node
}

/** A beam: of every node of every element its body, and its section's place and axes (x along the beam) on it. */
export interface SceneBeam {
  name: string;
  order: number;
  nodes: number[];
  at: number[];
  quaternions: number[]; // w, x, y, z
  width?: number;
  height?: number;
  radius?: number;
}

export interface SceneJoint {
  name: string;
  kind: string;
  a: number;
  b: number;
  point_a: Vec3;
  point_b: Vec3;
  axis_a: Vec3;
  axis_b: Vec3;
  radius?: number;
}

/** The centre line of a railway track, x and y of its points; the tops of its rails are at z = 0. */
export interface SceneTrack {
  name: string;
  half_width: number; // from the centre line to each rail
  points: number[];
}

/** A road along x: heights at x, x + dx, … and all y, without its slopes; it goes on as it ends, or after its period. */
export interface SceneRoad {
  name: string;
  body: number;
  at: Vec3; // its origin and its axes on the body
  quaternion: [number, number, number, number]; // w, x, y, z
  slope: number; // rise along x
  bank: number; // rise along y
  x: number;
  dx: number;
  y: number[];
  z: number[]; // of each x all y
  period?: number;
}

export interface SceneForce {
  name: string;
  kind: string;
  a: number;
  b: number;
  point_a: Vec3;
  point_b: Vec3;
  axis_a: Vec3;
}

/** One thing that is drawn of a joint or a force (internal/trammel/mechanics/kinds/picture.h says what each word means). */
export interface PicturePart {
  shape: "cylinder" | "sphere" | "box" | "torus" | "coil" | "ring";
  size: Vec3;
  place: "point" | "between" | "ends" | "rail" | "solid";
  along: "axis_a" | "axis_b" | "normal" | "z";
  unit: "sign" | "machine" | "radius";
  color: string;
  always: boolean;
  least: number;
  slimmest: number;
  turn: number;
  tint: number;
}

/** What is drawn of a kind of joint or force: the page knows shapes and places, and no kinds. */
export interface Picture {
  parts: PicturePart[];
  reaches_a: boolean;
  reaches_b: boolean;
  spans_a: boolean;
  foot: boolean;
  on_floor: boolean;
  force: boolean;
  moment: boolean;
}

export interface Pictures {
  joints: Record<string, Picture>;
  forces: Record<string, Picture>;
}

const nothing: Picture = {
  parts: [],
  reaches_a: true,
  reaches_b: true,
  spans_a: true,
  foot: false,
  on_floor: false,
  force: true,
  moment: false,
};

/** The picture of a joint or a force; kinds that nobody describes are not drawn. */
export function jointPicture(scene: Scene, joint: SceneJoint): Picture {
  return scene.pictures?.joints[joint.kind] ?? nothing;
}
export function forcePicture(scene: Scene, force: SceneForce): Picture {
  return scene.pictures?.forces[force.kind] ?? nothing;
}

export interface Scene {
  gravity: Vec3;
  bodies: SceneBody[];
  shapes: SceneShape[];
  beams?: SceneBeam[];
  joints: SceneJoint[];
  forces: SceneForce[];
  tracks?: SceneTrack[];
  roads?: SceneRoad[];
  springs?: { name: string; kind: string; joint: string }[]; // on a joint's coordinate, or on a scalar one
  points: { name: string; body: number; at: Vec3 }[];
  pictures?: Pictures; // of kinds that came with the model; those of the program come with the page
}

/** The scene of a run; results without one (of other writers) show each body as a small ball. */
export function sceneOf(run: Run): Scene {
  const names = run.quantity("position")?.names ?? [];
  const bare: Scene = {
    gravity: [0, 0, -9.81],
    bodies: names.map((name) => ({
      name,
      kind: "particle",
      mass: 1,
      inertia: [0, 0, 0, 0, 0, 0],
      center_of_mass: [0, 0, 0],
    })),
    shapes: [],
    joints: [],
    forces: [],
    points: [],
  };
  try {
    const scene = JSON.parse(run.header.scene) as Scene;
    const { joints, forces } = run.header.pictures ?? { joints: {}, forces: {} };
    scene.pictures = {
      joints: { ...joints, ...scene.pictures?.joints },
      forces: { ...forces, ...scene.pictures?.forces },
    };
    return scene.bodies.length === names.length ? scene : bare;
  } catch {
    return bare;
  }
}

/** Bodies that stand for a coordinate rather than for a thing: next to no mass beside the others, so that what their
 *  numbers say of their size means nothing. */
export function auxiliaryBodies(scene: Scene): boolean[] {
  const heaviest = Math.max(0, ...scene.bodies.map((body) => body.mass));
  return scene.bodies.map((body) => body.mass < 1e-4 * heaviest);
}

/** Where joints, springs and point measures sit on a body, in its axes. */
export function attachments(scene: Scene): Vec3[][] {
  const points: Vec3[][] = scene.bodies.map(() => []);
  const add = (body: number, at: Vec3) => {
    if (body < 0) return;
    if (points[body].some((p) => Math.hypot(p[0] - at[0], p[1] - at[1], p[2] - at[2]) < 1e-9)) return;
    points[body].push(at);
  };
  const reach = (picture: Picture, held: SceneJoint | SceneForce) => {
    if (picture.reaches_a) add(held.a, held.point_a);
    if (picture.reaches_b) add(held.b, held.point_b);
  };
  for (const joint of scene.joints) reach(jointPicture(scene, joint), joint);
  for (const force of scene.forces) reach(forcePicture(scene, force), force);
  return points;
}

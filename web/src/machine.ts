// SPDX-License-Identifier: Apache-2.0
// One run's machine in the 3-D view: bodies, joints, springs, axes, arrows and trails, all drawn in a few calls.
import * as THREE from "three";
import type { BeamField } from "./beam_fields";
import { BeamValues, ColorScale, beamFields } from "./beam_fields";
import { BeamMesh } from "./beams";
import type { Channel, Run, Track } from "./data";
import { valueAt } from "./data";
import { Motion } from "./motion";
import type { Picture, PicturePart, Scene, SceneForce, SceneJoint, Vec3 } from "./scene";
import { attachments, auxiliaryBodies, forcePicture, jointPicture, sceneOf } from "./scene";
import type { Part } from "./shapes";
import { geometryOf, makeParts, supportOf, tube, unit } from "./shapes";

/** Colours of bodies, readable on light and dark, told apart by colour-blind readers. */
const bodyColors = ["#4f8fd6", "#e08a3c", "#4fae84", "#c8699f", "#8f7fd0", "#c9a83a", "#5fb3c9", "#b9705a"];
export const runColors = ["#4f8fd6", "#e0742f", "#35a476", "#c75b98", "#8c76d6", "#b8982e"];

export interface Layers {
  joints: boolean;
  axes: boolean;
  reactions: boolean;
  forces: boolean;
  trails: boolean;
  contacts: boolean;
}

/** Where an arrow starts, and which vector of its track it shows. */
interface Arrow {
  place: SceneJoint | SceneForce;
  column: number;
}

/** What a picture needs of a joint or a force. */
type Held = SceneForce & { axis_b: Vec3; radius?: number };

interface Batch {
  mesh: THREE.InstancedMesh;
  parts: Part[];
}

const matrix = new THREE.Matrix4();
const local = new THREE.Matrix4();
const from = new THREE.Vector3();
const to = new THREE.Vector3();
const direction = new THREE.Vector3();
const turn = new THREE.Quaternion();
const scale = new THREE.Vector3();
const z_axis = new THREE.Vector3(0, 0, 1);
const identity = new THREE.Matrix4();
const hidden = new THREE.Matrix4().makeScale(0, 0, 0);

function isFinite(m: THREE.Matrix4): boolean {
  const e = m.elements;
  return Number.isFinite(e[0] + e[12] + e[13] + e[14]);
}

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

export class Machine {
  readonly group = new THREE.Group();
  readonly scene: Scene;
  readonly motion: Motion | null;
  readonly size: number; // stands for the whole machine [m]
  readonly bounds = new THREE.Box3(); // of the whole motion
  readonly startBounds = new THREE.Box3();
  readonly bodyExtent: number[];
  private readonly batches: Batch[] = [];
  private readonly baseColors: THREE.Color[] = [];
  private readonly updates: { layer: keyof Layers | null; object: THREE.Object3D; update: () => void }[] = [];
  readonly beams: BeamMesh[] = [];
  contacts = 0; // how many are shown while they touch
  private readonly trails: { line: THREE.Line; key: string }[] = [];
  private readonly material: THREE.MeshStandardMaterial;
  selected = -1;
  forceScale = 1; // metres per newton of the arrows

  /** `ghost`: one of several runs laid over each other, drawn in its own colour. */
  constructor(
    readonly run: Run,
    private readonly ghost: boolean,
    private readonly layers: Layers,
  ) {
    this.scene = sceneOf(run);
    this.motion = run.animation ? new Motion(run.animation) : null;
    const tint = new THREE.Color(runColors[run.index % runColors.length]);
    this.material = new THREE.MeshStandardMaterial({
      roughness: 0.55,
      metalness: 0.08,
      transparent: ghost && run.index > 0,
      opacity: ghost && run.index > 0 ? 0.5 : 1,
      depthWrite: !(ghost && run.index > 0),
      // Where runs agree the first one is seen.
      polygonOffset: ghost && run.index > 0,
      polygonOffsetFactor: 2,
      polygonOffsetUnits: 8,
    });
    this.scene.bodies.forEach((_, i) =>
      this.baseColors.push(ghost ? tint.clone() : new THREE.Color(bodyColors[i % bodyColors.length])),
    );
    // A beam has one colour, and so have its nodes.
    (this.scene.beams ?? []).forEach((beam, i) => {
      for (const node of beam.nodes)
        if (node >= 0 && !ghost) this.baseColors[node].set(bodyColors[i % bodyColors.length]);
    });
    this.bodyExtent = this.scene.bodies.map(() => 0);
    this.size = this.drawnSize();
    if (!this.motion) return;
    const parts = makeParts(this.scene, this.size);
    for (const part of parts)
      if (part.body >= 0) this.bodyExtent[part.body] = Math.max(this.bodyExtent[part.body], part.extent);
    this.addBeams();
    this.addParts(parts);
    this.findBounds(parts);
    this.addPictures();
    this.addFeet();
    this.addAxes();
    this.addForces();
    this.addPoints();
    this.addContacts();
    for (const point of this.scene.points) this.addTrail(point.name, point.body, point.at);
    const last = this.scene.bodies.length - 1;
    if (this.scene.points.length === 0 && last < 2)
      this.addTrail(`body:${last}`, last, this.scene.bodies[last].center_of_mass);
    this.update();
  }

  /** The diagonal of what is known of the machine at the start: origins and the points of its joints. */
  private drawnSize(): number {
    const box = new THREE.Box3();
    if (!this.motion) return 1;
    const points = attachments(this.scene);
    const auxiliary = auxiliaryBodies(this.scene);
    let widest = 0;
    this.scene.bodies.forEach((body, b) => {
      for (const p of [body.center_of_mass, ...points[b]]) box.expandByPoint(this.point(b, p));
      if (!auxiliary[b]) widest = Math.max(widest, Math.sqrt(Math.max(...body.inertia.slice(0, 3), 0) / body.mass));
    });
    for (const joint of this.scene.joints) if (joint.a < 0) box.expandByPoint(this.point(-1, joint.point_a));
    for (const shape of this.scene.shapes)
      widest = Math.max(widest, 0.6 * Math.max(...(shape.size ?? [0]), shape.length ?? 0, shape.radius ?? 0));
    const diagonal = box.isEmpty() ? 0 : box.getSize(new THREE.Vector3()).length();
    const size = Math.max(diagonal, 2 * widest);
    return size > 0 && Number.isFinite(size) ? size : 1;
  }

  private point(body: number, at: Vec3): THREE.Vector3 {
    return (this.motion as Motion).point(body, at, new THREE.Vector3());
  }

  /** Walls and boxes that would hide what moves inside of them are seen through, unless the model says otherwise. */
  private seeThrough(parts: Part[]): void {
    const motion = this.motion as Motion;
    const { times } = motion.animation;
    const candidates = parts.filter((part) => part.opacity === undefined && part.key === "box");
    if (candidates.length === 0) return;
    const p = new THREE.Vector3();
    for (const t of [times[0], times[times.length >> 1], times[times.length - 1]]) {
      motion.moveTo(t);
      for (const part of candidates) {
        const inverse = motion.matrix(part.body, new THREE.Matrix4()).multiply(part.matrix).invert();
        const box = (geometryOf(part).boundingBox as THREE.Box3).clone();
        const wall = part.body < 0 && this.plateNormal(part) !== null && !this.isFloor(part);
        const inside = () =>
          this.scene.bodies.some((body, b) => b !== part.body && box.containsPoint(motion.point(b, body.center_of_mass, p).applyMatrix4(inverse)));
        if (wall || inside()) part.opacity = 0.22;
      }
    }
    motion.moveTo(times[0]);
  }

  /** Across a thin plate; null of what is none. */
  private plateNormal(part: Part): THREE.Vector3 | null {
    const box = geometryOf(part).boundingBox as THREE.Box3;
    const size = box.getSize(new THREE.Vector3()).multiply(scale.setFromMatrixScale(part.matrix));
    const edges = [size.x, size.y, size.z];
    const thin = edges.indexOf(Math.min(...edges));
    if (edges[thin] > 0.02 * Math.max(...edges)) return null;
    return new THREE.Vector3().setComponent(thin, 1).transformDirection(part.matrix);
  }

  /** Against gravity. */
  private get up(): THREE.Vector3 {
    const [x, y, z] = this.scene.gravity;
    return Math.hypot(x, y, z) > 0 ? new THREE.Vector3(-x, -y, -z).normalize() : z_axis.clone();
  }

  /** A level plate of the ground with all bodies above it. */
  private isFloor(part: Part): boolean {
    const normal = this.plateNormal(part);
    if (part.body >= 0 || !normal || Math.abs(normal.dot(this.up)) < 0.999) return false;
    const height = new THREE.Vector3().setFromMatrixPosition(part.matrix).dot(this.up);
    return this.scene.bodies.every((body, b) => this.point(b, body.center_of_mass).dot(this.up) > height);
  }

  /** The top of the floor that the model draws; null if it draws none. */
  floorLevel(up: THREE.Vector3): number | null {
    const floors = this.batches.flatMap((batch) => batch.parts).filter((part) => this.isFloor(part));
    if (floors.length === 0) return null;
    return Math.max(...floors.map((part) => -this.bottom(part, identity, up.clone().negate())));
  }

  private addParts(parts: Part[]): void {
    this.seeThrough(parts);
    const byKey = new Map<string, Part[]>();
    for (const part of parts) {
      const look = part.unseen ? "unseen " : part.opacity !== undefined && part.opacity < 1 ? `${part.opacity} ` : "";
      const key = look + part.key;
      const list = byKey.get(key);
      if (list) list.push(part);
      else byKey.set(key, [part]);
    }
    for (const list of byKey.values()) {
      const opacity = list[0].opacity ?? 1;
      const mesh = new THREE.InstancedMesh(geometryOf(list[0]), opacity < 1 ? this.glass(opacity) : this.material, list.length);
      mesh.frustumCulled = false;
      mesh.castShadow = mesh.receiveShadow = opacity === 1 && !(this.ghost && this.run.index > 0);
      if (opacity < 1) mesh.renderOrder = 5; // after what is seen through it
      mesh.userData = { machine: this, parts: list };
      mesh.visible = !list[0].unseen;
      this.batches.push({ mesh, parts: list });
      this.group.add(mesh);
    }
    this.paint();
  }

  private glass(opacity: number): THREE.Material {
    const material = this.material.clone();
    return Object.assign(material, {
      transparent: true,
      opacity: opacity * this.material.opacity,
      depthWrite: false,
      side: THREE.DoubleSide,
    });
  }

  /** Of a part at a pose of its body: its lowest height along `up`. u·(A x + b) is lowest where −Aᵀu·x is largest. */
  private bottom(part: Part, pose: THREE.Matrix4, up: THREE.Vector3): number {
    const e = matrix.multiplyMatrices(pose, part.matrix).elements;
    if (!isFinite(matrix)) return Infinity;
    const along = (k: number) => e[k] * up.x + e[k + 1] * up.y + e[k + 2] * up.z;
    return along(12) - supportOf(part, direction.set(-along(0), -along(4), -along(8)));
  }

  /**
   * The height, along `up`, of the ground below the machine: the bottom of its base if it has one below it (what never moves, be it
   * drawn on the ground or a body), else the lowest place of anything during the whole motion, feet included.
   */
  lowest(up: THREE.Vector3): number {
    const motion = this.motion;
    if (!motion) return 0;
    const { times } = motion.animation;
    const parts = this.batches.flatMap((batch) => batch.parts);
    const samples = Math.max(1, Math.min(times.length, Math.ceil(40000 / (parts.length + 1)), 300));
    const low = parts.map(() => Infinity);
    const still = this.scene.bodies.map(() => true);
    const first = this.scene.bodies.map((_, b) => motion.matrix(b, new THREE.Matrix4()));
    for (let s = 0; s < samples; ++s) {
      motion.moveTo(times[Math.floor((s * (times.length - 1)) / Math.max(1, samples - 1))]);
      const poses = this.scene.bodies.map((_, b) => motion.matrix(b, new THREE.Matrix4()));
      poses.forEach((pose, b) => (still[b] &&= pose.elements.every((x, k) => Math.abs(x - first[b].elements[k]) < 1e-5 * this.size)));
      parts.forEach((part, i) => (low[i] = Math.min(low[i], this.bottom(part, part.body < 0 ? identity : poses[part.body], up))));
    }
    motion.moveTo(times[0]);
    const moving = this.scene.bodies.map((body, b) => (still[b] ? NaN : this.point(b, body.center_of_mass).dot(up))).filter((x) => !Number.isNaN(x));
    const middle = moving.reduce((sum, x) => sum + x / moving.length, 0);
    const base = Math.min(...low.filter((x, i) => (parts[i].body < 0 || still[parts[i].body]) && x < middle && parts[i].opacity === undefined));
    if (Number.isFinite(base) && moving.length > 0) return base;
    const feet = this.feet.map((joint) => from.set(...(joint.a < 0 ? joint.point_a : joint.point_b)).dot(up) - 1.6 * this.footSize(joint));
    const lowest = Math.min(...low, ...feet);
    return Number.isFinite(lowest) ? lowest : 0;
  }

  private addBeams(): void {
    const beams = this.scene.beams ?? [];
    const elements = beams.reduce((n, beam) => n + beam.nodes.length / (beam.order + 1), 0);
    for (const beam of beams) {
      const most = Math.max(1, Math.floor(6000 / Math.max(1, elements))) * (beam.nodes.length / (beam.order + 1));
      const made = new BeamMesh(beam, this.motion as Motion, this.size, this.material, most);
      this.beams.push(made);
      this.group.add(made.mesh);
    }
  }

  /** The fields that this machine's beams can be coloured by. */
  get beamFields(): BeamField[] {
    return this.beams.length === 0 ? [] : beamFields.filter((field) => this.beams.some(({ beam }) => BeamValues.of(this.run, beam, field)));
  }

  /** Colours beams by a field, all in one scale, which is returned; null: as they are. */
  paintBeams(field: BeamField | null): ColorScale | null {
    const values = this.beams.map(({ beam }) => (field ? BeamValues.of(this.run, beam, field) : null));
    const ranges = values.flatMap((one) => (one ? [one.range()] : []));
    const scale = ranges.length > 0 ? new ColorScale([Math.min(...ranges.map((r) => r[0])), Math.max(...ranges.map((r) => r[1]))]) : null;
    this.beams.forEach((mesh, i) => mesh.paintBy(scale ? values[i] : null, scale ?? new ColorScale([0, 1])));
    this.paint();
    this.update();
    return scale;
  }

  /** Colours of all parts; the selected body stands out. */
  paint(): void {
    const accent = new THREE.Color("#ffd24a");
    for (const { beam, mesh, isPainted: painted } of this.beams) {
      const color = (mesh.material as THREE.MeshStandardMaterial).color;
      if (painted) {
        color.set("#ffffff"); // the field's colours as they are
        continue;
      }
      color.copy(this.baseColors[beam.nodes.find((node) => node >= 0) ?? 0]);
      if (this.selected >= 0 && beam.nodes.includes(this.selected)) color.lerp(accent, 0.4);
    }
    for (const { mesh, parts } of this.batches) {
      parts.forEach((part, i) => {
        const color = new THREE.Color("#8d939c");
        if (part.body >= 0) color.copy(this.baseColors[part.body]);
        if (part.color && !this.ghost) color.set(part.color);
        if (part.tint !== 0) color.lerp(new THREE.Color(part.tint < 0 ? "#20242a" : "#ffffff"), 0.45);
        if (part.body >= 0 && part.body === this.selected) color.lerp(accent, 0.65);
        mesh.setColorAt(i, color);
      });
      if (mesh.instanceColor) mesh.instanceColor.needsUpdate = true;
    }
  }

  colorOf(body: number): string {
    return `#${(this.baseColors[body] ?? new THREE.Color("#8d939c")).getHexString()}`;
  }

  private findBounds(parts: Part[]): void {
    const motion = this.motion as Motion;
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
        const r = this.innerRadius[b];
        for (const at of this.corners[b]) {
          motion.point(b, at, p);
          this.bounds.expandByPoint(p.clone().addScalar(r)).expandByPoint(p.clone().addScalar(-r));
          if (s === 0) this.startBounds.expandByPoint(p.clone().addScalar(r)).expandByPoint(p.clone().addScalar(-r));
        }
      }
    }
    const spanning = [
      ...this.scene.joints.filter((joint) => jointPicture(this.scene, joint).spans_a),
      ...this.scene.forces.filter((force) => forcePicture(this.scene, force).spans_a),
    ];
    for (const held of spanning) {
      if (held.a >= 0) continue;
      this.bounds.expandByPoint(p.set(...held.point_a));
      this.startBounds.expandByPoint(p);
    }
    if (ground.length > 0 && ground.every((part) => part.extent < 3 * this.size))
      for (const part of ground) {
        const geometry = geometryOf(part);
        geometry.computeBoundingBox();
        if (geometry.boundingBox) this.bounds.union(geometry.boundingBox.clone().applyMatrix4(part.matrix));
      }
    motion.moveTo(frames[0]);
  }

  private cornerCache: Vec3[][] | null = null;
  private radiusCache: number[] = [];
  /** Points of each body that span it. */
  private get corners(): Vec3[][] {
    if (this.cornerCache) return this.cornerCache;
    const points = attachments(this.scene);
    const boxes = this.scene.bodies.map(() => new THREE.Box3());
    for (const { parts } of this.batches)
      for (const part of parts) {
        if (part.body < 0) continue;
        const geometry = geometryOf(part);
        if (geometry.boundingBox) boxes[part.body].union(geometry.boundingBox.clone().applyMatrix4(part.matrix));
      }
    this.cornerCache = boxes.map((box, b) => {
      if (box.isEmpty()) return [this.scene.bodies[b].center_of_mass, ...points[b]];
      const list: Vec3[] = [];
      for (let i = 0; i < 8; ++i)
        list.push([
          i & 1 ? box.max.x : box.min.x,
          i & 2 ? box.max.y : box.min.y,
          i & 4 ? box.max.z : box.min.z,
        ]);
      return list;
    });
    this.radiusCache = boxes.map((box) => (box.isEmpty() ? 0.02 * this.size : 0));
    return this.cornerCache;
  }
  private get innerRadius(): number[] {
    if (!this.cornerCache) void this.corners;
    return this.radiusCache;
  }

  private addBatch(
    layer: keyof Layers | null,
    geometry: THREE.BufferGeometry,
    color: string,
    count: number,
    set: (i: number, out: THREE.Matrix4) => void,
    glow = false,
  ): void {
    if (count === 0) return;
    const material = glow
      ? new THREE.MeshBasicMaterial({ color })
      : new THREE.MeshStandardMaterial({ color, roughness: 0.45, metalness: 0.35 });
    if (this.ghost && this.run.index > 0) {
      material.transparent = true;
      material.opacity = 0.45;
    }
    const mesh = new THREE.InstancedMesh(geometry, material, count);
    mesh.name = layer ?? "";
    mesh.frustumCulled = false;
    mesh.castShadow = !glow;
    if (glow) {
      // Arrows and axes are seen through bodies.
      material.depthTest = false;
      material.transparent = true;
      mesh.renderOrder = 10;
    }
    this.group.add(mesh);
    this.updates.push({
      layer,
      object: mesh,
      update: () => {
        for (let i = 0; i < count; ++i) {
          set(i, matrix);
          mesh.setMatrixAt(i, isFinite(matrix) ? matrix : hidden);
        }
        mesh.instanceMatrix.needsUpdate = true;
      },
    });
  }

  /** How large the sign of a joint is: it must fit its bodies, and be seen. */
  private jointSize(a: number, b: number): number {
    const extents = [a, b].filter((body) => body >= 0).map((body) => this.bodyExtent[body]);
    return Math.min(0.016 * this.size, 0.09 * Math.min(...extents, Infinity)) || 0.012 * this.size;
  }

  /** What the pictures of joints and forces show: parts that look alike are one batch. */
  private addPictures(): void {
    const batches = new Map<string, { part: PicturePart; held: Held[] }>();
    const add = (picture: Picture, held: Held) => {
      for (const part of picture.parts) {
        if (part.place === "solid") continue; // a part of its body
        const key = JSON.stringify(part);
        if (!batches.has(key)) batches.set(key, { part, held: [] });
        batches.get(key)?.held.push(held);
      }
    };
    for (const joint of this.scene.joints) add(jointPicture(this.scene, joint), joint);
    for (const force of this.scene.forces) add(forcePicture(this.scene, force), { ...force, axis_b: force.axis_a });
    for (const { part, held } of batches.values()) this.addPicture(part, held);
  }

  private addPicture(part: PicturePart, held: Held[]): void {
    const motion = this.motion as Motion;
    const layer = part.always ? null : "joints";
    const [x, y, z] = part.size;
    const unitOf = (h: Held) =>
      part.unit === "machine" ? this.size : part.unit === "radius" ? (h.radius ?? 0) : Math.max(part.least * this.size, this.jointSize(h.a, h.b));
    const geometry = pictureShapes[part.shape]();
    if (part.place === "point")
      this.addBatch(layer, geometry, part.color, held.length, (i, out) => {
        const r = unitOf(held[i]);
        motion.point(held[i].b, held[i].point_b, from);
        this.along(part, held[i]);
        turn.setFromUnitVectors(z_axis, direction);
        out.compose(from, turn, scale.set(x * r, y * r, z * r));
      });
    if (part.place === "between")
      this.addBatch(layer, geometry, part.color, held.length, (i, out) => {
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
      this.addBatch(layer, geometry, part.color, ends.length, (i, out) => {
        motion.point(ends[i].body, ends[i].at, from);
        const r = unitOf(ends[i].held);
        out.compose(from, turn.identity(), scale.set(x * r, y * r, z * r));
      });
    }
    if (part.place === "rail") {
      const reach = held.map((h) => this.slideOf(h));
      this.addBatch(layer, geometry, part.color, held.length, (i, out) => {
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
  private along(part: PicturePart, held: Held): void {
    const motion = this.motion as Motion;
    const normal = part.along === "normal" ? this.scene.bodies[held.b]?.normal : undefined;
    if (normal) motion.direction(held.b, normal, direction);
    else if (part.along === "axis_b") motion.direction(held.b, held.axis_b, direction);
    else if (part.along === "z") motion.direction(held.b, [0, 0, 1], direction);
    else motion.direction(held.a, held.axis_a, direction);
  }

  private get feet(): SceneJoint[] {
    return this.scene.joints.filter((joint) => (joint.a < 0 || joint.b < 0) && jointPicture(this.scene, joint).foot);
  }
  private footSize(joint: SceneJoint): number {
    return Math.max(2.4 * this.jointSize(joint.a, joint.b), 0.018 * this.size);
  }

  /** Where the ground holds the machine. */
  private addFeet(): void {
    const feet = this.feet;
    this.addBatch("joints", new THREE.ConeGeometry(1, 1.6, 4).rotateX(Math.PI / 2).rotateZ(Math.PI / 4), "#6f7782", feet.length, (i, out) => {
      const joint = feet[i];
      from.set(...(joint.a < 0 ? joint.point_a : joint.point_b));
      const g = direction.set(...this.scene.gravity);
      const r = this.footSize(joint);
      if (g.length() === 0) g.set(0, 0, -1);
      g.normalize();
      turn.setFromUnitVectors(z_axis, g.clone().negate());
      out.compose(from.addScaledVector(g, 0.8 * r), turn, scale.set(r, r, r));
    });
  }

  /** From where to where a slider moves along its axis over the whole run, with some rail to spare. */
  private slideOf(joint: Held): [number, number] {
    const motion = this.motion as Motion;
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
    const spare = Math.max(0.06 * this.size, 1.2 * (joint.b >= 0 ? this.bodyExtent[joint.b] : 0));
    return [low - spare, high + spare];
  }

  private addAxes(): void {
    const motion = this.motion as Motion;
    const n = motion.count;
    const colors = ["#e5484d", "#46a758", "#3e8bff"];
    const axes: Vec3[] = [
      [1, 0, 0],
      [0, 1, 0],
      [0, 0, 1],
    ];
    const shaft = new THREE.CylinderGeometry(0.022, 0.022, 1, 10).rotateX(Math.PI / 2).translate(0, 0, 0.5);
    axes.forEach((axis, k) =>
      this.addBatch(
        "axes",
        shaft,
        colors[k],
        n,
        (i, out) => {
          motion.point(i, [0, 0, 0], from);
          motion.direction(i, axis, direction);
          turn.setFromUnitVectors(z_axis, direction);
          const l = Math.min(0.14 * this.size, Math.max(0.04 * this.size, 0.7 * this.bodyExtent[i]));
          out.compose(from, turn, scale.set(l, l, l));
        },
        true,
      ),
    );
  }

  /** Measured points: a small ball on a stem from the body's centre of mass. */
  private addPoints(): void {
    const motion = this.motion as Motion;
    const points = this.scene.points.filter((point) => point.body >= 0);
    this.addBatch("trails", unit.sphere(), "#f2f4f7", points.length, (i, out) => {
      motion.point(points[i].body, points[i].at, from);
      const r = 0.011 * this.size;
      out.compose(from, turn.identity(), scale.set(r, r, r));
    });
    this.addBatch("trails", unit.cylinder(), "#8d939c", points.length, (i, out) => {
      motion.point(points[i].body, points[i].at, from);
      motion.point(points[i].body, this.scene.bodies[points[i].body].center_of_mass, to);
      between(from, to, 0.003 * this.size, out);
    });
  }

  /** Where bodies press on each other: of each contact the place that presses most. */
  private addContacts(): void {
    const channelsOf = (quantity: string): ((name: string, component?: string) => Channel | undefined) => {
      const group = this.run.quantity(quantity);
      return (name, component) => {
        if (!group) return undefined;
        const base = group.names.length === 1 ? group.pattern : group.pattern.replace("{name}", () => name);
        const channel = this.run.channel(component ? `${base}.${component}` : base);
        return channel && channel.values.length > 0 ? channel : undefined;
      };
    };
    const place = channelsOf("contact_point");
    const touching = channelsOf("touching");
    const contacts = (this.run.quantity("contact_point")?.names ?? []).flatMap((name) => {
      const [x, y, z, n] = [place(name, "x"), place(name, "y"), place(name, "z"), touching(name)];
      return x && y && z && n ? [{ x, y, z, n }] : []; // a long run may not carry them
    });
    const motion = this.motion as Motion;
    this.addBatch(
      "contacts",
      unit.sphere(),
      "#ff5d3b",
      contacts.length,
      (i, out) => {
        const { x, y, z, n } = contacts[i];
        const t = motion.time;
        if (!(valueAt(n, t) >= 0.5)) return void out.copy(hidden);
        const r = 0.012 * this.size;
        out.compose(from.set(valueAt(x, t), valueAt(y, t), valueAt(z, t)), turn.identity(), scale.set(r, r, r));
      },
      true,
    );
    this.contacts = contacts.length;
  }

  /** Arrows of joints' reactions and of applied forces, on the second bodies, all in one scale. */
  private addForces(): void {
    const { reaction, applied } = (this.motion as Motion).animation;
    const { joints, forces } = this.scene;
    const kinds: { layer: keyof Layers; track: Track; at: Arrow[]; color: string }[] = [];
    // Some forces are recorded but sit nowhere; places and columns are matched by name.
    const add = (layer: keyof Layers, quantity: string, track: Track | null, all: (SceneJoint | SceneForce)[], color: string) => {
      const columns = new Map((this.run.quantity(quantity)?.names ?? []).map((name, i) => [name, i]));
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
    this.forceScale = (0.25 * this.size) / typical;
    for (const { layer, track, at, color } of kinds) this.addArrows(layer, track, at, color);
  }

  private addArrows(layer: keyof Layers, track: Track, at: Arrow[], color: string): void {
    const motion = this.motion as Motion;
    const shaft = new THREE.CylinderGeometry(1, 1, 1, 14).rotateX(Math.PI / 2).translate(0, 0, 0.5);
    const head = new THREE.ConeGeometry(1, 1, 18).rotateX(Math.PI / 2).translate(0, 0, 0.5);
    const r = 0.0045 * this.size;
    const arrow = (isHead: boolean) => (i: number, out: THREE.Matrix4) => {
      const { place, column } = at[i];
      motion.vector(track, column, direction);
      const l = Math.min(direction.length() * this.forceScale, 0.6 * this.size);
      if (!(l > 0.006 * this.size)) return void out.copy(hidden);
      direction.normalize();
      turn.setFromUnitVectors(z_axis, direction);
      motion.point(place.b, place.point_b, from);
      const tip = Math.min(0.035 * this.size, 0.5 * l);
      if (isHead) out.compose(from.addScaledVector(direction, l - tip), turn, scale.set(2.6 * r, 2.6 * r, tip));
      else out.compose(from, turn, scale.set(r, r, l - tip));
    };
    this.addBatch(layer, shaft, color, at.length, arrow(false), true);
    this.addBatch(layer, head, color, at.length, arrow(true), true);
  }

  /** The path of a point over the whole run; drawn up to the present. */
  addTrail(key: string, body: number, at: Vec3): void {
    if (this.trails.some((trail) => trail.key === key)) return;
    const motion = this.motion as Motion;
    const now = motion.time;
    const times = motion.animation.times;
    const path = new Float32Array(3 * times.length);
    for (let f = 0; f < times.length; ++f) {
      motion.moveTo(times[f]);
      motion.point(body, at, from);
      // Where the body is nowhere its path stays where it was last.
      if (!Number.isFinite(from.x + from.y + from.z)) from.fromArray(path, 3 * Math.max(0, f - 1));
      from.toArray(path, 3 * f);
    }
    motion.moveTo(now);
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.BufferAttribute(path, 3));
    const color = this.ghost ? runColors[this.run.index % runColors.length] : this.colorOf(body);
    const line = new THREE.Line(geometry, new THREE.LineBasicMaterial({ color }));
    line.frustumCulled = false;
    const whole = new THREE.Line(geometry.clone(), new THREE.LineBasicMaterial({ color, transparent: true, opacity: 0.22 }));
    whole.frustumCulled = false;
    line.add(whole);
    this.group.add(line);
    this.trails.push({ line, key });
    this.updates.push({
      layer: "trails",
      object: line,
      update: () => {
        let n = 0;
        while (n < times.length && times[n] <= motion.time) ++n;
        geometry.setDrawRange(0, Math.max(1, n));
      },
    });
  }

  moveTo(t: number): void {
    if (!this.motion) return;
    this.motion.moveTo(t);
    this.update();
  }

  /** Everything to where the motion is. */
  update(): void {
    const motion = this.motion;
    if (!motion) return;
    for (const { mesh, parts } of this.batches) {
      for (let i = 0; i < parts.length; ++i) {
        motion.matrix(parts[i].body, local);
        matrix.multiplyMatrices(local, parts[i].matrix);
        mesh.setMatrixAt(i, isFinite(matrix) ? matrix : hidden);
      }
      mesh.instanceMatrix.needsUpdate = true;
    }
    for (const beam of this.beams) beam.update();
    for (const { layer, object, update } of this.updates) {
      object.visible = layer === null || this.layers[layer];
      if (object.visible) update();
    }
  }

  /** Meshes whose instances are bodies, for picking. */
  get pickable(): THREE.InstancedMesh[] {
    return this.batches.map((batch) => batch.mesh);
  }
}

const out_position = new THREE.Vector3();

/** A unit bar along z, stretched from one point to another. */
function between(a: THREE.Vector3, b: THREE.Vector3, radius: number, out: THREE.Matrix4): void {
  direction.subVectors(b, a);
  const length = direction.length();
  if (!(length > 0)) return void out.copy(hidden);
  turn.setFromUnitVectors(z_axis, direction.divideScalar(length));
  out.compose(middle.addVectors(a, b).multiplyScalar(0.5), turn, scale.set(radius, radius, length));
}
const middle = new THREE.Vector3();

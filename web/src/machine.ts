// SPDX-License-Identifier: Apache-2.0
// One run's machine in the 3-D view: bodies and beams with their colours; what else is drawn of it stands in files of its own.
import * as THREE from "three";
import { addAxes, addForces } from "./arrows";
import type { BeamField } from "./beam_fields";
import { BeamValues, ColorScale, beamFields } from "./beam_fields";
import { BeamMesh } from "./beams";
import type { Run } from "./data";
import type { Layers } from "./drawing";
import { Drawing, hidden, isFinite, local, matrix, runColors } from "./drawing";
import { bottom, drawnSize, findBounds, floorLevel, lowest, seeThrough } from "./extent";
import type { Motion } from "./motion";
import type { Vec3 } from "./scene";
import type { Part } from "./shapes";
import { geometryOf, makeParts } from "./shapes";
import { addFeet, addPictures } from "./symbols";
import { addContacts, addPoints, addTrail } from "./trails";

/** Colours of bodies, readable on light and dark, told apart by colour-blind readers. */
const bodyColors = ["#4f8fd6", "#e08a3c", "#4fae84", "#c8699f", "#8f7fd0", "#c9a83a", "#5fb3c9", "#b9705a"];

interface Batch {
  mesh: THREE.InstancedMesh;
  parts: Part[];
}

export class Machine extends Drawing {
  readonly bounds = new THREE.Box3(); // of the whole motion
  readonly startBounds = new THREE.Box3();
  private readonly parts: Part[] = [];
  private readonly batches: Batch[] = [];
  private readonly baseColors: THREE.Color[] = [];
  readonly beams: BeamMesh[] = [];
  contacts = 0; // how many are shown while they touch
  private readonly trails = new Set<string>();
  private readonly material: THREE.MeshStandardMaterial;
  selected = -1;

  /** `ghost`: one of several runs laid over each other, drawn in its own colour. */
  constructor(run: Run, ghost: boolean, layers: Layers) {
    super(run, ghost, layers);
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
    this.size = drawnSize(this);
    if (!this.motion) return;
    this.parts = makeParts(this.scene, this.size);
    for (const part of this.parts)
      if (part.body >= 0) this.bodyExtent[part.body] = Math.max(this.bodyExtent[part.body], part.extent);
    this.addBeams();
    this.addParts(this.parts);
    const { whole, start } = findBounds(this, this.parts);
    this.bounds.copy(whole);
    this.startBounds.copy(start);
    addPictures(this);
    addFeet(this);
    addAxes(this);
    addForces(this);
    addPoints(this);
    this.contacts = addContacts(this);
    for (const point of this.scene.points) this.addTrail(point.name, point.body, point.at);
    const last = this.scene.bodies.length - 1;
    if (this.scene.points.length === 0 && last < 2)
      this.addTrail(`body:${last}`, last, this.scene.bodies[last].center_of_mass);
    this.update();
  }

  /** The lowest height along `up` of a part at a pose of its body. */
  bottom(part: Part, pose: THREE.Matrix4, up: THREE.Vector3): number {
    return bottom(part, pose, up);
  }

  /** The top of the floor that the model draws; null if it draws none. */
  floorLevel(up: THREE.Vector3): number | null {
    return floorLevel(this, this.parts, up);
  }

  /** The height of the ground below the machine, along `up`. */
  lowest(up: THREE.Vector3): number {
    return lowest(this, this.parts, up);
  }

  private addParts(parts: Part[]): void {
    seeThrough(this, parts);
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

  /** The path of a point over the whole run, once. */
  addTrail(key: string, body: number, at: Vec3): void {
    if (this.trails.has(key)) return;
    this.trails.add(key);
    addTrail(this, body, at, this.ghost ? runColors[this.run.index % runColors.length] : this.colorOf(body));
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
    this.updateBatches();
  }

  /** Meshes whose instances are bodies, for picking. */
  get pickable(): THREE.InstancedMesh[] {
    return this.batches.map((batch) => batch.mesh);
  }
}

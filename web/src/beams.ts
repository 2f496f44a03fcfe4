// SPDX-License-Identifier: Apache-2.0
// Beams as they deform: a section swept along the line that the elements' polynomials draw through their nodes.
import * as THREE from "three";
import type { BeamValues, ColorScale } from "./beam_fields";
import { gaussWeights } from "./beam_fields";
import type { Motion } from "./motion";
import type { SceneBeam, Vec3 } from "./scene";

/** Gauss–Lobatto points of elements with 2, 3 and 4 nodes: where the nodes stand. */
const lobatto: Record<number, number[]> = {
  1: [-1, 1],
  2: [-1, 0, 1],
  3: [-1, -1 / Math.sqrt(5), 1 / Math.sqrt(5), 1],
};

/** A place along an element: weights of its nodes, and between which two of them the section is turned. */
interface Station {
  weights: number[];
  gauss: number[]; // of what is known at Gauss points
  left: number;
  part: number;
}

function makeStations(order: number, count: number): Station[] {
  const at = lobatto[order];
  const stations: Station[] = [];
  for (let i = 0; i <= count; ++i) {
    const xi = -1 + (2 * i) / count;
    const weights = at.map((x, a) => at.reduce((w, y, b) => (a === b ? w : (w * (xi - y)) / (x - y)), 1));
    const left = Math.min(order - 1, at.filter((x) => x <= xi).length - 1);
    stations.push({ weights, gauss: gaussWeights(order, xi), left, part: (xi - at[left]) / (at[left + 1] - at[left]) });
  }
  return stations;
}

/** The outline of a section in its plane (y, z), anticlockwise, and the outward normals of round ones. */
function outline(beam: SceneBeam, size: number): { points: [number, number][]; round: boolean } {
  if (beam.width && beam.height) {
    // A strip of paper is still to be seen from its edge.
    const y = Math.max(0.5 * beam.width, 0.0012 * size);
    const z = Math.max(0.5 * beam.height, 0.0012 * size);
    return { points: [[-y, -z], [y, -z], [y, z], [-y, z]], round: false };
  }
  const r = Math.max(beam.radius ?? 0.006 * size, 0.0012 * size);
  const n = 14;
  return {
    points: Array.from({ length: n }, (_, i) => {
      const angle = (2 * Math.PI * i) / n;
      return [r * Math.cos(angle), r * Math.sin(angle)];
    }),
    round: true,
  };
}

const point = new THREE.Vector3();
const sum = new THREE.Vector3();
const corner = new THREE.Vector3();
const turn = new THREE.Quaternion();
const other = new THREE.Quaternion();

export class BeamMesh {
  readonly mesh: THREE.Mesh;
  private readonly stations: Station[];
  private readonly elements: number;
  private readonly points: [number, number][];
  private readonly round: boolean;
  private readonly positions: Float32Array;
  private readonly normals: Float32Array;
  private readonly colors: Float32Array;
  private field: { values: BeamValues; scale: ColorScale } | null = null;

  constructor(
    readonly beam: SceneBeam,
    private readonly motion: Motion,
    size: number,
    material: THREE.MeshStandardMaterial,
    mostRings: number,
  ) {
    const { points, round } = outline(beam, size);
    this.points = points;
    this.round = round;
    this.elements = beam.nodes.length / (beam.order + 1);
    this.stations = makeStations(beam.order, Math.max(1, Math.min(beam.order === 1 ? 1 : 8, Math.floor(mostRings / this.elements))));
    const rings = this.elements * (this.stations.length - 1) + 1;
    const m = points.length;
    this.positions = new Float32Array(3 * m * rings);
    this.normals = new Float32Array(3 * m * rings);
    this.colors = new Float32Array(3 * m * rings).fill(1);
    const index: number[] = [];
    for (let r = 0; r + 1 < rings; ++r)
      for (let k = 0; k < m; ++k) {
        const [a, b] = [r * m + k, r * m + ((k + 1) % m)];
        index.push(a, b, a + m, b, b + m, a + m);
      }
    const last = (rings - 1) * m;
    for (let k = 1; k + 1 < m; ++k) index.push(0, k + 1, k, last, last + k, last + k + 1);
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.BufferAttribute(this.positions, 3));
    geometry.setAttribute("normal", new THREE.BufferAttribute(this.normals, 3));
    geometry.setAttribute("color", new THREE.BufferAttribute(this.colors, 3));
    geometry.setIndex(index);
    const own = material.clone();
    own.flatShading = !round;
    this.mesh = new THREE.Mesh(geometry, own);
    this.mesh.frustumCulled = false;
    this.mesh.castShadow = this.mesh.receiveShadow = true;
  }

  /** Colours by a field, or as the beam is without one. */
  paintBy(values: BeamValues | null, scale: ColorScale): void {
    this.field = values ? { values, scale } : null;
    const material = this.mesh.material as THREE.MeshStandardMaterial;
    material.vertexColors = this.field !== null;
    material.needsUpdate = true;
  }
  get isPainted(): boolean {
    return this.field !== null;
  }

  /** The colour of ring `r` as it is drawn now. */
  colorAt(r: number): Vec3 {
    const at = 3 * r * this.points.length;
    return [this.colors[at], this.colors[at + 1], this.colors[at + 2]];
  }

  private paint(): void {
    if (!this.field) return;
    const { values, scale } = this.field;
    const { order } = this.beam;
    const m = this.points.length;
    let ring = 0;
    for (let e = 0; e < this.elements; ++e) {
      const known = Array.from({ length: order }, (_, g) => values.at(e * order + g, this.motion.time));
      for (let s = e === 0 ? 0 : 1; s < this.stations.length; ++s, ++ring) {
        const x = this.stations[s].gauss.reduce((total, w, g) => total + w * known[g], 0);
        scale.color(x, tone);
        for (let k = 0; k < m; ++k) tone.toArray(this.colors, 3 * (ring * m + k));
      }
    }
    this.mesh.geometry.attributes.color.needsUpdate = true;
  }

  /** The middle of ring `r` as it is drawn now. */
  center(r: number): Vec3 {
    const m = this.points.length;
    const c: Vec3 = [0, 0, 0];
    for (let k = 0; k < m; ++k) for (let i = 0; i < 3; ++i) c[i] += this.positions[3 * (r * m + k) + i] / m;
    return c;
  }

  get rings(): number {
    return this.positions.length / (3 * this.points.length);
  }

  private nodeQuaternion(node: number, out: THREE.Quaternion): THREE.Quaternion {
    const q = this.beam.quaternions;
    const body = this.beam.nodes[node];
    out.set(q[4 * node + 1], q[4 * node + 2], q[4 * node + 3], q[4 * node]);
    if (body < 0) return out;
    const b = this.motion.quaternion;
    return out.premultiply(spin.set(b[4 * body], b[4 * body + 1], b[4 * body + 2], b[4 * body + 3]));
  }

  update(): void {
    const { beam, motion, points, positions, normals } = this;
    const m = points.length;
    const nodes = beam.order + 1;
    let ring = 0;
    for (let e = 0; e < this.elements; ++e)
      for (let s = e === 0 ? 0 : 1; s < this.stations.length; ++s, ++ring) {
        const { weights, left, part } = this.stations[s];
        sum.set(0, 0, 0);
        for (let a = 0; a < nodes; ++a) {
          const node = e * nodes + a;
          motion.point(beam.nodes[node], [beam.at[3 * node], beam.at[3 * node + 1], beam.at[3 * node + 2]], point);
          sum.addScaledVector(point, weights[a]);
        }
        this.nodeQuaternion(e * nodes + left, turn).slerp(this.nodeQuaternion(e * nodes + left + 1, other), part);
        for (let k = 0; k < m; ++k) {
          corner.set(0, points[k][0], points[k][1]).applyQuaternion(turn);
          const at = 3 * (ring * m + k);
          positions[at] = sum.x + corner.x;
          positions[at + 1] = sum.y + corner.y;
          positions[at + 2] = sum.z + corner.z;
          if (this.round) corner.normalize().toArray(normals, at);
        }
      }
    const { position, normal } = this.mesh.geometry.attributes;
    this.paint();
    position.needsUpdate = true;
    normal.needsUpdate = this.round;
    // Where a body is nowhere there is nothing to draw.
    this.mesh.visible = Number.isFinite(positions.reduce((total, x) => total + x, 0));
  }
}

const spin = new THREE.Quaternion();
const tone = new THREE.Color();

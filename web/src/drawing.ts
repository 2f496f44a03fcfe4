// SPDX-License-Identifier: Apache-2.0
// What is drawn of one run and follows its motion: batches of equal things, each shown with its layer.
import * as THREE from "three";
import type { Run } from "./data";
import { Motion } from "./motion";
import type { Scene, SceneForce, Vec3 } from "./scene";
import { sceneOf } from "./scene";

export const runColors = ["#4f8fd6", "#e0742f", "#35a476", "#c75b98", "#8c76d6", "#b8982e"];

export interface Layers {
  joints: boolean;
  axes: boolean;
  reactions: boolean;
  forces: boolean;
  trails: boolean;
  contacts: boolean;
}

/** What a picture needs of a joint or a force. */
export type Held = SceneForce & { axis_b: Vec3; radius?: number };

// Scratch memory of those who place things; nobody keeps anything in it.
const color_of_one = new THREE.Color();
export const matrix = new THREE.Matrix4();
export const local = new THREE.Matrix4();
export const from = new THREE.Vector3();
export const to = new THREE.Vector3();
export const direction = new THREE.Vector3();
export const turn = new THREE.Quaternion();
export const scale = new THREE.Vector3();
const middle = new THREE.Vector3();

export const z_axis = new THREE.Vector3(0, 0, 1);
export const identity = new THREE.Matrix4();
export const hidden = new THREE.Matrix4().makeScale(0, 0, 0);

export function isFinite(m: THREE.Matrix4): boolean {
  const e = m.elements;
  return Number.isFinite(e[0] + e[12] + e[13] + e[14]);
}

/** A unit bar along z, stretched from one point to another. */
export function between(a: THREE.Vector3, b: THREE.Vector3, radius: number, out: THREE.Matrix4): void {
  direction.subVectors(b, a);
  const length = direction.length();
  if (!(length > 0)) return void out.copy(hidden);
  turn.setFromUnitVectors(z_axis, direction.divideScalar(length));
  out.compose(middle.addVectors(a, b).multiplyScalar(0.5), turn, scale.set(radius, radius, length));
}

export class Drawing {
  readonly group = new THREE.Group();
  readonly scene: Scene;
  readonly motion: Motion | null;
  size = 1; // stands for the whole machine [m]
  readonly bodyExtent: number[];
  forceScale = 1; // metres per newton of the arrows
  readonly updates: { layer: keyof Layers | null; object: THREE.Object3D; update: () => void }[] = [];

  /** `ghost`: one of several runs laid over each other, drawn in its own colour. */
  constructor(
    readonly run: Run,
    readonly ghost: boolean,
    readonly layers: Layers,
  ) {
    this.scene = sceneOf(run);
    this.motion = run.animation ? new Motion(run.animation) : null;
    this.bodyExtent = this.scene.bodies.map(() => 0);
  }

  point(body: number, at: Vec3): THREE.Vector3 {
    return (this.motion as Motion).point(body, at, new THREE.Vector3());
  }

  /** Against gravity. */
  get up(): THREE.Vector3 {
    const [x, y, z] = this.scene.gravity;
    return Math.hypot(x, y, z) > 0 ? new THREE.Vector3(-x, -y, -z).normalize() : z_axis.clone();
  }

  addBatch(
    layer: keyof Layers | null,
    geometry: THREE.BufferGeometry,
    color: string,
    count: number,
    set: (i: number, out: THREE.Matrix4) => void,
    glow = false,
    tint?: (i: number, out: THREE.Color) => void,
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
      mesh.renderOrder = tint ? 9 : 10; // areas behind what marks their middle
    }
    this.group.add(mesh);
    this.updates.push({
      layer,
      object: mesh,
      update: () => {
        for (let i = 0; i < count; ++i) {
          set(i, matrix);
          mesh.setMatrixAt(i, isFinite(matrix) ? matrix : hidden);
          if (tint) tint(i, color_of_one), mesh.setColorAt(i, color_of_one);
        }
        if (mesh.instanceColor) mesh.instanceColor.needsUpdate = true;
        mesh.instanceMatrix.needsUpdate = true;
      },
    });
  }

  /** Everything in a batch to where the motion is. */
  updateBatches(): void {
    for (const { layer, object, update } of this.updates) {
      object.visible = layer === null || this.layers[layer];
      if (object.visible) update();
    }
  }
}

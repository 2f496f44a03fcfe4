// SPDX-License-Identifier: Apache-2.0
// Poses of bodies at any time, between the frames of the animation.
import * as THREE from "three";
import type { Animation, Track } from "./data";
import { indexAt } from "./data";
import type { Vec3 } from "./scene";

export class Motion {
  readonly position: Float32Array; // 3 per body, at the current time
  readonly quaternion: Float32Array; // x, y, z, w per body
  readonly count: number;
  time = NaN;
  private frame = 0;
  private part = 0;

  constructor(readonly animation: Animation) {
    this.count = animation.position.columns / 3;
    this.position = new Float32Array(3 * this.count);
    this.quaternion = new Float32Array(4 * this.count);
    this.moveTo(animation.times[0] ?? 0);
  }

  /** Straight lines between positions, shortest turns between orientations. */
  moveTo(t: number): void {
    const { times, position, orientation } = this.animation;
    const last = times.length - 1;
    const i = indexAt(times, t);
    const next = Math.min(i + 1, last);
    const span = times[next] - times[i];
    const part = span > 0 ? Math.min(1, Math.max(0, (t - times[i]) / span)) : 0;
    this.time = t;
    this.frame = i;
    this.part = part;
    for (let c = 0; c < 3 * this.count; ++c) {
      const x = position.at(c, i);
      this.position[c] = part > 0 ? x + part * (position.at(c, next) - x) : x;
    }
    for (let b = 0; b < this.count; ++b) {
      let w = orientation.at(4 * b, i);
      let x = orientation.at(4 * b + 1, i);
      let y = orientation.at(4 * b + 2, i);
      let z = orientation.at(4 * b + 3, i);
      if (part > 0) {
        const w1 = orientation.at(4 * b, next);
        const x1 = orientation.at(4 * b + 1, next);
        const y1 = orientation.at(4 * b + 2, next);
        const z1 = orientation.at(4 * b + 3, next);
        const dot = w * w1 + x * x1 + y * y1 + z * z1;
        const s = dot < 0 ? -part : part;
        w = (1 - part) * w + s * w1;
        x = (1 - part) * x + s * x1;
        y = (1 - part) * y + s * y1;
        z = (1 - part) * z + s * z1;
      }
      const norm = Math.hypot(w, x, y, z) || 1;
      this.quaternion[4 * b] = x / norm;
      this.quaternion[4 * b + 1] = y / norm;
      this.quaternion[4 * b + 2] = z / norm;
      this.quaternion[4 * b + 3] = w / norm;
    }
  }

  /** The pose of a body (−1: ground) as it is now. */
  matrix(body: number, out: THREE.Matrix4): THREE.Matrix4 {
    if (body < 0) return out.identity();
    const p = this.position;
    const q = this.quaternion;
    at.set(p[3 * body], p[3 * body + 1], p[3 * body + 2]);
    turn.set(q[4 * body], q[4 * body + 1], q[4 * body + 2], q[4 * body + 3]);
    return out.compose(at, turn, one);
  }

  /** A point of a body in the world. */
  point(body: number, local: Vec3, out: THREE.Vector3): THREE.Vector3 {
    out.set(local[0], local[1], local[2]);
    if (body < 0) return out;
    const p = this.position;
    const q = this.quaternion;
    turn.set(q[4 * body], q[4 * body + 1], q[4 * body + 2], q[4 * body + 3]);
    out.applyQuaternion(turn);
    out.x += p[3 * body];
    out.y += p[3 * body + 1];
    out.z += p[3 * body + 2];
    return out;
  }

  /** A point of a body in the world at a frame of the animation, wherever the motion is now. */
  pointAtFrame(body: number, local: Vec3, frame: number, out: THREE.Vector3): THREE.Vector3 {
    out.set(local[0], local[1], local[2]);
    if (body < 0) return out;
    const { position, orientation } = this.animation;
    const q = (k: number) => orientation.at(4 * body + k, frame);
    out.applyQuaternion(turn.set(q(1), q(2), q(3), q(0)).normalize());
    out.x += position.at(3 * body, frame);
    out.y += position.at(3 * body + 1, frame);
    out.z += position.at(3 * body + 2, frame);
    return out;
  }

  direction(body: number, local: Vec3, out: THREE.Vector3): THREE.Vector3 {
    out.set(local[0], local[1], local[2]);
    if (body < 0) return out;
    const q = this.quaternion;
    turn.set(q[4 * body], q[4 * body + 1], q[4 * body + 2], q[4 * body + 3]);
    return out.applyQuaternion(turn);
  }

  /** A vector of a track, three columns each, as it is now. */
  vector(track: Track, index: number, out: THREE.Vector3): THREE.Vector3 {
    const next = Math.min(this.frame + 1, track.frames - 1);
    const get = (c: number) => {
      const x = track.at(3 * index + c, this.frame);
      return x + this.part * (track.at(3 * index + c, next) - x);
    };
    return out.set(get(0), get(1), get(2));
  }
}

const at = new THREE.Vector3();
const turn = new THREE.Quaternion();
const one = new THREE.Vector3(1, 1, 1);

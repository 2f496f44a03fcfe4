// SPDX-License-Identifier: Apache-2.0
// Railway tracks: two rails whose tops are at z = 0 along the model's centre line, on sleepers.
import * as THREE from "three";
import type { SceneTrack } from "./scene";

export const railHeight = 0.17; // [m], as of UIC60
const railHead = 0.07; // [m] wide
const sleeper = { length: 2.6, width: 0.26, height: 0.14, spacing: 0.6 }; // [m]
const mostSleepers = 4000;

/** The height of the ground below rails. */
export const trackBed = -railHeight - sleeper.height;

/** Where the centre line is, and its direction, by points. */
function along(track: SceneTrack): { x: number; y: number; cos: number; sin: number }[] {
  const n = track.points.length / 2;
  return Array.from({ length: n }, (_, i) => {
    const [a, b] = [Math.max(0, i - 1), Math.min(n - 1, i + 1)];
    const dx = track.points[2 * b] - track.points[2 * a];
    const dy = track.points[2 * b + 1] - track.points[2 * a + 1];
    const length = Math.hypot(dx, dy) || 1;
    return { x: track.points[2 * i], y: track.points[2 * i + 1], cos: dx / length, sin: dy / length };
  });
}

/** A prism of rectangular section along a line at a distance `offset` to its left. */
function rail(places: ReturnType<typeof along>, offset: number): THREE.BufferGeometry {
  const corners: [number, number][] = [
    [-0.5 * railHead, 0],
    [0.5 * railHead, 0],
    [0.5 * railHead, -railHeight],
    [-0.5 * railHead, -railHeight],
  ];
  const vertices: number[] = [];
  for (const p of places)
    for (const [side, height] of corners) vertices.push(p.x - p.sin * (offset + side), p.y + p.cos * (offset + side), height);
  const triangles: number[] = [];
  for (let i = 0; i + 1 < places.length; ++i)
    for (let k = 0; k < 4; ++k) {
      const [a, b] = [4 * i + k, 4 * i + ((k + 1) % 4)];
      triangles.push(a, b, a + 4, b, b + 4, a + 4);
    }
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.Float32BufferAttribute(vertices, 3));
  geometry.setIndex(triangles);
  const flat = geometry.toNonIndexed();
  flat.computeVertexNormals();
  return flat;
}

export function makeTrack(track: SceneTrack): THREE.Group {
  const group = new THREE.Group();
  const places = along(track);
  if (places.length < 2) return group;
  const steel = new THREE.MeshStandardMaterial({ color: "#8b8f96", roughness: 0.4, metalness: 0.5, side: THREE.DoubleSide });
  for (const side of [-1, 1]) {
    const mesh = new THREE.Mesh(rail(places, side * track.half_width), steel);
    mesh.receiveShadow = true;
    mesh.frustumCulled = false;
    group.add(mesh);
  }
  const step = Math.hypot(places[1].x - places[0].x, places[1].y - places[0].y);
  const length = step * (places.length - 1);
  const count = Math.max(1, Math.min(mostSleepers, Math.floor(length / sleeper.spacing)));
  const wood = new THREE.MeshStandardMaterial({ color: "#8a7f72", roughness: 0.9 });
  const mesh = new THREE.InstancedMesh(new THREE.BoxGeometry(sleeper.width, sleeper.length, sleeper.height), wood, count);
  const matrix = new THREE.Matrix4();
  const turn = new THREE.Quaternion();
  for (let i = 0; i < count; ++i) {
    const s = ((i + 0.5) / count) * (places.length - 1);
    const [a, part] = [places[Math.floor(s)], s - Math.floor(s)];
    const b = places[Math.min(places.length - 1, Math.floor(s) + 1)];
    turn.setFromAxisAngle(new THREE.Vector3(0, 0, 1), Math.atan2(a.sin, a.cos));
    const at = new THREE.Vector3(a.x + part * (b.x - a.x), a.y + part * (b.y - a.y), -railHeight - 0.5 * sleeper.height);
    mesh.setMatrixAt(i, matrix.compose(at, turn, new THREE.Vector3(1, 1, 1)));
  }
  mesh.receiveShadow = true;
  mesh.frustumCulled = false;
  group.add(mesh);
  return group;
}

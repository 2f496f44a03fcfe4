// SPDX-License-Identifier: Apache-2.0
// Roads: a strip of asphalt along x under everything that moves, with the heights of the model, edges and a dashed middle.
import * as THREE from "three";
import type { SceneRoad } from "./scene";

const margin = { along: 6, across: 1.5 }; // [m] before, behind and beside what moves
const mostPoints = 6000; // along the road
const line = { width: 0.12, dash: 3, gap: 3 }; // [m]

/** The height of a road over x and y, in its own axes. */
export function roadHeight(road: SceneRoad, x: number, y: number): number {
  const ny = road.y.length;
  const nx = road.z.length / ny;
  let s = (x - road.x) / road.dx;
  if (road.period) s -= Math.floor(((x - road.x) / road.period)) * (road.period / road.dx);
  s = Math.min(nx - 1, Math.max(0, s));
  const i = Math.min(Math.max(0, nx - 2), Math.floor(s));
  let j = 0;
  while (j + 2 < ny && road.y[j + 1] < y) ++j;
  const across = ny > 1 ? Math.min(1, Math.max(0, (y - road.y[j]) / (road.y[j + 1] - road.y[j]))) : 0;
  const at = (a: number, b: number) => road.z[Math.min(a, nx - 1) * ny + Math.min(b, ny - 1)];
  const along = (b: number) => at(i, b) + (s - i) * (at(i + 1, b) - at(i, b));
  return (1 - across) * along(j) + across * along(j + 1) + road.slope * x + road.bank * y;
}

function strip(road: SceneRoad, xs: number[], ys: number[], lift: number): THREE.BufferGeometry {
  const vertices: number[] = [];
  for (const x of xs) for (const y of ys) vertices.push(x, y, roadHeight(road, x, y) + lift);
  const triangles: number[] = [];
  for (let i = 0; i + 1 < xs.length; ++i)
    for (let k = 0; k + 1 < ys.length; ++k) {
      const a = i * ys.length + k;
      triangles.push(a, a + ys.length, a + 1, a + 1, a + ys.length, a + ys.length + 1);
    }
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.Float32BufferAttribute(vertices, 3));
  geometry.setIndex(triangles);
  geometry.computeVertexNormals();
  return geometry;
}

function places(from: number, to: number, step: number): number[] {
  const n = Math.max(1, Math.ceil((to - from) / step));
  return Array.from({ length: n + 1 }, (_, i) => from + ((to - from) * i) / n);
}

/** The road below a box of the world, in the axes of its body; the lowest height of what is drawn. */
export function makeRoad(road: SceneRoad, below: THREE.Box3, size: number): { group: THREE.Group; lowest: number } {
  const group = new THREE.Group();
  const [from, to] = [below.min.x - margin.along, below.max.x + margin.along];
  const [right, left] = [below.min.y - margin.across, below.max.y + margin.across];
  const xs = places(from, to, Math.max(Math.min(road.dx, 0.25), (to - from) / mostPoints));
  const ys = [...new Set([right, left, ...road.y.filter((y) => y > right && y < left)])].sort((a, b) => a - b);
  const asphalt = new THREE.MeshStandardMaterial({ color: "#767b82", roughness: 0.95, side: THREE.DoubleSide });
  const surface = new THREE.Mesh(strip(road, xs, ys, 0), asphalt);
  surface.name = "road";
  const paint = new THREE.MeshStandardMaterial({ color: "#f2f3f4", roughness: 0.8, side: THREE.DoubleSide });
  const lift = 0.001 * size; // above the asphalt
  const meshes = [surface];
  for (const y of [right + 2 * line.width, left - 2 * line.width])
    meshes.push(new THREE.Mesh(strip(road, xs, [y - 0.5 * line.width, y + 0.5 * line.width], lift), paint));
  const middle = 0.5 * (right + left);
  for (let x = Math.ceil(from / (line.dash + line.gap)) * (line.dash + line.gap); x + line.dash <= to; x += line.dash + line.gap)
    meshes.push(
      new THREE.Mesh(strip(road, places(x, x + line.dash, 0.25), [middle - 0.5 * line.width, middle + 0.5 * line.width], lift), paint),
    );
  for (const mesh of meshes) {
    mesh.receiveShadow = true;
    mesh.frustumCulled = false;
    group.add(mesh);
  }
  const [w, x, y, z] = road.quaternion;
  group.position.set(...road.at);
  group.quaternion.set(x, y, z, w);
  let lowest = Infinity;
  for (const at of xs) for (const side of ys) lowest = Math.min(lowest, roadHeight(road, at, side));
  return { group, lowest: lowest + road.at[2] };
}

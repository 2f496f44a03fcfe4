// SPDX-License-Identifier: Apache-2.0
// The ground: a plane without end normal to gravity, with lines 1, 2 or 5 × 10ⁿ m apart that stay where they are in the
// world, and the shadows that fall on it. Only the part about the camera's target is drawn, and moves with it.
import * as THREE from "three";

const reach = 9; // half the edge of what is drawn, in distances of the camera from its target

const vertexShader = `
varying vec2 place;
void main() {
  place = position.xy * length(modelMatrix[0].xyz);
  gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
}`;

// A line is one pixel wide however far it is; where lines are closer than pixels they fade.
const fragmentShader = `
uniform vec3 color;
uniform float spacing, edge;
varying vec2 place;
float lines(vec2 x) {
  vec2 width = fwidth(x);
  vec2 line = 1.0 - clamp(abs(fract(x - 0.5) - 0.5) / width, 0.0, 1.0);
  line *= 1.0 - smoothstep(0.25, 0.9, width);
  return max(line.x, line.y);
}
void main() {
  float fade = 1.0 - smoothstep(0.1, 1.0, length(place) / edge);
  float strength = max(0.55 * lines(place / spacing), 0.8 * lines(place / (10.0 * spacing)));
  gl_FragColor = vec4(color, strength * fade);
  #include <colorspace_fragment>
}`;

export class Ground {
  readonly object = new THREE.Group();
  private readonly lines: THREE.Mesh<THREE.PlaneGeometry, THREE.ShaderMaterial>;
  private readonly floor: THREE.Mesh;
  private readonly axes: [THREE.Vector3, THREE.Vector3];

  /** `level`: its height, along `up` [m]; `size`: of the machine [m]; `spacing`: of its lines [m]. */
  constructor(
    private readonly up: THREE.Vector3,
    readonly level: number,
    size: number,
    private readonly spacing: number,
  ) {
    this.lines = new THREE.Mesh(
      new THREE.PlaneGeometry(2, 2),
      new THREE.ShaderMaterial({
        uniforms: { color: { value: new THREE.Color() }, spacing: { value: spacing }, edge: { value: 1 } },
        vertexShader,
        fragmentShader,
        transparent: true,
        depthWrite: false,
        side: THREE.DoubleSide,
      }),
    );
    this.floor = new THREE.Mesh(new THREE.PlaneGeometry(2, 2), new THREE.ShadowMaterial({ opacity: 0.2, depthWrite: false }));
    this.floor.receiveShadow = true;
    this.floor.position.z = this.lines.position.z = -0.0004 * size; // below whatever lies on it
    for (const mesh of [this.lines, this.floor]) mesh.frustumCulled = false;
    this.object.add(this.lines, this.floor);
    this.object.quaternion.setFromUnitVectors(new THREE.Vector3(0, 0, 1), up);
    this.axes = [new THREE.Vector3(1, 0, 0), new THREE.Vector3(0, 1, 0)].map((axis) =>
      axis.applyQuaternion(this.object.quaternion),
    ) as [THREE.Vector3, THREE.Vector3];
  }

  /** Below `target`, which the camera looks at from `distance`. Moves by whole lines, so that they are seen to stand still. */
  follow(target: THREE.Vector3, distance: number): void {
    const edge = reach * distance;
    const snap = (x: number) => Math.round(x / (10 * this.spacing)) * 10 * this.spacing;
    this.object.position.set(0, 0, 0).addScaledVector(this.up, this.level);
    for (const axis of this.axes) this.object.position.addScaledVector(axis, snap(target.dot(axis)));
    for (const mesh of [this.lines, this.floor]) mesh.scale.set(edge, edge, 1);
    this.lines.material.uniforms.edge.value = edge;
  }

  setColor(color: string): void {
    this.lines.material.uniforms.color.value.set(color);
  }
}

/** 1, 2 or 5 × 10ⁿ next to x. */
export function roundLength(x: number): number {
  const power = 10 ** Math.floor(Math.log10(x));
  const digit = x / power;
  return power * (digit < 1.5 ? 1 : digit < 3.5 ? 2 : digit < 7.5 ? 5 : 10);
}

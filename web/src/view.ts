// SPDX-License-Identifier: Apache-2.0
// The 3-D view: camera, light, ground, picking. Machines draw themselves (machine.ts).
import * as THREE from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import type { BeamField, ColorScale } from "./beam_fields";
import type { Report } from "./data";
import type { Layers } from "./drawing";
import { Ground, roundLength } from "./ground";
import { Machine } from "./machine";
import { makeTrack, trackBed } from "./rails";
import { makeRoad } from "./roads";
import { forcePicture, jointPicture } from "./scene";
import type { Part } from "./shapes";

export type CameraPreset = "iso" | "front" | "side" | "top" | "best";

/** Where the camera is, and what is shown. */
export interface ViewState {
  camera: THREE.Vector3;
  target: THREE.Vector3;
  layers: Layers;
}

export class View {
  readonly machines: Machine[];
  readonly layers: Layers = { joints: true, axes: false, reactions: false, forces: false, trails: true, contacts: true };
  readonly element: HTMLElement;
  following = -1; // body of the first machine
  onSelect: (body: number) => void = () => {};
  onHover: (name: string, x: number, y: number) => void = () => {};
  private readonly renderer: THREE.WebGLRenderer | null;
  private readonly camera = new THREE.PerspectiveCamera(28, 1, 0.01, 1000);
  private readonly scene = new THREE.Scene();
  private readonly controls: OrbitControls | null = null;
  private readonly sun = new THREE.DirectionalLight("#ffffff", 2.9);
  private readonly sky = new THREE.HemisphereLight("#ffffff", "#8b93a0", 1.5);
  private readonly bounds = new THREE.Box3();
  private readonly up = new THREE.Vector3(0, 0, 1);
  private readonly followed = new THREE.Vector3();
  private dirty = true;
  private placed = false; // the camera stands where it stood on the page before
  private dark = false;

  constructor(report: Report) {
    this.element = document.createElement("div");
    this.element.className = "canvas";
    this.machines = report.runs.map((run) => new Machine(run, report.runs.length > 1, this.layers));
    const g = this.machines[0].scene.gravity;
    if (Math.hypot(...g) > 0) this.up.set(-g[0], -g[1], -g[2]).normalize();
    this.camera.up.copy(this.up);
    this.renderer = this.makeRenderer();
    if (!this.renderer) return;
    this.element.append(this.renderer.domElement);
    this.controls = new OrbitControls(this.camera, this.renderer.domElement);
    this.controls.enableDamping = false;
    this.controls.addEventListener("change", () => (this.dirty = true));
    for (const machine of this.machines) {
      this.scene.add(machine.group);
      if (!machine.bounds.isEmpty()) this.bounds.union(machine.bounds);
    }
    if (this.bounds.isEmpty()) this.bounds.set(new THREE.Vector3(-1, -1, -1), new THREE.Vector3(1, 1, 1));
    this.chooseWhatToShow();
    this.addLightAndGround();
    this.lookFrom("best");
    new ResizeObserver(() => this.resize()).observe(this.element);
    this.addPicking();
  }

  private makeRenderer(): THREE.WebGLRenderer | null {
    try {
      const renderer = new THREE.WebGLRenderer({ antialias: true, alpha: true, preserveDrawingBuffer: false });
      renderer.setPixelRatio(Math.min(2, window.devicePixelRatio));
      renderer.shadowMap.enabled = this.machines.reduce((n, m) => n + m.scene.bodies.length, 0) <= 400;
      renderer.shadowMap.type = THREE.PCFShadowMap;
      renderer.toneMapping = THREE.NeutralToneMapping;
      renderer.toneMappingExposure = 1;
      return renderer;
    } catch {
      const note = document.createElement("p");
      note.className = "notice";
      note.textContent = "This browser offers no WebGL, so the machine cannot be drawn. The plots work.";
      this.element.append(note);
      return null;
    }
  }

  get works(): boolean {
    return this.renderer !== null;
  }

  /** A machine that travels far is followed; otherwise the whole motion is in the picture. */
  private chooseWhatToShow(): void {
    const first = this.machines[0];
    const start = Math.max(first.size, first.startBounds.getSize(new THREE.Vector3()).length());
    const whole = first.bounds.getSize(new THREE.Vector3()).length();
    if (start > 0 && whole > 8 * start && first.motion) {
      const extents = first.bodyExtent;
      this.follow(extents.indexOf(Math.max(...extents)));
      this.bounds.copy(first.startBounds);
    }
  }

  private addLightAndGround(): void {
    const size = this.bounds.getSize(new THREE.Vector3()).length();
    const center = this.bounds.getCenter(new THREE.Vector3());
    // Light over the shoulder: from above, from the left of the viewer
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(2048, 2048);
    const s = 0.75 * size;
    Object.assign(this.sun.shadow.camera, { left: -s, right: s, top: s, bottom: -s, near: 0.01 * size, far: 6 * size });
    this.sun.shadow.bias = -0.0006;
    this.sun.shadow.normalBias = 0.004 * size;
    this.sun.target.position.copy(center);
    const side = new THREE.Vector3(1, 0, 0).cross(this.up).length() > 0.1 ? new THREE.Vector3(1, 0, 0) : new THREE.Vector3(0, 1, 0);
    const ahead = this.up.clone().cross(side);
    this.sun.position.copy(center).addScaledVector(this.up, 1.7 * size).addScaledVector(side, -0.8 * size).addScaledVector(ahead, -1.7 * size);
    const fill = new THREE.DirectionalLight("#dfe8ff", 1.0);
    fill.position.copy(center).addScaledVector(side, 2 * size).addScaledVector(ahead, -1.5 * size).addScaledVector(this.up, 0.4 * size);
    fill.target.position.copy(center);
    this.scene.add(this.sun, this.sun.target, fill, fill.target, this.sky);

    this.spacing = roundLength(0.07 * size);
    for (const track of this.machines[0].scene.tracks ?? []) this.scene.add(makeTrack(track));
    this.addRoads();
    this.ground = new Ground(this.up, this.groundLevel(), size, this.spacing);
    this.scene.add(this.ground.object);
    this.sunOffset.subVectors(this.sun.position, center);
  }
  /** Roads below the whole motion; those of moving bodies go with them. */
  private addRoads(): void {
    const [first] = this.machines;
    for (const road of first.scene.roads ?? []) {
      const { group, lowest } = makeRoad(road, first.bounds, first.size);
      const carrier = new THREE.Group();
      carrier.matrixAutoUpdate = false;
      carrier.add(group);
      this.scene.add(carrier);
      this.roads.push({ carrier, body: road.body, lowest });
    }
    this.moveRoads();
  }

  private moveRoads(): void {
    const { motion } = this.machines[0];
    for (const { carrier, body } of this.roads)
      if (body >= 0 && motion) {
        motion.matrix(body, carrier.matrix);
        carrier.matrixWorldNeedsUpdate = true;
      }
  }
  private readonly roads: { carrier: THREE.Group; body: number; lowest: number }[] = [];
  private ground: Ground | null = null;
  private readonly sunOffset = new THREE.Vector3(); // from what it shines at
  spacing = 1; // of the ground's lines [m]

  /** Below rails, where wheels roll or tyres stand, else the floor that the model draws, else the lowest point of anything during the whole motion. */
  private groundLevel(): number {
    const { scene } = this.machines[0];
    if ((scene.tracks ?? []).length > 0) return trackBed;
    const fixed = this.roads.filter((road) => road.body < 0);
    if (fixed.length > 0) return Math.min(...fixed.map((road) => road.lowest)) - 0.001 * this.machines[0].size;
    const held = [
      ...scene.joints.filter((joint) => jointPicture(scene, joint).on_floor),
      ...scene.forces.filter((force) => forcePicture(scene, force).on_floor),
    ].find((place) => place.a < 0);
    if (held) return new THREE.Vector3(...held.point_a).dot(this.up);
    const floor = this.machines[0].floorLevel(this.up);
    return floor ?? Math.min(...this.machines.map((machine) => machine.lowest(this.up)));
  }

  setDark(dark: boolean): void {
    this.dark = dark;
    this.ground?.setColor(dark ? "#56606e" : "#a9b2bd");
    this.sky.intensity = dark ? 1.7 : 2.3;
    this.dirty = true;
  }

  showGrid(on: boolean): void {
    if (this.ground) this.ground.object.visible = on;
    this.dirty = true;
  }

  /** The direction from which most is seen: across a flat machine, at an angle to a spatial one. */
  private bestDirection(): THREE.Vector3 {
    const size = this.bounds.getSize(new THREE.Vector3());
    const most = Math.max(size.x, size.y, size.z);
    const flat = 0.22;
    const upZ = Math.abs(this.up.z) > 0.9;
    const hasGravity = Math.hypot(...this.machines[0].scene.gravity) > 0;
    if (size.z < flat * most && (!hasGravity || !upZ)) return new THREE.Vector3(-0.16, -0.32, 1);
    if (size.y < flat * most) return new THREE.Vector3(0.34, -1, 0.26);
    if (size.x < flat * most) return new THREE.Vector3(1, -0.34, 0.26);
    return new THREE.Vector3(0.9, -1.15, 0.62);
  }

  lookFrom(preset: CameraPreset): void {
    const directions: Record<CameraPreset, THREE.Vector3> = {
      best: this.bestDirection(),
      iso: new THREE.Vector3(1, -1, 0.8),
      front: new THREE.Vector3(0, -1, 0),
      side: new THREE.Vector3(1, 0, 0),
      top: new THREE.Vector3(0, -0.0001, 1),
    };
    this.fit(directions[preset]);
  }

  /** Moves the camera along a direction (default: as it looks now) until everything is inside the picture. */
  fit(direction?: THREE.Vector3): void {
    if (!this.controls) return;
    const look = (direction ?? this.camera.position.clone().sub(this.controls.target)).clone().normalize();
    const target = this.bounds.getCenter(new THREE.Vector3());
    if (this.following >= 0) target.copy(this.positionOf(this.following));
    const forward = look.clone().negate();
    const right = forward.clone().cross(this.up).normalize();
    const above = right.clone().cross(forward);
    const tall = Math.tan(THREE.MathUtils.degToRad(this.camera.fov / 2)) * 0.9;
    const wide = tall * this.camera.aspect;
    let distance = 0;
    for (let i = 0; i < 8; ++i) {
      const corner = new THREE.Vector3(
        i & 1 ? this.bounds.max.x : this.bounds.min.x,
        i & 2 ? this.bounds.max.y : this.bounds.min.y,
        i & 4 ? this.bounds.max.z : this.bounds.min.z,
      ).sub(this.bounds.getCenter(new THREE.Vector3()));
      const depth = corner.dot(look);
      distance = Math.max(
        distance,
        depth + Math.abs(corner.dot(right)) / wide,
        depth + Math.abs(corner.dot(above)) / tall,
      );
    }
    this.camera.position.copy(target).addScaledVector(look, distance);
    this.camera.near = 0.01 * distance;
    this.camera.far = 40 * distance;
    this.camera.updateProjectionMatrix();
    this.controls.target.copy(target);
    this.controls.update();
    this.dirty = true;
  }

  private positionOf(body: number): THREE.Vector3 {
    const motion = this.machines[0].motion;
    const spec = this.machines[0].scene.bodies[body];
    if (!motion || !spec) return new THREE.Vector3();
    return motion.point(body, spec.center_of_mass, new THREE.Vector3());
  }

  /** The camera goes with a body; −1: it stays. */
  follow(body: number): void {
    this.following = body;
    if (body < 0) return;
    this.followed.copy(this.positionOf(body));
  }

  moveTo(t: number): void {
    for (const machine of this.machines) machine.moveTo(t);
    this.moveRoads();
    if (this.following >= 0 && this.controls) {
      const now = this.positionOf(this.following);
      const shift = now.clone().sub(this.followed);
      if (Number.isFinite(shift.x + shift.y + shift.z)) {
        this.camera.position.add(shift);
        this.controls.target.add(shift);
        this.followed.copy(now);
        this.camera.lookAt(this.controls.target);
        // Light and shadows go with what is looked at.
        this.sun.target.position.add(shift);
        this.sun.position.addVectors(this.sun.target.position, this.sunOffset);
      }
    }
    this.dirty = true;
  }

  /** Colours the beams of every run by a field (null: as they are); the scale is that of the first run. */
  paintBeams(field: BeamField | null): ColorScale | null {
    const [scale] = this.machines.map((machine) => machine.paintBeams(field));
    this.dirty = true;
    return scale;
  }

  refresh(): void {
    for (const machine of this.machines) machine.update();
    this.dirty = true;
  }

  select(body: number): void {
    for (const machine of this.machines) {
      machine.selected = body;
      machine.paint();
      const spec = machine.scene.bodies[body];
      if (spec && machine.motion) machine.addTrail(`body:${body}`, body, spec.center_of_mass);
      machine.update();
    }
    this.dirty = true;
  }

  private pick(x: number, y: number): number {
    if (!this.renderer) return -1;
    const box = this.renderer.domElement.getBoundingClientRect();
    const at = new THREE.Vector2((2 * (x - box.left)) / box.width - 1, 1 - (2 * (y - box.top)) / box.height);
    const ray = new THREE.Raycaster();
    ray.setFromCamera(at, this.camera);
    const meshes = this.machines.flatMap((machine) => machine.pickable);
    for (const mesh of meshes) mesh.computeBoundingSphere();
    // What is seen through is clicked through, if there is anything behind it.
    const hits = ray.intersectObjects(meshes, false).filter((h) => h.instanceId !== undefined);
    const isSolid = (h: THREE.Intersection) => ((h.object.userData.parts as Part[])[0].opacity ?? 1) === 1;
    const hit = hits.find(isSolid) ?? hits[0];
    if (!hit || hit.instanceId === undefined) return -1;
    return (hit.object.userData.parts as Part[])[hit.instanceId].body;
  }

  private addPicking(): void {
    const canvas = (this.renderer as THREE.WebGLRenderer).domElement;
    let down: [number, number] | null = null;
    canvas.addEventListener("pointerdown", (event) => (down = [event.clientX, event.clientY]));
    canvas.addEventListener("pointerup", (event) => {
      // A press that did not drag is a click.
      if (down && Math.hypot(event.clientX - down[0], event.clientY - down[1]) < 5)
        this.onSelect(this.pick(event.clientX, event.clientY));
      down = null;
    });
    let waiting = false;
    canvas.addEventListener("pointermove", (event) => {
      if (waiting || event.buttons !== 0 || event.pointerType === "touch") return;
      waiting = true;
      window.setTimeout(() => {
        waiting = false;
        const body = this.pick(event.clientX, event.clientY);
        this.onHover(this.machines[0].scene.bodies[body]?.name ?? "", event.clientX, event.clientY);
      }, 60);
    });
    canvas.addEventListener("pointerleave", () => this.onHover("", 0, 0));
  }

  /** Where a body's centre of mass is on the screen, for labels and tests. */
  screenPosition(body: number): [number, number] {
    const p = this.positionOf(body).project(this.camera);
    const box = this.element.getBoundingClientRect();
    return [box.left + ((p.x + 1) / 2) * box.width, box.top + ((1 - p.y) / 2) * box.height];
  }

  private resize(): void {
    if (!this.renderer) return;
    const { clientWidth, clientHeight } = this.element;
    if (clientWidth === 0 || clientHeight === 0) return;
    const first = this.camera.aspect === 1;
    this.renderer.setSize(clientWidth, clientHeight);
    this.camera.aspect = clientWidth / clientHeight;
    this.camera.updateProjectionMatrix();
    if (first && !this.placed) this.fit();
    this.dirty = true;
  }

  /** Draws if anything changed. */
  draw(): void {
    if (!this.dirty || !this.renderer) return;
    this.dirty = false;
    if (this.controls) this.ground?.follow(this.controls.target, this.camera.position.distanceTo(this.controls.target));
    this.renderer.render(this.scene, this.camera);
  }

  /** The camera's axes, for the small compass: columns x, y, z of the world on the screen. */
  compass(): [number, number][] {
    const inverse = this.camera.matrixWorldInverse;
    return [0, 1, 2].map((k) => {
      const e = inverse.elements;
      return [e[4 * k], e[4 * k + 1]] as [number, number];
    });
  }

  get state(): ViewState {
    const target = this.controls?.target ?? new THREE.Vector3();
    return { camera: this.camera.position.clone(), target: target.clone(), layers: { ...this.layers } };
  }
  set state({ camera, target }: ViewState) {
    if (!this.controls) return;
    this.placed = true;
    this.camera.position.copy(camera);
    this.controls.target.copy(target);
    const distance = camera.distanceTo(target);
    Object.assign(this.camera, { near: 0.01 * distance, far: 40 * distance });
    this.camera.updateProjectionMatrix();
    this.controls.update();
    this.refresh();
  }

  /** Browsers have few pictures of this kind at a time: it is given back. */
  dispose(): void {
    this.controls?.dispose();
    this.renderer?.dispose();
    this.renderer?.forceContextLoss();
  }

  get isDark(): boolean {
    return this.dark;
  }
}

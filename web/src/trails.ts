// SPDX-License-Identifier: Apache-2.0
// Points that are watched: measured ones with their stems, where bodies press on each other, and paths.
import * as THREE from "three";
import type { Channel } from "./data";
import { indexAt, valueAt } from "./data";
import type { Drawing } from "./drawing";
import { between, from, hidden, scale, to, turn } from "./drawing";
import type { Motion } from "./motion";
import type { Vec3 } from "./scene";
import { unit } from "./shapes";

/** Measured points: a small ball on a stem from the body's centre of mass. */
export function addPoints(d: Drawing): void {
  const motion = d.motion as Motion;
  const points = d.scene.points.filter((point) => point.body >= 0);
  d.addBatch("trails", unit.sphere(), "#f2f4f7", points.length, (i, out) => {
    motion.point(points[i].body, points[i].at, from);
    const r = 0.011 * d.size;
    out.compose(from, turn.identity(), scale.set(r, r, r));
  });
  d.addBatch("trails", unit.cylinder(), "#8d939c", points.length, (i, out) => {
    motion.point(points[i].body, points[i].at, from);
    motion.point(points[i].body, d.scene.bodies[points[i].body].center_of_mass, to);
    between(from, to, 0.003 * d.size, out);
  });
}

/** What the page shows of a contact, or of a pair of one. */
interface Pressed {
  x: Channel;
  y: Channel;
  z: Channel;
  touching: Channel;
  normal: Channel[]; // empty: results of before
  area?: Channel;
  force?: Channel;
  pressure?: Channel;
}

const gentle = new THREE.Color("#ffd34d");
const hard = new THREE.Color("#c2182b");

/** Where bodies press on each other: of each contact, or of its pairs, the place that presses most, and as a disc of the
 * same size the area that is pressed, by its pressure from yellow to red. How many there are. */
export function addContacts(d: Drawing): number {
  const channelsOf = (quantity: string): ((name: string, component?: string) => Channel | undefined) => {
    const group = d.run.quantity(quantity);
    return (name, component) => {
      if (!group) return undefined;
      const base = group.names.length === 1 ? group.pattern : group.pattern.replace("{name}", () => name);
      const channel = d.run.channel(component ? `${base}.${component}` : base);
      return channel && channel.values.length > 0 ? channel : undefined;
    };
  };
  const [place, touching, normal] = [channelsOf("contact_point"), channelsOf("touching"), channelsOf("contact_normal")];
  const [area, force, pressure] = [channelsOf("contact_area"), channelsOf("normal_force"), channelsOf("pressure")];
  const all = d.run.quantity("contact_point")?.names ?? [];
  const contacts: Pressed[] = all
    .filter((name) => !all.some((other) => other.startsWith(`${name}.`))) // its pairs stand for it
    .flatMap((name) => {
      const [x, y, z, n] = [place(name, "x"), place(name, "y"), place(name, "z"), touching(name)];
      if (!(x && y && z && n)) return []; // a long run may not carry them
      const along = ["x", "y", "z"].flatMap((axis) => normal(name, axis) ?? []);
      return [{ x, y, z, touching: n, normal: along, area: area(name), force: force(name), pressure: pressure(name) }];
    });
  const motion = d.motion as Motion;
  const isTouching = (contact: Pressed) => valueAt(contact.touching, motion.time) >= 0.5;
  const at = ({ x, y, z }: Pressed) => from.set(valueAt(x, motion.time), valueAt(y, motion.time), valueAt(z, motion.time));
  d.addBatch(
    "contacts",
    unit.sphere(),
    "#ff5d3b",
    contacts.length,
    (i, out) => {
      if (!isTouching(contacts[i])) return void out.copy(hidden);
      const r = 0.012 * d.size;
      out.compose(at(contacts[i]), turn.identity(), scale.set(r, r, r));
    },
    true,
  );
  addPatches(
    d,
    contacts.filter((contact) => contact.normal.length === 3 && contact.area),
    isTouching,
    at,
  );
  return contacts.length;
}

function addPatches(
  d: Drawing,
  patches: Pressed[],
  isTouching: (patch: Pressed) => boolean,
  at: (patch: Pressed) => THREE.Vector3,
): void {
  const time = () => (d.motion as Motion).time;
  const pressureOf = ({ pressure, force, area }: Pressed, value: (channel: Channel) => number): number => {
    const largest = pressure ? value(pressure) : 0;
    if (largest > 0 || !force || !area) return largest;
    return value(area) > 0 ? value(force) / value(area) : 0;
  };
  let most = 0;
  for (const patch of patches)
    for (let row = 0; row < patch.touching.values.length; ++row)
      most = Math.max(most, pressureOf(patch, (channel) => channel.values[row] ?? 0) || 0);
  d.addBatch(
    "contacts",
    unit.cylinder(),
    "#ffffff",
    patches.length,
    (i, out) => {
      const patch = patches[i];
      const pressed = patch.area ? valueAt(patch.area, time()) : 0;
      if (!isTouching(patch) || !(pressed > 0)) return void out.copy(hidden);
      const [x, y, z] = patch.normal.map((axis) => valueAt(axis, time()));
      to.set(x, y, z);
      if (!(to.length() > 0.5)) return void out.copy(hidden);
      const r = Math.sqrt(pressed / Math.PI);
      turn.setFromUnitVectors(along, to.normalize());
      out.compose(at(patch), turn, scale.set(r, r, 0.002 * d.size));
    },
    true,
    (i, out) => void out.lerpColors(gentle, hard, Math.min(1, pressureOf(patches[i], (c) => valueAt(c, time())) / (most || 1))),
  );
}

const along = new THREE.Vector3(0, 0, 1);

/** The path of a point over the whole run; drawn up to the present, and faintly to its end. It grows with a run that goes on. */
export function addTrail(d: Drawing, body: number, at: Vec3, color: string): void {
  const motion = d.motion as Motion;
  let path = new Float32Array(0);
  let found = 0; // frames
  const geometry = new THREE.BufferGeometry();
  const line = new THREE.Line(geometry, new THREE.LineBasicMaterial({ color }));
  const whole = new THREE.Line(geometry.clone(), new THREE.LineBasicMaterial({ color, transparent: true, opacity: 0.22 }));
  const extend = (frames: number) => {
    if (3 * frames > path.length) {
      const longer = new Float32Array(3 * (found === 0 ? frames : 2 * frames));
      longer.set(path);
      path = longer;
    }
    for (; found < frames; ++found) {
      motion.pointAtFrame(body, at, found, from);
      // Where the body is nowhere its path stays where it was last.
      if (!Number.isFinite(from.x + from.y + from.z)) from.fromArray(path, 3 * Math.max(0, found - 1));
      from.toArray(path, 3 * found);
    }
    const attribute = new THREE.BufferAttribute(path, 3);
    for (const one of [geometry, whole.geometry]) one.setAttribute("position", attribute);
    whole.geometry.setDrawRange(0, found);
  };
  for (const one of [line, whole]) one.frustumCulled = false;
  line.add(whole);
  d.group.add(line);
  d.updates.push({
    layer: "trails",
    object: line,
    update: () => {
      const { times } = motion.animation;
      if (times.length > found) extend(times.length);
      geometry.setDrawRange(0, indexAt(times, motion.time) + 1);
    },
  });
}

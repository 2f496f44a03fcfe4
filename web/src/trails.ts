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

/** Where bodies press on each other: of each contact the place that presses most. How many there are. */
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
  const place = channelsOf("contact_point");
  const touching = channelsOf("touching");
  const contacts = (d.run.quantity("contact_point")?.names ?? []).flatMap((name) => {
    const [x, y, z, n] = [place(name, "x"), place(name, "y"), place(name, "z"), touching(name)];
    return x && y && z && n ? [{ x, y, z, n }] : []; // a long run may not carry them
  });
  const motion = d.motion as Motion;
  d.addBatch(
    "contacts",
    unit.sphere(),
    "#ff5d3b",
    contacts.length,
    (i, out) => {
      const { x, y, z, n } = contacts[i];
      const t = motion.time;
      if (!(valueAt(n, t) >= 0.5)) return void out.copy(hidden);
      const r = 0.012 * d.size;
      out.compose(from.set(valueAt(x, t), valueAt(y, t), valueAt(z, t)), turn.identity(), scale.set(r, r, r));
    },
    true,
  );
  return contacts.length;
}

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

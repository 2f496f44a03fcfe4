// SPDX-License-Identifier: Apache-2.0
// What beams can be coloured by: internal forces and strains at the Gauss points of their elements.
import * as THREE from "three";
import type { Channel, Run } from "./data";
import { valueAt } from "./data";
import type { SceneBeam } from "./scene";

export interface BeamField {
  word: string;
  label: string;
  unit: string;
  quantity: "beam_force" | "beam_strain";
  components: string[]; // several: the length of the vector that they make
}

export const beamFields: BeamField[] = [
  { word: "bending_moment", label: "bending moment", unit: "N m", quantity: "beam_force", components: ["m2", "m3"] },
  { word: "axial_force", label: "axial force", unit: "N", quantity: "beam_force", components: ["n1"] },
  { word: "shear_force", label: "shear force", unit: "N", quantity: "beam_force", components: ["n2", "n3"] },
  { word: "torque", label: "torque", unit: "N m", quantity: "beam_force", components: ["m1"] },
  { word: "stretch", label: "stretch", unit: "", quantity: "beam_strain", components: ["stretch"] },
  { word: "curvature", label: "bending", unit: "1/m", quantity: "beam_strain", components: ["bending_2", "bending_3"] },
];

/** Gauss points of 1, 2 and 3 points. */
const gauss: Record<number, number[]> = {
  1: [0],
  2: [-1 / Math.sqrt(3), 1 / Math.sqrt(3)],
  3: [-Math.sqrt(0.6), 0, Math.sqrt(0.6)],
};

/** Weights of an element's Gauss points at a place ξ of it: the polynomial through them. */
export function gaussWeights(order: number, xi: number): number[] {
  const at = gauss[order];
  return at.map((x, a) => at.reduce((w, y, b) => (a === b ? w : (w * (xi - y)) / (x - y)), 1));
}

/** The values of one field on one beam over the run. */
export class BeamValues {
  private readonly channels: Channel[][]; // of each Gauss point, element after element; its components

  private constructor(channels: Channel[][]) {
    this.channels = channels;
  }

  /** null where the page does not carry them. */
  static of(run: Run, beam: SceneBeam, field: BeamField): BeamValues | null {
    const group = run.quantity(field.quantity);
    if (!group) return null;
    const elements = beam.nodes.length / (beam.order + 1);
    const channels: Channel[][] = [];
    for (let e = 1; e <= elements; ++e)
      for (let g = 1; g <= beam.order; ++g) {
        const item = `${beam.name} ${e} ${g}`;
        const base = group.names.length === 1 ? group.pattern : group.pattern.replace("{name}", () => item);
        const found = field.components.map((component) => run.channel(`${base}.${component}`));
        if (found.some((channel) => !channel || channel.values.length === 0)) return null;
        channels.push(found as Channel[]);
      }
    return new BeamValues(channels);
  }

  private join(parts: number[]): number {
    return parts.length === 1 ? parts[0] : Math.hypot(...parts);
  }

  at(point: number, t: number): number {
    return this.join(this.channels[point].map((channel) => valueAt(channel, t)));
  }

  /** Smallest and largest over the run. */
  range(): [number, number] {
    let [low, high] = [Infinity, -Infinity];
    for (const channels of this.channels)
      for (let i = 0; i < channels[0].values.length; ++i) {
        const x = this.join(channels.map((channel) => channel.values[i]));
        if (x < low) low = x;
        if (x > high) high = x;
      }
    return [low, high];
  }
}

const grow = ["#30408f", "#2f7fb8", "#35b08d", "#a6cf4a", "#fbe23c"].map((c) => new THREE.Color(c));
const sides = ["#2b5fc4", "#8fb4e8", "#e8e8e8", "#efa489", "#c02f2f"].map((c) => new THREE.Color(c));

/** Colours of a field: from dark to light if it has one sign, else blue below and red above zero. */
export class ColorScale {
  readonly signed: boolean;
  readonly low: number;
  readonly high: number;

  constructor([low, high]: [number, number]) {
    this.signed = low < 0 && high > 0 && Math.min(-low, high) > 1e-3 * Math.max(-low, high);
    const most = Math.max(Math.abs(low), Math.abs(high));
    [this.low, this.high] = this.signed ? [-most, most] : [low, high > low ? high : low + 1];
  }

  color(x: number, out: THREE.Color): THREE.Color {
    const stops = this.signed ? sides : grow;
    const s = Math.min(1, Math.max(0, (x - this.low) / (this.high - this.low))) * (stops.length - 1);
    const k = Math.min(stops.length - 2, Math.floor(s));
    return out.lerpColors(stops[k], stops[k + 1], s - k);
  }

  get css(): string {
    return `linear-gradient(to right, ${(this.signed ? sides : grow).map((c) => `#${c.getHexString()}`).join(", ")})`;
  }
}

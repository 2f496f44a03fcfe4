// SPDX-License-Identifier: Apache-2.0
// Small motions about a position (`trammel eigen --report`): each mode swings with its frequency, without its damping.
import type { Animation, Packed, Run, Track } from "./data";
import { count, element, format, withUnit } from "./numbers";
import type { Scene } from "./scene";

export interface ModesHeader {
  about: string; // "its equilibrium", "the start"
  notes: string[];
  position: Packed; // of the position itself: 3 numbers per body
  orientation: Packed; // w, x, y, z per body
  list: { mode: number; frequency: number; damping: number; real: number; imaginary: number; shape: Packed }[];
}

interface Mode {
  mode: number;
  frequency: number; // undamped [Hz]
  damping: number;
  real: number;
  imaginary: number;
  /** Of each body: displacement in the world and turn in body axes, real parts, then imaginary parts. */
  shape: Float32Array;
}

const framesPerCycle = 48;
const swing = 0.1; // of the machine's size, at amplitude 1
const widestTurn = 0.3; // [rad], at amplitude 1

function columns(frames: number, width: number, at: (column: number, frame: number) => number): Track {
  const values = new Float32Array(frames * width);
  for (let c = 0; c < width; ++c) for (let f = 0; f < frames; ++f) values[c * frames + f] = at(c, f);
  return { frames, columns: width, at: (column, frame) => values[column * frames + frame] };
}

export class Modes {
  selected = 0;
  amplitude = 1;
  private readonly size: number;

  constructor(
    readonly about: string,
    readonly notes: string[],
    private readonly position: Float32Array,
    private readonly orientation: Float32Array,
    readonly list: Mode[],
    scene: string,
  ) {
    this.size = extentOfMachine(JSON.parse(scene) as Scene, position);
  }

  /** One cycle of the selected mode. */
  animate(): { times: Float64Array; animation: Animation } {
    const mode = this.list[this.selected];
    const n = this.position.length / 3;
    const shape = mode?.shape ?? new Float32Array(12 * n);
    let [way, turn] = [0, 0];
    for (let b = 0; b < n; ++b) {
      const part = (first: number) => Math.hypot(...shape.subarray(12 * b + first, 12 * b + first + 3));
      way = Math.max(way, Math.hypot(part(0), part(6)));
      turn = Math.max(turn, Math.hypot(part(3), part(9)));
    }
    const scale = this.amplitude * Math.min(way > 0 ? (swing * this.size) / way : Infinity, turn > 0 ? widestTurn / turn : Infinity);
    const a = Number.isFinite(scale) ? scale : 0;
    const frames = framesPerCycle + 1;
    const period = mode && mode.frequency > 0 ? 1 / mode.frequency : 1;
    const times = Float64Array.from({ length: frames }, (_, f) => (f / framesPerCycle) * period);
    /** Re(s e^{iφ}) */
    const at = (body: number, k: number, f: number) => {
      const phi = (2 * Math.PI * f) / framesPerCycle;
      return a * (shape[12 * body + k] * Math.cos(phi) - shape[12 * body + 6 + k] * Math.sin(phi));
    };
    const position = columns(frames, 3 * n, (c, f) => this.position[c] + at(Math.floor(c / 3), c % 3, f));
    const orientation = columns(frames, 4 * n, (c, f) => {
      const b = c >> 2;
      return turned(this.orientation.subarray(4 * b, 4 * b + 4), [3, 4, 5].map((k) => at(b, k, f)))[c & 3];
    });
    return { times, animation: { times, position, orientation, reaction: null, applied: null, stride: 1, quantised: false } };
  }
}

/** q exp(β/2): a turn in body axes. */
function turned([w, x, y, z]: ArrayLike<number> & Iterable<number>, beta: number[]): number[] {
  const angle = Math.hypot(...beta);
  const s = angle > 0 ? Math.sin(0.5 * angle) / angle : 0.5;
  const [c, i, j, k] = [Math.cos(0.5 * angle), s * beta[0], s * beta[1], s * beta[2]];
  return [w * c - x * i - y * j - z * k, w * i + x * c + y * k - z * j, w * j - x * k + y * c + z * i, w * k + x * j - y * i + z * c];
}

/** The diagonal of where bodies and joints are; of one body its own. */
function extentOfMachine(scene: Scene, position: Float32Array): number {
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  const add = (p: ArrayLike<number>) => {
    for (let k = 0; k < 3; ++k) [low[k], high[k]] = [Math.min(low[k], p[k]), Math.max(high[k], p[k])];
  };
  for (let b = 0; b < position.length / 3; ++b) add(position.subarray(3 * b, 3 * b + 3));
  for (const joint of scene.joints) if (joint.a < 0) add(joint.point_a);
  const own = Math.max(0, ...scene.bodies.map((body) => 2 * Math.sqrt(Math.max(...body.inertia.slice(0, 3), 0) / (body.mass || 1))));
  const size = Math.max(own, Math.hypot(...high.map((x, k) => x - low[k])));
  return Number.isFinite(size) && size > 0 ? size : 1;
}

/** The table of modes: a click lets one swing. */
export function modesPage(run: Run, change: () => void): HTMLElement {
  const modes = run.modes as Modes;
  const page = element("div", "modes");
  page.append(element("p", "calm", `Small motions about ${modes.about}. Each mode swings with its own frequency, without its damping, and larger than life.`));
  for (const note of modes.notes) page.append(element("p", "notice", note));
  if (modes.list.length === 0) {
    page.append(element("p", "notice", "There are no modes besides zero eigenvalues."));
    return page;
  }
  const label = element("label", "amplitude", "Amplitude ");
  const amplitude = element("input");
  amplitude.type = "range";
  Object.assign(amplitude, { min: "0", max: "3", step: "0.05", value: String(modes.amplitude) });
  amplitude.addEventListener("change", () => {
    modes.amplitude = Number(amplitude.value);
    change();
  });
  label.append(amplitude);
  page.append(label);
  const table = element("table", "mode-table");
  const head = element("tr");
  for (const title of ["mode", "frequency [Hz]", "damping", "real [1/s]", "imaginary [1/s]"]) head.append(element("th", "", title));
  table.append(head);
  modes.list.forEach((mode, i) => {
    const row = element("tr", mode.real > 1e-9 * 2 * Math.PI * mode.frequency ? "link growing" : "link");
    for (const text of [count(mode.mode), format(mode.frequency, 5), format(mode.damping, 3), format(mode.real, 4), format(mode.imaginary, 5)])
      row.append(element("td", "", text));
    row.tabIndex = 0;
    row.title = `Let mode ${mode.mode} swing (${withUnit(mode.frequency, "Hz")})`;
    row.setAttribute("aria-selected", String(i === modes.selected));
    const choose = () => {
      modes.selected = i;
      change();
    };
    row.addEventListener("click", choose);
    row.addEventListener("keydown", (event) => {
      if (event.key === "Enter") choose();
    });
    table.append(row);
  });
  page.append(table);
  if (modes.list.some((mode) => mode.real > 1e-9 * 2 * Math.PI * mode.frequency))
    page.append(element("p", "hint", "Modes in red grow: the position is unstable."));
  return page;
}

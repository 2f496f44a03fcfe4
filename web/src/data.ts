// SPDX-License-Identifier: Apache-2.0
// What a report carries, as the program wrote it (src/io/page/report_run.cpp), unpacked into typed arrays.
import type { ModesHeader } from "./modes";
import { Modes } from "./modes";
import type { Pictures } from "./scene";

export interface Packed {
  data: number;
  type: "f32" | "f64" | "u16";
  count: number;
}

export interface GroupHeader {
  quantity: string;
  pattern: string; // "{name}.position"
  names: string[];
  components: string[];
  unit: string;
  units?: string[]; // of each item, where they differ
  description: string;
  values?: Packed; // column after column
  offsets?: Packed; // of each column, to be added to its values: 32 bits resolve what moves, wherever it is
}

interface TrackHeader {
  values: Packed;
  low?: Packed;
  high?: Packed;
}

export interface RunHeader {
  file: string;
  label: string;
  state: string;
  title: string;
  model_file: string;
  created: string;
  command: string;
  settings: string;
  model: string;
  scene: string;
  trammel_version: string;
  pictures?: Pictures; // of the report
  /** Numbers that are not finite are null. */
  summary: Record<string, string | number | boolean | null>;
  n_frames: number;
  n_steps: number;
  times: Packed;
  stride: number;
  groups: GroupHeader[];
  complete: { group: number; column: number; values: Packed; offset?: number }[];
  animation?: {
    stride: number;
    frames: number;
    quantised: boolean;
    position: TrackHeader;
    orientation: TrackHeader;
    reaction_force?: TrackHeader;
    applied_force?: TrackHeader;
  };
  solver: { stretch: number; times: Packed; groups: GroupHeader[] };
  not_finite?: { channel: string; time: number };
  modes?: ModesHeader; // of small motions, instead of frames
}

export interface ReportHeader {
  format: number;
  title: string;
  pictures?: Pictures; // of the kinds of joints and forces that the program knows
  runs: RunHeader[];
}

type Numbers = Float32Array | Float64Array | Uint16Array;

function bytesOfBase64(text: string): Uint8Array {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < bytes.length; ++i) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

/** Arrays of numbers as the program packed them, by their number. */
export type PackedTexts = (index: number) => string;

/** Those that stand in the page; each is taken once. */
const inPage: PackedTexts = (index) => {
  const element = document.getElementById(`data-${index}`);
  if (!element) throw new Error(`the page is incomplete: array ${index} is missing`);
  element.remove(); // its text is not needed twice
  return element.textContent ?? "";
};

/** base64 -> inflate -> bytes of equal weight gathered into numbers. */
export async function unpack(packed: Packed, texts: PackedTexts): Promise<Numbers> {
  const make = { f32: Float32Array, f64: Float64Array, u16: Uint16Array }[packed.type];
  if (packed.count === 0) return new make(0);
  const stream = new Blob([bytesOfBase64(texts(packed.data)) as BlobPart]).stream().pipeThrough(new DecompressionStream("deflate"));
  const planes = new Uint8Array(await new Response(stream).arrayBuffer());
  const width = make.BYTES_PER_ELEMENT;
  const count = packed.count;
  const bytes = new Uint8Array(count * width);
  for (let k = 0; k < width; ++k)
    for (let i = 0, from = k * count, to = k; i < count; ++i, to += width) bytes[to] = planes[from + i];
  return new make(bytes.buffer);
}

/** Columns of numbers over the frames of the animation. */
export interface Track {
  readonly frames: number;
  readonly columns: number;
  at(column: number, frame: number): number;
}

/** Exact, or rounded to 16 bits of each column's range. */
class PackedTrack implements Track {
  constructor(
    readonly frames: number,
    private readonly values: Float32Array | Uint16Array,
    private readonly low: Float32Array | null,
    private readonly high: Float32Array | null,
  ) {
    if (!low) return;
    const codes = values as Uint16Array; // differences in time: sum them up
    for (let first = 0; first < codes.length; first += frames)
      for (let i = first + 1; i < first + frames; ++i) codes[i] += codes[i - 1];
  }
  get columns(): number {
    return this.frames === 0 ? 0 : this.values.length / this.frames;
  }
  at(column: number, frame: number): number {
    const x = this.values[column * this.frames + frame];
    if (!this.low || !this.high) return x;
    return x === 65535 ? NaN : this.low[column] + ((this.high[column] - this.low[column]) * x) / 65534;
  }
}

export interface Animation {
  times: Float64Array;
  position: Track; // 3 columns per body
  orientation: Track; // 4 per body: w, x, y, z
  reaction: Track | null; // 3 per joint: force on its second body
  applied: Track | null; // 3 per force of the scene: on its second body
  stride: number;
  quantised: boolean;
}

export type Resolution = "complete" | "thinned" | "animation" | "none";

export interface Channel {
  name: string;
  unit: string;
  quantity: string;
  description: string;
  solver: boolean;
  resolution: Resolution;
  times: Float64Array;
  values: Float32Array | Float64Array; // 64 bits where an offset is added
}

function shifted(values: Float32Array, offset: number): Float32Array | Float64Array {
  return offset === 0 ? values : Float64Array.from(values, (x) => offset + x);
}

/** Rows 0, stride, 2 stride, … of all, and the last. */
function thin(times: Float64Array, stride: number): Float64Array {
  if (stride <= 1 || times.length === 0) return times;
  const count = Math.floor((times.length - 2 + stride) / stride) + 1;
  return Float64Array.from({ length: count }, (_, i) => times[Math.min(i * stride, times.length - 1)]);
}

const longChannel = 5000;

export class Run {
  readonly channels = new Map<string, () => Channel>();
  modes: Modes | null = null;
  constructor(
    readonly index: number,
    readonly header: RunHeader,
    public times: Float64Array, // they grow while a run goes on
    public solverTimes: Float64Array,
    public animation: Animation | null,
  ) {}
  get label(): string {
    return this.header.label;
  }
  /** Lets the selected mode swing. */
  swing(): void {
    if (this.modes) ({ times: this.times, animation: this.animation } = this.modes.animate());
  }
  get start(): number {
    return this.times[0] ?? 0;
  }
  get end(): number {
    return this.times[this.times.length - 1] ?? 0;
  }
  channel(name: string): Channel | null {
    const kept = this.kept.get(name);
    if (kept && kept.times.length === (kept.solver ? this.solverTimes : this.times).length) return kept;
    const made = this.channels.get(name)?.() ?? null;
    if (made && made.values.length >= longChannel) {
      // Numbers of long channels are put together once; of the last ones that were asked for.
      if (this.kept.size >= 40) this.kept.delete(this.kept.keys().next().value as string);
      this.kept.set(name, made);
    }
    return made;
  }
  private readonly kept = new Map<string, Channel>();
  /** Channel names of one quantity, for example every body's position. */
  quantity(quantity: string): GroupHeader | undefined {
    return this.header.groups.find((group) => group.quantity === quantity);
  }
}

/** The channels of a group, column after column: "rod.position.x", … */
export function channelNames(group: GroupHeader): string[] {
  return group.names.flatMap((item) => {
    const base = group.names.length === 1 ? group.pattern : group.pattern.replace("{name}", () => item);
    return group.components.length > 0 ? group.components.map((component) => `${base}.${component}`) : [base];
  });
}

function addChannels(
  run: Run,
  group: GroupHeader,
  index: number,
  solver: boolean,
  values: Float32Array | null,
  offsets: Float64Array | null,
  times: Float64Array,
  whole: Map<string, Float32Array | Float64Array>,
): void {
  const n = Math.max(1, group.components.length);
  channelNames(group).forEach((name, column) => {
    const i = Math.floor(column / n);
    run.channels.set(name, () => {
      const common = {
        name,
        unit: group.units?.[i] ?? group.unit,
        quantity: group.quantity,
        description: group.description,
        solver,
      };
      const exact = whole.get(`${index}:${column}`);
      if (exact) return { ...common, resolution: "complete", times: run.times, values: exact };
      if (values) {
        const resolution = solver || run.header.stride <= 1 ? "complete" : "thinned";
        const part = values.subarray(column * times.length, (column + 1) * times.length);
        return { ...common, resolution, times, values: shifted(part, offsets?.[column] ?? 0) };
      }
      if (group.quantity === "position" && run.animation) {
        const track = run.animation.position;
        const shown = Float32Array.from({ length: track.frames }, (_, f) => track.at(column, f));
        return { ...common, resolution: "animation", times: run.animation.times, values: shown };
      }
      return { ...common, resolution: "none", times: new Float64Array(0), values: new Float32Array(0) };
    });
  });
}

async function openRun(header: RunHeader, index: number, texts: PackedTexts): Promise<Run> {
  const open = (packed: Packed) => unpack(packed, texts);
  const f32 = async (packed?: Packed) => (packed ? ((await open(packed)) as Float32Array) : null);
  const track = async (h: TrackHeader, frames: number) =>
    new PackedTrack(frames, (await open(h.values)) as Float32Array | Uint16Array, await f32(h.low), await f32(h.high));
  const times = (await open(header.times)) as Float64Array;
  const solverTimes = (await open(header.solver.times)) as Float64Array;
  let animation: Animation | null = null;
  if (header.animation) {
    const a = header.animation;
    animation = {
      times: thin(times, a.stride),
      position: await track(a.position, a.frames),
      orientation: await track(a.orientation, a.frames),
      reaction: a.reaction_force ? await track(a.reaction_force, a.frames) : null,
      applied: a.applied_force ? await track(a.applied_force, a.frames) : null,
      stride: a.stride,
      quantised: a.quantised,
    };
  }
  const run = new Run(index, header, times, solverTimes, animation);
  const whole = new Map<string, Float32Array | Float64Array>();
  for (const c of header.complete)
    whole.set(`${c.group}:${c.column}`, shifted((await open(c.values)) as Float32Array, c.offset ?? 0));
  const f64 = async (packed?: Packed) => (packed ? ((await open(packed)) as Float64Array) : null);
  const shown = thin(times, header.stride);
  for (const [g, group] of header.groups.entries())
    addChannels(run, group, g, false, await f32(group.values), await f64(group.offsets), shown, whole);
  for (const [g, group] of header.solver.groups.entries())
    addChannels(run, group, g, true, await f32(group.values), null, solverTimes, new Map());
  if (header.modes) {
    const { about, notes, list } = header.modes;
    const shapes = [];
    for (const mode of list) shapes.push({ ...mode, shape: (await open(mode.shape)) as Float32Array });
    const place = [await open(header.modes.position), await open(header.modes.orientation)] as Float32Array[];
    run.modes = new Modes(about, notes, place[0], place[1], shapes, header.scene);
    run.swing();
  }
  return run;
}

/** A number of the run's summary; NaN where it has none of that name. */
export function numberOf(run: Run, key: string): number {
  const value = run.header.summary[key];
  return typeof value === "number" ? value : NaN;
}

/** A text of the run's summary; empty where it has none of that name. */
export function textOf(run: Run, key: string): string {
  const value = run.header.summary[key];
  return typeof value === "string" ? value : "";
}

/** What the slider moves along: time, or in statics the part of the load or the way along a path. */
export interface TimeLine {
  name: string;
  unit: string;
  load: Channel | null; // the part of the load, where the slider is the way
}

export function timeLineOf(run: Run): TimeLine {
  const group = run.quantity("load");
  const load = group ? run.channel(channelNames(group)[0]) : null;
  if (!load) return { name: "time", unit: "s", load: null };
  const isLoad = load.values.every((x, i) => Math.abs(x - load.times[i]) < 1e-6);
  return isLoad ? { name: "part of the load", unit: "", load: null } : { name: "way along the path", unit: "", load };
}

export interface Report {
  title: string;
  runs: Run[];
}

/** What the page carries. */
export function reportInPage(): Promise<Report> {
  const element = document.getElementById("report");
  if (!element) throw new Error("the page has no data");
  return openReport(JSON.parse(element.textContent ?? "") as ReportHeader, inPage);
}

export async function openReport(header: ReportHeader, texts: PackedTexts): Promise<Report> {
  const runs: Run[] = [];
  for (const [i, run] of header.runs.entries()) runs.push(await openRun({ ...run, pictures: header.pictures }, i, texts));
  // Equal names of files from different folders
  const labels = new Set(runs.map((run) => run.label));
  if (labels.size < runs.length) runs.forEach((run, i) => (run.header.label = `${run.header.label} (${i + 1})`));
  return { title: header.title, runs };
}

/** The last index whose time is not later than t; 0 before the first. */
export function indexAt(times: ArrayLike<number>, t: number): number {
  let low = 0;
  let high = times.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (times[middle] <= t) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** The value of a channel at a time, between its points by a straight line. */
export function valueAt(channel: Channel, t: number): number {
  const { times, values } = channel;
  if (times.length === 0) return NaN;
  const i = indexAt(times, t);
  if (i + 1 >= times.length || t <= times[i]) return values[i];
  if (channel.solver) return values[i + 1]; // a step's numbers belong to the step that ends next
  const part = (t - times[i]) / (times[i + 1] - times[i]);
  return values[i] + part * (values[i + 1] - values[i]);
}

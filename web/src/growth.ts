// SPDX-License-Identifier: Apache-2.0
// A run that goes on: columns of numbers that become longer, and the channels and the animation that show them.
import type { GroupHeader, Packed, PackedTexts, Run, Track } from "./data";
import { channelNames, unpack } from "./data";

/** Columns of equal length with room to spare, so that rows are added without copying what is there. */
class Columns {
  length = 0;
  private room = 0;
  private numbers = new Float64Array(0);

  constructor(readonly count: number) {}

  /** Rows as the program packs them: column after column. */
  append(rows: ArrayLike<number>): void {
    const added = this.count > 0 ? rows.length / this.count : 0;
    if (this.length + added > this.room) this.widen(Math.max(64, 2 * (this.length + added)));
    for (let c = 0; c < this.count; ++c)
      for (let i = 0; i < added; ++i) this.numbers[c * this.room + this.length + i] = rows[c * added + i];
    this.length += added;
  }

  private widen(room: number): void {
    const wider = new Float64Array(room * this.count);
    for (let c = 0; c < this.count; ++c) wider.set(this.column(c), c * room);
    this.numbers = wider;
    this.room = room;
  }

  column(c: number): Float64Array {
    return this.numbers.subarray(c * this.room, c * this.room + this.length);
  }
  at(c: number, row: number): number {
    return this.numbers[c * this.room + row];
  }
}

class ColumnTrack implements Track {
  constructor(private readonly source: Columns) {}
  get frames(): number {
    return this.source.length;
  }
  get columns(): number {
    return this.source.count;
  }
  at(column: number, frame: number): number {
    return this.source.at(column, frame);
  }
}

export interface Rows {
  times: Packed;
  groups: Packed[];
}

/** The frames or the steps of a run. */
class Table {
  private readonly times = new Columns(1);
  private readonly groups: Columns[];

  constructor(
    run: Run,
    private readonly headers: GroupHeader[],
    private readonly solver: boolean,
  ) {
    this.times.append(solver ? run.solverTimes : run.times);
    this.groups = headers.map((group) => {
      const names = channelNames(group);
      const columns = new Columns(names.length);
      const values = names.map((name) => run.channel(name)?.values ?? new Float64Array(0));
      const rows = values[0]?.length ?? 0;
      const all = new Float64Array(rows * names.length);
      values.forEach((column, c) => all.set(column, c * rows));
      columns.append(all);
      return columns;
    });
  }

  get now(): Float64Array {
    return this.times.column(0);
  }

  of(quantity: string): Columns | null {
    const i = this.headers.findIndex((group) => group.quantity === quantity);
    return i < 0 ? null : this.groups[i];
  }

  async append(rows: Rows, texts: PackedTexts): Promise<void> {
    const times = await unpack(rows.times, texts);
    const groups: ArrayLike<number>[] = [];
    for (const packed of rows.groups) groups.push(await unpack(packed, texts));
    this.times.append(times);
    groups.forEach((values, g) => this.groups[g].append(values));
  }

  /** Lets the channels of a run be those of this table. */
  addChannels(run: Run): void {
    this.headers.forEach((group, g) => {
      const n = Math.max(1, group.components.length);
      channelNames(group).forEach((name, c) =>
        run.channels.set(name, () => ({
          name,
          unit: group.units?.[Math.floor(c / n)] ?? group.unit,
          quantity: group.quantity,
          description: group.description,
          solver: this.solver,
          resolution: "complete",
          times: this.now,
          values: this.groups[g].column(c),
        })),
      );
    });
  }
}

/** Takes over the channels and the animation of a run that the page carries whole, and lets them grow. */
export class GrowingRun {
  private readonly frames: Table;
  private readonly steps: Table;

  constructor(readonly run: Run) {
    this.frames = new Table(run, run.header.groups, false);
    this.steps = new Table(run, run.header.solver.groups, true);
    this.frames.addChannels(run);
    this.steps.addChannels(run);
    const track = (quantity: string) => {
      const columns = this.frames.of(quantity);
      return columns ? new ColumnTrack(columns) : null;
    };
    const [position, orientation] = [track("position"), track("orientation")];
    if (run.animation && position && orientation)
      run.animation = {
        ...run.animation,
        position,
        orientation,
        reaction: run.animation.reaction && track("reaction_force"),
        applied: run.animation.applied && track("applied_force"),
      };
    this.show();
  }

  async append(frames: Rows, steps: Rows, texts: PackedTexts): Promise<void> {
    await this.frames.append(frames, texts);
    await this.steps.append(steps, texts);
    this.show();
  }

  private show(): void {
    const { run } = this;
    run.times = this.frames.now;
    run.solverTimes = this.steps.now;
    run.header.n_frames = run.times.length;
    if (run.header.solver.stretch <= 1) run.header.n_steps = run.solverTimes.length;
    if (run.animation) run.animation.times = run.times;
  }
}

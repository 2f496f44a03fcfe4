// SPDX-License-Identifier: Apache-2.0
// Time: who changes it, who follows it.

import type { TimeLine } from "./data";
import { indexAt } from "./data";

type Listener = (t: number) => void;

/** Factors of real time that are offered; the first choice shows the run in some ten seconds. */
export const speeds = [1 / 10000, 1 / 3000, 1 / 1000, 1 / 300, 1 / 100, 1 / 30, 0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 100, 300, 1000];
const pleasantDuration = 10; // [s]
export const cycleDuration = 2; // [s], of one swing of a mode

export class Player {
  t: number;
  playing = false;
  speed: number;
  loop = true;
  private readonly listeners: Listener[] = [];
  private readonly stateListeners: (() => void)[] = [];
  private last = 0;

  constructor(
    readonly start: number,
    public end: number,
    public frameTimes: Float64Array,
    readonly line: TimeLine = { name: "time", unit: "s", load: null },
    duration = pleasantDuration,
  ) {
    this.t = start;
    const natural = (end - start) / duration;
    // Near enough to real time is real time.
    const near = this.isTime && duration === pleasantDuration && natural > 0.15 && natural < 2.5;
    this.speed = near ? 1 : nearestSpeed(natural);
  }

  get isTime(): boolean {
    return this.line.unit === "s";
  }

  follow(listener: Listener): void {
    this.listeners.push(listener);
  }
  onState(listener: () => void): void {
    this.stateListeners.push(listener);
  }

  /** The run has become longer. */
  extend(end: number, frameTimes: Float64Array): void {
    this.end = Math.max(this.end, end);
    this.frameTimes = frameTimes;
  }

  seek(t: number): void {
    const bounded = Math.min(this.end, Math.max(this.start, t));
    if (bounded === this.t) return;
    this.t = bounded;
    this.tell();
  }

  tell(): void {
    for (const listener of this.listeners) listener(this.t);
  }

  play(on: boolean): void {
    if (on === this.playing || this.end <= this.start) return;
    if (on && this.t >= this.end) this.t = this.start;
    this.playing = on;
    this.last = 0;
    for (const listener of this.stateListeners) listener();
  }

  setSpeed(speed: number): void {
    this.speed = speed;
    for (const listener of this.stateListeners) listener();
  }

  /** One recorded frame forwards or backwards. */
  stepFrames(count: number): void {
    const times = this.frameTimes;
    if (times.length === 0) return;
    const i = indexAt(times, this.t + 1e-12 * Math.abs(this.end));
    this.play(false);
    this.seek(times[Math.min(times.length - 1, Math.max(0, i + count))]);
  }

  /** Called for every picture: `now` in milliseconds. */
  tick(now: number): void {
    if (!this.playing) return;
    const dt = this.last > 0 ? Math.min(0.25, (now - this.last) / 1000) : 0;
    this.last = now;
    let t = this.t + dt * this.speed;
    if (t >= this.end) {
      if (this.loop) t = this.start + ((t - this.start) % (this.end - this.start));
      else {
        t = this.end;
        this.play(false);
      }
    }
    this.seek(t);
  }
}

function nearestSpeed(speed: number): number {
  if (!(speed > 0)) return 1;
  return speeds.reduce((best, s) => (Math.abs(Math.log(s / speed)) < Math.abs(Math.log(best / speed)) ? s : best));
}

export function speedText(speed: number): string {
  if (speed >= 1) return `${speed}×`;
  if (speed === 0.5) return "½×";
  if (speed === 0.25) return "¼×";
  return `1/${Math.round(1 / speed)}×`;
}

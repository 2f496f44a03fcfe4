// SPDX-License-Identifier: Apache-2.0
// Plots of channels over time, linked to the player and to each other.
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import type { Channel, Report, Run } from "./data";
import { valueAt } from "./data";
import { runColors } from "./machine";
import { element, format, unitText, withUnit } from "./numbers";
import type { Player } from "./player";

export const curveColors = ["#3b82d6", "#e07a2c", "#2fa36b", "#c2559a", "#8470d8", "#b3922a", "#3aa7bd", "#c95f4a"];
const dashes = [[], [7, 4], [2, 3], [9, 3, 2, 3]];

export interface Curve {
  label: string;
  channel: Channel;
  color: string;
  dash: number[];
  difference?: Channel; // subtracted
}

export interface PanelOptions {
  height: number;
  log?: boolean;
  steps?: boolean; // the value holds over the step before its time
  bars?: boolean;
  title?: string;
}

function css(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

/** One pair of axes. */
export class PlotPanel {
  readonly element = element("div", "panel");
  private readonly legend = element("div", "legend");
  private readonly body = element("div", "plot");
  private plot: uPlot | null = null;
  private line = element("div", "now");
  private curves: Curve[] = [];
  private values: HTMLElement[] = [];
  onZoom: (min: number, max: number) => void = () => {};
  onRemove: ((curve: Curve) => void) | null = null;

  constructor(
    private readonly player: Player,
    readonly options: PanelOptions,
    readonly buttons: HTMLElement[] = [],
  ) {
    const head = element("div", "panel-head");
    head.append(this.legend, ...buttons);
    this.element.append(head, this.body);
    new ResizeObserver(() => this.resize()).observe(this.body);
  }

  set(curves: Curve[]): void {
    this.curves = curves;
    this.rebuild();
  }

  get shown(): Curve[] {
    return this.curves;
  }

  /** What uPlot draws: common times, one list of values per curve. */
  private table(): uPlot.AlignedData {
    const tables = this.curves.map((curve): [ArrayLike<number>, ArrayLike<number | null>] => {
      const { times, values } = curve.channel;
      let list: ArrayLike<number | null> = values;
      if (curve.difference) {
        const other = curve.difference;
        list = Array.from(values, (v, i) =>
          times[i] > other.times[other.times.length - 1] ? null : v - valueAt(other, times[i]),
        );
      }
      let bad = false;
      for (let i = 0; i < list.length && !bad; ++i) {
        const v = list[i];
        bad = v !== null && (!Number.isFinite(v) || (this.options.log === true && v <= 0));
      }
      if (bad)
        list = Array.from(list, (v) =>
          v === null || !Number.isFinite(v) || (this.options.log === true && v <= 0) ? null : v,
        );
      return [times, list];
    });
    if (tables.length === 0) return [[]];
    const same = tables.every(
      ([t]) => t === tables[0][0] || (t.length === tables[0][0].length && t[t.length - 1] === tables[0][0][t.length - 1]),
    );
    if (same) return [tables[0][0], ...tables.map(([, v]) => v)] as unknown as uPlot.AlignedData;
    return uPlot.join(tables.map(([t, v]) => [Array.from(t), Array.from(v)] as uPlot.AlignedData));
  }

  rebuild(): void {
    this.plot?.destroy();
    this.plot = null;
    this.drawLegend();
    const width = this.body.clientWidth;
    if (width === 0 || this.curves.length === 0) return;
    const text = css("--text-soft");
    const grid = css("--grid");
    const font = `11px ${css("--font")}`;
    const units = new Set(this.curves.map((curve) => unitText(curve.channel.unit)));
    const unit = units.size === 1 ? [...units][0] : "";
    const axis = { stroke: text, font, labelFont: font, grid: { stroke: grid, width: 1 }, ticks: { show: false } };
    const data = this.table();
    const range = this.xRange;
    this.plot = new uPlot(
      {
        width,
        height: this.options.height,
        padding: [6, 18, 0, 0],
        legend: { show: false },
        cursor: { sync: { key: "time" }, drag: { x: true, y: false, setScale: false }, points: { size: 6 }, y: false },
        scales: {
          x: { time: false, range: () => [this.zoom?.[0] ?? range[0], this.zoom?.[1] ?? range[1]] },
          y: this.options.log
            ? { distr: 3, range: (_u, min, max) => logRange(min, max) }
            : { range: (_u, min, max) => (this.options.steps ? countRange(max) : calmRange(min, max)) },
        },
        axes: [
          { ...axis, size: 26, values: (_u, splits) => axisTexts(splits) },
          {
            ...axis,
            size: 62,
            values: (_u, splits) => (this.options.log ? splits.map(powerText) : axisTexts(splits)),
            // The library would blank some of a logarithmic axis: `decades` has thinned them already.
            ...(this.options.log
              ? {
                  splits: (_u: uPlot, _i: number, min: number, max: number) => decades(min, max),
                  filter: (_u: uPlot, splits: number[]) => splits,
                }
              : {}),
            ...(this.options.steps ? { incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000] } : {}),
            label: unit,
            labelSize: unit ? 18 : 0,
          },
        ],
        series: [
          {},
          ...this.curves.map(
            (curve): uPlot.Series => ({
              stroke: curve.color,
              width: 1.6,
              dash: curve.dash,
              points: { show: data[0].length < 30, size: 4 },
              ...(this.options.steps && uPlot.paths.stepped ? { paths: uPlot.paths.stepped({ align: -1 }) } : {}),
              ...(this.options.bars && uPlot.paths.bars
                ? { paths: uPlot.paths.bars({ size: [0.9, 3], align: 0 }), fill: curve.color, width: 0 }
                : {}),
            }),
          ),
        ],
        hooks: {
          draw: [() => this.placeLine(this.player.t)],
          setSelect: [
            (u) => {
              if (u.select.width < 4) return;
              this.onZoom(u.posToVal(u.select.left, "x"), u.posToVal(u.select.left + u.select.width, "x"));
              u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
            },
          ],
          setCursor: [
            (u) => {
              const left = u.cursor.left ?? -1;
              this.showValues(left >= 0 ? u.posToVal(left, "x") : this.player.t);
            },
          ],
        },
      },
      data,
      this.body,
    );
    const over = this.plot.over;
    over.append(this.line);
    let down = -1;
    over.addEventListener("pointerdown", (event) => (down = event.clientX));
    over.addEventListener("pointerup", (event) => {
      if (this.plot && Math.abs(event.clientX - down) < 4)
        this.player.seek(this.plot.posToVal(event.clientX - over.getBoundingClientRect().left, "x"));
    });
    over.addEventListener("dblclick", () => this.onZoom(NaN, NaN));
    this.moveTo(this.player.t);
  }

  private get xRange(): [number, number] {
    return [this.player.start, this.player.end > this.player.start ? this.player.end : this.player.start + 1];
  }
  private zoom: [number, number] | null = null;

  setZoom(min: number, max: number): void {
    this.zoom = Number.isNaN(min) ? null : [min, max];
    if (!this.plot) return;
    const [a, b] = this.zoom ?? this.xRange;
    this.plot.setScale("x", { min: a, max: b });
    this.moveTo(this.player.t);
  }

  private drawLegend(): void {
    this.legend.replaceChildren();
    this.values = [];
    if (this.options.title) this.legend.append(element("span", "panel-title", this.options.title));
    for (const curve of this.curves) {
      const item = element("span", "legend-item");
      const chip = element("i", "chip");
      chip.style.color = curve.color;
      if (curve.dash.length > 0) chip.classList.add("line", curve.dash[0] < 4 ? "dotted" : "dashed");
      else chip.style.background = curve.color;
      const value = element("b", "value");
      this.values.push(value);
      const name = element("span", "name", curve.label);
      name.title = curve.channel.description;
      item.append(chip, name, value);
      if (curve.channel.resolution === "thinned" || curve.channel.resolution === "animation") {
        const mark = element("span", "mark", "≈");
        mark.title =
          curve.channel.resolution === "thinned"
            ? "thinned: not every frame is in this report"
            : "taken from the animation: rounded, not every frame";
        item.append(mark);
      }
      if (this.onRemove) {
        const remove = element("button", "remove", "×");
        remove.title = `Remove ${curve.label}`;
        remove.setAttribute("aria-label", remove.title);
        remove.addEventListener("click", () => this.onRemove?.(curve));
        item.append(remove);
      }
      this.legend.append(item);
    }
  }

  private showValues(t: number): void {
    this.curves.forEach((curve, i) => {
      let x = valueAt(curve.channel, t);
      if (curve.difference) x -= valueAt(curve.difference, t);
      const text = withUnit(x, curve.channel.unit);
      if (this.values[i].textContent !== text) this.values[i].textContent = text;
    });
  }

  moveTo(t: number): void {
    if (!this.plot) return;
    this.placeLine(t);
    this.showValues(t);
  }

  private placeLine(t: number): void {
    if (!this.plot) return;
    const x = this.plot.valToPos(t, "x");
    const inside = x >= -0.5 && x <= this.plot.over.clientWidth + 0.5;
    this.line.style.display = inside ? "" : "none";
    this.line.style.transform = `translateX(${x}px)`;
  }

  private resize(): void {
    const width = this.body.clientWidth;
    if (width === 0) return;
    if (!this.plot) this.rebuild();
    else if (width !== this.plot.width) {
      this.plot.setSize({ width, height: this.options.height });
      this.moveTo(this.player.t);
    }
  }
}

/** Room above and below; rounding noise about a constant is not blown up to fill the panel. */
function calmRange(min: number | null, max: number | null): uPlot.Range.MinMax {
  if (min === null || max === null || !Number.isFinite(min) || !Number.isFinite(max)) return [0, 1];
  const size = Math.max(Math.abs(min), Math.abs(max));
  const span = max - min;
  if (span <= 1e-6 * size || span === 0) {
    const half = size > 0 ? 0.1 * size : 1;
    return [min - half, max + half];
  }
  return [min - 0.07 * span, max + 0.07 * span];
}

function logRange(min: number | null, max: number | null): uPlot.Range.MinMax {
  if (min === null || max === null || !(min > 0) || !Number.isFinite(max)) return [0.1, 10];
  return [10 ** Math.floor(Math.log10(min) - 0.05), 10 ** Math.ceil(Math.log10(max) + 0.05)];
}

/** Ticks with as many digits as tell them apart. */
function axisTexts(splits: number[]): string[] {
  const step = splits.length > 1 ? Math.abs(splits[1] - splits[0]) : 1;
  const most = Math.max(...splits.map(Math.abs));
  if (most >= 1e5 || (most < 1e-3 && most > 0)) return splits.map((x) => format(x, 3));
  let decimals = 0;
  while (decimals < 9 && Math.abs(step * 10 ** decimals - Math.round(step * 10 ** decimals)) > 1e-6) ++decimals;
  return splits.map((x) => (Math.abs(x) < 1e-9 * step ? 0 : x).toFixed(decimals).replace("-", "−"));
}

/** Whole powers of ten, not more than a few. */
function decades(min: number, max: number): number[] {
  const from = Math.ceil(Math.log10(min) - 1e-9);
  const to = Math.floor(Math.log10(max) + 1e-9);
  const step = Math.max(1, Math.ceil((to - from) / 5));
  const splits: number[] = [];
  for (let e = from; e <= to; e += step) splits.push(10 ** e);
  return splits;
}

function powerText(x: number): string {
  return Math.abs(Math.log10(x)) < 2.5 ? format(x, 1) : format(x, 1).replace("1·", "");
}

/** Counts start at zero. */
function countRange(max: number | null): uPlot.Range.MinMax {
  return [0, 1.08 * Math.max(1, max ?? 1)];
}

/** Several panels that zoom together. */
export class PlotArea {
  readonly element = element("div", "plots");
  private readonly panels: { panel: PlotPanel; names: string[] }[] = [];
  private readonly list = element("div", "panels");
  difference = false;

  constructor(
    private readonly report: Report,
    private readonly player: Player,
    private readonly pick: (title: string, done: (name: string) => void) => void,
  ) {
    const bar = element("div", "toolbar");
    const add = element("button", "", "+ Plot");
    add.title = "Add a plot";
    add.addEventListener("click", () => this.pick("Plot a channel", (name) => this.addPanel([name])));
    bar.append(add);
    if (report.runs.length > 1) {
      const toggle = element("button", "toggle", "Differences");
      toggle.title = `Show every run minus ${report.runs[0].label}`;
      toggle.addEventListener("click", () => {
        this.difference = !this.difference;
        toggle.setAttribute("aria-pressed", String(this.difference));
        this.rebuild();
      });
      toggle.setAttribute("aria-pressed", "false");
      bar.append(toggle);
    }
    bar.append(element("span", "hint", "click: go to that time · drag: zoom · double-click: all"));
    this.element.append(bar, this.list);
    for (const names of defaultPanels(report.runs[0])) this.addPanel(names);
  }

  addPanel(names: string[]): void {
    const more = element("button", "icon", "+");
    more.title = "Add a channel to this plot";
    const close = element("button", "icon", "×");
    close.title = "Remove this plot";
    const panel = new PlotPanel(this.player, { height: 190 }, [more, close]);
    const entry = { panel, names: [...names] };
    more.addEventListener("click", () =>
      this.pick("Add a channel to this plot", (name) => {
        if (!entry.names.includes(name)) entry.names.push(name);
        this.fill(entry);
      }),
    );
    close.addEventListener("click", () => {
      this.panels.splice(this.panels.indexOf(entry), 1);
      panel.element.remove();
    });
    panel.onZoom = (min, max) => this.zoom(min, max);
    panel.onRemove = (curve) => {
      entry.names = entry.names.filter((name) => name !== curve.channel.name);
      if (entry.names.length === 0) close.click();
      else this.fill(entry);
    };
    this.panels.push(entry);
    this.list.append(panel.element);
    this.fill(entry);
  }

  private fill(entry: { panel: PlotPanel; names: string[] }): void {
    entry.panel.set(curvesOf(this.report.runs, entry.names, this.difference));
  }

  zoom(min: number, max: number): void {
    for (const { panel } of this.panels) panel.setZoom(min, max);
  }

  rebuild(): void {
    for (const entry of this.panels) this.fill(entry);
  }

  moveTo(t: number): void {
    for (const { panel } of this.panels) panel.moveTo(t);
  }
}

/** A measure is known by its own name. */
function shortName(name: string): string {
  return name.replace(/^measures\./, "");
}

/** Colour tells curves apart; with several runs colour is the run and the dash the channel. */
export function curvesOf(runs: Run[], names: string[], difference: boolean): Curve[] {
  const curves: Curve[] = [];
  names.forEach((name, n) => {
    const reference = runs[0].channel(name);
    for (const run of runs) {
      const channel = run.channel(name);
      if (!channel || channel.values.length === 0) continue;
      if (difference && (run.index === 0 || !reference)) continue;
      const several = runs.length > 1;
      curves.push({
        label: several ? `${shortName(name)} · ${run.label}${difference ? ` − ${runs[0].label}` : ""}` : shortName(name),
        channel,
        color: several ? runColors[run.index % runColors.length] : curveColors[n % curveColors.length],
        dash: several ? dashes[n % dashes.length] : [],
        ...(difference && reference ? { difference: reference } : {}),
      });
    }
  });
  return curves;
}

/** Without channels that stay constant beside others that move. */
function movingOnly(run: Run, names: string[]): string[] {
  const spans = names.map((name) => {
    let low = Infinity;
    let high = -Infinity;
    for (const x of run.channel(name)?.values ?? []) {
      if (x < low) low = x;
      if (x > high) high = x;
    }
    return high - low;
  });
  const most = Math.max(...spans);
  const moving = names.filter((_, i) => spans[i] > 1e-6 * most);
  return moving.length > 0 ? moving : names;
}

/** What a reader wants to see first: measures by unit, else joint coordinates or the first body; then energies. */
function defaultPanels(run: Run): string[][] {
  const channels = [...run.channels.entries()];
  const named = (quantity: string) => {
    const group = run.quantity(quantity);
    if (!group) return [];
    const n = Math.max(1, group.components.length);
    return channels
      .map(([name]) => name)
      .filter((name) => {
        const base = group.names.length === 1 ? [group.pattern] : null;
        if (base) return n > 1 ? name.startsWith(`${base[0]}.`) : name === base[0];
        const [before, after] = group.pattern.split("{name}");
        const middle = n > 1 ? name.slice(0, name.lastIndexOf(".")) : name;
        return (
          middle.startsWith(before) &&
          middle.endsWith(after) &&
          group.names.includes(middle.slice(before.length, middle.length - after.length))
        );
      });
  };
  const byUnit = (names: string[]) => {
    const sorted = new Map<string, string[]>();
    for (const name of names.slice(0, 40)) {
      const unit = run.channel(name)?.unit ?? "";
      sorted.set(unit, [...(sorted.get(unit) ?? []), name]);
    }
    return [...sorted.values()].map((list) => list.slice(0, 8));
  };
  const panels: string[][] = [];
  panels.push(...byUnit(named("measure")).slice(0, 3));
  if (panels.length === 0) panels.push(...byUnit(named("point").slice(0, 3)).slice(0, 1));
  if (panels.length === 0) panels.push(...byUnit([...named("angle").slice(0, 6), ...named("displacement").slice(0, 6)]).slice(0, 2));
  if (panels.length === 0) panels.push(named("position").slice(0, 3));
  const energy = named("energy").filter((name) => /kinetic|potential|total/.test(name));
  if (energy.length > 0) panels.push(energy);
  const drift = named("energy").filter((name) => name.endsWith("drift"));
  if (drift.length > 0) panels.push(drift);
  return panels.map((names) => movingOnly(run, names)).filter((names) => names.some((name) => (run.channel(name)?.values.length ?? 0) > 0));
}

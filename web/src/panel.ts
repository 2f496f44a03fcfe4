// SPDX-License-Identifier: Apache-2.0
// One plot: curves over time, over frequency (their spectra) or over another channel.
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import type { Extent } from "./axes";
import { axisTexts, calmRange, countRange, extentOf, logRange, logSplits, powerText, shareScales } from "./axes";
import type { Channel } from "./data";
import { valueAt } from "./data";
import { decimate, within } from "./decimate";
import { element, format, unitText, withUnit } from "./numbers";
import type { Player } from "./player";
import type { DrawnCurve } from "./save";
import { csvOf, download, savePng, saveSvg } from "./save";
import { spectrumOf, spectrumPoints } from "./spectrum";

export interface Curve {
  label: string;
  channel: Channel;
  color: string;
  dash: number[];
  difference?: Channel; // subtracted
  over?: Channel; // of the same run: what it is drawn over, if the panel is not over time
  error?: Channel; // how far the truth may be above and below
}

export interface PanelOptions {
  height: number;
  log?: boolean;
  steps?: boolean; // the value holds over the step before its time
  bars?: boolean;
  title?: string;
}

export type Abscissa = "time" | "frequency" | "channel";

function css(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

type Values = ArrayLike<number | null>;

/** A curve's numbers, the other run's taken off. */
function valuesOf(curve: Curve): Values {
  const { times, values } = curve.channel;
  const other = curve.difference;
  if (!other) return values;
  const end = other.times[other.times.length - 1];
  return Array.from(values, (v, i) => (times[i] > end ? null : v - valueAt(other, times[i])));
}

/** What cannot be drawn is left out. */
function drawable(values: Values, log: boolean): Values {
  const bad = (v: number | null) => v !== null && (!Number.isFinite(v) || (log && v <= 0));
  for (let i = 0; i < values.length; ++i) if (bad(values[i])) return Array.from(values, (v) => (bad(v) ? null : v));
  return values;
}

export class PlotPanel {
  readonly element = element("div", "panel");
  private readonly legend = element("div", "legend");
  private readonly body = element("div", "plot");
  private plot: uPlot | null = null;
  private line = element("div", "now");
  private curves: Curve[] = [];
  private drawn: DrawnCurve[] = [];
  private values: HTMLElement[] = [];
  private over: Abscissa = "time";
  private decimated = false;
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

  set(curves: Curve[], over: Abscissa = "time"): void {
    this.curves = curves;
    this.over = over;
    this.rebuild();
  }

  get shown(): Curve[] {
    return this.curves;
  }
  get abscissa(): Abscissa {
    return this.over;
  }
  /** The scale of each curve, by the number of the scale. */
  get scales(): number[] {
    return this.drawn.map((curve) => Number(curve.scale.slice(1)));
  }

  /** How many points are drawn, of all curves together. */
  get points(): number {
    return (this.plot?.data ?? []).slice(1).reduce((n, column) => n + column.length, 0);
  }

  private get log(): boolean {
    return this.options.log === true || this.over === "frequency";
  }

  /** What is drawn of each curve, in the scale that it shares with others of its size. */
  private draw(): DrawnCurve[] {
    const [start, end] = this.zoom ?? this.xRange;
    const points = Math.max(0, ...this.curves.map((curve) => spectrumPoints(curve.channel.values.length)));
    const drawn = this.curves.map((curve): DrawnCurve => {
      let x: ArrayLike<number> = curve.channel.times;
      let y = valuesOf(curve);
      if (this.over === "frequency") {
        const whole = { ...curve.channel, values: Float64Array.from(y, (v) => v ?? NaN) };
        const last = curve.channel.times[curve.channel.times.length - 1];
        const { frequency, amplitude } = spectrumOf(whole, start, Math.min(end, last), points);
        [x, y] = [frequency, amplitude];
      } else if (this.over === "channel" && curve.over) {
        const { over } = curve;
        x = Array.from(curve.channel.times, (t) => valueAt(over, t));
      }
      const unit = unitText(curve.channel.unit);
      return { label: unit ? `${curve.label} [${unit}]` : curve.label, color: curve.color, dash: curve.dash, scale: "y0", x, y: drawable(y, this.log) };
    });
    if (!this.log && !this.options.steps && !this.options.bars) {
      const shared = shareScales(drawn.map((curve, i) => this.extentWithError(this.curves[i], curve)));
      drawn.forEach((curve, i) => (curve.scale = `y${shared[i]}`));
    }
    return drawn;
  }

  /** What uPlot wants: common abscissae and a list of values per curve, or both for each curve. */
  private table(): uPlot.AlignedData {
    if (this.over === "channel") return [null, ...this.drawn.map(({ x, y }) => [x, y] as const)] as unknown as uPlot.AlignedData;
    if (this.over === "frequency") return uPlot.join(this.drawn.map(({ x, y }) => [Array.from(x), Array.from(y)] as uPlot.AlignedData));
    const [low, high] = this.zoom ?? this.xRange;
    const few = decimate(this.drawn, low, high, Math.max(100, this.body.clientWidth));
    this.decimated = few !== null;
    if (few) return [few.x, ...few.y] as unknown as uPlot.AlignedData;
    const inside = this.drawn.map((curve) => within(curve, low, high));
    const [first] = inside;
    const same = inside.every(([x]) => x.length === first[0].length && x[0] === first[0][0] && x[x.length - 1] === first[0][x.length - 1]);
    if (same) return [first[0], ...inside.map(([, y]) => y)] as unknown as uPlot.AlignedData;
    return uPlot.join(inside.map(([x, y]) => [Array.from(x), Array.from(y)] as uPlot.AlignedData));
  }

  private unitOf(scale: string): string {
    const units = new Set(this.curves.filter((_, i) => this.drawn[i].scale === scale).map((curve) => unitText(curve.channel.unit)));
    return units.size === 1 ? [...units][0] : "";
  }

  private get timeLabel(): string {
    const { name, unit } = this.player.line;
    return unit ? `${name} [${unit}]` : name;
  }

  private get xLabel(): string {
    if (this.over === "time") return this.timeLabel;
    if (this.over === "frequency") return "frequency [Hz]";
    const channel = this.curves[0]?.over;
    return channel ? `${channel.name} [${unitText(channel.unit) || "1"}]` : "";
  }

  rebuild(): void {
    this.plot?.destroy();
    this.plot = null;
    this.drawn = this.curves.length > 0 ? this.draw() : [];
    this.drawLegend();
    const width = this.body.clientWidth;
    if (width === 0 || this.curves.length === 0) return;
    this.plot = new uPlot(this.plotOptions(width), this.table(), this.body);
    const over = this.plot.over;
    over.append(this.line);
    let down = -1;
    over.addEventListener("pointerdown", (event) => (down = event.clientX));
    over.addEventListener("pointerup", (event) => {
      if (this.plot && this.over === "time" && Math.abs(event.clientX - down) < 4)
        this.player.seek(this.plot.posToVal(event.clientX - over.getBoundingClientRect().left, "x"));
    });
    over.addEventListener("dblclick", () => this.onZoom(NaN, NaN));
    this.moveTo(this.player.t);
  }

  private plotOptions(width: number): uPlot.Options {
    const font = `11px ${css("--font")}`;
    const axis = { stroke: css("--text-soft"), font, labelFont: font, grid: { stroke: css("--grid"), width: 1 }, ticks: { show: false } };
    const range = this.xRange;
    const timed = this.over === "time";
    const scales: uPlot.Scales = {
      x: timed
        ? { time: false, range: () => [this.zoom?.[0] ?? range[0], this.zoom?.[1] ?? range[1]] }
        : { time: false, range: (_u, min, max) => (this.over === "channel" ? calmRange(min, max) : [0, max ?? 1]) },
    };
    const names = [...new Set(this.drawn.map((curve) => curve.scale))].sort();
    for (const name of names)
      scales[name] = this.log
        ? { distr: 3, range: (_u, min, max) => logRange(min, max) }
        : { range: (_u, min, max) => (this.options.steps ? countRange(max) : calmRange(...this.withErrors(name, min, max))) };
    const sparse = this.drawn.every((curve) => curve.x.length < 30);
    return {
      width,
      height: this.options.height,
      padding: [6, names.length > 1 ? 0 : 18, 0, 0],
      pxAlign: 0, // curves between pixels: no stairs
      mode: this.over === "channel" ? 2 : 1,
      legend: { show: false },
      cursor: {
        ...(timed ? { sync: { key: "time" } } : {}),
        drag: { x: timed, y: false, setScale: false },
        points: { size: 6, show: this.over !== "channel" },
        y: this.over === "channel",
      },
      scales,
      axes: [
        { ...axis, size: 24, values: (_u, splits) => axisTexts(splits), label: this.xLabel, labelSize: 15, labelGap: 0 },
        ...names.slice(0, 2).map((name, k) => this.valueAxis(name, k, names.length, axis)),
      ],
      series: [
        {},
        ...this.drawn.map(
          (curve): uPlot.Series => ({
            scale: curve.scale,
            stroke: curve.color,
            width: 1.6,
            dash: curve.dash,
            points: { show: this.over !== "channel" && sparse, size: 4 },
            ...(this.over === "channel" ? { facets: [{ scale: "x", auto: true }, { scale: curve.scale, auto: true }], paths: pathOver } : {}),
            ...(this.options.steps && uPlot.paths.stepped ? { paths: uPlot.paths.stepped({ align: -1 }) } : {}),
            ...(this.options.bars && uPlot.paths.bars
              ? { paths: uPlot.paths.bars({ size: [0.9, 3], align: 0 }), fill: curve.color, width: 0 }
              : {}),
          }),
        ),
      ],
      hooks: {
        drawAxes: [(u) => this.drawBands(u)],
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
            this.showValues(left >= 0 && this.over !== "channel" ? u.posToVal(left, "x") : this.player.t, left >= 0);
          },
        ],
      },
    };
  }

  /** Below the curves: what lies within their errors. */
  private drawBands(u: uPlot): void {
    if (this.over !== "time" || this.log) return;
    const [low, high] = this.zoom ?? this.xRange;
    u.ctx.save();
    u.ctx.beginPath();
    u.ctx.rect(u.bbox.left, u.bbox.top, u.bbox.width, u.bbox.height);
    u.ctx.clip();
    this.curves.forEach((curve, c) => {
      if (!curve.error) return;
      const { error } = curve;
      const { x, y, scale, color } = this.drawn[c];
      const step = Math.max(1, Math.floor(x.length / 4000));
      const edges: [number, number, number][] = [];
      for (let i = 0; i < x.length; i += step) {
        const value = y[i];
        if (value === null || x[i] < low || x[i] > high) continue;
        const e = Math.abs(valueAt(error, x[i]));
        edges.push([u.valToPos(x[i], "x", true), u.valToPos(value + e, scale, true), u.valToPos(value - e, scale, true)]);
      }
      u.ctx.beginPath();
      edges.forEach(([at, top], i) => (i === 0 ? u.ctx.moveTo(at, top) : u.ctx.lineTo(at, top)));
      for (const [at, , bottom] of [...edges].reverse()) u.ctx.lineTo(at, bottom);
      u.ctx.closePath();
      u.ctx.globalAlpha = 0.22;
      u.ctx.fillStyle = color;
      u.ctx.fill();
    });
    u.ctx.restore();
  }

  /** Bounds of a scale, with the errors of its curves. */
  private withErrors(scale: string, min: number | null, max: number | null): [number | null, number | null] {
    let [low, high] = [min, max];
    this.curves.forEach((curve, i) => {
      if (!curve.error || this.drawn[i].scale !== scale || low === null || high === null) return;
      const extent = this.extentWithError(curve, this.drawn[i]);
      if (extent) [low, high] = [Math.min(low, extent.low), Math.max(high, extent.high)];
    });
    return [low, high];
  }

  /** A curve with the room that its error needs. */
  private extentWithError(curve: Curve, drawn: DrawnCurve): Extent | null {
    const extent = extentOf(drawn.y);
    if (!extent || !curve.error || this.over !== "time") return extent;
    const { error } = curve;
    for (let i = 0; i < drawn.x.length; ++i) {
      const value = drawn.y[i];
      if (value === null) continue;
      const e = Math.abs(valueAt(error, drawn.x[i]));
      if (!Number.isFinite(e)) continue;
      extent.low = Math.min(extent.low, value - e);
      extent.high = Math.max(extent.high, value + e);
    }
    return extent;
  }

  /** The first scale's axis is on the left, the second's on the right, in the colour of its curve if it has but one. */
  private valueAxis(name: string, k: number, n: number, axis: uPlot.Axis): uPlot.Axis {
    const unit = this.unitOf(name);
    const mine = this.drawn.filter((curve) => curve.scale === name);
    return {
      ...axis,
      scale: name,
      side: k === 0 ? 3 : 1,
      size: 58,
      ...(n > 1 && mine.length === 1 ? { stroke: mine[0].color } : {}),
      ...(k > 0 ? { grid: { show: false } } : {}),
      values: (_u, splits) => (this.log ? splits.map(powerText) : axisTexts(splits)),
      // The library would blank some of a logarithmic axis: `logSplits` has thinned them already.
      ...(this.log
        ? {
            splits: (_u: uPlot, _i: number, min: number, max: number) => logSplits(min, max),
            filter: (_u: uPlot, splits: number[]) => splits,
          }
        : {}),
      ...(this.options.steps ? { incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000] } : {}),
      label: unit ? `${this.over === "frequency" ? "amplitude " : ""}[${unit}]` : "",
      labelSize: unit ? 16 : 0,
      labelGap: 0,
    };
  }

  private get xRange(): [number, number] {
    return [this.player.start, this.player.end > this.player.start ? this.player.end : this.player.start + 1];
  }
  private zoom: [number, number] | null = null;

  setZoom(min: number, max: number): void {
    this.zoom = Number.isNaN(min) ? null : [min, max];
    if (!this.plot) return;
    if (this.over !== "time") {
      if (this.over === "frequency") this.rebuild(); // the spectrum of that stretch
      return;
    }
    const [a, b] = this.zoom ?? this.xRange;
    if (this.over === "time") this.plot.setData(this.table(), false); // what that stretch shows
    this.plot.setScale("x", { min: a, max: b });
    this.moveTo(this.player.t);
  }

  private drawLegend(): void {
    this.legend.replaceChildren();
    this.values = [];
    if (this.options.title) this.legend.append(element("span", "panel-title", this.options.title));
    this.curves.forEach((curve, i) => {
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
      const scale = Number(this.drawn[i].scale.slice(1));
      if (scale > 0) item.append(this.scaleNote(this.drawn[i], scale));
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
    });
  }

  /** Which scale a curve has that is not the left one. */
  private scaleNote(curve: DrawnCurve, scale: number): HTMLElement {
    const extent = extentOf(curve.y);
    const [low, high] = extent ? calmRange(extent.low, extent.high) : [0, 1];
    const note = element("small", "own-scale", scale === 1 ? "right" : `${format(Number(low), 3)} … ${format(Number(high), 3)}`);
    note.title = scale === 1 ? "its scale is the one on the right" : "bottom and top of its own scale";
    return note;
  }

  private showValues(x: number, pointed = false): void {
    this.curves.forEach((curve, i) => {
      let value: number;
      if (this.over === "frequency") {
        const { x: f, y } = this.drawn[i];
        const k = Math.round(x / (f[0] || 1)) - 1;
        value = pointed ? (y[Math.max(0, Math.min(y.length - 1, k))] ?? NaN) : NaN;
      } else {
        value = valueAt(curve.channel, x);
        if (curve.difference) value -= valueAt(curve.difference, x);
      }
      const text = Number.isNaN(value) && this.over === "frequency" ? "" : withUnit(value, curve.channel.unit);
      if (this.values[i].textContent !== text) this.values[i].textContent = text;
    });
  }

  moveTo(t: number): void {
    if (!this.plot) return;
    this.placeLine(t);
    if (this.over !== "frequency") this.showValues(t);
  }

  private placeLine(t: number): void {
    if (!this.plot) return;
    let x = t;
    const first = this.curves[0];
    if (this.over === "channel" && first?.over) x = valueAt(first.over, t);
    const at = this.plot.valToPos(x, "x");
    const inside = this.over !== "frequency" && at >= -0.5 && at <= this.plot.over.clientWidth + 0.5;
    this.line.style.display = inside ? "" : "none";
    this.line.style.transform = `translateX(${at}px)`;
  }

  private resize(): void {
    const width = this.body.clientWidth;
    if (width === 0) return;
    if (!this.plot) this.rebuild();
    else if (width !== this.plot.width) {
      this.plot.setSize({ width, height: this.options.height });
      if (this.decimated) this.plot.setData(this.table());
      this.moveTo(this.player.t);
    }
  }

  save(kind: "png" | "svg" | "csv"): void {
    if (!this.plot) return;
    const name = `${(this.options.title ?? this.curves[0]?.label ?? "plot").replace(/[^\w.-]+/g, "_")}.${kind}`;
    const look = { paper: css("--raised") || "#ffffff", ink: css("--text"), grid: css("--grid"), font: css("--font") };
    if (kind === "png") savePng(name, this.plot, this.drawn, look);
    if (kind === "svg") saveSvg(name, this.plot, this.drawn, look);
    if (kind === "csv") download(name, this.csv());
  }

  /** The numbers of the plot. Over a channel: time, and both channels of each curve. */
  csv(): string {
    if (this.over !== "channel") return csvOf(this.xLabel, this.drawn);
    const timed = this.drawn.map((curve, i) => ({ ...curve, x: this.curves[i].channel.times }));
    const abscissa = { ...timed[0], label: this.xLabel, y: Array.from(this.drawn[0].x) };
    return csvOf(this.timeLabel, [abscissa, ...timed]);
  }
}

/** A line through points in their own order. */
function pathOver(u: uPlot, index: number): uPlot.Series.Paths {
  const [xs, ys] = u.data[index] as unknown as [ArrayLike<number>, Values];
  const scale = (u.series[index].facets as uPlot.Series.Facet[])[1].scale;
  const path = new Path2D();
  let pen = false;
  for (let i = 0; i < xs.length; ++i) {
    const y = ys[i];
    if (y === null || !Number.isFinite(xs[i])) {
      pen = false;
      continue;
    }
    const [px, py] = [u.valToPos(xs[i], "x", true), u.valToPos(y, scale, true)];
    if (pen) path.lineTo(px, py);
    else path.moveTo(px, py);
    pen = true;
  }
  return { stroke: path };
}

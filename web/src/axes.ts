// SPDX-License-Identifier: Apache-2.0
// Scales and ticks of plots.
import type uPlot from "uplot";
import { format } from "./numbers";

export interface Extent {
  low: number;
  high: number;
}

/** The finite values of a list; null if there are none. */
export function extentOf(values: ArrayLike<number | null>, positive = false): Extent | null {
  let low = Infinity;
  let high = -Infinity;
  for (let i = 0; i < values.length; ++i) {
    const x = values[i];
    if (x === null || !Number.isFinite(x) || (positive && x <= 0)) continue;
    if (x < low) low = x;
    if (x > high) high = x;
  }
  return low <= high ? { low, high } : null;
}

/** Rounding noise about a constant is constant. */
const isConstant = ({ low, high }: Extent) => high - low <= 1e-6 * Math.max(Math.abs(low), Math.abs(high));

const widest = 2.6; // of a scale over its smallest curve: with room above and below that curve fills a third

/** Which scale each curve has, 0, 1, …: curves share one if each of them fills at least a third of it. */
export function shareScales(extents: (Extent | null)[]): number[] {
  interface Shared extends Extent {
    least: number; // span of the smallest curve that moves
    curves: number[];
  }
  const shared: Shared[] = [];
  const span = (e: Extent | null) => (e && !isConstant(e) ? e.high - e.low : 0);
  const order = extents.map((_, i) => i).sort((a, b) => span(extents[b]) - span(extents[a]) || a - b);
  for (const i of order) {
    const e = extents[i];
    const own = span(e) || Infinity;
    const fits = (s: Shared) => {
      if (!e) return true;
      const least = Math.min(s.least, own);
      return least === Infinity || Math.max(s.high, e.high) - Math.min(s.low, e.low) <= widest * least;
    };
    const found = shared.find(fits);
    if (!found) shared.push({ low: e?.low ?? 0, high: e?.high ?? 0, least: own, curves: [i] });
    else {
      found.curves.push(i);
      if (!e) continue;
      found.low = Math.min(found.low, e.low);
      found.high = Math.max(found.high, e.high);
      found.least = Math.min(found.least, own);
    }
  }
  // The first curve's scale is the first.
  shared.sort((a, b) => Math.min(...a.curves) - Math.min(...b.curves));
  return extents.map((_, i) => shared.findIndex((s) => s.curves.includes(i)));
}

/** Room above and below; rounding noise about a constant is not blown up to fill the panel. */
export function calmRange(min: number | null, max: number | null): uPlot.Range.MinMax {
  if (min === null || max === null || !Number.isFinite(min) || !Number.isFinite(max)) return [0, 1];
  if (isConstant({ low: min, high: max })) {
    const size = Math.max(Math.abs(min), Math.abs(max));
    const half = size > 0 ? 0.1 * size : 1;
    return [min - half, max + half];
  }
  return [min - 0.07 * (max - min), max + 0.07 * (max - min)];
}

/** Whole decades about the values, or from the last to the next 1, 2 or 5 where they span less than one. */
export function logRange(min: number | null, max: number | null): uPlot.Range.MinMax {
  if (min === null || max === null || !(min > 0) || !Number.isFinite(max)) return [0.1, 10];
  const [low, high] = [Math.log10(min), Math.log10(max)];
  if (high - low >= 1) return [10 ** Math.floor(low - 0.05), 10 ** Math.ceil(high + 0.05)];
  const steps = [1, 2, 5].flatMap((digit) => [-1, 0, 1].map((e) => digit * 10 ** (Math.floor(low) + e))).sort((a, b) => a - b);
  const below = steps.filter((x) => x <= min * 0.95);
  const above = steps.filter((x) => x >= max * 1.05);
  return [below[below.length - 1] ?? 10 ** Math.floor(low - 0.05), above[0] ?? 10 ** Math.ceil(high + 0.05)];
}

/** Counts start at zero. */
export function countRange(max: number | null): uPlot.Range.MinMax {
  return [0, 1.08 * Math.max(1, max ?? 1)];
}

/** Ticks with as many digits as tell them apart. */
export function axisTexts(splits: number[]): string[] {
  const step = splits.length > 1 ? Math.abs(splits[1] - splits[0]) : 1;
  const most = Math.max(...splits.map(Math.abs));
  if (most >= 1e5 || (most < 1e-3 && most > 0)) {
    // As many digits as tell neighbours apart, and no noise of subtraction where zero is meant.
    const digits = Math.min(12, Math.max(3, Math.ceil(Math.log10(most / step)) + 2));
    return splits.map((x) => format(Math.abs(x) < 1e-9 * step ? 0 : x, digits));
  }
  let decimals = 0;
  while (decimals < 9 && Math.abs(step * 10 ** decimals - Math.round(step * 10 ** decimals)) > 1e-6) ++decimals;
  return splits.map((x) => (Math.abs(x) < 1e-9 * step ? 0 : x).toFixed(decimals).replace("-", "−"));
}

/** Ticks of a logarithmic axis: powers of ten, not more than a few; 1, 2, 5 of them where there are fewer than three. */
export function logSplits(min: number, max: number): number[] {
  if (!(min > 0) || !(max > min) || !Number.isFinite(max)) return [];
  const from = Math.ceil(Math.log10(min) - 1e-9);
  const to = Math.floor(Math.log10(max) + 1e-9);
  const splits: number[] = [];
  if (to - from < 2) {
    for (let e = from - 1; e <= to; ++e)
      for (const digit of [1, 2, 5]) {
        const x = digit * 10 ** e;
        if (x >= min * (1 - 1e-9) && x <= max * (1 + 1e-9)) splits.push(x);
      }
    return splits;
  }
  const step = Math.max(1, Math.ceil((to - from) / 5));
  for (let e = from; e <= to; e += step) splits.push(10 ** e);
  return splits;
}

export function powerText(x: number): string {
  return Math.abs(Math.log10(x)) < 2.5 ? format(x, 1) : format(x, 1).replace(/^1·/, "");
}

// SPDX-License-Identifier: Apache-2.0
// Curves of very many points as they are seen: of each column of pixels the lowest and the highest value, in their order.
import { indexAt } from "./data";

type Values = ArrayLike<number | null>;
export interface Points {
  x: ArrayLike<number>;
  y: Values;
}

/** Points that a column of pixels shows before they are taken together. */
const crowd = 4;

function isNumber(v: number | null): v is number {
  return v !== null && Number.isFinite(v);
}

function part<Numbers extends ArrayLike<unknown>>(numbers: Numbers, from: number, to: number): Numbers {
  if (from === 0 && to === numbers.length) return numbers;
  return (Array.isArray(numbers) ? numbers.slice(from, to) : (numbers as unknown as Float64Array).subarray(from, to)) as unknown as Numbers;
}

/** The points of a curve from low to high, and one on either side. */
export function within({ x, y }: Points, low: number, high: number): [ArrayLike<number>, Values] {
  if (x.length === 0) return [x, y];
  const [from, to] = [Math.max(0, indexAt(x, low) - 1), Math.min(x.length, indexAt(x, high) + 2)];
  return [part(x, from, to), part(y, from, to)];
}

/** What a curve that has no point in a column shows there; nothing behind its ends. */
function between({ x, y }: Points, at: number): number | null {
  const i = indexAt(x, at);
  if (at < x[0] || i + 1 >= x.length) return null;
  const [a, b] = [y[i], y[i + 1]];
  return isNumber(a) && isNumber(b) ? a + ((at - x[i]) / (x[i + 1] - x[i])) * (b - a) : null;
}

/** The lowest and the highest of a curve in each of `columns` stretches of low … high; equal numbers for a single one. */
function seen(curve: Points, low: number, high: number, columns: number): (number | null)[] {
  const { x, y } = curve;
  const width = (high - low) / columns;
  const out: (number | null)[] = new Array<number | null>(2 * columns).fill(null);
  let i = indexAt(x, low);
  if (x[i] < low) ++i;
  for (let c = 0; c < columns; ++c) {
    const end = low + (c + 1) * width;
    let [least, most, any] = [-1, -1, false]; // where they are
    for (; i < x.length && (x[i] < end || (c === columns - 1 && x[i] <= high)); ++i) {
      any = true;
      const v = y[i];
      if (!isNumber(v)) continue;
      if (least < 0 || v < (y[least] as number)) least = i;
      if (most < 0 || v > (y[most] as number)) most = i;
    }
    if (least >= 0) [out[2 * c], out[2 * c + 1]] = [y[Math.min(least, most)], y[Math.max(least, most)]];
    else if (!any) out[2 * c] = out[2 * c + 1] = between(curve, end - 0.5 * width);
  }
  return out;
}

/**
 * The curves as a plot of so many columns of pixels shows them from `low` to `high`, over common abscissae; null if there
 * are so few points that all of them can be drawn.
 */
export function decimate(curves: Points[], low: number, high: number, columns: number): { x: number[]; y: (number | null)[][] } | null {
  const inside = ({ x }: Points) => (x.length === 0 ? 0 : indexAt(x, high) - indexAt(x, low));
  if (!(high > low) || curves.every((curve) => inside(curve) <= crowd * columns)) return null;
  const width = (high - low) / columns;
  const x = Array.from({ length: 2 * columns }, (_, k) => low + width * (Math.floor(k / 2) + (k % 2 === 0 ? 0.25 : 0.75)));
  return { x, y: curves.map((curve) => (curve.x.length === 0 ? new Array<number | null>(2 * columns).fill(null) : seen(curve, low, high, columns))) };
}

// SPDX-License-Identifier: Apache-2.0
// Amplitudes over frequency of a channel.
import type { Channel } from "./data";
import { valueAt } from "./data";

/** In place: X_k = Σ x_j exp(−2πi jk/n), n a power of two. */
function transform(re: Float64Array, im: Float64Array): void {
  const n = re.length;
  for (let i = 1, j = 0; i < n; ++i) {
    let bit = n >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) {
      [re[i], re[j]] = [re[j], re[i]];
      [im[i], im[j]] = [im[j], im[i]];
    }
  }
  for (let length = 2; length <= n; length <<= 1) {
    const half = length >> 1;
    for (let k = 0; k < half; ++k) {
      const angle = (-2 * Math.PI * k) / length;
      const [c, s] = [Math.cos(angle), Math.sin(angle)];
      for (let i = k; i < n; i += length) {
        const [x, y] = [re[i + half] * c - im[i + half] * s, re[i + half] * s + im[i + half] * c];
        re[i + half] = re[i] - x;
        im[i + half] = im[i] - y;
        re[i] += x;
        im[i] += y;
      }
    }
  }
}

export interface Spectrum {
  frequency: Float64Array; // [Hz], without 0
  amplitude: Float64Array; // in the channel's unit: a sine of amplitude A on one of these frequencies shows A
}

/** How many equidistant points stand for a channel of n: the next power of two, within reason. */
export function spectrumPoints(n: number): number {
  return 2 ** Math.min(16, Math.max(6, Math.ceil(Math.log2(Math.max(1, n)))));
}

/** From t0 to t1 with n equidistant points, the mean taken off, with Hann's window (whose mean, 1/2, is divided out). */
export function spectrumOf(channel: Channel, t0: number, t1: number, n: number): Spectrum {
  const re = new Float64Array(n);
  const im = new Float64Array(n);
  const dt = (t1 - t0) / n;
  let mean = 0;
  for (let j = 0; j < n; ++j) mean += (re[j] = valueAt(channel, t0 + j * dt)) / n;
  for (let j = 0; j < n; ++j) re[j] = (re[j] - mean) * (0.5 - 0.5 * Math.cos((2 * Math.PI * j) / n));
  transform(re, im);
  const frequency = new Float64Array(n / 2 - 1);
  const amplitude = new Float64Array(n / 2 - 1);
  for (let k = 1; k < n / 2; ++k) {
    frequency[k - 1] = k / (t1 - t0);
    amplitude[k - 1] = (4 / n) * Math.hypot(re[k], im[k]); // 2/n of one side, and 2 of the window
  }
  return { frequency, amplitude };
}

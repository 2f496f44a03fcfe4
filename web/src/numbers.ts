// SPDX-License-Identifier: Apache-2.0
// Numbers as people read them.

const superscripts = "⁰¹²³⁴⁵⁶⁷⁸⁹";

export function format(x: number, digits = 4): string {
  if (Number.isNaN(x)) return "NaN";
  if (!Number.isFinite(x)) return x > 0 ? "∞" : "−∞";
  if (x === 0) return "0";
  const size = Math.abs(x);
  if (size >= 1e5 || size < 1e-3) {
    const [mantissa, exponent] = x.toExponential(digits - 1).split("e");
    return `${trim(mantissa)}·10${raise(Number(exponent))}`.replace("-", "−");
  }
  return String(Number(x.toPrecision(digits))).replace("-", "−");
}

function trim(text: string): string {
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

function raise(exponent: number): string {
  const text = [...String(Math.abs(exponent))].map((digit) => superscripts[Number(digit)]).join("");
  return exponent < 0 ? `⁻${text}` : text;
}

/** "m/s^2" -> "m/s²" */
export function unitText(unit: string): string {
  return unit.replace(/\^(\d)/g, (_, digit: string) => superscripts[Number(digit)]);
}

export function withUnit(x: number, unit: string, digits = 4): string {
  return unit ? `${format(x, digits)} ${unitText(unit)}` : format(x, digits);
}

/** Whole numbers with thin spaces between thousands. */
export function count(n: number): string {
  return String(Math.round(n)).replace(/\B(?=(\d{3})+(?!\d))/g, " ");
}

/** As many decimals as the span needs to move the last digit on every frame. */
export function timeText(t: number, span: number): string {
  const decimals = Math.min(9, Math.max(2, Math.ceil(3.3 - Math.log10(span || 1))));
  return t.toFixed(decimals);
}

export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  className = "",
  text = "",
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text) made.textContent = text;
  return made;
}

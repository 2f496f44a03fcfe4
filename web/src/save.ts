// SPDX-License-Identifier: Apache-2.0
// Plots as files: PNG and SVG as they are seen, CSV with every number.
import type uPlot from "uplot";
import { element } from "./numbers";

/** One curve as it is drawn. */
export interface DrawnCurve {
  label: string; // with its unit
  color: string;
  dash: number[];
  scale: string;
  x: ArrayLike<number>;
  y: ArrayLike<number | null>;
}

export function download(name: string, content: Blob | string): void {
  const blob = typeof content === "string" ? new Blob([content], { type: "text/plain" }) : content;
  const link = element("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  window.setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

const row = 16; // height of a line of the legend [px]

export function savePng(name: string, plot: uPlot, curves: DrawnCurve[], look: { paper: string; ink: string; font: string }): void {
  const source = plot.ctx.canvas;
  const ratio = source.width / plot.width;
  const canvas = element("canvas");
  canvas.width = source.width;
  canvas.height = source.height + Math.ceil(row * ratio * curves.length);
  const pen = canvas.getContext("2d");
  if (!pen) return;
  pen.fillStyle = look.paper;
  pen.fillRect(0, 0, canvas.width, canvas.height);
  pen.scale(ratio, ratio);
  pen.font = `11px ${look.font}`;
  pen.textBaseline = "middle";
  curves.forEach((curve, i) => {
    const y = row * (i + 0.5);
    pen.strokeStyle = curve.color;
    pen.lineWidth = 2;
    pen.setLineDash(curve.dash);
    pen.beginPath();
    pen.moveTo(10, y);
    pen.lineTo(32, y);
    pen.stroke();
    pen.fillStyle = look.ink;
    pen.fillText(curve.label, 40, y);
  });
  pen.setTransform(1, 0, 0, 1, 0, 0);
  pen.drawImage(source, 0, Math.ceil(row * ratio * curves.length));
  canvas.toBlob((blob) => blob && download(name, blob), "image/png");
}

const escape = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");

/** What uPlot keeps of an axis: places and texts of its ticks. */
interface DrawnAxis extends uPlot.Axis {
  _splits?: (number | null)[];
  _values?: (string | null)[];
}

export function saveSvg(name: string, plot: uPlot, curves: DrawnCurve[], look: { paper: string; ink: string; grid: string }): void {
  const top = row * curves.length;
  const { left, top: inner, width, height } = {
    left: plot.bbox.left / devicePixelRatio,
    top: plot.bbox.top / devicePixelRatio + top,
    width: plot.bbox.width / devicePixelRatio,
    height: plot.bbox.height / devicePixelRatio,
  };
  const n = (x: number) => String(Number(x.toFixed(2)));
  const parts: string[] = [];
  const text = (x: number, y: number, words: string, anchor: string, more = "") =>
    parts.push(`<text x="${n(x)}" y="${n(y)}" text-anchor="${anchor}"${more}>${escape(words)}</text>`);
  curves.forEach((curve, i) => {
    const y = row * (i + 0.5);
    parts.push(`<path d="M10 ${n(y)}H32" stroke="${curve.color}" stroke-width="2" stroke-dasharray="${curve.dash.join(" ")}"/>`);
    text(40, y + 4, curve.label, "start");
  });
  for (const axis of plot.axes as DrawnAxis[]) {
    const scale = axis.scale ?? "x";
    const across = axis.side === 0 || axis.side === 2;
    (axis._splits ?? []).forEach((value, k) => {
      const words = axis._values?.[k];
      if (value === null || !words) return;
      const at = plot.valToPos(value, scale);
      if (across) {
        parts.push(`<path d="M${n(left + at)} ${n(inner)}v${n(height)}" stroke="${look.grid}"/>`);
        text(left + at, inner + height + 16, words, "middle");
      } else {
        if (axis.side === 3) parts.push(`<path d="M${n(left)} ${n(inner + at)}h${n(width)}" stroke="${look.grid}"/>`);
        text(axis.side === 3 ? left - 6 : left + width + 6, inner + at + 4, words, axis.side === 3 ? "end" : "start");
      }
    });
    const label = typeof axis.label === "string" ? axis.label : "";
    if (!label) continue;
    if (across) text(left + width / 2, inner + height + 32, label, "middle");
    else {
      const x = axis.side === 3 ? 12 : plot.width - 8;
      text(x, inner + height / 2, label, "middle", ` transform="rotate(-90 ${n(x)} ${n(inner + height / 2)})"`);
    }
  }
  parts.push(`<clipPath id="inside"><rect x="${n(left)}" y="${n(inner)}" width="${n(width)}" height="${n(height)}"/></clipPath><g clip-path="url(#inside)">`);
  for (const curve of curves) {
    let path = "";
    let pen = "M";
    for (let i = 0; i < curve.x.length; ++i) {
      const y = curve.y[i];
      if (y === null || y === undefined || !Number.isFinite(y)) {
        pen = "M";
        continue;
      }
      path += `${pen}${n(left + plot.valToPos(curve.x[i], "x"))} ${n(inner + plot.valToPos(y, curve.scale))}`;
      pen = "L";
    }
    parts.push(`<path d="${path}" stroke="${curve.color}" stroke-width="1.6" stroke-dasharray="${curve.dash.join(" ")}" stroke-linejoin="round"/>`);
  }
  parts.push("</g>");
  download(
    name,
    new Blob(
      [
        `<svg xmlns="http://www.w3.org/2000/svg" width="${n(plot.width)}" height="${n(plot.height + top)}" font-family="sans-serif" font-size="11" fill="none">` +
          `<rect width="100%" height="100%" fill="${look.paper}"/>` +
          parts.join("\n").replaceAll("<text ", `<text fill="${look.ink}" `) +
          "</svg>\n",
      ],
      { type: "image/svg+xml" },
    ),
  );
}

/** Columns: the common abscissa, then each curve. Empty where a curve has no value there. */
export function csvOf(head: string, curves: DrawnCurve[]): string {
  const quote = (text: string) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const number = (x: number | null | undefined, exact: boolean) =>
    x === null || x === undefined || !Number.isFinite(x) ? "" : String(exact ? x : Number(x.toPrecision(9)));
  const places = [...new Set(curves.flatMap((curve) => Array.from(curve.x)))].sort((a, b) => a - b);
  const columns = curves.map((curve) => new Map(Array.from(curve.x, (x, i) => [x, curve.y[i]] as const)));
  const exact = curves.map((curve) => !(curve.y instanceof Float32Array));
  const lines = [[head, ...curves.map((curve) => curve.label)].map(quote).join(",")];
  for (const x of places) lines.push([number(x, true), ...columns.map((column, c) => number(column.get(x), exact[c]))].join(","));
  return `${lines.join("\n")}\n`;
}

// SPDX-License-Identifier: Apache-2.0
// The page of a sweep (`trammel sweep --report`): the table of its cases, any column over another, links to their pages.
import { axisTexts, calmRange, extentOf } from "./axes";
import { element, format } from "./numbers";
import { curveColors } from "./plots";

interface SweepCase {
  cells: string[];
  results: string; // file names beside the page; empty: there are none
  page: string;
  ended: boolean;
}

export interface SweepHeader {
  title: string;
  model_file: string;
  columns: string[];
  n_settings: number;
  cases: SweepCase[];
}

const width = 420;
const height = 270;
const edge = { left: 64, right: 14, top: 12, bottom: 40 };

/** 1, 2 or 5 × 10ⁿ apart, within the range. */
function ticks(low: number, high: number): number[] {
  const rough = (high - low) / 5;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((digit) => digit * power).find((s) => s >= rough) ?? 10 * power;
  const found: number[] = [];
  for (let x = Math.ceil(low / step - 1e-9) * step; x <= high * (1 + 1e-12) + 1e-9 * step; x += step) found.push(x);
  return found;
}

export class SweepPage {
  private readonly root = element("div", "sweep");
  private readonly numbers: number[][]; // of each case and column; NaN: a text
  private readonly numeric: number[]; // columns with numbers
  private readonly plots = element("div", "scatters");
  private readonly table = element("table", "cases");
  private readonly command = element("code", "command");
  private readonly chosen = new Set<number>();
  private readonly shown: { y: number }[] = [];
  private x = 0;
  private color = -1;
  private sorted: { column: number; down: boolean } = { column: -1, down: false };
  private dark = window.matchMedia("(prefers-color-scheme: dark)").matches;

  constructor(readonly sweep: SweepHeader) {
    const number = (text: string | undefined) => (text === undefined || text.trim() === "" ? NaN : Number(text));
    this.numbers = sweep.cases.map((one) => sweep.columns.map((_, k) => number(one.cells[k])));
    this.numeric = sweep.columns.map((_, k) => k).filter((k) => this.numbers.some((row) => Number.isFinite(row[k])));
    const varies = (k: number) => new Set(sweep.cases.map((one) => one.cells[k])).size > 1;
    const settings = this.numeric.filter((k) => k < sweep.n_settings && varies(k));
    this.x = settings[0] ?? this.numeric[0] ?? 0;
    this.color = settings[1] ?? -1;
    const measures = this.numeric.filter((k) => k >= sweep.n_settings && sweep.columns[k].endsWith(" max") && varies(k));
    const costs = this.numeric.filter((k) => ["steps", "wall_time"].includes(sweep.columns[k]));
    for (const y of [...measures, ...costs].slice(0, 3)) this.shown.push({ y });
    this.setTheme(this.dark);
    this.root.append(this.makeHeader(), this.makeControls(), this.plots, this.makeTools(), this.table);
    document.getElementById("app")?.replaceChildren(this.root);
    this.draw();
    this.fillTable();
  }

  private setTheme(dark: boolean): void {
    this.dark = dark;
    document.documentElement.dataset.theme = dark ? "dark" : "light";
  }

  private makeHeader(): HTMLElement {
    const header = element("header");
    const failed = this.sweep.cases.filter((one) => !one.ended).length;
    const words = `${this.sweep.cases.length} cases${failed > 0 ? `, ${failed} did not reach their end` : ""}`;
    header.append(element("h1", "", this.sweep.title), element("p", "subtitle", `${this.sweep.model_file} · ${words}`), element("span", "space"));
    const theme = element("button", "icon", "◐");
    theme.title = "Dark or light";
    theme.setAttribute("aria-label", theme.title);
    theme.addEventListener("click", () => this.setTheme(!this.dark));
    header.append(theme);
    return header;
  }

  private choice(title: string, value: number, columns: number[], change: (column: number) => void, none = ""): HTMLElement {
    const label = element("label", "", `${title} `);
    const select = element("select");
    select.setAttribute("aria-label", title);
    for (const k of none ? [-1, ...columns] : columns) {
      const option = element("option", "", k < 0 ? none : this.sweep.columns[k]);
      option.value = String(k);
      select.append(option);
    }
    select.value = String(value);
    select.addEventListener("change", () => change(Number(select.value)));
    label.append(select);
    return label;
  }

  private makeControls(): HTMLElement {
    const bar = element("div", "toolbar");
    bar.append(
      this.choice("over", this.x, this.numeric, (k) => {
        this.x = k;
        this.draw();
      }),
      this.choice(
        "coloured by",
        this.color,
        this.sweep.columns.map((_, k) => k).filter((k) => k < this.sweep.n_settings || this.numeric.includes(k)),
        (k) => {
          this.color = k;
          this.draw();
        },
        "nothing",
      ),
    );
    const add = element("button", "", "+ Plot");
    add.addEventListener("click", () => {
      this.shown.push({ y: this.numeric[this.numeric.length - 1] ?? 0 });
      this.draw();
    });
    bar.append(add, element("span", "hint", "a click on a point opens the page of its case"));
    return bar;
  }

  /** Each value of what colours are of, in its order. */
  private colors(): { of: (row: number) => string; legend: [string, string][] } {
    if (this.color < 0) return { of: () => curveColors[0], legend: [] };
    const values = [...new Set(this.sweep.cases.map((one) => one.cells[this.color] ?? ""))];
    if (values.length <= curveColors.length) {
      const of = (text: string) => curveColors[values.indexOf(text) % curveColors.length];
      return { of: (row) => of(this.sweep.cases[row].cells[this.color] ?? ""), legend: values.map((text) => [text, of(text)]) };
    }
    const extent = extentOf(this.numbers.map((row) => row[this.color])) ?? { low: 0, high: 1 };
    const shade = (x: number) => `hsl(${(250 - (230 * (x - extent.low)) / (extent.high - extent.low || 1)).toFixed(0)} 70% 50%)`;
    return {
      of: (row) => (Number.isFinite(this.numbers[row][this.color]) ? shade(this.numbers[row][this.color]) : "#8d939c"),
      legend: [extent.low, 0.5 * (extent.low + extent.high), extent.high].map((x) => [format(x, 3), shade(x)]),
    };
  }

  draw(): void {
    const colors = this.colors();
    this.plots.replaceChildren(...this.shown.map((plot) => this.scatter(plot, colors)));
    if (colors.legend.length > 0 && this.shown.length > 0) {
      const legend = element("p", "legend");
      legend.append(element("span", "hint", this.sweep.columns[this.color]));
      for (const [text, color] of colors.legend) {
        const item = element("span", "legend-item");
        const chip = element("i", "chip");
        chip.style.background = color;
        item.append(chip, text);
        legend.append(item);
      }
      this.plots.append(legend);
    }
  }

  private scatter(plot: { y: number }, colors: { of: (row: number) => string }): HTMLElement {
    const box = element("figure");
    const head = element("div", "panel-head");
    const close = element("button", "icon", "×");
    close.title = "Remove this plot";
    close.setAttribute("aria-label", close.title);
    close.addEventListener("click", () => {
      this.shown.splice(this.shown.indexOf(plot), 1);
      this.draw();
    });
    head.append(
      this.choice("", plot.y, this.numeric, (k) => {
        plot.y = k;
        this.draw();
      }),
      close,
    );
    head.querySelector("select")?.setAttribute("aria-label", "What is drawn");
    const rows = this.numbers.map((row, i) => ({ i, x: row[this.x], y: row[plot.y] })).filter(({ x, y }) => Number.isFinite(x + y));
    const [ex, ey] = [extentOf(rows.map((row) => row.x)), extentOf(rows.map((row) => row.y))];
    const [x0, x1] = calmRange(ex?.low ?? null, ex?.high ?? null) as [number, number];
    const [y0, y1] = calmRange(ey?.low ?? null, ey?.high ?? null) as [number, number];
    const px = (x: number) => edge.left + ((x - x0) / (x1 - x0)) * (width - edge.left - edge.right);
    const py = (y: number) => height - edge.bottom - ((y - y0) / (y1 - y0)) * (height - edge.top - edge.bottom);
    const escape = (text: string) => text.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);
    const [tx, ty] = [ticks(x0, x1), ticks(y0, y1)];
    const parts = [
      ...tx.map((x, k) => `<line class="grid" x1="${px(x)}" x2="${px(x)}" y1="${edge.top}" y2="${height - edge.bottom}"/><text x="${px(x)}" y="${height - edge.bottom + 14}" text-anchor="middle">${axisTexts(tx)[k]}</text>`),
      ...ty.map((y, k) => `<line class="grid" x1="${edge.left}" x2="${width - edge.right}" y1="${py(y)}" y2="${py(y)}"/><text x="${edge.left - 6}" y="${py(y) + 4}" text-anchor="end">${axisTexts(ty)[k]}</text>`),
      `<text class="label" x="${0.5 * (edge.left + width - edge.right)}" y="${height - 6}" text-anchor="middle">${escape(this.sweep.columns[this.x])}</text>`,
      ...rows.map(({ i, x, y }) => {
        const one = this.sweep.cases[i];
        const title = `case ${i + 1}: ${this.sweep.columns[this.x]} = ${format(x)}, ${this.sweep.columns[plot.y]} = ${format(y)}`;
        const dot = `<circle data-case="${i + 1}" cx="${px(x).toFixed(1)}" cy="${py(y).toFixed(1)}" r="4.5" fill="${colors.of(i)}"${one.ended ? "" : ' class="failed"'}><title>${escape(title)}</title></circle>`;
        return one.page ? `<a href="${escape(encodeURI(one.page))}">${dot}</a>` : dot;
      }),
    ];
    const drawing = element("div");
    drawing.innerHTML = `<svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${escape(`${this.sweep.columns[plot.y]} over ${this.sweep.columns[this.x]}`)}">${parts.join("")}</svg>`;
    box.append(head, drawing);
    return box;
  }

  private makeTools(): HTMLElement {
    const bar = element("div", "toolbar");
    bar.append(element("span", "hint", "Cases that are ticked, laid over each other:"), this.command);
    this.tellCommand();
    return bar;
  }

  private tellCommand(): void {
    const files = [...this.chosen].sort((a, b) => a - b).map((i) => this.sweep.cases[i].results);
    this.command.textContent = files.length > 0 ? `trammel report ${files.join(" ")} -o compared.html` : "trammel report …";
  }

  private fillTable(): void {
    const { column, down } = this.sorted;
    const order = this.sweep.cases.map((_, i) => i);
    if (column >= 0)
      order.sort((a, b) => {
        const [x, y] = [this.numbers[a][column], this.numbers[b][column]];
        const by = Number.isFinite(x) && Number.isFinite(y) ? x - y : (this.sweep.cases[a].cells[column] ?? "").localeCompare(this.sweep.cases[b].cells[column] ?? "");
        return down ? -by : by;
      });
    const head = element("tr");
    head.append(element("th"), element("th", "", "case"));
    this.sweep.columns.forEach((name, k) => {
      const cell = element("th");
      const button = element("button", "sort", `${name}${k === column ? (down ? " ▾" : " ▴") : ""}`);
      button.title = `Sort by ${name}`;
      button.addEventListener("click", () => {
        this.sorted = { column: k, down: k === column && !down };
        this.fillTable();
      });
      cell.append(button);
      head.append(cell);
    });
    this.table.replaceChildren(head, ...order.map((i) => this.row(i)));
  }

  private row(i: number): HTMLElement {
    const one = this.sweep.cases[i];
    const row = element("tr", one.ended ? "" : "failed");
    const tick = element("td");
    if (one.results) {
      const box = element("input");
      box.type = "checkbox";
      box.checked = this.chosen.has(i);
      box.setAttribute("aria-label", `Compare case ${i + 1}`);
      box.addEventListener("change", () => {
        if (box.checked) this.chosen.add(i);
        else this.chosen.delete(i);
        this.tellCommand();
      });
      tick.append(box);
    }
    const name = element("td");
    const link = (file: string, text: string) => {
      const made = element("a", "", text);
      made.href = encodeURI(file);
      return made;
    };
    if (one.page) name.append(link(one.page, String(i + 1)));
    else if (one.results) name.append(link(one.results, `${i + 1} (${one.results})`));
    else name.textContent = String(i + 1);
    row.append(tick, name);
    this.sweep.columns.forEach((_, k) => {
      const x = this.numbers[i][k];
      row.append(element("td", "", Number.isFinite(x) ? format(x, 6) : (one.cells[k] ?? "")));
    });
    return row;
  }
}

// SPDX-License-Identifier: Apache-2.0
// Plots of channels, linked to the player and to each other.
import type { Channel, Report, Run } from "./data";
import { timeLineOf } from "./data";
import { extentOf } from "./axes";
import { runColors } from "./drawing";
import { element } from "./numbers";
import type { Curve } from "./panel";
import { PlotPanel } from "./panel";
import type { Player } from "./player";

export const curveColors = ["#3b82d6", "#e07a2c", "#2fa36b", "#c2559a", "#8470d8", "#b3922a", "#3aa7bd", "#c95f4a"];
const dashes = [[], [7, 4], [2, 3], [9, 3, 2, 3]];

/** A panel, what it shows, and over what: time unless it is told otherwise. */
interface Entry {
  panel: PlotPanel;
  names: string[];
  spectrum: boolean;
  over: string; // a channel's name
}

/** What a panel shows, so that another page goes on with it. */
export interface PlotState {
  names: string[];
  spectrum: boolean;
  over: string;
}

/** Several panels that zoom together. */
export class PlotArea {
  readonly element = element("div", "plots");
  private readonly panels: Entry[] = [];
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

  addPanel(names: string[], over = ""): void {
    const more = element("button", "icon", "+");
    more.title = "Add a channel to this plot";
    const menu = element("details", "menu");
    const close = element("button", "icon", "×");
    close.title = "Remove this plot";
    const panel = new PlotPanel(this.player, { height: 205 }, [more, menu, close]);
    const entry: Entry = { panel, names: [...names], spectrum: false, over };
    more.addEventListener("click", () =>
      this.pick("Add a channel to this plot", (name) => {
        if (!entry.names.includes(name)) entry.names.push(name);
        this.fill(entry);
      }),
    );
    this.fillMenu(menu, entry);
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

  /** What else a plot can do. */
  private fillMenu(menu: HTMLDetailsElement, entry: Entry): void {
    const summary = element("summary", "icon", "▾");
    summary.title = "Abscissa, saving";
    summary.setAttribute("aria-label", summary.title);
    const list = element("div", "menu-list");
    const item = (label: string, title: string, act: () => void) => {
      const button = element("button", "", label);
      button.title = title;
      button.addEventListener("click", () => {
        menu.open = false;
        act();
      });
      list.append(button);
    };
    const show = (spectrum: boolean, over: string) => {
      Object.assign(entry, { spectrum, over });
      this.fill(entry);
    };
    item("Over time", "Draw the channels over time", () => show(false, ""));
    item("Spectrum", "Amplitudes over frequency, of the stretch of time that is shown", () => show(true, ""));
    item("Over a channel …", "Draw the channels over another one", () =>
      this.pick("Draw over this channel", (name) => show(false, name)),
    );
    for (const kind of ["png", "svg", "csv"] as const)
      item(`Save ${kind.toUpperCase()}`, kind === "csv" ? "The numbers of this plot" : "This plot as a picture", () => entry.panel.save(kind));
    menu.append(summary, list);
    document.addEventListener("pointerdown", (event) => {
      if (menu.open && !menu.contains(event.target as Node)) menu.open = false;
    });
  }

  private fill(entry: Entry): void {
    const curves = curvesOf(this.report.runs, entry.names, this.difference && !entry.over, entry.over);
    entry.panel.set(curves, entry.over ? "channel" : entry.spectrum ? "frequency" : "time");
  }

  zoom(min: number, max: number): void {
    for (const { panel } of this.panels) panel.setZoom(min, max);
  }

  get state(): PlotState[] {
    return this.panels.map(({ names, spectrum, over }) => ({ names: [...names], spectrum, over }));
  }
  set state(panels: PlotState[]) {
    for (const { panel } of this.panels) panel.element.remove();
    this.panels.length = 0;
    for (const { names, spectrum, over } of panels) {
      this.addPanel(names, over);
      const entry = this.panels[this.panels.length - 1];
      if (spectrum) Object.assign(entry, { spectrum }), this.fill(entry);
    }
  }

  /** For scripts and tests. */
  get shown(): PlotPanel[] {
    return this.panels.map(({ panel }) => panel);
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
export function curvesOf(runs: Run[], names: string[], difference: boolean, over = ""): Curve[] {
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
        ...(over ? { over: run.channel(over) ?? channel } : {}),
        ...(difference ? {} : errorOf(run, name)),
      });
    }
  });
  return curves;
}

/** A measure `NAME_error` says how far `NAME` may be off: it is drawn as a band about it. */
function errorOf(run: Run, name: string): { error?: Channel } {
  const error = name.startsWith("measures.") ? run.channel(`${name}_error`) : null;
  return error && error.values.length > 0 ? { error } : {};
}

/** Without channels that stay constant beside others that move. */
function movingOnly(run: Run, names: string[]): string[] {
  const spans = names.map((name) => {
    const extent = extentOf(run.channel(name)?.values ?? []);
    return extent ? extent.high - extent.low : -1;
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
  if (timeLineOf(run).load) panels.push(named("load")); // along a path the load may fall
  const measures = named("measure");
  panels.push(...byUnit(measures.filter((name) => !(name.endsWith("_error") && measures.includes(name.slice(0, -6))))).slice(0, 3));
  if (panels.length === 0) panels.push(...byUnit(named("point").slice(0, 3)).slice(0, 1));
  if (panels.length === 0) panels.push(...byUnit([...named("angle").slice(0, 6), ...named("displacement").slice(0, 6)]).slice(0, 2));
  if (panels.length === 0) panels.push(named("position").slice(0, 3));
  const energy = named("energy").filter((name) => /kinetic|potential|total/.test(name));
  if (energy.length > 0) panels.push(energy);
  const drift = named("energy").filter((name) => name.endsWith("drift"));
  if (drift.length > 0) panels.push(drift);
  return panels.map((names) => movingOnly(run, names)).filter((names) => names.some((name) => (run.channel(name)?.values.length ?? 0) > 0));
}

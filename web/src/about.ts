// SPDX-License-Identifier: Apache-2.0
// What the run was: how it ended, its settings, its model; and what several runs differ in.
import type { Report, Run } from "./data";
import { numberOf, textOf } from "./data";
import { runColors } from "./drawing";
import { count, element, format, unitText } from "./numbers";

const first = ["stop", "failure", "integrator", "formulation", "linear_solver", "steps", "iterations", "wall_time"];

/** How the texts of alarms begin. */
export const alarmWord = "Alarm: ";

/** What the page does not carry exactly, in plain words; empty if it carries everything. */
export function losses(run: Run): string[] {
  const notes: string[] = [];
  const h = run.header;
  if (h.state) notes.push(`The results were ${h.state}: they may be incomplete.`);
  for (const [key, value] of Object.entries(h.summary)) if (key.startsWith("alarm_")) notes.push(`${alarmWord}${value}`);
  if (h.n_frames === 0 && !run.modes) notes.push("No frames were recorded.");
  if (h.not_finite)
    notes.push(`${h.not_finite.channel} is not a finite number from t = ${format(h.not_finite.time, 6)} s on.`);
  const a = run.animation;
  if (a && a.stride > 1)
    notes.push(`The animation shows ${count(a.times.length)} of ${count(h.n_frames)} frames and draws straight lines between them.`);
  if (a?.quantised) notes.push("Positions in the animation are rounded to 16 bits of each body's own range.");
  if (h.stride > 1) {
    const carried = h.groups.some((group) => group.values);
    notes.push(
      carried
        ? `${h.complete.length} channels are complete; of the others every ${h.stride}th frame is here.`
        : `${h.complete.length} channels are complete; the others are not in this report (trammel report --channel NAME).`,
    );
  }
  return notes;
}

function summaryTable(run: Run): HTMLElement {
  const table = element("table", "summary");
  const keys = Object.keys(run.header.summary);
  const ordered = [...first.filter((key) => keys.includes(key)), ...keys.filter((key) => !first.includes(key))];
  const add = (key: string, value: string) => {
    const row = element("tr");
    row.append(element("th", "", key.replaceAll("_", " ")), element("td", "", value));
    table.append(row);
  };
  for (const key of ordered) {
    const value = run.header.summary[key];
    add(key, typeof value === "number" ? format(value, 6) : value === null ? "not finite" : String(value));
  }
  if (run.modes) return table;
  if (keys.length === 0) add("summary", "none: the run did not end");
  add("frames", count(run.header.n_frames));
  return table;
}

function fold(title: string, text: string): HTMLElement {
  const box = element("details");
  box.append(element("summary", "", title), element("pre", "", text));
  return box;
}

export function aboutPage(report: Report): HTMLElement {
  const page = element("div", "about");
  for (const run of report.runs) {
    const h = run.header;
    const title = element("h3", "", report.runs.length > 1 ? run.label : h.title || h.label);
    if (report.runs.length > 1) title.style.color = runColors[run.index % runColors.length];
    page.append(title);
    const made = [h.file, h.model_file, h.created.replace("T", " ").replace("Z", " UTC"), h.trammel_version && `trammel ${h.trammel_version}`];
    page.append(element("p", "facts", made.filter(Boolean).join(" · ")));
    for (const note of losses(run)) page.append(element("p", "notice", note));
    page.append(summaryTable(run));
    if (h.command) page.append(fold("Command", h.command));
    if (h.settings) page.append(fold("Settings", h.settings));
    if (h.model) page.append(fold("Model file", h.model));
  }
  return page;
}

/** "[solver] h = 1e-3" lines of a TOML text, by key. */
function settingsOf(run: Run): Map<string, string> {
  const settings = new Map<string, string>();
  let section = "";
  for (const line of run.header.settings.split("\n")) {
    const head = line.match(/^\s*\[([^\]]+)\]/);
    if (head) section = `${head[1]}.`;
    const pair = line.match(/^\s*([A-Za-z_][\w.]*)\s*=\s*([^#]*)/);
    if (pair) settings.set(section + pair[1], pair[2].trim());
  }
  return settings;
}

const costs: [string, string][] = [
  ["steps", "steps"],
  ["rejected_error", "rejected by the error test"],
  ["rejected_newton", "rejected by Newton"],
  ["iterations", "Newton iterations"],
  ["linearizations", "Jacobians"],
  ["factorizations", "factorizations"],
  ["wall_time", "computing time [s]"],
  ["energy_drift", "largest energy drift [J]"],
  ["position_drift", "largest constraint drift"],
  ["velocity_drift", "largest velocity drift"],
  ["condition_max", "largest condition number"],
];

/** What several runs differ in, and what it cost. */
export function comparePage(report: Report): HTMLElement {
  const page = element("div", "compare");
  const table = element("table", "compare-table");
  const row = (label: string, texts: string[], kind = "") => {
    const tr = element("tr", kind);
    tr.append(element("th", "", label));
    for (const text of texts) tr.append(element("td", "", text));
    table.append(tr);
    return tr;
  };
  const head = row("", report.runs.map((run) => run.label), "head");
  report.runs.forEach((run, i) => {
    (head.children[i + 1] as HTMLElement).style.color = runColors[run.index % runColors.length];
  });
  const settings = report.runs.map(settingsOf);
  const keys = [...new Set(settings.flatMap((map) => [...map.keys()]))];
  const different = keys.filter((key) => new Set(settings.map((map) => map.get(key) ?? "")).size > 1);
  row("Settings that differ", report.runs.map(() => ""), "section");
  for (const key of different) row(key, settings.map((map) => map.get(key) ?? "–"));
  const models = new Set(report.runs.map((run) => run.header.model));
  if (models.size > 1) row("model", report.runs.map((run) => run.header.model_file || run.header.file));
  const commands = new Set(report.runs.map((run) => run.header.command));
  if (different.length === 0 && commands.size > 1) row("command", report.runs.map((run) => run.header.command));
  if (different.length === 0 && models.size === 1 && commands.size === 1) row("none", report.runs.map(() => "the same"));
  row("What it cost", report.runs.map(() => ""), "section");
  for (const [key, label] of costs) {
    const values = report.runs.map((run) => numberOf(run, key));
    if (values.some((value) => value)) row(label, values.map((value) => (Number.isNaN(value) ? "–" : format(value, 4))));
  }
  row("How it ended", report.runs.map((run) => textOf(run, "stop") || "did not end"), "");
  page.append(table);
  page.append(differences(report));
  return page;
}

/** Largest difference of each quantity to the first run, at the frames of each. */
function differences(report: Report): HTMLElement {
  const reference = report.runs[0];
  const table = element("table", "compare-table");
  const head = element("tr", "head");
  head.append(element("th", "", `Largest difference to ${reference.label}`));
  for (const run of report.runs.slice(1)) {
    const cell = element("td", "", run.label);
    cell.style.color = runColors[run.index % runColors.length];
    head.append(cell);
  }
  table.append(head);
  for (const quantity of ["position", "velocity", "angular_velocity", "acceleration", "reaction_force", "measure", "energy"]) {
    const row = element("tr");
    const group = reference.quantity(quantity);
    if (!group) continue;
    row.append(element("th", "", `${quantity.replaceAll("_", " ")}${group.unit ? ` [${unitText(group.unit)}]` : ""}`));
    let any = false;
    for (const run of report.runs.slice(1)) {
      let most = -1;
      let where = "";
      for (const [name] of run.channels) {
        const a = run.channel(name);
        if (!a || a.quantity !== quantity || a.solver || a.values.length === 0) continue;
        const b = reference.channel(name);
        if (!b || b.values.length === 0) continue;
        let j = 0;
        for (let i = 0; i < a.times.length; ++i) {
          const t = a.times[i];
          if (t > b.times[b.times.length - 1]) break;
          while (j + 1 < b.times.length && b.times[j + 1] <= t) ++j;
          const next = Math.min(j + 1, b.times.length - 1);
          const span = b.times[next] - b.times[j];
          const other = b.values[j] + (span > 0 ? ((t - b.times[j]) / span) * (b.values[next] - b.values[j]) : 0);
          const d = Math.abs(a.values[i] - other);
          if (d > most) {
            most = d;
            where = `${name} at ${format(t, 4)} s`;
          }
        }
      }
      const cell = element("td", "", most >= 0 ? format(most, 3) : "–");
      if (most > 0) cell.append(element("small", "", where));
      any ||= most >= 0;
      row.append(cell);
    }
    if (any) table.append(row);
  }
  return table;
}

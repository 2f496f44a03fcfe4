// SPDX-License-Identifier: Apache-2.0
// The solver's story: where the run went easily, where it struggled, and why.
import type { Report, Run } from "./data";
import { numberOf, textOf } from "./data";
import { element, count, format, withUnit } from "./numbers";
import type { Curve } from "./panel";
import { PlotPanel } from "./panel";
import { curveColors } from "./plots";
import { runColors } from "./drawing";
import type { Player } from "./player";

interface Trouble {
  from: number;
  to: number;
  steps: number;
  attempts: number;
  failed: boolean; // Newton's iteration did not converge somewhere; else the error test did its work
  reason: string;
}

/** "…: 0 none, 1 a value is not finite, 2 …" -> what each code means. */
function reasonsOf(run: Run): Map<number, string> {
  const reasons = new Map<number, string>();
  const text = run.channel("solver.failure")?.description ?? "";
  for (const match of text.matchAll(/(?:^|[:,]\s)(\d+) ([^]*?)(?=, \d+ |$)/g)) reasons.set(Number(match[1]), match[2]);
  return reasons;
}

/** Steps that needed more than one attempt, neighbours with the same reason taken together. */
export function troublesOf(run: Run): Trouble[] {
  const failure = run.channel("solver.failure");
  if (!failure) return [];
  const errors = run.channel("solver.rejected_error");
  const newton = run.channel("solver.rejected_newton");
  const reasons = reasonsOf(run);
  const near = (run.end - run.start) / 100;
  const found: Trouble[] = [];
  for (let i = 0; i < failure.values.length; ++i) {
    const code = failure.values[i];
    if (!(code > 0)) continue;
    const t = failure.times[i];
    const attempts = (errors?.values[i] ?? 0) + (newton?.values[i] ?? 0);
    const failed = newton ? newton.values[i] > 0 : true;
    const reason = reasons.get(code) ?? `reason ${code}`;
    const last = found[found.length - 1];
    if (last && last.reason === reason && t - last.to < near) {
      last.to = t;
      last.steps += 1;
      last.attempts += attempts;
      last.failed ||= failed;
    } else found.push({ from: t, to: t, steps: 1, attempts, failed, reason });
  }
  return found;
}

/** From when on a method moved the machine. */
export interface MethodStretch {
  from: number;
  to: number;
  name: string;
  phase: string;
}

/** Which method took the run where: by its phases and by the changes that the run itself made. */
export function methodsOf(run: Run): MethodStretch[] {
  const texts = (prefix: string) => {
    const found: string[] = [];
    for (let i = 1; textOf(run, `${prefix}_${i}`); ++i) found.push(textOf(run, `${prefix}_${i}`));
    return found;
  };
  const plain = (word: string) => word.replace(/, then .*/, "").replaceAll("_", " ");
  const stretches: MethodStretch[] = [];
  for (const text of texts("phase")) {
    const match = text.match(/^'(.*)', t = (\S+) … (\S+) s: (.+?) on /);
    if (match) stretches.push({ from: Number(match[2]), to: Number(match[3]), name: plain(match[4]), phase: match[1] });
  }
  if (stretches.length === 0) stretches.push({ from: run.start, to: run.end, name: plain(textOf(run, "integrator")), phase: "" });
  for (const text of texts("method_change")) {
    const match = text.match(/^t = (\S+) s: (.+)$/);
    if (!match) continue;
    const t = Number(match[1]);
    const i = stretches.findIndex((one, k) => t >= one.from && (t < one.to || k === stretches.length - 1));
    if (i < 0) continue;
    const next = { ...stretches[i], from: t, name: plain(match[2]) };
    stretches[i].to = t;
    stretches.splice(i + 1, 0, next);
  }
  return stretches.filter((one) => one.name && one.to > one.from);
}

/** A line of the whole run with the methods that took it; nothing if there was but one. */
function methodLine(run: Run, player: Player): HTMLElement | null {
  const stretches = methodsOf(run);
  if (stretches.length < 2) return null;
  const box = element("section", "method-line");
  box.append(element("h3", "", "Methods along the run"));
  const names = [...new Set(stretches.map((one) => one.name))];
  const bar = element("div", "method-bar");
  const span = run.end - run.start || 1;
  for (const one of stretches) {
    const part = element("button");
    part.style.left = `${(100 * (one.from - run.start)) / span}%`;
    part.style.width = `max(3px, ${(100 * (one.to - one.from)) / span}%)`;
    part.style.background = curveColors[names.indexOf(one.name) % curveColors.length];
    part.title = `${one.name}${one.phase ? ` (phase ${one.phase})` : ""}: t = ${format(one.from)} … ${format(one.to)} s`;
    part.setAttribute("aria-label", part.title);
    part.addEventListener("click", () => player.seek(one.from));
    bar.append(part);
  }
  const legend = element("p", "legend");
  for (const name of names) {
    const item = element("span", "legend-item");
    const chip = element("i", "chip");
    chip.style.background = curveColors[names.indexOf(name) % curveColors.length];
    item.append(chip, name);
    legend.append(item);
  }
  box.append(bar, legend);
  return box;
}

function card(title: string, value: string, note = ""): HTMLElement {
  const made = element("div", "card");
  made.append(element("span", "card-title", title), element("b", "card-value", value));
  if (note) made.append(element("span", "card-note", note));
  return made;
}

function cards(run: Run): HTMLElement {
  const box = element("div", "cards");
  const words = (key: string) => textOf(run, key).replaceAll("_", " ");
  const steps = numberOf(run, "steps");
  const rejected = numberOf(run, "rejected_error") + numberOf(run, "rejected_newton");
  box.append(card("Method", words("integrator") || "–", words("formulation")));
  if (steps > 0) {
    box.append(card("Steps", count(steps), `h ${format(numberOf(run, "h_min"), 2)} … ${format(numberOf(run, "h_max"), 2)} s`));
    box.append(
      card(
        "Newton iterations",
        count(numberOf(run, "iterations")),
        `${(numberOf(run, "iterations") / steps).toFixed(1)} per step`,
      ),
    );
    box.append(card("Jacobians", count(numberOf(run, "linearizations")), `${count(numberOf(run, "factorizations"))} factorizations`));
    box.append(card("Rejected attempts", count(rejected), rejected > 0 ? `${((100 * rejected) / (steps + rejected)).toFixed(1)} % of all` : "none"));
  }
  const time = numberOf(run, "wall_time"), condition = numberOf(run, "condition_max");
  if (!Number.isNaN(time)) box.append(card("Computing time", withUnit(time, "s", 3), words("linear_solver")));
  if (condition > 0) box.append(card("Condition number", format(condition, 3), "largest"));
  return box;
}

function troubleTable(run: Run, player: Player): HTMLElement {
  const troubles = troublesOf(run);
  const box = element("section", "troubles");
  box.append(element("h3", "", "Where it struggled"));
  if (troubles.length === 0) {
    const failed = textOf(run, "failure");
    box.append(
      element(
        "p",
        "calm",
        failed ? "No step was repeated before the end." : "Nowhere: every step was accepted at its first attempt.",
      ),
    );
    return box;
  }
  const byReason = new Map<string, number>();
  for (const trouble of troubles) byReason.set(trouble.reason, (byReason.get(trouble.reason) ?? 0) + trouble.steps);
  const reasons = [...byReason].sort((a, b) => b[1] - a[1]);
  const total = reasons.reduce((sum, [, steps]) => sum + steps, 0);
  const words = reasons.map(([reason, steps]) => (reasons.length > 1 ? `${reason} (${count(steps)})` : reason));
  box.append(element("p", "calm", `${count(total)} ${total === 1 ? "step was" : "steps were"} repeated: ${words.join("; ")}.`));
  const worst = [...troubles].sort((a, b) => b.attempts - a.attempts).slice(0, 8);
  worst.sort((a, b) => a.from - b.from);
  const table = element("table");
  const head = element("tr");
  for (const title of ["time", "steps", "attempts lost", "reason"]) head.append(element("th", "", title));
  table.append(head);
  for (const trouble of worst) {
    const row = element("tr", trouble.failed ? "link failed" : "link");
    const when =
      trouble.from === trouble.to
        ? `${format(trouble.from)} s`
        : `${format(trouble.from)} … ${format(trouble.to)} s`;
    for (const text of [when, String(trouble.steps), String(trouble.attempts), trouble.reason])
      row.append(element("td", "", text));
    row.tabIndex = 0;
    row.title = "Go to that time";
    row.addEventListener("click", () => player.seek(trouble.from));
    row.addEventListener("keydown", (event) => {
      if (event.key === "Enter") player.seek(trouble.from);
    });
    table.append(row);
  }
  box.append(table);
  if (troubles.length > worst.length)
    box.append(element("p", "hint", `The ${worst.length} worst of ${troubles.length} stretches.`));
  return box;
}

export class SolverStory {
  readonly element = element("div", "story");
  private readonly panels: PlotPanel[] = [];

  constructor(
    private readonly report: Report,
    private readonly player: Player,
  ) {
    for (const run of report.runs) {
      const box = element("section");
      if (report.runs.length > 1) {
        const title = element("h3", "", run.label);
        title.style.color = runColors[run.index % runColors.length];
        box.append(title);
      }
      const failure = textOf(run, "failure"), stop = textOf(run, "stop");
      if (failure) box.append(element("pre", "failure", failure));
      else if (stop) box.append(element("p", "stop", `Stopped: ${stop}`));
      box.append(cards(run));
      if (textOf(run, "choice")) box.append(element("p", "calm", `Method chosen by the program: ${textOf(run, "choice")}.`));
      const line = methodLine(run, player);
      if (line) box.append(line);
      box.append(troubleTable(run, player));
      this.element.append(box);
    }
    if (report.runs.every((run) => run.solverTimes.length === 0)) {
      this.element.append(element("p", "calm", "No integrator steps were recorded."));
      return;
    }
    this.add("Step size", ["solver.h"], { log: true });
    this.add("Order of the formula", ["solver.order"], { steps: true }, true);
    this.add("Newton iterations per step", ["solver.iterations"], { steps: true });
    this.add("New Jacobians and factorizations", ["solver.linearizations", "solver.factorizations"], { steps: true });
    this.add("Rejected attempts", ["solver.rejected_error", "solver.rejected_newton"], { steps: true }, true);
    this.add("Local error / tolerance", ["solver.error"], { log: true });
    this.add("Condition number of the iteration matrix", ["solver.condition"], { log: true });
    const stretched = report.runs.find((run) => run.header.solver.stretch > 1);
    if (stretched)
      this.element.append(
        element("p", "hint", `Long run: each stretch of ${stretched.header.solver.stretch} steps is shown by its smallest and largest values.`),
      );
  }

  /** `if_changing`: shown only if there is anything to see. */
  private add(title: string, names: string[], how: { log?: boolean; steps?: boolean }, if_changing = false): void {
    const curves: Curve[] = [];
    names.forEach((name, n) => {
      for (const run of this.report.runs) {
        const channel = run.channel(name);
        if (!channel || channel.values.length === 0) continue;
        const several = this.report.runs.length > 1;
        const values = channel.values;
        const constant = values.every((x) => x === values[0]);
        if (constant && (if_changing || values[0] === 0)) continue;
        const label = name.replace("solver.", "").replaceAll("_", " ");
        curves.push({
          label: several ? `${label} · ${run.label}` : label,
          channel,
          color: several ? runColors[run.index % runColors.length] : curveColors[n],
          dash: several && n > 0 ? [6, 4] : [],
        });
      }
    });
    if (curves.length === 0) return;
    const panel = new PlotPanel(this.player, { height: 150, title, ...how });
    panel.onZoom = (min, max) => this.panels.forEach((p) => p.setZoom(min, max));
    panel.set(curves);
    this.panels.push(panel);
    this.element.append(panel.element);
  }

  rebuild(): void {
    for (const panel of this.panels) panel.rebuild();
  }
  moveTo(t: number): void {
    for (const panel of this.panels) panel.moveTo(t);
  }
}

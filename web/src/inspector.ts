// SPDX-License-Identifier: Apache-2.0
// The numbers of the selected body and of its joints, at the present time.
import type { Report, Run } from "./data";
import { valueAt } from "./data";
import type { Machine } from "./machine";
import { runColors } from "./drawing";
import { element, format, unitText, withUnit } from "./numbers";
import type { Scene, SceneForce, SceneJoint } from "./scene";
import { forcePicture } from "./scene";

interface Row {
  cells: HTMLElement[];
  update: (t: number) => string[];
}

const bodyQuantities: [string, string][] = [
  ["position", "position"],
  ["velocity", "velocity"],
  ["acceleration", "acceleration"],
  ["angular_velocity", "angular velocity (body axes)"],
  ["orientation", "orientation"],
];

export class Inspector {
  readonly element = element("div", "inspector");
  private rows: Row[] = [];
  body = -1;
  onSelect: (body: number) => void = () => {};
  onPlot: (names: string[]) => void = () => {};
  onFollow: (body: number) => void = () => {};
  following = -1;
  private time = 0;

  constructor(
    private readonly report: Report,
    private readonly machines: Machine[],
  ) {
    this.show(-1);
  }

  show(body: number): void {
    this.body = body;
    this.rows = [];
    this.element.replaceChildren();
    const machine = this.machines[0];
    const spec = machine.scene.bodies[body];
    if (!spec) {
      this.list();
      return;
    }
    const head = element("div", "inspector-head");
    const chip = element("i", "chip large");
    chip.style.background = machine.colorOf(body);
    const title = element("h2", "", spec.name);
    const back = element("button", "", "All bodies");
    back.addEventListener("click", () => this.onSelect(-1));
    const follow = element("button", "toggle", "Follow");
    follow.title = "The camera goes with this body (key O)";
    follow.setAttribute("aria-pressed", String(this.following === body));
    follow.addEventListener("click", () => this.onFollow(this.following === body ? -1 : body));
    head.append(chip, title, follow, back);
    this.element.append(head);
    const facts = [`${spec.kind} body`, `mass ${withUnit(spec.mass, "kg")}`];
    if (spec.kind === "rigid") facts.push(`principal inertia ${spec.inertia.slice(0, 3).map((x) => format(x, 3)).join(", ")} kg m²`);
    this.element.append(element("p", "facts", facts.join(" · ")));
    for (const run of this.report.runs) this.addRun(run, spec.name);
    const { joints, forces } = machine.scene;
    this.addForces("Reactions on it", "reaction_force", joints, body);
    this.addForces("Forces on it", "applied_force", forces.filter((force) => forcePicture(machine.scene, force).force), body);
    this.addForces("Torques on it", "applied_moment", forces.filter((force) => forcePicture(machine.scene, force).moment), body);
    this.addEfforts(machine.scene, body);
    this.moveTo(this.time);
  }

  private addRun(run: Run, name: string): void {
    if (this.report.runs.length > 1) {
      const title = element("h3", "", run.label);
      title.style.color = runColors[run.index % runColors.length];
      this.element.append(title);
    }
    const table = element("table", "numbers");
    for (const [quantity, label] of bodyQuantities) {
      const group = run.quantity(quantity);
      if (!group) continue;
      const base = group.names.length === 1 ? group.pattern : group.pattern.replace("{name}", () => name);
      const names = group.components.map((component) => `${base}.${component}`);
      const channels = names.map((n) => run.channel(n));
      if (channels.some((channel) => !channel || channel.values.length === 0)) continue;
      this.addRow(table, label, unitText(group.unit), names, (t) => {
        const values = channels.map((channel) => (channel ? valueAt(channel, t) : NaN));
        const texts = values.map((x) => format(x));
        if (quantity !== "orientation" && quantity !== "position") texts.push(`|${format(Math.hypot(...values))}|`);
        return texts;
      });
    }
    this.element.append(table);
    if (table.childElementCount === 0)
      this.element.append(element("p", "hint", "This report does not carry the channels of this body (trammel report --channel takes them in)."));
  }

  /** Forces on the body; recorded on the second body of each joint or force, the first feels the opposite. */
  private addForces(title: string, quantity: string, all: (SceneJoint | SceneForce)[], body: number): void {
    const run = this.report.runs[0];
    const group = run.quantity(quantity);
    if (!group) return;
    const table = element("table", "numbers");
    for (const force of all) {
      if (force.a !== body && force.b !== body) continue;
      const base = group.names.length === 1 ? group.pattern : group.pattern.replace("{name}", () => force.name);
      const names = ["x", "y", "z"].map((component) => `${base}.${component}`);
      const channels = names.map((n) => run.channel(n));
      if (channels.some((channel) => !channel || channel.values.length === 0)) continue;
      const sign = force.b === body ? 1 : -1;
      this.addRow(table, `${force.name} (${force.kind.replaceAll("_", " ")})`, unitText(group.unit), names, (t) => {
        const values = channels.map((channel) => (channel ? sign * valueAt(channel, t) : NaN));
        return [...values.map((x) => format(x)), `|${format(Math.hypot(...values))}|`];
      });
    }
    if (table.childElementCount > 0) this.element.append(element("h3", "", title), table);
  }

  /** Springs and stops on the coordinates of the body's joints: one number each. */
  private addEfforts(scene: Scene, body: number): void {
    const run = this.report.runs[0];
    const group = run.quantity("applied_effort");
    if (!group) return;
    const own = new Set(scene.joints.filter((joint) => joint.a === body || joint.b === body).map((joint) => joint.name));
    const table = element("table", "numbers");
    for (const spring of scene.springs ?? []) {
      if (!own.has(spring.joint)) continue;
      const name = group.names.length === 1 ? group.pattern : group.pattern.replace("{name}", () => spring.name);
      const channel = run.channel(name);
      if (!channel || channel.values.length === 0) continue;
      const label = `${spring.name} (on ${spring.joint})`;
      this.addRow(table, label, unitText(channel.unit), [name], (t) => [format(valueAt(channel, t))]);
    }
    if (table.childElementCount > 0) this.element.append(element("h3", "", "Springs and stops of its joints"), table);
  }

  private addRow(table: HTMLElement, label: string, unit: string, names: string[], update: (t: number) => string[]): void {
    const row = element("tr");
    const head = element("th", "", label);
    if (unit) head.append(element("small", "", ` ${unit}`));
    row.append(head);
    const cells: HTMLElement[] = [];
    for (let i = 0; i < 4; ++i) {
      const cell = element("td");
      cells.push(cell);
      row.append(cell);
    }
    const last = element("td", "plot-it");
    const button = element("button", "icon", "∿");
    button.title = `Plot ${label}`;
    button.setAttribute("aria-label", button.title);
    button.addEventListener("click", () => this.onPlot(names));
    last.append(button);
    row.append(last);
    table.append(row);
    this.rows.push({ cells, update });
  }

  /** Without a selection: every body, by name. */
  private list(): void {
    const bodies = this.machines[0].scene.bodies;
    this.element.append(
      element("p", "hint", "Click a body in the picture or in this list to see its numbers, its reactions and its path."),
    );
    const filter = element("input");
    filter.type = "search";
    filter.placeholder = `Find one of ${bodies.length} bodies`;
    filter.setAttribute("aria-label", "Find a body");
    const table = element("div", "body-list");
    const most = 200;
    const fill = () => {
      const wanted = filter.value.toLowerCase();
      const found = bodies
        .map((body, index) => ({ body, index }))
        .filter(({ body }) => body.name.toLowerCase().includes(wanted));
      table.replaceChildren();
      for (const { body, index } of found.slice(0, most)) {
        const item = element("button", "body-item");
        const chip = element("i", "chip");
        chip.style.background = this.machines[0].colorOf(index);
        item.append(chip, element("span", "name", body.name), element("small", "", withUnit(body.mass, "kg", 3)));
        item.addEventListener("click", () => this.onSelect(index));
        table.append(item);
      }
      if (found.length > most) table.append(element("p", "hint", `and ${found.length - most} more`));
    };
    filter.addEventListener("input", fill);
    fill();
    if (bodies.length > 12) this.element.append(filter);
    this.element.append(table);
  }

  moveTo(t: number): void {
    this.time = t;
    for (const { cells, update } of this.rows) {
      const texts = update(t);
      cells.forEach((cell, i) => {
        const text = texts[i] ?? "";
        if (cell.textContent !== text) cell.textContent = text;
      });
    }
  }
}

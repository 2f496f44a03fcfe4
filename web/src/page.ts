// SPDX-License-Identifier: Apache-2.0
// The page: picture and transport on one side, plots, numbers and the solver's story on the other.
import { aboutPage, alarmWord, comparePage, losses } from "./about";
import type { Report } from "./data";
import { numberOf, textOf, timeLineOf, valueAt } from "./data";
import { showHelp } from "./help";
import { Inspector } from "./inspector";
import type { Layers } from "./drawing";
import { runColors } from "./drawing";
import type { BeamField } from "./beam_fields";
import { element, format, timeText, withUnit } from "./numbers";
import { pickChannel } from "./picker";
import { modesPage } from "./modes";
import { Player, cycleDuration, speedText, speeds } from "./player";
import type { PlotState } from "./plots";
import { PlotArea } from "./plots";
import { SolverStory, methodsOf, troublesOf } from "./solver";
import type { CameraPreset, ViewState } from "./view";
import { View } from "./view";

/** How a page was looked at, so that another one goes on with it. */
export interface PageState {
  t: number;
  atEnd: boolean;
  playing: boolean;
  speed: number;
  tab: string;
  selected: number;
  following: number;
  ground: boolean;
  dark: boolean;
  view: ViewState;
  plots: PlotState[];
}

export class Page {
  private readonly root = element("div", "page");
  private readonly player: Player;
  private readonly view: View;
  private readonly plots: PlotArea;
  private story: SolverStory;
  private readonly inspector: Inspector;
  private readonly tabs = new Map<string, { button: HTMLButtonElement; page: HTMLElement }>();
  private readonly layerButtons = new Map<string, HTMLButtonElement>();
  private readonly slider = element("input");
  private readonly clock = element("span", "clock");
  private readonly playButton = element("button", "play");
  private readonly speedSelect = element("select");
  private readonly tooltip = element("div", "tooltip");
  private readonly compass = element("div", "compass");
  private readonly scaleNote = element("div", "scale-note");
  private readonly liveNote = element("button", "badge live");
  private marks = element("div", "marks");
  private readonly listening = new AbortController();
  private builtFrames = 0; // that the picture was made for
  private dark = window.matchMedia("(prefers-color-scheme: dark)").matches;
  private selected = -1;
  private groundShown = true;
  readonly scriptTimes: number[] = []; // of the last pictures [ms]
  onChange: () => void = () => {}; // what is shown has changed: another page is wanted

  constructor(
    readonly report: Report,
    private readonly live = false,
    state?: PageState,
  ) {
    if (state) this.dark = state.dark;
    this.builtFrames = report.runs[0].times.length;
    const start = Math.min(...report.runs.map((run) => run.start));
    const end = Math.max(...report.runs.map((run) => run.end));
    const [first] = report.runs;
    this.player = new Player(start, end, first.times, timeLineOf(first), first.modes ? cycleDuration : undefined);
    this.setTheme(this.dark);
    this.view = new View(report);
    this.plots = new PlotArea(report, this.player, (title, done) => pickChannel(report, title, done));
    this.story = new SolverStory(report, this.player);
    this.inspector = new Inspector(report, this.view.machines);
    this.inspector.onSelect = (body) => this.select(body);
    this.inspector.onFollow = (body) => this.follow(body);
    this.inspector.onPlot = (names) => {
      this.plots.addPanel(names);
      this.open("Plots");
    };
    this.root.append(this.makeHeader(), this.makeStage(), this.makeSplitter(), this.makeSide());
    document.getElementById("app")?.replaceChildren(this.root, this.tooltip);
    this.view.setDark(this.dark);
    this.view.onSelect = (body) => this.select(body);
    this.view.onHover = (name, x, y) => {
      this.tooltip.textContent = name;
      this.tooltip.style.display = name ? "block" : "none";
      this.tooltip.style.transform = `translate(${x + 14}px, ${y + 14}px)`;
    };
    this.player.follow((t) => this.moveTo(t));
    this.player.onState(() => this.showState());
    this.open(first.modes ? "Modes" : "Plots");
    this.showState();
    this.player.tell();
    const { signal } = this.listening;
    window.addEventListener("keydown", (event) => this.key(event), { signal });
    if (state) this.goOn(state);
    else if (live) this.player.seek(end);
    else if (first.modes) this.player.play(true);
    const loop = (now: number) => {
      if (signal.aborted) return;
      const begun = performance.now();
      this.player.tick(now);
      this.view.draw();
      this.drawCompass();
      this.scriptTimes.push(performance.now() - begun);
      if (this.scriptTimes.length > 240) this.scriptTimes.shift();
      window.requestAnimationFrame(loop);
    };
    window.requestAnimationFrame(loop);
  }

  private makeHeader(): HTMLElement {
    const header = element("header");
    const title = element("h1", "", this.report.title);
    const first = this.report.runs[0];
    const words = [textOf(first, "integrator"), textOf(first, "formulation")].filter(Boolean).map((w) => w.replaceAll("_", " "));
    const taken = numberOf(first, "steps");
    const steps = taken ? `${taken.toLocaleString("en").replaceAll(",", " ")} steps` : "";
    const subtitle = element("p", "subtitle");
    if (this.report.runs.length > 1) {
      for (const run of this.report.runs) {
        const item = element("span", "run");
        const chip = element("i", "chip");
        chip.style.background = runColors[run.index % runColors.length];
        item.append(chip, run.label);
        subtitle.append(item);
      }
    } else if (first.modes) {
      const mode = first.modes.list[first.modes.selected];
      subtitle.textContent = mode ? `mode ${mode.mode} · ${withUnit(mode.frequency, "Hz")} · damping ${format(mode.damping, 3)}` : "no modes";
    } else subtitle.textContent = [...words, steps].filter(Boolean).join(" · ");
    const space = element("span", "space");
    header.append(title, subtitle, space);
    if (this.live) {
      this.liveNote.setAttribute("role", "status");
      this.liveNote.title = "Go to the present, and with it";
      this.liveNote.addEventListener("click", () => this.player.seek(this.player.end));
      header.append(this.liveNote);
    }
    const troubles = this.report.runs.flatMap((run) => losses(run));
    const failed = this.report.runs.find((run) => textOf(run, "failure"));
    if (failed) {
      const badge = element("button", "badge bad", "Run failed");
      badge.title = textOf(failed, "failure");
      badge.addEventListener("click", () => this.open("Solver"));
      header.append(badge);
    }
    // An alarm says that numbers are doubtful: it is not one note among others.
    const alarms = troubles.filter((text) => text.startsWith(alarmWord));
    const notes = troubles.filter((text) => !text.startsWith(alarmWord));
    for (const [texts, word, look] of [[alarms, "alarm", "badge bad"], [notes, "note", "badge"]] as const) {
      if (texts.length === 0) continue;
      const badge = element("button", look, `${texts.length} ${word}${texts.length === 1 ? "" : "s"}`);
      badge.title = texts.join("\n");
      badge.addEventListener("click", () => this.open("About"));
      header.append(badge);
    }
    const theme = element("button", "icon", "◐");
    theme.title = "Dark or light (D)";
    theme.setAttribute("aria-label", theme.title);
    theme.addEventListener("click", () => this.toggleTheme());
    const help = element("button", "icon", "?");
    help.title = "Keys (?)";
    help.setAttribute("aria-label", help.title);
    help.addEventListener("click", () => showHelp());
    header.append(theme, help);
    return header;
  }

  private makeStage(): HTMLElement {
    const stage = element("section", "stage");
    const bar = element("div", "view-bar");
    const views = element("div", "segment");
    const presets: [CameraPreset, string, string][] = [
      ["best", "Angle", "View at an angle (1)"],
      ["front", "Front", "View along y (2)"],
      ["side", "Side", "View along −x (3)"],
      ["top", "Top", "View from above (4)"],
    ];
    for (const [preset, label, title] of presets) {
      const button = element("button", "", label);
      button.title = title;
      button.addEventListener("click", () => this.view.lookFrom(preset));
      views.append(button);
    }
    const fit = element("button", "", "Fit");
    fit.title = "The whole motion (F)";
    fit.addEventListener("click", () => this.view.fit());
    views.append(fit);
    const toggles = element("div", "segment");
    const layers: [keyof Layers | "ground", string, string][] = [
      ["joints", "Joints", "Joints and where the ground holds (J)"],
      ["axes", "Axes", "Axes of the bodies (A)"],
      ["reactions", "Reactions", "Forces of the joints on their second bodies (R)"],
      ["forces", "Forces", "Applied forces on their second bodies: springs, bushings, given forces (P)"],
      ["trails", "Trails", "Paths of measured points and of the selected body (T)"],
      ["contacts", "Contacts", "Where bodies press on each other (C)"],
      ["ground", "Ground", "Ground (G)"],
    ];
    for (const [layer, label, title] of layers) {
      const button = element("button", "toggle", label);
      button.title = title;
      button.addEventListener("click", () => this.toggleLayer(layer));
      if (layer === "forces" && !this.report.runs[0].animation?.applied) continue; // nothing to show
      if (layer === "contacts" && this.view.machines.every((machine) => machine.contacts === 0)) continue;
      this.layerButtons.set(layer, button);
      toggles.append(button);
    }
    bar.append(views, toggles);
    stage.append(this.view.element, bar, this.compass, this.scaleNote);
    const fields = this.view.works ? this.view.machines[0].beamFields : [];
    if (fields.length > 0) stage.append(this.makeBeamColors(fields));
    if (!this.report.runs[0].animation)
      stage.append(element("p", "notice over", this.report.runs[0].header.n_frames === 0 ? "No frames were recorded: there is no motion to show." : "These results hold no positions and orientations: there is no motion to show."));
    stage.append(this.makeTransport());
    this.showLayers();
    return stage;
  }

  /** What beams are coloured by, with its scale. */
  private makeBeamColors(fields: BeamField[]): HTMLElement {
    const box = element("div", "beam-colors");
    const select = element("select");
    select.title = "What beams are coloured by";
    select.setAttribute("aria-label", select.title);
    for (const [word, label] of [["", "Beams: own colours"], ...fields.map((field) => [field.word, `Beams: ${field.label}`])]) {
      const option = element("option", "", label);
      option.value = word;
      select.append(option);
    }
    const legend = element("div", "color-legend");
    legend.hidden = true;
    select.addEventListener("change", () => {
      const field = fields.find((one) => one.word === select.value) ?? null;
      const scale = this.view.paintBeams(field);
      legend.hidden = !scale;
      if (!scale || !field) return;
      const strip = element("i");
      strip.style.background = scale.css;
      legend.replaceChildren(element("span", "", format(scale.low, 3)), strip, element("span", "", withUnit(scale.high, field.unit, 3)));
    });
    box.append(select, legend);
    return box;
  }

  private makeTransport(): HTMLElement {
    const bar = element("div", "transport");
    this.playButton.addEventListener("click", () => this.player.play(!this.player.playing));
    const button = (text: string, title: string, act: () => void) => {
      const made = element("button", "icon", text);
      made.title = title;
      made.setAttribute("aria-label", title);
      made.addEventListener("click", act);
      return made;
    };
    const track = element("div", "track");
    this.slider.type = "range";
    this.slider.min = "0";
    this.slider.max = "100000";
    this.slider.step = "1";
    const { name } = this.player.line;
    this.slider.setAttribute("aria-label", name.charAt(0).toUpperCase() + name.slice(1));
    this.slider.addEventListener("input", () => {
      const part = Number(this.slider.value) / 100000;
      this.player.seek(this.player.start + part * (this.player.end - this.player.start));
    });
    this.marks = this.makeMarks();
    track.append(this.slider, this.marks);
    for (const speed of speeds) {
      const option = element("option", "", speedText(speed));
      option.value = String(speed);
      this.speedSelect.append(option);
    }
    this.speedSelect.title = "Speed against real time (↑ ↓)";
    this.speedSelect.setAttribute("aria-label", this.speedSelect.title);
    this.speedSelect.addEventListener("change", () => this.player.setSpeed(Number(this.speedSelect.value)));
    this.speedSelect.hidden = !this.player.isTime;
    bar.append(
      this.playButton,
      button("|◂", "First frame (Home)", () => this.player.seek(this.player.start)),
      button("◂", "One frame back (←)", () => this.player.stepFrames(-1)),
      button("▸", "One frame on (→)", () => this.player.stepFrames(1)),
      track,
      this.clock,
      this.speedSelect,
    );
    return bar;
  }

  /** Below the slider: where steps had to be repeated. */
  private makeMarks(): HTMLDivElement {
    const marks = element("div", "marks");
    const span = this.player.end - this.player.start;
    if (!(span > 0)) return marks;
    const troubles = troublesOf(this.report.runs[0]).slice(0, 500);
    for (const one of methodsOf(this.report.runs[0]).slice(1, 200)) {
      const mark = element("i", "method");
      mark.style.left = `${(100 * (one.from - this.player.start)) / span}%`;
      mark.title = `${one.name} from t = ${format(one.from)} s on`;
      marks.append(mark);
    }
    for (const trouble of troubles) {
      const mark = element("i", trouble.failed ? "failed" : "");
      mark.style.left = `${(100 * (trouble.from - this.player.start)) / span}%`;
      mark.style.width = `max(2px, ${(100 * (trouble.to - trouble.from)) / span}%)`;
      mark.title = trouble.reason;
      marks.append(mark);
    }
    if (troubles.length > 0) marks.title = "where steps had to be repeated: grey for their error, red where Newton's iteration failed";
    return marks;
  }

  private makeSplitter(): HTMLElement {
    const bar = element("div", "splitter");
    bar.setAttribute("role", "separator");
    bar.setAttribute("aria-label", "Width of the picture");
    bar.addEventListener("pointerdown", (event) => {
      bar.setPointerCapture(event.pointerId);
      const move = (e: PointerEvent) => {
        const part = Math.min(0.8, Math.max(0.25, e.clientX / window.innerWidth));
        this.root.style.setProperty("--stage", `${(100 * part).toFixed(2)}%`);
      };
      bar.addEventListener("pointermove", move);
      bar.addEventListener("pointerup", () => bar.removeEventListener("pointermove", move), { once: true });
    });
    return bar;
  }

  private makeSide(): HTMLElement {
    const side = element("section", "side");
    const bar = element("nav", "tabs");
    bar.setAttribute("role", "tablist");
    const body = element("div", "side-body");
    const add = (name: string, page: HTMLElement) => {
      const button = element("button", "tab", name);
      button.setAttribute("role", "tab");
      button.addEventListener("click", () => this.open(name));
      page.setAttribute("role", "tabpanel");
      bar.append(button);
      body.append(page);
      this.tabs.set(name, { button, page });
    };
    const [first] = this.report.runs;
    if (first.modes) add("Modes", modesPage(first, () => {
      first.swing();
      this.onChange();
    }));
    else add("Plots", this.plots.element);
    add("Bodies", this.inspector.element);
    if (!first.modes) add("Solver", this.story.element);
    if (this.report.runs.length > 1) add("Compare", comparePage(this.report));
    add("About", aboutPage(this.report));
    side.append(bar, body);
    return side;
  }

  open(name: string): void {
    for (const [tab, { button, page }] of this.tabs) {
      button.setAttribute("aria-selected", String(tab === name));
      page.hidden = tab !== name;
    }
    if (this.live && name === "Plots") this.plots.rebuild();
    if (this.live && name === "Solver") this.retellStory();
    if (name === "Plots") this.plots.moveTo(this.player.t);
    if (name === "Bodies") this.inspector.moveTo(this.player.t);
    if (name === "Solver") this.story.moveTo(this.player.t);
  }

  private get openTab(): string {
    return [...this.tabs].find(([, { page }]) => !page.hidden)?.[0] ?? "";
  }

  select(body: number): void {
    this.selected = body;
    this.view.select(body);
    this.inspector.show(body);
    if (body >= 0) this.open("Bodies");
  }

  follow(body: number): void {
    this.view.follow(body);
    this.inspector.following = body;
    this.inspector.show(this.selected);
  }

  private toggleLayer(layer: keyof Layers | "ground"): void {
    if (layer === "ground") {
      this.groundShown = !this.groundShown;
      this.view.showGrid(this.groundShown);
    } else this.view.layers[layer] = !this.view.layers[layer];
    this.showLayers();
    this.view.refresh();
  }

  private showLayers(): void {
    for (const [layer, button] of this.layerButtons) {
      const on = layer === "ground" ? this.groundShown : this.view.layers[layer as keyof Layers];
      button.setAttribute("aria-pressed", String(on));
    }
    const notes = this.view.works ? [`grid ${format(this.view.spacing, 2)} m`] : [];
    if (this.view.layers.reactions || this.view.layers.forces) {
      const scale = this.view.machines[0].forceScale;
      const length = (0.25 * this.view.machines[0].size) / scale;
      notes.push(`an arrow of ${format(0.25 * this.view.machines[0].size, 2)} m: ${format(length, 2)} N`);
    }
    this.scaleNote.textContent = notes.join(" · ");
  }

  private setTheme(dark: boolean): void {
    this.dark = dark;
    document.documentElement.dataset.theme = dark ? "dark" : "light";
  }

  private toggleTheme(): void {
    this.setTheme(!this.dark);
    this.view.setDark(this.dark);
    this.plots.rebuild();
    this.story.rebuild();
  }

  private showState(): void {
    this.playButton.textContent = this.player.playing ? "❚❚" : "▶";
    this.playButton.title = this.player.playing ? "Pause (space)" : "Play (space)";
    this.playButton.setAttribute("aria-label", this.playButton.title);
    this.speedSelect.value = String(this.player.speed);
  }

  private moveTo(t: number): void {
    const span = this.player.end - this.player.start;
    this.slider.value = span > 0 ? String(Math.round((100000 * (t - this.player.start)) / span)) : "0";
    this.slider.style.setProperty("--part", span > 0 ? `${(100 * (t - this.player.start)) / span}%` : "0%");
    const { line } = this.player;
    this.clock.textContent = this.player.isTime
      ? `${timeText(t, span)} s`
      : line.load
        ? `way ${timeText(t, span)} · load ${format(valueAt(line.load, t), 3)}`
        : `load ${timeText(t, span)}`;
    this.view.moveTo(t);
    const tab = this.openTab;
    if (tab === "Plots") this.plots.moveTo(t);
    if (tab === "Bodies") this.inspector.moveTo(t);
    if (tab === "Solver") this.story.moveTo(t);
  }

  private lastCompass = "";
  private drawCompass(): void {
    if (!this.view.works) return;
    const axes = this.view.compass();
    const text = axes.map(([x, y]) => `${x.toFixed(3)},${y.toFixed(3)}`).join(";");
    if (text === this.lastCompass) return;
    this.lastCompass = text;
    const colors = ["#e5484d", "#46a758", "#3e8bff"];
    const lines = axes.map(([x, y], k) => {
      const [tx, ty] = [30 + 20 * x, 30 - 20 * y];
      const [lx, ly] = [30 + 27 * x, 30 - 27 * y];
      return (
        `<line x1="30" y1="30" x2="${tx}" y2="${ty}" stroke="${colors[k]}" stroke-width="2" stroke-linecap="round"/>` +
        `<text x="${lx}" y="${ly}" fill="${colors[k]}" text-anchor="middle" dominant-baseline="central">${"xyz"[k]}</text>`
      );
    });
    this.compass.innerHTML = `<svg viewBox="0 0 60 60" width="60" height="60" aria-hidden="true">${lines.join("")}</svg>`;
  }

  private changeSpeed(step: number): void {
    const i = speeds.indexOf(this.player.speed);
    this.player.setSpeed(speeds[Math.min(speeds.length - 1, Math.max(0, i + step))]);
  }

  private key(event: KeyboardEvent): void {
    const target = event.target as HTMLElement;
    const typing = target.tagName === "INPUT" && (target as HTMLInputElement).type !== "range";
    if (typing || target.tagName === "SELECT" || event.ctrlKey || event.metaKey || event.altKey) return;
    if (document.querySelector("dialog[open]")) return;
    const n = this.view.machines[0].scene.bodies.length;
    const actions: Record<string, () => void> = {
      " ": () => this.player.play(!this.player.playing),
      ArrowLeft: () => this.player.stepFrames(event.shiftKey ? -10 : -1),
      ArrowRight: () => this.player.stepFrames(event.shiftKey ? 10 : 1),
      ArrowUp: () => this.changeSpeed(1),
      ArrowDown: () => this.changeSpeed(-1),
      Home: () => this.player.seek(this.player.start),
      End: () => this.player.seek(this.player.end),
      "1": () => this.view.lookFrom("best"),
      "2": () => this.view.lookFrom("front"),
      "3": () => this.view.lookFrom("side"),
      "4": () => this.view.lookFrom("top"),
      f: () => this.view.fit(),
      j: () => this.toggleLayer("joints"),
      a: () => this.toggleLayer("axes"),
      r: () => this.toggleLayer("reactions"),
      p: () => this.toggleLayer("forces"),
      t: () => this.toggleLayer("trails"),
      c: () => this.toggleLayer("contacts"),
      g: () => this.toggleLayer("ground"),
      n: () => this.select((this.selected + 1) % n),
      N: () => this.select((this.selected + n - 1 + (this.selected < 0 ? 1 : 0)) % n),
      o: () => this.follow(this.view.following >= 0 ? -1 : this.selected),
      Escape: () => this.select(-1),
      d: () => this.toggleTheme(),
      "?": () => showHelp(),
    };
    const act = actions[event.key] ?? actions[event.key.toLowerCase()];
    if (!act) return;
    event.preventDefault();
    act();
  }

  /** How it is looked at. */
  get state(): PageState {
    const { player, view } = this;
    return {
      t: player.t,
      atEnd: player.t === player.end,
      playing: player.playing,
      speed: player.speed,
      tab: this.openTab,
      selected: this.selected,
      following: view.following,
      ground: this.groundShown,
      dark: this.dark,
      view: view.state,
      plots: this.plots.state,
    };
  }

  private goOn(state: PageState): void {
    if (state.selected >= 0) this.select(state.selected);
    this.follow(state.following);
    Object.assign(this.view.layers, state.view.layers);
    if (!state.ground) this.toggleLayer("ground");
    this.showLayers();
    if (!this.report.runs[0].modes) this.player.setSpeed(state.speed);
    this.player.seek(state.atEnd ? this.player.end : state.t);
    this.player.play(state.playing);
    this.plots.state = state.plots;
    this.view.state = state.view;
    this.open(state.tab);
  }

  /** Ends: another page takes its place. */
  dispose(): void {
    this.listening.abort();
    this.view.dispose();
  }

  /**
   * The runs have become longer: the time line, the plots and the numbers follow. False: so much longer that what was
   * found from the whole motion (bounds, ground, scales of forces) should be found anew, by another page.
   */
  grow(): boolean {
    const [run] = this.report.runs;
    if (run.times.length >= 2 * this.builtFrames) return false;
    const present = this.player.t === this.player.end;
    this.player.extend(run.end, run.times);
    const marks = this.makeMarks();
    this.marks.replaceWith(marks);
    this.marks = marks;
    const tab = this.openTab;
    if (tab === "Plots") this.plots.rebuild();
    if (tab === "Bodies") this.inspector.show(this.inspector.body);
    if (tab === "Solver") this.retellStory();
    if (present && !this.player.playing) this.player.seek(this.player.end);
    else this.player.tell();
    return true;
  }

  private retellStory(): void {
    const story = new SolverStory(this.report, this.player);
    const tab = this.tabs.get("Solver");
    if (!tab) return;
    story.element.setAttribute("role", "tabpanel");
    tab.page.replaceWith(story.element);
    tab.page = story.element;
    this.story = story;
  }

  /** How a run that goes on stands. */
  tellLive(state: string, words: string): void {
    this.liveNote.dataset.state = state;
    if (this.liveNote.textContent !== words) this.liveNote.textContent = words;
  }

  /** For scripts and tests. */
  get api() {
    return {
      report: this.report,
      player: this.player,
      view: this.view,
      plots: this.plots,
      story: this.story,
      select: (body: number) => this.select(body),
      selected: () => this.selected,
      value: (run: number, name: string, t: number) => {
        const channel = this.report.runs[run].channel(name);
        return channel ? valueAt(channel, t) : NaN;
      },
      scriptTimes: this.scriptTimes,
    };
  }
}

// SPDX-License-Identifier: Apache-2.0
// Opens the report that the page carries, or follows the run that its server watches.
import "./style.css";
import type { Report } from "./data";
import { reportInPage } from "./data";
import { LiveRun } from "./live";
import { element } from "./numbers";
import { Page } from "./page";
import type { SweepHeader } from "./sweep";
import { SweepPage } from "./sweep";

declare global {
  interface Window {
    trammel?: Page["api"];
    sweep?: SweepPage;
    live?: LiveRun;
  }
}

let page: Page | null = null;

function show(report: Report, live: boolean): void {
  const state = page?.state;
  page?.dispose();
  page = new Page(report, live, state);
  page.onChange = () => show(report, live);
  window.trammel = page.api;
}

function say(words: string): void {
  document.getElementById("app")?.replaceChildren(element("p", "opening", words));
}

/** Nobody wants the picture to be made anew under his fingers. */
let held = false;
window.addEventListener("pointerdown", () => (held = true), true);
for (const end of ["pointerup", "pointercancel"]) window.addEventListener(end, () => (held = false), true);

function follow(file: string): void {
  window.live = new LiveRun(file, {
    replace: (report) => show(report, true),
    grow: () => {
      if (page && !page.grow() && !held) show(page.report, true);
    },
    tell: (state, words) => {
      if (page) page.tellLive(state, words);
      else say(`${file}: ${words} …`);
    },
  });
  void window.live.follow();
}

const live = document.getElementById("live");
const sweep = document.getElementById("sweep");
if (sweep) window.sweep = new SweepPage(JSON.parse(sweep.textContent ?? "") as SweepHeader);
else if (live) follow((JSON.parse(live.textContent ?? "") as { file: string }).file);
else
  reportInPage()
    .then((report) => show(report, false))
    .catch((error: unknown) => {
      say(`The report cannot be shown: ${error instanceof Error ? error.message : String(error)}`);
      throw error;
    });

// SPDX-License-Identifier: Apache-2.0
// The page of a run that goes on: asks `trammel run --live` or `trammel watch` for what is new, as often as it is told.
import type { Report, ReportHeader, Run } from "./data";
import { openReport, textOf } from "./data";
import type { Rows } from "./growth";
import { GrowingRun } from "./growth";
import { timeText } from "./numbers";

type State = "running" | "closed" | "interrupted";

interface ReportAnswer {
  state?: State;
  wait: number; // [s] until the next question
  waiting?: boolean; // no frame has been recorded yet
  trouble?: string;
  report?: ReportHeader;
  whole?: boolean; // every number is there, so that rows can be added
  data?: string[];
}

interface RowsAnswer {
  state?: State;
  wait: number;
  waiting?: boolean;
  trouble?: string;
  anew?: boolean; // ask for everything
  times?: Rows["times"];
  groups?: Rows["groups"];
  solver?: Rows;
  data?: string[];
}

/** What a live page wants of the page that shows the run. */
export interface Shown {
  /** Shows a report from now on, as the one before was shown. */
  replace(report: Report): void;
  /** The runs of the report that is shown have become longer. */
  grow(): void;
  /** How the run stands, in words. */
  tell(state: State | "waiting" | "trouble", words: string): void;
}

const patience = 2; // [s] between questions while nobody answers

async function ask<Answer>(path: string): Promise<Answer> {
  const response = await fetch(path);
  if (!response.ok) throw new Error(await response.text());
  return (await response.json()) as Answer;
}

/** "[analysis] … end = 2": when the run will end; NaN if the settings do not say. */
function plannedEnd(run: Run): number {
  const match = run.header.settings.match(/^\[analysis\][^[]*?^end = ([-+.\deE]+)/m);
  return match ? Number(match[1]) : NaN;
}

export class LiveRun {
  private growing: GrowingRun | null = null;
  private report: Report | null = null;
  private state: State | "" = "";
  questions = 0;

  constructor(
    private readonly file: string,
    private readonly shown: Shown,
  ) {}

  /** Never ends: a file that is gone may come back, and a server that was stopped may be started again. */
  async follow(): Promise<void> {
    for (;;) {
      let wait = patience;
      try {
        wait = this.report ? await this.askForRows(this.report.runs[0]) : await this.askForAll();
      } catch (error) {
        const words = error instanceof TypeError ? `nobody serves ${this.file} any more: its numbers up to here stay` : String(error);
        this.shown.tell("trouble", words);
      }
      await new Promise((done) => window.setTimeout(done, 1000 * wait));
    }
  }

  private async askForAll(): Promise<number> {
    ++this.questions;
    const answer = await ask<ReportAnswer>("/report");
    if (answer.trouble) this.shown.tell("trouble", answer.trouble);
    if (answer.waiting) this.shown.tell("waiting", "the first frame is being computed");
    if (!answer.report || !answer.data) return answer.wait;
    const { data } = answer;
    this.report = await openReport(answer.report, (index) => data[index]);
    const [run] = this.report.runs;
    this.growing = answer.whole ? new GrowingRun(run) : null;
    this.state = answer.state ?? "";
    this.shown.replace(this.report);
    this.tell(run);
    return answer.wait;
  }

  private async askForRows(run: Run): Promise<number> {
    ++this.questions;
    const answer = await ask<RowsAnswer>(`/rows?frames=${run.header.n_frames}&steps=${run.header.n_steps}&time=${run.end}`);
    if (answer.trouble) this.shown.tell("trouble", answer.trouble);
    if (!answer.state) return answer.wait;
    const added = (answer.times?.count ?? 0) + (answer.solver?.times.count ?? 0);
    // The summary of a run that has ended is in no row.
    if (answer.anew || (added === 0 && answer.state !== this.state)) return this.askForAll();
    const { data } = answer;
    if (added > 0 && this.growing && data && answer.times && answer.groups && answer.solver) {
      await this.growing.append({ times: answer.times, groups: answer.groups }, answer.solver, (index) => data[index]);
      this.shown.grow();
    }
    this.tell(run);
    return answer.wait;
  }

  private tell(run: Run): void {
    if (this.state === "running") {
      const end = plannedEnd(run);
      const span = Number.isNaN(end) ? run.end - run.start : end - run.start;
      this.shown.tell("running", `running: ${timeText(run.end, span)}${Number.isNaN(end) ? "" : ` of ${timeText(end, span)}`} s`);
    } else if (this.state === "interrupted") this.shown.tell("interrupted", "the run was killed");
    else this.shown.tell("closed", textOf(run, "failure") ? "the run failed" : "the run has ended");
  }
}

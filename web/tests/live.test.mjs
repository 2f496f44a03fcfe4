// SPDX-License-Identifier: Apache-2.0
// The page of a run that goes on: it is seen to advance, survives a reload, a second reader and the end of the run, and
// says what happened when its file is gone or nobody serves it any more.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { cleanUp, drawn, folder, openBrowser, program } from "./support.mjs";

// Two links with far more steps than they need: a run of some seconds with a frame every hundredth of a second.
const swing = (end) => `
title = "Swinging"
gravity = [0, 0, -9.81]
[[body]]
name = "upper"
shape = { kind = "rod", length = 1, axis = "x" }
mass = 2
position = [0.5, 0, 0]
[[body]]
name = "lower"
shape = { kind = "rod", length = 1, axis = "x" }
mass = 2
position = [1.5, 0, 0]
[[joint]]
name = "shoulder"
kind = "revolute"
bodies = ["ground", "upper"]
point = [0, 0, 0]
axis = "y"
[[joint]]
name = "elbow"
kind = "revolute"
bodies = ["upper", "lower"]
point = [1, 0, 0]
axis = "y"
[[measure]]
name = "height"
expression = "lower.z"
unit = "m"
[analysis]
end = ${end}
[solver]
integrator = "generalized_alpha"
h = 2e-5
[output]
interval = 0.01
`;

let browser;
const children = [];
before(async () => {
  browser = await openBrowser();
});
after(async () => {
  await browser.close();
  for (const child of children) child.kill("SIGKILL");
  cleanUp();
});

/** Starts the program; resolves with it and the address that it names. */
function serve(...words) {
  mkdirSync(folder, { recursive: true });
  const child = spawn(program, words, { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
  children.push(child);
  child.said = "";
  child.code = new Promise((done) => child.on("exit", (code) => done(code)));
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (data) => (child.said += data));
  return new Promise((done, fail) => {
    const look = () => {
      const address = child.said.match(/http:\/\/127\.0\.0\.1:\d+\//);
      if (address) done({ child, address: address[0] });
      else if (child.exitCode !== null) fail(new Error(child.said));
      else setTimeout(look, 20);
    };
    look();
  });
}

async function open(address, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1000, height: 700 }, ...options });
  const page = await context.newPage();
  const complaints = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type()) && !/GPU stall|swiftshader|Failed to load resource|CONTEXT_LOST|Context Lost/i.test(message.text()))
      complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(error.message));
  await page.goto(address);
  await page.waitForFunction(() => window.trammel !== undefined, null, { timeout: 60000 });
  return { page, complaints, close: () => context.close() };
}

const frames = (page) => page.evaluate(() => window.trammel.report.runs[0].times.length);
const status = (page) => page.locator(".badge.live").textContent();

test("a run is seen to advance row by row, survives a reload and a second reader, and ends with Ctrl-C", { timeout: 240000 }, async () => {
  writeFileSync(join(folder, "swing.toml"), swing(2000));
  const { child, address } = await serve("run", "swing.toml", "--live", "--port", "0");
  const { page, complaints, close } = await open(address);
  const first = await frames(page);
  assert.match(await status(page), /running: .* of 2000/);
  await page.waitForFunction((n) => window.trammel.report.runs[0].times.length > n, first, { timeout: 60000 });
  assert.equal(await page.evaluate(() => window.trammel.player.t === window.trammel.player.end), true, "it goes with the present");

  // Rows that came one by one are those that a report of the same moment has.
  const value = (p, row) => p.evaluate((i) => ["lower.position.x", "measures.height", "energy.total"].map((name) => window.trammel.report.runs[0].channel(name).values[i]), row);
  const row = first;
  const seen = await value(page, row);
  const other = await open(address);
  await other.page.waitForFunction((n) => window.trammel.report.runs[0].times.length > n, row, { timeout: 60000 });
  (await value(other.page, row)).forEach((x, i) => assert.ok(Math.abs(x - seen[i]) <= 2e-6 * Math.max(1, Math.abs(x)), `${x} and ${seen[i]}`));

  // Whoever looks at a moment stays there.
  await page.evaluate(() => window.trammel.player.seek(0.05));
  const before = await frames(page);
  await page.reload();
  await page.waitForFunction(() => window.trammel !== undefined, null, { timeout: 60000 });
  assert.ok((await frames(page)) >= before, "a reload loses nothing");
  await page.evaluate(() => window.trammel.player.seek(0.05));
  const then = await frames(page);
  await page.waitForFunction((n) => window.trammel.report.runs[0].times.length > n, then, { timeout: 60000 });
  assert.equal(await page.evaluate(() => window.trammel.player.t), 0.05);

  // The motion, the trail and the plots have what came later.
  await page.evaluate(() => window.trammel.player.seek(window.trammel.player.end));
  await drawn(page);
  const gap = await page.evaluate(() => {
    const { report, view, player } = window.trammel;
    const x = report.runs[0].channel("lower.position.x");
    return Math.abs(view.machines[0].motion.position[3] - x.values[x.times.indexOf(player.t)]);
  });
  assert.ok(gap < 1e-6, `${gap} m`);

  // Ctrl-C ends the run, keeps its results, and with it what serves them.
  child.kill("SIGINT");
  assert.equal(await child.code, 130);
  assert.match(child.said, /Results: swing\.h5/);
  await page.waitForFunction(() => /nobody serves swing.h5/.test(document.querySelector(".badge.live").textContent), null, { timeout: 60000 });
  assert.deepEqual(complaints, []);
  assert.deepEqual(other.complaints, []);
  await close();
  await other.close();
});

test("a run that ends tells its summary, and its page stays until Ctrl-C; a file that is gone is named", { timeout: 240000 }, async () => {
  writeFileSync(join(folder, "short.toml"), swing(0.3));
  const { child, address } = await serve("run", "short.toml", "--live", "--port", "0");
  const { page, complaints, close } = await open(address);
  await page.waitForFunction(() => /has ended/.test(document.querySelector(".badge.live").textContent), null, { timeout: 60000 });
  assert.match(await page.evaluate(() => window.trammel.report.runs[0].header.summary.stop), /end/);
  assert.equal(await frames(page), 31);
  rmSync(join(folder, "short.h5"));
  await page.waitForFunction(() => /'short.h5' is not there any more/.test(document.querySelector(".badge.live").textContent), null, { timeout: 60000 });
  assert.equal(await frames(page), 31, "what was seen stays");
  child.kill("SIGINT");
  assert.equal(await child.code, 0, child.said);
  assert.match(child.said, /The page stays at http/);
  assert.deepEqual(complaints, []);
  await close();
});

test("a page of another origin, in the same browser, gets nothing", { timeout: 120000 }, async () => {
  writeFileSync(join(folder, "calm.toml"), swing(0.1));
  const { child: run, address: first } = await serve("run", "calm.toml", "--live", "--port", "0");
  const { page, close } = await open(first);
  await page.waitForFunction(() => /has ended/.test(document.querySelector(".badge.live").textContent), null, { timeout: 60000 });
  const { child, address } = await serve("watch", "calm.h5", "--port", "0");
  // The page of one server is another origin for the other.
  const got = await page.evaluate(async (url) => {
    const said = [];
    for (const path of ["", "report", "rows?frames=0&steps=0&time=0", "who"])
      said.push(await fetch(url + path, { mode: "no-cors" }).then((r) => r.type + r.status, () => "refused"));
    return said;
  }, address);
  assert.deepEqual(got, ["refused", "refused", "refused", "refused"]);
  const watched = await open(address);
  assert.equal(await frames(watched.page), 11);
  assert.deepEqual(watched.complaints, []);
  await watched.close();
  await close();
  for (const one of [run, child]) one.kill("SIGINT");
  assert.equal(await child.code, 0);
});

// SPDX-License-Identifier: Apache-2.0
// What the browser tests share: the program, a browser, and pages that must not complain.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const here = dirname(fileURLToPath(import.meta.url));
export const root = join(here, "../..");
export const program = process.env.TRAMMEL_PROGRAM ?? join(root, "build/release/bin/trammel");
export const folder = mkdtempSync(join(tmpdir(), "trammel-report-"));

export function cleanUp() {
  rmSync(folder, { recursive: true, force: true });
}

/** Calls the program in the tests' folder; throws with its words if it fails. */
export function trammel(...words) {
  mkdirSync(folder, { recursive: true });
  return execFileSync(program, words, { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

/** Simulates a model and writes its page; returns the paths of both. */
export function simulate(model, name, ...settings) {
  const results = join(folder, `${name}.h5`);
  trammel("run", join(root, model), "-q", "--report", "-o", results, ...settings.flatMap((s) => ["--set", s]));
  return { results, page: join(folder, `${name}.html`) };
}

export function samples(results, count, seed) {
  const text = execFileSync("/usr/bin/python3", /* Debian's, which has h5py */ [join(here, "sample_channels.py"), results, String(count), String(seed)], {
    encoding: "utf8",
  });
  return JSON.parse(text);
}

function findChromium() {
  for (const name of ["chromium", "chromium-browser", "google-chrome"])
    for (const place of (process.env.PATH ?? "").split(delimiter))
      if (existsSync(join(place, name))) return join(place, name);
  throw new Error("no chromium in PATH; ./dev test installs it");
}

export function openBrowser() {
  return chromium.launch({
    executablePath: findChromium(),
    // Software rendering: test machines have no graphics.
    args: ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"],
  });
}

/** Opens a page from disk; `complaints` collects whatever the console or the page has to complain of. */
export async function openPage(browser, file, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, offline: true, ...options });
  const page = await context.newPage();
  const complaints = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type()) && !/GPU stall|swiftshader/i.test(message.text()))
      complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("request", (request) => {
    if (!/^(file|data|blob):/.test(request.url())) complaints.push(`asks the network for ${request.url()}`);
  });
  await page.goto(pathToFileURL(file).href);
  await page.waitForFunction(() => window.trammel !== undefined, null, { timeout: 60000 });
  return { page, complaints, close: () => context.close() };
}

/** Two pictures later everything that was asked for is drawn. */
export async function drawn(page) {
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
}

export const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2 };

/** Seeks sampled instants; of each: does the ground cover the picture below the followed machine? */
export async function groundInView(page) {
  const instants = await page.evaluate(() => {
    const { start, end } = window.trammel.player;
    return Array.from({ length: 9 }, (_, i) => start + ((end - start) * i) / 8);
  });
  for (const t of instants) {
    await page.evaluate((to) => window.trammel.player.seek(to), t);
    await drawn(page);
    const { inside, gap } = await page.evaluate(() => {
      const { ground, controls, up } = window.trammel.view;
      const { target } = controls;
      const below = target.clone().addScaledVector(up, ground.level - target.dot(up));
      const away = below.clone().sub(ground.object.position);
      const edge = ground.lines.scale.x;
      const p = below.clone().project(window.trammel.view.camera);
      return { inside: Math.abs(p.x) < 1 && Math.abs(p.y) < 1, gap: away.length() / edge };
    });
    assert.ok(inside, `t = ${t}: the ground below the machine is not in the picture`);
    assert.ok(gap < 0.1, `t = ${t}: the drawn ground is not below the machine (${gap} of its edge)`);
  }
}

/** How many pixels the lowest point of a wheel is above the ground below it; < 0: it is pressed in. */
export function wheelAboveGround(page) {
  return page.evaluate(() => {
    const { view } = window.trammel;
    const [machine] = view.machines;
    const wheel = machine.scene.bodies.findIndex((body) => /wheel/.test(body.name));
    const parts = machine.batches.flatMap((batch) => batch.parts).filter((part) => part.body === wheel);
    const pose = machine.motion.matrix(wheel, view.camera.matrixWorld.clone());
    const low = Math.min(...parts.map((part) => machine.bottom(part, pose, view.up)));
    const middle = machine.motion.point(wheel, [0, 0, 0], view.up.clone());
    const screen = (z) => middle.clone().setZ(z).project(view.camera).y * 0.5 * view.element.clientHeight;
    return screen(low) - screen(view.ground.level);
  });
}

/** How far each body is from the middle of the track, and the heights of the tops of what is drawn of it. */
export function railsBelow(page) {
  return page.evaluate(() => {
  const { view } = window.trammel;
  const [machine] = view.machines;
  const [track] = machine.scene.tracks;
  const gaps = machine.scene.bodies.map((_, b) => {
    const [x, y] = [machine.motion.position[3 * b], machine.motion.position[3 * b + 1]];
    let least = Infinity;
    for (let i = 0; i < track.points.length; i += 2) least = Math.min(least, Math.hypot(track.points[i] - x, track.points[i + 1] - y));
    return least;
  });
  const rails = view.scene.children.flatMap((c) => c.children ?? []).filter((c) => c.geometry?.boundingBox === null || c.geometry);
  const tops = rails.map((mesh) => (mesh.geometry.computeBoundingBox(), mesh.geometry.boundingBox.max.z));
  return { gaps, tops };
});
}

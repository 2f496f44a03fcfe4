// SPDX-License-Identifier: Apache-2.0
// What the browser tests share: the program, a browser, and pages that must not complain.
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

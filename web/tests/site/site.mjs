// SPDX-License-Identifier: Apache-2.0
// The documentation's site in a real browser, from disk: every page opens without a complaint, pictures load, the search
// finds. TRAMMEL_SITE is the folder that docs/site/build.py wrote.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { openBrowser, openPage } from "../support.mjs";

const site = process.env.TRAMMEL_SITE;
const pages = readdirSync(site, { recursive: true })
  .map(String)
  .filter((name) => name.endsWith(".html"));
let browser;

before(async () => {
  browser = await openBrowser();
});
after(async () => {
  await browser?.close();
});

test("every page opens without a complaint, and its pictures load", async () => {
  assert.ok(pages.length > 50, `${pages.length} pages`);
  const { page, complaints, close } = await openPage(browser, join(site, "index.html"));
  for (const name of pages) {
    await page.goto(`file://${join(site, name)}`);
    const missing = await page.evaluate(() =>
      [...document.images].filter((image) => image.complete && image.naturalWidth === 0).map((image) => image.src),
    );
    assert.deepEqual(missing, [], name);
    assert.ok((await page.locator("main h1").count()) >= 1, `${name} has no heading`);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth), `${name} is too wide`);
    assert.deepEqual(complaints, [], name);
  }
  await close();
});

test("the search leads to a page", async () => {
  const { page, complaints, close } = await openPage(browser, join(site, "index.html"));
  await page.keyboard.press("/");
  await page.keyboard.type("generalized");
  await page.waitForSelector("#found a");
  await page.keyboard.press("Enter");
  await page.waitForURL(/generalized_alpha\.html/);
  assert.deepEqual(complaints, []);
  await close();
});

test("the search finds a key of a model file by its name", async () => {
  const { page, complaints, close } = await openPage(browser, join(site, "docs/guide.html"));
  await page.keyboard.press("/");
  await page.keyboard.type("arc_length");
  await page.waitForSelector("#found a");
  await page.keyboard.press("Enter");
  await page.waitForURL(/model_file\.html#/);
  assert.deepEqual(complaints, []);
  await close();
});

test("a phone shows the menu when asked", async () => {
  const { page, close } = await openPage(browser, join(site, "docs/guide.html"), { viewport: { width: 390, height: 800 } });
  assert.equal(await page.locator("nav").isVisible(), false);
  await page.click("#menu");
  assert.equal(await page.locator("nav").isVisible(), true);
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth));
  await close();
});

test("a notebook's cell is short and its view leads to the report of a run", async () => {
  const script = `
import pathlib, trammel
model = trammel.Model(gravity=[0, 0, -9.81]).body("ball", kind="particle", mass=1)
results = model.analysis(end=0.2).run()
view = results.view()
print(len(results._repr_html_()), len(view._repr_html_()), pathlib.Path(view.page).resolve())`;
  const folder = mkdtempSync(join(tmpdir(), "trammel-notebook-"));
  const said = execFileSync("/usr/bin/python3", ["-c", script], { encoding: "utf8", cwd: folder }).trim();
  const [cell, view, file] = said.split(" ");
  assert.ok(Number(cell) < 2000 && Number(view) < 2000, said);
  const context = await browser.newContext({ offline: true });
  const page = await context.newPage();
  const complaints = [];
  page.on("pageerror", (error) => complaints.push(error.message));
  await page.goto(`file://${file}`);
  await page.waitForFunction(() => window.trammel !== undefined, null, { timeout: 60000 });
  assert.equal(await page.evaluate(() => window.trammel.view.machines[0].scene.bodies[0].name), "ball");
  assert.deepEqual(complaints, []);
  await context.close();
  rmSync(folder, { recursive: true });
});

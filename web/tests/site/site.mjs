// The documentation's site in a real browser, from disk: every page opens without a complaint, pictures load, the search
// finds. TRAMMEL_SITE is the folder that docs/site/build.py wrote.
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
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

test("a phone shows the menu when asked", async () => {
  const { page, close } = await openPage(browser, join(site, "docs/guide.html"), { viewport: { width: 390, height: 800 } });
  assert.equal(await page.locator("nav").isVisible(), false);
  await page.click("#menu");
  assert.equal(await page.locator("nav").isVisible(), true);
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth));
  await close();
});

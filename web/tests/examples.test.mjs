// SPDX-License-Identifier: Apache-2.0
// Every example's report opens in a browser without a complaint, moves, and carries the numbers of the results.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { cleanUp, drawn, openBrowser, openPage, root, samples, simulate } from "./support.mjs";

const pairs = 50; // channel and time, per example
// With TRAMMEL_SCREENSHOTS=folder each example's page is also kept as a picture for the documentation.
const pictures = process.env.TRAMMEL_SCREENSHOTS;

// What the page shows after the first impacts is more of the same, and takes ten seconds.
const shorter = { "13_cam": pictures ? [] : ["analysis.end=0.52"] };

const examples = readdirSync(join(root, "examples"))
  .filter((name) => /^\d\d_/.test(name))
  .sort()
  .map((name) => `examples/${name}/${name.slice(3)}.toml`)
  .filter((model) => existsSync(join(root, model)));

let browser;
before(async () => {
  browser = await openBrowser();
});
after(async () => {
  await browser.close();
  cleanUp();
});

test("there are examples", () => assert.ok(examples.length >= 8));

for (const [index, model] of examples.entries()) {
  const name = model.split("/")[1];
  test(`${name}: opens without complaint, moves, and shows the results to 32 bits of what is seen`, async () => {
    const { results, page: file } = simulate(model, name, ...(shorter[name] ?? []));
    const { page, complaints, close } = await openPage(browser, file);

    const wanted = samples(results, pairs, 1000 + index);
    // A machine with very many channels carries some with fewer frames: those are compared where they have one.
    const found = await page.evaluate(
      (list) =>
        list.map(([channel, row]) => {
          const run = window.trammel.report.runs[0];
          const c = run.channel(channel);
          const span = c && c.values.reduce(([a, b], x) => [Math.min(a, x), Math.max(b, x)], [Infinity, -Infinity]);
          if (!c || c.resolution === "complete" || c.solver) return c && { value: c.values[row], whole: true, span };
          const kept = c.times.indexOf(run.times[row]);
          return kept < 0 || c.values.length === 0 ? { whole: false } : { value: c.values[kept], whole: false, span };
        }),
      wanted,
    );
    const all = await page.evaluate((room) => {
      const run = window.trammel.report.runs[0];
      return run.header.n_frames * run.channels.size < room;
    }, 1_200_000); // ReportOptions::max_channel_numbers
    let compared = 0;
    wanted.forEach(([channel, row, value], i) => {
      assert.ok(found[i], `the page has no channel ${channel}`);
      if (all) assert.ok(found[i].whole, `${channel} is not complete`);
      if (found[i].value === undefined) return;
      ++compared;
      // 32 bits of what a plot of the channel spans, or of the number itself where it is constant.
      const [low, high] = found[i].span;
      const size = high > low ? high - low : Math.abs(value);
      assert.ok(Math.abs(found[i].value - value) <= 2 ** -23 * size + 1e-44, `${channel}, row ${row}: ${found[i].value}, not ${value}`);
    });
    assert.ok(compared >= (all ? pairs : 10), `${compared} pairs were compared`);

    // Bodies are drawn where the results say: the pose at a frame is the recorded one.
    const gap = await page.evaluate(() => {
      const { report, player, view } = window.trammel;
      const motion = view.machines[0].motion;
      const names = view.machines[0].scene.bodies.map((body) => body.name);
      const row = Math.floor(0.6 * report.runs[0].times.length);
      player.seek(report.runs[0].times[row]);
      let most = 0;
      names.forEach((body, b) =>
        ["x", "y", "z"].forEach((axis, k) => {
          const c = report.runs[0].channel(`${body}.position.${axis}`);
          const kept = c.resolution === "complete" ? row : c.times.indexOf(report.runs[0].times[row]);
          if (kept >= 0 && c.values.length > 0)
            most = Math.max(most, Math.abs(c.values[kept] - motion.position[3 * b + k]));
        }),
      );
      return most / view.machines[0].size;
    });
    assert.ok(gap < 1e-6, `bodies are ${gap} of the machine's size away from where they should be`);

    await page.evaluate(() => {
      const { player } = window.trammel;
      player.seek(player.start + 0.37 * (player.end - player.start));
    });
    await drawn(page);
    if (pictures) {
      mkdirSync(pictures, { recursive: true });
      await page.screenshot({ path: join(pictures, `report_${name}.png`) });
    }
    assert.deepEqual(complaints, []);
    await close();
    rmSync(results);
  });
}

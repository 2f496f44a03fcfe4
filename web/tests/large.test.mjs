// SPDX-License-Identifier: Apache-2.0
// Long runs and many bodies: what is drawn stays what a screen can show, whatever the results hold.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { cleanUp, drawn, folder, openBrowser, openPage, trammel } from "./support.mjs";

let browser;
before(async () => {
  browser = await openBrowser();
});
after(async () => {
  await browser.close();
  cleanUp();
});

/** Opens every tab; how long each took until its picture was there is told, not judged: machines differ. */
async function openTabs(page, t) {
  const took = [];
  for (const name of ["Bodies", "Solver", "About", "Plots"]) {
    const time = await page.evaluate(async (tab) => {
      const begun = performance.now();
      [...document.querySelectorAll(".tab")].find((button) => button.textContent === tab).click();
      void document.body.offsetHeight; // laid out
      const script = performance.now() - begun;
      await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
      return script;
    }, name);
    took.push(`${name} ${time.toFixed(0)} ms`);
  }
  const bytes = await page.evaluate(() => performance.memory?.usedJSHeapSize ?? NaN);
  t.diagnostic(`tabs: ${took.join(", ")}; heap ${(bytes / 1e6).toFixed(0)} MB`);
}

// A measure with one spike in a hundred thousand frames: it must be seen at every zoom.
test("500 000 steps and 100 001 frames are drawn as few points, and no spike is lost", async (t) => {
  writeFileSync(
    join(folder, "long.toml"),
    `title = "Long"
[[body]]
name = "ball"
kind = "particle"
mass = 1
position = [0.1, 0, 0]
velocity = [0, 0.2, 0]
[[force]]
name = "pull"
kind = "force"
body = "ball"
force = ["-40*ball.x", "-90*ball.y", 0]
[[measure]]
name = "radius"
expression = "sqrt(ball.x^2 + ball.y^2)"
unit = "m"
[[measure]]
name = "spike"
expression = "exp(-((t - 321.125)/2e-3)^2)"
unit = "m"
[analysis]
end = 500
[solver]
integrator = "generalized_alpha"
h = 1e-3
[output]
interval = 5e-3
`,
  );
  trammel("run", "long.toml", "-q", "--report");
  const { page, complaints, close } = await openPage(browser, join(folder, "long.html"));
  const { steps, frames } = await page.evaluate(() => {
    const { header } = window.trammel.report.runs[0];
    return { steps: header.n_steps, frames: header.n_frames };
  });
  assert.equal(steps, 500000);
  assert.equal(frames, 100001);
  await openTabs(page, t);
  const look = () =>
    page.evaluate(() =>
      window.trammel.plots.shown.map((panel) => ({
        points: panel.points,
        curves: panel.shown.length,
        width: panel.element.clientWidth,
        highest: Math.max(...panel.plot.data.slice(1).map((column) => column.reduce((most, y) => Math.max(most, y ?? -Infinity), -Infinity))),
        names: panel.shown.map((curve) => curve.label),
      })),
    );
  const judge = (panels) => {
    for (const { points, curves, width, names } of panels) assert.ok(points <= 4 * curves * width, `${names}: ${points} points on ${width} pixels`);
    const spike = panels.find(({ names }) => names.includes("spike"));
    assert.ok(spike.highest > 0.999, `the spike is ${spike.highest}`);
  };
  judge(await look());
  await page.evaluate(() => window.trammel.plots.zoom(300, 350));
  judge(await look());
  await page.evaluate(() => window.trammel.plots.zoom(321, 321.25));
  judge(await look());
  const solver = await page.evaluate(() => window.trammel.report.runs[0].solverTimes.length);
  assert.ok(solver <= 600000, `${solver} rows of the solver's story`);
  assert.deepEqual(complaints, []);
  await close();
});

test("1000 bodies are drawn by few calls, found by name, and reached by keys", async (t) => {
  const bodies = Array.from(
    { length: 1000 },
    (_, i) => `[[body]]
name = "b${i}"
position = [${0.3 * (i % 32)}, ${0.3 * Math.floor(i / 32)}, ${2 + 0.1 * ((7 * i) % 13)}]
velocity = [${0.1 * (i % 5)}, 0, ${0.3 * (i % 7)}]
angular_velocity = [0, ${i % 4}, 1]
shape = { kind = "sphere", radius = 0.1, density = 1000 }
`,
  );
  writeFileSync(join(folder, "many.toml"), `title = "Many"\ngravity = [0, 0, -9.81]\n${bodies.join("")}\n[analysis]\nend = 1\n[output]\ninterval = 0.01\n`);
  trammel("run", "many.toml", "-q", "--report");
  const { page, complaints, close } = await openPage(browser, join(folder, "many.html"));
  await openTabs(page, t);
  const calls = await page.evaluate(() => window.trammel.view.machines[0].group.children.length);
  assert.ok(calls < 40, `${calls} calls`);
  await page.getByRole("tab", { name: "Bodies" }).click();
  assert.ok((await page.locator(".body-item").count()) <= 200, "the list is cut, and can be searched");
  await page.getByLabel("Find a body").fill("b987");
  await page.locator(".body-item").first().click();
  assert.equal(await page.locator(".inspector h2").textContent(), "b987");
  await page.keyboard.press("n");
  assert.equal(await page.locator(".inspector h2").textContent(), "b988");
  await page.evaluate(() => window.trammel.player.seek(0.5));
  await drawn(page);
  assert.deepEqual(complaints, []);
  await close();
});

test("on a phone the slider of time spans the width; every control has a name and can be reached by keys", async () => {
  writeFileSync(join(folder, "one.toml"), `[[body]]\nname = "ball"\nkind = "particle"\nmass = 1\n[analysis]\nend = 1\n`);
  trammel("run", "one.toml", "-q", "--report");
  const { page, complaints, close } = await openPage(browser, join(folder, "one.html"), { viewport: { width: 390, height: 800 }, hasTouch: true });
  const { slider, width } = await page.evaluate(() => ({
    slider: document.querySelector('.track input[type="range"]').getBoundingClientRect().width,
    width: window.innerWidth,
  }));
  assert.ok(slider > 0.85 * width, `the slider has ${slider} of ${width} pixels`);
  const nameless = await page.evaluate(() =>
    [...document.querySelectorAll("button, input, select, summary, [role=separator]")]
      .filter((one) => !(one.getAttribute("aria-label") || one.title || one.textContent.trim() || one.placeholder))
      .map((one) => one.outerHTML),
  );
  assert.deepEqual(nameless, []);
  const unreachable = await page.evaluate(() => [...document.querySelectorAll("button, input, select, summary")].filter((one) => one.tabIndex < 0).length);
  assert.equal(unreachable, 0);
  assert.equal(await page.getByRole("slider", { name: "Time" }).count(), 1);
  assert.equal(await page.getByRole("tab", { selected: true }).count(), 1);
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth));
  assert.deepEqual(complaints, []);
  await close();
});

// axis = "y": the polygon's x is the body's x, its y the body's −z (docs/model_file.md); axis = "x": they are y and z.
test("an extrusion along y or x is drawn as the documentation says", async () => {
  const model = (axis) => `[[body]]
name = "wedge"
mass = 1
inertia = [0.1, 0.1, 0.1]
[[geometry]]
name = "shape"
kind = "extrusion"
body = "wedge"
polygon = [[0, 0], [0.4, 0], [0.4, 0.1], [0, 0.3]]
length = 0.2
axis = "${axis}"
[analysis]
end = 0.1
`;
  const expected = { y: [[0, 0.4], [-0.1, 0.1], [-0.3, 0]], x: [[-0.1, 0.1], [0, 0.4], [0, 0.3]] };
  for (const axis of ["y", "x"]) {
    writeFileSync(join(folder, `wedge_${axis}.toml`), model(axis));
    trammel("run", `wedge_${axis}.toml`, "-q", "--report");
    const { page, complaints, close } = await openPage(browser, join(folder, `wedge_${axis}.html`));
    const box = await page.evaluate(() => {
      const machine = window.trammel.view.machines[0];
      const [mesh] = machine.pickable;
      const part = mesh.userData.parts[0];
      const bounds = mesh.geometry.boundingBox.clone().applyMatrix4(part.matrix);
      return ["x", "y", "z"].map((k) => [bounds.min[k], bounds.max[k]]);
    });
    expected[axis].forEach((ends, k) => ends.forEach((x, i) => assert.ok(Math.abs(box[k][i] - x) < 1e-6, `${axis}: ${JSON.stringify(box)}`)));
    assert.deepEqual(complaints, []);
    await close();
  }
});

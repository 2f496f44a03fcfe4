// SPDX-License-Identifier: Apache-2.0
// What a machine stands on and stands in, and plots in which every curve is seen.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { cleanUp, drawn, folder, groundInView, openBrowser, openPage, phone, railsBelow, simulate, trammel, wheelAboveGround } from "./support.mjs";

let browser, car;
before(async () => {
  browser = await openBrowser();
  car = simulate("examples/15_passenger_car/passenger_car.toml", "car");
});
after(async () => {
  await browser.close();
  cleanUp();
});

for (const [where, options] of [
  ["a desktop", {}],
  ["a phone in the dark", { ...phone, colorScheme: "dark" }],
])
  test(`a car that drives 100 m stays on its ground, on ${where}`, async () => {
    const { page, complaints, close } = await openPage(browser, car.page, options);
    await groundInView(page);
    // Tyres stand on the road of the model, z = 0, and their wheels reach it to less than a pixel.
    assert.equal(await page.evaluate(() => window.trammel.view.ground.level), 0);
    const pixels = await wheelAboveGround(page);
    assert.ok(Math.abs(pixels) < 1, `the wheel is ${pixels} pixels above the road`);
    assert.deepEqual(complaints, []);
    await close();
  });

test("a carriage runs on rails along its track", async () => {
  const carriage = simulate("examples/12_carriage/carriage.toml", "carriage", "analysis.end=3");
  const { page, complaints, close } = await openPage(browser, carriage.page);
  await groundInView(page);
  const { gaps, tops } = await railsBelow(page);
  assert.ok(Math.max(...gaps) < 2, `a body is ${Math.max(...gaps)} m from the middle of the track`);
  assert.ok(tops.filter((z) => Math.abs(z) < 1e-6).length >= 2, "two rails have their tops at z = 0");
  assert.deepEqual(complaints, []);
  await close();
});

test("a box around a ball is seen through, unless the model says otherwise", async () => {
  const model = (opacity) => `gravity = [0, 0, -9.81]
[[body]]
name = "ball"
mass = 1
shape = { kind = "sphere", radius = 0.1 }
[[geometry]]
name = "room"
kind = "box"
size = [2, 2, 2]
${opacity}
[[geometry]]
name = "wall"
kind = "plane"
axis = "x"
position = [-0.9, 0, 0]
[[geometry]]
name = "floor"
kind = "plane"
position = [0, 0, -0.95]
[analysis]
end = 0.1
`;
  for (const [name, opacity, expected] of [
    ["clear", "", { room: 0.22, wall: 0.22 }],
    ["told", "opacity = 0.8", { room: 0.8, wall: 0.22 }],
    ["solid", "opacity = 1", { room: 1, wall: 0.22 }],
  ]) {
    writeFileSync(join(folder, `${name}.toml`), model(opacity));
    trammel("run", `${name}.toml`, "-q", "--report");
    const { page, complaints, close } = await openPage(browser, join(folder, `${name}.html`));
    const seen = await page.evaluate(() =>
      window.trammel.view.machines[0].batches.flatMap(({ mesh, parts }) =>
        parts.map((part) => ({ body: part.body, wide: part.extent, opacity: mesh.material.opacity })),
      ),
    );
    const ground = seen.filter((part) => part.body < 0);
    const room = ground.find((part) => Math.abs(part.wide - Math.sqrt(3)) < 1e-3);
    assert.equal(room.opacity, expected.room);
    assert.equal(ground.filter((part) => part !== room && part.opacity === expected.wall).length, 1, "the wall");
    assert.equal(ground.filter((part) => part !== room && part.opacity === 1).length, 1, "the floor");
    assert.equal(seen.find((part) => part.body === 0).opacity, 1, "the ball");
    assert.ok(Math.abs((await page.evaluate(() => window.trammel.view.ground.level)) + 0.95) < 1e-3, "the ground is the floor");
    assert.deepEqual(complaints, []);
    await close();
  }
});

test("an opacity beyond 1 is refused by name", () => {
  writeFileSync(join(folder, "bad.toml"), `[[body]]\nname = "b"\nmass = 1\n[[geometry]]\nkind = "box"\nsize = [1, 1, 1]\nopacity = 1.5\n[analysis]\nend = 1\n`);
  assert.throws(() => trammel("check", "bad.toml"), /bad\.toml:7:.*opacity/);
});

/** Of every curve: how much of its plot it spans. */
const spans = (page) =>
  page.evaluate(() =>
    window.trammel.plots.shown.flatMap((panel) =>
      panel.drawn.map((curve) => {
        const values = Array.from(curve.y).filter((x) => x !== null);
        const [low, high] = [Math.min(...values), Math.max(...values)];
        const scale = panel.plot.scales[curve.scale];
        const alone = panel.drawn.filter((other) => other.scale === curve.scale).length === 1;
        const constant = high - low <= 1e-6 * Math.max(Math.abs(low), Math.abs(high));
        return { label: curve.label, part: (high - low) / (scale.max - scale.min), alone, constant };
      }),
    ),
  );

test("every curve spans a third of its plot or has a scale of its own", async () => {
  const { page, complaints, close } = await openPage(browser, car.page);
  const found = await spans(page);
  assert.ok(found.length >= 6);
  for (const curve of found) assert.ok(curve.constant || curve.alone || curve.part >= 1 / 3, JSON.stringify(curve));
  const slow = found.find((curve) => /v_lat/.test(curve.label));
  assert.ok(slow.part > 0.5, "v_lat beside v_long = 20 m/s is no flat line");
  await page.getByText("time [s]").count(); // drawn on the canvas: nothing to find, and nothing to complain of
  const labels = await page.evaluate(() => window.trammel.plots.shown.map((panel) => panel.plot.axes[0].label));
  assert.ok(labels.every((label) => label === "time [s]"));
  assert.deepEqual(complaints, []);
  await close();
});

test("a spectrum shows the amplitude of a sine at its frequency, and a plot over a channel its path", async () => {
  // A spring swings with 2 Hz and 0.03 m about its rest; 8 s hold 16 swings.
  writeFileSync(
    join(folder, "swing.toml"),
    `[[body]]
name = "mass"
mass = 1
inertia = [1, 1, 1]
position = [1.03, 0, 0]
[[joint]]
name = "guide"
kind = "prismatic"
bodies = ["ground", "mass"]
point = [0, 0, 0]
axis = "x"
[[force]]
name = "spring"
kind = "spring_damper"
bodies = ["ground", "mass"]
point_a = [0, 0, 0]
point_b = [1.03, 0, 0]
stiffness = "(2*pi*2)^2"
free_length = 1
[analysis]
end = 8
`,
  );
  trammel("run", "swing.toml", "-q", "--report");
  const { page, complaints, close } = await openPage(browser, join(folder, "swing.html"));
  await page.evaluate(() => window.trammel.plots.addPanel(["mass.position.x"]));
  const last = page.locator(".plots .panel").last();
  await last.locator(".menu summary").click();
  await last.getByText("Spectrum").click();
  await drawn(page);
  const { f, a } = await page.evaluate(() => {
    const panel = window.trammel.plots.shown.at(-1);
    const { x, y } = panel.drawn[0];
    const k = y.indexOf(Math.max(...y));
    return { f: x[k], a: y[k] };
  });
  assert.ok(Math.abs(f - 2) < 0.01 && Math.abs(a - 0.03) < 2e-4, `${a} m at ${f} Hz`);

  await page.evaluate(() => window.trammel.plots.addPanel(["mass.velocity.x"], "mass.position.x"));
  await drawn(page);
  // ẋ²/ω² + (x − 1)² = A² at every point of the path.
  const worst = await page.evaluate(() => {
    const { x, y } = window.trammel.plots.shown.at(-1).drawn[0];
    const w = 4 * Math.PI;
    return Math.max(...Array.from(x, (p, i) => Math.abs(Math.hypot(p - 1, y[i] / w) - 0.03)));
  });
  assert.ok(worst < 1e-5, `${worst} m`);
  const csv = await page.evaluate(() => window.trammel.plots.shown.at(-1).csv());
  const [head, first] = csv.split("\n");
  assert.equal(head, "time [s],mass.position.x [m],mass.velocity.x [m/s]");
  assert.deepEqual(first.split(",").map(Number).slice(0, 2), [0, 1.03]);

  for (const kind of ["PNG", "SVG", "CSV"]) {
    const panel = page.locator(".plots .panel").first();
    await panel.locator(".menu summary").click();
    const [download] = await Promise.all([page.waitForEvent("download"), panel.getByText(`Save ${kind}`).click()]);
    const bytes = readFileSync(await download.path());
    assert.match(download.suggestedFilename(), new RegExp(`\\.${kind.toLowerCase()}$`));
    if (kind === "PNG") assert.equal(bytes.subarray(1, 4).toString(), "PNG");
    if (kind === "SVG") assert.match(bytes.toString(), /^<svg [^]*time \[s\][^]*<path d="M[^]*<\/svg>\n$/);
    if (kind === "CSV") assert.ok(bytes.toString().split("\n").length > 400);
  }
  assert.deepEqual(complaints, []);
  await close();
});

test("logarithmic axes have ticks that are numbers", async () => {
  const { page, complaints, close } = await openPage(browser, car.page);
  await page.getByRole("tab", { name: "Solver" }).click();
  await drawn(page);
  const ticks = await page.evaluate(() =>
    window.trammel.story.panels
      .filter((panel) => panel.options.log && panel.plot)
      .map((panel) => panel.plot.axes[1]._values),
  );
  assert.ok(ticks.length >= 2);
  for (const texts of ticks) {
    assert.ok(texts.length >= 2, `too few ticks: ${texts}`);
    for (const text of texts) assert.match(text, /\d/);
  }
  assert.deepEqual(complaints, []);
  await close();
});

test("beams are coloured by their bending moment, with its scale beside them", async () => {
  const strip = simulate("examples/11_thin_beam/thin_beam.toml", "strip", "analysis.end=0.05");
  const { page, complaints, close } = await openPage(browser, strip.page);
  await page.evaluate(() => window.trammel.player.seek(0.04));
  const plain = await page.evaluate(() => window.trammel.view.machines[0].beams[0].mesh.material.vertexColors);
  assert.equal(plain, false);
  await page.getByLabel("What beams are coloured by").selectOption("bending_moment");
  await drawn(page);
  // The largest moment of the run is the top of the scale; the strip is brighter at its clamp than at its end.
  const { most, bright } = await page.evaluate(() => {
    const run = window.trammel.report.runs[0];
    const { names, pattern } = run.quantity("beam_force");
    let most = 0;
    for (const name of names) {
      const [a, b] = ["m2", "m3"].map((m) => run.channel(`${pattern.replace("{name}", name)}.${m}`).values);
      for (let i = 0; i < a.length; ++i) most = Math.max(most, Math.hypot(a[i], b[i]));
    }
    const beam = window.trammel.view.machines[0].beams[0];
    return { most, bright: [0, beam.rings - 1].map((r) => beam.colorAt(r)[1]) };
  });
  const shown = parseFloat(await page.locator(".color-legend span").last().textContent());
  assert.ok(Math.abs(shown - most) < 0.01 * most, `${shown}, not ${most}`);
  assert.ok(bright[0] > 2 * bright[1], `green at the clamp ${bright[0]}, at the end ${bright[1]}`);
  assert.deepEqual(complaints, []);
  await close();
});

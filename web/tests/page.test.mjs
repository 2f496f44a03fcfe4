// SPDX-License-Identifier: Apache-2.0
// What a reader does with a report: play, scrub, select, plot, compare, with mouse, keys and fingers.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { cleanUp, drawn, folder, openBrowser, openPage, simulate, trammel } from "./support.mjs";

let browser, crank;
before(async () => {
  browser = await openBrowser();
  crank = simulate("examples/03_slider_crank/slider_crank.toml", "crank");
});
after(async () => {
  await browser.close();
  cleanUp();
});

const time = (page) => page.evaluate(() => window.trammel.player.t);

test("playing moves time and bodies, pausing stops them", async () => {
  const { page, complaints, close } = await openPage(browser, crank.page);
  const crankPosition = () => page.evaluate(() => [...window.trammel.view.machines[0].motion.position.slice(0, 3)]);
  const before = await crankPosition();
  await page.getByLabel("Play (space)").click();
  await page.waitForFunction(() => window.trammel.player.t > 0.3);
  await page.getByLabel("Pause (space)").click();
  assert.notDeepEqual(await crankPosition(), before);
  const stopped = await time(page);
  await page.waitForTimeout(200);
  assert.equal(await time(page), stopped);
  assert.deepEqual(complaints, []);
  await close();
});

test("the slider and the plots lead to a time, and numbers follow", async () => {
  const { page, complaints, close } = await openPage(browser, crank.page);
  await page.getByLabel("Time", { exact: true }).fill("50000");
  assert.ok(Math.abs((await time(page)) - 1) < 1e-4);
  const stroke = page.locator(".legend-item", { hasText: "stroke" }).locator(".value");
  const expected = await page.evaluate(() => window.trammel.value(0, "measures.stroke", 1));
  assert.ok(Math.abs(parseFloat((await stroke.textContent()).replace("−", "-")) - expected) < 1e-3 * Math.abs(expected));
  // A click at a quarter of the plot's width goes to a quarter of the run.
  const over = page.locator(".u-over").first();
  const box = await over.boundingBox();
  await page.mouse.click(box.x + box.width / 4, box.y + box.height / 2);
  assert.ok(Math.abs((await time(page)) - 0.5) < 0.01);
  assert.deepEqual(complaints, []);
  await close();
});

test("keys play, step, turn and toggle", async () => {
  const { page, complaints, close } = await openPage(browser, crank.page);
  const interval = await page.evaluate(() => window.trammel.report.runs[0].times[1]);
  await page.keyboard.press("ArrowRight");
  assert.ok(Math.abs((await time(page)) - interval) < 1e-12);
  await page.keyboard.press("Shift+ArrowRight");
  assert.ok(Math.abs((await time(page)) - 11 * interval) < 1e-12);
  await page.keyboard.press("End");
  assert.equal(await time(page), 2);
  await page.keyboard.press("Home");
  assert.equal(await time(page), 0);
  for (const [key, layer] of [
    ["r", "reactions"],
    ["a", "axes"],
    ["j", "joints"],
  ]) {
    const before = await page.evaluate((l) => window.trammel.view.layers[l], layer);
    await page.keyboard.press(key);
    assert.equal(await page.evaluate((l) => window.trammel.view.layers[l], layer), !before);
  }
  const theme = () => page.evaluate(() => document.documentElement.dataset.theme);
  assert.equal(await theme(), "light");
  await page.keyboard.press("d");
  assert.equal(await theme(), "dark");
  await page.keyboard.press("?");
  assert.ok(await page.locator("dialog.help").isVisible());
  await page.keyboard.press("Escape");
  await page.keyboard.press("Space");
  assert.equal(await page.evaluate(() => window.trammel.player.playing), true);
  await drawn(page);
  assert.deepEqual(complaints, []);
  await close();
});

test("a click on a body selects it and shows its numbers", async () => {
  const { page, complaints, close } = await openPage(browser, crank.page);
  await drawn(page);
  const slider = 2;
  const [x, y] = await page.evaluate((body) => window.trammel.view.screenPosition(body), slider);
  await page.mouse.click(x, y);
  assert.equal(await page.evaluate(() => window.trammel.selected()), slider);
  assert.equal(await page.locator(".inspector h2").textContent(), "slider");
  const row = page.locator(".numbers tr", { hasText: "position" }).first();
  const shown = parseFloat((await row.locator("td").first().textContent()).replace("−", "-"));
  assert.ok(Math.abs(shown - 0.6) < 1e-3); // r + l, as drawn
  // Reactions act on the body that is looked at: the guide holds the slider, the slider pushes the rod.
  const guide = page.locator(".numbers tr", { hasText: "guide" });
  const force = await page.evaluate(() => window.trammel.value(0, "guide.reaction_force.z", 0));
  const text = await guide.locator("td").nth(2).textContent();
  assert.ok(Math.abs(parseFloat(text.replace("−", "-")) - force) < 2e-3 * Math.abs(force));
  await row.getByLabel("Plot position").click();
  assert.ok(await page.locator(".legend-item", { hasText: "slider.position.x" }).isVisible());
  assert.deepEqual(complaints, []);
  await close();
});

test("springs on the joints of a body are shown with their effort", async () => {
  const { page: file } = simulate("examples/04_four_bar/four_bar.toml", "four_bar", "analysis.end=0.5");
  const { page, complaints, close } = await openPage(browser, file);
  await page.evaluate(() => window.trammel.select(2)); // the rocker
  await page.evaluate(() => window.trammel.player.seek(0.4));
  await drawn(page);
  const row = page.locator(".numbers tr", { hasText: "return_spring (on B0)" });
  const effort = await page.evaluate(() => window.trammel.value(0, "return_spring.applied_effort", 0.4));
  const shown = parseFloat((await row.locator("td").first().textContent()).replace("−", "-"));
  assert.ok(Math.abs(effort) > 1e-3);
  assert.ok(Math.abs(shown - effort) < 2e-3 * Math.abs(effort));
  await page.evaluate(() => window.trammel.select(0)); // the crank has none
  assert.equal(await row.count(), 0);
  assert.deepEqual(complaints, []);
  await close();
});

test("a beam is drawn through its nodes as it deforms, and a click finds a node", async () => {
  const { page: file } = simulate("examples/11_thin_beam/thin_beam.toml", "thin_beam", "analysis.end=0.02", "output.interval=2e-3");
  const { page, complaints, close } = await openPage(browser, file);
  await page.evaluate(() => window.trammel.player.seek(0.018));
  await drawn(page);
  const { gap, bent, rings } = await page.evaluate(() => {
    const { beams, motion, scene, size } = window.trammel.view.machines[0];
    const strip = beams[0];
    const at = (node) => [0, 1, 2].map((i) => motion.position[3 * node + i]);
    const far = (a, b) => Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
    const elements = strip.beam.nodes.length / 4;
    const perElement = (strip.rings - 1) / elements;
    let gap = 0;
    for (let e = 0; e < elements; ++e) gap = Math.max(gap, far(strip.center(e * perElement), at(strip.beam.nodes[4 * e])));
    const tip = at(strip.beam.nodes.at(-1));
    return { gap: gap / size, bent: Math.abs(tip[2]), rings: strip.rings, n: scene.beams.length };
  });
  assert.ok(gap < 1e-6, `the drawn line passes its nodes at ${gap} of the machine's size`);
  assert.ok(bent > 1e-6, "the beam bends");
  assert.ok(rings > 30);
  const node = await page.evaluate(() => window.trammel.view.machines[0].scene.bodies.findIndex((b) => b.name === "strip_12"));
  await page.keyboard.press("2"); // from the front: the strip is 0.1 m high
  await drawn(page);
  const [x, y] = await page.evaluate((body) => window.trammel.view.screenPosition(body), node);
  await page.mouse.click(x, y);
  assert.match(await page.locator(".inspector h2").textContent(), /^strip_1[123]$/);
  assert.deepEqual(complaints, []);
  await close();
});

test("a point is marked where bodies press on each other, while they do", async () => {
  writeFileSync(
    join(folder, "ball.toml"),
    `[[body]]
name = "ball"
position = [0, 0, 0.12]
velocity = [0.5, 0, 0]
shape = { kind = "sphere", radius = 0.1, density = 1000 }
[[geometry]]
name = "floor"
kind = "plane"
[[contact]]
name = "bounce"
between = ["ball", "floor"]
law = "hunt_crossley"
stiffness = 1e5
restitution = 0.7
impact_speed = 2
[analysis]
end = 0.2
[output]
interval = 1e-4
`,
  );
  trammel("run", "ball.toml", "-q", "--report");
  const { page, complaints, close } = await openPage(browser, join(folder, "ball.html"));
  const marked = () =>
    page.evaluate(() => {
      const mesh = window.trammel.view.machines[0].group.children.find((child) => child.name === "contacts");
      return [...mesh.instanceMatrix.array.slice(0, 16)];
    });
  assert.equal((await marked())[0], 0, "in the air nothing is marked");
  const at = await page.evaluate(() => {
    const { report, player } = window.trammel;
    const touching = report.runs[0].channel("bounce.touching");
    const row = touching.values.findIndex((n) => n > 0) + 2;
    player.seek(touching.times[row]);
    return ["x", "y", "z"].map((axis) => report.runs[0].channel(`bounce.contact_point.${axis}`).values[row]);
  });
  await drawn(page);
  const matrix = await marked();
  assert.ok(matrix[0] > 0);
  at.forEach((x, i) => assert.ok(Math.abs(matrix[12 + i] - x) < 1e-6));
  assert.ok(Math.abs(at[2]) < 0.01, "on the floor");
  // The area that is pressed, as a disc across the normal.
  const [disc, area] = await page.evaluate(() => {
    const { report, player, view } = window.trammel;
    const patches = view.machines[0].group.children.filter((child) => child.name === "contacts")[1];
    const pressed = report.runs[0].channel("bounce.contact_area");
    return [[...patches.instanceMatrix.array.slice(0, 16)], pressed.values[pressed.times.indexOf(player.t)]];
  });
  assert.ok(area > 0);
  assert.ok(Math.abs(Math.hypot(disc[0], disc[1], disc[2]) / Math.sqrt(area / Math.PI) - 1) < 1e-4);
  assert.ok(Math.abs(disc[10]) > 0 && Math.abs(disc[8]) + Math.abs(disc[9]) < 1e-9, "it lies on the floor");
  const toggle = page.getByRole("button", { name: "Contacts" });
  assert.equal(await toggle.getAttribute("aria-pressed"), "true");
  await page.keyboard.press("c");
  assert.equal(await toggle.getAttribute("aria-pressed"), "false");
  assert.deepEqual(complaints, []);
  await close();
});

test("the camera follows a body and takes its presets", async () => {
  const { page, complaints, close } = await openPage(browser, crank.page);
  const slider = 2;
  await page.evaluate((body) => window.trammel.select(body), slider);
  const place = () => page.evaluate((body) => window.trammel.view.screenPosition(body), slider);
  const gap = async (t) => {
    const before = await place();
    await page.evaluate((to) => window.trammel.player.seek(to), t);
    await drawn(page);
    const after = await place();
    return Math.hypot(after[0] - before[0], after[1] - before[1]);
  };
  assert.ok((await gap(0.45)) > 20, "the slider moves in the picture");
  await page.keyboard.press("o");
  assert.ok((await gap(0.7)) < 1, "followed, it stays where it is");
  await page.keyboard.press("o");
  // From the front x points right and z up; from above y points up.
  await page.keyboard.press("2");
  await drawn(page);
  let [x, , z] = await page.evaluate(() => window.trammel.view.compass());
  assert.ok(x[0] > 0.999 && z[1] > 0.999);
  await page.keyboard.press("4");
  await drawn(page);
  let y;
  [x, y] = await page.evaluate(() => window.trammel.view.compass());
  assert.ok(x[0] > 0.999 && y[1] > 0.999);
  assert.deepEqual(complaints, []);
  await close();
});

test("any channel can be plotted by words of its name", async () => {
  const { page, complaints, close } = await openPage(browser, crank.page);
  await page.getByText("+ Plot").click();
  await page.getByLabel("Find a channel").fill("rod angular vel y");
  await page.keyboard.press("Enter");
  assert.ok(await page.locator(".legend-item", { hasText: "rod.angular_velocity.y" }).isVisible());
  assert.deepEqual(complaints, []);
  await close();
});

test("the solver's story tells steps, and where they were repeated and why", async () => {
  const adaptive = simulate(
    "examples/07_stiff_slider_crank/stiff_slider_crank.toml",
    "bdf",
    "solver={integrator=\"bdf\", rtol=1e-4, record_condition=true}",
    "analysis.end=0.3",
  );
  const { page, complaints, close } = await openPage(browser, adaptive.page);
  await page.getByRole("tab", { name: "Solver" }).click();
  if (process.env.TRAMMEL_SCREENSHOTS) {
    await page.locator(".panel-title").first().scrollIntoViewIfNeeded();
    await page.evaluate(() => window.trammel.player.seek(0.2));
    await drawn(page);
    await page.screenshot({ path: join(process.env.TRAMMEL_SCREENSHOTS, "report_solver.png") });
  }
  for (const title of ["Step size", "Order of the formula", "Newton iterations per step", "Condition number"])
    assert.ok(await page.locator(".panel-title", { hasText: title }).isVisible(), title);
  const rejected = await page.evaluate(() => {
    const run = window.trammel.report.runs[0];
    const sum = (name) => run.channel(name).values.reduce((a, b) => a + b, 0);
    return sum("solver.rejected_error") + sum("solver.rejected_newton");
  });
  assert.ok(rejected > 0);
  const reasons = await page.locator(".troubles tr.link td:last-child").allTextContents();
  assert.ok(reasons.length > 0);
  assert.ok(reasons.every((reason) => !/reason \d/.test(reason)), reasons.join("; "));
  await page.locator(".troubles tr.link").last().click();
  assert.ok((await time(page)) > 0);
  assert.deepEqual(complaints, []);
  await close();
});

test("several runs are laid over each other, with their differences and costs", async () => {
  const coarse = simulate("examples/04_four_bar/four_bar.toml", "coarse", "solver.h=4e-3");
  const fine = simulate("examples/04_four_bar/four_bar.toml", "fine", "solver.h=1e-3");
  trammel("report", fine.results, coarse.results, "-o", `${folder}/both.html`);
  const { page, complaints, close } = await openPage(browser, `${folder}/both.html`);
  assert.equal(await page.evaluate(() => window.trammel.view.machines.length), 2);
  await page.getByRole("tab", { name: "Compare" }).click();
  const row = page.locator(".compare-table tr", { hasText: "solver.h" });
  assert.deepEqual(await row.locator("td").allTextContents(), ["0.001", "0.004"]);
  if (process.env.TRAMMEL_SCREENSHOTS) {
    await page.evaluate(() => window.trammel.player.seek(2.7));
    await drawn(page);
    await page.screenshot({ path: join(process.env.TRAMMEL_SCREENSHOTS, "report_comparison.png") });
  }
  await page.getByRole("tab", { name: "Plots" }).click();
  await page.getByText("Differences").click();
  const label = page.locator(".legend-item", { hasText: "energy.total · coarse − fine" });
  assert.ok(await label.isVisible());
  await page.evaluate(() => window.trammel.player.seek(1.5));
  const expected = await page.evaluate(
    () => window.trammel.value(1, "energy.total", 1.5) - window.trammel.value(0, "energy.total", 1.5),
  );
  assert.notEqual(expected, 0);
  assert.deepEqual(complaints, []);
  await close();
});

test("a phone shows everything without sideways scrolling", async () => {
  const { page, complaints, close } = await openPage(browser, crank.page, {
    viewport: { width: 390, height: 844 },
    hasTouch: true,
    isMobile: true,
    deviceScaleFactor: 2,
  });
  await drawn(page);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(wide <= 390, `the page is ${wide} px wide`);
  assert.ok((await page.locator(".canvas canvas").boundingBox()).height > 200);
  await page.getByRole("tab", { name: "Solver" }).tap();
  assert.ok(await page.locator(".panel-title", { hasText: "Newton iterations" }).isVisible());
  assert.deepEqual(complaints, []);
  await close();
});

test("every kind of geometry is drawn where the model puts it", async () => {
  writeFileSync(join(folder, "wedge.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
  const kinds = {
    box: "size = [1, 1, 1]",
    sphere: "radius = 0.5",
    cylinder: 'radius = 0.5\nlength = 1\ninner_radius = 0.3\naxis = "x"',
    capsule: "radius = 0.25\nlength = 0.5",
    cone: "radius = 0.5\nlength = 1",
    extrusion: "polygon = [[0, 0], [1, 0], [0, 1]]\nlength = 0.2",
    mesh: 'file = "wedge.obj"',
  };
  let model = `title = "Kinds"\n[[body]]\nname = "tray"\nmass = 1\ninertia = [1, 1, 1]\n[analysis]\nend = 0.01\n[solver]\nh = 1e-3\n`;
  Object.entries(kinds).forEach(([kind, keys], i) => {
    model += `[[geometry]]\nbody = "tray"\nkind = "${kind}"\n${keys}\nposition = [${2 * i}, 0, 0]\ncolor = "#3b7dd8"\n`;
  });
  writeFileSync(join(folder, "kinds.toml"), model);
  trammel("run", "kinds.toml", "-q", "--report");
  const { page, complaints, close } = await openPage(browser, join(folder, "kinds.html"));
  const parts = await page.evaluate(() =>
    window.trammel.view.machines[0].pickable.flatMap((mesh) => {
      mesh.geometry.computeBoundingBox();
      return mesh.userData.parts
        .filter((part) => part.tint === 0)
        .map((part) => {
          const box = mesh.geometry.boundingBox.clone().applyMatrix4(part.matrix);
          return { at: Math.round(box.min.x / 2), size: [box.max.x - box.min.x, box.max.z - box.min.z] };
        });
    }),
  );
  assert.equal(parts.length, Object.keys(kinds).length);
  const size = Object.fromEntries(parts.sort((a, b) => a.at - b.at).map((part, i) => [Object.keys(kinds)[i], part.size]));
  const near = (kind, x, z) => {
    assert.ok(Math.abs(size[kind][0] - x) < 0.02 && Math.abs(size[kind][1] - z) < 0.02, `${kind}: ${size[kind]}`);
  };
  near("box", 1, 1);
  near("sphere", 1, 1);
  near("cylinder", 1, 1);
  near("capsule", 0.5, 1);
  near("cone", 1, 1);
  near("extrusion", 1, 0.2);
  near("mesh", 1, 1);
  await drawn(page);
  assert.deepEqual(complaints, []);
  await close();
});

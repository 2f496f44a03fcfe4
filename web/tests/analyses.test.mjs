// SPDX-License-Identifier: Apache-2.0
// What other analyses than a run over time show: modes that swing, a path of loads, the cases of a sweep; and what a run over
// time tells beside its motion: methods along the run, bands of error, roads and plates that move.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { after, before, test } from "node:test";
import { cleanUp, drawn, folder, openBrowser, openPage, root, trammel } from "./support.mjs";

let browser;
before(async () => {
  trammel("--version"); // makes the folder
  browser = await openBrowser();
});
after(async () => {
  await browser.close();
  cleanUp();
});

const shots = process.env.TRAMMEL_LOOK; // a folder for pictures to look at
const look = async (page, name) => {
  if (shots) await page.screenshot({ path: join(shots, `${name}.png`) });
};

function write(name, text) {
  writeFileSync(join(folder, name), text);
  return name;
}

/** Two masses on springs along x: eigenvalues ±iω, ω² = k/m (3 ∓ √5)/2. */
const twoMasses = `title = "Two masses"
gravity = [0, 0, 0]
${[1, 2]
  .map(
    (i) => `[[body]]
name = "m${i}"
mass = 2
shape = { kind = "box", size = [0.2, 0.2, 0.2] }
position = [${i}, 0, 0]
[[joint]]
name = "guide${i}"
kind = "prismatic"
bodies = ["ground", "m${i}"]
axis = "x"
[[force]]
name = "k${i}"
kind = "spring_damper"
bodies = ["${i === 1 ? "ground" : "m1"}", "m${i}"]
point_a = ${i === 1 ? "[0, 0, 0]" : '{ body = "m1", at = [0, 0, 0] }'}
point_b = { body = "m${i}", at = [0, 0, 0] }
stiffness = 800
free_length = 1
`,
  )
  .join("")}`;

test("modes swing: each with its shape and its period", async () => {
  write("masses.toml", twoMasses);
  trammel("eigen", "masses.toml", "--report");
  const { page, complaints, close } = await openPage(browser, join(folder, "masses_modes.html"));
  const rows = page.locator(".mode-table tr.link");
  assert.equal(await rows.count(), 2);
  const golden = (Math.sqrt(5) - 1) / 2;
  for (const [i, ratio, omega] of [
    [0, 1 / golden, 20 * golden],
    [1, -golden, 20 / golden],
  ]) {
    await rows.nth(i).click();
    await drawn(page);
    const { swing, end } = await page.evaluate(() => {
      const { report, player } = window.trammel;
      const { position } = report.runs[0].animation;
      return { swing: [0, 3].map((column) => [0, 12, 24].map((frame) => position.at(column, frame))), end: player.end };
    });
    const [a, b] = swing.map(([first, quarter, half]) => {
      assert.ok(Math.abs(quarter - 0.5 * (first + half)) < 1e-5, "a quarter of a cycle later it passes the middle");
      return 0.5 * (first - half);
    });
    assert.ok(Math.abs(a) > 0.02 && Math.abs(b / a - ratio) < 1e-3, `mode ${i + 1}: ${b / a}, not ${ratio}`);
    assert.ok(Math.abs((2 * Math.PI) / omega / end - 1) < 1e-5, `mode ${i + 1}: a cycle of ${end} s`);
  }
  assert.match(await page.locator(".subtitle").textContent(), /mode 2 · 5\.15 Hz/);
  assert.equal(await page.evaluate(() => window.trammel.player.playing), true);
  await look(page, "modes");
  // Larger by the slider.
  const way = () => page.evaluate(() => Math.abs(window.trammel.report.runs[0].animation.position.at(0, 0) - 1));
  const before = await way();
  await page.locator(".amplitude input").fill("2");
  assert.ok(Math.abs((await way()) / before - 2) < 1e-5);
  assert.deepEqual(complaints, []);
  await close();
});

/** A particle between two springs that are drawn with a rise of 0.3 m: presses through by snapping. */
const arch = `title = "Two bars"
gravity = [0, 0, 0]
[[body]]
name = "top"
kind = "particle"
mass = 1
position = [0, 0, 0.3]
[[joint]]
name = "guide"
kind = "point_on_line"
bodies = ["ground", "top"]
point = [0, 0, 0.3]
axis = "z"
${[-1, 1]
  .map(
    (x) => `[[force]]
name = "bar${x + 1}"
kind = "spring_damper"
bodies = ["ground", "top"]
point_a = [${x}, 0, 0]
point_b = { body = "top", at = [0, 0, 0] }
stiffness = 1000
`,
  )
  .join("")}[[force]]
name = "press"
kind = "force"
body = "top"
point = { body = "top", at = [0, 0, 0] }
force = [0, 0, -30]
[[measure]]
name = "height"
expression = "top.z"
unit = "m"
[analysis]
kind = "statics"
load_steps = 20
`;

test("statics: the slider is the part of the load, or the way along a path that snaps through", async () => {
  write("arch.toml", arch.replace("-30]", "-3]"));
  trammel("run", "arch.toml", "-q", "--report");
  let opened = await openPage(browser, join(folder, "arch.html"));
  await opened.page.getByLabel("Part of the load").fill("50000");
  assert.match(await opened.page.locator(".clock").textContent(), /^load 0\.500/);
  assert.equal(await opened.page.getByTitle("Speed against real time (↑ ↓)").isVisible(), false);
  assert.deepEqual(opened.complaints, []);
  await opened.close();

  write("snap.toml", `${arch}arc_length = true\n`);
  trammel("run", "snap.toml", "-q", "--report");
  opened = await openPage(browser, join(folder, "snap.html"));
  const { page } = opened;
  await page.getByLabel("Way along the path").fill("30000");
  await drawn(page);
  assert.match(await page.locator(".clock").textContent(), /^way .* · load /);
  // Half way the load has fallen again: f(z) = 2 k z (1 − ℓ₀/√(1 + z²)).
  const { z, load } = await page.evaluate(() => {
    const { player, value } = window.trammel;
    return { z: value(0, "measures.height", player.t), load: value(0, "statics.load", player.t) };
  });
  const own = (x) => -2 * 1000 * x * (1 - Math.hypot(1, 0.3) / Math.hypot(1, x));
  assert.ok(Math.abs(30 * load - own(z)) < 1.5, `load ${30 * load} N at z = ${z}, not ${own(z)}`);
  assert.ok(await page.locator(".legend-item", { hasText: "statics.load" }).isVisible(), "the load is plotted");
  await look(page, "statics");
  assert.deepEqual(opened.complaints, []);
  await opened.close();
});

test("a sweep has a page: table, points that lead to cases, what to compare", async () => {
  trammel("sweep", join(root, "examples/03_slider_crank/slider_crank.toml"), "--set", "parameters.r=0.1:0.2:3", "--set", "parameters.l=0.5,0.6", "--set", "analysis.end=0.2", "-o", "study", "--report", "-q");
  for (const options of [{}, { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true, colorScheme: "dark" }]) {
    const context = await browser.newContext({ offline: true, ...options });
    const page = await context.newPage();
    const complaints = [];
    page.on("console", (message) => ["error", "warning"].includes(message.type()) && complaints.push(message.text()));
    page.on("pageerror", (error) => complaints.push(error.message));
    await page.goto(pathToFileURL(join(folder, "study/cases.html")).href);
    await page.waitForFunction(() => window.sweep !== undefined);
    assert.equal(await page.locator(".cases tr").count(), 7);
    assert.equal(await page.locator(".scatters figure").first().locator("circle").count(), 6);
    await look(page, options.isMobile ? "sweep_phone" : "sweep");
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= (options.isMobile ? 390 : 1280));
    // The page shows what cases.csv says.
    const columns = await page.evaluate(() => window.sweep.sweep.columns);
    assert.ok(columns.includes("stroke max") && columns[0] === "parameters.r");
    await page.getByRole("button", { name: "driving_torque max" }).first().click();
    const torque = columns.indexOf("driving_torque max") + 2;
    const shown = await page.locator(`.cases tr td:nth-child(${torque + 1})`).allTextContents();
    const numbers = shown.map((text) => Number(text.replace("−", "-")));
    assert.deepEqual(numbers, [...numbers].sort((a, b) => a - b), "sorted");
    await page.getByLabel("Compare case 2").check();
    await page.getByLabel("Compare case 5").check();
    assert.equal(await page.locator(".command").textContent(), "trammel report case_0002.h5 case_0005.h5 -o compared.html");
    await page.getByLabel("coloured by").selectOption("nothing");
    assert.deepEqual(complaints, []);
    await page.locator("circle[data-case='6']").first().click();
    await page.waitForFunction(() => window.trammel !== undefined, null, { timeout: 60000 });
    assert.match(page.url(), /case_0006\.html$/);
    await context.close();
  }
});

test("methods along the run, errors as bands, plates that are seen to move", async () => {
  write(
    "belt.toml",
    `title = "Belt"
gravity = [0, 0, -9.81]
[[body]]
name = "belt"
mass = 20
inertia = [1, 1, 1]
[[geometry]]
name = "top"
kind = "plane"
body = "belt"
width = 2
depth = 0.6
[[body]]
name = "ball"
position = [0, 0, 0.1]
shape = { kind = "sphere", radius = 0.1, density = 1000 }
[[joint]]
name = "guide"
kind = "prismatic"
bodies = ["ground", "belt"]
axis = "x"
[[motion]]
name = "drive"
joint = "guide"
function = "0.3*sin(2*t)"
[[contact]]
name = "carry"
between = ["ball", "top"]
law = "hunt_crossley"
stiffness = 1e6
restitution = 0.3
impact_speed = 1
friction = { kind = "coulomb", mu = 0.5 }
[[measure]]
name = "place"
expression = "ball.x"
unit = "m"
[[measure]]
name = "place_error"
expression = "0.05"
unit = "m"
[analysis]
end = 3
`,
  );
  trammel("run", "belt.toml", "-q", "--report");
  const { page, complaints, close } = await openPage(browser, join(folder, "belt.html"));
  const changed = await page.evaluate(() => window.trammel.report.runs[0].header.summary.method_change_1);
  assert.match(changed, /^t = [\d.e-]+ s: radau$/);
  const at = Number(changed.match(/t = (\S+) s/)[1]);
  const mark = page.locator(".marks i.method").first();
  assert.ok(Math.abs(parseFloat(await mark.evaluate((one) => one.style.left)) - (100 * at) / 3) < 0.1);
  // The band about `place` is in the picture, and its scale has room for it; the error has no curve of its own.
  const panel = page.locator(".panel").first();
  assert.equal(await panel.locator(".legend-item").count(), 1);
  const reach = await page.evaluate(() => {
    const plot = window.trammel.plots.shown[0].plot;
    const x = window.trammel.report.runs[0].channel("measures.place").values;
    return { low: plot.scales.y0.min - (Math.min(...x) - 0.05), high: plot.scales.y0.max - (Math.max(...x) + 0.05) };
  });
  assert.ok(reach.low < 0 && reach.high > 0, JSON.stringify(reach));
  await page.getByRole("tab", { name: "Solver" }).click();
  assert.deepEqual(await page.locator(".method-bar button").evaluateAll((parts) => parts.map((part) => part.title.replace(/:.*/, ""))), ["runge kutta", "radau"]);
  await page.locator(".method-bar button").nth(1).click();
  assert.ok(Math.abs((await page.evaluate(() => window.trammel.player.t)) - at) < 1e-6);
  // Stripes on the plate go with the belt.
  const stripes = await page.evaluate(() => {
    const [machine] = window.trammel.view.machines;
    return machine.batches.flatMap((batch) => batch.parts).filter((part) => part.body === 0).length;
  });
  assert.ok(stripes > 4, `${stripes} parts of the belt`);
  await look(page, "belt");
  assert.deepEqual(complaints, []);
  await close();
});

test("a point that swings is seen with its whole way, and not followed", async () => {
  write("point.toml", `gravity = [0, 0, 0]\n[[body]]\nname = "ball"\nkind = "particle"\nmass = 1\nposition = [0.1, 0, 0]\n[[force]]\nname = "pull"\nkind = "force"\nbody = "ball"\nforce = ["-40*ball.x", 0, 0]\n[analysis]\nend = 2\n`);
  trammel("run", "point.toml", "-q", "--report");
  const { page, complaints, close } = await openPage(browser, join(folder, "point.html"));
  await drawn(page);
  const { following, size, ends } = await page.evaluate(() => {
    const { view } = window.trammel;
    const ends = [-0.1, 0.1].map((x) => Math.abs(view.up.clone().set(x, 0, 0).project(view.camera).x));
    return { following: view.following, size: view.machines[0].size, ends };
  });
  assert.equal(following, -1);
  assert.ok(Math.abs(size - 0.2) < 1e-3, `its size is ${size} m`);
  assert.ok(Math.max(...ends) < 1, "both ends of its way are in the picture");
  assert.deepEqual(complaints, []);
  await close();
});

test("a road is drawn where the wheel rolls, with its heights", async () => {
  write(
    "road.toml",
    `title = "Over a bump"
gravity = [0, 0, -9.81]
[[road]]
name = "bump"
kind = "bump"
start = 5
length = 2
height = 0.06
slope = 0.02
[[body]]
name = "fork"
mass = 300
inertia = [20, 20, 20]
position = [0, 0, 0.33]
velocity = [10, 0, 0]
[[geometry]]
body = "fork"
kind = "box"
size = [1.2, 0.5, 0.25]
position = [0, 0, 0.5]
[[body]]
name = "wheel"
mass = 20
inertia = [0.6, 1.1, 0.6]
position = [0, 0, 0.33]
velocity = [10, 0, 0]
angular_velocity = [0, 30, 0]
[[geometry]]
body = "wheel"
kind = "cylinder"
radius = 0.335
length = 0.2
axis = "y"
[[joint]]
name = "upright"
kind = "constant_orientation"
bodies = ["ground", "fork"]
[[joint]]
name = "axle"
kind = "revolute"
bodies = ["fork", "wheel"]
point = [0, 0, 0.33]
axis = "y"
[[force]]
name = "tyre"
kind = "tyre"
wheel = "wheel"
carrier = "fork"
road = "bump"
stiffness = 2e5
damping = 3000
free_radius = 0.345
rolling_radius = 0.335
nominal_load = 3200
slip_stiffness = 20
cornering_slope = 20
[analysis]
end = 1
`,
  );
  trammel("run", "road.toml", "-q", "--report");
  const { page, complaints, close } = await openPage(browser, join(folder, "road.html"));
  const gaps = await page.evaluate(async () => {
    const { view, player } = window.trammel;
    const [machine] = view.machines;
    const asphalt = view.roads[0].carrier.children[0].children.find((one) => one.name === "road");
    const points = asphalt.geometry.getAttribute("position");
    const found = [];
    for (let t = 0; t <= 1; t += 0.05) {
      player.seek(t);
      await new Promise((done) => requestAnimationFrame(done));
      const [x, , z] = machine.motion.position.slice(3, 6);
      let [near, height] = [Infinity, 0];
      for (let i = 0; i < points.count; ++i)
        if (Math.abs(points.getX(i) - x) < near) [near, height] = [Math.abs(points.getX(i) - x), points.getZ(i)];
      found.push({ x, height, expected: 0.02 * x + (x > 5 && x < 7 ? 0.03 * (1 - Math.cos(Math.PI * (x - 5))) : 0), gap: z - 0.335 - height, near });
    }
    return found;
  });
  for (const { x, height, expected, gap, near } of gaps) {
    assert.ok(near < 0.13 && Math.abs(height - expected) < 0.02 * near + 0.1 * near + 1e-4, `at x = ${x} the road is ${height} high, not ${expected}`);
    assert.ok(gap > -0.06 && gap < 0.12, `at x = ${x} the wheel is ${gap} m above the road`);
  }
  await page.evaluate(() => window.trammel.player.seek(0.55));
  await drawn(page);
  await look(page, "road");
  assert.deepEqual(complaints, []);
  await close();
});

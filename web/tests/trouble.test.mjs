// SPDX-License-Identifier: Apache-2.0
// Results that are empty, damaged, interrupted or full of NaN, and machines of every kind: said plainly, shown as far as
// they go.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { cleanUp, drawn, folder, openBrowser, openPage, simulate, trammel } from "./support.mjs";

let browser;
before(async () => {
  browser = await openBrowser();
});
after(async () => {
  await browser.close();
  cleanUp();
});

/** Changes a results file with h5py; `file` is the open file. */
function change(results, python) {
  const script = `import h5py\nwith h5py.File(${JSON.stringify(results)}, "r+") as file:\n    ${python}\n`;
  execFileSync("/usr/bin/python3", ["-c", script]);
}

test("a channel that is not finite interrupts its curve and is named with its time", async () => {
  const { results, page: file } = simulate("examples/01_pendulum/pendulum.toml", "nan");
  change(results, `file["/frames/position"][100:, 0, 0] = float("nan")`);
  trammel("report", results, "-o", file);
  const { page, complaints, close } = await openPage(browser, file);
  await page.getByRole("tab", { name: "About" }).click();
  const notice = await page.locator(".about .notice").first().textContent();
  assert.equal(notice, "bob.position.x is not a finite number from t = 2 s on."); // frames are 0.02 s apart
  await page.evaluate(() => {
    window.trammel.plots.addPanel(["bob.position.x"]);
    window.trammel.player.seek(window.trammel.player.end); // a body that is nowhere is not drawn
  });
  await drawn(page);
  assert.deepEqual(complaints, []);
  await close();
});

test("a run that failed shows its failure, and how far it came", async () => {
  const model = join(folder, "stuck.toml");
  writeFileSync(
    model,
    `title = "Stuck"
[[body]]
name = "rod"
mass = 1
inertia = [0.1, 0.1, 0.1]
position = [1, 0, 0]
[[joint]]
name = "hinge"
kind = "revolute"
bodies = ["ground", "rod"]
point = [0, 0, 0]
axis = "y"
[[force]]
name = "push"
kind = "force"
body = "rod"
point = { body = "rod", at = [0, 0, 0] }
force = ["sqrt(0.2 - t)", 0, 0]
[analysis]
end = 1
[solver]
h = 1e-3
`,
  );
  assert.throws(() => trammel("run", model, "-q", "--report", "-o", join(folder, "stuck.h5")), /Command failed/);
  const { page, complaints, close } = await openPage(browser, join(folder, "stuck.html"));
  await page.getByText("Run failed").click();
  assert.ok((await page.locator("pre.failure").textContent()).length > 20);
  const end = await page.evaluate(() => window.trammel.player.end);
  assert.ok(end > 0.15 && end < 0.25);
  assert.deepEqual(complaints, []);
  await close();
});

test("an alarm stands in the head of the page, apart from notes", async () => {
  const { page: file } = simulate("examples/01_pendulum/pendulum.toml", "alarm", "solver.h=0.03", "analysis.end=10");
  const { page, complaints, close } = await openPage(browser, file);
  const badge = page.locator("button.badge.bad");
  assert.match(await badge.innerText(), /^\d+ alarms?$/);
  await badge.click();
  assert.match(await page.locator("p.notice", { hasText: "Alarm: " }).first().innerText(), /at t = /);
  assert.deepEqual(complaints, []);
  await close();
});

test("results without frames or without a scene still open", async () => {
  const { results, page: file } = simulate("examples/02_double_pendulum/double_pendulum.toml", "bare", "analysis.end=0.1");
  change(results, `(file if "scene" in file else file.attrs).pop("scene")`);
  trammel("report", results, "-o", file);
  let opened = await openPage(browser, file);
  await drawn(opened.page);
  assert.equal(await opened.page.evaluate(() => window.trammel.view.machines[0].scene.bodies.length), 2);
  assert.deepEqual(opened.complaints, []);
  await opened.close();

  change(results, `[group.resize(0, axis=0) for group in [file["/time"], *file["/frames"].values()]]`);
  trammel("report", results, "-o", file);
  opened = await openPage(browser, file);
  assert.ok(await opened.page.getByText("No frames were recorded: there is no motion to show.").isVisible());
  await opened.page.getByRole("tab", { name: "Solver" }).click();
  assert.deepEqual(opened.complaints, []);
  await opened.close();
});

// Machines with every kind of joint, one after the other in one browser.
const machines = ["bricard", "governor", "net", "sleigh", "spatial_four_bar", "turntable", "wheel", "pendulum_rod_spring"];
for (const name of machines)
  test(`${name}: opens without complaint`, async () => {
    const { page: file } = simulate(`examples/models/${name}.toml`, name, "analysis.end=0.2");
    const { page, complaints, close } = await openPage(browser, file);
    await page.evaluate(() => {
      const { player, view } = window.trammel;
      for (const layer of Object.keys(view.layers)) view.layers[layer] = true;
      player.seek(player.end);
    });
    await drawn(page);
    const finite = await page.evaluate(() => {
      const size = window.trammel.view.machines[0].bounds;
      return Number.isFinite(size.min.x + size.max.z) && !size.isEmpty();
    });
    assert.ok(finite);
    assert.deepEqual(complaints, []);
    await close();
  });

test("a machine of a thousand bodies: small page, few calls per picture", async () => {
  const { results, page: file } = simulate(
    "examples/models/chain.toml",
    "chain",
    "parameters.N=1000",
    "analysis.end=0.05",
    "output.interval=5e-4",
  );
  trammel("report", results, "-o", file, "--channel", "link_500.position");
  assert.ok(statSync(file).size < 5e6);
  const { page, complaints, close } = await openPage(browser, file, { viewport: { width: 640, height: 480 } });
  // Bodies of one shape are drawn together: what a picture costs does not grow with their number.
  const calls = await page.evaluate(async () => {
    const { player, view } = window.trammel;
    player.seek(0.5 * (player.start + player.end));
    await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
    return view.renderer.info.render.calls;
  });
  assert.ok(calls > 0 && calls < 40, `${calls} calls per picture`);
  assert.equal(await page.evaluate(() => window.trammel.report.runs[0].animation.quantised), true);
  // Rounded to 16 bits of the link's own path: half a step of its range, plus float32.
  const { error, range } = await page.evaluate(() => {
    const run = window.trammel.report.runs[0];
    const exact = run.channel("link_500.position.z");
    const track = run.animation.position;
    const times = [...run.animation.times];
    const gaps = times.map((t, i) => Math.abs(track.at(3 * 499 + 2, i) - exact.values[run.times.indexOf(t)]));
    const values = [...exact.values];
    return { error: Math.max(...gaps), range: Math.max(...values) - Math.min(...values) };
  });
  assert.ok(range > 1e-3);
  assert.ok(error > 0 && error <= (0.5 / 65534) * range + 1e-7, `${error} of ${range}`);
  assert.deepEqual(complaints, []);
  await close();
});

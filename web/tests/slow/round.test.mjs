// SPDX-License-Identifier: Apache-2.0
// Every kind of scene × light and dark × desktop and phone: what stands on the ground, what the plots show, what the page weighs.
// With TRAMMEL_LOOK=folder each page leaves a picture there.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { cleanUp, drawn, folder, groundInView, openBrowser, openPage, phone, railsBelow, root, samples, simulate, trammel, wheelAboveGround } from "../support.mjs";

const look = process.env.TRAMMEL_LOOK;
const only = process.env.TRAMMEL_ROUND; // a scene's name

/** Balls that fall into a box and come to rest on each other. */
function spheres() {
  const balls = Array.from(
    { length: 27 },
    (_, i) => `[[body]]
name = "ball_${i}"
position = [${(0.22 * ((i % 3) - 1) + 0.01 * (i % 2)).toFixed(3)}, ${(0.22 * ((Math.floor(i / 3) % 3) - 1)).toFixed(3)}, ${(0.15 + 0.24 * Math.floor(i / 9)).toFixed(3)}]
shape = { kind = "sphere", radius = 0.1, density = 1000 }
[[geometry]]
name = "skin_${i}"
body = "ball_${i}"
kind = "sphere"
radius = 0.1
group = "balls"
`,
  );
  const walls = [
    ["floor", [0, 0, 1], [0, 0, 0]],
    ["west", [1, 0, 0], [-0.4, 0, 0.4]],
    ["east", [-1, 0, 0], [0.4, 0, 0.4]],
    ["south", [0, 1, 0], [0, -0.4, 0.4]],
    ["north", [0, -1, 0], [0, 0.4, 0.4]],
  ].map(([name, axis, at]) => `[[geometry]]\nname = "${name}"\nkind = "plane"\naxis = [${axis}]\nposition = [${at}]\nwidth = 0.8\ndepth = 0.8\ngroup = "walls"\n`);
  const law = (name, between) => `[[contact]]\nname = "${name}"\nbetween = [${between}]\nlaw = "hunt_crossley"\nstiffness = 1e5\nrestitution = 0.4\nimpact_speed = 1\n`;
  return `title = "Balls in a box"\ngravity = [0, 0, -9.81]\n${balls.join("")}${walls.join("")}${law("among", '"balls", "balls"')}${law("walls_hold", '"balls", "walls"')}[analysis]\nend = 1\n`;
}

const long = `title = "Long"
gravity = [0, 0, 0]
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
[analysis]
end = 500
[solver]
integrator = "generalized_alpha"
h = 1e-3
[output]
interval = 5e-3
`;

function run(name, text, ...settings) {
  writeFileSync(join(folder, `${name}.toml`), text);
  trammel("run", `${name}.toml`, "-q", "--report", ...settings.flatMap((s) => ["--set", s]));
  return { results: join(folder, `${name}.h5`), page: join(folder, `${name}.html`) };
}

/** The first model of a tutorial. */
const tutorial = (name) => readFileSync(join(root, `docs/tutorials/${name}.md`), "utf8").match(/^```toml\n([^]*?)^```$/m)[1];

const scenes = {
  car: () => simulate("examples/15_passenger_car/passenger_car.toml", "car"),
  carriage: () => simulate("examples/12_carriage/carriage.toml", "carriage", "analysis.end=3"),
  robot: () => run("robot", tutorial("robot_with_servos")),
  spheres: () => run("spheres", spheres()),
  flexible_arm: () => run("flexible_arm", tutorial("flexible_arm"), "analysis.end=1.5"),
  comparison: () => {
    const coarse = simulate("examples/04_four_bar/four_bar.toml", "coarse", "solver.h=4e-3");
    const fine = simulate("examples/04_four_bar/four_bar.toml", "fine", "solver.h=1e-3");
    trammel("report", fine.results, coarse.results, "-o", "comparison.html");
    return { results: fine.results, page: join(folder, "comparison.html") };
  },
  long: () => run("long", long),
};

let browser;
const made = {};
before(async () => {
  trammel("--version"); // makes the folder
  browser = await openBrowser();
});
after(async () => {
  await browser.close();
  cleanUp();
});

/** Curves that fill less than a third of their scale, though they move. */
const flatCurves = (page) =>
  page.evaluate(() =>
    window.trammel.plots.shown.flatMap((panel) =>
      panel.drawn.flatMap((curve) => {
        const y = Array.from(curve.y).filter((v) => v !== null && Number.isFinite(v));
        let [low, high] = [Infinity, -Infinity];
        for (const v of y) [low, high] = [Math.min(low, v), Math.max(high, v)];
        const { min, max } = panel.plot.scales[curve.scale];
        const still = high - low <= 1e-6 * Math.max(Math.abs(low), Math.abs(high));
        return still || (high - low) / (max - min) >= 1 / 3 ? [] : [`${curve.label}: ${(high - low) / (max - min)}`];
      }),
    ),
  );

async function judgeNumbers(page, results) {
  const wanted = samples(results, 60, 7);
  const found = await page.evaluate(
    (list) =>
      list.map(([name, row]) => {
        const [run] = window.trammel.report.runs;
        const channel = run.channel(name);
        if (!channel || channel.resolution !== "complete") return null;
        let [low, high] = [Infinity, -Infinity];
        for (const v of channel.values) [low, high] = [Math.min(low, v), Math.max(high, v)];
        return { value: channel.values[row], low, high };
      }),
    wanted,
  );
  let compared = 0;
  wanted.forEach(([name, row, value], i) => {
    if (!found[i]) return;
    ++compared;
    const { low, high } = found[i];
    const size = high > low ? high - low : Math.abs(value);
    assert.ok(Math.abs(found[i].value - value) <= 2 ** -23 * size + 1e-44, `${name}, row ${row}: ${found[i].value}, not ${value}`);
  });
  assert.ok(compared >= 10, `${compared} numbers were compared`);
}

for (const [name, make] of Object.entries(scenes))
  for (const [device, options] of Object.entries({ desktop: {}, phone }))
    for (const colorScheme of ["light", "dark"])
      test(`${name} on a ${device}, ${colorScheme}`, { timeout: 600000, skip: only !== undefined && only !== name }, async (t) => {
        const { results, page: file } = (made[name] ??= make());
        const { page, complaints, close } = await openPage(browser, file, { ...options, colorScheme });
        await drawn(page);
        await groundInView(page);
        await page.evaluate(() => window.trammel.player.seek(0.6 * window.trammel.player.end));
        await drawn(page);
        if (name === "car") {
          const gap = await wheelAboveGround(page);
          t.diagnostic(`a wheel is ${gap.toFixed(3)} pixels above the ground`);
          assert.ok(Math.abs(gap) < 1, `a wheel is ${gap} pixels above the ground`);
        }
        if (name === "carriage") {
          const { gaps, tops } = await railsBelow(page);
          assert.ok(Math.max(...gaps) < 2 && tops.filter((z) => Math.abs(z) < 1e-6).length >= 2, "rails below the carriage");
        }
        assert.deepEqual(await flatCurves(page), []);
        await judgeNumbers(page, results);
        if (look) await page.screenshot({ path: join(look, `${name}_${device}_${colorScheme}.png`) });
        for (const tab of await page.getByRole("tab").allTextContents()) await page.getByRole("tab", { name: tab }).click();
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
        assert.ok(wide <= 0, `${wide} pixels wider than the screen`);
        const bytes = await page.evaluate(() => performance.memory?.usedJSHeapSize ?? NaN);
        t.diagnostic(`heap ${(bytes / 1e6).toFixed(0)} MB`);
        assert.deepEqual(complaints, []);
        await close();
      });

test("a page without its data has at most 1.2 MB", (t) => {
  const { page } = (made[only ?? "robot"] ??= scenes[only ?? "robot"]());
  const bare = readFileSync(page, "utf8").replace(/<script type="(application\/json|text\/plain)"[^]*?<\/script>/g, "");
  t.diagnostic(`${(Buffer.byteLength(bare) / 1e6).toFixed(2)} MB`);
  assert.ok(Buffer.byteLength(bare) <= 1.2e6);
});

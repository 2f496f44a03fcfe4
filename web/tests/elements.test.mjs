// SPDX-License-Identifier: Apache-2.0
// The pictures of every kind of joint, force and shape: small models (docs/images/elements) in the report's own view, with
// axes and signs written beside them. With TRAMMEL_SCREENSHOTS=folder they are drawn anew.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { cleanUp, drawn, folder, openBrowser, openPage, root, trammel } from "./support.mjs";

const pictures = process.env.TRAMMEL_SCREENSHOTS;
const models = readdirSync(join(root, "docs/images/elements")).filter((name) => name.endsWith(".toml"));

/** What is written beside a kind of joint: which directions have a sign. */
const signs = {
  revolute: ["angle"],
  prismatic: ["displacement"],
  cylindrical: ["angle", "displacement"],
  screw: ["angle", "displacement"],
  universal: ["axis", "axis_b"],
  planar: ["axis", "angle"],
  point_on_line: ["axis"],
  point_on_plane: ["axis"],
  rolling_sphere: ["axis"],
  rolling_disc: ["axis", "axis_b"],
  knife_edge: ["axis_b"],
  track: ["displacement"],
};

/** Of pictures that are none of one kind: the joints whose coordinates have a sign, and the bodies whose axes are drawn (all, if none are named). */
const others = {
  beam_beam: { bodies: ["beam_0", "beam_6"] },
  actuator_servo: { kind: "revolute", signs: ["angle"] },
  coupler_gear: { kind: "revolute", signs: ["angle"] },
  measure_point: { kind: "revolute", signs: ["angle"] },
};

/** What is written beside a shape: lengths between points of its body. */
const lengths = {
  box: [[[-0.25, -0.17, -0.1], [0.25, -0.17, -0.1], "size x"], [[0.28, -0.15, -0.1], [0.28, 0.15, -0.1], "size y"], [[-0.27, -0.15, -0.1], [-0.27, -0.15, 0.1], "size z"]],
  sphere: [[[0, 0, 0], [-0.14, -0.14, 0], "radius"]],
  cylinder: [[[-0.2, 0, -0.18], [0.2, 0, -0.18], "length"], [[0.2, 0, 0], [0.2, 0, 0.15], "radius"], [[0.2, 0, 0], [0.2, -0.08, 0], "inner_radius"]],
  capsule: [[[-0.2, 0, -0.13], [0.2, 0, -0.13], "length"], [[-0.2, 0, 0], [-0.2, 0, 0.1], "radius"]],
  cone: [[[-0.2, 0, -0.18], [0.2, 0, -0.18], "length"], [[-0.2, 0, 0], [-0.2, 0, 0.15], "radius"], [[0.2, 0, 0], [0.34, 0, 0], "axis"]],
  extrusion: [[[0.27, -0.1, -0.06], [0.27, -0.1, 0.06], "length"], [[-0.2, -0.1, 0.06], [0.25, -0.1, 0.06], "polygon"]],
  plane: [[[-0.35, -0.28, 0], [0.35, -0.28, 0], "width"], [[0.38, -0.25, 0], [0.38, 0.25, 0], "depth"], [[0.2, 0.1, 0], [0.2, 0.1, 0.18], "axis"]],
  ellipsoid: [[[0, 0, 0], [-0.3, 0, 0], "half_axes x"], [[0, 0, 0], [0, -0.2, 0], "y"], [[0, 0, 0], [0, 0, -0.12], "z"]],
  height_field: [[[-0.3, -0.26, 0], [-0.15, -0.26, 0], "spacing"]],
  groove: [[[0, 0, 0], [0, -0.2, 0], "pitch_radius"], [[0.2, 0, 0], [0.14, 0, 0], "radius"]],
  hull: [[[0, 0, 0], [0.25, -0.1, -0.1], "a point"]],
  mesh: [],
  rod: [[[-0.25, 0, -0.05], [0.25, 0, -0.05], "length"]],
};

let browser;
before(async () => {
  browser = await openBrowser();
});
after(async () => {
  await browser.close();
  cleanUp();
});

/** Draws axes, names and signs over the picture. Runs in the page. */
function annotate({ wanted }) {
  const { view } = window.trammel;
  const machine = view.machines[0];
  const { scene, motion, size } = machine;
  const { camera } = view;
  const canvas = view.element.getBoundingClientRect();
  const ns = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(ns, "svg");
  svg.setAttribute("style", `position:absolute;inset:0;width:${canvas.width}px;height:${canvas.height}px;font:600 13px "DejaVu Sans", sans-serif;pointer-events:none`);
  const V = camera.position.constructor;
  const add = (tag, attributes, text = "") => {
    const made = document.createElementNS(ns, tag);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.textContent = text;
    svg.append(made);
  };
  const screen = (p) => {
    const q = p.clone().project(camera);
    return [((q.x + 1) / 2) * canvas.width, ((1 - q.y) / 2) * canvas.height];
  };
  const line = (points, color, head) => {
    const at = points.map(screen);
    add("polyline", { points: at.map((xy) => xy.join(",")).join(" "), fill: "none", stroke: color, "stroke-width": 2.2 });
    if (!head) return;
    const [[x0, y0], [x1, y1]] = at.slice(-2);
    const [dx, dy] = [x1 - x0, y1 - y0];
    const n = Math.hypot(dx, dy) || 1;
    const [ux, uy] = [(9 * dx) / n, (9 * dy) / n];
    add("polygon", { points: `${x1 + ux},${y1 + uy} ${x1 - 0.5 * uy},${y1 + 0.5 * ux} ${x1 + 0.5 * uy},${y1 - 0.5 * ux}`, fill: color });
  };
  const label = (p, text, color, dx = 8, dy = -6) => {
    const [x, y] = screen(p);
    add("text", { x: x + dx, y: y + dy, fill: color, stroke: "#ffffff", "stroke-width": 3, "paint-order": "stroke" }, text);
  };
  // Axes of each body.
  scene.bodies.forEach((body, b) => {
    if (wanted.bodies && !wanted.bodies.includes(body.name)) return;
    const origin = motion.point(b, [0, 0, 0], new V());
    [["x", "#d23b40", [1, 0, 0]], ["y", "#2f8f46", [0, 1, 0]], ["z", "#2f6fd8", [0, 0, 1]]].forEach(([name, color, axis]) => {
      const tip = motion.direction(b, axis, new V()).multiplyScalar(0.2 * size).add(origin);
      line([origin, tip], color, true);
      label(tip, name, color, 9, 4);
    });
    label(origin, body.name, "#1b2430", -16, 20);
  });
  // Lengths of the shape.
  for (const [from, to, text] of wanted.lengths ?? []) {
    const ends = [from, to].map((at) => motion.point(0, at, new V()));
    line(ends, "#8a3ffc", true);
    label(ends[0].clone().lerp(ends[1], 0.55), text, "#8a3ffc", 6, 14);
  }
  // Signs of the joint.
  const joints = scene.joints.filter((one) => one.kind === wanted.kind);
  const ink = "#8a3ffc";
  for (const [joint, sign] of joints.flatMap((one) => wanted.signs.map((sign) => [one, sign]))) {
    const point = motion.point(joint.a, joint.point_a, new V());
    const body = sign === "axis_b" ? joint.b : joint.a;
    const at = sign === "axis_b" ? motion.point(joint.b, joint.point_b, new V()) : point;
    const axis = motion.direction(body, sign === "axis_b" ? joint.axis_b : joint.axis_a, new V()).normalize();
    if (sign === "angle") {
      const e1 = new V(1, 0, 0);
      if (Math.abs(e1.dot(axis)) > 0.9) e1.set(0, 1, 0);
      e1.addScaledVector(axis, -e1.dot(axis)).normalize();
      const e2 = axis.clone().cross(e1);
      const center = at.clone().addScaledVector(axis, 0.16 * size);
      const arc = Array.from({ length: 25 }, (_, i) => {
        const phi = (i / 24) * 1.5 * Math.PI;
        return center.clone().addScaledVector(e1, 0.16 * size * Math.cos(phi)).addScaledVector(e2, 0.16 * size * Math.sin(phi));
      });
      line([at, center.clone().addScaledVector(axis, 0.14 * size)], ink, true);
      line(arc, ink, true);
      label(arc[24], "angle > 0", ink);
    } else {
      const start = sign === "displacement" ? at.clone().addScaledVector(view.up, 0.2 * size) : at;
      const tip = start.clone().addScaledVector(axis, (sign === "displacement" ? 0.3 : 0.34) * size);
      line([start, tip], ink, true);
      label(tip, sign === "displacement" ? "displacement > 0" : sign, ink, sign === "displacement" ? -60 : 8, -10);
    }
  }
  view.element.append(svg);
}

test("every kind of joint, force and shape has its picture on a page of the elements", () => {
  const lists = (trammel("schema").match(/"enum":\s*\[[^\]]*\]/g) ?? []).map((list) => JSON.parse(`{${list}}`).enum);
  const pages = readdirSync(join(root, "docs/elements")).map((name) => readFileSync(join(root, "docs/elements", name), "utf8"));
  const known = { joint: "revolute", force: "torsion_spring", shape: "height_field" };
  for (const table of ["joint", "force", "shape"]) {
    const words = new Set(lists.find((list) => list.includes(known[table])) ?? []);
    if (table === "shape") words.add("rod"); // of bodies alone
    assert.ok(words.size > 10);
    for (const kind of words) {
      // Drawn as what its law gives; relations between coordinates of other joints have no place of their own.
      if (["library", "coupler", "gear", "speed_coupler"].includes(kind)) continue;
      assert.ok(pages.some((text) => text.includes(`images/elements/${table}_${kind}.png`)), `no page shows ${table} ${kind}`);
      assert.ok(existsSync(join(root, `docs/images/elements/${table}_${kind}.toml`)), `${table} ${kind} has no model`);
    }
  }
});

test("every page of the elements has a picture", () => {
  for (const name of readdirSync(join(root, "docs/elements"))) {
    const shown = [...readFileSync(join(root, "docs/elements", name), "utf8").matchAll(/images\/elements\/([\w.]+\.png)/g)].map((found) => found[1]);
    assert.ok(name === "README.md" || shown.length > 0, `${name} has no picture`);
    for (const picture of shown) assert.ok(existsSync(join(root, "docs/images/elements", picture.replace(".png", ".toml"))), `${picture} has no model`);
  }
});

for (const file of models) {
  const name = file.replace(".toml", "");
  test(`${name}: its model runs, and its picture is there`, async () => {
    trammel("run", join(root, "docs/images/elements", file), "-q", ...(pictures ? ["--report"] : []));
    const picture = join(pictures ? join(pictures, "elements") : join(root, "docs/images/elements"), `${name}.png`);
    if (pictures) {
      mkdirSync(join(pictures, "elements"), { recursive: true });
      const { page, complaints, close } = await openPage(browser, join(folder, `${name}.html`), { viewport: { width: 420, height: 640 } });
      const kind = name.replace(/^(joint|force|shape)_/, "");
      await page.addStyleTag({ content: ".view-bar, .beam-colors, .compass, .scale-note, .transport, header { display: none !important } .stage { height: 300px !important }" });
      await drawn(page);
      await page.evaluate(([isForce, isShape, isOther, scene]) => {
        const { view, player } = window.trammel;
        Object.assign(view.layers, { trails: isOther, forces: isForce, joints: !isShape });
        player.seek(player.end);
        view.showGrid(false);
        view.lookFrom(isShape || scene === "beam_beam" ? "iso" : "best");
        view.refresh();
      }, [name.startsWith("force_") || name.startsWith("beam_"), name.startsWith("shape_"), /^(measure|friction)_/.test(name), name]);
      await drawn(page);
      await page.evaluate(annotate, { wanted: { kind, signs: signs[kind] ?? [], lengths: name.startsWith("shape_") ? lengths[kind] : [], ...others[name] } });
      await page.locator(".canvas").screenshot({ path: picture });
      assert.deepEqual(complaints, []);
      await close();
    }
    assert.ok(existsSync(picture), `${picture} is missing: ./dev images draws it`);
  });
}

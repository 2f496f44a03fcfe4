// SPDX-License-Identifier: Apache-2.0
// Bundles the sources and their libraries into one page without data: node build.mjs PAGE.html
import { build } from "esbuild";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const target = process.argv[2];

const bundle = await build({
  entryPoints: [join(here, "src/main.ts")],
  bundle: true,
  minify: true,
  write: false,
  outdir: "out",
  format: "iife",
  target: ["es2022"],
  legalComments: "inline",
  charset: "utf8",
  logLevel: "warning",
});

const text = (ending) => bundle.outputFiles.find((file) => file.path.endsWith(ending)).text;
// Nothing in a script element may look like its end.
const script = text(".js").replaceAll("</script", "<\\/script");
const page = readFileSync(join(here, "page.html"), "utf8")
  .replace("/*style*/", () => text(".css"))
  .replace("/*script*/", () => script);
writeFileSync(target, page);

import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

const root = join(import.meta.dir, "..");

/** Packages that may load before a command is known. */
const allowed = new Set<string>([]);

/** Everything that is loaded statically from a file, `import type` left out. */
function staticGraph(entry: string): { files: string[]; packages: string[] } {
  const files = new Set<string>();
  const packages = new Set<string>();
  const visit = (file: string): void => {
    if (files.has(file)) return;
    files.add(file);
    const text = readFileSync(join(root, file), "utf8");
    for (const match of text.matchAll(/(?:^|\n)\s*(?:import|export)\s+(?!type\b)[^;"']*?from\s*["']([^"']+)["']/g)) {
      const specifier = match[1] ?? "";
      if (specifier.startsWith(".")) visit(normalize(join(dirname(file), specifier)));
      else if (!specifier.startsWith("node:")) packages.add(specifier);
    }
  };
  visit(entry);
  return { files: [...files], packages: [...packages] };
}

test("the start loads no package and only the CLI's table and base files", () => {
  const graphs = ["src/main.ts", "src/cli/index.ts", "src/cli/help-text.ts"].map(staticGraph);
  const files = graphs.flatMap((graph) => graph.files);
  const packages = graphs.flatMap((graph) => graph.packages);
  expect(packages.filter((name) => !allowed.has(name))).toEqual([]);
  expect(
    files.filter((file) => !file.startsWith("src/base/") && !file.startsWith("src/cli/") && file !== "src/main.ts"),
  ).toEqual([]);
  expect(new Set(files).size).toBeLessThan(12);
  expect(staticGraph("src/main.ts").files).toEqual(["src/main.ts", "src/cli/build-info.ts"]);
});

test("the graph walk sees packages", () => {
  expect(staticGraph("src/cli/run-command-line.ts").packages).toContain("citty");
});

test("the generated plugin table is current", async () => {
  const run = Bun.spawn([process.execPath, "scripts/gen-plugins.ts", "--check"], { cwd: root, stderr: "pipe" });
  expect([await run.exited, await new Response(run.stderr).text()]).toEqual([0, ""]);
});

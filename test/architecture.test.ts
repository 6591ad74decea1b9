import { expect, test } from "bun:test";
import { Glob } from "bun";
import { readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

const root = join(import.meta.dir, "..");

/** Which floor a room is on; a file may import only lower floors, its own room, and siblings listed below. */
const floors: Record<string, number> = {
  base: 0,
  plugin: 1,
  config: 2,
  store: 2,
  "plugin-host": 2.5,
  guard: 3,
  models: 3,
  auth: 3,
  session: 3,
  memory: 3,
  skills: 3,
  cron: 3,
  prompt: 3,
  mcp: 3,
  learning: 3,
  delivery: 3,
  tools: 4,
  agent: 5,
  reviewer: 5.5,
  runtime: 5.6,
  chat: 6,
  demo: 6,
  gateway: 6,
  scheduler: 6,
  api: 6,
  webhook: 6,
  dashboard: 6,
  acp: 6,
  "mcp-server": 6,
  batch: 6,
  setup: 6,
  migrate: 6,
  cli: 7,
  "main.ts": 8,
};

/** imported sibling → rooms of the same floor that may import it; "*" is every room above the base floors */
const siblings: Record<string, string[]> = {
  guard: ["models", "auth", "session", "memory", "skills", "cron", "prompt", "mcp", "learning", "delivery"],
  auth: ["models"],
  models: ["memory", "skills", "session"],
};

/** a package and the only places that may import it */
const doors: Record<string, string[]> = {
  citty: ["cli", "main.ts"],
  consola: ["base/log.ts", "cli/prompts.ts"],
  "drizzle-orm": ["store"],
  "@libsql/client": ["store"],
  libsql: ["store"],
  openai: ["models/wire"],
  yaml: ["config"],
  unbash: ["guard"],
  zod: ["plugin", "config", "store", "session", "tools", "models", "plugin-host", "agent"],
  diff: ["tools"],
  ignore: ["tools"],
  picomatch: ["tools"],
};

interface Import {
  file: string;
  specifier: string;
}

const importLine =
  /(?:^|\n)\s*(?:import|export)\b[^;"']*?from\s*["']([^"']+)["']|import\(\s*["']([^"']+)["']\s*\)|(?:^|\n)\s*import\s+["']([^"']+)["']/g;

function importsOf(file: string): Import[] {
  const text = readFileSync(join(root, file), "utf8");
  return [...text.matchAll(importLine)].map((match) => ({
    file,
    specifier: match[1] ?? match[2] ?? match[3] ?? "",
  }));
}

const sourceFiles = [...new Glob("src/**/*.ts").scanSync(root)].sort();
const pluginFiles = [...new Glob("plugins/**/*.ts").scanSync(root)].sort();
const roomOf = (file: string): string => file.split("/")[1] ?? "";
const resolveImport = (entry: Import): string => normalize(join(dirname(entry.file), entry.specifier));
const packageOf = (specifier: string): string =>
  specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");

function judgeImport(entry: Import): string | undefined {
  const from = roomOf(entry.file);
  const floor = floors[from];
  if (floor === undefined) return `${entry.file}: the room "${from}" has no floor`;
  if (entry.specifier.startsWith(".")) {
    const target = resolveImport(entry);
    if (target.startsWith("plugins/")) {
      return entry.file === "src/plugin-host/builtin.generated.ts"
        ? undefined
        : `${entry.file} imports the plugin ${target}`;
    }
    if (target === "package.json" || !target.startsWith("src/")) return undefined;
    const to = roomOf(target);
    if (to === from) return undefined;
    const below = floors[to];
    if (below === undefined) return `${entry.file} imports ${target}, which has no floor`;
    if (below < floor) return undefined;
    if (below === floor && (siblings[to] ?? []).includes(from) && target.endsWith("/index.ts")) return undefined;
    return `${entry.file} (floor ${floor}) imports ${target} (floor ${below})`;
  }
  if (/^(node:|bun:|bun$)/.test(entry.specifier)) return undefined;
  const allowed = doors[packageOf(entry.specifier)];
  const place = entry.file.slice("src/".length);
  if (allowed === undefined) return `${entry.file} imports ${entry.specifier}, which has no door`;
  return allowed.some((door) => place === door || place.startsWith(`${door}/`))
    ? undefined
    : `${entry.file} imports ${entry.specifier} outside its door`;
}

test("every import goes down a floor, to a listed sibling, or through a door", () => {
  const faults = sourceFiles.flatMap((file) => importsOf(file).map(judgeImport)).filter((fault) => fault !== undefined);
  expect(faults).toEqual([]);
});

test("the judge finds upward imports, unlisted siblings and packages outside their door", () => {
  expect(judgeImport({ file: "src/base/log.ts", specifier: "../config/index.ts" })).toContain("floor");
  expect(judgeImport({ file: "src/memory/index.ts", specifier: "../skills/index.ts" })).toContain("floor 3");
  expect(judgeImport({ file: "src/memory/recall.ts", specifier: "../models/slots.ts" })).toContain("floor 3");
  expect(judgeImport({ file: "src/memory/recall.ts", specifier: "../models/index.ts" })).toBeUndefined();
  expect(judgeImport({ file: "src/agent/loop.ts", specifier: "citty" })).toContain("door");
  expect(importsOf("src/plugin/define.ts").map((entry) => entry.specifier)).toContain("zod");
});

test("plugins import only the SDK, node and their own files", () => {
  const faults = pluginFiles.flatMap((file) =>
    importsOf(file)
      .filter(({ specifier }) => specifier !== "hermes/plugin" && !specifier.startsWith("node:"))
      .filter(
        (entry) =>
          !(entry.specifier.startsWith(".") && resolveImport(entry).startsWith(file.split("/").slice(0, 3).join("/"))),
      )
      .map((entry) => `${entry.file} imports ${entry.specifier}`),
  );
  expect(faults).toEqual([]);
});

test("no room imports in a circle", () => {
  const edges = new Map<string, Set<string>>();
  for (const file of sourceFiles) {
    for (const entry of importsOf(file)) {
      if (!entry.specifier.startsWith(".")) continue;
      const to = resolveImport(entry);
      if (!to.startsWith("src/")) continue;
      edges.set(file, (edges.get(file) ?? new Set()).add(to));
    }
  }
  const done = new Set<string>();
  const cycles: string[] = [];
  const visit = (file: string, path: string[]): void => {
    if (path.includes(file)) {
      cycles.push([...path.slice(path.indexOf(file)), file].join(" → "));
      return;
    }
    if (done.has(file)) return;
    for (const next of edges.get(file) ?? []) visit(next, [...path, file]);
    done.add(file);
  };
  for (const file of sourceFiles) visit(file, []);
  expect(cycles).toEqual([]);
});

test("process.env is read only in base/env.ts and config", () => {
  const readers = sourceFiles.filter((file) => /\b(?:process|Bun)\.env\b/.test(readFileSync(join(root, file), "utf8")));
  expect(readers.filter((file) => file !== "src/base/env.ts" && !file.startsWith("src/config/"))).toEqual([]);
});

test("client.transaction is used nowhere", () => {
  const users = sourceFiles.filter((file) => /\.transaction\(/.test(readFileSync(join(root, file), "utf8")));
  expect(users).toEqual([]);
});

/** Builds the executable: `bun scripts/build.ts [--target NAME] [--outfile PATH] [--no-bytecode]`. */
import { readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { buildExecutable } from "./build/executable.ts";
import { findTarget, hostTarget } from "./build/targets.ts";

const root = join(import.meta.dir, "..");

function writePluginTable(): void {
  const { exitCode } = Bun.spawnSync([process.execPath, join(root, "scripts/gen-plugins.ts")], {
    cwd: root,
    stdout: "inherit",
    stderr: "inherit",
  });
  if (exitCode !== 0) throw new Error("scripts/gen-plugins.ts failed");
}

function readVersion(): string {
  return (JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string }).version;
}

/** Short commit of the checkout, "unknown" outside git. */
function readCommit(): string {
  const { exitCode, stdout } = Bun.spawnSync(["git", "rev-parse", "--short=12", "HEAD"], {
    cwd: root,
    stderr: "ignore",
  });
  return exitCode === 0 ? stdout.toString().trim() : "unknown";
}

try {
  const { values } = parseArgs({
    options: {
      target: { type: "string" },
      outfile: { type: "string", default: "dist/hermes" },
      "no-bytecode": { type: "boolean", default: false },
    },
  });
  const target = values.target === undefined ? hostTarget() : findTarget(values.target);
  const outfile = resolve(root, values.outfile);
  const started = performance.now();
  writePluginTable();
  await buildExecutable({
    root,
    entrypoints: [join(root, "src/main.ts"), join(root, "src/store/worker.ts")],
    target,
    outfile,
    bytecode: !values["no-bytecode"],
    constants: { HERMES_VERSION: readVersion(), HERMES_COMMIT: readCommit() },
  });
  const sizeMb = (statSync(outfile).size / 1024 / 1024).toFixed(1);
  console.log(`${outfile}: ${target.name}, ${sizeMb} MB, ${((performance.now() - started) / 1000).toFixed(1)} s`);
} catch (error) {
  console.error(`error: build failed: ${error instanceof Error ? error.message : String(error)}`);
  if (error instanceof AggregateError) for (const entry of error.errors) console.error(`  ${String(entry)}`);
  process.exitCode = 1;
}

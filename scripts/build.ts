/** Builds the executable: `bun scripts/build.ts [--target NAME] [--outfile PATH] [--no-bytecode]`. */
import { existsSync, mkdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { packageFolder } from "./build/npm-package.ts";
import { rewritePlugin } from "./build/rewrites.ts";
import { findTarget, hostTarget, type Target } from "./build/targets.ts";

const root = join(import.meta.dir, "..");

interface BuildOptions {
  target: Target;
  /** absolute */
  outfile: string;
  bytecode: boolean;
}

async function build({ target, outfile, bytecode }: BuildOptions): Promise<void> {
  writePluginTable();
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };
  const engine = packageFolder(root, target.enginePackage);
  const rewritten = new Set<string>();
  mkdirSync(dirname(outfile), { recursive: true });
  const result = await Bun.build({
    // both land beside each other, so that `new URL("./worker.ts", import.meta.url)` finds the worker
    entrypoints: [join(root, "src/main.ts"), join(root, "src/store/worker.ts")],
    naming: { entry: "[name].[ext]" },
    target: "bun",
    format: "esm",
    minify: true,
    splitting: true,
    bytecode,
    define: {
      HERMES_VERSION: JSON.stringify(version),
      HERMES_COMMIT: JSON.stringify(commit()),
      "process.env.NODE_ENV": '"production"',
    },
    plugins: [rewritePlugin(join(engine, "index.node"), rewritten)],
    compile: {
      target: target.compileTarget,
      outfile,
      // a stranger's .env or bunfig.toml in the working directory is not ours to load
      autoloadDotenv: false,
      autoloadBunfig: false,
      ...(target.name === hostTarget().name ? {} : { executablePath: runtimePath(target) }),
    },
  });
  if (!result.success) throw new Error(result.logs.map(String).join("\n"));
  if (!rewritten.has("libsql")) {
    throw new Error("libsql/index.js is not part of the bundle: the executable would lack its database engine");
  }
}

/** The Bun executable of another target, from npm. */
function runtimePath(target: Target): string {
  const path = join(packageFolder(root, target.runtimePackage), "bin/bun");
  if (!existsSync(path)) throw new Error(`${target.runtimePackage} has no bin/bun`);
  return path;
}

function writePluginTable(): void {
  const { exitCode } = Bun.spawnSync([process.execPath, join(root, "scripts/gen-plugins.ts")], {
    cwd: root,
    stdout: "inherit",
    stderr: "inherit",
  });
  if (exitCode !== 0) throw new Error("scripts/gen-plugins.ts failed");
}

/** Short commit of the checkout, "unknown" outside git. */
function commit(): string {
  const { exitCode, stdout } = Bun.spawnSync(["git", "rev-parse", "--short=12", "HEAD"], {
    cwd: root,
    stderr: "ignore",
  });
  return exitCode === 0 ? stdout.toString().trim() : "unknown";
}

const { values } = parseArgs({
  options: {
    target: { type: "string" },
    outfile: { type: "string", default: "dist/hermes" },
    "no-bytecode": { type: "boolean", default: false },
  },
});

try {
  const target = values.target === undefined ? hostTarget() : findTarget(values.target);
  const outfile = resolve(root, values.outfile);
  const started = performance.now();
  await build({ target, outfile, bytecode: !values["no-bytecode"] });
  const sizeMb = (statSync(outfile).size / 1024 / 1024).toFixed(1);
  console.log(`${outfile}: ${target.name}, ${sizeMb} MB, ${((performance.now() - started) / 1000).toFixed(1)} s`);
} catch (error) {
  console.error(`error: build failed: ${error instanceof Error ? error.message : String(error)}`);
  if (error instanceof AggregateError) for (const entry of error.errors) console.error(`  ${String(entry)}`);
  process.exitCode = 1;
}

import { existsSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { packageFolder } from "./npm-package.ts";
import { rewritePlugin } from "./rewrites.ts";
import { hostTarget, type Target } from "./targets.ts";

export interface ExecutableOptions {
  /** absolute path of the repository: its lock file and node_modules are used */
  root: string;
  /** absolute paths; the first one is what runs, the others are workers beside it */
  entrypoints: string[];
  target: Target;
  /** absolute */
  outfile: string;
  bytecode: boolean;
  /** values of global constants in the source */
  constants: Record<string, string>;
}

/** Bundles and compiles one executable. @throws Error with what failed */
export async function buildExecutable(options: ExecutableOptions): Promise<void> {
  const { root, target, outfile, bytecode } = options;
  const engine = packageFolder(root, target.enginePackage);
  const rewritten = new Set<string>();
  const constants = Object.entries(options.constants).map(([name, value]) => [name, JSON.stringify(value)]);
  mkdirSync(dirname(outfile), { recursive: true });
  const result = await Bun.build({
    entrypoints: options.entrypoints,
    // all land beside each other, so that `new URL("./worker.ts", import.meta.url)` finds the worker
    naming: { entry: "[name].[ext]" },
    target: "bun",
    format: "esm",
    minify: true,
    splitting: true,
    bytecode,
    define: { ...Object.fromEntries(constants), "process.env.NODE_ENV": '"production"' },
    plugins: [rewritePlugin(join(engine, "index.node"), rewritten)],
    compile: {
      target: target.compileTarget,
      outfile,
      // a stranger's .env or bunfig.toml in the working directory is not ours to load
      autoloadDotenv: false,
      autoloadBunfig: false,
      ...(target.name === hostTarget().name ? {} : { executablePath: runtimePath(root, target) }),
    },
  });
  if (!result.success) throw new Error(result.logs.map(String).join("\n"));
  if (!rewritten.has("libsql")) {
    throw new Error("libsql/index.js is not part of the bundle: the executable would lack its database engine");
  }
}

/** The Bun executable of another target, from npm. */
function runtimePath(root: string, target: Target): string {
  const path = join(packageFolder(root, target.runtimePackage), "bin/bun");
  if (!existsSync(path)) throw new Error(`${target.runtimePackage} has no bin/bun`);
  return path;
}

/** Runs every benchmark of this folder that exports `run`: `bun bench/run.ts [NAME ...]`. */
import { Glob } from "bun";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const wanted = process.argv.slice(2);
const transpiler = new Bun.Transpiler({ loader: "ts" });
let failed = 0;

for (const file of [...new Glob("*.ts").scanSync(import.meta.dir)].sort()) {
  const name = file.replace(/\.ts$/, "");
  const path = join(import.meta.dir, file);
  // a file without `run` is shared code, or needs arguments; it is not loaded
  const isBenchmark = transpiler.scan(readFileSync(path, "utf8")).exports.includes("run");
  if (!isBenchmark || (wanted.length > 0 && !wanted.includes(name))) continue;
  console.log(`\n${name}`);
  const module = (await import(path)) as { run(): Promise<void> };
  try {
    await module.run();
  } catch (error) {
    failed += 1;
    console.error(`error: ${name}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
process.exitCode = failed === 0 ? 0 : 1;

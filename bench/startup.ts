/**
 * Starting the executable, beside a hello-world of the same Bun built the same way:
 * `bun bench/startup.ts [executable=dist/hermes] [rounds=31]`. The bar for --version and --help: 1.5 times.
 */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const BAR_RATIO = 1.5;

interface Row {
  name: string;
  command: string[];
  /** times the hello-world at most; undefined for rows that are only shown */
  bar: number | undefined;
}

/** Prints medians and ratios, all rows interleaved in one run. */
export async function run(executable = "dist/hermes", rounds = 31): Promise<void> {
  const hermes = resolve(executable);
  if (!existsSync(hermes)) throw new Error(`${hermes} is not there: npm run build`);
  const world = mkdtempSync(join(tmpdir(), "hermes-bench-"));
  try {
    const hello = await buildHello(world);
    const rows: Row[] = [
      { name: "hello-world", command: [hello], bar: undefined },
      { name: "hermes --version", command: [hermes, "--version"], bar: BAR_RATIO },
      { name: "hermes --help", command: [hermes, "--help"], bar: BAR_RATIO },
      { name: "hermes config get", command: [hermes, "config", "get", "model.default"], bar: undefined },
      { name: "hermes sessions list", command: [hermes, "sessions", "list"], bar: undefined },
    ];
    const times = measure(rows, world, rounds);
    const floor = median(times.get("hello-world") ?? []);
    for (const { name, bar } of rows) {
      const ms = median(times.get(name) ?? []);
      const ratio = ms / floor;
      const verdict = bar === undefined ? "" : ratio <= bar ? `  within ${bar}` : `  OVER ${bar}`;
      console.log(`${name.padEnd(22)} ${ms.toFixed(1).padStart(6)} ms  ${ratio.toFixed(2)}x${verdict}`);
    }
  } finally {
    rmSync(world, { recursive: true, force: true });
  }
}

async function buildHello(world: string): Promise<string> {
  const source = join(world, "hello.ts");
  const outfile = join(world, "hello");
  writeFileSync(source, 'console.log("hello");\n');
  const built = await Bun.build({
    entrypoints: [source],
    target: "bun",
    format: "esm",
    minify: true,
    bytecode: true,
    compile: { outfile, autoloadDotenv: false, autoloadBunfig: false },
  });
  if (!built.success) throw new Error(built.logs.map(String).join("\n"));
  return outfile;
}

function measure(rows: Row[], world: string, rounds: number): Map<string, number[]> {
  const times = new Map<string, number[]>(rows.map(({ name }) => [name, []]));
  const env = { PATH: process.env["PATH"] ?? "", HOME: world, HERMES_HOME: join(world, "home") };
  // the first round fills the page cache and is not counted
  for (let round = 0; round <= rounds; round += 1) {
    for (const { name, command } of rows) {
      const started = performance.now();
      const { exitCode } = Bun.spawnSync(command, { cwd: world, env, stdout: "ignore", stderr: "ignore" });
      if (exitCode !== 0) throw new Error(`${command.join(" ")} ended with ${exitCode}`);
      if (round > 0) times.get(name)?.push(performance.now() - started);
    }
  }
  return times;
}

function median(values: number[]): number {
  return values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] ?? Number.NaN;
}

if (import.meta.main) {
  const [executable, rounds] = process.argv.slice(2);
  await run(executable, rounds === undefined ? undefined : Number(rounds));
}

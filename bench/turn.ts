/**
 * Turns of the executable against a local model server: `bun bench/turn.ts [executable=dist/hermes] [rounds=15]`.
 * The floor of each row is the server's own time, measured by a bare client in the same run.
 */
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { type FakeOpenAi, startFakeOpenAi } from "../test/fakes/openai.ts";
import { estimateTokens } from "../src/base/text.ts";

interface World {
  hermes: string;
  folder: string;
  fake: FakeOpenAi;
}

/** Prints medians and what stands above the server's own time. */
export async function run(executable = "dist/hermes", rounds = 15): Promise<void> {
  const hermes = resolve(executable);
  if (!existsSync(hermes)) throw new Error(`${hermes} is not there: npm run build`);
  const folder = mkdtempSync(join(tmpdir(), "hermes-bench-"));
  const fake = startFakeOpenAi();
  const world: World = { hermes, folder, fake };
  try {
    await warmUp(world);
    await oneShot(world, rounds);
    await toolRound(world, rounds);
    firstRequest(world);
    await longSession(world, rounds);
  } finally {
    await fake.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function ask(world: World, words: string[]): Promise<{ ms: number; firstMs: number; stderr: string }> {
  const started = performance.now();
  const child = Bun.spawn([world.hermes, "chat", "-m", "test-model", ...words], {
    cwd: world.folder,
    env: {
      PATH: process.env["PATH"] ?? "",
      HOME: world.folder,
      HERMES_HOME: join(world.folder, "home"),
      OPENAI_BASE_URL: world.fake.baseUrl,
      OPENAI_API_KEY: "bench-key-0123456789",
    },
    stdout: "pipe",
    stderr: "pipe",
  });
  let firstMs = Number.NaN;
  for await (const chunk of child.stdout)
    if (Number.isNaN(firstMs) && chunk.length > 0) firstMs = performance.now() - started;
  const stderr = await new Response(child.stderr).text();
  if ((await child.exited) !== 0) throw new Error(`hermes ended with ${child.exitCode}: ${stderr}`);
  return { ms: performance.now() - started, firstMs, stderr };
}

async function bare(world: World, body: unknown): Promise<number> {
  const started = performance.now();
  const response = await fetch(`${world.fake.baseUrl}/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: "Bearer bench-key-0123456789" },
    body: JSON.stringify(body),
  });
  await response.text();
  return performance.now() - started;
}

async function warmUp(world: World): Promise<void> {
  world.fake.always({ text: "A short answer of ten words, as a model would give." });
  for (let round = 0; round < 3; round += 1) await ask(world, ["-q", "hello"]);
}

async function oneShot(world: World, rounds: number): Promise<void> {
  const above: number[] = [];
  const floors: number[] = [];
  const firsts: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const { ms, firstMs } = await ask(world, ["-q", "hello"]);
    const floor = await bare(world, world.fake.requests.at(-1)?.body);
    floors.push(floor);
    above.push(ms - floor);
    firsts.push(firstMs);
  }
  row("one-shot, above the server", median(above), 150);
  console.log(`  server's own time ${median(floors).toFixed(1)} ms, first byte after ${median(firsts).toFixed(1)} ms`);
}

/** Forty rounds of `echo` against ten: what one more round costs a process that is under way. */
async function toolRound(world: World, rounds: number): Promise<void> {
  const costs: number[] = [];
  for (let round = 0; round < Math.ceil(rounds / 3); round += 1) {
    const ten = await withTools(world, 10);
    const forty = await withTools(world, 40);
    const floor = await bare(world, world.fake.requests.at(-1)?.body);
    costs.push((forty - ten) / 30 - floor);
  }
  row("one tool round (echo)", median(costs), 15);
}

async function withTools(world: World, calls: number): Promise<number> {
  let left = calls;
  world.fake.always(() => {
    left -= 1;
    return left >= 0 ? { tools: [{ name: "terminal", arguments: { command: `echo ${left}` } }] } : { text: "done" };
  });
  return (await ask(world, ["-q", "hello"])).ms;
}

function firstRequest(world: World): void {
  const tokens = estimateTokens(world.fake.requests[0]?.text ?? "");
  console.log(
    `${"first request".padEnd(32)} ${String(tokens).padStart(7)} tokens  ${tokens <= 8000 ? "within 8000" : "OVER 8000"}`,
  );
}

/** One more turn in a session of 500 messages against one in a session of 2. */
async function longSession(world: World, rounds: number): Promise<void> {
  world.fake.always({ text: "A short answer of ten words, as a model would give." });
  const { stderr } = await ask(world, ["-q", "start of the long one"]);
  const id = /session_id: (\S+)/.exec(stderr)?.[1] ?? "";
  let left = 248;
  world.fake.always(() => {
    left -= 1;
    return left >= 0 ? { tools: [{ name: "todo", arguments: { merge: left % 2 === 0 } }] } : { text: "done" };
  });
  await ask(world, ["-r", id, "--max-turns", "400", "-q", "fill it"]);
  world.fake.always({ text: "A short answer of ten words, as a model would give." });
  const long: number[] = [];
  const short: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    long.push((await ask(world, ["-r", id, "-q", "one more"])).ms);
    short.push((await ask(world, ["-q", "one more"])).ms);
  }
  console.log(
    `${"turn 500 against turn 1".padEnd(32)} ${(median(long) - median(short)).toFixed(1).padStart(7)} ms more  ${(median(long) / median(short)).toFixed(2)}x`,
  );
}

function row(name: string, ms: number, bar: number): void {
  console.log(`${name.padEnd(32)} ${ms.toFixed(1).padStart(7)} ms  ${ms <= bar ? `within ${bar}` : `OVER ${bar}`}`);
}

function median(values: number[]): number {
  return values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] ?? Number.NaN;
}

if (import.meta.main) {
  const [executable, rounds] = process.argv.slice(2);
  await run(executable, rounds === undefined ? undefined : Number(rounds));
}

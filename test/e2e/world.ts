import { Database } from "bun:sqlite";
import { expect } from "bun:test";
import {
  constants,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  watch,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type FakeOpenAi, type Reply, startFakeOpenAi } from "../fakes/openai.ts";

export interface RunOptions {
  /** default: closed at once */
  stdin?: string;
  /** over the clean environment; undefined takes a name away */
  env?: Record<string, string | undefined>;
  /** kills the process when it fires */
  signal?: AbortSignal;
  cwd?: string;
  /** what the executable is started by, like `bash -c 'ulimit …; exec "$@"' bash` */
  prefix?: string[];
}

export interface Finished {
  /** 128 and the signal's number for one that a signal ended */
  code: number;
  stdout: string;
  stderr: string;
}

export interface Running {
  pid: number;
  /** resolves with everything printed so far on both streams, when it holds this */
  printed(text: string | RegExp): Promise<string>;
  kill(signal: NodeJS.Signals): void;
  ended: Promise<Finished>;
}

export interface StoredTurn {
  outcome: string | null;
  ended_at: string | null;
  error: string | null;
}

export interface StoredPart {
  type: string;
  text?: string;
  name?: string;
  callId?: string;
  isError?: boolean;
}

export interface ShownSession {
  id: string;
  model: string;
  provider: string;
  systemPrompt: string | null;
  messages: { seq: number; role: string; parts: StoredPart[] }[];
}

/** A machine of its own for the compiled executable: no node_modules, an empty home, a model server. */
export interface World extends AsyncDisposable {
  root: string;
  home: string;
  hermesHome: string;
  cwd: string;
  executable: string;
  fake: FakeOpenAi;
  environment: Record<string, string>;
  start(args: string[], options?: RunOptions): Running;
  run(args: string[], options?: RunOptions): Promise<Finished>;
  /** one question, as `chat -m test-model -q` */
  ask(question: string, args?: string[], options?: RunOptions): Promise<Finished>;
  /** the session as `sessions show --json` tells it */
  show(id: string): Promise<ShownSession>;
  /** turns of a session, oldest first, as they stand in the database */
  turns(id: string): StoredTurn[];
}

const processTimeoutMs = 30_000;
const built = join(import.meta.dir, "../../dist/hermes");
let copy: string | undefined;

/** One copy for all worlds, away from the checkout; each world has a link to it. The test home goes at the end. */
function copiedExecutable(): string {
  if (copy !== undefined && existsSync(copy)) return copy;
  if (!existsSync(built)) throw new Error(`${built} is missing: run "npm run build" before these tests`);
  copy = join(mkdtempSync(join(process.env["HOME"] ?? tmpdir(), "executable-")), "hermes");
  copyFileSync(built, copy, constants.COPYFILE_FICLONE);
  return copy;
}

export async function createWorld(options: { key?: string } = {}): Promise<World> {
  const source = copiedExecutable();
  const root = mkdtempSync(join(tmpdir(), "hermes-e2e-"));
  const home = join(root, "home");
  const cwd = join(root, "project");
  const hermesHome = join(home, ".hermes");
  for (const directory of [hermesHome, cwd]) mkdirSync(directory, { recursive: true });
  const executable = join(root, "hermes");
  linkSync(source, executable);
  const fake = startFakeOpenAi(options);
  const environment = {
    PATH: process.env["PATH"] ?? "/usr/bin:/bin",
    HOME: home,
    HERMES_HOME: hermesHome,
    OPENAI_BASE_URL: fake.baseUrl,
    OPENAI_API_KEY: options.key ?? "test-key-of-the-fake",
  };
  const living = new Set<Running>();

  const start = (args: string[], run: RunOptions = {}): Running => {
    const running = startProcess([...(run.prefix ?? []), executable, ...args], { cwd, ...run }, environment);
    living.add(running);
    void running.ended.then(() => living.delete(running));
    return running;
  };
  const run = async (args: string[], runOptions: RunOptions = {}): Promise<Finished> =>
    await start(args, runOptions).ended;

  return {
    root,
    home,
    hermesHome,
    cwd,
    executable,
    fake,
    environment,
    start,
    run,
    ask: (question, args = [], runOptions = {}) =>
      run(["chat", "-m", "test-model", ...args, "-q", question], runOptions),
    async show(id) {
      const { code, stdout, stderr } = await run(["sessions", "show", id, "--json"]);
      if (code !== 0) throw new Error(`sessions show ${id} failed: ${stderr}`);
      return JSON.parse(stdout) as ShownSession;
    },
    turns(id) {
      using database = new Database(join(hermesHome, "hermes.db"), { readonly: true });
      return database
        .query<StoredTurn, [string]>(
          "SELECT outcome, ended_at, error FROM turns WHERE session_id = ? ORDER BY started_at",
        )
        .all(id);
    },
    async [Symbol.asyncDispose]() {
      for (const running of living) running.kill("SIGKILL");
      await Promise.all([...living].map((running) => running.ended));
      await fake.close();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

function startProcess(argv: string[], options: RunOptions & { cwd: string }, clean: Record<string, string>): Running {
  const merged = Object.entries({ ...clean, ...options.env }).filter((entry) => entry[1] !== undefined);
  const child = Bun.spawn(argv, {
    cwd: options.cwd,
    env: Object.fromEntries(merged),
    stdin: "pipe",
    stdout: "pipe",
    stderr: "pipe",
    timeout: processTimeoutMs,
    killSignal: "SIGKILL",
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  });
  const output = { stdout: "", stderr: "" };
  const looks = new Set<() => void>();
  const collect = async (name: "stdout" | "stderr"): Promise<void> => {
    const decoder = new TextDecoder();
    for await (const chunk of child[name]) {
      output[name] += decoder.decode(chunk, { stream: true });
      for (const look of looks) look();
    }
  };
  const ended = Promise.all([child.exited, collect("stdout"), collect("stderr")]).then(([code]) => ({
    code,
    ...output,
  }));
  if (options.stdin !== undefined) void child.stdin.write(options.stdin);
  void child.stdin.end();
  return {
    pid: child.pid,
    ended,
    kill: (signal) => child.kill(signal),
    printed: (text) => printed(text, { output, looks, ended }),
  };
}

function printed(
  text: string | RegExp,
  source: { output: { stdout: string; stderr: string }; looks: Set<() => void>; ended: Promise<Finished> },
): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const look = (): void => {
    const all = source.output.stdout + source.output.stderr;
    if (typeof text === "string" ? !all.includes(text) : !text.test(all)) return;
    source.looks.delete(look);
    resolve(all);
  };
  source.looks.add(look);
  look();
  const fail = ({ code, stdout, stderr }: Finished): void => {
    look();
    reject(new Error(`the process ended with ${code} before it printed ${String(text)}:\n${stdout}${stderr}`));
  };
  void source.ended.then(fail);
  return promise;
}

/** Resolves with the text of a file once it exists and is not empty; rejects when the process ends before. */
export async function fileAppears(path: string, ended: Promise<unknown>): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const fail = (end: unknown): void => {
    look();
    reject(new Error(`the process ended before ${path} appeared: ${JSON.stringify(end)}`));
  };
  void ended.then(fail);
  const look = (): void => {
    const text = existsSync(path) ? readFileSync(path, "utf8") : "";
    if (text !== "") resolve(text);
  };
  const watcher = watch(dirname(path), look);
  try {
    look();
    return await promise;
  } finally {
    watcher.close();
  }
}

/** The session that a one-shot wrote to stderr, or that its first event names. */
export function sessionIdOf({ stdout, stderr }: Pick<Finished, "stdout" | "stderr">): string {
  const id = /^session_id: (\S+)$/m.exec(stderr)?.[1] ?? /"sessionId":"([^"]+)"/.exec(stdout)?.[1];
  if (id === undefined) throw new Error(`no session id in:\n${stdout}\n${stderr}`);
  return id;
}

/** Every failure: what is wrong, what to do next, and nothing of the inside. */
export function expectFriendlyFailure(finished: Finished, code = 1): void {
  expect(finished.stderr).toMatch(/^error: \S/m);
  expect(finished.stderr).toMatch(/^ {2}try: \S/m);
  expect(finished.stdout + finished.stderr).not.toMatch(/^\s+at /m);
  expect(finished.code).toBe(code);
}

/** A call of one tool. */
export function toolCall(name: string, args: unknown): Reply {
  return { tools: [{ name, arguments: args }] };
}

/** A command that tells its process id in the file `started` of its directory, then hangs. */
export const hangingCommand = "echo $$ > .started && mv .started started && exec sleep 300";

/** True while a process of this id runs; a zombie does not count. */
export function isAlive(pid: number): boolean {
  try {
    const state = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.charAt(0);
    return state !== "Z" && state !== "X";
  } catch {
    // no such process
    return false;
  }
}

import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { systemClock } from "../../src/base/time.ts";
import type { TurnResult } from "../../src/agent/index.ts";
import type { AgentEvent } from "../../src/plugin/events.ts";
import { denyAll, type Interaction } from "../../src/plugin/interaction.ts";
import { createRuntime, type OpenSession, type Runtime, type RuntimeOptions } from "../../src/runtime/index.ts";
import { type FakeOpenAi, startFakeOpenAi } from "../fakes/openai.ts";

/** A home, a working directory, a model server and a runtime over them, all real. */
export interface World extends AsyncDisposable {
  home: string;
  cwd: string;
  fake: FakeOpenAi;
  runtime: Runtime;
  notices: string[];
  write(path: string, text: string): void;
  open(request?: { resume?: string }): Promise<OpenSession>;
  /** runs one turn; `events` collects what the face saw */
  ask(open: OpenSession, text: string, options?: AskOptions): Promise<TurnResult & { events: AgentEvent[] }>;
  /** another runtime over the same home, as another process would have */
  another(): Promise<Runtime>;
}

export interface AskOptions {
  signal?: AbortSignal;
  interaction?: Interaction;
  context?: string;
  onEvent?(event: AgentEvent): void;
}

export async function createWorld(
  options: { config?: string; overrides?: RuntimeOptions["overrides"] } = {},
): Promise<World> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "hermes-world-")));
  const home = join(root, "home");
  const cwd = join(root, "project");
  mkdirSync(home, { mode: 0o700 });
  mkdirSync(cwd);
  if (options.config !== undefined) writeFileSync(join(home, "config.yaml"), options.config);
  const fake = startFakeOpenAi();
  const notices: string[] = [];
  const create = (): Promise<Runtime> =>
    createRuntime({
      home,
      environment: {
        HOME: root,
        PATH: process.env["PATH"],
        OPENAI_BASE_URL: fake.baseUrl,
        OPENAI_API_KEY: "test-key-0123456789abcdef",
        HERMES_RETRY_BASE_MS: "1",
      },
      clock: systemClock(),
      notice: (_, text) => void notices.push(text),
      overrides: { model: "test-model", ...options.overrides },
    });
  const runtime = await create();
  const others: Runtime[] = [];
  return {
    home,
    cwd,
    fake,
    runtime,
    notices,
    write(path, text) {
      const target = join(cwd, path);
      mkdirSync(dirname(target), { recursive: true });
      writeFileSync(target, text);
    },
    open: (request = {}) => runtime.openSession({ source: "cli", cwd, ...request }),
    async ask(open, text, ask = {}) {
      const events: AgentEvent[] = [];
      const result = await open.run(
        { parts: [{ type: "text", text }], ...(ask.context === undefined ? {} : { context: ask.context }) },
        {
          interaction: ask.interaction ?? denyAll("nobody is there"),
          signal: ask.signal ?? new AbortController().signal,
          emit: (event) => {
            events.push(event);
            ask.onEvent?.(event);
          },
        },
      );
      return { ...result, events };
    },
    async another() {
      const made = await create();
      others.push(made);
      return made;
    },
    async [Symbol.asyncDispose]() {
      for (const other of [...others, runtime]) await other.close();
      await fake.close();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

import { mkdtempSync, realpathSync, rmSync, writeFileSync, mkdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { processEnvironment } from "../../src/base/env.ts";
import { isRecord, parseJson } from "../../src/base/json.ts";
import { systemClock } from "../../src/base/time.ts";
import type { Authorization } from "../../src/guard/index.ts";
import { createFileState } from "../../src/tools/file-state.ts";
import {
  coreTools,
  type CoreToolContext,
  createLocalTerminal,
  createProcessRegistry,
  createTodoList,
  createToolRegistry,
  parseArguments,
} from "../../src/tools/index.ts";

/** The answer of a tool: its JSON, and what is shown to people. */
export interface Answer {
  json: Record<string, unknown>;
  isError: boolean;
  diff?: string;
}

/** A folder, a session and the core tools in it; nothing is faked but the answer of the approvals. */
export function createToolWorld(options: { authorize?: (command: string) => Authorization } = {}) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "hermes-tools-")));
  const clock = systemClock();
  const terminal = createLocalTerminal();
  const processes = createProcessRegistry({ clock });
  const registry = createToolRegistry(coreTools);
  const asked: string[] = [];
  const stop = new AbortController();
  const unused = (): Promise<never> => Promise.reject(new Error("not part of this world"));
  const context: CoreToolContext = {
    signal: stop.signal,
    callId: "call_1",
    sessionId: "session",
    cwd: root,
    host: {
      fetch,
      log: { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined },
      secrets: { get: () => undefined },
      dataDir: join(root, ".data"),
      now: () => new Date(),
      paths: { temp: tmpdir() },
    },
    progress: () => undefined,
    session: {
      id: "session",
      source: "test",
      setCwd: (path) => {
        context.cwd = path;
      },
    },
    lineage: ["session"],
    ask: unused,
    runAgent: unused,
    deliver: unused,
    complete: unused,
    backend: () => terminal,
    approvals: {
      authorize: ({ command }) => {
        asked.push(command);
        return Promise.resolve(options.authorize?.(command) ?? { allowed: true });
      },
    },
    store: { path: "", write: unused, read: unused, close: unused },
    clock,
    home: join(root, ".hermes"),
    settings: {
      terminal: { timeoutMs: 180_000, environmentPassthrough: [] },
      output: { maxChars: 50_000, maxLines: 2000, maxLineLength: 2000 },
      fileReadMaxChars: 100_000,
    },
    files: createFileState(),
    processes,
    todos: createTodoList(),
    environment: { ...processEnvironment() },
  };
  return {
    root,
    context,
    registry,
    processes,
    terminal,
    asked,
    stop: (): void => stop.abort(new Error("stopped")),
    path: (name: string): string => join(root, name),
    put(name: string, content: string | Uint8Array): string {
      const path = join(root, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, content);
      return path;
    },
    text: (name: string): string => readFileSync(join(root, name), "utf8"),
    bytes: (name: string): Buffer => readFileSync(join(root, name)),
    /** calls a tool as the agent does: coercion, check, execution */
    async call(name: string, args: Record<string, unknown>): Promise<Answer> {
      const tool = registry.find(name);
      if (tool === undefined) throw new Error(`no tool ${name}`);
      const parsed = parseArguments(tool, args);
      if (!parsed.ok) return { json: { error: parsed.error, hint: parsed.hint }, isError: true };
      context.files.noteToolCall(name);
      const output = await tool.execute(parsed.value, context);
      const shown = typeof output === "string" ? { text: output } : output;
      const json = parseJson(shown.text);
      if (!isRecord(json)) throw new Error(`not one JSON object: ${shown.text}`);
      return {
        json,
        isError: shown.isError === true,
        ...(shown.diff === undefined ? {} : { diff: shown.diff }),
      };
    },
    async [Symbol.asyncDispose](): Promise<void> {
      await processes.stopAll();
      await terminal.stopAll();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

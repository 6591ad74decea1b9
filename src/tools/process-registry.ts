import { randomBytes } from "node:crypto";
import { redact } from "../base/redact.ts";
import { sleep, type Clock } from "../base/time.ts";
import { stripAnsi } from "./ansi.ts";
import { waitAtMost } from "./process-group.ts";
import { createOutputBuffer, type OutputBuffer } from "./output-buffer.ts";
import type { BackgroundCommand, TerminalBackend } from "./terminal-backend.ts";

export interface BackgroundStart {
  command: string;
  cwd: string;
  env: Record<string, string>;
  /** the session that may see and end it */
  sessionId: string;
  backend: TerminalBackend;
}

/** What is known of one background command. */
export interface ProcessInfo {
  id: string;
  sessionId: string;
  command: string;
  cwd: string;
  pid: number;
  startedAt: Date;
  uptimeSeconds: number;
  /** undefined while it runs; −15 when it was ended by a kill */
  exitCode?: number;
  /** redacted and without escape sequences; the newest 200,000 characters */
  output: string;
}

/** The background commands of this process. Finished ones are kept for half an hour. */
export interface ProcessRegistry {
  /** @throws {ToolError} E_TERMINAL_START, E_PROCESS_LIMIT */
  start(request: BackgroundStart): Promise<ProcessInfo>;
  /** of these sessions, oldest first */
  list(sessionIds: string[]): ProcessInfo[];
  find(id: string, sessionIds: string[]): ProcessInfo | undefined;
  /** @returns true when it has ended, false when the time was over first. @throws the signal's reason */
  wait(id: string, timeoutMs: number, signal: AbortSignal): Promise<boolean>;
  /** @throws {ToolError} E_PROCESS_INPUT when it takes no input */
  write(id: string, data: string): Promise<void>;
  closeInput(id: string): void;
  /** resolves when the whole process group is gone */
  kill(id: string): Promise<void>;
  stopAll(): Promise<void>;
}

const maxOutputChars = 200_000;
const maxTracked = 64;
const keepFinishedMs = 1_800_000;
const killedExitCode = -15;

interface Entry {
  id: string;
  request: BackgroundStart;
  running: BackgroundCommand;
  buffer: OutputBuffer;
  startedAt: Date;
  startedMs: number;
  ended?: { exitCode: number; atMs: number };
  isKilled: boolean;
  done: Promise<void>;
}

export function createProcessRegistry(deps: { clock: Clock }): ProcessRegistry {
  const entries = new Map<string, Entry>();
  const kill = async (entry: Entry | undefined): Promise<void> => {
    if (entry === undefined || entry.ended !== undefined) return;
    entry.isKilled = true;
    await entry.running.kill();
    // what the system cannot end at once ends later: the caller does not wait for ever
    await waitAtMost(entry.done, maxKillWaitMs);
  };
  return {
    async start(request) {
      prune(entries, deps.clock.monotonicMs());
      const buffer = createOutputBuffer({ headChars: 0, tailChars: maxOutputChars });
      const running = await request.backend.start(request.command, {
        cwd: request.cwd,
        env: { PYTHONUNBUFFERED: "1", ...request.env },
        onOutput: (text) => buffer.append(text),
      });
      const entry: Entry = {
        id: `proc_${randomBytes(6).toString("hex")}`,
        request,
        running,
        buffer,
        startedAt: deps.clock.now(),
        startedMs: deps.clock.monotonicMs(),
        isKilled: false,
        done: Promise.resolve(),
      };
      const finish = async (): Promise<void> => {
        const exitCode = await running.exited;
        entry.ended = { exitCode: entry.isKilled ? killedExitCode : exitCode, atMs: deps.clock.monotonicMs() };
      };
      entry.done = finish();
      entries.set(entry.id, entry);
      return infoOf(entry, deps.clock);
    },
    list: (sessionIds) => {
      prune(entries, deps.clock.monotonicMs());
      return [...entries.values()]
        .filter((entry) => sessionIds.includes(entry.request.sessionId))
        .map((entry) => infoOf(entry, deps.clock));
    },
    find: (id, sessionIds) => {
      const entry = entries.get(id);
      if (entry === undefined || !sessionIds.includes(entry.request.sessionId)) return undefined;
      return infoOf(entry, deps.clock);
    },
    async wait(id, timeoutMs, signal) {
      const entry = entries.get(id);
      if (entry === undefined || entry.ended !== undefined) return true;
      const over = new AbortController();
      const timer = sleep(timeoutMs, AbortSignal.any([signal, over.signal])).then(() => false);
      try {
        return await Promise.race([entry.done.then(() => true), timer]);
      } finally {
        over.abort();
        // the timer that lost the race is stopped by the line above and rejects
        timer.catch(() => undefined);
      }
    },
    write: async (id, data) => {
      await entries.get(id)?.running.write(data);
    },
    closeInput: (id) => entries.get(id)?.running.closeInput(),
    kill: (id) => kill(entries.get(id)),
    async stopAll() {
      await Promise.all([...entries.values()].map(kill));
    },
  };
}

const maxKillWaitMs = 2000;

function infoOf(entry: Entry, clock: Clock): ProcessInfo {
  const endMs = entry.ended?.atMs ?? clock.monotonicMs();
  return {
    id: entry.id,
    sessionId: entry.request.sessionId,
    command: redact(entry.request.command),
    cwd: entry.request.cwd,
    pid: entry.running.pid,
    startedAt: entry.startedAt,
    uptimeSeconds: Math.round((endMs - entry.startedMs) / 1000),
    ...(entry.ended === undefined ? {} : { exitCode: entry.ended.exitCode }),
    output: shownOutput(entry.buffer),
  };
}

function shownOutput(buffer: OutputBuffer): string {
  const { text, droppedChars } = buffer.read();
  // a line that lost its beginning could show the rest of a secret
  const whole = droppedChars > 0 ? text.slice(text.indexOf("\n") + 1) : text;
  return redact(stripAnsi(whole));
}

/** Forgets what ended long ago, and the oldest ended ones when there are too many; never a running one. */
function prune(entries: Map<string, Entry>, nowMs: number): void {
  for (const [id, entry] of entries) {
    if (entry.ended !== undefined && nowMs - entry.ended.atMs > keepFinishedMs) entries.delete(id);
  }
  for (const [id, entry] of entries) {
    if (entries.size < maxTracked) return;
    if (entry.ended !== undefined) entries.delete(id);
  }
}

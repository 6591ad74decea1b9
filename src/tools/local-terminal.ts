import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readFileSync, rmSync } from "node:fs";
import { constants, tmpdir } from "node:os";
import { isAbsolute, join } from "node:path";
import { errorMessage, ToolError } from "../base/errors.ts";
import { sleep } from "../base/time.ts";
import { createOutputBuffer, splitCap } from "./output-buffer.ts";
import { createLiveGroups, stopGroup, waitAtMost } from "./process-group.ts";
import { shellEnvironment, shellScript } from "./shell-script.ts";
import type { BackgroundCommand, CommandOptions, CommandResult, TerminalBackend } from "./terminal-backend.ts";

/** Commands on this machine. */
export interface LocalTerminal extends TerminalBackend {
  /** Kills every running command. Also done, at once, when the process exits. */
  stopAll(): Promise<void>;
}

/** A pipe that stays silent this often after the shell ended has nothing more for us. */
const idleTicks = 3;
const tickMs = 40;
const maxTicks = 50;
const maxPendingInputBytes = 1_048_576;

/** Runs commands with bash in a process group of their own; see {@link shellScript} for what bash is given. */
export function createLocalTerminal(): LocalTerminal {
  const groups = createLiveGroups();
  return {
    id: "local",
    run: async (command, options, signal) => {
      signal.throwIfAborted();
      const cwdFile = join(tmpdir(), `hermes-cwd-${randomBytes(8).toString("hex")}`);
      try {
        const child = await launch(shellScript(checked(command), cwdFile), options, options.stdin === undefined);
        groups.add(child.pid);
        const result = await follow(child, options, signal).finally(() => groups.delete(child.pid));
        return { ...result, ...readCwd(cwdFile) };
      } finally {
        rmSync(cwdFile, { force: true });
      }
    },
    start: async (command, options) => {
      const child = await launch(shellScript(checked(command)), options, false);
      groups.add(child.pid);
      return background(child, options, () => groups.delete(child.pid));
    },
    stopAll: () => groups.stopAll(),
  };
}

type RunningChild = ChildProcess & { pid: number };

function checked(command: string): string {
  if (!command.includes("\0")) return command;
  throw new ToolError("E_TERMINAL_COMMAND", "the command contains a NUL character, which no shell can take", {
    hint: "write the bytes with printf '\\0' instead",
  });
}

function launch(
  script: string,
  options: Pick<CommandOptions, "cwd" | "env">,
  withoutInput: boolean,
): Promise<RunningChild> {
  return new Promise((resolve, reject) => {
    const fail = (error: unknown): void => {
      const tooLong = errorMessage(error).includes("E2BIG");
      reject(
        new ToolError("E_TERMINAL_START", `bash could not be started: ${errorMessage(error)}`, {
          cause: error,
          hint: tooLong
            ? "write the text to a file and run that"
            : "check that bash is installed and the folder exists",
        }),
      );
    };
    try {
      const child = spawn("bash", ["--norc", "--noprofile", "-c", script], {
        cwd: options.cwd,
        env: shellEnvironment(options.env),
        // a session of its own: one signal reaches everything the command started
        detached: true,
        stdio: [withoutInput ? "ignore" : "pipe", "pipe", "pipe"],
      });
      child.once("error", fail);
      child.once("spawn", () => resolve(child as RunningChild));
    } catch (error) {
      fail(error);
    }
  });
}

interface Stream {
  exited: Promise<number>;
  /** resolves when both pipes ended, or when they stay silent after the exit */
  drain(): Promise<void>;
}

/** Decodes what the child writes, across the borders of chunks. */
function listen(child: RunningChild, onText: (text: string) => void): Stream {
  let activity = 0;
  for (const pipe of [child.stdout, child.stderr]) {
    const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
    pipe?.on("data", (chunk: Uint8Array) => {
      activity += 1;
      onText(decoder.decode(chunk, { stream: true }));
    });
    pipe?.on("end", () => onText(decoder.decode()));
    // a pipe that breaks ends like one that is closed
    pipe?.on("error", () => undefined);
  }
  const closed = new Promise<true>((resolve) => {
    child.once("close", () => resolve(true));
  });
  const exited = new Promise<number>((resolve) => {
    child.once("exit", (code, signal) => resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])));
  });
  const drain = async (): Promise<void> => {
    let seen = activity;
    for (let tick = 0, idle = 0; tick < maxTicks && idle < idleTicks; tick += 1) {
      const isClosed = await Promise.race([closed, sleep(tickMs)]);
      if (isClosed === true) return;
      idle = activity === seen ? idle + 1 : 0;
      seen = activity;
    }
    // something the command left behind may hold the pipe open for ever
    for (const pipe of [child.stdin, child.stdout, child.stderr]) pipe?.destroy();
  };
  return { exited, drain };
}

async function follow(
  child: RunningChild,
  options: CommandOptions,
  signal: AbortSignal,
): Promise<Omit<CommandResult, "cwd">> {
  const buffer = createOutputBuffer(splitCap(options.maxChars));
  const stream = listen(child, (text) => {
    if (text === "") return;
    buffer.append(text);
    options.onOutput?.(text);
  });
  // the command may end without reading its input
  child.stdin?.on("error", () => undefined);
  child.stdin?.end(options.stdin);
  const end = await firstEnd(stream.exited, options.timeoutMs, signal);
  if (end.cause !== "exit") {
    await stopGroup(child.pid);
    // a process in an uninterruptible call ends later; the caller does not wait for it
    await waitAtMost(stream.exited, graceAfterKillMs);
  }
  await stream.drain();
  const { text, droppedChars, droppedAt } = buffer.read();
  return {
    exitCode: end.exitCode,
    output: text,
    timedOut: end.cause === "timeout",
    interrupted: end.cause === "interrupt",
    droppedChars,
    ...(droppedAt === undefined ? {} : { droppedAt }),
  };
}

const graceAfterKillMs = 2000;

interface End {
  cause: "exit" | "timeout" | "interrupt";
  exitCode: number;
}

function firstEnd(exited: Promise<number>, timeoutMs: number, signal: AbortSignal): Promise<End> {
  return new Promise((resolve) => {
    const finish = (end: End): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
      resolve(end);
    };
    const onAbort = (): void => finish({ cause: "interrupt", exitCode: 130 });
    const timer = setTimeout(() => finish({ cause: "timeout", exitCode: 124 }), timeoutMs);
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) onAbort();
    void exited.then((exitCode) => finish({ cause: "exit", exitCode }));
  });
}

function background(
  child: RunningChild,
  options: Pick<CommandOptions, "onOutput" | "stdin">,
  onExit: () => void,
): BackgroundCommand {
  const stream = listen(child, (text) => {
    if (text !== "") options.onOutput?.(text);
  });
  const exited = stream.exited.then(async (exitCode) => {
    onExit();
    await stream.drain();
    return exitCode;
  });
  child.stdin?.on("error", () => undefined);
  if (options.stdin !== undefined) child.stdin?.write(options.stdin);
  return {
    pid: child.pid,
    exited,
    write: (data) => writeInput(child, data),
    closeInput: () => child.stdin?.end(),
    kill: () => stopGroup(child.pid),
  };
}

function writeInput(child: RunningChild, data: string): Promise<void> {
  const input = child.stdin;
  if (input === null || !input.writable) {
    return Promise.reject(new ToolError("E_PROCESS_INPUT", `the input of process ${child.pid} is closed`));
  }
  if (input.writableLength > maxPendingInputBytes) {
    return Promise.reject(
      new ToolError("E_PROCESS_INPUT", `process ${child.pid} does not read its input`, {
        hint: "look at its output first",
      }),
    );
  }
  // not waited for: a process that never reads would never let go
  input.write(data);
  return Promise.resolve();
}

function readCwd(file: string): { cwd?: string } {
  try {
    const cwd = readFileSync(file, "utf8").replace(/\n$/, "");
    return isAbsolute(cwd) ? { cwd } : {};
  } catch {
    // the shell was killed, replaced by exec, or set its own exit trap: the directory is not known
    return {};
  }
}

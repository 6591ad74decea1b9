import { isEnvOn, processEnvironment, readEnv } from "../base/env.ts";
import { CancelledError, HermesError } from "../base/errors.ts";
import { hermesHome } from "../base/paths.ts";
import { systemClock } from "../base/time.ts";
import { checkpoint } from "../base/timing.ts";
import { type Output, type OutputMode, runInteractive, runOneShot } from "../chat/index.ts";
import { readAllInput, readPipedText } from "./piped-text.ts";
import { createRuntime } from "../runtime/index.ts";

export interface ChatFlags {
  /** "-" reads stdin; undefined opens the chat, or reads stdin when that is no terminal */
  query: string | undefined;
  mode: OutputMode;
  model: string | undefined;
  provider: string | undefined;
  resume: string | undefined;
  newest: boolean;
  maxTurns: number | undefined;
  source: string;
  yolo: boolean;
}

/** Starts the terminal face. @returns the exit code */
export async function startChat(flags: ChatFlags): Promise<number> {
  checkpoint("chat loaded");
  const question = await readQuestion(flags);
  const output = createOutput();
  const shutdown = shutdownSignal(question !== undefined);
  const cwd = readEnv("TERMINAL_CWD") ?? process.cwd();
  const runtime = await createRuntime({
    home: hermesHome(),
    environment: processEnvironment(),
    clock: systemClock(),
    notice: (level, text) =>
      output.stderr(`${level === "info" ? "" : `${level === "warn" ? "warning" : "error"}: `}${text}\n`),
    overrides: {
      model: flags.model,
      provider: flags.provider,
      maxTurns: flags.maxTurns,
      yolo: flags.yolo || isEnvOn("HERMES_YOLO_MODE"),
    },
  });
  checkpoint("runtime ready");
  try {
    const open = await runtime.openSession({ source: flags.source, cwd, resume: flags.resume, newest: flags.newest });
    checkpoint("session open");
    if (question === undefined) {
      return await runInteractive({ runtime, open, cwd, source: flags.source, output, input: process.stdin, shutdown });
    }
    try {
      return await runOneShot(open, question, { mode: flags.mode, output, signal: shutdown });
    } finally {
      await open.close();
    }
  } finally {
    checkpoint("closing");
    await runtime.close();
  }
}

/** The question of a one-shot; undefined when a person sits at the terminal. */
async function readQuestion(flags: ChatFlags): Promise<string | undefined> {
  if (flags.query !== undefined && flags.query !== "-") {
    return await withPipedText(required(flags.query, "-q: the question is empty"));
  }
  if (flags.query === undefined && process.stdin.isTTY && process.stdout.isTTY) {
    if (flags.mode === "text") return undefined;
    throw usage("--quiet and --json need a question");
  }
  if (flags.query === undefined && process.stdin.isTTY) throw usage("no question, and the output is no terminal");
  const text = await readAllInput();
  return required(text, "no question: stdin is empty and no terminal");
}

/** `git diff | hermes chat -q "review this"`: what is piped in stands behind the question. */
async function withPipedText(question: string): Promise<string> {
  const piped = await readPipedText((text) => void process.stderr.write(`warning: ${text}\n`));
  return piped === undefined || piped.trim() === "" ? question : `${question}\n\n${piped}`;
}

function required(text: string, message: string): string {
  if (text.trim() === "") throw usage(message);
  return text;
}

function usage(message: string): HermesError {
  return new HermesError("E_USAGE", message, { exitCode: 2, hint: 'hermes chat -q "your question"' });
}

function createOutput(): Output {
  return {
    stdout: (text) => void process.stdout.write(text),
    stderr: (text) => void process.stderr.write(text),
    colors: process.stdout.isTTY && readEnv("NO_COLOR") === undefined && readEnv("TERM") !== "dumb",
  };
}

/** Fires on the first SIGTERM or SIGHUP (and SIGINT in a one-shot); a second one ends the process at once. */
function shutdownSignal(oneShot: boolean): AbortSignal {
  const controller = new AbortController();
  const signals: NodeJS.Signals[] = oneShot ? ["SIGINT", "SIGTERM", "SIGHUP"] : ["SIGTERM", "SIGHUP"];
  for (const name of signals) {
    process.on(name, () => {
      if (controller.signal.aborted) process.exit(130);
      controller.abort(new CancelledError(`stopped by ${name}`));
    });
  }
  return controller.signal;
}

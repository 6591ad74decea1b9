import { resolve } from "node:path";
import { isHermesError } from "../base/errors.ts";
import { expandTilde } from "../base/paths.ts";
import { redact } from "../base/redact.ts";
import { childEnvironment } from "../guard/index.ts";
import type { ToolOutput } from "../plugin/tool.ts";
import { z } from "zod";
import { overlapChars, showOutput } from "./command-output.ts";
import { type CoreToolContext, defineCoreTool } from "./context.ts";
import { exitMeaning } from "./exit-meaning.ts";
import { foregroundRefusal } from "./foreground-guidance.ts";
import type { CommandResult } from "./terminal-backend.ts";
import { answer } from "./tool-answer.ts";
import { existingDirectory, isDirectory, isSameDirectory } from "./working-directory.ts";

const maxForegroundSeconds = 600;

export const terminal = defineCoreTool({
  name: "terminal",
  toolset: "terminal",
  description:
    "Runs a bash command on the user's machine. The working directory carries over between calls, variables do not. " +
    "Use background=true for servers and anything that runs longer than ten minutes. Input is closed: use " +
    "flags that answer prompts. Prefer file tools to cat, sed and echo where they serve.",
  parameters: z.object({
    command: z.string().describe("the command line"),
    background: z.boolean().default(false).describe("start it and return at once"),
    timeout: z.int().min(1).optional().describe("seconds until it is stopped, at most 600; not for background"),
    workdir: z.string().optional().describe("run it in this directory"),
    pty: z.boolean().optional().describe("not supported; commands run with pipes"),
  }),
  previewArgument: "command",
  async execute(args, context) {
    const place = workingDirectory(args.workdir, context.cwd);
    const refusal = place.error ?? refuse(args);
    if (refusal !== undefined) return refused(refusal.error, refusal.hint);
    const request = { command: args.command, cwd: place.cwd };
    const authorization = await context.approvals.authorize(request, context.signal);
    if (!authorization.allowed) {
      return {
        ...answer({ output: "", exit_code: -1, error: authorization.message, status: "blocked" }),
        isError: true,
      };
    }
    const notes = { approval: authorization.note, _warning: place.warning, pty_note: ptyNote(args.pty) };
    try {
      if (args.background) return await startBackground(request, notes, context);
      return await runForeground(
        request,
        { seconds: args.timeout, movesSession: args.workdir === undefined },
        notes,
        context,
      );
    } catch (error) {
      if (!isHermesError(error)) throw error;
      return refused(error.message, error.hint, "error");
    }
  },
});

interface Request {
  command: string;
  cwd: string;
}

type Notes = Record<string, string | undefined>;

function refused(error: string, hint?: string, status?: string): ToolOutput {
  return { ...answer({ output: "", exit_code: -1, error: redact(error), status, hint }), isError: true };
}

function refuse(args: { command: string; background: boolean; timeout?: number | undefined }) {
  if (args.command.trim() === "") return { error: "command is empty", hint: "give the command line to run" };
  if (args.background) return undefined;
  if (args.timeout !== undefined && args.timeout > maxForegroundSeconds) {
    return {
      error: `timeout ${args.timeout} is above the foreground limit of ${maxForegroundSeconds} seconds`,
      hint: "use background=true and look at its output later",
    };
  }
  const reason = foregroundRefusal(args.command);
  return reason === undefined ? undefined : { error: reason, hint: "run it with background=true, without & or nohup" };
}

interface WorkingDirectory {
  cwd: string;
  warning?: string;
  error?: { error: string; hint?: string };
}

function workingDirectory(workdir: string | undefined, sessionCwd: string): WorkingDirectory {
  const cwd = existingDirectory(sessionCwd);
  if (workdir === undefined || workdir.trim() === "") {
    return cwd === sessionCwd ? { cwd } : { cwd, warning: `${sessionCwd} no longer exists; the command ran in ${cwd}` };
  }
  if (!/^[A-Za-z0-9/\\:_.~ +@=,\p{L}\p{N}-]+$/u.test(workdir) || workdir.includes("\n")) {
    return { cwd, error: { error: `workdir has characters that a path here must not have: ${workdir}` } };
  }
  const wanted = resolve(cwd, expandTilde(workdir));
  if (isDirectory(wanted)) return { cwd: wanted };
  return { cwd, error: { error: `workdir does not exist: ${workdir}`, hint: "create it first, or leave workdir out" } };
}

function ptyNote(pty: boolean | undefined): string | undefined {
  return pty === true ? "There is no pseudo-terminal here: the command ran with pipes." : undefined;
}

function environmentFor(context: CoreToolContext): Record<string, string> {
  return childEnvironment(context.environment, {
    passthrough: context.settings.terminal.environmentPassthrough,
    home: context.home,
  });
}

async function startBackground(request: Request, notes: Notes, context: CoreToolContext): Promise<ToolOutput> {
  const started = await context.processes.start({
    ...request,
    env: environmentFor(context),
    sessionId: context.session.id,
    backend: context.backend("terminal"),
  });
  return answer({
    output: "Background process started",
    session_id: started.id,
    pid: started.pid,
    exit_code: 0,
    error: null,
    ...notes,
  });
}

async function runForeground(
  request: Request,
  options: { seconds: number | undefined; movesSession: boolean },
  notes: Notes,
  context: CoreToolContext,
): Promise<ToolOutput> {
  const timeoutMs = options.seconds === undefined ? context.settings.terminal.timeoutMs : options.seconds * 1000;
  const maxChars = context.settings.output.maxChars;
  const result = await context
    .backend("terminal")
    .run(
      request.command,
      { cwd: request.cwd, timeoutMs, env: environmentFor(context), maxChars: maxChars + overlapChars },
      context.signal,
    );
  if (options.movesSession && result.cwd !== undefined && !isSameDirectory(result.cwd, context.cwd)) {
    context.session.setCwd(result.cwd);
  }
  const meaning = result.timedOut ? undefined : exitMeaning(request.command, result.exitCode);
  const shown = answer({
    output: [showOutput(result, maxChars), endNote(result, timeoutMs)].filter((part) => part !== "").join("\n"),
    exit_code: result.exitCode,
    error: null,
    exit_code_meaning: meaning,
    hint: sudoHint(result.output),
    ...notes,
  });
  return result.exitCode === 0 || meaning !== undefined ? shown : { ...shown, isError: true };
}

function endNote(result: CommandResult, timeoutMs: number): string {
  if (result.timedOut) return `[Command timed out after ${timeoutMs / 1000}s]`;
  return result.interrupted === true ? "[Command interrupted — user sent a new message]" : "";
}

function sudoHint(output: string): string | undefined {
  return /sudo: (?:a password is required|no tty present|a terminal is required)/.test(output)
    ? "sudo asked for a password, which cannot be typed here: ask the user to run the command or to allow it without one."
    : undefined;
}

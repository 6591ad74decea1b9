import { isHermesError } from "../base/errors.ts";
import type { ToolOutput } from "../plugin/tool.ts";
import { z } from "zod";
import { type CoreToolContext, defineCoreTool } from "./context.ts";
import { takeTail } from "./output-buffer.ts";
import type { ProcessInfo } from "./process-registry.ts";
import { answer, failure } from "./tool-answer.ts";

const actions = ["list", "poll", "log", "wait", "kill", "write", "submit", "close"] as const;

const parameters = z.object({
  action: z.enum(actions),
  session_id: z.union([z.string(), z.number()]).optional().describe("the process, as its start returned it"),
  data: z.string().optional().describe("input for write (as it is) or submit (with a newline)"),
  timeout: z.int().min(1).optional().describe("seconds to wait"),
  offset: z.int().min(0).default(0).describe("log: lines to skip; 0 shows the end"),
  limit: z.int().min(1).default(200).describe("log: lines"),
});

type Arguments = z.output<typeof parameters>;

export const processTool = defineCoreTool({
  name: "process",
  toolset: "terminal",
  description: "Looks after background commands: list, poll, log, wait, kill, write or submit input, close input.",
  parameters,
  previewArgument: "action",
  async execute(args, context) {
    if (args.action === "list") return answer({ processes: context.processes.list(context.lineage).map(listed) });
    const { action } = args;
    const id = args.session_id === undefined ? "" : String(args.session_id);
    if (id === "") return failure(`session_id is required for ${args.action}`);
    const found = context.processes.find(id, context.lineage);
    if (found === undefined) {
      return { ...answer({ status: "not_found", error: `No process with ID ${id}` }), isError: true };
    }
    try {
      return await act({ ...args, action }, found, context);
    } catch (error) {
      if (!isHermesError(error)) throw error;
      return failure(error.message, { session_id: id, hint: error.hint });
    }
  },
});

type OneProcess = Omit<Arguments, "action"> & { action: Exclude<Arguments["action"], "list"> };

async function act(args: OneProcess, found: ProcessInfo, context: CoreToolContext): Promise<ToolOutput> {
  switch (args.action) {
    case "poll":
      return answer(polled(found));
    case "log":
      return answer(logged(found, args.offset, args.limit));
    case "wait":
      return await wait(args.timeout, found, context);
    case "kill":
      return await kill(found, context);
    case "write":
    case "submit":
      return await write(args.action === "submit" ? `${args.data ?? ""}\n` : (args.data ?? ""), found, context);
    case "close":
      break;
  }
  context.processes.closeInput(found.id);
  return answer({ status: "ok", session_id: found.id });
}

function statusOf(info: ProcessInfo): "running" | "exited" {
  return info.exitCode === undefined ? "running" : "exited";
}

function listed(info: ProcessInfo): Record<string, unknown> {
  return {
    session_id: info.id,
    command: info.command.slice(0, 200),
    cwd: info.cwd,
    pid: info.pid,
    started_at: info.startedAt.toISOString(),
    uptime_seconds: info.uptimeSeconds,
    status: statusOf(info),
    output_preview: takeTail(info.output, 200),
    exit_code: info.exitCode,
  };
}

function polled(info: ProcessInfo): Record<string, unknown> {
  return {
    session_id: info.id,
    command: info.command,
    status: statusOf(info),
    pid: info.pid,
    uptime_seconds: info.uptimeSeconds,
    output_preview: takeTail(info.output, 1000),
    exit_code: info.exitCode,
  };
}

function logged(info: ProcessInfo, offset: number, limit: number): Record<string, unknown> {
  const lines = info.output.replace(/\n$/, "").split("\n");
  const all = info.output === "" ? [] : lines;
  const shown = offset === 0 ? all.slice(-limit) : all.slice(offset, offset + limit);
  return {
    session_id: info.id,
    status: statusOf(info),
    output: shown.join("\n"),
    total_lines: all.length,
    showing: `${shown.length} lines`,
  };
}

async function wait(seconds: number | undefined, found: ProcessInfo, context: CoreToolContext): Promise<ToolOutput> {
  const maxSeconds = Math.max(1, Math.floor(context.settings.terminal.timeoutMs / 1000));
  const waited = Math.min(seconds ?? maxSeconds, maxSeconds);
  const note =
    seconds !== undefined && seconds > maxSeconds
      ? `Waited at most ${maxSeconds} seconds instead of ${seconds}.`
      : undefined;
  const latest = (): ProcessInfo => context.processes.find(found.id, context.lineage) ?? found;
  try {
    const hasEnded = await context.processes.wait(found.id, waited * 1000, context.signal);
    const info = latest();
    if (hasEnded) {
      return answer({
        status: "exited",
        session_id: info.id,
        exit_code: info.exitCode,
        output: takeTail(info.output, 2000),
        timeout_note: note,
      });
    }
    return answer({
      status: "timeout",
      session_id: info.id,
      output: takeTail(info.output, 1000),
      timeout_note: note ?? `Still running after ${waited} seconds.`,
    });
  } catch (error) {
    if (!context.signal.aborted) throw error;
    // the user stopped the waiting, not the process
    return answer({
      status: "interrupted",
      session_id: found.id,
      output: takeTail(latest().output, 1000),
      note: "The wait was interrupted; the process runs on.",
    });
  }
}

async function kill(found: ProcessInfo, context: CoreToolContext): Promise<ToolOutput> {
  if (found.exitCode !== undefined) return alreadyExited(found);
  await context.processes.kill(found.id);
  return answer({ status: "killed", session_id: found.id });
}

async function write(data: string, found: ProcessInfo, context: CoreToolContext): Promise<ToolOutput> {
  if (found.exitCode !== undefined) return alreadyExited(found);
  await context.processes.write(found.id, data);
  return answer({ status: "ok", session_id: found.id, bytes_written: Buffer.byteLength(data) });
}

function alreadyExited(info: ProcessInfo): ToolOutput {
  return answer({ status: "already_exited", session_id: info.id, exit_code: info.exitCode });
}

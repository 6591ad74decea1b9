import { sep, resolve } from "node:path";
import { isRecord, parseJson } from "../base/json.ts";
import { expandTilde } from "../base/paths.ts";
import type { ToolConcurrency } from "../plugin/tool.ts";
import { parseArguments, type ToolRegistry } from "./registry.ts";

/** Calls that run at the same time, at most. */
export const maxParallelCalls = 8;

/** One call of a batch; `arguments` is the JSON text of the model. */
export interface PlannedCall {
  name: string;
  arguments: string;
}

/**
 * Splits the calls of one answer into groups: those of a group may run side by side, the groups run in order.
 * The whole batch is parallel or none of it, since an exclusive call may depend on the calls before it.
 * @returns indexes into `calls`, in order
 */
export function planBatch(calls: PlannedCall[], cwd: string, registry: Pick<ToolRegistry, "find">): number[][] {
  const modes = calls.map((call) => concurrencyOf(call, cwd, registry));
  const sequential = calls.map((_, index) => [index]);
  if (calls.length < 2 || modes.some((mode) => mode.mode === "exclusive") || hasConflict(modes, cwd)) return sequential;
  const groups: number[][] = [];
  for (let start = 0; start < calls.length; start += maxParallelCalls) {
    groups.push(sequential.slice(start, start + maxParallelCalls).flat());
  }
  return groups;
}

/** How one call may run beside others; unknown tools and arguments that do not parse are exclusive. */
export function concurrencyOf(call: PlannedCall, cwd: string, registry: Pick<ToolRegistry, "find">): ToolConcurrency {
  const exclusive: ToolConcurrency = { mode: "exclusive" };
  const tool = registry.find(call.name);
  if (tool?.concurrency === undefined) return exclusive;
  const args = parseJson(call.arguments.trim() === "" ? "{}" : call.arguments);
  if (!isRecord(args)) return exclusive;
  const parsed = parseArguments(tool, args);
  if (!parsed.ok) return exclusive;
  const mode = tool.concurrency(parsed.value, cwd);
  return mode.mode === "path" && mode.path.trim() === "" ? exclusive : mode;
}

function hasConflict(modes: ToolConcurrency[], cwd: string): boolean {
  const paths = modes.filter((mode) => mode.mode === "path").map((mode) => resolve(cwd, expandTilde(mode.path)));
  return paths.some((path, index) => paths.slice(index + 1).some((other) => overlaps(path, other)));
}

/** Equal, or one is a folder above the other. */
function overlaps(left: string, right: string): boolean {
  return left === right || isInside(left, right) || isInside(right, left);
}

function isInside(path: string, folder: string): boolean {
  return path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

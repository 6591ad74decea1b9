import type { z } from "zod";
import type { PluginHost } from "./host.ts";

/** What a tool gets at each call. */
export interface ToolContext {
  signal: AbortSignal;
  callId: string;
  sessionId: string;
  /** absolute working directory of the session */
  cwd: string;
  host: PluginHost;
  /** shows one line of progress to the user; not sent to the model */
  progress(text: string): void;
}

/** The answer to the model. `text` is what it reads; the rest is for people. */
export interface ToolOutput {
  text: string;
  isError?: boolean;
  /** unified diff for display */
  diff?: string;
}

/** May this call run beside others of the same batch? `path` names the file it touches. */
export type ToolConcurrency = { mode: "parallel" } | { mode: "path"; path: string } | { mode: "exclusive" };

/**
 * One tool. Failures are answers: return an `isError` output or throw a ToolError, never let the turn end.
 * @typeParam Context what the tool needs; plugins get {@link ToolContext}
 */
export interface ToolDefinition<
  Parameters extends z.ZodObject = z.ZodObject,
  Context extends ToolContext = ToolContext,
> {
  name: string;
  toolset: string;
  /** read by the model */
  description: string;
  parameters: Parameters;
  execute(args: z.output<Parameters>, context: Context): Promise<string | ToolOutput>;
  /** cheap, synchronous, no network; a throw counts as false */
  isAvailable?(): boolean;
  /** default exclusive */
  concurrency?(args: z.output<Parameters>, cwd: string): ToolConcurrency;
  /** the argument shown in the tool feed */
  previewArgument?: string;
  /** results above this are saved to a file and previewed; default 100,000 UTF-16 units, Infinity for never */
  maxResultChars?: number;
}

/** A declared tool plugin, as `plugin-host` loads it. */
export interface ToolPlugin {
  kind: "tool";
  apiVersion: number;
  definition: ToolDefinition;
}

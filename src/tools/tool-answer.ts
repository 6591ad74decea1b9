import type { ToolOutput } from "../plugin/tool.ts";
import { toWellFormed } from "../base/text.ts";

/** A result as one JSON document, members without a value left out. */
export function answer(value: Record<string, unknown>): ToolOutput {
  return { text: toWellFormed(JSON.stringify(value)) };
}

/** A failure in the shape the model reads: what happened, and how to repair the call. */
export function failure(error: string, more: Record<string, unknown> = {}): ToolOutput {
  return { text: toWellFormed(JSON.stringify({ error, ...more })), isError: true };
}

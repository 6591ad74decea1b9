import { tmpdir } from "node:os";
import { join } from "node:path";
import { redact } from "../base/redact.ts";
import { oneLine } from "../base/text.ts";
import type { ParsedCall, ToolPort } from "../agent/index.ts";
import type { ToolOutput } from "../plugin/tool.ts";
import {
  budgetBatch,
  budgetResult,
  type CoreTool,
  type CoreToolContext,
  createToolRegistry,
  parseArguments,
  planBatch,
  repairToolName,
} from "../tools/index.ts";

const defaultMaxChars = 100_000;

export interface ToolPortOptions {
  tools: CoreTool[];
  /** a context for one call */
  contextFor(call: { id: string; signal: AbortSignal; progress(text: string): void }): CoreToolContext;
  /** told of every call, before it runs */
  onCall(name: string): void;
  cwd(): string;
  /** where results that are too long are saved, absolute */
  resultFolder: string;
}

/** Runs core tools for the agent: arguments checked, results redacted and bounded. */
export function createToolPort(options: ToolPortOptions): ToolPort {
  const registry = createToolRegistry(options.tools);
  const specs = registry.specs();
  return {
    specs,
    repairName: (name) => repairToolName(name, registry.names),
    plan(calls) {
      const texts = calls.map((call) => ({ name: call.name, arguments: JSON.stringify(call.arguments) }));
      const groups = planBatch(texts, options.cwd(), registry);
      return groups.map((group) => group.map((index) => calls[index]).filter((call) => call !== undefined));
    },
    fit: (results) =>
      budgetBatch(
        results.map((result) => ({
          text: result.text,
          callId: result.id,
          isExempt: registry.find(result.name)?.maxResultChars === Number.POSITIVE_INFINITY,
        })),
        options.resultFolder,
      ),
    preview: (call) => preview(call, registry.find(call.name)),
    async run(call, signal, onProgress) {
      const tool = registry.find(call.name);
      if (tool === undefined) return { text: JSON.stringify({ error: `Unknown tool: ${call.name}` }), isError: true };
      const parsed = parseArguments(tool, call.arguments);
      if (!parsed.ok) return { text: JSON.stringify({ error: parsed.error, hint: parsed.hint }), isError: true };
      options.onCall(call.name);
      const context = options.contextFor({ id: call.id, signal, progress: onProgress });
      const output = await tool.execute(parsed.value, context);
      return await bounded(call, toOutput(output), tool.maxResultChars ?? defaultMaxChars, options.resultFolder);
    },
  };
}

function toOutput(output: string | ToolOutput): ToolOutput {
  return typeof output === "string" ? { text: output } : output;
}

async function bounded(call: ParsedCall, output: ToolOutput, maxChars: number, folder: string): Promise<ToolOutput> {
  // core tools mask their texts before they are put into JSON; here only values that we hold remain
  const text = redact(output.text.toWellFormed(), { patterns: false });
  return { ...output, text: await budgetResult(text, { callId: call.id, maxChars, directory: folder }) };
}

function preview(call: ParsedCall, tool: CoreTool | undefined): string {
  const value =
    tool?.previewArgument === undefined ? Object.values(call.arguments)[0] : call.arguments[tool.previewArgument];
  return redact(oneLine(typeof value === "string" ? value : JSON.stringify(value ?? ""), 120));
}

/** The folder for long results, of this user only. */
export function resultFolderOf(sessionId: string): string {
  return join(tmpdir(), `hermes-results-${process.getuid?.() ?? "user"}`, sessionId);
}

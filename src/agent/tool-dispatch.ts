import { oneLine } from "../base/text.ts";
import { redact } from "../base/redact.ts";
import type { Message, ToolCallPart } from "../plugin/message.ts";
import type { ToolOutput } from "../plugin/tool.ts";
import { parseArguments, replaceLoneSurrogates } from "./argument-repair.ts";
import { maxCallsPerAnswer, withCleanIdentity } from "./call-identity.ts";
import type { AgentDeps, ParsedCall } from "./types.ts";

/** The calls of one answer, checked. */
export interface CheckedCalls {
  /** as stored: names repaired, arguments mended, duplicates dropped */
  calls: ToolCallPart[];
  ready: ParsedCall[];
  unknown: { call: ToolCallPart }[];
  broken: { call: ToolCallPart; error: string }[];
}

/** Repairs names and arguments, and keeps the first of identical calls. */
export function checkCalls(sent: ToolCallPart[], deps: Pick<AgentDeps, "tools">): CheckedCalls {
  const checked: CheckedCalls = { calls: [], ready: [], unknown: [], broken: [] };
  const known = new Set(deps.tools.specs.map((spec) => spec.name));
  const seen = new Set<string>();
  for (const original of withCleanIdentity(sent.slice(0, maxCallsPerAnswer))) {
    const name = known.has(original.name) ? original.name : (deps.tools.repairName(original.name) ?? original.name);
    const parsed = parseArguments(original.arguments);
    const mended = parsed.ok ? compact(original.arguments, parsed.value) : original.arguments;
    const key = `${name} ${mended}`;
    if (seen.has(key)) continue;
    seen.add(key);
    const call: ToolCallPart = { ...original, name, arguments: mended };
    checked.calls.push(call);
    if (!known.has(name)) checked.unknown.push({ call });
    else if (parsed.ok) checked.ready.push({ id: call.id, name, arguments: parsed.value });
    else checked.broken.push({ call, error: parsed.error });
  }
  return checked;
}

/** The text as sent when it is valid, so that the stored bytes are the model's own; no lone surrogates. */
function compact(text: string, value: Record<string, unknown>): string {
  try {
    JSON.parse(text);
    return replaceLoneSurrogates(text, value);
  } catch {
    // the mended form is what was understood
    return JSON.stringify(value);
  }
}

export function resultMessage(call: { id: string; name: string }, output: ToolOutput): Message {
  return {
    role: "tool",
    parts: [
      {
        type: "tool-result",
        callId: call.id,
        name: call.name,
        text: output.text,
        ...(output.isError === true ? { isError: true } : {}),
      },
    ],
  };
}

/** Answers to calls that cannot run: unknown names and broken arguments; valid siblings of an unknown name are skipped. */
export function refusals(checked: CheckedCalls, available: string[]): Message[] {
  const answers = new Map<string, string>();
  for (const { call } of checked.unknown) {
    answers.set(call.id, `The tool "${oneLine(call.name)}" does not exist. Available tools: ${available.join(", ")}`);
  }
  for (const { call, error } of checked.broken) {
    answers.set(
      call.id,
      `The arguments are not valid JSON: ${oneLine(error, 200)}. Send the call again with one JSON object.`,
    );
  }
  return checked.calls.map((call) =>
    resultMessage(call, {
      text: JSON.stringify({
        error: answers.get(call.id) ?? "Skipped: another call of this message was invalid. Send it again.",
      }),
      isError: true,
    }),
  );
}

export const cancelledText = (name: string): string =>
  `[Tool execution cancelled — ${name} was skipped due to user interrupt]`;

/**
 * Runs the calls group by group. Every call gets exactly one answer, also after an interrupt.
 * @param store called with the answers of each group as soon as it is done, in the order of the calls
 */
export async function runCalls(
  ready: ParsedCall[],
  deps: AgentDeps,
  signal: AbortSignal,
  store: (messages: Message[]) => Promise<void>,
): Promise<void> {
  for (const group of deps.tools.plan(ready)) {
    const outputs = await Promise.all(group.map((call) => runOne(call, deps, signal)));
    const results = group.map((call, index) => ({
      call,
      output: outputs[index] ?? { text: cancelledText(call.name) },
    }));
    const texts = await deps.tools.fit(
      results.map(({ call, output }) => ({ id: call.id, name: call.name, text: output.text })),
    );
    await store(
      results.map(({ call, output }, index) => resultMessage(call, { ...output, text: texts[index] ?? output.text })),
    );
  }
}

async function runOne(call: ParsedCall, deps: AgentDeps, signal: AbortSignal): Promise<ToolOutput> {
  if (signal.aborted) return { text: cancelledText(call.name), isError: true };
  deps.emit({ type: "tool-start", id: call.id, name: call.name, preview: deps.tools.preview(call) });
  const started = performance.now();
  const output = await answer(call, deps, signal);
  deps.emit({
    type: "tool-end",
    id: call.id,
    name: call.name,
    result: output.text,
    isError: output.isError === true,
    durationMs: Math.round(performance.now() - started),
    ...(output.diff === undefined ? {} : { diff: redact(output.diff) }),
  });
  return output;
}

async function answer(call: ParsedCall, deps: AgentDeps, signal: AbortSignal): Promise<ToolOutput> {
  try {
    return await deps.tools.run(call, signal, (text) =>
      deps.emit({ type: "tool-progress", id: call.id, text: redact(text) }),
    );
  } catch (error) {
    if (signal.aborted)
      return { text: `[Tool execution interrupted by the user — ${call.name} was stopped]`, isError: true };
    const said = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    return { text: JSON.stringify({ error: `Tool execution failed: ${redact(said)}` }), isError: true };
  }
}

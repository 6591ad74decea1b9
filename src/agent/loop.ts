import { isHermesError } from "../base/errors.ts";
import { redact } from "../base/redact.ts";
import { oneLine } from "../base/text.ts";
import { estimateMessageTokens, estimateToolTokens } from "../models/index.ts";
import { addUsage, emptyUsage, type ErrorReport, type TurnOutcome } from "../plugin/events.ts";
import type { Message } from "../plugin/message.ts";
import type { NewMessage, StoredMessage } from "../session/index.ts";
import { isTruncated } from "./argument-repair.ts";
import { compact } from "./compaction.ts";
import { compactionThreshold } from "./compaction-plan.ts";
import { type BrokenReply, callModel, type ModelReply } from "./model-call.ts";
import { toRequestMessages } from "./sequence-repair.ts";
import { checkCalls, refusals, runCalls } from "./tool-dispatch.ts";
import type { AgentDeps, AgentInput, TurnResult } from "./types.ts";

const maxContinuations = 3;
const maxBreaks = 2;
const maxEmpty = 3;
const maxBrokenArguments = 2;
const maxUnknownNames = 3;
const maxCompactions = 3;
const outputCap = 32_768;

const continueText =
  "[Your answer was cut off by its length limit. Continue exactly where you stopped, without repeating anything.]";
const reconnectText =
  "[The connection broke in the middle of your answer. Continue exactly where you stopped, without repeating anything.]";
const emptyText = "[Your last answer was empty. Answer the user now, or call the tool you need.]";
const wrapUpText =
  "[The limit of model calls for this turn is reached. Tools are no longer available. Say what was done, what is missing, and what the next step is.]";

/** What one step decided: another round, or the end of the turn. */
type Step = { end: false } | { end: true; outcome: TurnOutcome; text: string; error?: ErrorReport };

interface State {
  history: StoredMessage[];
  calls: number;
  toolCalls: number;
  usage: ReturnType<typeof emptyUsage>;
  lastPromptTokens: number | null;
  /** visible pieces of an answer that came in parts */
  pieces: string[];
  continuations: number;
  breaks: number;
  empty: number;
  brokenArguments: number;
  unknownNames: number;
  compactions: number;
  /** compaction was tried and could not help */
  compactionSpent: boolean;
  maxOutputTokens: number | undefined;
  lastReasoning: string;
  /** text that came together with tool calls, used when the model then says nothing */
  textWithTools: string;
}

const goOn: Step = { end: false };

/**
 * Runs one turn to its end and closes it. Every message is stored before what follows from it is done.
 * @throws {StoreError} when a message cannot be stored; the turn is then left open and repaired at the next start
 */
export async function runTurn(input: AgentInput, deps: AgentDeps, signal: AbortSignal): Promise<TurnResult> {
  const state: State = {
    history: [...deps.history],
    calls: 0,
    toolCalls: 0,
    usage: emptyUsage(),
    lastPromptTokens: null,
    pieces: [],
    continuations: 0,
    breaks: 0,
    empty: 0,
    brokenArguments: 0,
    unknownNames: 0,
    compactions: 0,
    compactionSpent: false,
    maxOutputTokens: deps.settings.maxOutputTokens,
    lastReasoning: "",
    textWithTools: "",
  };
  deps.emit({
    type: "turn-start",
    sessionId: deps.turn.session.id,
    turnId: deps.turn.id,
    model: deps.model,
    provider: deps.provider,
  });
  await append(state, deps, [
    {
      message: { role: "user", parts: input.parts },
      ...(input.context === undefined ? {} : { context: input.context }),
    },
  ]);
  const stop = AbortSignal.any([signal, deps.turn.lost]);
  let step: Step = goOn;
  while (!step.end) step = await nextStep(state, deps, stop);
  return await closeTurn(step, { state, deps, input });
}

async function closeTurn(
  step: Extract<Step, { end: true }>,
  { state, deps, input }: { state: State; deps: AgentDeps; input: AgentInput },
): Promise<TurnResult> {
  const result: TurnResult = {
    outcome: step.outcome,
    text: step.text,
    usage: state.usage,
    modelCalls: state.calls,
    toolCalls: state.toolCalls,
    ...(step.error === undefined ? {} : { error: step.error }),
  };
  await deps.turn.close({
    outcome: result.outcome,
    usage: result.usage,
    costUsd: null,
    modelCalls: result.modelCalls,
    toolCalls: result.toolCalls,
    lastPromptTokens: state.lastPromptTokens,
    ...(step.error === undefined ? {} : { error: step.error.message }),
    writes: input.finalize?.(result) ?? [],
  });
  deps.emit({ type: "turn-end", turnId: deps.turn.id, costUsd: null, ...result });
  return result;
}

async function append(state: State, deps: AgentDeps, messages: NewMessage[]): Promise<void> {
  state.history.push(...(await deps.turn.append(messages)));
}

async function nextStep(state: State, deps: AgentDeps, signal: AbortSignal): Promise<Step> {
  if (signal.aborted) return interrupted(state);
  if (state.calls >= deps.settings.maxIterations) return await wrapUp(state, deps, signal);
  try {
    await compactWhenFull(state, deps, signal);
    const reply = await request(state, deps, signal);
    return "broken" in reply ? await keepBroken(reply, state, deps, signal) : await judge(reply, state, deps, signal);
  } catch (error) {
    if (signal.aborted) return interrupted(state);
    if (isHermesError(error) && error.code.startsWith("E_STORE")) throw error;
    return await recover(error, state, deps, signal);
  }
}

async function request(state: State, deps: AgentDeps, signal: AbortSignal): Promise<ModelReply | BrokenReply> {
  state.calls += 1;
  const reply = await callModel(
    {
      messages: toRequestMessages(deps.turn.session.systemPrompt ?? "", state.history),
      tools: deps.tools.specs,
      call: state.calls,
      maxOutputTokens: state.maxOutputTokens,
    },
    deps,
    signal,
  );
  if (!("broken" in reply)) noteUsage(reply, state);
  return reply;
}

function noteUsage(reply: ModelReply, state: State): void {
  state.usage = addUsage(state.usage, reply.usage);
  if (reply.usage !== null) state.lastPromptTokens = reply.usage.inputTokens + reply.usage.outputTokens;
}

function interrupted(state: State): Step {
  return { end: true, outcome: "interrupted", text: state.pieces.join("") };
}

/** The text shown before the stream broke is kept; the model is asked to go on from there. */
async function keepBroken(reply: BrokenReply, state: State, deps: AgentDeps, signal: AbortSignal): Promise<Step> {
  await append(state, deps, [{ message: { role: "assistant", parts: [{ type: "text", text: reply.text }] } }]);
  state.pieces.push(reply.text);
  if (signal.aborted) return interrupted(state);
  state.breaks += 1;
  if (state.breaks > maxBreaks) return failed(state, reply.reason);
  deps.emit({
    type: "notice",
    level: "warn",
    kind: "stream",
    text: `${oneLine(reply.reason.message, 200)}; asking the model to go on from there`,
  });
  await append(state, deps, [machineNote(reconnectText)]);
  return goOn;
}

/** A user message for the model only: hidden from display and search. */
function machineNote(text: string): NewMessage {
  return { message: { role: "user", parts: [] }, context: text, unsearchable: true };
}

async function judge(reply: ModelReply, state: State, deps: AgentDeps, signal: AbortSignal): Promise<Step> {
  if (reply.finish === "content-filter") {
    return failed(state, {
      code: "E_PROVIDER_POLICY",
      message: `${deps.provider} stopped the answer by its content filter`,
      hint: "rephrase the request, or choose another model with -m",
    });
  }
  if (
    reply.finish === "length" &&
    (reply.calls.length === 0 || reply.calls.some((call) => isTruncated(call.arguments)))
  ) {
    return await continueCut(reply, state, deps);
  }
  if (reply.calls.length > 0) return await useTools(reply, state, deps, signal);
  if (reply.text.trim() === "") return await answerEmpty(reply, state, deps);
  await append(state, deps, [{ message: { role: "assistant", parts: reply.parts } }]);
  state.pieces.push(reply.text);
  return { end: true, outcome: "completed", text: state.pieces.join("") };
}

async function continueCut(reply: ModelReply, state: State, deps: AgentDeps): Promise<Step> {
  state.continuations += 1;
  const spent = state.continuations > maxContinuations;
  if (reply.calls.length > 0) {
    // truncated arguments are never run: ask again with more room
    const larger = Math.min(outputCap, (state.maxOutputTokens ?? 4096) * 2);
    if (spent || state.maxOutputTokens === outputCap)
      return failed(state, cutError("a tool call was cut off by the output limit"));
    state.maxOutputTokens = larger;
    if (reply.text.trim() === "") return goOn;
    state.pieces.push(reply.text);
    await append(state, deps, [
      { message: { role: "assistant", parts: [{ type: "text", text: reply.text }] } },
      machineNote(continueText),
    ]);
    return goOn;
  }
  if (reply.text.trim() === "") {
    return failed(state, cutError("the output limit was spent on thinking, nothing was left for the answer"));
  }
  await append(state, deps, [{ message: { role: "assistant", parts: reply.parts } }]);
  state.pieces.push(reply.text);
  if (spent) return failed(state, cutError(`the answer stayed cut off after ${maxContinuations} continuations`));
  await append(state, deps, [machineNote(continueText)]);
  return goOn;
}

function cutError(message: string): ErrorReport {
  return {
    code: "E_OUTPUT_LIMIT",
    message,
    hint: "raise model.max_tokens, or lower agent.reasoning_effort, with hermes config set",
  };
}

async function answerEmpty(reply: ModelReply, state: State, deps: AgentDeps): Promise<Step> {
  if (state.textWithTools !== "") return { end: true, outcome: "completed", text: state.textWithTools };
  const same = reply.reasoning !== "" && reply.reasoning === state.lastReasoning;
  state.lastReasoning = reply.reasoning;
  state.empty += 1;
  if (reply.reasoning !== "" && (same || state.empty >= maxEmpty)) {
    const text = redact(reply.reasoning);
    await append(state, deps, [{ message: { role: "assistant", parts: [{ type: "text", text }] } }]);
    deps.emit({ type: "text-delta", text });
    return { end: true, outcome: "completed", text };
  }
  if (state.empty >= maxEmpty) {
    return failed(state, {
      code: "E_PROVIDER_EMPTY",
      message: `${deps.model} gave ${maxEmpty} empty answers`,
      hint: "check that the base URL ends in /v1 and that the model's context is large enough, or choose another model with -m",
    });
  }
  if (state.history.at(-1)?.context !== emptyText) await append(state, deps, [machineNote(emptyText)]);
  return goOn;
}

async function useTools(reply: ModelReply, state: State, deps: AgentDeps, signal: AbortSignal): Promise<Step> {
  const checked = checkCalls(reply.calls, deps);
  if (
    checked.broken.length > 0 &&
    checked.unknown.length === 0 &&
    reply.text.trim() === "" &&
    state.brokenArguments < maxBrokenArguments
  ) {
    state.brokenArguments += 1;
    return goOn;
  }
  const parts = [...reply.parts.filter((part) => part.type !== "tool-call"), ...checked.calls];
  await append(state, deps, [{ message: { role: "assistant", parts } }]);
  for (const call of checked.ready)
    deps.emit({ type: "tool-call", id: call.id, name: call.name, arguments: call.arguments });
  state.toolCalls += checked.calls.length;
  state.pieces = [];
  state.textWithTools = reply.text.trim();
  if (checked.unknown.length > 0 || checked.broken.length > 0) return await refuseCalls(checked, state, deps);
  state.unknownNames = 0;
  state.brokenArguments = 0;
  const store = async (messages: Message[]): Promise<void> =>
    append(
      state,
      deps,
      messages.map((message) => ({ message })),
    );
  await runCalls(checked.ready, deps, signal, store);
  await deps.onStep?.({ call: state.calls, toolCalls: checked.calls });
  return goOn;
}

async function refuseCalls(checked: ReturnType<typeof checkCalls>, state: State, deps: AgentDeps): Promise<Step> {
  const names = deps.tools.specs.map((spec) => spec.name);
  await append(
    state,
    deps,
    refusals(checked, names).map((message) => ({ message })),
  );
  state.brokenArguments = 0;
  const wrong = checked.unknown[0];
  if (wrong === undefined) return goOn;
  state.unknownNames += 1;
  if (state.unknownNames < maxUnknownNames) return goOn;
  return failed(state, {
    code: "E_TOOL_UNKNOWN",
    message: `${deps.model} called the unknown tool "${oneLine(wrong.call.name)}" ${maxUnknownNames} times`,
    hint: "choose a model that supports tool calls with -m",
  });
}

/** One last call without tools when the budget is spent. */
async function wrapUp(state: State, deps: AgentDeps, signal: AbortSignal): Promise<Step> {
  const limit = deps.settings.maxIterations;
  deps.emit({
    type: "notice",
    level: "warn",
    kind: "budget",
    text: `the limit of ${limit} model calls is reached; asking for a summary`,
  });
  const error: ErrorReport = {
    code: "E_TURN_LIMIT",
    message: `the limit of ${limit} model calls was reached`,
    hint: "write again to go on, or raise agent.max_turns",
  };
  try {
    await append(state, deps, [machineNote(wrapUpText)]);
    state.calls += 1;
    const messages = toRequestMessages(deps.turn.session.systemPrompt ?? "", state.history);
    const reply = await callModel(
      { messages, tools: [], call: state.calls, maxOutputTokens: state.maxOutputTokens },
      deps,
      signal,
    );
    if (!("broken" in reply)) noteUsage(reply, state);
    const text = reply.text.trim();
    if (text !== "")
      await append(state, deps, [{ message: { role: "assistant", parts: [{ type: "text", text: reply.text }] } }]);
    return { end: true, outcome: signal.aborted ? "interrupted" : "limit", text, error };
  } catch (failure) {
    if (signal.aborted) return interrupted(state);
    if (isHermesError(failure) && failure.code.startsWith("E_STORE")) throw failure;
    return { end: true, outcome: "limit", text: "", error };
  }
}

function usedTokens(state: State, deps: AgentDeps): number {
  if (state.lastPromptTokens !== null) return state.lastPromptTokens;
  return state.history.reduce(
    (sum, entry) => sum + estimateMessageTokens(entry.message),
    estimateToolTokens(deps.tools.specs),
  );
}

async function compactWhenFull(state: State, deps: AgentDeps, signal: AbortSignal): Promise<void> {
  const { compaction } = deps.settings;
  if (!compaction.enabled || state.compactionSpent) return;
  if (usedTokens(state, deps) < compactionThreshold(deps.context.tokens, compaction)) return;
  const why = await tryCompact(state, deps, signal);
  if (why !== undefined)
    deps.emit({
      type: "notice",
      level: "warn",
      kind: "compaction",
      text: `the conversation was not compacted: ${why}`,
    });
}

/** @returns why nothing was changed, undefined when the history is shorter now */
async function tryCompact(state: State, deps: AgentDeps, signal: AbortSignal): Promise<string | undefined> {
  if (state.compactions >= maxCompactions) {
    state.compactionSpent = true;
    return `${maxCompactions} compactions in one turn are enough`;
  }
  deps.emit({ type: "notice", level: "info", kind: "compaction", text: "compacting the conversation" });
  const outcome = await compact(state.history, deps, signal);
  if (!outcome.done) {
    state.compactionSpent = true;
    return outcome.reason;
  }
  state.compactions += 1;
  state.history = outcome.history;
  state.lastPromptTokens = null;
  deps.emit({
    type: "notice",
    level: "info",
    kind: "compaction",
    text: `the conversation goes on as session ${deps.turn.session.id}; everything before it is kept in ${deps.turn.session.parentId ?? "the old one"}`,
  });
  return undefined;
}

/** A failed call: too long a conversation is compacted and asked again, everything else ends the turn. */
async function recover(error: unknown, state: State, deps: AgentDeps, signal: AbortSignal): Promise<Step> {
  const failure = isHermesError(error) && "failure" in error ? error.failure : undefined;
  if ((failure === "context-overflow" || failure === "payload-too-large") && deps.settings.compaction.enabled) {
    const stated = error instanceof Error && "statedLimit" in error ? error.statedLimit : undefined;
    if (typeof stated === "number" && stated < deps.context.tokens) deps.context.learn(stated);
    state.compactionSpent = false;
    try {
      const why = await tryCompact(state, deps, signal);
      if (why === undefined) {
        state.calls -= 1;
        return goOn;
      }
      deps.emit({
        type: "notice",
        level: "warn",
        kind: "compaction",
        text: `the conversation was not compacted: ${why}`,
      });
    } catch (reason) {
      if (signal.aborted) return interrupted(state);
      throw reason;
    }
  }
  return failed(state, error);
}

function failed(state: State, error: unknown): Step {
  return { end: true, outcome: "failed", text: state.pieces.join(""), error: toReport(error) };
}

/** Anything thrown, as data for a person: redacted, one line, no stack. */
export function toReport(error: unknown): ErrorReport {
  if (isReport(error)) return error;
  if (isHermesError(error)) {
    return {
      code: error.code,
      message: redact(error.message),
      ...(error.hint === undefined ? {} : { hint: error.hint }),
    };
  }
  return {
    code: "E_INTERNAL",
    message: redact(oneLine(error instanceof Error ? error.message : String(error), 500)),
    hint: "HERMES_DEBUG=1 shows more",
  };
}

function isReport(value: unknown): value is ErrorReport {
  return (
    typeof value === "object" && value !== null && !(value instanceof Error) && "code" in value && "message" in value
  );
}

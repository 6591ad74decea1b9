import { isHermesError } from "../base/errors.ts";
import { addUsage, emptyUsage, type ErrorReport } from "../plugin/events.ts";
import { type BrokenReply, callModel, type ModelReply } from "./model-call.ts";
import { compactWhenFull, recover } from "./overflow.ts";
import { judgeReply, keepBroken } from "./replies.ts";
import { toRequestMessages } from "./sequence-repair.ts";
import { append, goOn, interrupted, machineNote, type Step, type TurnState } from "./turn-state.ts";
import type { AgentDeps, AgentInput, TurnResult } from "./types.ts";

const wrapUpText =
  "[The limit of model calls for this turn is reached. Tools are no longer available. Say what was done, what is missing, and what the next step is.]";

/**
 * Runs one turn to its end and closes it. Every message is stored before what follows from it is done.
 * @throws {StoreError} when a message cannot be stored; the turn is then left open and repaired at the next start
 */
export async function runTurn(input: AgentInput, deps: AgentDeps, signal: AbortSignal): Promise<TurnResult> {
  const state: TurnState = {
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
  { state, deps, input }: { state: TurnState; deps: AgentDeps; input: AgentInput },
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

async function nextStep(state: TurnState, deps: AgentDeps, signal: AbortSignal): Promise<Step> {
  if (signal.aborted) return interrupted(state);
  if (state.calls >= deps.settings.maxIterations) return await wrapUp(state, deps, signal);
  try {
    await compactWhenFull(state, deps, signal);
    const reply = await request(state, deps, signal);
    return "broken" in reply
      ? await keepBroken(reply, state, deps, signal)
      : await judgeReply(reply, state, deps, signal);
  } catch (error) {
    if (signal.aborted) return interrupted(state);
    if (isHermesError(error) && error.code.startsWith("E_STORE")) throw error;
    return await recover(error, state, deps, signal);
  }
}

async function request(state: TurnState, deps: AgentDeps, signal: AbortSignal): Promise<ModelReply | BrokenReply> {
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

function noteUsage(reply: ModelReply, state: TurnState): void {
  state.usage = addUsage(state.usage, reply.usage);
  if (reply.usage !== null) state.lastPromptTokens = reply.usage.inputTokens + reply.usage.outputTokens;
}

/** One last call without tools when the budget is spent. */
async function wrapUp(state: TurnState, deps: AgentDeps, signal: AbortSignal): Promise<Step> {
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

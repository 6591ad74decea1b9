import { redact } from "../base/redact.ts";
import { oneLine } from "../base/text.ts";
import type { Message } from "../plugin/message.ts";
import { isTruncated } from "./argument-repair.ts";
import { maxCallsPerAnswer } from "./call-identity.ts";
import type { BrokenReply, ModelReply } from "./model-call.ts";
import { checkCalls, refusals, runCalls } from "./tool-dispatch.ts";
import { append, cutError, failed, goOn, interrupted, machineNote, type Step, type TurnState } from "./turn-state.ts";
import type { AgentDeps } from "./types.ts";

const maxContinuations = 3;
const maxBreaks = 2;
const maxEmpty = 3;
const maxBrokenArguments = 2;
const maxUnknownNames = 3;
const outputCap = 32_768;
const continueText =
  "[Your answer was cut off by its length limit. Continue exactly where you stopped, without repeating anything.]";
const reconnectText =
  "[The connection broke in the middle of your answer. Continue exactly where you stopped, without repeating anything.]";
const emptyText = "[Your last answer was empty. Answer the user now, or call the tool you need.]";

const tooManyText = (sent: number): string =>
  `[Your last answer had too many tool calls: only the first ${maxCallsPerAnswer} of ${sent} tool calls were run. Send the others again if they are still needed.]`;

/** The text shown before the stream broke is kept; the model is asked to go on from there. */
export async function keepBroken(
  reply: BrokenReply,
  state: TurnState,
  deps: AgentDeps,
  signal: AbortSignal,
): Promise<Step> {
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

export async function judgeReply(
  reply: ModelReply,
  state: TurnState,
  deps: AgentDeps,
  signal: AbortSignal,
): Promise<Step> {
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

async function continueCut(reply: ModelReply, state: TurnState, deps: AgentDeps): Promise<Step> {
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

async function answerEmpty(reply: ModelReply, state: TurnState, deps: AgentDeps): Promise<Step> {
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

async function useTools(reply: ModelReply, state: TurnState, deps: AgentDeps, signal: AbortSignal): Promise<Step> {
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
  if (reply.calls.length > maxCallsPerAnswer) await append(state, deps, [machineNote(tooManyText(reply.calls.length))]);
  await deps.onStep?.({ call: state.calls, toolCalls: checked.calls });
  return goOn;
}

async function refuseCalls(checked: ReturnType<typeof checkCalls>, state: TurnState, deps: AgentDeps): Promise<Step> {
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

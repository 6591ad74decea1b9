import { isHermesError } from "../base/errors.ts";
import { estimateMessageTokens, estimateToolTokens } from "../models/index.ts";
import { compact } from "./compaction.ts";
import { compactionThreshold } from "./compaction-plan.ts";
import { failed, goOn, interrupted, type Step, type TurnState } from "./turn-state.ts";
import type { AgentDeps } from "./types.ts";

const maxCompactions = 3;

function usedTokens(state: TurnState, deps: AgentDeps): number {
  if (state.lastPromptTokens !== null) return state.lastPromptTokens;
  return state.history.reduce(
    (sum, entry) => sum + estimateMessageTokens(entry.message),
    estimateToolTokens(deps.tools.specs),
  );
}

export async function compactWhenFull(state: TurnState, deps: AgentDeps, signal: AbortSignal): Promise<void> {
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
async function tryCompact(state: TurnState, deps: AgentDeps, signal: AbortSignal): Promise<string | undefined> {
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
export async function recover(error: unknown, state: TurnState, deps: AgentDeps, signal: AbortSignal): Promise<Step> {
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

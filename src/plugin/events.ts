/** Tokens of one or more model calls, as the provider reported them. */
export interface Usage {
  /** all tokens sent, cached ones included */
  inputTokens: number;
  outputTokens: number;
  cacheReadTokens: number;
  cacheWriteTokens: number;
  reasoningTokens: number;
}

export type TurnOutcome = "completed" | "interrupted" | "failed" | "limit";

/** Why the model stopped. */
export type FinishReason = "stop" | "length" | "tool-calls" | "content-filter";

/** An error as plain data, fit for a person. */
export interface ErrorReport {
  code: string;
  message: string;
  hint?: string;
}

/**
 * Everything a face can show of a turn: plain, serializable, in order.
 * The text deltas of one model call concatenate to the visible text of the stored message.
 */
export type AgentEvent =
  | { type: "turn-start"; sessionId: string; turnId: string; model: string; provider: string }
  | { type: "model-start"; call: number }
  | { type: "text-delta"; text: string }
  | { type: "reasoning-delta"; text: string }
  | { type: "tool-call"; id: string; name: string; arguments: Record<string, unknown> }
  | { type: "tool-start"; id: string; name: string; preview: string }
  | { type: "tool-progress"; id: string; text: string }
  | { type: "tool-end"; id: string; name: string; result: string; isError: boolean; durationMs: number; diff?: string }
  | { type: "model-end"; call: number; finish: FinishReason; usage: Usage | null }
  | { type: "notice"; level: "info" | "warn" | "error"; kind: NoticeKind; text: string }
  | { type: "learning"; text: string; ledgerId: string }
  | {
      type: "turn-end";
      turnId: string;
      outcome: TurnOutcome;
      text: string;
      usage: Usage;
      costUsd: number | null;
      modelCalls: number;
      toolCalls: number;
      error?: ErrorReport;
    };

export type NoticeKind = "retry" | "fallback" | "compaction" | "budget" | "session" | "guard" | "config" | "stream";

export function emptyUsage(): Usage {
  return { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 };
}

export function addUsage(left: Usage, right: Usage | null): Usage {
  if (right === null) return left;
  return {
    inputTokens: left.inputTokens + right.inputTokens,
    outputTokens: left.outputTokens + right.outputTokens,
    cacheReadTokens: left.cacheReadTokens + right.cacheReadTokens,
    cacheWriteTokens: left.cacheWriteTokens + right.cacheWriteTokens,
    reasoningTokens: left.reasoningTokens + right.reasoningTokens,
  };
}

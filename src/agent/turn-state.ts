import { isHermesError } from "../base/errors.ts";
import { redact } from "../base/redact.ts";
import { oneLine } from "../base/text.ts";
import type { emptyUsage, ErrorReport, TurnOutcome } from "../plugin/events.ts";
import type { NewMessage, StoredMessage } from "../session/index.ts";
import type { AgentDeps } from "./types.ts";

/** What one step decided: another round, or the end of the turn. */
export type Step = { end: false } | { end: true; outcome: TurnOutcome; text: string; error?: ErrorReport };

export interface TurnState {
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

export const goOn: Step = { end: false };

export function interrupted(state: TurnState): Step {
  return { end: true, outcome: "interrupted", text: state.pieces.join("") };
}

/** A user message for the model only: hidden from display and search. */
export function machineNote(text: string): NewMessage {
  return { message: { role: "user", parts: [] }, context: text, unsearchable: true };
}

export async function append(state: TurnState, deps: AgentDeps, messages: NewMessage[]): Promise<void> {
  state.history.push(...(await deps.turn.append(messages)));
}

export function failed(state: TurnState, error: unknown): Step {
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

export function isReport(value: unknown): value is ErrorReport {
  return (
    typeof value === "object" && value !== null && !(value instanceof Error) && "code" in value && "message" in value
  );
}

export function cutError(message: string): ErrorReport {
  return {
    code: "E_OUTPUT_LIMIT",
    message,
    hint: "raise model.max_tokens, or lower agent.reasoning_effort, with hermes config set",
  };
}

import type { AgentEvent, ErrorReport, TurnOutcome, Usage } from "../plugin/events.ts";
import type { Part, ToolCallPart } from "../plugin/message.ts";
import type { ModelClient, ReasoningOptions, ToolSpec } from "../plugin/provider.ts";
import type { ToolOutput } from "../plugin/tool.ts";
import type { StoredMessage, Turn } from "../session/index.ts";
import type { Write } from "../store/index.ts";

/** What a user sent. */
export interface AgentInput {
  parts: Part[];
  /** added to the message for the model only, replayed verbatim; hidden from display and search */
  context?: string;
  /** rows that the face adds to the batch that closes the turn */
  finalize?(result: TurnResult): Write[];
}

export interface TurnResult {
  outcome: TurnOutcome;
  /** the final answer, perhaps partial */
  text: string;
  usage: Usage;
  modelCalls: number;
  toolCalls: number;
  error?: ErrorReport;
}

/** A tool call with arguments that are an object. */
export interface ParsedCall {
  id: string;
  name: string;
  arguments: Record<string, unknown>;
}

/** The tools of a session as the loop needs them; made by `runtime`. */
export interface ToolPort {
  /** frozen for the session */
  specs: ToolSpec[];
  /** the name meant by a misspelled one, undefined when none is close */
  repairName(name: string): string | undefined;
  /** groups in order; calls of one group may run at the same time */
  plan(calls: ParsedCall[]): ParsedCall[][];
  /** never rejects but with the reason of the signal; failures are outputs */
  run(call: ParsedCall, signal: AbortSignal, onProgress: (text: string) => void): Promise<ToolOutput>;
  /** texts of one group of results, the largest saved to files when they are too much together */
  fit(results: { id: string; name: string; text: string }[]): Promise<string[]>;
  /** the main argument on one line, redacted */
  preview(call: ParsedCall): string;
}

export interface CompactionSettings {
  enabled: boolean;
  /** share of the context that may fill before compaction, 0 to 1 */
  threshold: number;
  /** share of the threshold kept verbatim at the end */
  targetRatio: number;
  protectFirst: number;
  protectLast: number;
}

export interface AgentSettings {
  maxIterations: number;
  /** attempts of one model call */
  maxAttempts: number;
  /** first wait between attempts, in ms; doubled each time, 60 s at most */
  retryBaseMs: number;
  maxOutputTokens: number | undefined;
  reasoning: ReasoningOptions | undefined;
  compaction: CompactionSettings;
}

/** Everything a turn works with. The loop imports no tool and no face. */
export interface AgentDeps {
  turn: Turn;
  history: StoredMessage[];
  client: ModelClient;
  model: string;
  provider: string;
  /** tokens the model's context holds; may get smaller when the provider states its limit */
  context: { tokens: number; learn(tokens: number): void };
  tools: ToolPort;
  settings: AgentSettings;
  /** a fresh system prompt, for the session that follows a compaction */
  rebuildPrompt(): string;
  /** text for a compaction; throws when no model can give it */
  summarize(prompt: string, signal: AbortSignal): Promise<string>;
  emit(event: AgentEvent): void;
  /** called between steps with what was just done */
  onStep?(step: { call: number; toolCalls: ToolCallPart[] }): Promise<void>;
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

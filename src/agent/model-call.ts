import { isHermesError, type ProviderError } from "../base/errors.ts";
import { isRecord, type JsonValue } from "../base/json.ts";
import { createStreamRedactor, redact } from "../base/redact.ts";
import { oneLine } from "../base/text.ts";
import type { FinishReason, Usage } from "../plugin/events.ts";
import type { Message, Part, ToolCallPart } from "../plugin/message.ts";
import type { ModelEvent, ToolSpec } from "../plugin/provider.ts";
import type { AgentDeps } from "./types.ts";

/** One answer of the model. */
export interface ModelReply {
  /** what the user saw, redacted */
  text: string;
  /** parts to store, in order: reasoning, text, calls */
  parts: Part[];
  calls: ToolCallPart[];
  finish: FinishReason;
  usage: Usage | null;
  reasoning: string;
}

/** The stream ended early after text was shown: the text is kept. */
export interface BrokenReply {
  broken: true;
  text: string;
  reason: Error;
}

interface CallOptions {
  messages: Message[];
  tools: ToolSpec[];
  call: number;
  maxOutputTokens: number | undefined;
}

const longestWaitMs = 60_000;

/**
 * Calls the model until it answers. Failures that may pass are tried again with a notice, but only before text was shown.
 * @throws {ProviderError} when the attempts are used up or trying again cannot help; the signal's reason when aborted
 */
export async function callModel(
  options: CallOptions,
  deps: AgentDeps,
  signal: AbortSignal,
): Promise<ModelReply | BrokenReply> {
  for (let attempt = 1; ; attempt += 1) {
    const collector = createCollector(deps);
    try {
      deps.emit({ type: "model-start", call: options.call });
      const request = {
        model: deps.model,
        messages: options.messages,
        tools: options.tools,
        ...(options.maxOutputTokens === undefined ? {} : { maxOutputTokens: options.maxOutputTokens }),
        ...(deps.settings.reasoning === undefined ? {} : { reasoning: deps.settings.reasoning }),
      };
      for await (const event of deps.client.stream(request, signal)) collector.take(event);
      const reply = collector.finish();
      deps.emit({ type: "model-end", call: options.call, finish: reply.finish, usage: reply.usage });
      return reply;
    } catch (error) {
      const shown = collector.shown();
      if (shown.trim() !== "" && (signal.aborted || isRetryable(error)))
        return { broken: true, text: shown, reason: toError(error) };
      if (signal.aborted || !isRetryable(error) || attempt >= deps.settings.maxAttempts) throw toError(error);
      const waitMs = waitBefore(attempt, error, deps.settings.retryBaseMs);
      deps.emit({
        type: "notice",
        level: "warn",
        kind: "retry",
        text: `${oneLine(error.message, 200)}; trying again${waitMs < 1000 ? "" : ` in ${Math.round(waitMs / 1000)} s`} (${attempt + 1} of ${deps.settings.maxAttempts})`,
      });
      await deps.sleep(waitMs, signal);
    }
  }
}

function isRetryable(error: unknown): error is ProviderError {
  return isHermesError(error) && error.retryable;
}

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

function waitBefore(attempt: number, error: ProviderError, baseMs: number): number {
  return error.retryAfterMs ?? Math.min(baseMs * 2 ** (attempt - 1), longestWaitMs);
}

/** What is stored of a thought: as it came, except for the values that the settings keep secret. */
function reasoningOf({ text, opaque }: Extract<ModelEvent, { type: "reasoning" }>, provider: string): Part {
  const kept = opaque === undefined ? undefined : withoutHeld(opaque);
  return {
    type: "reasoning",
    text: redact(text, { patterns: false }),
    ...(kept === undefined ? {} : { provider, opaque: kept }),
  };
}

/** A record that is signed is left out when a value in it had to go: its signature would be refused. */
function withoutHeld(value: JsonValue): JsonValue | undefined {
  if (typeof value === "string") return redact(value, { patterns: false });
  if (Array.isArray(value)) return value.map(withoutHeld).filter((item) => item !== undefined);
  if (!isRecord(value)) return value;
  const fields = Object.entries(value).map(([key, field]) => [key, withoutHeld(field)] as const);
  const kept = Object.fromEntries(fields.filter(([, field]) => field !== undefined)) as JsonValue;
  return typeof value["signature"] === "string" && JSON.stringify(kept) !== JSON.stringify(value) ? undefined : kept;
}

function createCollector(deps: AgentDeps) {
  const redactor = createStreamRedactor();
  const thoughts = createStreamRedactor();
  let text = "";
  let reasoning = "";
  let reasoningPart: Part | undefined;
  let usage: Usage | null = null;
  let finish: FinishReason = "stop";
  const calls: ToolCallPart[] = [];

  const show = (piece: string): void => {
    if (piece === "") return;
    text += piece;
    deps.emit({ type: "text-delta", text: piece });
  };

  const showThought = (piece: string): void => {
    if (piece !== "") deps.emit({ type: "reasoning-delta", text: piece });
  };

  return {
    take(event: ModelEvent): void {
      switch (event.type) {
        case "text-delta":
          showThought(thoughts.flush());
          show(redactor.push(event.text));
          break;
        case "reasoning-delta":
          reasoning += event.text;
          showThought(thoughts.push(event.text));
          break;
        case "reasoning":
          reasoningPart = reasoningOf(event, deps.provider);
          break;
        case "tool-call":
          calls.push({
            type: "tool-call",
            id: event.id,
            name: event.name,
            arguments: event.arguments,
            ...(event.extra === undefined ? {} : { extra: event.extra }),
          });
          break;
        case "usage":
          usage = event.usage;
          break;
        case "finish":
          finish = event.reason;
          break;
        case "tool-call-start":
          break;
      }
    },
    shown(): string {
      show(redactor.flush());
      return text;
    },
    finish(): ModelReply {
      showThought(thoughts.flush());
      show(redactor.flush());
      const parts: Part[] = [];
      if (reasoningPart !== undefined) parts.push(reasoningPart);
      if (text !== "") parts.push({ type: "text", text });
      parts.push(...calls);
      return { text, parts, calls, finish, usage, reasoning };
    },
  };
}

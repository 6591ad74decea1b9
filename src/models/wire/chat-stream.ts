import { type JsonValue, isRecord } from "../../base/json.ts";
import type { FinishReason, Usage } from "../../plugin/events.ts";
import type { ModelEvent } from "../../plugin/provider.ts";
import { createThinkTagFilter } from "../think-tags.ts";

interface CallSlot {
  index: number;
  id: string;
  name: string;
  arguments: string;
  extra: JsonValue | undefined;
}

/** Collects the chunks of one chat-completions stream. Tolerant: reads only the fields it knows. */
export interface ChatAssembler {
  push(chunk: unknown): ModelEvent[];
  /** what is left when the stream has ended; `finish` last */
  end(): ModelEvent[];
  /** false when the stream never said why it stopped */
  readonly finished: boolean;
  /** true once anything but usage arrived */
  readonly started: boolean;
}

export function createChatAssembler(newId: () => string): ChatAssembler {
  const slots: CallSlot[] = [];
  const filter = createThinkTagFilter();
  let finish: string | undefined;
  let model: string | undefined;
  let thought = "";
  let details: JsonValue[] = [];
  let reasoningField: string | undefined;
  let started = false;

  const visible = (piece: { visible: string; thought: string }): ModelEvent[] => {
    const events: ModelEvent[] = [];
    if (piece.thought !== "") {
      thought += piece.thought;
      events.push({ type: "reasoning-delta", text: piece.thought });
    }
    if (piece.visible !== "") events.push({ type: "text-delta", text: piece.visible });
    return events;
  };

  const readDelta = (delta: Record<string, unknown>): ModelEvent[] => {
    const events: ModelEvent[] = [];
    const field = ["reasoning_content", "reasoning"].find(
      (name) => typeof delta[name] === "string" && delta[name] !== "",
    );
    if (field !== undefined) {
      reasoningField = field;
      thought += String(delta[field]);
      events.push({ type: "reasoning-delta", text: String(delta[field]) });
    }
    if (Array.isArray(delta["reasoning_details"]))
      details = mergeDetails(details, delta["reasoning_details"] as JsonValue[]);
    const text = contentText(delta["content"]);
    if (text !== "") events.push(...visible(filter.push(text)));
    const calls = delta["tool_calls"];
    if (Array.isArray(calls)) for (const call of calls) events.push(...addCallDelta(slots, call));
    started ||= events.length > 0;
    return events;
  };

  return {
    get finished() {
      return finish !== undefined;
    },
    get started() {
      return started;
    },
    push(chunk) {
      if (!isRecord(chunk)) return [];
      const events: ModelEvent[] = [];
      if (typeof chunk["model"] === "string") model = chunk["model"];
      const usage = toUsage(chunk["usage"]);
      if (usage !== undefined) events.push({ type: "usage", usage });
      const choice: unknown = Array.isArray(chunk["choices"]) ? chunk["choices"][0] : undefined;
      if (!isRecord(choice)) return events;
      const delta = choice["delta"] ?? choice["message"];
      if (isRecord(delta)) events.push(...readDelta(delta));
      if (typeof choice["finish_reason"] === "string" && choice["finish_reason"] !== "") {
        finish = choice["finish_reason"];
        started = true;
      }
      return events;
    },
    end() {
      const events = visible(filter.flush());
      events.push(...callEvents(slots, newId));
      const opaque: Record<string, JsonValue> = {};
      if (reasoningField !== undefined) opaque["reasoning_content"] = thought;
      if (details.length > 0) opaque["reasoning_details"] = details;
      if (thought !== "" || details.length > 0) {
        events.push({ type: "reasoning", text: thought, ...(Object.keys(opaque).length > 0 ? { opaque } : {}) });
      }
      const reason = toFinish(
        finish,
        events.some((event) => event.type === "tool-call"),
      );
      events.push({ type: "finish", reason, ...(model === undefined ? {} : { model }) });
      return events;
    },
  };
}

function callEvents(slots: CallSlot[], newId: () => string): ModelEvent[] {
  return slots
    .filter((slot) => slot.name !== "")
    .map((slot) => ({
      type: "tool-call",
      id: slot.id === "" ? newId() : slot.id,
      name: slot.name,
      arguments: slot.arguments,
      ...(slot.extra === undefined ? {} : { extra: slot.extra }),
    }));
}

function addCallDelta(slots: CallSlot[], value: unknown): ModelEvent[] {
  if (!isRecord(value)) return [];
  const index = typeof value["index"] === "number" ? value["index"] : 0;
  const id = typeof value["id"] === "string" ? value["id"] : "";
  const body = isRecord(value["function"]) ? value["function"] : {};
  const name = typeof body["name"] === "string" ? body["name"] : "";
  const newest = slots.findLast((slot) => slot.index === index);
  // some servers reuse index 0: a new id means a new call
  const isNew = newest === undefined || (id !== "" && newest.id !== "" && id !== newest.id);
  const slot = isNew ? { index, id: "", name: "", arguments: "", extra: undefined } : newest;
  if (isNew) slots.push(slot);
  if (slot.id === "") slot.id = id;
  const named = slot.name === "" && name !== "";
  if (named) slot.name = name;
  slot.arguments += argumentText(body["arguments"]);
  if (value["extra_content"] !== undefined) slot.extra = value["extra_content"] as JsonValue;
  return named ? [{ type: "tool-call-start", name }] : [];
}

/** llama.cpp sends arguments as an object. */
function argumentText(value: unknown): string {
  if (typeof value === "string") return value;
  return value === undefined || value === null ? "" : JSON.stringify(value);
}

function contentText(value: unknown): string {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.map(contentText).join("\n");
  if (!isRecord(value)) return "";
  const text = value["text"] ?? value["content"];
  return typeof text === "string" ? text : "";
}

/** Pieces of one detail (same index and type) are joined; everything else is kept as it came. */
function mergeDetails(known: JsonValue[], incoming: JsonValue[]): JsonValue[] {
  const merged = [...known];
  for (const piece of incoming) {
    const last = merged.at(-1);
    if (
      isRecord(piece) &&
      isRecord(last) &&
      piece["index"] !== undefined &&
      piece["index"] === last["index"] &&
      piece["type"] === last["type"]
    ) {
      merged[merged.length - 1] = joinDetail(last, piece);
    } else {
      merged.push(piece);
    }
  }
  return merged;
}

function joinDetail(left: Record<string, JsonValue>, right: Record<string, JsonValue>): JsonValue {
  const joined = { ...left };
  for (const [key, value] of Object.entries(right)) {
    const before = joined[key];
    const grows = ["text", "summary", "data", "thinking", "content"].includes(key);
    joined[key] =
      grows && typeof before === "string" && typeof value === "string" ? before + value : (value ?? before ?? null);
  }
  return joined;
}

function toFinish(reason: string | undefined, called: boolean): FinishReason {
  switch (reason) {
    case "length":
    case "max_tokens":
      return "length";
    case "content_filter":
      return "content-filter";
    default:
      return called ? "tool-calls" : "stop";
  }
}

function count(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? Math.floor(value) : 0;
}

/** Usage of a chat-completions answer; undefined when there is none. */
export function toUsage(value: unknown): Usage | undefined {
  if (!isRecord(value)) return undefined;
  const prompt = isRecord(value["prompt_tokens_details"]) ? value["prompt_tokens_details"] : {};
  const completion = isRecord(value["completion_tokens_details"]) ? value["completion_tokens_details"] : {};
  const output = isRecord(value["output_tokens_details"]) ? value["output_tokens_details"] : {};
  return {
    inputTokens: count(value["prompt_tokens"]),
    outputTokens: count(value["completion_tokens"]),
    cacheReadTokens: count(prompt["cached_tokens"]),
    cacheWriteTokens: count(prompt["cache_write_tokens"]),
    reasoningTokens: count(completion["reasoning_tokens"]) || count(output["reasoning_tokens"]),
  };
}

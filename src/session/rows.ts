import { isRecord, parseJson } from "../base/json.ts";
import type { Message, Part, Role } from "../plugin/message.ts";
import type { Usage } from "../plugin/events.ts";
import type { ToolSpec } from "../plugin/provider.ts";
import type { MessageRow, SessionRow, UsageColumns } from "../store/index.ts";
import type { Session, StoredMessage } from "./types.ts";

export function toSession(row: SessionRow): Session {
  return {
    id: row.id,
    source: row.source,
    title: row.title,
    model: row.model,
    provider: row.provider,
    systemPrompt: row.system_prompt,
    tools: row.tools === null ? null : toTools(row.tools),
    parentId: row.parent_id,
    cwd: row.cwd,
    startedAt: row.started_at,
    lastActiveAt: row.last_active_at,
    endedAt: row.ended_at,
    endReason: row.end_reason,
    messageCount: row.message_count,
    toolCallCount: row.tool_call_count,
    usage: {
      inputTokens: row.input_tokens,
      outputTokens: row.output_tokens,
      cacheReadTokens: row.cache_read_tokens,
      cacheWriteTokens: row.cache_write_tokens,
      reasoningTokens: row.reasoning_tokens,
    },
    costUsd: row.cost_usd,
  };
}

export function toSessionRow(session: Session): SessionRow {
  return {
    id: session.id,
    source: session.source,
    chat_key: null,
    user_id: null,
    title: session.title,
    model: session.model,
    provider: session.provider,
    system_prompt: session.systemPrompt,
    tools: session.tools === null ? null : JSON.stringify(session.tools),
    parent_id: session.parentId,
    cwd: session.cwd,
    started_at: session.startedAt,
    last_active_at: session.lastActiveAt,
    ended_at: session.endedAt,
    end_reason: session.endReason,
    message_count: session.messageCount,
    tool_call_count: session.toolCallCount,
    last_prompt_tokens: null,
    ...toUsageColumns(session.usage, session.costUsd),
  };
}

export function toUsageColumns(usage: Usage, costUsd: number | null): UsageColumns {
  return {
    input_tokens: usage.inputTokens,
    output_tokens: usage.outputTokens,
    cache_read_tokens: usage.cacheReadTokens,
    cache_write_tokens: usage.cacheWriteTokens,
    reasoning_tokens: usage.reasoningTokens,
    cost_usd: costUsd,
  };
}

export type MessageColumns = Pick<MessageRow, "seq" | "role" | "parts" | "context" | "searchable" | "created_at">;

export const MESSAGE_COLUMNS = "seq, role, parts, context, searchable, created_at";

export function toStoredMessage(row: MessageColumns): StoredMessage {
  return {
    seq: row.seq,
    message: { role: row.role as Role, parts: toParts(row.parts) },
    createdAt: row.created_at,
    ...(row.context === null ? {} : { context: row.context }),
    ...(row.searchable === 0 ? { unsearchable: true } : {}),
  };
}

// only this room writes the column, so parts that are objects with a type are ours
function toParts(json: string): Part[] {
  const value = parseJson(json);
  if (!Array.isArray(value)) return [{ type: "text", text: json }];
  return value.filter((part): part is Part => isRecord(part) && typeof part["type"] === "string");
}

function toTools(json: string): ToolSpec[] | null {
  const value = parseJson(json);
  return Array.isArray(value) ? (value as ToolSpec[]) : null;
}

/** Replaces every lone surrogate in a message, so that what is stored is what is sent later. */
export function wellFormedMessage(message: Message): Message {
  const json = JSON.stringify(message.parts);
  // JSON writes a lone surrogate as an escape; without one there is nothing to replace
  if (!json.includes("\\ud")) return message;
  const parts = JSON.parse(json, (_, value: unknown) =>
    typeof value === "string" ? value.toWellFormed() : value,
  ) as Part[];
  return { role: message.role, parts };
}

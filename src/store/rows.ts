import { eq, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/sqlite-proxy";
import { messages, sessions, turns, type SessionRow, type TurnRow } from "./schema.ts";
import type { SqlValue, Write } from "./types.ts";

// only builds statements; the worker runs them
const builder = drizzle(() => Promise.resolve({ rows: [] }));

function toWrite(query: { toSQL(): { sql: string; params: unknown[] } }): Write {
  const { sql: text, params } = query.toSQL();
  return { sql: text, args: params as SqlValue[] };
}

/** A known id stays as it is. */
export function insertSession(row: typeof sessions.$inferInsert): Write {
  return toWrite(builder.insert(sessions).values(row).onConflictDoNothing());
}

export function updateSession(id: string, changes: Partial<SessionRow>): Write {
  return toWrite(builder.update(sessions).set(changes).where(eq(sessions.id, id)));
}

/** What messages and calls add to the counters of a session. */
export interface SessionCounts {
  messages: number;
  toolCalls: number;
  at: string;
}

export function countMessages(id: string, counts: SessionCounts): Write {
  return toWrite(
    builder
      .update(sessions)
      .set({
        message_count: sql`${sessions.message_count} + ${counts.messages}`,
        tool_call_count: sql`${sessions.tool_call_count} + ${counts.toolCalls}`,
        last_active_at: counts.at,
      })
      .where(eq(sessions.id, id)),
  );
}

/** Tokens and cost as columns. */
export interface UsageColumns {
  input_tokens: number;
  output_tokens: number;
  cache_read_tokens: number;
  cache_write_tokens: number;
  reasoning_tokens: number;
  cost_usd: number | null;
}

/** Adds to the sums of a session. An unknown cost or prompt size leaves what is known. */
export function addSessionUsage(
  id: string,
  usage: UsageColumns,
  more: { lastPromptTokens: number | null; at: string },
): Write {
  const cost = usage.cost_usd;
  return toWrite(
    builder
      .update(sessions)
      .set({
        input_tokens: sql`${sessions.input_tokens} + ${usage.input_tokens}`,
        output_tokens: sql`${sessions.output_tokens} + ${usage.output_tokens}`,
        cache_read_tokens: sql`${sessions.cache_read_tokens} + ${usage.cache_read_tokens}`,
        cache_write_tokens: sql`${sessions.cache_write_tokens} + ${usage.cache_write_tokens}`,
        reasoning_tokens: sql`${sessions.reasoning_tokens} + ${usage.reasoning_tokens}`,
        ...(cost === null ? {} : { cost_usd: sql`coalesce(${sessions.cost_usd}, 0) + ${cost}` }),
        ...(more.lastPromptTokens === null ? {} : { last_prompt_tokens: more.lastPromptTokens }),
        last_active_at: more.at,
      })
      .where(eq(sessions.id, id)),
  );
}

export function insertMessage(row: typeof messages.$inferInsert): Write {
  return toWrite(builder.insert(messages).values(row));
}

export function insertTurn(row: typeof turns.$inferInsert): Write {
  return toWrite(builder.insert(turns).values(row));
}

export function updateTurn(id: string, changes: Partial<TurnRow>): Write {
  return toWrite(builder.update(turns).set(changes).where(eq(turns.id, id)));
}

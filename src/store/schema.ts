import { integer, real, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** The tables that are written through the query builder. Members bear the names of their columns. */

const usageColumns = {
  input_tokens: integer().notNull().default(0),
  output_tokens: integer().notNull().default(0),
  cache_read_tokens: integer().notNull().default(0),
  cache_write_tokens: integer().notNull().default(0),
  reasoning_tokens: integer().notNull().default(0),
  cost_usd: real(),
};

export const sessions = sqliteTable("sessions", {
  id: text().primaryKey(),
  source: text().notNull(),
  chat_key: text(),
  user_id: text(),
  title: text(),
  model: text().notNull(),
  provider: text().notNull(),
  system_prompt: text(),
  tools: text(),
  parent_id: text(),
  cwd: text().notNull(),
  started_at: text().notNull(),
  last_active_at: text().notNull(),
  ended_at: text(),
  end_reason: text(),
  message_count: integer().notNull().default(0),
  tool_call_count: integer().notNull().default(0),
  last_prompt_tokens: integer(),
  ...usageColumns,
});

export const messages = sqliteTable("messages", {
  id: integer().primaryKey({ autoIncrement: true }),
  session_id: text().notNull(),
  seq: integer().notNull(),
  role: text().notNull(),
  active: integer().notNull().default(1),
  searchable: integer().notNull().default(1),
  created_at: text().notNull(),
  tool_name: text(),
  call_id: text(),
  tokens: integer(),
  /** what search reads: the visible text, tool calls, the start of a tool result */
  text: text().notNull(),
  parts: text().notNull(),
  context: text(),
});

export const turns = sqliteTable("turns", {
  id: text().primaryKey(),
  session_id: text().notNull(),
  face: text().notNull(),
  request: text().notNull(),
  started_at: text().notNull(),
  ended_at: text(),
  outcome: text(),
  error: text(),
  model_calls: integer().notNull().default(0),
  tool_calls: integer().notNull().default(0),
  skills_used: text(),
  ...usageColumns,
});

export type SessionRow = typeof sessions.$inferSelect;
export type MessageRow = typeof messages.$inferSelect;
export type TurnRow = typeof turns.$inferSelect;

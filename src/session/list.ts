import { oneLine } from "../base/text.ts";
import type { SessionRow, SqlValue, Store } from "../store/index.ts";
import { readLineage } from "./find.ts";
import { toSession } from "./rows.ts";
import type { Session } from "./types.ts";

/** Sources of sessions that are machinery: shown only when asked for. */
export const HIDDEN_SOURCES = ["tool", "subagent"];
const PREVIEW_CHARS = 60;

/** A session with the start of its first user message, on one line; empty when there is none. */
export interface ListedSession extends Session {
  preview: string;
}

export interface ListRequest {
  source?: string;
  /** default 20 */
  limit?: number;
  /** also compacted sessions and those of machinery */
  all?: boolean;
}

/** Sessions by last activity, newest first. Of sessions that continue each other only the last one is shown. */
export async function listSessions(store: Store, request: ListRequest = {}): Promise<ListedSession[]> {
  const { condition, args } = visible(request);
  const rows = await store.read<SessionRow & { first_text: string | null }>({
    sql:
      `SELECT sessions.*, ${FIRST_TEXT} AS first_text FROM sessions WHERE ${condition} ` +
      "ORDER BY last_active_at DESC, id DESC LIMIT ?",
    args: [...args, request.limit ?? 20],
  });
  return Promise.all(
    rows.map(async (row) => {
      const text = row.first_text ?? (row.parent_id === null ? "" : await readFirstText(store, row.id));
      return { ...toSession(row), preview: preview(text) };
    }),
  );
}

/** The session with the newest activity. */
export async function latestSession(store: Store, request: { source?: string } = {}): Promise<Session | undefined> {
  const { condition, args } = visible(request);
  const rows = await store.read<SessionRow>({
    sql: `SELECT * FROM sessions WHERE ${condition} ORDER BY last_active_at DESC, id DESC LIMIT 1`,
    args,
  });
  return rows[0] === undefined ? undefined : toSession(rows[0]);
}

/** True when a model has answered in the session, or in the one that it continues. */
export async function hasAnswer(store: Store, session: { id: string; parentId: string | null }): Promise<boolean> {
  if (session.parentId !== null) return true;
  const sql = "SELECT 1 AS found FROM messages WHERE session_id = ? AND role = 'assistant' LIMIT 1";
  return (await store.read<{ found: number }>({ sql, args: [session.id] })).length > 0;
}

/** The ids of all sessions, compacted ones and those of machinery included; newest activity first. */
export async function listSessionIds(store: Store, request: { source?: string } = {}): Promise<string[]> {
  const { condition, args } = visible({ ...request, all: true });
  const rows = await store.read<{ id: string }>({
    sql: `SELECT id FROM sessions WHERE ${condition} ORDER BY last_active_at DESC, id DESC`,
    args,
  });
  return rows.map((row) => row.id);
}

/** How many sessions are stored, all kinds counted. */
export async function countSessions(store: Store): Promise<number> {
  const rows = await store.read<{ count: number }>({ sql: "SELECT count(*) AS count FROM sessions", args: [] });
  return rows[0]?.count ?? 0;
}

const FIRST_TEXT =
  "(SELECT text FROM messages WHERE session_id = sessions.id AND role = 'user' AND active = 1 AND searchable = 1 " +
  "ORDER BY seq LIMIT 1)";

/** For a session that only holds what compaction left: the first message of the one where it began. */
async function readFirstText(store: Store, id: string): Promise<string> {
  const lineage = await readLineage(store, id);
  const rows = await store.read<{ first_text: string | null }>({
    sql: `SELECT ${FIRST_TEXT} AS first_text FROM sessions WHERE id = ?`,
    args: [lineage.at(-1) ?? id],
  });
  return rows[0]?.first_text ?? "";
}

function preview(text: string): string {
  const line = oneLine(text, PREVIEW_CHARS + 1);
  return line.length > PREVIEW_CHARS ? `${line.slice(0, -1)}...`.toWellFormed() : line;
}

function visible(request: ListRequest): { condition: string; args: SqlValue[] } {
  const conditions = ["1"];
  const args: SqlValue[] = [];
  if (request.source !== undefined) {
    conditions.push("source = ?");
    args.push(request.source);
  } else if (request.all !== true) {
    conditions.push(`source NOT IN (${HIDDEN_SOURCES.map(() => "?").join(", ")})`);
    args.push(...HIDDEN_SOURCES);
  }
  if (request.all !== true) {
    conditions.push(
      "NOT (end_reason IS 'compression' AND EXISTS (SELECT 1 FROM sessions AS child WHERE child.parent_id = sessions.id))",
    );
  }
  return { condition: conditions.join(" AND "), args };
}

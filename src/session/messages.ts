import { insertMessage, type Store, type Write } from "../store/index.ts";
import { messageToolCalls } from "../plugin/message.ts";
import { searchText } from "./message-text.ts";
import { MESSAGE_COLUMNS, type MessageColumns, toStoredMessage, wellFormedMessage } from "./rows.ts";
import type { NewMessage, StoredMessage } from "./types.ts";

/** The active messages of a session in order; empty for one that is not stored. */
export async function loadMessages(store: Store, sessionId: string): Promise<StoredMessage[]> {
  const rows = await store.read<MessageColumns>({
    sql: `SELECT ${MESSAGE_COLUMNS} FROM messages WHERE session_id = ? AND active = 1 ORDER BY seq`,
    args: [sessionId],
  });
  return rows.map(toStoredMessage);
}

const pageSize = 50;

/** The active messages of a session in order, page by page. */
export async function* messagePages(store: Store, sessionId: string): AsyncGenerator<StoredMessage[]> {
  for (let after = 0; ;) {
    const rows = await store.read<MessageColumns>({
      sql: `SELECT ${MESSAGE_COLUMNS} FROM messages WHERE session_id = ? AND active = 1 AND seq > ? ORDER BY seq LIMIT ?`,
      args: [sessionId, after, pageSize],
    });
    const last = rows.at(-1);
    if (last === undefined) return;
    yield rows.map(toStoredMessage);
    after = last.seq;
  }
}

/** The highest position used in a session, rewound messages included; 0 for none. */
export async function readLastSeq(store: Store, sessionId: string): Promise<number> {
  const rows = await store.read<{ last: number | null }>({
    sql: "SELECT max(seq) AS last FROM messages WHERE session_id = ?",
    args: [sessionId],
  });
  return rows[0]?.last ?? 0;
}

/** Gives messages their position and time. */
export function toStored(messages: NewMessage[], afterSeq: number, now: Date): StoredMessage[] {
  return messages.map((entry, index) => ({
    ...entry,
    message: wellFormedMessage(entry.message),
    seq: afterSeq + index + 1,
    createdAt: now.toISOString(),
  }));
}

export function messageWrite(sessionId: string, stored: StoredMessage): Write {
  const { message } = stored;
  const result = message.parts.find((part) => part.type === "tool-result");
  return insertMessage({
    session_id: sessionId,
    seq: stored.seq,
    role: message.role,
    searchable: stored.unsearchable === true ? 0 : 1,
    created_at: stored.createdAt,
    tool_name: result?.name ?? null,
    call_id: result?.callId ?? null,
    text: searchText(message),
    parts: JSON.stringify(message.parts),
    context: stored.context?.toWellFormed() ?? null,
  });
}

export function countToolCalls(messages: NewMessage[]): number {
  return messages.reduce((sum, entry) => sum + messageToolCalls(entry.message).length, 0);
}

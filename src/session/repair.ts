import { type Message, messageToolCalls } from "../plugin/message.ts";
import { isHermesError } from "../base/errors.ts";
import {
  countMessages,
  type Fence,
  processHolder,
  releaseLease,
  type Store,
  updateTurn,
  type Write,
} from "../store/index.ts";
import { acquireSession } from "./lease.ts";
import { loadMessages, messageWrite, readLastSeq, toStored } from "./messages.ts";
import type { StoredMessage } from "./types.ts";

export const INTERRUPTED_RESULT =
  "The call was interrupted before its result was stored. Whether it took effect is unknown: check before repeating it.";

/**
 * Closes turns that a dead process left open and gives their unanswered tool calls a result that says so.
 * Sessions held by a living turn are left alone.
 * @returns the ids of the sessions that were repaired
 */
export async function repairInterrupted(
  store: Store,
  options: { now: () => Date; holder?: string; sessionId?: string },
): Promise<string[]> {
  const rows = await store.read<{ session_id: string }>({
    sql: "SELECT DISTINCT session_id FROM turns WHERE ended_at IS NULL AND session_id = coalesce(?, session_id)",
    args: [options.sessionId ?? null],
  });
  const repaired: string[] = [];
  for (const { session_id: id } of rows) {
    const fence = await acquireIdle(store, id, options.holder ?? processHolder());
    if (fence === undefined) continue;
    await store.write([...(await repairWrites(store, id, options.now())), releaseLease(fence)], fence);
    repaired.push(id);
  }
  return repaired;
}

async function acquireIdle(store: Store, sessionId: string, holder: string): Promise<Fence | undefined> {
  try {
    return await acquireSession(store, sessionId, holder);
  } catch (error) {
    // its turn is alive after all
    if (isHermesError(error) && error.code === "E_SESSION_BUSY") return undefined;
    throw error;
  }
}

/** The rows that repair one session. The caller holds its lease and commits them under its fence. */
export async function repairWrites(store: Store, sessionId: string, now: Date): Promise<Write[]> {
  const turns = await store.read<{ id: string }>({
    sql: "SELECT id FROM turns WHERE session_id = ? AND ended_at IS NULL",
    args: [sessionId],
  });
  const first = turns[0];
  if (first === undefined) return [];
  const at = now.toISOString();
  const closing = turns.map((turn) => updateTurn(turn.id, { ended_at: at, outcome: "interrupted" }));
  const missing = unanswered(await loadMessages(store, sessionId));
  if (missing.length === 0) return closing;
  const results = toStored(
    missing.map((message) => ({ message })),
    await readLastSeq(store, sessionId),
    now,
  );
  return [
    ...results.map((entry) => messageWrite(sessionId, entry)),
    countMessages(sessionId, { messages: results.length, toolCalls: 0, at }),
    ...closing,
  ];
}

/** Results for the calls of the last assistant message that have none. */
function unanswered(messages: StoredMessage[]): Message[] {
  const last = messages.findLastIndex((entry) => entry.message.role === "assistant");
  const asking = messages[last];
  if (asking === undefined) return [];
  const after = messages.slice(last + 1).flatMap((entry) => entry.message.parts);
  const answered = new Set(after.filter((part) => part.type === "tool-result").map((part) => part.callId));
  return messageToolCalls(asking.message)
    .filter((call) => !answered.has(call.id))
    .map((call) => ({
      role: "tool",
      parts: [{ type: "tool-result", callId: call.id, name: call.name, text: INTERRUPTED_RESULT, isError: true }],
    }));
}

import { StoreError } from "../base/errors.ts";
import { leaseHolder, type Store, type Write } from "../store/index.ts";
import { readLineage } from "./find.ts";
import { leaseName } from "./lease.ts";

/**
 * Deletes a session and those it continues after compaction, with messages, turns and search entries. Sessions that
 * branched off it stay, without parent.
 * @returns how many sessions were deleted, 0 for an unknown id
 * @throws {StoreError} E_SESSION_BUSY while a turn runs in it
 */
export async function deleteSession(store: Store, sessionId: string): Promise<number> {
  const ids = await readLineage(store, sessionId);
  const holder = await leaseHolder(store, leaseName(sessionId));
  if (holder !== undefined) {
    throw new StoreError("E_SESSION_BUSY", `session ${sessionId} is busy with a turn of ${holder}`, {
      hint: "wait for it to end, or stop it",
      retryable: true,
    });
  }
  await store.write(ids.flatMap(removal));
  return ids.length;
}

function removal(id: string): Write[] {
  return [
    // search entries first: they are found through the messages; only those already indexed have one
    {
      sql:
        "DELETE FROM message_index WHERE rowid IN (SELECT id FROM messages WHERE session_id = ? AND searchable = 1 " +
        "AND id <= (SELECT last_message_id FROM index_progress))",
      args: [id],
    },
    { sql: "DELETE FROM sessions WHERE id = ?", args: [id] },
    { sql: "DELETE FROM leases WHERE name = ?", args: [leaseName(id)] },
  ];
}

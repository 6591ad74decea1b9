import type { Store, Write } from "../store/index.ts";
import { indexText } from "./tokens.ts";

/** Messages indexed in one batch. */
const CHUNK = 500;
/** A bounded step of merging the index's segments follows after so many messages. */
const MERGE_EVERY = 5000;
const MERGE_PAGES = 400;

interface PendingRow {
  id: number;
  text: string;
  searchable: number;
}

/**
 * Writes messages that are not in the search index yet into it. Several processes may do so at once: what is indexed
 * twice stays one entry.
 * @param options.limit messages at most; default all
 * @returns how many messages were looked at
 */
export async function indexPending(store: Store, options: { limit?: number } = {}): Promise<number> {
  const limit = options.limit ?? Number.MAX_SAFE_INTEGER;
  let done = 0;
  while (done < limit) {
    const rows = await store.read<PendingRow>({
      sql:
        "SELECT id, text, searchable FROM messages WHERE id > (SELECT last_message_id FROM index_progress) " +
        "ORDER BY id LIMIT ?",
      args: [Math.min(CHUNK, limit - done)],
    });
    const last = rows.at(-1);
    if (last === undefined) break;
    await store.write([...rows.filter((row) => row.searchable === 1).map(indexWrite), advance(last.id)]);
    done += rows.length;
  }
  if (done > 0) await mergeWhenDue(store);
  return done;
}

function indexWrite(row: PendingRow): Write {
  return {
    // a message that was deleted meanwhile must not come back
    sql:
      "INSERT OR REPLACE INTO message_index (rowid, text) " +
      "SELECT id, ? FROM messages WHERE id = ? AND id > (SELECT last_message_id FROM index_progress)",
    args: [indexText(row.text), row.id],
  };
}

function advance(id: number): Write {
  return { sql: "UPDATE index_progress SET last_message_id = max(last_message_id, ?)", args: [id] };
}

async function mergeWhenDue(store: Store): Promise<void> {
  const [due] = await store.write([
    {
      sql: "UPDATE index_progress SET merged_message_id = last_message_id WHERE last_message_id >= merged_message_id + ?",
      args: [MERGE_EVERY],
    },
  ]);
  if (due !== 1) return;
  await store.write([
    { sql: "INSERT INTO message_index (message_index, rank) VALUES ('merge', ?)", args: [MERGE_PAGES] },
  ]);
}

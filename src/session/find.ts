import type { SessionRow, SqlValue, Store } from "../store/index.ts";
import { toSession } from "./rows.ts";
import { sanitizeTitle, splitTitle } from "./title.ts";
import type { Session } from "./types.ts";

/** Compactions that are followed at most. */
const MAX_HOPS = 100;

/** The session with exactly this id. */
export async function readSession(store: Store, id: string): Promise<Session | undefined> {
  return one(store, "id = ?", [id]);
}

/**
 * Finds what a person means: an id, a prefix that only one id has, or a title (`X` means the newest of `X #2`, `X #3` …).
 * A session that was continued after compaction gives the one it goes on in, unless `follow` is false.
 */
export async function findSession(
  store: Store,
  wanted: string,
  options: { follow?: boolean } = {},
): Promise<Session | undefined> {
  const text = wanted.trim();
  if (text === "") return undefined;
  const found =
    (await readSession(store, text)) ?? (await findByPrefix(store, text)) ?? (await findByTitle(store, text));
  return found === undefined || options.follow === false ? found : followContinuations(store, found);
}

async function findByPrefix(store: Store, prefix: string): Promise<Session | undefined> {
  const rows = await store.read<SessionRow>({
    sql: "SELECT * FROM sessions WHERE id >= ? AND id < ? LIMIT 2",
    args: [prefix, `${prefix}\u{10FFFF}`],
  });
  const [row, second] = rows;
  return row === undefined || second !== undefined ? undefined : toSession(row);
}

async function findByTitle(store: Store, wanted: string): Promise<Session | undefined> {
  const title = sanitizeTitle(wanted);
  if (title === null) return undefined;
  if (splitTitle(title).number === undefined) {
    const rows = await titledRows(store, title);
    const numbered = rows.filter((row) => row.title !== title);
    const newest = numbered[0] ?? rows[0];
    return newest === undefined ? undefined : toSession(newest);
  }
  return one(store, "title = ?", [title]);
}

/** Sessions titled `base` or `base #N`, newest first. */
export async function titledRows(store: Store, base: string): Promise<SessionRow[]> {
  const start = `${base} #`;
  const rows = await store.read<SessionRow>({
    // a range and not LIKE: `_` and `%` in a title are ordinary characters
    sql: "SELECT * FROM sessions WHERE title = ? OR (title >= ? AND title < ?) ORDER BY started_at DESC, id DESC",
    args: [base, start, `${start}\u{10FFFF}`],
  });
  return rows.filter((row) => row.title === base || (row.title !== null && splitTitle(row.title).base === base));
}

/** The session in which a compacted one goes on, or the given one. */
export async function followContinuations(store: Store, first: Session): Promise<Session> {
  let session = first;
  for (let hop = 0; hop < MAX_HOPS && session.endReason === "compression" && session.endedAt !== null; hop += 1) {
    const next = await one(store, "parent_id = ? AND started_at >= ? ORDER BY started_at DESC, id DESC LIMIT 1", [
      session.id,
      session.endedAt,
    ]);
    if (next === undefined) break;
    session = next;
  }
  return session;
}

/** The ids of a session and of those it continues after compaction, newest first. */
export async function readLineage(store: Store, id: string): Promise<string[]> {
  const rows = await store.read<{ id: string }>({
    sql:
      "WITH RECURSIVE lineage (id, parent_id, hop) AS (" +
      "SELECT id, parent_id, 0 FROM sessions WHERE id = ? UNION ALL " +
      "SELECT parent.id, parent.parent_id, hop + 1 FROM lineage JOIN sessions AS parent ON parent.id = lineage.parent_id " +
      "WHERE parent.end_reason = 'compression' AND hop < ?) SELECT id FROM lineage ORDER BY hop",
    args: [id, MAX_HOPS],
  });
  return rows.map((row) => row.id);
}

async function one(store: Store, condition: string, args: SqlValue[]): Promise<Session | undefined> {
  const rows = await store.read<SessionRow>({ sql: `SELECT * FROM sessions WHERE ${condition}`, args });
  return rows[0] === undefined ? undefined : toSession(rows[0]);
}

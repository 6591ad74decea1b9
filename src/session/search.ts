import type { SessionRow, SqlValue, Store } from "../store/index.ts";
import { parseQuestion, type Question, type Term } from "./question.ts";
import { toSession } from "./rows.ts";
import { indexPending } from "./search-index.ts";
import { makeSnippet } from "./snippet.ts";
import type { SessionHit } from "./types.ts";

/** Newest hits of each term that are ranked, unless everything is asked for. */
const NEWEST_HITS = 2000;
/** Best messages whose sessions are ranked. */
const MAX_CANDIDATES = 1000;
const MATCHES_PER_SESSION = 5;
/** What a search indexes by itself; a larger backlog is the runtime's. */
const CATCH_UP = 2000;
const UNLIMITED = Number.MAX_SAFE_INTEGER;

export interface SearchRequest {
  /** sessions at most; default 10 */
  limit?: number;
  /** only sessions of these sources; default all */
  sources?: string[];
  excludeSources?: string[];
  excludeSessionIds?: string[];
  /** only messages of these roles; default all */
  roles?: string[];
  /** ranks every hit, not only the newest of each word; slower on large stores */
  full?: boolean;
}

interface RankedTerm extends Term {
  rarity: number;
  ids: number[];
}

interface Candidate {
  id: number;
  /** indices of the terms it holds */
  terms: number[];
  score: number;
}

interface SessionScore {
  id: string;
  score: number;
  candidates: Candidate[];
}

/**
 * Finds sessions by a question as typed, in any script, best first: sessions are ranked as whole documents, then
 * the best messages inside. Never fails over the text of a question; nothing to look for gives nothing.
 */
export async function searchSessions(
  store: Store,
  question: string,
  request: SearchRequest = {},
): Promise<SessionHit[]> {
  const parsed = parseQuestion(question);
  if (parsed.terms.length === 0) return [];
  await indexPending(store, { limit: CATCH_UP });
  const terms = await findHits(store, parsed, request.full === true ? UNLIMITED : NEWEST_HITS);
  const candidates = rankMessages(terms).slice(0, request.full === true ? undefined : MAX_CANDIDATES);
  if (candidates.length === 0) return [];
  const sessions = await rankSessions(store, candidates, terms, request);
  return loadHits(store, sessions.slice(0, request.limit ?? 10), parsed.terms);
}

async function findHits(store: Store, question: Question, limit: number): Promise<RankedTerm[]> {
  const not = question.excluded.map((term) => term.match).join(" OR ");
  const part =
    "SELECT * FROM (SELECT group_concat(rowid) AS ids FROM " +
    "(SELECT rowid FROM message_index WHERE message_index MATCH ? ORDER BY rowid DESC LIMIT ?))";
  const rows = await store.read<{ ids: string | null }>({
    sql: question.terms.map(() => part).join(" UNION ALL "),
    args: question.terms.flatMap((term) => [not === "" ? term.match : `(${term.match}) NOT (${not})`, limit]),
  });
  const total = await readIndexedCount(store);
  return question.terms.map((term, index) => {
    const text = rows[index]?.ids ?? null;
    const ids = text === null ? [] : text.split(",").map(Number);
    return { ...term, ids, rarity: rarity(ids, limit, total) };
  });
}

async function readIndexedCount(store: Store): Promise<number> {
  const rows = await store.read<{ last: number }>({
    sql: "SELECT last_message_id AS last FROM index_progress",
    args: [],
  });
  return rows[0]?.last ?? 0;
}

/**
 * Inverse document frequency. When only the newest hits are known, their density tells how many there are: counting
 * them all would cost more than the whole search.
 */
function rarity(ids: number[], limit: number, total: number): number {
  let count = ids.length;
  if (count >= limit) {
    const oldest = ids.reduce((least, id) => Math.min(least, id), total);
    count = (count * total) / Math.max(1, total - oldest + 1);
  }
  return Math.log(1 + (Math.max(total, count) - count + 0.5) / (count + 0.5));
}

/** Messages by the sum of the rarities of their terms, newest first among equals. */
function rankMessages(terms: RankedTerm[]): Candidate[] {
  const byId = new Map<number, Candidate>();
  for (const [index, term] of terms.entries()) {
    for (const id of term.ids) {
      const known = byId.get(id);
      const gain = term.rarity * term.weight;
      if (known === undefined) byId.set(id, { id, terms: [index], score: gain });
      else {
        known.terms.push(index);
        known.score += gain;
      }
    }
  }
  return [...byId.values()].sort((left, right) => right.score - left.score || right.id - left.id);
}

async function rankSessions(
  store: Store,
  candidates: Candidate[],
  terms: RankedTerm[],
  request: SearchRequest,
): Promise<SessionScore[]> {
  const byId = new Map(candidates.map((candidate) => [candidate.id, candidate]));
  const conditions = ["messages.active = 1", "messages.searchable = 1"];
  const args: SqlValue[] = [JSON.stringify([...byId.keys()])];
  const among = (column: string, values: string[] | undefined, negated = false): void => {
    if (values === undefined || (negated && values.length === 0)) return;
    conditions.push(`${column} ${negated ? "NOT IN" : "IN"} (SELECT value FROM json_each(?))`);
    args.push(JSON.stringify(values));
  };
  among("sessions.source", request.sources);
  among("sessions.source", request.excludeSources, true);
  among("sessions.id", request.excludeSessionIds, true);
  among("messages.role", request.roles);
  const rows = await store.read<{ id: string; ids: string; message_count: number }>({
    sql:
      "SELECT sessions.id, sessions.message_count, group_concat(messages.id) AS ids FROM json_each(?) AS wanted " +
      "JOIN messages ON messages.id = wanted.value JOIN sessions ON sessions.id = messages.session_id " +
      `WHERE ${conditions.join(" AND ")} GROUP BY sessions.id`,
    args,
  });
  return rows
    .map((row) => {
      const found = row.ids
        .split(",")
        .map((id) => byId.get(Number(id)))
        .filter((candidate) => candidate !== undefined);
      return { id: row.id, score: scoreSession(found, terms, row.message_count), candidates: found };
    })
    .sort((left, right) => right.score - left.score || newest(right) - newest(left));
}

/** A session as one document: repeated terms count ever less, long sessions a little less; one message that holds several terms counts more. */
function scoreSession(candidates: Candidate[], terms: RankedTerm[], messageCount: number): number {
  const counts = terms.map(() => 0);
  let best = 0;
  for (const candidate of candidates) {
    best = Math.max(best, candidate.score);
    for (const index of candidate.terms) counts[index] = (counts[index] ?? 0) + 1;
  }
  const saturation = 1.2 * (0.7 + (0.3 * Math.max(messageCount, 1)) / 40);
  let score = 0;
  for (const [index, term] of terms.entries()) {
    const count = counts[index] ?? 0;
    score += term.rarity * term.weight * ((count * 2.2) / (count + saturation));
  }
  return score + best;
}

function newest(session: SessionScore): number {
  return session.candidates.reduce((most, candidate) => Math.max(most, candidate.id), 0);
}

interface MatchRow {
  id: number;
  session_id: string;
  seq: number;
  role: string;
  text: string;
  created_at: string;
}

async function loadHits(store: Store, scored: SessionScore[], terms: Term[]): Promise<SessionHit[]> {
  const best = new Map(
    scored.map((session) => [
      session.id,
      session.candidates
        .sort((left, right) => right.score - left.score || right.id - left.id)
        .slice(0, MATCHES_PER_SESSION)
        .map((candidate) => candidate.id),
    ]),
  );
  const [sessionRows, messageRows] = await Promise.all([
    store.read<SessionRow>({
      sql: "SELECT * FROM sessions WHERE id IN (SELECT value FROM json_each(?))",
      args: [JSON.stringify([...best.keys()])],
    }),
    store.read<MatchRow>({
      sql:
        "SELECT id, session_id, seq, role, text, created_at FROM messages " +
        "WHERE id IN (SELECT value FROM json_each(?))",
      args: [JSON.stringify([...best.values()].flat())],
    }),
  ]);
  const sessionById = new Map(sessionRows.map((row) => [row.id, row]));
  const messageById = new Map(messageRows.map((row) => [row.id, row]));
  return scored.flatMap(({ id, score }) => {
    const row = sessionById.get(id);
    if (row === undefined) return [];
    const matches = (best.get(id) ?? [])
      .map((messageId) => messageById.get(messageId))
      .filter((message) => message !== undefined)
      .map(({ seq, role, text, created_at: createdAt }) => ({
        seq,
        role,
        snippet: makeSnippet(text, terms),
        createdAt,
      }));
    return [{ session: toSession(row), score, matches }];
  });
}

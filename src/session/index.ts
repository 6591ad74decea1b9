/** Sessions: life cycle, turns, search, export. */
export { createSession, isUnstored } from "./create.ts";
export type { SessionRequest } from "./create.ts";
export { exportSession } from "./export.ts";
export { findSession, readLineage, readSession } from "./find.ts";
export { countSessions, hasAnswer, latestSession, listSessionIds, listSessions } from "./list.ts";
export type { ListedSession, ListRequest } from "./list.ts";
export { loadMessages } from "./messages.ts";
export { deleteSession } from "./remove.ts";
export { repairInterrupted } from "./repair.ts";
export { searchSessions } from "./search.ts";
export type { SearchRequest } from "./search.ts";
export { indexPending } from "./search-index.ts";
export { setTitle } from "./titles.ts";
export { beginTurn } from "./turn.ts";
export type { TurnRequest } from "./turn.ts";
export type { NewMessage, Session, SessionHit, StoredMessage, Turn, TurnEnd } from "./types.ts";

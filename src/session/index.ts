/** Sessions: life cycle, turns, search, export. */
export type { NewMessage, Session, SessionHit, StoredMessage, Turn, TurnEnd } from "./types.ts";

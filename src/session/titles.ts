import { StoreError } from "../base/errors.ts";
import { type Store, updateSession } from "../store/index.ts";
import { titledRows } from "./find.ts";
import { nextTitle, sanitizeTitle, splitTitle } from "./title.ts";

/**
 * Names a stored session; an empty title takes the name away.
 * @returns the title as stored
 * @throws {StoreError} E_SESSION_TITLE too long or used by another session; E_SESSION_NOT_FOUND
 */
export async function setTitle(store: Store, sessionId: string, text: string): Promise<string | null> {
  const title = sanitizeTitle(text);
  const other = title === null ? undefined : await findTitled(store, title);
  if (other !== undefined && other !== sessionId) throw titleTaken(title ?? "", other);
  const [changed] = await store.write([updateSession(sessionId, { title })]);
  if (changed === 0) {
    throw new StoreError("E_SESSION_NOT_FOUND", `no session "${sessionId}"`, { hint: "hermes sessions list" });
  }
  return title;
}

/** The title of the session that continues one with this title, null without one. */
export async function continuedTitle(store: Store, title: string | null): Promise<string | null> {
  if (title === null) return null;
  const rows = await titledRows(store, splitTitle(title).base);
  return nextTitle(
    title,
    rows.map((row) => row.title ?? ""),
  );
}

async function findTitled(store: Store, title: string): Promise<string | undefined> {
  const rows = await store.read<{ id: string }>({ sql: "SELECT id FROM sessions WHERE title = ?", args: [title] });
  return rows[0]?.id;
}

function titleTaken(title: string, id: string): StoreError {
  return new StoreError("E_SESSION_TITLE", `session ${id} has the title "${title}" already`, {
    hint: "choose another title",
    exitCode: 2,
  });
}

import { redact } from "../base/redact.ts";
import type { Store } from "../store/index.ts";
import { readSession } from "./find.ts";
import { loadMessages } from "./messages.ts";
import type { Session } from "./types.ts";

/** One session with its active messages as one line of JSON, secrets hidden, without line end. */
export async function exportSession(store: Store, session: Session): Promise<string> {
  const messages = await loadMessages(store, session.id);
  const record = {
    // read again: a listed session carries more than its row
    ...((await readSession(store, session.id)) ?? session),
    messages: messages.map(({ seq, message, context, createdAt }) => ({ seq, ...message, context, createdAt })),
  };
  // every string on its own, so that what is hidden never touches the JSON around it
  return JSON.stringify(record, (_, value: unknown) => (typeof value === "string" ? redact(value) : value));
}

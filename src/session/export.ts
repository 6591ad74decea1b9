import { redact } from "../base/redact.ts";
import type { Store } from "../store/index.ts";
import { readSession } from "./find.ts";
import { messagePages } from "./messages.ts";
import type { Session, StoredMessage } from "./types.ts";

/**
 * One session with its active messages as one line of JSON, secrets hidden, without line end, in pieces:
 * only a page of messages is in memory at a time.
 */
export async function* exportSession(store: Store, session: Session): AsyncGenerator<string> {
  // read again: a listed session carries more than its row
  const head = toSafeJson((await readSession(store, session.id)) ?? session);
  yield `${head.slice(0, -1)},"messages":[`;
  let separator = "";
  for await (const page of messagePages(store, session.id)) {
    for (const stored of page) {
      yield `${separator}${toSafeJson(toRecord(stored))}`;
      separator = ",";
    }
  }
  yield "]}";
}

function toRecord({ seq, message, context, createdAt }: StoredMessage): Record<string, unknown> {
  return { seq, ...message, context, createdAt };
}

/** Every string is redacted on its own, so that what is hidden never touches the JSON around it. */
function toSafeJson(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) => (typeof inner === "string" ? redact(inner) : inner));
}

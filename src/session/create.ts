import { randomBytes } from "node:crypto";
import { emptyUsage } from "../plugin/events.ts";
import type { Store } from "../store/index.ts";
import { readSession } from "./find.ts";
import type { Session } from "./types.ts";

export interface SessionRequest {
  /** default: a fresh one from the time; a known one gives the session as stored */
  id?: string;
  /** the face or platform: `cli`, `telegram`, `cron` … */
  source: string;
  model: string;
  provider: string;
  /** absolute */
  cwd: string;
  parentId?: string;
  now: () => Date;
}

/** Sessions made here that no turn has stored yet: nothing needs to be read for them. */
const unstored = new WeakSet<Session>();

export function isUnstored(session: Session): boolean {
  return unstored.has(session);
}

export function markStored(session: Session, stored: boolean): void {
  if (stored) unstored.delete(session);
  else unstored.add(session);
}

/** Makes a session. It is stored with its first turn, so one that is opened and closed leaves nothing. */
export async function createSession(store: Store, request: SessionRequest): Promise<Session> {
  if (request.id !== undefined) {
    const known = await readSession(store, request.id);
    if (known !== undefined) return known;
  }
  const now = request.now();
  const session: Session = {
    id: request.id ?? newSessionId(now),
    source: request.source,
    title: null,
    model: request.model,
    provider: request.provider,
    systemPrompt: null,
    tools: null,
    parentId: request.parentId ?? null,
    cwd: request.cwd,
    startedAt: now.toISOString(),
    lastActiveAt: now.toISOString(),
    endedAt: null,
    endReason: null,
    messageCount: 0,
    toolCallCount: 0,
    usage: emptyUsage(),
    costUsd: null,
  };
  if (request.id === undefined) unstored.add(session);
  return session;
}

/** `YYYYMMDD_HHMMSS_` in local time and six random hexadecimal digits. */
export function newSessionId(now: Date): string {
  const two = (value: number): string => String(value).padStart(2, "0");
  const day = `${String(now.getFullYear()).padStart(4, "0")}${two(now.getMonth() + 1)}${two(now.getDate())}`;
  const time = `${two(now.getHours())}${two(now.getMinutes())}${two(now.getSeconds())}`;
  return `${day}_${time}_${randomBytes(3).toString("hex")}`;
}

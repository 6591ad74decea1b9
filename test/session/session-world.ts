import { emptyUsage } from "../../src/plugin/events.ts";
import type { Message, Role } from "../../src/plugin/message.ts";
import {
  beginTurn,
  createSession,
  type NewMessage,
  type Session,
  type Turn,
  type TurnEnd,
} from "../../src/session/index.ts";
import type { Store } from "../../src/store/index.ts";
import { createStoreWorld } from "../store/store-world.ts";

/** A store with a clock that moves by hand. */
export async function createSessionWorld() {
  const base = await createStoreWorld();
  let time = Date.parse("2026-03-15T09:24:37Z");
  const now = (): Date => new Date(time);
  const { store } = base;

  const create = (more: Partial<Parameters<typeof createSession>[1]> = {}): Promise<Session> =>
    createSession(store, { source: "cli", model: "model", provider: "provider", cwd: "/work", now, ...more });
  const begin = (session: Session, more: { holder?: string } = {}): Promise<Turn> =>
    beginTurn(store, { session, face: "cli", request: "request", now, ...more });

  return {
    ...base,
    now,
    advance(ms: number) {
      time += ms;
    },
    create,
    begin,
    /** a closed session with these user messages */
    async talk(texts: string[], more: Partial<Parameters<typeof createSession>[1]> = {}): Promise<Session> {
      time += 1000;
      const turn = await begin(await create(more));
      await turn.append(texts.map((text) => user(text)));
      await turn.close(completed());
      return turn.session;
    },
    [Symbol.asyncDispose]: () => base[Symbol.asyncDispose](),
  };
}

export function user(text: string): NewMessage {
  return { message: say("user", text) };
}

export function say(role: Role, text: string): Message {
  return { role, parts: [{ type: "text", text }] };
}

export function calls(...ids: string[]): NewMessage {
  return {
    message: {
      role: "assistant",
      parts: ids.map((id) => ({ type: "tool-call", id, name: "terminal", arguments: `{"command":"echo ${id}"}` })),
    },
  };
}

export function result(callId: string, text: string): NewMessage {
  return { message: { role: "tool", parts: [{ type: "tool-result", callId, name: "terminal", text }] } };
}

export function completed(more: Partial<TurnEnd> = {}): TurnEnd {
  return {
    outcome: "completed",
    usage: emptyUsage(),
    costUsd: null,
    modelCalls: 1,
    toolCalls: 0,
    lastPromptTokens: null,
    ...more,
  };
}

export async function readTurns(store: Store): Promise<{ session_id: string; outcome: string | null }[]> {
  return store.read({ sql: "SELECT session_id, outcome FROM turns ORDER BY started_at, rowid", args: [] });
}

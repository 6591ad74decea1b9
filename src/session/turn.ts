import { randomUUID } from "node:crypto";
import { StoreError } from "../base/errors.ts";
import { emptyUsage } from "../plugin/events.ts";
import type { ToolSpec } from "../plugin/provider.ts";
import {
  addSessionUsage,
  countMessages,
  type Fence,
  insertLease,
  insertSession,
  insertTurn,
  processHolder,
  releaseLease,
  type SessionRow,
  type Store,
  updateSession,
  updateTurn,
  type Write,
} from "../store/index.ts";
import { isUnstored, markStored, newSessionId } from "./create.ts";
import { followContinuations, readSession } from "./find.ts";
import { acquireSessionForTurn, LEASE_MS, leaseName, startHeartbeat } from "./lease.ts";
import { countToolCalls, messageWrite, readLastSeq, toStored } from "./messages.ts";
import { repairWrites } from "./repair.ts";
import { toSessionRow, toUsageColumns } from "./rows.ts";
import { continuedTitle } from "./titles.ts";
import type { NewMessage, Session, StoredMessage, Turn, TurnEnd } from "./types.ts";

export interface TurnRequest {
  session: Session;
  /** who started it: `cli`, `telegram`, `cron` … */
  face: string;
  /** what the user asked, as text */
  request: string;
  now: () => Date;
  /** prompt and tools of a session that is new, so that all of it is one batch; otherwise `Turn.freeze` */
  frozen?: { systemPrompt: string; tools: ToolSpec[] };
  /** names the process; default {@link processHolder} */
  holder?: string;
}

/** What a running turn knows; changed only by steps that have been committed. */
interface TurnState {
  readonly id: string;
  readonly store: Store;
  readonly now: () => Date;
  session: Session;
  fence: Fence;
  lastSeq: number;
}

/**
 * Takes the session's lease, repairs what an interrupted turn left, stores the session when it is new, opens a turn.
 * @throws {StoreError} E_SESSION_BUSY while another live turn holds the session; E_SESSION_CONTINUED when it was
 * compacted meanwhile
 */
export async function beginTurn(store: Store, request: TurnRequest): Promise<Turn> {
  const { session, now, holder = processHolder() } = request;
  if (isUnstored(session)) return createTurn(await openFirstTurn(store, request, holder), now);
  const fence = await acquireSessionForTurn(store, session.id, holder);
  try {
    return createTurn(await openTurn(store, request, fence), now);
  } catch (error) {
    await store.write([releaseLease(fence)]);
    throw error;
  }
}

async function openTurn(store: Store, request: TurnRequest, fence: Fence): Promise<TurnState> {
  const { now } = request;
  const id = randomUUID();
  const stored = await readSession(store, request.session.id);
  if (stored?.endReason === "compression") throw await continuedError(store, stored);
  const session: Session = { ...(stored ?? request.session), endedAt: null, endReason: null };
  await store.write(
    [
      stored === undefined
        ? insertSession(toSessionRow(session))
        : updateSession(session.id, { ended_at: null, end_reason: null }),
      ...(stored === undefined ? [] : await repairWrites(store, session.id, now())),
      turnWrite(id, request),
    ],
    fence,
  );
  return { id, store, now, session, fence, lastSeq: await readLastSeq(store, session.id) };
}

/** The first turn of a session that was made here: lease, session and turn in one batch, nothing to read. */
async function openFirstTurn(store: Store, request: TurnRequest, holder: string): Promise<TurnState> {
  const { now } = request;
  const id = randomUUID();
  const session: Session = { ...request.session, ...request.frozen };
  const lease = { name: leaseName(session.id), holder, durationMs: LEASE_MS };
  // at once, so that a second turn begun beside this one finds a lease
  markStored(request.session, true);
  try {
    await store.write([insertLease(lease), insertSession(toSessionRow(session)), turnWrite(id, request)]);
  } catch (error) {
    markStored(request.session, false);
    throw error;
  }
  return { id, store, now, session, fence: { name: lease.name, holder, epoch: 1 }, lastSeq: 0 };
}

function turnWrite(id: string, request: TurnRequest): Write {
  return insertTurn({
    id,
    session_id: request.session.id,
    face: request.face,
    request: request.request,
    started_at: request.now().toISOString(),
  });
}

async function continuedError(store: Store, session: Session): Promise<StoreError> {
  const tip = await followContinuations(store, session);
  return new StoreError("E_SESSION_CONTINUED", `session ${session.id} was compacted and goes on as ${tip.id}`, {
    hint: `resume ${tip.id}`,
    retryable: true,
  });
}

function createTurn(state: TurnState, now: () => Date): Turn {
  const heartbeat = startHeartbeat(state.store, () => state.fence);
  // steps run one after the other, so positions have no gap when one of them fails
  let last: Promise<unknown> = Promise.resolve();
  const inOrder = <Result>(step: () => Promise<Result>): Promise<Result> => {
    const result = last.then(step);
    last = result.catch(() => {
      // the caller of that step has the error; the next step starts from what is committed
    });
    return result;
  };
  const change = (row: Partial<SessionRow>, session: Partial<Session>): Promise<void> =>
    inOrder(async () => {
      await state.store.write([updateSession(state.session.id, row)], state.fence);
      state.session = { ...state.session, ...session };
    });

  return {
    id: state.id,
    get session() {
      return state.session;
    },
    lost: heartbeat.lost,
    append: (messages) => inOrder(() => append(state, messages)),
    freeze: (systemPrompt: string, tools: ToolSpec[]) =>
      change({ system_prompt: systemPrompt, tools: JSON.stringify(tools) }, { systemPrompt, tools }),
    setModel: (model, provider) => change({ model, provider }, { model, provider }),
    setCwd: (cwd) => change({ cwd }, { cwd }),
    continueAs: (next) => inOrder(() => continueAs(state, next)),
    close: (end) =>
      inOrder(() => close(state, end, now())).finally(() => {
        heartbeat.stop();
      }),
  };
}

async function append(state: TurnState, messages: NewMessage[]): Promise<StoredMessage[]> {
  if (messages.length === 0) return [];
  const { session } = state;
  const now = state.now();
  const stored = toStored(messages, state.lastSeq, now);
  const counts = { messages: stored.length, toolCalls: countToolCalls(stored), at: now.toISOString() };
  await state.store.write(
    [...stored.map((entry) => messageWrite(session.id, entry)), countMessages(session.id, counts)],
    state.fence,
  );
  state.lastSeq += stored.length;
  state.session = {
    ...session,
    messageCount: session.messageCount + counts.messages,
    toolCallCount: session.toolCallCount + counts.toolCalls,
    lastActiveAt: counts.at,
  };
  return stored;
}

async function continueAs(
  state: TurnState,
  next: { systemPrompt: string; tools: ToolSpec[]; messages: NewMessage[] },
): Promise<StoredMessage[]> {
  const { session: old, fence } = state;
  const now = state.now();
  const at = now.toISOString();
  // a title may have been set from outside while the turn ran
  const title = (await readSession(state.store, old.id))?.title ?? null;
  // the originals stay where they are and are found there
  const stored = toStored(next.messages, 0, now).map((entry) => ({ ...entry, unsearchable: true }));
  const child: Session = {
    ...old,
    id: newSessionId(now),
    title: await continuedTitle(state.store, title),
    systemPrompt: next.systemPrompt,
    tools: next.tools,
    parentId: old.id,
    startedAt: at,
    lastActiveAt: at,
    messageCount: stored.length,
    toolCallCount: countToolCalls(stored),
    usage: emptyUsage(),
    costUsd: null,
  };
  const name = leaseName(child.id);
  await state.store.write(
    [
      updateSession(old.id, { ended_at: at, end_reason: "compression" }),
      insertSession(toSessionRow(child)),
      ...stored.map((entry) => messageWrite(child.id, entry)),
      updateTurn(state.id, { session_id: child.id }),
      insertLease({ name, holder: fence.holder, durationMs: LEASE_MS }),
      releaseLease(fence),
    ],
    fence,
  );
  state.session = child;
  state.fence = { name, holder: fence.holder, epoch: 1 };
  state.lastSeq = stored.length;
  return stored;
}

async function close(state: TurnState, end: TurnEnd, now: Date): Promise<void> {
  const at = now.toISOString();
  const usage = toUsageColumns(end.usage, end.costUsd);
  await state.store.write(
    [
      ...(end.writes ?? []),
      addSessionUsage(state.session.id, usage, { lastPromptTokens: end.lastPromptTokens, at }),
      updateTurn(state.id, {
        ended_at: at,
        outcome: end.outcome,
        error: end.error ?? null,
        model_calls: end.modelCalls,
        tool_calls: end.toolCalls,
        ...usage,
      }),
      releaseLease(state.fence),
    ],
    state.fence,
  );
}

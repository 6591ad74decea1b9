import { errorMessage, isHermesError } from "../base/errors.ts";
import { redact } from "../base/redact.ts";
import { sleep } from "../base/time.ts";
import { checkpoint } from "../base/timing.ts";
import { type AgentDeps, type AgentInput, runTurn, type TurnResult } from "../agent/index.ts";
import type { ResolvedModel } from "../models/index.ts";
import { emptyUsage } from "../plugin/events.ts";
import type { Part } from "../plugin/message.ts";
import {
  beginTurn,
  findSession,
  isUnstored,
  loadMessages,
  readLineage,
  type Session,
  type StoredMessage,
  type Turn,
} from "../session/index.ts";
import { hydrateTodos } from "../tools/index.ts";
import { toAgentSettings } from "./agent-settings.ts";
import { completeWith } from "./completion.ts";
import { buildSessionPrompt } from "./session-prompt.ts";
import type { SessionState } from "./session-state.ts";
import { createSessionTools, type SessionTools } from "./session-tools.ts";
import type { OpenSession, RunOptions } from "./types.ts";
import type { Wiring } from "./wiring.ts";

/** A session in the hands of a face. */
export function createOpenSession(first: Session, model: ResolvedModel, wiring: Wiring): OpenSession {
  const state: SessionState = { session: first, model, lineage: [first.id], turn: undefined, run: undefined };
  const tools = createSessionTools(state, wiring);
  return {
    get session() {
      return state.session;
    },
    get model() {
      return state.model;
    },
    messages: () => loadMessages(wiring.store, state.session.id),
    async setModel(name, provider) {
      state.model = await wiring.models.choose(name, provider);
    },
    run: (input, run) => runInSession(hideHeld(input, run), run, { state, tools, wiring }),
    close: tools.close,
  };
}

/** The same without the values that the settings keep secret: no server and no database gets those. */
function hideHeld(input: AgentInput, { emit }: RunOptions): AgentInput {
  const hide = (text: string): string => redact(text, { patterns: false });
  const parts = input.parts.map((part): Part => (part.type === "text" ? { ...part, text: hide(part.text) } : part));
  const context = input.context === undefined ? undefined : hide(input.context);
  const isChanged = context !== input.context || JSON.stringify(parts) !== JSON.stringify(input.parts);
  if (!isChanged) return input;
  emit({
    type: "notice",
    level: "info",
    kind: "guard",
    text: "your message holds a key of your settings; the model gets *** in its place",
  });
  return { ...input, parts, ...(context === undefined ? {} : { context }) };
}

interface Parts {
  state: SessionState;
  tools: SessionTools;
  wiring: Wiring;
}

async function runInSession(input: AgentInput, run: RunOptions, parts: Parts): Promise<TurnResult> {
  const { state, wiring } = parts;
  const fresh = isUnstored(state.session);
  state.run = run;
  const turn = await begin(input, parts).catch((error: unknown) => {
    state.run = undefined;
    throw error;
  });
  checkpoint("turn begun");
  state.turn = turn;
  try {
    const history = await prepare(turn, fresh, parts);
    checkpoint("turn prepared");
    return await runTurn(input, toDeps({ ...parts, turn, history, run }), run.signal);
  } catch (error) {
    await closeFailed(turn, error, wiring);
    throw error;
  } finally {
    state.session = { ...turn.session, cwd: state.session.cwd };
    state.turn = undefined;
    state.run = undefined;
    wiring.tidyLater();
  }
}

/** Begins a turn; when another process has compacted the session meanwhile, in the one that continues it. */
async function begin(input: AgentInput, { state, tools, wiring }: Parts): Promise<Turn> {
  const request = input.parts.map((part) => (part.type === "text" ? part.text : `[${part.type}]`)).join("\n");
  const { specs } = tools.port;
  const frozen = isUnstored(state.session)
    ? { systemPrompt: freshPrompt(state, tools, wiring), tools: specs }
    : undefined;
  const start = (session: Session): Promise<Turn> =>
    beginTurn(wiring.store, {
      session,
      face: session.source,
      request,
      now: () => wiring.options.clock.now(),
      ...(frozen === undefined ? {} : { frozen }),
    });
  try {
    return await start(state.session);
  } catch (error) {
    if (!isHermesError(error) || error.code !== "E_SESSION_CONTINUED") throw error;
    const next = await findSession(wiring.store, state.session.id);
    if (next === undefined) throw error;
    return await start(next);
  }
}

async function prepare(turn: Turn, fresh: boolean, { state, tools, wiring }: Parts): Promise<StoredMessage[]> {
  state.session = { ...turn.session, cwd: state.session.cwd };
  if (!fresh) state.lineage = await readLineage(wiring.store, turn.session.id);
  const history = fresh ? [] : await loadMessages(wiring.store, turn.session.id);
  hydrateTodos(
    tools.todos,
    history.map((entry) => entry.message),
  );
  if (turn.session.systemPrompt === null) await turn.freeze(freshPrompt(state, tools, wiring), tools.port.specs);
  return history;
}

function freshPrompt(state: SessionState, tools: SessionTools, wiring: Wiring): string {
  return buildSessionPrompt(
    state,
    wiring,
    tools.port.specs.map((spec) => spec.name),
  );
}

/** A turn that cannot go on gives its lease back; when even that fails, the next start repairs it. */
async function closeFailed(turn: Turn, error: unknown, wiring: Wiring): Promise<void> {
  const end = { outcome: "failed" as const, usage: emptyUsage(), costUsd: null, lastPromptTokens: null };
  try {
    await turn.close({ ...end, modelCalls: 0, toolCalls: 0, error: errorMessage(error) });
  } catch (failure) {
    // the first error is the one to tell
    wiring.log.warn(`turn ${turn.id} was not closed: ${errorMessage(failure)}`);
  }
}

function toDeps(parts: Parts & { turn: Turn; history: StoredMessage[]; run: RunOptions }): AgentDeps {
  const { state, tools, wiring, turn, history, run } = parts;
  const specs = turn.session.tools ?? tools.port.specs;
  return {
    turn,
    history,
    client: state.model.client,
    model: state.model.model,
    provider: state.model.provider,
    context: {
      get tokens() {
        return state.model.contextTokens;
      },
      learn: (tokens) => {
        state.model = { ...state.model, contextTokens: tokens };
      },
    },
    tools: { ...tools.port, specs },
    settings: toAgentSettings(wiring.config, wiring.options.overrides?.maxTurns),
    rebuildPrompt: () => {
      // what was read may be summarized away
      tools.files.forgetReads();
      const names = specs.map((spec) => spec.name);
      return buildSessionPrompt(state, wiring, names);
    },
    summarize: (prompt, signal) => completeWith(state.model, prompt, signal),
    emit: (event) => {
      if (event.type === "model-end") wiring.later(keepModel(turn, state));
      run.emit(event);
    },
    sleep,
  };
}

/** A model is kept for the next turns once it has answered: a mistyped name is not what one wants to go on with. */
async function keepModel(turn: Turn, { model: { model, provider } }: SessionState): Promise<void> {
  if (turn.session.model !== model || turn.session.provider !== provider) await turn.setModel(model, provider);
}

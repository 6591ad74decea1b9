import { homePaths, userHome } from "../base/paths.ts";
import { readEnv } from "../base/env.ts";
import { sleep } from "../base/time.ts";
import { type AgentDeps, type AgentInput, runTurn, type TurnResult } from "../agent/index.ts";
import { createApprovals } from "../guard/index.ts";
import type { ResolvedModel } from "../models/index.ts";
import type { Answer, Question } from "../plugin/interaction.ts";
import { buildSystemPrompt } from "../prompt/index.ts";
import {
  beginTurn,
  indexPending,
  loadMessages,
  readLineage,
  type Session,
  type StoredMessage,
  type Turn,
} from "../session/index.ts";
import { allowCommands, listAllowedCommands } from "../store/index.ts";
import {
  coreTools,
  createFileState,
  createLocalTerminal,
  createProcessRegistry,
  createTodoList,
  hydrateTodos,
} from "../tools/index.ts";
import { toAgentSettings, toToolSettings } from "./agent-settings.ts";
import { summarizeWith } from "./completion.ts";
import { createHost, unavailable } from "./host.ts";
import type { Wiring } from "./wiring.ts";
import { createToolPort, resultFolderOf } from "./tool-port.ts";
import type { OpenSession, RunOptions } from "./types.ts";

/** A session with everything that lives between its turns. */
export async function createOpenSession(
  first: Session,
  firstModel: ResolvedModel,
  wiring: Wiring,
): Promise<OpenSession> {
  const { options, config, store, log } = wiring;
  const { environment } = config;
  let session = first;
  let model = firstModel;
  let current: RunOptions | undefined;
  const processes = createProcessRegistry({ clock: options.clock });
  const files = createFileState();
  const terminal = createLocalTerminal();
  const todos = createTodoList();
  const settings = toToolSettings(config);
  const place = { home: options.home, userHome: userHome(environment) };
  const ask = async (question: Question, signal: AbortSignal): Promise<Answer> =>
    current === undefined
      ? { type: "unavailable", reason: "no turn is running" }
      : await current.interaction.ask(question, signal);
  const approvals = createApprovals({
    mode: options.overrides?.yolo === true ? "off" : config.values.approvals.mode,
    ask,
    allowed: [...config.values.command_allowlist, ...(await listAllowedCommands(store))],
    persist: (keys) => allowCommands(store, keys, options.clock.now()),
    place: { ...place, cwd: session.cwd },
    timeoutMs: config.values.approvals.timeout * 1000,
    onNotice: (text) => current?.emit({ type: "notice", level: "warn", kind: "guard", text }),
  });
  const host = createHost({ home: options.home, log, clock: options.clock });
  let turn: Turn | undefined;
  let lineage = [first.id];

  const tools = createToolPort({
    tools: coreTools,
    cwd: () => session.cwd,
    resultFolder: resultFolderOf(first.id),
    onCall: (name) => files.noteToolCall(name),
    contextFor: ({ id, signal, progress }) => ({
      signal,
      callId: id,
      sessionId: session.id,
      cwd: session.cwd,
      host,
      progress,
      session: {
        id: session.id,
        source: session.source,
        setCwd: (path) => {
          session = { ...session, cwd: path };
          if (turn !== undefined) wiring.later(turn.setCwd(path));
        },
      },
      lineage,
      ask,
      runAgent: () => Promise.reject(unavailable("delegation")),
      deliver: () => Promise.reject(unavailable("delivery")),
      complete: (_, prompt, stop) => summarizeWith(model, prompt, stop),
      backend: () => terminal,
      approvals,
      store,
      clock: options.clock,
      home: options.home,
      settings,
      files,
      processes,
      todos,
      environment,
    }),
  });

  const buildPrompt = (emit: RunOptions["emit"]): string => {
    const prompt = buildSystemPrompt({
      soulPath: homePaths(options.home).soul,
      toolNames: tools.specs.map((spec) => spec.name),
      cwd: session.cwd,
      model: model.model,
      provider: model.provider,
      source: session.source,
      startedAt: options.clock.now(),
      timezone:
        readEnv("HERMES_TIMEZONE", environment) ?? (config.values.timezone === "" ? undefined : config.values.timezone),
      callerPrompt: readEnv("HERMES_EPHEMERAL_SYSTEM_PROMPT", environment) ?? config.values.agent.system_prompt,
      enforcement: config.values.agent.tool_use_enforcement,
      contextFiles: true,
    });
    for (const text of prompt.warnings) emit({ type: "notice", level: "warn", kind: "config", text });
    return prompt.text;
  };

  const run = async (input: AgentInput, runOptions: RunOptions): Promise<TurnResult> => {
    const request = input.parts.map((part) => (part.type === "text" ? part.text : `[${part.type}]`)).join("\n");
    turn = await beginTurn(store, {
      session,
      face: session.source,
      request,
      now: () => options.clock.now(),
    });
    current = runOptions;
    try {
      session = { ...turn.session, cwd: session.cwd };
      lineage = await readLineage(store, session.id);
      const history = await loadMessages(store, session.id);
      hydrateTodos(
        todos,
        history.map((entry) => entry.message),
      );
      if (turn.session.systemPrompt === null) await turn.freeze(buildPrompt(runOptions.emit), tools.specs);
      if (turn.session.model !== model.model || turn.session.provider !== model.provider)
        await turn.setModel(model.model, model.provider);
      const deps = toDeps({ turn, history, runOptions });
      return await runTurn(input, deps, runOptions.signal);
    } finally {
      session = { ...turn.session, cwd: session.cwd };
      current = undefined;
      turn = undefined;
      wiring.later(indexPending(store));
    }
  };

  const toDeps = (parts: { turn: Turn; history: StoredMessage[]; runOptions: RunOptions }): AgentDeps => ({
    turn: parts.turn,
    history: parts.history,
    client: model.client,
    model: model.model,
    provider: model.provider,
    context: {
      get tokens() {
        return model.contextTokens;
      },
      learn: (tokens) => {
        model = { ...model, contextTokens: tokens };
      },
    },
    tools: { ...tools, specs: parts.turn.session.tools ?? tools.specs },
    settings: toAgentSettings(config, environment, options.overrides?.maxTurns),
    rebuildPrompt: () => {
      files.forgetReads();
      return buildPrompt(parts.runOptions.emit);
    },
    summarize: (prompt, signal) => summarizeWith(model, prompt, signal),
    emit: parts.runOptions.emit,
    sleep,
  });

  return {
    get session() {
      return session;
    },
    get model() {
      return model;
    },
    messages: () => loadMessages(store, session.id),
    async setModel(name, provider) {
      model = await wiring.models.choose(name, provider);
    },
    run,
    async close() {
      await Promise.all([processes.stopAll(), terminal.stopAll()]);
    },
  };
}

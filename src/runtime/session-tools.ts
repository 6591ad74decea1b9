import { userHome } from "../base/paths.ts";
import type { ToolPort } from "../agent/index.ts";
import { type Approvals, createApprovals } from "../guard/index.ts";
import type { Answer, Question } from "../plugin/interaction.ts";
import { allowCommands, listAllowedCommands } from "../store/index.ts";
import {
  coreTools,
  createFileState,
  createLocalTerminal,
  createProcessRegistry,
  createTodoList,
  type FileState,
  type TodoList,
} from "../tools/index.ts";
import { toToolSettings } from "./agent-settings.ts";
import { completeWith } from "./completion.ts";
import { createHost, unavailable } from "./host.ts";
import type { SessionState } from "./session-state.ts";
import { createToolPort, resultFolderOf } from "./tool-port.ts";
import type { Wiring } from "./wiring.ts";

/** The tools of one session with everything that lives between its turns. */
export interface SessionTools {
  port: ToolPort;
  files: FileState;
  todos: TodoList;
  /** ends background commands */
  close(): Promise<void>;
}

export function createSessionTools(state: SessionState, wiring: Wiring): SessionTools {
  const { options, config, store, log } = wiring;
  const processes = createProcessRegistry({ clock: options.clock });
  const terminal = createLocalTerminal();
  const files = createFileState();
  const todos = createTodoList();
  const ask = askThrough(state);
  const approvals = createSessionApprovals(state, wiring, ask);
  const shared = {
    host: createHost({ home: options.home, log, clock: options.clock }),
    ask,
    runAgent: () => Promise.reject(unavailable("delegation")),
    deliver: () => Promise.reject(unavailable("delivery")),
    complete: (_: string, prompt: string, stop: AbortSignal) => completeWith(state.model, prompt, stop),
    backend: () => terminal,
    approvals,
    store,
    clock: options.clock,
    home: options.home,
    settings: toToolSettings(config),
    files,
    processes,
    todos,
    environment: config.environment,
  };
  const port = createToolPort({
    tools: coreTools,
    cwd: () => state.session.cwd,
    resultFolder: resultFolderOf(state.session.id),
    onCall: (name) => files.noteToolCall(name),
    contextFor: ({ id, signal, progress }) => ({
      ...shared,
      signal,
      progress,
      callId: id,
      sessionId: state.session.id,
      cwd: state.session.cwd,
      lineage: state.lineage,
      session: {
        id: state.session.id,
        source: state.session.source,
        setCwd: (path) => {
          state.session = { ...state.session, cwd: path };
          if (state.turn !== undefined) wiring.later(state.turn.setCwd(path));
        },
      },
    }),
  });
  return {
    port,
    files,
    todos,
    async close() {
      await Promise.all([processes.stopAll(), terminal.stopAll()]);
    },
  };
}

type Ask = (question: Question, signal: AbortSignal) => Promise<Answer>;

function askThrough(state: SessionState): Ask {
  return async (question, signal) =>
    state.run === undefined
      ? { type: "unavailable", reason: "no turn is running" }
      : await state.run.interaction.ask(question, signal);
}

/** The allow list is read with the first command. */
function createSessionApprovals(state: SessionState, wiring: Wiring, ask: Ask): Approvals {
  const { options, config, store } = wiring;
  const create = async (): Promise<Approvals> =>
    createApprovals({
      mode: options.overrides?.yolo === true ? "off" : config.values.approvals.mode,
      ask,
      allowed: [...config.values.command_allowlist, ...(await listAllowedCommands(store))],
      persist: (keys) => allowCommands(store, keys, options.clock.now()),
      place: { home: options.home, userHome: userHome(config.environment), cwd: state.session.cwd },
      timeoutMs: config.values.approvals.timeout * 1000,
      assess: (prompt, signal) => completeWith(state.model, prompt, signal),
      onNotice: (text) => state.run?.emit({ type: "notice", level: "warn", kind: "guard", text }),
    });
  let created: Promise<Approvals> | undefined;
  return {
    async authorize(request, signal) {
      created ??= create();
      return await (await created).authorize(request, signal);
    },
  };
}

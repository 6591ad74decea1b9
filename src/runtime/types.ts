import type { Environment } from "../base/env.ts";
import type { Clock } from "../base/time.ts";
import type { AgentInput, TurnResult } from "../agent/index.ts";
import type { LoadedConfig } from "../config/index.ts";
import type { ResolvedModel } from "../models/index.ts";
import type { AgentEvent } from "../plugin/events.ts";
import type { Interaction } from "../plugin/interaction.ts";
import type { Session, StoredMessage } from "../session/index.ts";
import type { Store } from "../store/index.ts";

export interface RuntimeOptions {
  /** absolute path of the hermes home; created when it does not exist */
  home: string;
  environment: Environment;
  clock: Clock;
  /** shown at once by the face: config warnings, a database that was set aside … */
  notice(level: "info" | "warn" | "error", text: string): void;
  /** flags; each wins over the config */
  overrides?: {
    provider?: string | undefined;
    model?: string | undefined;
    maxTurns?: number | undefined;
    /** no approval questions; the hard list stays */
    yolo?: boolean | undefined;
  };
  /** a model that is already there, instead of the configured one */
  injectedModel?: ResolvedModel;
}

export interface SessionRequest {
  /** where the session runs: cli, cron, telegram … */
  source: string;
  /** absolute working directory of a new session */
  cwd: string;
  /** go on with this id, start of an id, or title */
  resume?: string | undefined;
  /** go on with the newest session of the source */
  newest?: boolean | undefined;
}

export interface RunOptions {
  interaction: Interaction;
  emit(event: AgentEvent): void;
  signal: AbortSignal;
}

/** One session in the hands of a face. One turn at a time. */
export interface OpenSession {
  /** the row as it is now; the id changes when the session goes on after a compaction */
  readonly session: Session;
  readonly model: ResolvedModel;
  /** stored messages, oldest first */
  messages(): Promise<StoredMessage[]>;
  /** another model from the next turn on @throws {HermesError} when it cannot be resolved */
  setModel(model: string, provider?: string): Promise<void>;
  /** @throws {StoreError} when a step cannot be stored, E_SESSION_BUSY when another process runs a turn in it */
  run(input: AgentInput, options: RunOptions): Promise<TurnResult>;
  /** ends its background commands */
  close(): Promise<void>;
}

/** Everything wired together; what a face is given. */
export interface Runtime {
  readonly home: string;
  readonly config: LoadedConfig;
  readonly store: Store;
  openSession(request: SessionRequest): Promise<OpenSession>;
  close(): Promise<void>;
}

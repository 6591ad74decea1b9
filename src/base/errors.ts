/** What a {@link HermesError} carries beside its message. */
export interface ErrorOptions {
  /** the next step for the reader, usually a command */
  hint?: string;
  cause?: unknown;
  /** true when the same call may succeed later */
  retryable?: boolean;
  /** 0 done, 1 failed, 2 wrong usage, 78 a restart will not help, 130 cancelled */
  exitCode?: number;
}

const brand = Symbol.for("hermes.error");

/**
 * The only kind of error shown to people as `error: <message>` and `try: <hint>`.
 * @param code stable, documented, tested, like `E_CONFIG_UNKNOWN_KEY`
 */
export class HermesError extends Error {
  readonly code: string;
  readonly hint: string | undefined;
  readonly retryable: boolean;
  readonly exitCode: number;

  constructor(code: string, message: string, options: ErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = new.target.name;
    this.code = code;
    this.hint = options.hint;
    this.retryable = options.retryable ?? false;
    this.exitCode = options.exitCode ?? 1;
    Object.defineProperty(this, brand, { value: true });
  }
}

/** True for every HermesError, also for one made by another loaded copy of this class. */
export function isHermesError(value: unknown): value is HermesError {
  return typeof value === "object" && value !== null && Reflect.get(value, brand) === true;
}

/** A fault in config.yaml or .env. */
export class ConfigError extends HermesError {
  readonly path: string | undefined;
  readonly key: string | undefined;

  constructor(code: string, message: string, options: ErrorOptions & { path?: string; key?: string } = {}) {
    super(code, message, options);
    this.path = options.path;
    this.key = options.key;
  }
}

/** Why a model call failed; decides what the agent loop does next. */
export type ProviderFailure =
  | "auth"
  | "billing"
  | "rate-limit"
  | "overloaded"
  | "server"
  | "timeout"
  | "connection"
  | "context-overflow"
  | "payload-too-large"
  | "model-not-found"
  | "policy"
  | "format"
  | "not-an-api"
  | "unknown";

/** A model provider refused, failed or broke off. */
export class ProviderError extends HermesError {
  readonly failure: ProviderFailure;
  readonly status: number | undefined;
  readonly retryAfterMs: number | undefined;
  /** context length the provider stated in its error, in tokens */
  readonly statedLimit: number | undefined;

  constructor(
    code: string,
    message: string,
    options: ErrorOptions & {
      failure?: ProviderFailure;
      status?: number;
      retryAfterMs?: number;
      statedLimit?: number;
    } = {},
  ) {
    super(code, message, options);
    this.failure = options.failure ?? "unknown";
    this.status = options.status;
    this.retryAfterMs = options.retryAfterMs;
    this.statedLimit = options.statedLimit;
  }
}

/** A tool could not do what it was asked; becomes an answer to the model. */
export class ToolError extends HermesError {}

/** A plugin could not be read, loaded or set up. */
export class PluginError extends HermesError {
  readonly id: string | undefined;

  constructor(code: string, message: string, options: ErrorOptions & { id?: string } = {}) {
    super(code, message, options);
    this.id = options.id;
  }
}

/** The database could not be opened, read or written. */
export class StoreError extends HermesError {}

/** The user or a shutdown stopped what was running. */
export class CancelledError extends HermesError {
  constructor(message = "cancelled", options: ErrorOptions = {}) {
    super("E_CANCELLED", message, { exitCode: 130, ...options });
  }
}

/** The message of anything thrown, without a stack. */
export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

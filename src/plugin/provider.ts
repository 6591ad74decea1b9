import type { z } from "zod";
import type { JsonValue } from "../base/json.ts";
import type { FinishReason, Usage } from "./events.ts";
import type { PluginHost } from "./host.ts";
import type { Message } from "./message.ts";

/** A tool as the model sees it. `parameters` is a JSON Schema object. */
export interface ToolSpec {
  name: string;
  description: string;
  parameters: Record<string, JsonValue>;
}

export interface ReasoningOptions {
  enabled: boolean;
  effort?: "minimal" | "low" | "medium" | "high" | "xhigh";
}

/** One model call, the same for every wire. */
export interface ModelRequest {
  model: string;
  /** the first may be a system message; user contexts are already in the text */
  messages: Message[];
  tools: ToolSpec[];
  maxOutputTokens?: number;
  temperature?: number;
  reasoning?: ReasoningOptions;
}

/**
 * What a model call yields. `tool-call` comes once per call with complete arguments (JSON text as sent, perhaps broken);
 * `reasoning` once at the end with what must be stored; `finish` exactly once, last.
 */
export type ModelEvent =
  | { type: "text-delta"; text: string }
  | { type: "reasoning-delta"; text: string }
  | { type: "tool-call-start"; name: string }
  | { type: "tool-call"; id: string; name: string; arguments: string; extra?: JsonValue }
  | { type: "reasoning"; text: string; opaque?: JsonValue }
  | { type: "usage"; usage: Usage }
  | { type: "finish"; reason: FinishReason; model?: string };

export interface ModelInfo {
  id: string;
  contextTokens?: number;
  maxOutputTokens?: number;
}

/** A provider with its configuration applied. */
export interface ModelClient {
  /** @throws {ProviderError} for everything the server or the network did wrong */
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>;
  /** @throws {ProviderError} */
  listModels?(signal: AbortSignal): Promise<ModelInfo[]>;
  dispose?(): Promise<void>;
}

/** Where a provider differs from the plain wire. */
export interface ProviderQuirks {
  /** which field caps the output; default `max_tokens` */
  outputLimitField?: "max_tokens" | "max_completion_tokens";
  /** how reasoning is asked for; default none */
  reasoning?: "openrouter" | "reasoning_effort";
  /** extra headers for every request */
  headers?: Record<string, string>;
  /** the server refuses `stream_options` */
  noStreamOptions?: boolean;
  /** a server on the user's own network: no stale-stream limit unless set, no key needed */
  local?: boolean;
}

export interface ProviderCredentials {
  /** environment names that may hold the key, first set one wins; also the names `.env` may hold */
  env: string[];
  required: boolean;
}

interface ProviderCommon {
  id: string;
  name: string;
  description: string;
  /** other names a user may write for this provider */
  aliases?: string[];
  credentials: ProviderCredentials;
  /** environment names that override the base URL */
  baseUrlEnv?: string[];
  models?: ModelInfo[];
  defaultModel?: string;
}

/** A provider that is only data for one of the shared wires. */
export interface WireProviderDefinition extends ProviderCommon {
  wire: "chat-completions";
  /** undefined: the user must give one */
  baseUrl?: string;
  quirks?: ProviderQuirks;
}

/** A provider with a wire of its own. */
export interface StreamProviderDefinition<Config extends z.ZodType = z.ZodType> extends ProviderCommon {
  config: Config;
  create(config: z.output<Config>, host: PluginHost): Promise<ModelClient>;
}

export type ProviderDefinition = WireProviderDefinition | StreamProviderDefinition;

/** A declared provider plugin, as `plugin-host` loads it. */
export interface ProviderPlugin {
  kind: "provider";
  apiVersion: number;
  definition: ProviderDefinition;
}

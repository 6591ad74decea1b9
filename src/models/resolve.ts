import type { Environment } from "../base/env.ts";
import { readEnv } from "../base/env.ts";
import { HermesError } from "../base/errors.ts";
import { holdSecret } from "../base/held-secrets.ts";
import type { ModelClient } from "../plugin/provider.ts";
import type { ProviderDefinition } from "../plugin/provider.ts";
import { listProviders, loadProvider } from "../plugin-host/index.ts";
import { defaultContextTokens, familyContextTokens } from "./context-length.ts";
import { isUsableKey, keyFromEnvironment, placeholderRemark } from "./credentials.ts";
import { isLocalUrl } from "./local-address.ts";
import { findLocalServer } from "./local-server.ts";
import { staleLimitMs } from "./stale-guard.ts";
import { createChatCompletionsClient } from "./wire/chat-completions.ts";

/** The `model` block of the config; "" and null mean unset. */
export interface ModelConfig {
  default: string;
  provider: string;
  base_url: string;
  api_key: string;
  context_length: number | null;
}

export interface CustomProvider {
  name: string;
  base_url: string;
  api_key?: string | undefined;
  key_env?: string | undefined;
  model?: string | undefined;
}

export interface ModelQuery {
  /** what a flag or a session asks for; wins over the config */
  provider?: string | undefined;
  model?: string | undefined;
  config: ModelConfig;
  customProviders: CustomProvider[];
  environment: Environment;
  fetch: typeof fetch;
  now(): Date;
}

/** A provider and a model, ready to be called. */
export interface ResolvedModel {
  provider: string;
  providerName: string;
  model: string;
  baseUrl: string;
  hasKey: boolean;
  local: boolean;
  contextTokens: number;
  /** false when the context length is only a guess */
  contextKnown: boolean;
  client: ModelClient;
}

interface Endpoint {
  provider: string;
  providerName: string;
  definition: ProviderDefinition;
  baseUrl: string;
  apiKey: string | undefined;
  model: string | undefined;
}

/**
 * Chooses provider, key, base URL and model: flag, then config, then environment, then a local server.
 * @throws {HermesError} E_PROVIDER_NONE, E_PROVIDER_KEY, E_PROVIDER_URL, E_MODEL_NONE; {PluginError} E_PROVIDER_UNKNOWN
 */
export async function resolveModel(query: ModelQuery): Promise<ResolvedModel> {
  const endpoint = await resolveEndpoint(query);
  const { definition } = endpoint;
  if (!("wire" in definition)) {
    throw new HermesError("E_PROVIDER_WIRE", `provider "${definition.id}" has no wire that this hermes speaks`, {
      hint: "choose another provider with --provider",
    });
  }
  const local = (definition.quirks?.local ?? false) || isLocalUrl(endpoint.baseUrl);
  const stale = Number(readEnv("HERMES_STREAM_STALE_TIMEOUT", query.environment));
  const client = createChatCompletionsClient({
    provider: endpoint.provider,
    baseUrl: endpoint.baseUrl,
    apiKey: endpoint.apiKey,
    quirks: definition.quirks ?? {},
    fetch: query.fetch,
    now: query.now,
    staleMs: (promptTokens) =>
      staleLimitMs({ promptTokens, local, configuredSeconds: Number.isFinite(stale) && stale > 0 ? stale : undefined }),
  });
  const model = await chooseModel(endpoint, query, client, local);
  const configured = query.config.context_length;
  const known =
    (configured !== null && configured > 0 ? configured : undefined) ??
    definition.models?.find((entry) => entry.id === model)?.contextTokens ??
    familyContextTokens(model);
  return {
    provider: endpoint.provider,
    providerName: endpoint.providerName,
    model,
    baseUrl: endpoint.baseUrl,
    hasKey: endpoint.apiKey !== undefined,
    local,
    contextTokens: known ?? defaultContextTokens,
    contextKnown: known !== undefined && !local,
    client,
  };
}

async function resolveEndpoint(query: ModelQuery): Promise<Endpoint> {
  const requested = (
    query.provider ??
    firstSet(query.config.provider) ??
    readEnv("HERMES_INFERENCE_PROVIDER", query.environment) ??
    "auto"
  ).trim();
  const named = findCustomProvider(requested, query);
  if (named !== undefined) return namedEndpoint(named, query);
  const id = requested.toLowerCase() === "auto" ? await chooseProvider(query) : requested;
  return await builtinEndpoint(id, requested, query);
}

function firstSet(value: string): string | undefined {
  return value.trim() === "" || value.trim().toLowerCase() === "auto" ? undefined : value;
}

/** `custom:<name>`, or a bare name of the config's list. */
function findCustomProvider(requested: string, query: ModelQuery): CustomProvider | undefined {
  const wanted = normalName(requested.replace(/^custom:/i, ""));
  const isBuiltin = listProviders().some((provider) => provider.id === requested.toLowerCase());
  if (isBuiltin) return undefined;
  const found = query.customProviders.find((entry) => normalName(entry.name) === wanted);
  if (found === undefined && /^custom:/i.test(requested)) {
    throw new HermesError("E_PROVIDER_UNKNOWN", `custom_providers has no entry named "${requested.slice(7)}"`, {
      hint: "hermes config show custom_providers",
    });
  }
  return found;
}

function normalName(name: string): string {
  return name.trim().toLowerCase().replace(/\s+/g, "-");
}

async function namedEndpoint(entry: CustomProvider, query: ModelQuery): Promise<Endpoint> {
  const configured = entry.api_key?.trim();
  if (isUsableKey(configured)) holdSecret(configured, `custom_providers.${entry.name}.api_key`);
  return {
    provider: `custom:${normalName(entry.name)}`,
    providerName: entry.name,
    definition: await loadProvider("custom"),
    baseUrl: cleanUrl(entry.base_url, `custom_providers.${entry.name}.base_url`),
    apiKey: isUsableKey(configured)
      ? configured
      : keyFromEnvironment(
          [...(entry.key_env === undefined ? [] : [entry.key_env]), "OPENAI_API_KEY"],
          query.environment,
        ),
    model: query.model ?? entry.model ?? (query.config.default === "" ? undefined : query.config.default),
  };
}

/** Without any choice: a configured or exported URL, then a key in the environment, then a local server. */
async function chooseProvider(query: ModelQuery): Promise<string> {
  if (query.config.base_url !== "" || readEnv("OPENAI_BASE_URL", query.environment) !== undefined) return "custom";
  if (keyFromEnvironment(["OPENROUTER_API_KEY"], query.environment) !== undefined) return "openrouter";
  if (keyFromEnvironment(["OPENAI_API_KEY"], query.environment) !== undefined) return "openai";
  const local = await findLocalServer(query);
  if (local !== undefined) return local;
  const remark = placeholderRemark(["OPENROUTER_API_KEY", "OPENAI_API_KEY"], query.environment);
  throw new HermesError(
    "E_PROVIDER_NONE",
    `no model provider is configured${remark} and no local model server answers`,
    {
      hint: "hermes config set OPENROUTER_API_KEY sk-…, or set OPENAI_BASE_URL and OPENAI_API_KEY and choose a model with -m; hermes demo needs none of it",
    },
  );
}

async function builtinEndpoint(id: string, requested: string, query: ModelQuery): Promise<Endpoint> {
  const definition = await loadProvider(id);
  const sameAsConfig =
    requested.toLowerCase() === "auto" || normalName(query.config.provider) === normalName(requested);
  const base = baseUrlOf(definition, sameAsConfig, query);
  const configuredModel = sameAsConfig && query.config.default !== "" ? query.config.default : undefined;
  return {
    provider: definition.id,
    providerName: definition.name,
    definition,
    baseUrl: cleanUrl(base, "the base URL"),
    apiKey: apiKeyOf(definition, { base, configured: sameAsConfig ? query.config.api_key.trim() : "" }, query),
    model:
      query.model ?? configuredModel ?? readEnv("HERMES_INFERENCE_MODEL", query.environment) ?? definition.defaultModel,
  };
}

function baseUrlOf(definition: ProviderDefinition, sameAsConfig: boolean, query: ModelQuery): string {
  const fromConfig = sameAsConfig && query.config.base_url !== "" ? query.config.base_url : undefined;
  const base =
    fromConfig ??
    definition.baseUrlEnv?.map((name) => readEnv(name, query.environment)).find((value) => value !== undefined) ??
    ("wire" in definition ? definition.baseUrl : undefined);
  if (base !== undefined) return base;
  throw new HermesError("E_PROVIDER_URL", `provider "${definition.id}" needs a base URL`, {
    hint: "hermes config set model.base_url http://127.0.0.1:8000/v1, or set OPENAI_BASE_URL",
  });
}

/** The configured key, else one from the environment. A server on the own network may need none. */
function apiKeyOf(
  definition: ProviderDefinition,
  given: { base: string; configured: string },
  query: ModelQuery,
): string | undefined {
  if (isUsableKey(given.configured)) {
    holdSecret(given.configured, "model.api_key");
    return given.configured;
  }
  const key = keyFromEnvironment(definition.credentials.env, query.environment);
  if (key !== undefined || !definition.credentials.required || isLocalUrl(given.base)) return key;
  const name = definition.credentials.env[0] ?? "the API key";
  const remark = placeholderRemark(definition.credentials.env, query.environment);
  throw new HermesError("E_PROVIDER_KEY", `${definition.name} needs an API key${remark}`, {
    hint: `hermes config set ${name} KEY`,
  });
}

function parseHttpUrl(text: string): URL | undefined {
  const parsed = URL.canParse(text.trim()) ? new URL(text.trim()) : undefined;
  return parsed !== undefined && /^https?:$/.test(parsed.protocol) ? parsed : undefined;
}

/** What is wrong with the settings of the model, before anything is sent. */
export function findModelProblems(query: {
  config: ModelConfig;
  customProviders: CustomProvider[];
}): { key: string; text: string }[] {
  const { provider, base_url: url } = query.config;
  const wanted = provider.trim().toLowerCase();
  const names = [...listProviders().map(({ id }) => id), ...query.customProviders.map(({ name }) => normalName(name))];
  const isKnown = ["", "auto", ...names].includes(normalName(wanted.replace(/^custom:/, "")));
  const urls = [
    ["model.base_url", url],
    ...query.customProviders.map(({ name, base_url: own }) => [`custom_providers ${name}: base_url`, own]),
  ] as [string, string][];
  return [
    ...(isKnown
      ? []
      : [{ key: "model.provider", text: `there is no provider "${provider}"; there are ${names.join(", ")}` }]),
    ...urls
      .filter(([, text]) => text.trim() !== "" && !text.includes("${") && parseHttpUrl(text) === undefined)
      .map(([key, text]) => ({ key, text: `"${text}" is not an http or https URL` })),
  ];
}

function cleanUrl(text: string, what: string): string {
  const trimmed = text.trim().replace(/\/+$/, "");
  const parsed = parseHttpUrl(trimmed);
  if (parsed === undefined) {
    throw new HermesError("E_PROVIDER_URL", `${what}: "${text}" is not an http or https URL`, {
      hint: "write it like http://127.0.0.1:8000/v1",
    });
  }
  if (parsed.username !== "" || parsed.password !== "") holdSecret(parsed.password, "base URL password");
  return trimmed;
}

/** A server that offers exactly one model needs no choice. */
async function chooseModel(
  endpoint: Endpoint,
  query: ModelQuery,
  client: ModelClient,
  local: boolean,
): Promise<string> {
  if (endpoint.model !== undefined && endpoint.model.trim() !== "") return endpoint.model.trim();
  const offered = local ? ((await client.listModels?.(AbortSignal.timeout(3000))) ?? []) : [];
  const only = offered.length === 1 ? offered[0] : undefined;
  if (only !== undefined) return only.id;
  const names = offered.slice(0, 8).map((entry) => entry.id);
  throw new HermesError("E_MODEL_NONE", `no model is chosen for ${endpoint.providerName}`, {
    hint:
      names.length === 0
        ? "choose one with -m MODEL, or hermes config set model.default MODEL"
        : `choose one with -m, like -m ${names[0]}; offered: ${names.join(", ")}`,
  });
}

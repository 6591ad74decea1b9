import { z } from "zod";
import { choice, custom, integer, map, number, optionalInteger, records, text, texts, boolean } from "../leaf.ts";

const customProvider = () =>
  z.looseObject({
    name: z.string().min(1),
    base_url: z.string().min(1),
    api_key: z.string().optional(),
    key_env: z.string().optional(),
    model: z.string().optional(),
    api_mode: z.string().optional(),
  });

const fallback = () =>
  z.looseObject({
    provider: z.string().min(1),
    model: z.string().min(1),
    base_url: z.string().optional(),
    api_key_env: z.string().optional(),
  });

/** Models, providers, and the loop that uses them. */
export const modelKeys = {
  model: {
    default: text("", "model id, as the provider names it"),
    provider: text("", 'provider id; empty or "auto" chooses by keys and local servers'),
    base_url: text("", "base URL of the provider's API"),
    api_key: text("", "key; better kept in .env", { secret: true }),
    api_mode: choice("", ["", "chat_completions", "codex_responses", "anthropic_messages"], "protocol of the API"),
    context_length: optionalInteger("context window in tokens, when the provider does not tell"),
    max_tokens: optionalInteger("output tokens at most per call"),
  },
  custom_providers: records(customProvider, "own providers: name, base_url, api_key or key_env, model"),
  providers: map("own providers by name"),
  fallback_model: map("provider and model used when the first one fails"),
  fallback_providers: records(fallback, "ordered fallbacks: provider, model, base_url, api_key_env"),
  credential_pool_strategies: map("provider: fill_first, round_robin, random or least_used"),
  provider_routing: map("OpenRouter routing: sort, only, ignore, order, require_parameters, data_collection"),
  smart_model_routing: {
    enabled: boolean(false, "use a cheap model for short turns"),
    max_simple_chars: integer(160, "characters of a short turn at most"),
    max_simple_words: integer(28, "words of a short turn at most"),
    cheap_model: map("provider and model for short turns"),
  },
  agent: {
    max_turns: integer(90, "model calls at most in one turn", { min: 1, env: "HERMES_MAX_ITERATIONS" }),
    api_max_retries: integer(3, "attempts of one model call", { min: 1, max: 20 }),
    reasoning_effort: choice(
      "",
      ["", "none", "minimal", "low", "medium", "high", "xhigh"],
      "how long the model thinks; empty leaves it to the provider",
    ),
    tool_use_enforcement: custom<boolean | string | string[]>(
      "auto",
      () => z.union([z.boolean(), z.string(), z.array(z.string())]),
      "auto, true, false, or a list of parts of model names",
      (raw) => (raw === "true" || raw === "false" ? raw === "true" : raw),
    ),
    system_prompt: text("", "text added to every system prompt"),
    personalities: map("named personalities"),
    verbose: boolean(false, "more output of tools"),
    prefill_messages_file: text("", "JSON file with messages sent before each conversation"),
    gateway_timeout: integer(1800, "seconds that a gateway turn may be idle"),
    clarify_timeout: integer(600, "seconds that a question waits for its answer"),
    image_input_mode: choice("auto", ["auto", "native", "text"], "how images reach the model"),
    disabled_toolsets: texts([], "toolsets that are off everywhere"),
  },
  prefill_messages_file: text("", "older place of agent.prefill_messages_file"),
  compression: {
    enabled: boolean(true, "summarize the middle of a session that nears its context window"),
    threshold: number(0.5, "share of the context window at which it happens", { min: 0.05, max: 1 }),
    target_ratio: number(0.2, "share of the threshold that the kept tail may fill", { min: 0.1, max: 0.8 }),
    protect_first_n: integer(3, "first messages that are kept"),
    protect_last_n: integer(20, "last messages that are kept"),
    summary_model: text("", "older place of auxiliary.compression.model"),
    summary_provider: text("auto", "older place of auxiliary.compression.provider"),
    summary_base_url: text("", "older place of auxiliary.compression.base_url"),
  },
  prompt_caching: { cache_ttl: choice("5m", ["5m", "1h"], "life of the provider's prompt cache") },
  auxiliary: {
    vision: {
      ...auxiliaryTask(30),
      download_timeout: integer(30, "seconds to fetch an image", { min: 1 }),
    },
    web_extract: auxiliaryTask(30),
    compression: auxiliaryTask(120),
    session_search: auxiliaryTask(30),
    skills_hub: auxiliaryTask(30),
    approval: auxiliaryTask(30),
    mcp: auxiliaryTask(30),
    flush_memories: auxiliaryTask(30),
    title_generation: auxiliaryTask(30),
  },
};

function auxiliaryTask(timeoutSeconds: number) {
  return {
    provider: text("auto", "provider of this side task"),
    model: text("", "model of this side task"),
    base_url: text("", "base URL of this side task"),
    api_key: text("", "key of this side task", { secret: true }),
    timeout: integer(timeoutSeconds, "seconds", { min: 1 }),
  };
}

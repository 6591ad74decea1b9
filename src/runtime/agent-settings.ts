import { readEnv } from "../base/env.ts";
import type { AgentSettings } from "../agent/index.ts";
import type { LoadedConfig } from "../config/index.ts";
import type { ReasoningOptions } from "../plugin/provider.ts";
import type { ToolSettings } from "../tools/index.ts";

const efforts = ["minimal", "low", "medium", "high", "xhigh"] as const;

/** `agent.reasoning_effort` as options; undefined leaves it to the provider. */
export function toReasoning(effort: string): ReasoningOptions | undefined {
  const word = effort.trim().toLowerCase();
  if (word === "none") return { enabled: false };
  const known = efforts.find((entry) => entry === word);
  return known === undefined ? undefined : { enabled: true, effort: known };
}

/** What the loop needs from the config; a flag wins over it. */
export function toAgentSettings(config: LoadedConfig, maxTurns: number | undefined): AgentSettings {
  const { values } = config;
  const retryBase = Number(readEnv("HERMES_RETRY_BASE_MS", config.environment));
  return {
    maxIterations: maxTurns ?? values.agent.max_turns,
    maxAttempts: values.agent.api_max_retries,
    retryBaseMs: Number.isFinite(retryBase) && retryBase > 0 ? retryBase : 2000,
    maxOutputTokens: values.model.max_tokens ?? undefined,
    reasoning: toReasoning(values.agent.reasoning_effort),
    compaction: {
      enabled: values.compression.enabled,
      threshold: values.compression.threshold,
      targetRatio: values.compression.target_ratio,
      protectFirst: values.compression.protect_first_n,
      protectLast: values.compression.protect_last_n,
    },
  };
}

export function toToolSettings(config: LoadedConfig): ToolSettings {
  const { values } = config;
  return {
    terminal: { timeoutMs: values.terminal.timeout * 1000, environmentPassthrough: values.terminal.env_passthrough },
    output: {
      maxChars: values.tool_output.max_bytes,
      maxLines: values.tool_output.max_lines,
      maxLineLength: values.tool_output.max_line_length,
    },
    fileReadMaxChars: values.file_read_max_chars,
  };
}

import { readEnv } from "../base/env.ts";
import { homePaths } from "../base/paths.ts";
import { buildSystemPrompt } from "../prompt/index.ts";
import type { SessionState } from "./session-state.ts";
import type { Wiring } from "./wiring.ts";

/** A fresh system prompt for a session; what could not be used is told to its face. */
export function buildSessionPrompt(state: SessionState, wiring: Wiring, toolNames: string[]): string {
  const { options, config } = wiring;
  const { agent, timezone } = config.values;
  const prompt = buildSystemPrompt({
    soulPath: homePaths(options.home).soul,
    toolNames,
    cwd: state.session.cwd,
    model: state.model.model,
    provider: state.model.provider,
    source: state.session.source,
    startedAt: options.clock.now(),
    timezone: timezone === "" ? undefined : timezone,
    callerPrompt: readEnv("HERMES_EPHEMERAL_SYSTEM_PROMPT", config.environment) ?? agent.system_prompt,
    enforcement: agent.tool_use_enforcement,
    contextFiles: true,
  });
  for (const text of prompt.warnings) state.run?.emit({ type: "notice", level: "warn", kind: "config", text });
  return prompt.text;
}

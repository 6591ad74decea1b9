/** The system prompt: identity, guidance, project context. Built once per session. */
export { buildSystemPrompt } from "./system-prompt.ts";
export type { PromptParts, SystemPrompt } from "./system-prompt.ts";

/** The agent loop: one turn from a user's message to its end. Emits events, prints nothing. */
export { runTurn } from "./loop.ts";
export type {
  AgentDeps,
  AgentInput,
  AgentSettings,
  CompactionSettings,
  ParsedCall,
  ToolPort,
  TurnResult,
} from "./types.ts";

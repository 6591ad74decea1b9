/** The agent loop: one turn from a user's message to its end. Emits events, prints nothing. */
export { runTurn, toReport } from "./loop.ts";
export { lostResultText } from "./sequence-repair.ts";
export type {
  AgentDeps,
  AgentInput,
  AgentSettings,
  CompactionSettings,
  ParsedCall,
  ToolPort,
  TurnResult,
} from "./types.ts";

/** The core tools of the agent, and what decides how they are called. */
export { concurrencyOf, maxParallelCalls, planBatch, type PlannedCall } from "./batch-plan.ts";
export { coerceArguments } from "./coercion.ts";
export {
  type AgentRunRequest,
  type AgentRunResult,
  type CoreTool,
  type CoreToolContext,
  defineCoreTool,
  type ToolSettings,
} from "./context.ts";
export { coreTools } from "./core-tools.ts";
export { createFileState, type FileState } from "./file-state.ts";
export { createLocalTerminal, type LocalTerminal } from "./local-terminal.ts";
export { createProcessRegistry, type ProcessRegistry } from "./process-registry.ts";
export { createToolRegistry, parseArguments, type ParsedArguments, type ToolRegistry } from "./registry.ts";
export { budgetBatch, budgetResult, maxBatchChars } from "./result-budget.ts";
export type { BackgroundCommand, CommandOptions, CommandResult, TerminalBackend } from "./terminal-backend.ts";
export { createTodoList, hydrateTodos, type TodoItem, type TodoList } from "./todo-list.ts";
export { resultText } from "./result-text.ts";
export { repairToolName } from "./tool-name.ts";

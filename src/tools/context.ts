import type { Environment } from "../base/env.ts";
import type { Clock } from "../base/time.ts";
import type { Approvals } from "../guard/index.ts";
import type { AgentEvent } from "../plugin/events.ts";
import type { Answer, Question } from "../plugin/interaction.ts";
import type { ToolContext, ToolDefinition } from "../plugin/tool.ts";
import type { Store } from "../store/index.ts";
import type { FileState } from "./file-state.ts";
import type { ProcessRegistry } from "./process-registry.ts";
import type { TerminalBackend } from "./terminal-backend.ts";
import type { TodoList } from "./todo-list.ts";
import type { z } from "zod";

/** Limits and switches of the tools, from config.yaml. Lengths in UTF-16 units, times in milliseconds. */
export interface ToolSettings {
  terminal: {
    timeoutMs: number;
    /** extra environment names that commands may see */
    environmentPassthrough: string[];
  };
  output: { maxChars: number; maxLines: number; maxLineLength: number };
  fileReadMaxChars: number;
}

export interface AgentRunRequest {
  goal: string;
  toolsets: string[];
  maxIterations: number;
}

export interface AgentRunResult {
  text: string;
  sessionId: string;
  events: AgentEvent[];
}

/** Everything a core tool may use; made anew for each call by `runtime`. */
export interface CoreToolContext extends ToolContext {
  session: {
    id: string;
    source: string;
    /** moves the working directory of the session; absolute */
    setCwd(path: string): void;
  };
  /** ids of this session and the ones it continues, newest first */
  lineage: string[];
  ask(question: Question, signal: AbortSignal): Promise<Answer>;
  runAgent(request: AgentRunRequest, signal: AbortSignal): Promise<AgentRunResult>;
  /** sends a text to a target outside this session */
  deliver(target: string, text: string, signal: AbortSignal): Promise<void>;
  /** one completion by the model of an auxiliary slot */
  complete(slot: string, prompt: string, signal: AbortSignal): Promise<string>;
  /** the backend where commands run and files live */
  backend(kind: "terminal"): TerminalBackend;
  approvals: Approvals;
  store: Store;
  clock: Clock;
  /** absolute path of the hermes home */
  home: string;
  settings: ToolSettings;
  /** what this session has read and written, kept between calls */
  files: FileState;
  processes: ProcessRegistry;
  /** the plan of this session */
  todos: TodoList;
  /** what commands inherit, after the guard's filter */
  environment: Environment;
}

export type CoreTool = ToolDefinition<z.ZodObject, CoreToolContext>;

/** Declares a core tool, with the types of its arguments. */
export function defineCoreTool<Parameters extends z.ZodObject>(
  definition: ToolDefinition<Parameters, CoreToolContext>,
): CoreTool {
  // arguments are parsed with `parameters` before `execute` is called, so the wider type is safe
  return definition;
}

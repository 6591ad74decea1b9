/** The plugin SDK: everything a plugin may import from hermes. */
export { z } from "zod";
export { HermesError, isHermesError, PluginError, ProviderError, ToolError } from "../base/errors.ts";
export { apiVersion, defineProvider, defineTool } from "./define.ts";
export type { AgentEvent, FinishReason, Usage } from "./events.ts";
export type { PluginHost } from "./host.ts";
export type { Answer, Interaction, Question } from "./interaction.ts";
export type { Message, Part } from "./message.ts";
export type {
  ModelClient,
  ModelEvent,
  ModelInfo,
  ModelRequest,
  ProviderPlugin,
  ProviderQuirks,
  ToolSpec,
} from "./provider.ts";
export type { ToolContext, ToolOutput, ToolPlugin } from "./tool.ts";

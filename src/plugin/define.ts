import type { z } from "zod";
import type { ProviderDefinition, ProviderPlugin } from "./provider.ts";
import type { ToolDefinition, ToolPlugin } from "./tool.ts";

/** The version of the contracts in this folder. 0 until the gateway and all backends stand on them. */
export const apiVersion = 0;

/** Declares a model provider. Does nothing else: no work at import. */
export function defineProvider(definition: ProviderDefinition): ProviderPlugin {
  return { kind: "provider", apiVersion, definition };
}

/** Declares a tool for the model. Does nothing else: no work at import. */
export function defineTool<Parameters extends z.ZodObject>(definition: ToolDefinition<Parameters>): ToolPlugin {
  // the registry parses the arguments with `parameters` before it calls `execute`, so the wider type is safe
  return { kind: "tool", apiVersion, definition };
}

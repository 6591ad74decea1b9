import { HermesError } from "../base/errors.ts";
import type { ToolSpec } from "../plugin/provider.ts";
import { z } from "zod";
import { coerceArguments } from "./coercion.ts";
import type { CoreTool } from "./context.ts";
import { sanitizeParameters } from "./schema-sanitizer.ts";

/** The tools of one session. */
export interface ToolRegistry {
  /** names in alphabetical order */
  names: string[];
  find(name: string): CoreTool | undefined;
  /** what the model is told: available tools by name; the same bytes each time. `enabled` undefined means all */
  specs(enabled?: string[]): ToolSpec[];
}

/** JSON Schemas take a while to make, and a tool never changes. */
const knownSpecs = new WeakMap<CoreTool, ToolSpec>();

export type ParsedArguments = { ok: true; value: Record<string, unknown> } | { ok: false; error: string; hint: string };

/**
 * @throws {HermesError} E_TOOL_DUPLICATE when two tools have the same name
 */
export function createToolRegistry(tools: CoreTool[]): ToolRegistry {
  const byName = new Map<string, CoreTool>();
  for (const tool of tools) {
    if (byName.has(tool.name)) {
      throw new HermesError("E_TOOL_DUPLICATE", `two tools are named "${tool.name}"`, { hint: "rename one of them" });
    }
    byName.set(tool.name, tool);
  }
  const names = [...byName.keys()].sort();
  const specOf = (tool: CoreTool): ToolSpec => {
    const known = knownSpecs.get(tool);
    if (known !== undefined) return known;
    const made = {
      name: tool.name,
      description: tool.description,
      parameters: sanitizeParameters(z.toJSONSchema(tool.parameters, { io: "input" })),
    };
    knownSpecs.set(tool, made);
    return made;
  };
  return {
    names,
    find: (name) => byName.get(name),
    specs: (enabled) =>
      names
        .filter((name) => enabled === undefined || enabled.includes(name))
        .map((name) => byName.get(name))
        .filter((tool) => tool !== undefined)
        .filter(isAvailable)
        .map(specOf),
  };
}

/** Coerces and checks the arguments of a call; the error names every wrong argument and the valid names. */
export function parseArguments(tool: CoreTool, args: Record<string, unknown>): ParsedArguments {
  const schema = z.toJSONSchema(tool.parameters, { io: "input" });
  const parsed = tool.parameters.safeParse(coerceArguments(args, schema));
  if (parsed.success) return { ok: true, value: parsed.data };
  const faults = parsed.error.issues.map((issue) => `${issue.path.join(".") || "arguments"}: ${issue.message}`);
  return {
    ok: false,
    error: `Invalid arguments for ${tool.name}: ${faults.join("; ")}`,
    hint: `parameters are ${Object.keys(tool.parameters.shape).join(", ")}; call again with corrected arguments`,
  };
}

function isAvailable(tool: CoreTool): boolean {
  try {
    return tool.isAvailable?.() ?? true;
  } catch {
    // a check that throws means "not available"; the other tools go on
    return false;
  }
}

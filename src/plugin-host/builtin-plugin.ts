import type { ProviderPlugin } from "../plugin/index.ts";
import type { ToolPlugin } from "../plugin/index.ts";

/** One row of the generated table: readable without running the plugin. */
export interface BuiltinPlugin {
  kind: "provider" | "tool";
  id: string;
  aliases: string[];
  name: string;
  description: string;
  load(): Promise<{ default: ProviderPlugin | ToolPlugin }>;
}

import type { Environment } from "../base/env.ts";
import { isRecord } from "../base/json.ts";

/** Replaces `${NAME}` in every text value. Keys, unset names and `$NAME` stay as they are. */
export function expandVariables(value: unknown, environment: Environment): unknown {
  if (typeof value === "string") {
    return value.replace(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g, (whole, name: string) => environment[name] ?? whole);
  }
  if (Array.isArray(value)) return value.map((item) => expandVariables(item, environment));
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, expandVariables(item, environment)]));
}

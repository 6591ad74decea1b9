import { holdSecret } from "../base/held-secrets.ts";
import { readEnv, type Environment } from "../base/env.ts";

const dummies = new Set([
  "*",
  "**",
  "***",
  "changeme",
  "your_api_key",
  "your-api-key",
  "placeholder",
  "example",
  "dummy",
  "null",
  "none",
]);

/** True for a key that may be real: four characters or more and none of the usual fillers. */
export function isUsableKey(key: string | undefined): key is string {
  if (key === undefined) return false;
  const value = key.trim();
  return value.length >= 4 && !dummies.has(value.toLowerCase());
}

/** The first usable key of these variables; held for redaction from then on. */
export function keyFromEnvironment(names: string[], environment: Environment): string | undefined {
  for (const name of names) {
    const value = readEnv(name, environment)?.trim();
    if (!isUsableKey(value)) continue;
    holdSecret(value, name);
    return value;
  }
  return undefined;
}

/** ` (OPENAI_API_KEY holds only a placeholder)`, or "" when none of the variables is filled in that way. */
export function placeholderRemark(names: string[], environment: Environment): string {
  const found = names.find((name) => readEnv(name, environment) !== undefined);
  return found === undefined || isUsableKey(readEnv(found, environment)) ? "" : ` (${found} holds only a placeholder)`;
}

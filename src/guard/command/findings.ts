import type { CommandVerdict, Finding, Verdict } from "../types.ts";

/** keys under which a command can be approved only each time anew: they say nothing about what it does */
const passing = new Set([
  "unparsed command",
  "command too long",
  "control characters",
  "invisible characters",
  "command word is an expansion",
  "nested too deep",
]);

/** True when an approval under this key may be remembered for later commands. */
export function isRememberable(key: string): boolean {
  return !passing.has(key) && !key.startsWith("hardline: ");
}

/** Collects reasons; the verdict is the strictest of them. */
export interface Findings {
  ask(key: string, description: string): void;
  refuse(key: string, description: string): void;
  result(): CommandVerdict;
}

export function createFindings(): Findings {
  const found = new Map<string, Finding>();
  let verdict: Verdict = "safe";
  const add = (key: string, description: string): void => {
    if (!found.has(key))
      found.set(key, { key, description: description.replace(/\s+/g, " ").slice(0, 200).toWellFormed() });
  };
  return {
    ask(key, description) {
      add(key, description);
      if (verdict === "safe") verdict = "ask";
    },
    refuse(key, description) {
      add(`hardline: ${key}`, description);
      verdict = "refuse";
    },
    result: () => ({ verdict, findings: [...found.values()] }),
  };
}

import { isEnvOn } from "../base/env.ts";
import { isHermesError } from "../base/errors.ts";
import { stripControls } from "../base/text.ts";

/** What a person reads of an error, and the exit code. Stack and causes only with HERMES_DEBUG=1. */
export function renderError(error: unknown, redact: (text: string) => string): { text: string; exitCode: number } {
  const known = isHermesError(error);
  const message = error instanceof Error ? error.message : String(error);
  const lines = [`error: ${cutLongWords(message)}`];
  if (known && error.hint !== undefined) lines.push(`  try: ${cutLongWords(error.hint)}`);
  if (!known) lines.push("  try: HERMES_DEBUG=1 shows where it happened; hermes doctor checks the installation");
  if (isEnvOn("HERMES_DEBUG")) lines.push(...details(error));
  return { text: stripControls(redact(lines.join("\n"))), exitCode: known ? error.exitCode : 1 };
}

const longestWord = 200;

/** A name or a path of thousands of characters would hide what the error says. */
export function cutLongWords(text: string): string {
  return text.replace(/\S{201,}/g, (word) => `${word.slice(0, longestWord)}… (${word.length} characters)`);
}

function details(error: unknown): string[] {
  const lines: string[] = [];
  for (let current: unknown = error; current instanceof Error; current = current.cause) {
    lines.push(current.stack ?? current.message);
  }
  return lines;
}

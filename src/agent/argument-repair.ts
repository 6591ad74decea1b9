import { isRecord, parseJson } from "../base/json.ts";

export type ParsedArguments = { ok: true; value: Record<string, unknown> } | { ok: false; error: string };

/**
 * Reads the arguments of a call. Blank is `{}`; fences, double encoding, trailing commas and raw line breaks
 * in strings are mended. Truncated text is never completed: half a command must not run.
 */
export function parseArguments(text: string): ParsedArguments {
  const trimmed = text.trim();
  if (trimmed === "" || trimmed === "null") return { ok: true, value: {} };
  for (const candidate of [trimmed, unfence(trimmed), mend(unfence(trimmed))]) {
    const value = parseJson(candidate);
    if (isRecord(value)) return { ok: true, value };
    const inner = typeof value === "string" ? parseJson(value) : undefined;
    if (isRecord(inner)) return { ok: true, value: inner };
  }
  return { ok: false, error: reasonOf(trimmed) };
}

function reasonOf(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    return `the arguments must be a JSON object, not ${Array.isArray(value) ? "an array" : `a ${typeof value}`}`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** The same JSON text with U+FFFD for every half of a surrogate pair: no server can encode one. */
export function replaceLoneSurrogates(text: string, value: Record<string, unknown>): string {
  if (!/\\ud[89a-f]/i.test(text)) return text;
  // whole pairs are written as characters, so that only halves are left as escapes
  const written = JSON.stringify(value);
  const mended = written.replace(/\\(?:u(d[89a-f][0-9a-f]{2})|.)/g, (escape, half: string | undefined) =>
    half === undefined ? escape : "\uFFFD",
  );
  return mended === written ? text : mended;
}

/** True when the text ends before its object does. */
export function isTruncated(text: string): boolean {
  const trimmed = text.trim();
  return trimmed !== "" && !trimmed.endsWith("}") && !trimmed.endsWith("]");
}

function unfence(text: string): string {
  const match = /^```(?:json)?\s*\n?([\s\S]*?)\n?```$/.exec(text);
  return match?.[1]?.trim() ?? text;
}

/** Walks outside and inside of strings: escapes raw controls inside, drops commas before a closing bracket outside. */
function mend(text: string): string {
  let output = "";
  let inString = false;
  for (let index = 0; index < text.length; index += 1) {
    const char = text.charAt(index);
    if (inString) {
      if (char === "\\") {
        output += char + text.charAt(index + 1);
        index += 1;
        continue;
      }
      if (char === '"') inString = false;
      output += char < " " ? escapeControl(char) : char;
      continue;
    }
    if (char === '"') inString = true;
    if (char === "," && /^\s*[}\]]/.test(text.slice(index + 1))) continue;
    output += char;
  }
  return output;
}

function escapeControl(char: string): string {
  return JSON.stringify(char).slice(1, -1);
}

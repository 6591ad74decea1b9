import type { TextEdit } from "../text-file.ts";
import { toLineText } from "./line-text.ts";
import { type Strategy, strategies } from "./strategies.ts";

export interface ReplacementRequest {
  oldText: string;
  newText: string;
  replaceAll: boolean;
}

export type Replacement =
  | { ok: true; edits: TextEdit[]; strategy: string }
  | { ok: false; reason: "empty" | "identical" | "ambiguous" | "missing" | "escape-drift"; error: string };

/**
 * Where and how a text is replaced: the first strategy that finds it decides.
 * @param content with `\n` as the only line ending
 */
export function planReplacement(content: string, request: ReplacementRequest): Replacement {
  const { newText, replaceAll } = request;
  const oldText = request.oldText.replaceAll("\r\n", "\n");
  if (oldText === "") return { ok: false, reason: "empty", error: "the text to replace is empty" };
  if (oldText === newText.replaceAll("\r\n", "\n")) {
    return { ok: false, reason: "identical", error: "the old and the new text are identical" };
  }
  const lines = toLineText(content);
  for (const strategy of strategies) {
    const spans = strategy.find(lines, oldText);
    if (spans.length === 0) continue;
    if (spans.length > 1 && !replaceAll) {
      const error = `Found ${spans.length} matches of the text to replace; add lines around it so that only one is left`;
      return { ok: false, reason: "ambiguous", error };
    }
    const edits = spans.map((found) => {
      const matched = content.slice(found.start, found.end);
      const replacement = adapt(newText.replaceAll("\r\n", "\n"), { oldText, matched, strategy });
      return strategy.isLineBased
        ? withNewline({ ...found, replacement }, content, oldText)
        : { ...found, replacement };
    });
    if (strategy.name !== "exact" && hasEscapeDrift(request, content, edits)) {
      const error = "the texts hold backslashes before quotes that the file does not have";
      return { ok: false, reason: "escape-drift", error };
    }
    return { ok: true, edits, strategy: strategy.name };
  }
  return { ok: false, reason: "missing", error: "the text to replace was not found" };
}

interface Match {
  oldText: string;
  matched: string;
  strategy: Strategy;
}

/** The new text in the manner of what it replaces. */
function adapt(newText: string, match: Match): string {
  if (match.strategy.name === "exact") return newText;
  const unescaped = match.strategy.name === "escape_normalized" ? unescape(newText, match.matched) : newText;
  if (!match.strategy.isLineBased) return realTabs(unescaped, match.matched);
  return realTabs(reindent(unescaped, match), match.matched);
}

/** A line match leaves out the newline behind it; it belongs to the match when the old text ends with one. */
function withNewline(edit: TextEdit, content: string, oldText: string): TextEdit {
  if (!oldText.endsWith("\n")) return edit;
  if (content.charAt(edit.end) === "\n") return { ...edit, end: edit.end + 1 };
  return { ...edit, replacement: edit.replacement.replace(/\n$/, "") };
}

/** Escapes become real where the text they replace has the real character. */
function unescape(text: string, matched: string): string {
  return matched.includes("\n") ? text.replaceAll("\\n", "\n") : text;
}

function realTabs(text: string, matched: string): string {
  let result = text;
  if (matched.includes("\t") && !matched.includes("\\t")) result = result.replaceAll("\\t", "\t");
  if (matched.includes("\r") && !matched.includes("\\r")) result = result.replaceAll("\\r", "\r");
  return result;
}

/** Moves every line by the difference between the indentation found and the one asked for. */
function reindent(text: string, match: Match): string {
  const found = indentOf(firstLine(match.matched));
  const asked = indentOf(firstLine(match.oldText));
  if (found === asked) return text;
  return text
    .split("\n")
    .map((line) => {
      if (line.trim() === "") return line;
      if (line.startsWith(asked)) return found + line.slice(asked.length);
      // less indented than the first line: as far out as the file's own first line allows
      const missing = asked.length - indentOf(line).length;
      return found.slice(0, Math.max(0, found.length - missing)) + line.trimStart();
    })
    .join("\n");
}

function firstLine(text: string): string {
  return text.split("\n").find((line) => line.trim() !== "") ?? "";
}

function indentOf(line: string): string {
  return /^[ \t]*/.exec(line)?.[0] ?? "";
}

/** Quotes that were escaped on their way here, while the file has them plain. */
function hasEscapeDrift(request: ReplacementRequest, content: string, edits: TextEdit[]): boolean {
  return ["\\'", '\\"'].some(
    (escaped) =>
      request.oldText.includes(escaped) &&
      request.newText.includes(escaped) &&
      edits.some((edit) => !content.slice(edit.start, edit.end).includes(escaped)),
  );
}

import { ToolError } from "../../base/errors.ts";
import { findLineRuns, type LineText, toLineText } from "../fuzzy/line-text.ts";
import { planReplacement } from "../fuzzy/replacement.ts";
import { similarSnippets } from "../fuzzy/similar-snippets.ts";
import type { TextEdit } from "../text-file.ts";
import type { Hunk } from "./parse.ts";

const beforeHintChars = 500;
const afterHintChars = 2000;

/**
 * Where the hunks of one file go, all found in the text as it is now.
 * @param path for messages
 * @throws {ToolError} E_PATCH_HUNK when a hunk is not found, found twice, changes nothing or overlaps another
 */
export function planHunks(path: string, text: string, hunks: Hunk[]): TextEdit[] {
  const content = toLineText(text);
  const edits = hunks.map((hunk, index) => {
    const name = hunk.hint === undefined ? `hunk ${index + 1}` : `hunk ${index + 1} (@@ ${hunk.hint})`;
    return { name, edit: planHunk({ path, name }, content, hunk) };
  });
  const inOrder = edits.toSorted((left, right) => left.edit.start - right.edit.start);
  for (const [index, current] of inOrder.entries()) {
    const next = inOrder[index + 1];
    if (next !== undefined && next.edit.start < current.edit.end) {
      throw hunkError(`${path}: ${current.name} and ${next.name} change the same lines`, "join them into one hunk");
    }
  }
  return edits.map(({ edit }) => edit);
}

interface HunkName {
  path: string;
  name: string;
}

function hunkError(message: string, hint: string): ToolError {
  return new ToolError("E_PATCH_HUNK", message, { hint });
}

function planHunk(where: HunkName, content: LineText, hunk: Hunk): TextEdit {
  const wanted = hunk.lines.filter((line) => line.kind !== "add").map((line) => line.text);
  const replaced = hunk.lines.filter((line) => line.kind !== "remove").map((line) => line.text);
  if (wanted.length === 0) return planInsertion(where, content, hunk.hint, replaced.join("\n"));
  if (wanted.join("\n") === replaced.join("\n")) {
    throw hunkError(`${where.path}: ${where.name} changes nothing`, "mark changed lines with - and +");
  }
  const found = locate(content, wanted, replaced);
  if (found.ok) return shrink(found.edit, content.text);
  const near = hunk.hint === undefined ? [] : locateNearHint(content, hunk.hint, wanted, replaced);
  const [only] = near;
  if (only !== undefined && near.length === 1) return shrink(only, content.text);
  const snippets = similarSnippets(content.text, wanted.join("\n"));
  throw hunkError(
    `${where.path}: ${where.name}: ${found.error}`,
    snippets === "" ? "read the file again and copy the lines as they are" : `similar lines:\n${snippets}`,
  );
}

type Located = { ok: true; edit: TextEdit } | { ok: false; error: string };

/** Whole equal lines first, then whatever the fuzzy chain finds. */
function locate(content: LineText, wanted: string[], replaced: string[]): Located {
  const [only, ...others] = findLineRuns(content, wanted, (line, other) => line === other);
  if (only !== undefined && others.length === 0) {
    return { ok: true, edit: removeEmptied({ ...only, replacement: replaced.join("\n") }, content.text, replaced) };
  }
  if (only !== undefined) return { ok: false, error: `Found ${others.length + 1} matches of its lines` };
  const request = { oldText: wanted.join("\n"), newText: replaced.join("\n"), replaceAll: false };
  const plan = planReplacement(content.text, request);
  if (!plan.ok) return { ok: false, error: plan.error };
  const [edit] = plan.edits;
  if (edit === undefined) return { ok: false, error: "its lines were not found" };
  return { ok: true, edit: removeEmptied(edit, content.text, replaced) };
}

/** A hunk that only removes lines takes their newline too. */
function removeEmptied(edit: TextEdit, text: string, replaced: string[]): TextEdit {
  if (replaced.length > 0) return edit;
  const lineStart = text.lastIndexOf("\n", edit.start - 1) + 1;
  const isWholeLine = text.slice(lineStart, edit.start).trim() === "";
  if (!isWholeLine) return edit;
  if (text.charAt(edit.end) === "\n") return { ...edit, start: lineStart, end: edit.end + 1 };
  return edit.end === text.length ? { ...edit, start: Math.max(0, lineStart - 1) } : edit;
}

/** The places near any occurrence of the hint, each once. */
function locateNearHint(content: LineText, hint: string, wanted: string[], replaced: string[]): TextEdit[] {
  const found = new Map<number, TextEdit>();
  const { text } = content;
  for (let at = text.indexOf(hint); at !== -1; at = text.indexOf(hint, at + hint.length)) {
    const start = text.lastIndexOf("\n", Math.max(0, at - beforeHintChars)) + 1;
    const newline = text.indexOf("\n", Math.min(text.length, at + afterHintChars));
    const window = text.slice(start, newline === -1 ? text.length : newline);
    const located = locate(toLineText(window), wanted, replaced);
    if (!located.ok) continue;
    const { edit } = located;
    found.set(edit.start + start, { ...edit, start: edit.start + start, end: edit.end + start });
  }
  return [...found.values()];
}

function planInsertion(where: HunkName, content: LineText, hint: string | undefined, added: string): TextEdit {
  const { text } = content;
  if (hint === undefined) {
    const isComplete = text === "" || text.endsWith("\n");
    return { start: text.length, end: text.length, replacement: isComplete ? `${added}\n` : `\n${added}` };
  }
  const lines = content.lines.flatMap((line, index) => (line.includes(hint) ? [index] : []));
  const [only] = lines;
  if (only === undefined || lines.length > 1) {
    throw hunkError(
      `${where.path}: ${where.name} only adds lines, and ${lines.length} lines hold "${hint}"`,
      "add lines of context around the place",
    );
  }
  const end = (content.starts[only] ?? 0) + (content.lines[only] ?? "").length;
  return { start: end, end, replacement: `\n${added}` };
}

/** The part of an edit that really changes: shared context must not count as overlap. */
function shrink(edit: TextEdit, text: string): TextEdit {
  const old = text.slice(edit.start, edit.end);
  const shorter = Math.min(old.length, edit.replacement.length);
  let prefix = 0;
  while (prefix < shorter && old[prefix] === edit.replacement[prefix]) prefix += 1;
  let suffix = 0;
  while (suffix < shorter - prefix && old.at(-1 - suffix) === edit.replacement.at(-1 - suffix)) suffix += 1;
  return {
    start: edit.start + prefix,
    end: edit.end - suffix,
    replacement: edit.replacement.slice(prefix, edit.replacement.length - suffix),
  };
}

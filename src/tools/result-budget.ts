import { chmodSync, existsSync, lstatSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ensureDirectory } from "../base/fs.ts";
import { errorMessage, ToolError } from "../base/errors.ts";
import { takeHead } from "./output-buffer.ts";

const previewChars = 1500;
/** All results of one batch together, in UTF-16 units. */
export const maxBatchChars = 200_000;

export interface BudgetOptions {
  callId: string;
  /** Infinity for a tool whose results are never saved */
  maxChars: number;
  /** made with mode 0700 when needed */
  directory: string;
}

/**
 * A result that fits: the text itself, or a block with a preview and the path of a file (0600) that holds all of it.
 * When the file cannot be written, the preview says so.
 */
export function budgetResult(text: string, options: BudgetOptions): Promise<string> {
  return Promise.resolve(text.length <= options.maxChars ? text : persist(text, options));
}

/** Saves the largest results of a batch until the sum fits; results already saved and exempt ones stay. */
export async function budgetBatch(
  results: { text: string; callId: string; isExempt?: boolean }[],
  directory: string,
): Promise<string[]> {
  const texts = results.map((result) => result.text);
  const bySize = results
    .map((result, index) => ({ ...result, index }))
    .filter((result) => result.isExempt !== true && !isPersisted(result.text) && result.text.length > previewChars)
    .sort((left, right) => right.text.length - left.text.length);
  for (const result of bySize) {
    if (texts.reduce((sum, text) => sum + text.length, 0) <= maxBatchChars) break;
    texts[result.index] = await budgetResult(result.text, { callId: result.callId, maxChars: 0, directory });
  }
  return texts;
}

function isPersisted(text: string): boolean {
  return text.startsWith("<persisted-output>");
}

function persist(text: string, options: BudgetOptions): string {
  const preview = previewOf(text);
  try {
    const path = saveText(text, options);
    return [
      "<persisted-output>",
      `The result has ${text.length} characters, too many to show. All of it is in ${path}`,
      "Read it piece by piece with offset and limit, or search it.",
      `The first ${preview.length} characters:`,
      "",
      preview,
      "</persisted-output>",
    ].join("\n");
  } catch (error) {
    return `${preview}\n\n[Truncated: the result had ${text.length} characters and could not be saved: ${errorMessage(error)}]`;
  }
}

function saveText(text: string, options: BudgetOptions): string {
  ensurePrivate(options.directory);
  const name = options.callId.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, 100) || "result";
  for (let copy = 0; ; copy += 1) {
    const path = join(options.directory, copy === 0 ? `${name}.txt` : `${name}-${copy}.txt`);
    // a provider may use a call id twice; the earlier result is still referred to
    if (existsSync(path)) continue;
    writeFileSync(path, text, { mode: 0o600, flag: "wx" });
    return path;
  }
}

/** @throws {ToolError} E_RESULT_FOLDER when somebody else could read or replace what is saved */
function ensurePrivate(directory: string): void {
  ensureDirectory(directory);
  const stat = lstatSync(directory);
  if (!stat.isDirectory() || (process.getuid !== undefined && stat.uid !== process.getuid())) {
    throw new ToolError("E_RESULT_FOLDER", `${directory} belongs to somebody else`);
  }
  if ((stat.mode & 0o077) !== 0) chmodSync(directory, 0o700);
}

/** The beginning, cut at its last newline when that is past the half. */
function previewOf(text: string): string {
  const head = takeHead(text, previewChars);
  const newline = head.lastIndexOf("\n");
  return newline > previewChars / 2 ? head.slice(0, newline) : head;
}

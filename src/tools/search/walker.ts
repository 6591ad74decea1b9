import { statSync } from "node:fs";
import { open } from "node:fs/promises";
import { dirname } from "node:path";
import { ToolError } from "../../base/errors.ts";
import { fileErrorCode } from "../../base/fs.ts";
import { walkFiles } from "./file-tree.ts";
import { globFilter } from "./glob.ts";
import { type FoundLine, maxLineChars, maxLinesPerFile, type SearchControl, type SearchQuery } from "./query.ts";

const chunkBytes = 262_144;

/**
 * Searches without help of another program.
 * @throws {ToolError} E_SEARCH_PATTERN; the signal's reason
 */
export async function searchByWalking(query: SearchQuery, control: SearchControl): Promise<void> {
  const expression = toExpression(query.pattern);
  const isFile = statSync(query.root).isFile();
  const matchesGlob = globFilter(query.fileGlob, isFile ? dirname(query.root) : query.root);
  for (const path of isFile ? [query.root] : walkFiles(query.root)) {
    control.signal.throwIfAborted();
    if (!matchesGlob(path) || !control.mayRead(path)) continue;
    const lines = await searchFile(path, expression, query.contextLines, control.signal);
    if (lines.some((line) => line.isMatch) && !control.onFile({ path, lines })) return;
  }
}

const classes: Record<string, string> = {
  "[:alpha:]": "a-zA-Z",
  "[:digit:]": "0-9",
  "[:alnum:]": "a-zA-Z0-9",
  "[:space:]": "\\s",
  "[:upper:]": "A-Z",
  "[:lower:]": "a-z",
  "[:xdigit:]": "0-9a-fA-F",
  "[:word:]": "\\w",
};

/** @throws {ToolError} E_SEARCH_PATTERN */
export function toExpression(pattern: string): RegExp {
  const flags = /^\(\?([ims]+)\)/.exec(pattern);
  const body = pattern.slice(flags?.[0].length ?? 0).replace(/\[:[a-z]+:\]/g, (name) => classes[name] ?? name);
  if (/\((?:[^()\\]|\\.)*[+*}](?:[^()\\]|\\.)*\)(?:[+*]|\{\d+,)/.test(body)) {
    throw new ToolError("E_SEARCH_PATTERN", `the pattern repeats a repetition, which can take for ever: ${pattern}`, {
      hint: "write it with one repetition, or install ripgrep",
    });
  }
  const flag = flags?.[1]?.includes("i") === true ? "i" : "";
  try {
    return new RegExp(body, `u${flag}`);
  } catch {
    // outside of Unicode mode more escapes are allowed
    return plainExpression(pattern, body, flag);
  }
}

function plainExpression(pattern: string, body: string, flag: string): RegExp {
  try {
    return new RegExp(body, flag);
  } catch (error) {
    throw new ToolError("E_SEARCH_PATTERN", `the pattern is no valid regular expression: ${pattern}`, {
      cause: error,
      hint: "escape ( [ { + * ? . | ^ $ and \\ with a backslash to search for them as they are",
    });
  }
}

/** Matching lines with those around them; none when the file is binary or cannot be read. */
async function searchFile(
  path: string,
  expression: RegExp,
  contextLines: number,
  signal: AbortSignal,
): Promise<FoundLine[]> {
  const found: FoundLine[] = [];
  let before: FoundLine[] = [];
  let after = 0;
  let number = 0;
  const take = (text: string): void => {
    number += 1;
    const line = {
      line: number,
      text: text.slice(0, maxLineChars),
      isMatch: expression.test(text.slice(0, maxLineChars)),
    };
    if (line.isMatch) {
      found.push(...before, line);
      before = [];
      after = contextLines;
    } else if (after > 0) {
      found.push(line);
      after -= 1;
    } else if (contextLines > 0) before = [...before, line].slice(-contextLines);
  };
  try {
    const isText = await readLines(
      path,
      (line) => {
        take(line);
        return found.length < maxLinesPerFile;
      },
      signal,
    );
    return isText ? found : [];
  } catch (error) {
    // a file that cannot be read must not end a search of the others
    if (fileErrorCode(error) !== undefined) return [];
    throw error;
  }
}

/** @returns false when the file holds a NUL byte */
async function readLines(path: string, onLine: (line: string) => boolean, signal: AbortSignal): Promise<boolean> {
  const file = await open(path, "r");
  try {
    const chunk = new Uint8Array(chunkBytes);
    const decoder = new TextDecoder();
    let rest = "";
    for (;;) {
      signal.throwIfAborted();
      const { bytesRead } = await file.read(chunk, 0, chunkBytes);
      const bytes = chunk.subarray(0, bytesRead);
      if (bytes.includes(0)) return false;
      const lines = (rest + decoder.decode(bytes, { stream: bytesRead > 0 })).split("\n");
      // of an endless line only the beginning is looked at
      rest = (lines.pop() ?? "").slice(0, maxLineChars + 1);
      for (const line of lines) if (!onLine(withoutReturn(line))) return true;
      if (bytesRead > 0) continue;
      if (rest !== "") onLine(withoutReturn(rest));
      return true;
    }
  } finally {
    await file.close();
  }
}

function withoutReturn(line: string): string {
  return line.endsWith("\r") ? line.slice(0, -1) : line;
}

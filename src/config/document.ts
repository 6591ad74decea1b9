import type * as Yaml from "yaml";
import type { Document, LineCounter, Pair } from "yaml";
import { ConfigError, errorMessage } from "../base/errors.ts";
import { fileErrorCode, readRegularFile } from "../base/fs.ts";
import { isRecord } from "../base/json.ts";
import { displayPath } from "../base/paths.ts";

/** config.yaml as it lies on disk. */
export interface ConfigDocument {
  path: string;
  document: Document;
  /** the file's root mapping as plain data; {} for an empty file */
  raw: Record<string, unknown>;
  /** keys written twice, as messages with their line */
  duplicates: { text: string; line: number }[];
  /** the changed document as text, in the style of the file */
  toText(): string;
  /** line of a key, from 1; undefined when the path is not in the file */
  lineOf(path: string[]): number | undefined;
}

/**
 * Reads and parses config.yaml.
 * @returns undefined when there is no file
 * @throws {ConfigError} E_CONFIG_READ, E_CONFIG_SYNTAX
 */
export function readConfigDocument(path: string): ConfigDocument | undefined {
  const text = readConfigText(path);
  return text === undefined ? undefined : parseConfigDocument(text, path);
}

function readConfigText(path: string): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(readRegularFile(path));
  } catch (error) {
    if (fileErrorCode(error) === "ENOENT") return undefined;
    const reason = error instanceof TypeError ? "it is not UTF-8 text" : errorMessage(error);
    throw new ConfigError("E_CONFIG_READ", `${displayPath(path)} cannot be read: ${reason}`, {
      hint: `check the file and its mode, or move it away: mv ${path} ${path}.old`,
      path,
      cause: error,
    });
  }
}

/** @throws {ConfigError} E_CONFIG_SYNTAX */
export function parseConfigDocument(text: string, path: string): ConfigDocument {
  // loaded here: without a config.yaml nobody needs the parser
  const yaml = require("yaml") as typeof Yaml;
  const lineCounter = new yaml.LineCounter();
  const document = yaml.parseDocument(text, { lineCounter, merge: true, prettyErrors: false });
  const duplicates: ConfigDocument["duplicates"] = [];
  for (const error of document.errors) {
    const { line, col } = lineCounter.linePos(error.pos[0]);
    if (error.code !== "DUPLICATE_KEY") throw syntaxError(path, error.message, { line, column: col, cause: error });
    duplicates.push({ text: `${displayPath(path)}:${line}: this key is written twice; the last one counts`, line });
  }
  let raw: unknown;
  try {
    raw = document.toJS() ?? {};
  } catch (error) {
    throw syntaxError(path, errorMessage(error), { line: 1, column: 1, cause: error });
  }
  if (!isRecord(raw)) {
    throw syntaxError(path, "the file must be a mapping of keys to values", { line: 1, column: 1, cause: undefined });
  }
  return {
    path,
    document,
    raw,
    duplicates,
    toText: () => toStyle(document, text),
    lineOf: (keys) => lineOf(document, lineCounter, keys),
  };
}

/** Laid out as the file was, so that an edit changes no line but its own. */
function toStyle(document: Document, text: string): string {
  const indent = /^[^\s#][^\n]*:[^\S\n]*\n( {2,8})[^\s#-]/m.exec(text)?.[1]?.length ?? 2;
  const result = document.toString({
    lineWidth: 0,
    indent,
    indentSeq: !/^( *)[^\s#][^\n]*:[^\S\n]*\n\1- /m.test(text),
    flowCollectionPadding: /[[{] \S/.test(text),
  });
  return text.includes("\r\n") ? result.replace(/\r?\n/g, "\r\n") : result;
}

function syntaxError(
  path: string,
  reason: string,
  place: { line: number; column: number; cause: unknown },
): ConfigError {
  return new ConfigError(
    "E_CONFIG_SYNTAX",
    `${displayPath(path)}:${place.line}:${place.column}: ${reason.split("\n")[0] ?? reason}`,
    { hint: "hermes config edit", path, cause: place.cause },
  );
}

function lineOf(document: Document, counter: LineCounter, path: string[]): number | undefined {
  let node: unknown = document.contents;
  let line: number | undefined;
  for (const part of path) {
    const items = (node as { items?: unknown[] } | null)?.items ?? [];
    const numbered = /^\d+$/.test(part) ? items[Number(part)] : undefined;
    // the last one of keys written twice is the one that counts
    const pair = items.findLast((item) => isPairOf(item, part));
    const found = pair === undefined ? numbered : pair.key;
    const start = (found as { range?: [number, number, number] | null } | null | undefined)?.range?.[0];
    if (start === undefined) return line;
    line = counter.linePos(start).line;
    node = pair === undefined ? numbered : pair.value;
  }
  return line;
}

function isPairOf(item: unknown, key: string): item is Pair<{ value: unknown }> {
  const candidate = (item as { key?: { value?: unknown } | null } | null)?.key;
  return candidate !== undefined && candidate !== null && String(candidate.value) === key;
}

import { spawn } from "node:child_process";
import { statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { ToolError } from "../../base/errors.ts";
import { isRecord, parseJson } from "../../base/json.ts";
import { globFilter } from "./glob.ts";
import { type FoundLine, maxLineChars, maxLinesPerFile, type SearchControl, type SearchQuery } from "./query.ts";

export interface RipgrepOptions {
  /** path of the program */
  program: string;
  env: Record<string, string>;
}

/** A longer line of its output is dropped with its match. */
const maxOutputLine = 16_777_216;

const fixedArguments = [
  "--json",
  "--no-config",
  "--sort=path",
  "--crlf",
  "--no-require-git",
  "--no-ignore-global",
  "--no-ignore-exclude",
  "--no-ignore-dot",
];

/**
 * Searches with ripgrep. The same files and lines as {@link searchByWalking}, but for patterns the two languages of
 * regular expressions read differently, and for bytes that are not UTF-8, which no `.` matches here.
 * @throws {ToolError} E_SEARCH_PATTERN, E_SEARCH; the signal's reason
 */
export async function searchWithRipgrep(
  query: SearchQuery,
  control: SearchControl,
  options: RipgrepOptions,
): Promise<void> {
  const isFile = statSync(query.root).isFile();
  const directory = isFile ? dirname(query.root) : query.root;
  const child = spawn(
    options.program,
    [
      ...fixedArguments,
      ...extensionArguments(query.fileGlob),
      `--context=${query.contextLines}`,
      `--regexp=${query.pattern}`,
      "--",
      isFile ? `./${basename(query.root)}` : "./",
    ],
    { cwd: directory, env: options.env, stdio: ["ignore", "pipe", "pipe"] },
  );
  const stop = (): void => void child.kill("SIGKILL");
  control.signal.addEventListener("abort", stop, { once: true });
  let faults = "";
  child.stderr.on("data", (chunk: Uint8Array) => {
    if (faults.length < 4000) faults += new TextDecoder().decode(chunk);
  });
  const ended = new Promise<number>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve(code ?? -1));
  });
  const reader = createReader(directory, globFilter(query.fileGlob, directory), control);
  let isStopped = false;
  try {
    for await (const line of outputLines(child.stdout)) {
      if (reader.take(line)) continue;
      isStopped = true;
      stop();
      break;
    }
    const code = await ended;
    control.signal.throwIfAborted();
    if (code === 2 && !isStopped && !reader.hasMatches()) throw toError(faults, query.pattern);
  } finally {
    control.signal.removeEventListener("abort", stop);
  }
}

/** Spares ripgrep the files of other kinds; the filter on our side decides. */
function extensionArguments(glob: string | undefined): string[] {
  return glob !== undefined && /^\*\.[A-Za-z0-9]+$/.test(glob) ? ["--type-add", `wanted:${glob}`, "--type=wanted"] : [];
}

function toError(faults: string, pattern: string): ToolError {
  if (!/regex parse error|error parsing|regex/i.test(faults)) {
    return new ToolError("E_SEARCH", `the search failed: ${faults.trim().slice(0, 500)}`);
  }
  return new ToolError("E_SEARCH_PATTERN", `the pattern is no valid regular expression: ${pattern}\n${faults.trim()}`, {
    hint: "escape ( [ { + * ? . | ^ $ and \\ with a backslash to search for them as they are",
  });
}

async function* outputLines(stream: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of stream) {
    rest += decoder.decode(chunk, { stream: true });
    const lines = rest.split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
    if (rest.length > maxOutputLine) rest = "";
  }
}

interface Reader {
  /** @returns false to end the search */
  take(line: string): boolean;
  hasMatches(): boolean;
}

/** Gathers the events of each file; a file with a NUL byte is left out as binary. */
function createReader(directory: string, matchesGlob: (path: string) => boolean, control: SearchControl): Reader {
  let lines: FoundLine[] = [];
  let hasMatches = false;
  const endFile = (data: Record<string, unknown>): boolean => {
    const path = join(directory, textOf(data["path"]));
    const isText = data["binary_offset"] === null || data["binary_offset"] === undefined;
    if (!isText || !matchesGlob(path) || !control.mayRead(path)) return true;
    hasMatches = true;
    return control.onFile({ path, lines });
  };
  return {
    hasMatches: () => hasMatches,
    take(line) {
      const event = parseJson(line);
      if (!isRecord(event) || !isRecord(event["data"])) return true;
      const { type, data } = event;
      if (type === "begin") lines = [];
      if (type === "end") return endFile(data);
      if ((type === "match" || type === "context") && lines.length < maxLinesPerFile) {
        lines.push(toLine(data, type === "match"));
      }
      return true;
    },
  };
}

function toLine(data: Record<string, unknown>, isMatch: boolean): FoundLine {
  const text = textOf(data["lines"]).replace(/\r?\n$/, "");
  return { line: Number(data["line_number"]), text: text.slice(0, maxLineChars), isMatch };
}

/** ripgrep writes what is not UTF-8 as base64. */
function textOf(value: unknown): string {
  if (!isRecord(value)) return "";
  if (typeof value["text"] === "string") return value["text"];
  return typeof value["bytes"] === "string" ? Buffer.from(value["bytes"], "base64").toString("utf8") : "";
}

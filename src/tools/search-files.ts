import { existsSync, statSync } from "node:fs";
import { isAbsolute, relative } from "node:path";
import { isHermesError } from "../base/errors.ts";
import { userHome } from "../base/paths.ts";
import { redact } from "../base/redact.ts";
import { truncate } from "../base/text.ts";
import { childEnvironment, judgePath } from "../guard/index.ts";
import type { ToolOutput } from "../plugin/tool.ts";
import { z } from "zod";
import { type CoreToolContext, defineCoreTool } from "./context.ts";
import { isCodeName } from "./file-kind.ts";
import { walkFiles } from "./search/file-tree.ts";
import { globFilter } from "./search/glob.ts";
import { createPage, type Page } from "./search/page.ts";
import type { SearchControl, SearchQuery } from "./search/query.ts";
import { searchWithRipgrep } from "./search/ripgrep.ts";
import { searchByWalking } from "./search/walker.ts";
import { similarFiles } from "./similar-files.ts";
import { answer, failure } from "./tool-answer.ts";
import { clampedInteger } from "./tool-parameters.ts";
import { judgeToolPath } from "./tool-path.ts";

const maxSearchMs = 60_000;
const maxContentChars = 500;

const targets: Record<string, "content" | "files"> = {
  content: "content",
  grep: "content",
  files: "files",
  find: "files",
};

const parameters = z.object({
  pattern: z.string().min(1).describe("content: a regular expression; files: a glob or the end of a name"),
  target: z.enum(["content", "files", "grep", "find"]).default("content"),
  path: z.string().default(".").describe("directory or file to search"),
  file_glob: z.string().optional().describe("content: only these files, like *.ts"),
  limit: clampedInteger({ min: 1, max: 1000, default: 50 }, "results"),
  offset: clampedInteger({ min: 0, max: 1_000_000, default: 0 }, "results to skip"),
  output_mode: z.enum(["content", "files_only", "count"]).default("content"),
  context: clampedInteger({ min: 0, max: 50, default: 0 }, "lines around each match"),
});

type Arguments = z.output<typeof parameters>;

export const searchFiles = defineCoreTool({
  name: "search_files",
  toolset: "file",
  description:
    "Searches file contents, or finds files by name (target=files, newest first). " +
    "Hidden, binary and git-ignored files are left out.",
  parameters,
  previewArgument: "pattern",
  concurrency: () => ({ mode: "parallel" }),
  async execute(args, context) {
    const place = judgeToolPath(args.path, "read", context);
    if (!place.ok) return failure(place.error, { hint: place.hint });
    if (!existsSync(place.resolved)) {
      const similar = similarFiles(place.path);
      return failure(`Path not found: ${args.path}`, similar.length > 0 ? { similar_paths: similar } : {});
    }
    const repeats = context.files.countSearch(JSON.stringify([args, place.resolved]));
    if (repeats >= 4) {
      return failure(`BLOCKED: you have made this search ${repeats} times. Use the results you have.`, {
        pattern: args.pattern,
        already_searched: repeats,
      });
    }
    const warning = repeats === 3 ? "You have made this search 3 times in a row. Use the results you have." : undefined;
    const seen: Seen = { root: place.resolved, warning, context };
    return targets[args.target] === "files" ? findFiles(args, seen) : await searchContent(args, seen);
  },
});

interface Seen {
  root: string;
  warning: string | undefined;
  context: CoreToolContext;
}

function mayRead(path: string, context: CoreToolContext): boolean {
  return judgePath(path, "read", { cwd: context.cwd, home: context.home, userHome: userHome() }).allowed;
}

/** Relative to the working directory when it is below it. */
function shownPath(path: string, context: CoreToolContext): string {
  const short = relative(context.cwd, path);
  return short === "" || short.startsWith("..") || isAbsolute(short) ? path : short;
}

async function searchContent(args: Arguments, seen: Seen): Promise<ToolOutput> {
  const { context } = seen;
  const page = createPage({ offset: args.offset, limit: args.limit, contextLines: args.context });
  const timeout = AbortSignal.timeout(maxSearchMs);
  const query: SearchQuery = {
    pattern: args.pattern,
    root: seen.root,
    contextLines: args.output_mode === "content" ? args.context : 0,
    ...(args.file_glob === undefined ? {} : { fileGlob: args.file_glob }),
  };
  const control: SearchControl = {
    signal: AbortSignal.any([context.signal, timeout]),
    mayRead: (path) => mayRead(path, context),
    onFile: (file) => page.add(file),
  };
  let isTimedOut = false;
  try {
    await search(query, control, context);
  } catch (error) {
    if (isHermesError(error)) return failure(error.message, { hint: error.hint });
    if (!timeout.aborted || context.signal.aborted) throw error;
    // what was found in time is still worth showing
    isTimedOut = true;
  }
  return contentAnswer(args, page, { ...seen, isTimedOut });
}

async function search(query: SearchQuery, control: SearchControl, context: CoreToolContext): Promise<void> {
  const program = Bun.which("rg", { PATH: context.environment["PATH"] ?? "" });
  if (program === null) return await searchByWalking(query, control);
  const env = childEnvironment(context.environment, { passthrough: [], home: context.home });
  return await searchWithRipgrep(query, control, { program, env });
}

function contentAnswer(args: Arguments, page: Page, seen: Seen & { isTimedOut: boolean }): ToolOutput {
  const counts = page.counts();
  const isByFile = args.output_mode !== "content";
  const total = args.output_mode === "files_only" ? counts.length : page.total();
  const inPage = counts.slice(args.offset, args.offset + args.limit);
  const end = args.offset + args.limit;
  const hasMore = isByFile ? counts.length > end : page.total() > end;
  return answer({
    total_count: total,
    ...shownResults(args, page, { inPage, context: seen.context }),
    truncated: hasMore || seen.isTimedOut || page.isCapped() ? true : undefined,
    limit_reason: seen.isTimedOut ? "search_timeout" : page.isCapped() ? "too_many_matches" : undefined,
    hint: hasMore ? `More results: use offset=${end}.` : undefined,
    _warning: seen.warning,
  });
}

function shownResults(
  args: Arguments,
  page: Page,
  shown: { inPage: { path: string; count: number }[]; context: CoreToolContext },
): Record<string, unknown> {
  const name = (path: string): string => shownPath(path, shown.context);
  if (args.output_mode === "files_only") return { files: shown.inPage.map((entry) => name(entry.path)) };
  if (args.output_mode === "count") {
    return { counts: Object.fromEntries(shown.inPage.map((entry) => [name(entry.path), entry.count])) };
  }
  return {
    matches: page.lines().map((line) => ({
      path: name(line.path),
      line: line.line,
      content: truncate(redact(line.text, { code: isCodeName(line.path) }), maxContentChars),
      context: line.isMatch ? undefined : true,
    })),
  };
}

function findFiles(args: Arguments, seen: Seen): ToolOutput {
  const glob = /[*?[{]/.test(args.pattern) ? args.pattern : `*${args.pattern}`;
  const matches = globFilter(glob, seen.root);
  const found: { path: string; modifiedMs: number }[] = [];
  for (const path of statSync(seen.root).isFile() ? [seen.root] : walkFiles(seen.root)) {
    seen.context.signal.throwIfAborted();
    if (!matches(path)) continue;
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat !== undefined) found.push({ path, modifiedMs: stat.mtimeMs });
  }
  found.sort((left, right) => right.modifiedMs - left.modifiedMs || (left.path < right.path ? -1 : 1));
  const end = args.offset + args.limit;
  const hasMore = found.length > end;
  return answer({
    total_count: found.length,
    files: found.slice(args.offset, end).map((file) => shownPath(file.path, seen.context)),
    truncated: hasMore ? true : undefined,
    hint: hasMore ? `More results: use offset=${end}.` : undefined,
    _warning: seen.warning,
  });
}

import { isHermesError, ToolError } from "../base/errors.ts";
import { fileErrorCode } from "../base/fs.ts";
import { redact } from "../base/redact.ts";
import { toWellFormed } from "../base/text.ts";
import type { ToolOutput } from "../plugin/tool.ts";
import { z } from "zod";
import { type CoreToolContext, defineCoreTool } from "./context.ts";
import { commitChanges, type FileChange } from "./file-changes.ts";
import { unifiedDiff } from "./file-diff.ts";
import { lintChange } from "./file-lint.ts";
import { fileFault } from "./file-fault.ts";
import { checkReplaceable, findMaskedLine, saveFile } from "./file-save.ts";
import { planReplacement } from "./fuzzy/replacement.ts";
import { similarSnippets } from "./fuzzy/similar-snippets.ts";
import { similarFiles } from "./similar-files.ts";
import { applyEdits, formatTextFile, readTextFile } from "./text-file.ts";
import { answer } from "./tool-answer.ts";
import { judgeToolPath, readStamp } from "./tool-path.ts";
import { parsePatch } from "./v4a/parse.ts";
import { stagePatch } from "./v4a/stage.ts";

const parameters = z.object({
  mode: z.enum(["replace", "patch"]).default("replace"),
  path: z.string().optional().describe("replace: the file"),
  old_string: z.string().optional().describe("replace: the text to find, unique unless replace_all"),
  new_string: z.string().optional().describe('replace: what it becomes; "" deletes it'),
  replace_all: z.boolean().default(false).describe("replace: every match"),
  patch: z.string().optional().describe("patch: *** Begin Patch … *** End Patch"),
});

type Arguments = z.output<typeof parameters>;

export const patch = defineCoreTool({
  name: "patch",
  toolset: "file",
  description:
    "Edits files. mode=replace swaps one text for another in one file; small differences in blanks are tolerated. " +
    "mode=patch applies a multi-file patch: *** Update File: a, *** Add File: b, *** Delete File: c, " +
    "*** Move File: a -> b; in an update, lines start with a blank, - or +, and @@ text @@ names a line nearby. " +
    "Nothing is written unless all of it fits.",
  parameters,
  previewArgument: "path",
  concurrency: (args) =>
    args.mode === "replace" && args.path !== undefined ? { mode: "path", path: args.path } : { mode: "exclusive" },
  execute(args, context) {
    const path = args.path ?? "the patch";
    try {
      return Promise.resolve(args.mode === "patch" ? applyPatch(args, context) : replaceText(args, context));
    } catch (error) {
      if (isHermesError(error))
        return Promise.resolve(failed(error.message, { hint: redact(error.hint ?? "") || undefined }));
      if (fileErrorCode(error) === undefined) throw error;
      return Promise.resolve(failed(fileFault(path, error)));
    }
  },
});

function failed(error: string, more: Record<string, unknown> = {}): ToolOutput {
  return { ...answer({ success: false, error: redact(error), ...more }), isError: true };
}

function replaceText(args: Arguments, context: CoreToolContext): ToolOutput {
  if (args.path === undefined || args.path.trim() === "") return failed("path is required in mode replace");
  if (args.old_string === undefined || args.new_string === undefined) {
    return failed("old_string and new_string are required in mode replace");
  }
  const place = judgeToolPath(args.path, "write", context);
  if (!place.ok) return failed(place.error, { hint: place.hint });
  const stamp = readStamp(place.resolved);
  if (stamp === undefined) {
    const similar = similarFiles(place.path);
    return failed(`File not found: ${args.path}`, similar.length > 0 ? { similar_files: similar } : {});
  }
  const before = readTextFile(place.resolved);
  const request = { oldText: args.old_string, newText: toWellFormed(args.new_string), replaceAll: args.replace_all };
  const plan = planReplacement(before.text, request);
  if (!plan.ok) {
    const snippets = plan.reason === "missing" ? redact(similarSnippets(before.text, args.old_string)) : "";
    return failed(plan.error, {
      path: args.path,
      _hint: snippets === "" ? undefined : `Similar lines in the file:\n${snippets}`,
    });
  }
  const after = applyEdits(before, plan.edits);
  const masked = findMaskedLine(before.text, after.text);
  if (masked !== undefined) return failed(`A masked secret would replace the real one: ${masked}`);
  const hasChanged = context.files.isStale(place.resolved, stamp);
  checkReplaceable(place.resolved);
  saveFile(place.resolved, formatTextFile(after));
  context.files.noteWrite(place.resolved, readStamp(place.resolved));
  return done({
    diff: unifiedDiff(args.path, before.text, after.text),
    files_modified: [place.resolved],
    files_created: [],
    files_deleted: [],
    lint: lintChange(place.resolved, before.text, after.text),
    replacements: plan.edits.length,
    strategy: plan.strategy === "exact" ? undefined : plan.strategy,
    _warning: hasChanged ? "The file had changed since you last read it." : undefined,
  });
}

function applyPatch(args: Arguments, context: CoreToolContext): ToolOutput {
  if (args.patch === undefined || args.patch.trim() === "") return failed("patch content is required in mode patch");
  const staged = stagePatch(parsePatch(toWellFormed(args.patch)), (path) => resolvePatchPath(path, context));
  const stale = staged.changes.filter((change) => isStale(change, context)).map((change) => change.path);
  commitChanges(staged.changes);
  for (const change of staged.changes) noteChange(change, context);
  return done({
    diff: staged.diffs.join(""),
    files_modified: staged.modified,
    files_created: staged.created,
    files_deleted: staged.deleted,
    lint: Object.keys(staged.lint).length > 0 ? staged.lint : undefined,
    _warning: stale.length > 0 ? `Changed since you last read them: ${[...new Set(stale)].join(", ")}` : undefined,
  });
}

function resolvePatchPath(path: string, context: CoreToolContext): string {
  if (path.split(/[/\\]/).includes("..")) {
    throw new ToolError("E_PATCH_PATH", `${path}: a path in a patch must not hold ..`, { hint: "write it without .." });
  }
  const place = judgeToolPath(path, "write", context);
  if (place.ok) return place.resolved;
  throw new ToolError("E_PATCH_PATH", place.error, place.hint === undefined ? {} : { hint: place.hint });
}

function isStale(change: FileChange, context: CoreToolContext): boolean {
  const stamp = readStamp(change.path);
  return stamp !== undefined && context.files.isStale(change.path, stamp);
}

function noteChange(change: FileChange, context: CoreToolContext): void {
  context.files.noteWrite(change.path, readStamp(change.path));
  if (change.kind === "move") context.files.noteWrite(change.to, readStamp(change.to));
}

function done(result: { diff: string | undefined } & Record<string, unknown>): ToolOutput {
  const diff = result.diff === undefined ? undefined : redact(result.diff);
  return { ...answer({ success: true, ...result, diff }), ...(diff === undefined ? {} : { diff }) };
}

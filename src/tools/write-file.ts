import { existsSync } from "node:fs";
import { isHermesError } from "../base/errors.ts";
import { fileErrorCode } from "../base/fs.ts";
import { redact } from "../base/redact.ts";
import { toWellFormed } from "../base/text.ts";
import type { ToolOutput } from "../plugin/tool.ts";
import { z } from "zod";
import { type CoreToolContext, defineCoreTool } from "./context.ts";
import { unifiedDiff } from "./file-diff.ts";
import { lintChange } from "./file-lint.ts";
import { fileFault } from "./file-fault.ts";
import { findMaskedLine, saveFile } from "./file-save.ts";
import { unchangedMessage } from "./read-file.ts";
import { formatTextFile, readTextFile, type TextFile, toTextFile, withEnding } from "./text-file.ts";
import { answer, failure } from "./tool-answer.ts";
import { judgeToolPath, readStamp } from "./tool-path.ts";

export const writeFile = defineCoreTool({
  name: "write_file",
  toolset: "file",
  description: "Writes a whole file, replacing what it held; creates missing folders.",
  parameters: z.object({
    path: z.string().describe("absolute, relative to the working directory, or ~/…"),
    content: z.string().describe("the complete new content"),
  }),
  previewArgument: "path",
  concurrency: (args) => ({ mode: "path", path: args.path }),
  execute: (args, context) => {
    const place = judgeToolPath(args.path, "write", context);
    if (!place.ok) return Promise.resolve(failure(place.error, { path: args.path, hint: place.hint }));
    try {
      return Promise.resolve(replaceFile(args, place.resolved, context));
    } catch (error) {
      if (isHermesError(error)) return Promise.resolve(failure(error.message, { path: args.path, hint: error.hint }));
      if (fileErrorCode(error) === undefined) throw error;
      return Promise.resolve(failure(fileFault(args.path, error), { path: args.path }));
    }
  },
});

function replaceFile(args: { path: string; content: string }, path: string, context: CoreToolContext): ToolOutput {
  const old = existsSync(path) ? readOld(path) : undefined;
  const refusal = refuseContent(args.content, old);
  if (refusal !== undefined) return failure(refusal.error, { path: args.path, hint: refusal.hint });
  const stamp = readStamp(path);
  const isStale = stamp !== undefined && context.files.isStale(path, stamp);
  const wellFormed = toWellFormed(args.content);
  const content = old === undefined ? wellFormed : likeOld(wellFormed, old);
  const madeDirectory = saveFile(path, content);
  context.files.noteWrite(path, readStamp(path));
  const diff = old === undefined ? undefined : unifiedDiff(args.path, old.text, toTextFile(content).text);
  return {
    ...answer({
      bytes_written: Buffer.byteLength(content),
      dirs_created: madeDirectory,
      resolved_path: path,
      files_modified: [path],
      lint: lintChange(path, old?.text, toTextFile(content).text),
      _warning: warningOf(isStale, wellFormed !== args.content),
    }),
    ...(diff === undefined ? {} : { diff: redact(diff) }),
  };
}

/** Undefined when what is there is no text: then it is simply replaced. */
function readOld(path: string): TextFile | undefined {
  try {
    return readTextFile(path);
  } catch (error) {
    if (isHermesError(error) && error.code !== "E_FILE_KIND") return undefined;
    throw error;
  }
}

/** Line endings and byte order mark as in the file that is replaced. */
function likeOld(content: string, old: TextFile): string {
  const plain = toTextFile(content);
  const raw = old.lineEnding === "\r\n" ? withEnding(plain.raw, "\r\n") : plain.raw;
  return formatTextFile({ ...plain, raw, hasBom: plain.hasBom || old.hasBom });
}

function refuseContent(content: string, old: TextFile | undefined): { error: string; hint: string } | undefined {
  if (content.includes(unchangedMessage) && content.length <= unchangedMessage.length * 2) {
    return { error: "The content is a tool's message, not the text of a file.", hint: "write the real content" };
  }
  if (isNumberedListing(content)) {
    return {
      error: "Every line of the content starts with a line number, as a file listing does.",
      hint: "write the lines without NUMBER|",
    };
  }
  const masked = old === undefined ? undefined : findMaskedLine(old.text, content);
  if (masked === undefined) return undefined;
  return {
    error: `The content holds a masked secret that would replace the real one: ${masked}`,
    hint: "edit only the lines around it instead of writing the whole file",
  };
}

/** Two lines or more, all numbered one after another. */
function isNumberedListing(content: string): boolean {
  const lines = content.replace(/\n$/, "").split("\n");
  const numbers = lines.map((line) => /^ *(\d+)\|/.exec(line)?.[1]).map(Number);
  return lines.length > 1 && numbers.every((number, index) => number === (numbers[0] ?? 0) + index);
}

function warningOf(isStale: boolean, hadSurrogates: boolean): string | undefined {
  const warnings = [
    isStale ? "The file had changed since you last read it; what was new in it is overwritten." : "",
    hadSurrogates ? "Half surrogate pairs, which no file can hold, were replaced by \ufffd." : "",
  ].filter((warning) => warning !== "");
  return warnings.length === 0 ? undefined : warnings.join(" ");
}

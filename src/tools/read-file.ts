import { statSync } from "node:fs";
import { fileErrorCode } from "../base/fs.ts";
import { redact } from "../base/redact.ts";
import type { ToolOutput } from "../plugin/tool.ts";
import { z } from "zod";
import { type CoreToolContext, defineCoreTool } from "./context.ts";
import { fileFault } from "./file-fault.ts";
import { isBinaryName, isCodeName, isImageName } from "./file-kind.ts";
import { type LineWindow, readLineWindow } from "./line-window.ts";
import { similarFiles } from "./similar-files.ts";
import { answer, failure } from "./tool-answer.ts";
import { clampedInteger } from "./tool-parameters.ts";
import { judgeToolPath, readStamp } from "./tool-path.ts";

/** Said instead of the text when the model has it already. */
export const unchangedMessage =
  "The file has not changed since you read this range earlier in this session; the text you got then still holds.";

const hugeFileBytes = 512_000;

export const readFile = defineCoreTool({
  name: "read_file",
  toolset: "file",
  description: "Reads lines of a text file. Every line comes as NUMBER|text. Use offset and limit to page.",
  parameters: z.object({
    path: z.string().describe("absolute, relative to the working directory, or ~/…"),
    offset: clampedInteger({ min: 1, max: Number.MAX_SAFE_INTEGER, default: 1 }, "first line, from 1"),
    limit: clampedInteger({ min: 1, max: 2000, default: 500 }, "lines"),
  }),
  previewArgument: "path",
  // it pages by itself; saving its result to a file would only be read again
  maxResultChars: Infinity,
  concurrency: (args) => ({ mode: "path", path: args.path }),
  async execute(args, context) {
    const place = judgeToolPath(args.path, "read", context);
    if (!place.ok) return failure(place.error, { path: args.path, hint: place.hint });
    try {
      return await readAllowed(args, place.resolved, context);
    } catch (error) {
      if (fileErrorCode(error) === undefined) throw error;
      if (fileErrorCode(error) !== "ENOENT") return failure(fileFault(args.path, error), { path: args.path });
      const similar = similarFiles(place.path);
      return failure(`File not found: ${args.path}`, similar.length > 0 ? { similar_files: similar } : {});
    }
  },
});

interface ReadArguments {
  path: string;
  offset: number;
  limit: number;
}

async function readAllowed(args: ReadArguments, path: string, context: CoreToolContext): Promise<ToolOutput> {
  const stat = statSync(path);
  const refusal = refuseKind(args.path, path, stat);
  if (refusal !== undefined) return refusal;
  const stamp = readStamp(path);
  const advice = stamp === undefined ? undefined : context.files.adviseRead(path, args, stamp);
  if (advice?.kind === "unchanged") {
    return answer({
      status: "unchanged",
      message: unchangedMessage,
      path: args.path,
      dedup: true,
      content_returned: false,
    });
  }
  if (advice?.kind === "blocked") {
    return failure(
      `BLOCKED: you have read this range ${advice.reads} times and it has not changed. Use what you have.`,
      {
        path: args.path,
        already_read: advice.reads,
      },
    );
  }
  const maxLineLength = context.settings.output.maxLineLength;
  const window = await readLineWindow(path, { offset: args.offset, limit: args.limit, maxLineLength }, context.signal);
  const output = windowAnswer(args, window, { sizeBytes: stat.size, repeats: advice?.repeats ?? 1, context });
  if (output.isError !== true) context.files.noteRead(path, args, stamp);
  return output;
}

function refuseKind(
  written: string,
  path: string,
  stat: { isDirectory(): boolean; isFile(): boolean; size: number },
): ToolOutput | undefined {
  if (stat.isDirectory()) {
    return failure(`${written} is a directory, not a file`, { hint: "list its files with a file search or a command" });
  }
  if (path === "/dev/null") return answer({ content: "", total_lines: 0, file_size: 0, truncated: false });
  if (!stat.isFile()) return failure(`${written} is a device, pipe or socket: reading it could wait for ever`);
  if (isImageName(path)) {
    return answer({
      is_image: true,
      is_binary: true,
      file_size: stat.size,
      hint: "This is an image: its pixels cannot be read as text.",
    });
  }
  if (isBinaryName(path)) return binaryFailure(written, stat.size);
  return undefined;
}

function binaryFailure(path: string, sizeBytes: number): ToolOutput {
  return failure(`${path} is a binary file and cannot be shown as text`, {
    is_binary: true,
    file_size: sizeBytes,
    hint: "inspect it with a command that understands its format",
  });
}

function windowAnswer(
  args: ReadArguments,
  window: LineWindow,
  about: { sizeBytes: number; repeats: number; context: CoreToolContext },
): ToolOutput {
  if (window.isBinary) return binaryFailure(args.path, about.sizeBytes);
  const facts = { total_lines: window.totalLines, file_size: about.sizeBytes };
  const plain = numberLines(window.lines, args.offset, window.lines.length);
  const maxChars = about.context.settings.fileReadMaxChars;
  if (plain.length > maxChars) {
    return failure(`The requested range has ${plain.length} characters; at most ${maxChars} can be read at once.`, {
      path: args.path,
      ...facts,
      hint: "read fewer lines with offset and limit",
    });
  }
  const lastShown = args.offset + window.lines.length - 1;
  const text = window.lines.join("\n");
  const redacted = redact(text, { code: isCodeName(args.path) });
  const content = redacted === text ? plain : numberLines(redacted.split("\n"), args.offset, window.lines.length);
  return answer({
    content,
    ...facts,
    truncated: window.hasMore,
    hint: hintOf(args, window, lastShown),
    _hint:
      about.sizeBytes > hugeFileBytes && args.limit > 200 && window.hasMore
        ? "This file is large: search it, or read only the section you need."
        : undefined,
    _note: noteOf(window, content !== plain),
    _warning:
      about.repeats >= 3
        ? `You have read this range ${about.repeats} times in a row. Use what you have, or read another part.`
        : undefined,
  });
}

/** Numbers lines; where masking made many lines one, those behind it keep their numbers from the end. */
function numberLines(lines: string[], offset: number, originalCount: number): string {
  const removed = originalCount - lines.length;
  const gap = removed === 0 ? lines.length : lines.findIndex((line) => line.includes("[REDACTED")) + 1;
  return lines.map((line, index) => `${offset + index + (index >= gap ? removed : 0)}|${line}`).join("\n");
}

function hintOf(args: ReadArguments, window: LineWindow, lastShown: number): string | undefined {
  if (window.totalLines === 0) return "The file is empty.";
  if (window.lines.length === 0) return `The file has no line ${args.offset}.`;
  if (!window.hasMore) return undefined;
  const total = window.totalLines === undefined ? "" : ` of ${window.totalLines}`;
  return `Lines ${args.offset}-${lastShown}${total} shown. Use offset=${lastShown + 1} to read on.`;
}

function noteOf(window: LineWindow, isRedacted: boolean): string | undefined {
  const notes = [
    window.hasInvalidUtf8 ? "Some bytes are not valid UTF-8 and are shown as \ufffd." : "",
    isRedacted ? "Secrets are masked; the file itself holds the real values. Never write a masked value back." : "",
  ].filter((note) => note !== "");
  return notes.length === 0 ? undefined : notes.join(" ");
}

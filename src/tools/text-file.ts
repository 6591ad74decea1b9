import { statSync } from "node:fs";
import { readRegularFile } from "../base/fs.ts";
import { ToolError } from "../base/errors.ts";

/** A text file as an editor sees it, with what is needed to give back every untouched byte. */
export interface TextFile {
  /** the text with `\n` as the only line ending and without the byte order mark */
  text: string;
  /** the text as it is in the file, without the byte order mark */
  raw: string;
  hasBom: boolean;
  /** what new lines get */
  lineEnding: "\n" | "\r\n";
}

/** Replaces `text[start..end)` by `replacement`; positions are UTF-16 units. */
export interface TextEdit {
  start: number;
  end: number;
  replacement: string;
}

export const maxEditableBytes = 52_428_800;
const byteOrderMark = "\ufeff";

/**
 * Reads a whole file for editing.
 * @throws {ToolError} E_FILE_KIND for what is no regular file, E_FILE_SIZE above 50 MB, E_FILE_ENCODING for bytes that
 * are not UTF-8 (an edit would change them); the system's error otherwise
 */
export function readTextFile(path: string): TextFile {
  const stat = statSync(path);
  if (stat.isDirectory()) throw new ToolError("E_FILE_KIND", `${path} is a directory`);
  if (!stat.isFile()) throw new ToolError("E_FILE_KIND", `${path} is not a regular file`);
  if (stat.size > maxEditableBytes) {
    throw new ToolError(
      "E_FILE_SIZE",
      `${path} has ${stat.size} bytes; files above ${maxEditableBytes} are not edited`,
      {
        hint: "change it with a command such as sed",
      },
    );
  }
  return decodeTextFile(path, readRegularFile(path, maxEditableBytes));
}

function decodeTextFile(path: string, bytes: Uint8Array): TextFile {
  try {
    return toTextFile(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch (error) {
    throw new ToolError("E_FILE_ENCODING", `${path} is not valid UTF-8: editing it as text would change other bytes`, {
      cause: error,
      hint: "convert it with iconv first, or change it with a command that works on bytes",
    });
  }
}

/** Splits the content of a file into its text and what surrounds it. */
export function toTextFile(content: string): TextFile {
  const hasBom = content.startsWith(byteOrderMark);
  const raw = hasBom ? content.slice(1) : content;
  const windows = raw.split("\r\n").length - 1;
  const all = raw.split("\n").length - 1;
  return { text: raw.replaceAll("\r\n", "\n"), raw, hasBom, lineEnding: windows * 2 > all ? "\r\n" : "\n" };
}

/** The content to be written. */
export function formatTextFile(file: TextFile): string {
  return (file.hasBom ? byteOrderMark : "") + file.raw;
}

/**
 * Applies edits that do not overlap, in any order. Text outside of them keeps its bytes, new lines get the file's ending.
 */
export function applyEdits(file: TextFile, edits: TextEdit[]): TextFile {
  const toRaw = rawPositions(file.raw);
  let raw = "";
  let position = 0;
  for (const edit of edits.toSorted((left, right) => left.start - right.start)) {
    const start = toRaw(edit.start);
    raw += file.raw.slice(position, start) + withEnding(edit.replacement, file.lineEnding);
    position = toRaw(edit.end);
  }
  raw += file.raw.slice(position);
  return { ...file, raw, text: raw.replaceAll("\r\n", "\n") };
}

/** Text with one kind of line ending. */
export function withEnding(text: string, lineEnding: "\n" | "\r\n"): string {
  const plain = text.replaceAll("\r\n", "\n");
  return lineEnding === "\n" ? plain : plain.replaceAll("\n", "\r\n");
}

/** Maps a position in the text with plain line ends to the one in the raw text; calls must not go back. */
function rawPositions(raw: string): (position: number) => number {
  let removed = 0;
  let next = raw.indexOf("\r\n");
  return (position) => {
    while (next !== -1 && next - removed < position) {
      removed += 1;
      next = raw.indexOf("\r\n", next + 2);
    }
    return position + removed;
  };
}

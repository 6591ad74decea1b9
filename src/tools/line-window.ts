import { open } from "node:fs/promises";
import { isBinarySample, sampleBytes } from "./file-kind.ts";

/** Some lines of a file, read without holding the file in memory. */
export interface LineWindow {
  lines: string[];
  /** undefined when the file is too long to count */
  totalLines?: number;
  /** more lines follow */
  hasMore: boolean;
  isBinary: boolean;
  hasInvalidUtf8: boolean;
}

export interface WindowOptions {
  /** first line, from 1 */
  offset: number;
  limit: number;
  maxLineLength: number;
}

/** Lines behind the window are counted as long as the file is not longer than this. */
const maxScanBytes = 67_108_864;
const chunkBytes = 262_144;
const newline = 10;

/** @throws the system's error, or the signal's reason */
export async function readLineWindow(path: string, options: WindowOptions, signal: AbortSignal): Promise<LineWindow> {
  const file = await open(path, "r");
  try {
    const chunk = new Uint8Array(chunkBytes);
    const scanner = createScanner(options);
    for (let position = 0; ;) {
      signal.throwIfAborted();
      const { bytesRead } = await file.read(chunk, 0, chunkBytes, position);
      const bytes = chunk.subarray(0, bytesRead);
      if (position === 0 && isBinarySample(bytes.subarray(0, sampleBytes))) {
        return { lines: [], hasMore: false, isBinary: true, hasInvalidUtf8: false };
      }
      if (bytesRead === 0) return scanner.end(true);
      scanner.feed(bytes);
      position += bytesRead;
      if (position > maxScanBytes && scanner.hasReachedWindow()) return scanner.end(false);
    }
  } finally {
    await file.close();
  }
}

interface Scanner {
  feed(bytes: Uint8Array): void;
  /** true from the first line of the window on */
  hasReachedWindow(): boolean;
  end(isWholeFile: boolean): LineWindow;
}

function createScanner(options: WindowOptions): Scanner {
  const last = options.offset + options.limit - 1;
  // a cut line must show that it was cut: keep a little more than is shown
  const keptBytes = (options.maxLineLength + 1) * 4;
  const lines: string[] = [];
  let line = 1;
  let lineBytes = 0;
  let kept: Uint8Array[] = [];
  let keptLength = 0;
  let hasInvalidUtf8 = false;

  const take = (bytes: Uint8Array): void => {
    lineBytes += bytes.length;
    if (line < options.offset || line > last || keptLength >= keptBytes) return;
    const part = bytes.slice(0, keptBytes - keptLength);
    kept.push(part);
    keptLength += part.length;
  };
  const finishLine = (): void => {
    if (line >= options.offset && line <= last) {
      const isCut = keptLength < lineBytes;
      const text = new TextDecoder("utf-8", { ignoreBOM: line > 1 }).decode(Buffer.concat(kept), { stream: isCut });
      hasInvalidUtf8 ||= text.includes("\ufffd");
      lines.push(cutLine(text.endsWith("\r") ? text.slice(0, -1) : text, options.maxLineLength, isCut));
    }
    line += 1;
    lineBytes = 0;
    kept = [];
    keptLength = 0;
  };
  return {
    feed(bytes) {
      let start = 0;
      for (let end = bytes.indexOf(newline); end !== -1; end = bytes.indexOf(newline, start)) {
        take(bytes.subarray(start, end));
        finishLine();
        start = end + 1;
      }
      take(bytes.subarray(start));
    },
    hasReachedWindow: () => line >= options.offset,
    end(isWholeFile) {
      // what follows the last newline is a line too, unless it is empty
      if (lineBytes > 0 && (isWholeFile || line <= last)) finishLine();
      const totalLines = line - 1;
      if (isWholeFile) return { lines, totalLines, hasMore: totalLines > last, isBinary: false, hasInvalidUtf8 };
      return { lines, hasMore: true, isBinary: false, hasInvalidUtf8 };
    },
  };
}

function cutLine(text: string, maxLength: number, isCut: boolean): string {
  if (text.length <= maxLength && !isCut) return text;
  const cut = text.slice(0, maxLength);
  return `${cut.isWellFormed() ? cut : cut.slice(0, -1)}... [truncated]`;
}

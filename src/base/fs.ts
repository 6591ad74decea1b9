import { randomBytes } from "node:crypto";
import {
  chmodSync,
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";

/** Creates a directory (0700) with its parents. */
export function ensureDirectory(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
}

/**
 * Replaces a file as a whole: temporary file beside it, fsync, rename. A symlink is followed, its target replaced.
 * @param mode bits of a new file; an existing one keeps its own unless `forceMode`
 * @throws the system's error; the old file is then untouched and no temporary file is left
 */
export function writeFileAtomic(
  path: string,
  data: string | Uint8Array,
  options: { mode?: number; forceMode?: boolean } = {},
): void {
  const target = resolveLink(path);
  const mode = options.forceMode ? (options.mode ?? 0o600) : (existingMode(target) ?? options.mode ?? 0o600);
  const temporary = join(dirname(target), `.${basename(target)}.${process.pid}.${randomBytes(4).toString("hex")}.tmp`);
  const bytes = typeof data === "string" ? Buffer.from(data, "utf8") : data;
  let handle: number | undefined;
  try {
    handle = openSync(temporary, "wx", mode);
    let offset = 0;
    while (offset < bytes.length) offset += writeSync(handle, bytes, offset);
    fsyncSync(handle);
    closeSync(handle);
    handle = undefined;
    chmodSync(temporary, mode);
    renameSync(temporary, target);
  } catch (error) {
    if (handle !== undefined) closeSync(handle);
    rmSync(temporary, { force: true });
    throw error;
  }
}

function resolveLink(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    // a file that does not exist yet is its own target
    return path;
  }
}

function existingMode(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.mode === undefined ? undefined : statSync(path).mode & 0o777;
}

/** The system's code of a file error (`ENOENT`, `ENOSPC` …), undefined for other errors. */
export function fileErrorCode(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}

import { randomBytes } from "node:crypto";
import {
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";

const defaultLimitBytes = 16 * 1024 * 1024;

/** Creates a directory (0700) with its parents. */
export function ensureDirectory(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
}

/** A file that is written beside its place and takes it as a whole. */
export interface AtomicFile {
  write(data: string | Uint8Array): void;
  /** puts the file in its place, on the disk */
  commit(): void;
  /** removes what was written; nothing after `commit` */
  discard(): void;
}

interface AtomicOptions {
  /** bits of a new file, 0600 when not given; an existing one keeps its own unless `forceMode` */
  mode?: number;
  forceMode?: boolean;
}

/**
 * Begins to replace a file as a whole: temporary file beside it, fsync, rename. A symlink is followed, its target replaced.
 * @throws the system's error, also from `write` and `commit`; the old file is then untouched
 */
export function openAtomic(path: string, options: AtomicOptions = {}): AtomicFile {
  const target = resolveLink(path);
  const mode = options.forceMode ? (options.mode ?? 0o600) : (existingMode(target) ?? options.mode ?? 0o600);
  const temporary = join(dirname(target), `.${basename(target)}.${process.pid}.${randomBytes(4).toString("hex")}.tmp`);
  let handle: number | undefined = openSync(temporary, "wx", mode);
  const close = (): void => {
    if (handle !== undefined) closeSync(handle);
    handle = undefined;
  };
  return {
    write(data) {
      if (handle === undefined) throw new Error(`${path} is not open`);
      const bytes = typeof data === "string" ? Buffer.from(data, "utf8") : data;
      let offset = 0;
      while (offset < bytes.length) offset += writeSync(handle, bytes, offset);
    },
    commit() {
      if (handle === undefined) throw new Error(`${path} is not open`);
      fsyncSync(handle);
      close();
      chmodSync(temporary, mode);
      renameSync(temporary, target);
    },
    discard() {
      close();
      rmSync(temporary, { force: true });
    },
  };
}

/**
 * Replaces a file as a whole, like `openAtomic`.
 * @throws the system's error; the old file is then untouched and no temporary file is left
 */
export function writeFileAtomic(path: string, data: string | Uint8Array, options: AtomicOptions = {}): void {
  const file = openAtomic(path, options);
  try {
    file.write(data);
    file.commit();
  } catch (error) {
    file.discard();
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

/**
 * Reads a whole file without ever waiting: pipes and devices are refused, not read.
 * @throws the system's error; a plain one, without code, for what is no regular file or above `limitBytes`
 */
export function readRegularFile(path: string, limitBytes = defaultLimitBytes): Buffer {
  // opening a pipe waits for its other end, unless it is told not to
  const handle = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stat = fstatSync(handle);
    if (!stat.isFile()) throw new Error(`it is ${stat.isDirectory() ? "a directory" : "no regular file"}`);
    if (stat.size > limitBytes) throw new Error(`it has ${stat.size} bytes, more than ${limitBytes}`);
    return readFileSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** The system's code of a file error (`ENOENT`, `ENOSPC` …), undefined for other errors. */
export function fileErrorCode(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}

import { randomBytes } from "node:crypto";
import { closeSync, linkSync, openSync, renameSync, rmSync, statSync, writeSync } from "node:fs";
import { ConfigError, errorMessage } from "../base/errors.ts";
import { fileErrorCode, readRegularFile } from "../base/fs.ts";
import { displayPath } from "../base/paths.ts";

const waitLimitMs = 10_000;
const pollMs = 10;
/** a lock without a process in it is being written, or its disk was full */
const writingLimitMs = 2000;
/** no change takes so long: the number of the process belongs to another one by now */
const heldLimitMs = 60_000;

/**
 * Runs a synchronous change while no other process changes the same file. The lock is a file beside it; one left
 * by a process that is gone is taken over.
 * @throws {ConfigError} E_CONFIG_LOCKED after 10 s, E_CONFIG_WRITE when the folder is not writable
 */
export function withFileLock<Result>(path: string, change: () => Result): Result {
  const lock = `${path}.lock`;
  const giveUpAtMs = performance.now() + waitLimitMs;
  while (!acquire(lock, path)) {
    takeOverFromDead(lock);
    if (performance.now() > giveUpAtMs) {
      throw new ConfigError("E_CONFIG_LOCKED", `${displayPath(path)} is being changed by another process`, {
        hint: `try again; when no hermes is running, remove ${lock}`,
        path,
        retryable: true,
      });
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pollMs);
  }
  try {
    return change();
  } finally {
    rmSync(lock, { force: true });
  }
}

function acquire(lock: string, path: string): boolean {
  try {
    const handle = openSync(lock, "wx", 0o600);
    writeSync(handle, String(process.pid));
    closeSync(handle);
    return true;
  } catch (error) {
    if (fileErrorCode(error) === "EEXIST") return false;
    throw writeError(path, error);
  }
}

/** A file that cannot be written, with the next step. */
export function writeError(path: string, error: unknown): ConfigError {
  const code = fileErrorCode(error);
  const hint =
    code === "ENOSPC" || code === "EDQUOT"
      ? "free some disk space, then try again"
      : "make the folder writable for this user, or set HERMES_HOME to another folder";
  return new ConfigError("E_CONFIG_WRITE", `${displayPath(path)} cannot be written: ${errorMessage(error)}`, {
    hint,
    path,
    cause: error,
  });
}

function takeOverFromDead(lock: string): void {
  const holder = readHolder(lock);
  const limitMs = holder === undefined ? writingLimitMs : heldLimitMs;
  if ((holder === undefined || isAlive(holder)) && ageMs(lock) < limitMs) return;
  const aside = `${lock}.${randomBytes(4).toString("hex")}`;
  try {
    renameSync(lock, aside);
    // between reading and renaming somebody else may have taken it over: give that lock back
    if (readHolder(aside) !== holder) linkSync(aside, lock);
  } catch (error) {
    if (!["ENOENT", "EEXIST"].includes(fileErrorCode(error) ?? "")) throw error;
    // another process was faster; the next attempt sees what it did
  } finally {
    rmSync(aside, { force: true });
  }
}

/** The process in a lock file; undefined while it is being written or when it is gone. */
function readHolder(lock: string): number | undefined {
  try {
    const pid = Number(readRegularFile(lock).toString("utf8"));
    return Number.isInteger(pid) && pid > 0 ? pid : undefined;
  } catch (error) {
    if (fileErrorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** Since when the lock stands; 0 when it is gone. */
function ageMs(lock: string): number {
  const stat = statSync(lock, { throwIfNoEntry: false });
  return stat === undefined ? 0 : Date.now() - stat.mtimeMs;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return fileErrorCode(error) !== "ESRCH";
  }
}

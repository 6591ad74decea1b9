import { chmodSync, closeSync, openSync, renameSync, statSync } from "node:fs";
import { dirname, isAbsolute } from "node:path";
import { errorMessage, isHermesError, StoreError } from "../base/errors.ts";
import { ensureDirectory, fileErrorCode } from "../base/fs.ts";
import { createChannel } from "./channel.ts";
import type { Durability, OpenRequest } from "./protocol.ts";
import { spawnWorker } from "./spawn.ts";
import type { SqlValue, Store, Write } from "./types.ts";

export interface StoreOptions {
  /** absolute path of the database; its folder is created (0700), the file too (0600) */
  path: string;
  /** default `normal`: a killed process loses nothing, a power cut perhaps the last moments */
  durability?: Durability;
  /** told in one line when a damaged file was set aside */
  onWarning?: (text: string) => void;
  /** how long a call waits for another process's lock before E_STORE_BUSY; default 30,000 ms */
  busyLimitMs?: number;
}

/**
 * Opens the database, bringing its schema up to date. A damaged file, or one of another program, is set aside as
 * `<name>.damaged-<time>` and a fresh one opened.
 * @throws {StoreError} E_STORE_NEWER, E_STORE_READ_ONLY, E_STORE_FULL, E_STORE_BUSY, E_STORE_OPEN
 */
export async function openStore(options: StoreOptions): Promise<Store> {
  const { path } = options;
  if (!isAbsolute(path)) throw new StoreError("E_STORE_OPEN", `"${path}" is not an absolute path`);
  for (let attempt = 0; ; attempt += 1) {
    const inode = createFile(path);
    try {
      return await connect(options);
    } catch (error) {
      if (attempt >= 2 || !isDamage(error)) throw error;
      setAside(path, inode, errorMessage(error), options.onWarning);
    }
  }
}

async function connect(options: StoreOptions): Promise<Store> {
  const { path, durability = "normal", busyLimitMs = 30_000 } = options;
  const openRequest = (mode: OpenRequest["mode"]): OpenRequest => ({
    type: "open",
    mode,
    path,
    durability,
    busyLimitMs,
  });
  const writer = createChannel(spawnWorker, openRequest("writer"));
  const reader = createChannel(spawnWorker, openRequest("reader"));
  // the reader opens with its first query, so after the writer: two connections that open a new file at once get in each other's way
  try {
    await writer.open();
  } catch (error) {
    await writer.close();
    throw error;
  }
  return {
    path,
    async write(writes, fence) {
      if (writes.length === 0) return [];
      const request = { type: "write", writes: writes.map(cleanWrite), fence } as const;
      return (await writer.call(request)) as number[];
    },
    async read<Row>(query: { sql: string; args: SqlValue[] }) {
      const request = { type: "read", sql: query.sql, args: query.args.map(cleanValue) } as const;
      return (await reader.call(request)) as Row[];
    },
    async close() {
      // the writer last: the last connection writes the log back into the file
      await reader.close();
      await writer.close();
    },
  };
}

function cleanWrite(write: Write): Write {
  return { sql: write.sql, args: write.args.map(cleanValue) };
}

/** The engine cuts a text at a NUL and dies of a boolean; a lone surrogate has no UTF-8 form. */
function cleanValue(value: SqlValue): SqlValue {
  if (typeof value === "string") {
    const text = value.includes("\0") ? value.replaceAll("\0", "\uFFFD") : value;
    return text.isWellFormed() ? text : text.toWellFormed();
  }
  if (value === null || typeof value === "number" || typeof value === "bigint" || value instanceof Uint8Array) {
    return value;
  }
  throw new StoreError("E_STORE_WRITE", `a column cannot hold ${typeof value}`);
}

/** Makes the folder and an empty file with the right modes. Returns the file's inode. */
function createFile(path: string): number {
  try {
    ensureDirectory(dirname(path));
    closeSync(openSync(path, "a", 0o600));
    const stats = statSync(path);
    if ((stats.mode & 0o077) !== 0) chmodSync(path, 0o600);
    return stats.ino;
  } catch (error) {
    throw toOpenError(path, error);
  }
}

function toOpenError(path: string, error: unknown): StoreError {
  const code = fileErrorCode(error) ?? "";
  const message = `${path}: ${errorMessage(error)}`;
  if (code === "ENOSPC" || code === "EDQUOT") {
    return new StoreError("E_STORE_FULL", message, { hint: "free some disk space, then try again", cause: error });
  }
  const hint = "make the folder writable for this user, or set HERMES_HOME to another folder";
  const readOnly = code === "EROFS" || code === "EACCES" || code === "EPERM";
  return new StoreError(readOnly ? "E_STORE_READ_ONLY" : "E_STORE_OPEN", message, { hint, cause: error });
}

function isDamage(error: unknown): boolean {
  return isHermesError(error) && (error.code === "E_STORE_CORRUPT" || error.code === "E_STORE_FOREIGN");
}

function setAside(path: string, inode: number, reason: string, onWarning: ((text: string) => void) | undefined): void {
  // another process may have set it aside already: what lies there now is a fresh file
  if (statSync(path, { throwIfNoEntry: false })?.ino !== inode) return;
  const stamp = new Date().toISOString().replace(/[-:]/g, "").replace(/\..*/, "");
  const target = freeName(`${path}.damaged-${stamp}`);
  try {
    for (const suffix of ["-wal", "-shm", ""]) {
      if (statSync(path + suffix, { throwIfNoEntry: false }) !== undefined) {
        renameSync(path + suffix, target + suffix);
      }
    }
  } catch (error) {
    throw toOpenError(path, error);
  }
  onWarning?.(`${reason}; kept as ${target}, a fresh database is used`);
}

function freeName(wanted: string): string {
  let name = wanted;
  for (let count = 2; statSync(name, { throwIfNoEntry: false }) !== undefined; count += 1) name = `${wanted}-${count}`;
  return name;
}

import { chmodSync, closeSync, openSync, renameSync, statSync } from "node:fs";
import { dirname, isAbsolute } from "node:path";
import { errorMessage, isHermesError, StoreError } from "../base/errors.ts";
import { ensureDirectory, fileErrorCode } from "../base/fs.ts";
import { createChannel } from "./channel.ts";
import { fileStamp, freeName } from "./opened-file.ts";
import type { Durability, OpenRequest, StoreRequest } from "./protocol.ts";
import type { Salvage } from "./salvage.ts";
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
      return await connect(options, inode);
    } catch (error) {
      if (attempt >= 2 || !isDamage(error)) throw error;
      const kept = setAside(path, inode);
      if (kept !== undefined) {
        options.onWarning?.(`${errorMessage(error)}; kept as ${kept}, a fresh database is used`);
      }
    }
  }
}

function openRequestOf(options: StoreOptions, inode?: number): (mode: OpenRequest["mode"]) => OpenRequest {
  const { path, durability = "normal", busyLimitMs = 30_000 } = options;
  return (mode) => ({ type: "open", mode, path, durability, busyLimitMs, inode });
}

/**
 * Looks through the whole file; one with damaged pages is set aside and what can be read of it copied into a fresh one.
 * @returns undefined when there was nothing to repair
 * @throws {StoreError} as {@link openStore}
 */
export async function repairStore(options: StoreOptions): Promise<(Salvage & { kept: string }) | undefined> {
  const { path } = options;
  const store = await openStore(options);
  const healthy = await isHealthy(store).finally(() => store.close());
  if (healthy) return undefined;
  const kept = setAside(path, statSync(path).ino);
  if (kept === undefined) return undefined;
  createFile(path);
  const writer = createChannel(spawnWorker, openRequestOf(options)("writer"));
  try {
    return { ...((await writer.call({ type: "salvage", from: kept })) as Salvage), kept };
  } finally {
    await writer.close();
  }
}

/** Reads every page of the file; slow on a large one. */
export async function isHealthy(store: Store): Promise<boolean> {
  try {
    const rows = await store.read<Record<string, unknown>>({ sql: "PRAGMA integrity_check(1)", args: [] });
    return Object.values(rows[0] ?? {})[0] === "ok";
  } catch (error) {
    if (isDamage(error)) return false;
    throw error;
  }
}

async function connect(options: StoreOptions, inode: number): Promise<Store> {
  const { path } = options;
  const openRequest = openRequestOf(options, inode);
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
      try {
        return (await reader.call(request)) as Row[];
      } catch (error) {
        // the writer still has the file, and says where it saved it
        if (isHermesError(error) && error.code === "E_STORE_GONE") await writer.call(emptyWrite);
        throw error;
      }
    },
    async close() {
      // the writer last: the last connection writes the log back into the file
      await reader.close();
      await writer.close();
    },
  };
}

/** Changes nothing, but is a commit. */
const emptyWrite: StoreRequest = {
  type: "write",
  writes: [{ sql: "UPDATE kv SET value = value WHERE 0", args: [] }],
  fence: undefined,
};

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

/** @returns the name under which the file is kept; undefined when another process was faster */
function setAside(path: string, inode: number): string | undefined {
  // what lies there now is a fresh file
  if (statSync(path, { throwIfNoEntry: false })?.ino !== inode) return undefined;
  const target = freeName(`${path}.damaged-${fileStamp()}`);
  try {
    for (const suffix of ["-wal", "-shm", ""]) {
      if (statSync(path + suffix, { throwIfNoEntry: false }) !== undefined) {
        renameSync(path + suffix, target + suffix);
      }
    }
  } catch (error) {
    throw toOpenError(path, error);
  }
  return target;
}

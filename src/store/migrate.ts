import { StoreError } from "../base/errors.ts";
import type { Connection } from "./connection.ts";
import { migrations } from "./migrations/index.ts";
import type { OpenRequest } from "./protocol.ts";
import { retryBusy } from "./retry.ts";

/** "HRMS": marks a file as a database of hermes. */
const APPLICATION_ID = 0x48524d53;

/**
 * Checks the file, sets the connection up and brings the schema to the newest version.
 * @throws {StoreError} E_STORE_NEWER (file untouched), E_STORE_FOREIGN; the engine's error for a damaged file
 */
export async function prepareDatabase(connection: Connection, options: OpenRequest): Promise<void> {
  const deadlineMs = performance.now() + options.busyLimitMs;
  const version = await retryBusy(() => checkFile(connection, options.path), deadlineMs);
  await retryBusy(() => {
    connection.select("PRAGMA journal_mode = WAL", []);
  }, deadlineMs);
  connection.execute(`PRAGMA synchronous = ${options.durability === "full" ? "FULL" : "NORMAL"}`);
  connection.execute("PRAGMA foreign_keys = ON");
  if (version < migrations.length) {
    await retryBusy(() => {
      connection.execute("BEGIN IMMEDIATE");
    }, deadlineMs);
    try {
      applyMigrations(connection, migrations.length);
      await retryBusy(() => {
        connection.execute("COMMIT");
      }, deadlineMs);
    } catch (error) {
      if (connection.isInTransaction()) connection.execute("ROLLBACK");
      throw error;
    }
  }
}

function checkFile(connection: Connection, path: string): number {
  const version = pragmaNumber(connection, "user_version");
  if (version > migrations.length) {
    throw new StoreError(
      "E_STORE_NEWER",
      `${path} has version ${version}, this hermes knows versions up to ${migrations.length}`,
      { hint: "update hermes: a newer one has written this file", exitCode: 78 },
    );
  }
  const tables = connection.select("SELECT name FROM sqlite_master LIMIT 1", []);
  if (tables.length > 0 && pragmaNumber(connection, "application_id") !== APPLICATION_ID) {
    throw new StoreError("E_STORE_FOREIGN", `${path} is a database of another program`);
  }
  return version;
}

/** Applies what is missing up to `target`; the caller holds the write lock. */
function applyMigrations(connection: Connection, target: number): void {
  // read again under the lock: another process may have been faster
  const version = pragmaNumber(connection, "user_version");
  if (version >= target) return;
  if (version === 0) connection.execute(`PRAGMA application_id = ${APPLICATION_ID}`);
  for (const sql of migrations.slice(version, target)) connection.execute(sql);
  connection.execute(`PRAGMA user_version = ${target}`);
}

function pragmaNumber(connection: Connection, name: string): number {
  return Number(Object.values(connection.select(`PRAGMA ${name}`, [])[0] ?? {})[0] ?? 0);
}

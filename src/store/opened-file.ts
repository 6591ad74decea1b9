import { randomBytes } from "node:crypto";
import { chmodSync, renameSync, rmSync, statSync } from "node:fs";
import { errorMessage } from "../base/errors.ts";
import type { Connection } from "./connection.ts";
import type { Fault } from "./protocol.ts";

/** The file that a connection has open, as against what lies at its path. */
export interface OpenedFile {
  /**
   * Looks after every commit: what is written into a file that was removed or replaced would be lost in silence.
   * Then all that is in the open file is saved beside the path, and the fault says where.
   */
  checkCommit(): Fault | undefined;
  /** true when closing the connection would remove the log of another process's file */
  isForeignNow(): boolean;
}

export function watchOpenedFile(connection: Connection, path: string): OpenedFile {
  const log = `${path}-wal`;
  const opened = identityOf(path);
  let openedLog: string | undefined;
  let saved: string | undefined;

  function missing(): string | undefined {
    if (identityOf(path) !== opened) return path;
    const now = identityOf(log);
    openedLog ??= now;
    return now === openedLog ? undefined : log;
  }

  return {
    checkCommit() {
      const gone = missing();
      if (gone === undefined) return undefined;
      const target = saved ?? freeName(`${path}.recovered-${fileStamp()}`);
      const problem = saveCopy(connection, target);
      if (problem === undefined) saved = target;
      return goneFault(path, gone, problem === undefined ? { saved: target } : { problem });
    },
    isForeignNow: () => identityOf(path) !== opened && identityOf(log) !== openedLog,
  };
}

function goneFault(path: string, gone: string, copy: { saved: string } | { problem: string }): Fault {
  const what = `${gone} was removed or replaced while hermes was running`;
  if ("problem" in copy) {
    return {
      code: "E_STORE_GONE",
      message: `${what}, and its content could not be saved (${copy.problem}): what this turn said is not stored`,
      hint: `put ${path} back, then start hermes again`,
    };
  }
  const aside = identityOf(path) === undefined ? "" : `move ${path} and ${path}-wal away, `;
  return {
    code: "E_STORE_GONE",
    message: `${what}; all sessions with this turn up to here are saved in ${copy.saved}`,
    hint: `end every hermes, ${aside}then: mv ${copy.saved} ${path}`,
  };
}

/** @returns what went wrong; undefined when the copy is whole */
function saveCopy(connection: Connection, target: string): string | undefined {
  const temporary = `${target}.${randomBytes(4).toString("hex")}.tmp`;
  try {
    connection.execute(`VACUUM INTO '${temporary.replaceAll("'", "''")}'`);
    chmodSync(temporary, 0o600);
    renameSync(temporary, target);
    return undefined;
  } catch (error) {
    rmSync(temporary, { force: true });
    return errorMessage(error);
  }
}

/** Device and inode of a file; undefined when there is none. */
function identityOf(path: string): string | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats === undefined ? undefined : `${stats.dev}:${stats.ino}`;
}

/** The time as part of a file's name. */
export function fileStamp(): string {
  return new Date().toISOString().replace(/[-:]/g, "").replace(/\..*/, "");
}

export function freeName(wanted: string): string {
  let name = wanted;
  for (let count = 2; statSync(name, { throwIfNoEntry: false }) !== undefined; count += 1) name = `${wanted}-${count}`;
  return name;
}

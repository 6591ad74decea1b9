import { errorMessage, isHermesError, StoreError } from "../base/errors.ts";
import type { Fault } from "./protocol.ts";

/** The engine's own code of an error, like `SQLITE_BUSY`; empty for other errors. */
export function engineCode(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}

export function isBusy(error: unknown): boolean {
  return /^SQLITE_(BUSY|LOCKED)/.test(engineCode(error));
}

/** Translates what the engine threw into an error of ours, as data. */
export function toFault(error: unknown, action: "read" | "write" | "open", path: string): Fault {
  if (isHermesError(error)) {
    return {
      code: error.code,
      message: error.message,
      retryable: error.retryable,
      exitCode: error.exitCode,
      ...(error.hint === undefined ? {} : { hint: error.hint }),
    };
  }
  const code = engineCode(error);
  const detail = `${path}: ${errorMessage(error)}`;
  if (isBusy(error)) return busyFault(path);
  if (code.startsWith("SQLITE_FULL")) {
    return { code: "E_STORE_FULL", message: detail, hint: "free some disk space, then run the command again" };
  }
  if (/^SQLITE_(READONLY|PERM|AUTH)/.test(code)) {
    return { code: "E_STORE_READ_ONLY", message: detail, hint: readOnlyHint };
  }
  if (/^SQLITE_(CORRUPT|NOTADB)/.test(code)) {
    return { code: "E_STORE_CORRUPT", message: detail, hint: damageHint };
  }
  if (code.startsWith("SQLITE_CANTOPEN") || /ConnectionFailed/.test(errorMessage(error))) {
    return { code: "E_STORE_OPEN", message: `${path}: the database cannot be opened`, hint: readOnlyHint };
  }
  if (code.startsWith("SQLITE_IOERR")) {
    return { code: failureCode(action), message: detail, hint: "check the disk, then run the command again" };
  }
  return { code: failureCode(action), message: detail };
}

const damageHint =
  "hermes doctor --fix keeps the damaged file aside and copies what can be read of it into a fresh one";
const readOnlyHint = "make the folder writable for this user, or set HERMES_HOME to another folder";

function failureCode(action: "read" | "write" | "open"): string {
  if (action === "open") return "E_STORE_OPEN";
  return action === "read" ? "E_STORE_READ" : "E_STORE_WRITE";
}

export function busyFault(path: string): Fault {
  return {
    code: "E_STORE_BUSY",
    message: `${path}: another process keeps the database locked`,
    hint: "find it with: fuser -v on that file; then try again",
    retryable: true,
  };
}

export function fencedFault(name: string): Fault {
  return {
    code: "E_STORE_FENCED",
    message: `the lease "${name}" is held by another process now`,
    hint: "another process has taken over; start the turn again",
  };
}

/** Makes a fault of a worker an error of the caller's thread. */
export function toStoreError(fault: Fault): StoreError {
  return new StoreError(fault.code, fault.message, {
    ...(fault.hint === undefined ? {} : { hint: fault.hint }),
    ...(fault.retryable === undefined ? {} : { retryable: fault.retryable }),
    ...(fault.exitCode === undefined ? {} : { exitCode: fault.exitCode }),
  });
}

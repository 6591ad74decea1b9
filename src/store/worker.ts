/** The database's threads. One file, started as the writer or as the reader by its first message. */
import { statSync } from "node:fs";
import { StoreError } from "../base/errors.ts";
import type { Connection } from "./connection.ts";
import { toFault } from "./faults.ts";
import { prepareDatabase } from "./migrate.ts";
import { type OpenedFile, watchOpenedFile } from "./opened-file.ts";
import type { Fault, OpenRequest, StoreReply, StoreRequest } from "./protocol.ts";
import { retryBusy } from "./retry.ts";
import { salvageInto } from "./salvage.ts";
import { createWriter, type Writer } from "./writer.ts";

declare const self: Worker;

interface Opened {
  request: OpenRequest;
  connection: Connection;
  writer: Writer;
  file: OpenedFile;
}

/** Search looks at rows all over the file. */
const READER_CACHE_KIB = 16_384;

// loaded while the caller loads the rest; a native library that cannot be unpacked is told when the file is opened
const engine = import("./connection.ts");
engine.catch(() => {
  // open() awaits the same promise and reports it
});

let opened: Promise<Opened> | undefined;

self.addEventListener("message", (event: MessageEvent<{ id: number; request: StoreRequest }>) => {
  const { id, request } = event.data;
  answer(request).then(
    (value) => self.postMessage({ id, ok: true, value } satisfies StoreReply, []),
    (fault: Fault) => self.postMessage({ id, ok: false, fault } satisfies StoreReply, []),
  );
});

async function answer(request: StoreRequest): Promise<unknown> {
  if (request.type === "open") {
    opened = open(request);
    await opened;
    return null;
  }
  if (opened === undefined) throw { code: "E_STORE_OPEN", message: "the database is not open" } satisfies Fault;
  // what could not be opened was told to the call that needed it
  if (request.type === "close" && (await failedToOpen(opened))) return null;
  const { connection, writer, file, request: options } = await opened;
  if (request.type === "write") return writer.write(request.writes, request.fence);
  if (request.type === "read") {
    try {
      const deadlineMs = performance.now() + options.busyLimitMs;
      return await retryBusy(() => connection.select(request.sql, request.args), deadlineMs);
    } catch (error) {
      throw toFault(error, "read", options.path);
    }
  }
  await writer.drain();
  if (request.type === "salvage") {
    try {
      return salvageInto(connection, request.from);
    } catch (error) {
      throw toFault(error, "read", request.from);
    }
  }
  if (options.mode === "writer") emptyLog(connection);
  // the last connection of a file removes the log at its path, whosever that is by now; the end of the process does not
  if (!file.isForeignNow()) connection.close();
  opened = undefined;
  return null;
}

/** Writes the log back into the file, so that the file alone is a whole copy. Another process may be in the way. */
function failedToOpen(opening: Promise<Opened>): Promise<boolean> {
  return opening.then(
    () => false,
    () => true,
  );
}

function emptyLog(connection: Connection): void {
  try {
    connection.select("PRAGMA wal_checkpoint(TRUNCATE)", []);
  } catch {
    // nothing is lost: the log stays beside the file and is read with it
  }
}

/** The reader opens late: opening a path whose file is gone would make an empty one. */
function checkSameFile({ path, inode }: OpenRequest): void {
  if (inode === undefined || statSync(path, { throwIfNoEntry: false })?.ino === inode) return;
  throw new StoreError("E_STORE_GONE", `${path} was removed or replaced while hermes was running`);
}

async function open(request: OpenRequest): Promise<Opened> {
  const { path, busyLimitMs } = request;
  let connection: Connection | undefined;
  try {
    const { openConnection } = await engine;
    if (request.mode === "reader") checkSameFile(request);
    const deadlineMs = performance.now() + busyLimitMs;
    // another process that opens or closes the file locks it for a moment
    const fresh = await retryBusy(() => openConnection(path), deadlineMs);
    connection = fresh;
    if (request.mode === "writer") await prepareDatabase(fresh, request);
    else {
      await retryBusy(() => {
        fresh.execute(`PRAGMA query_only = ON; PRAGMA cache_size = -${READER_CACHE_KIB}`);
      }, deadlineMs);
    }
    const file = watchOpenedFile(fresh, path);
    return { request, connection: fresh, file, writer: createWriter(fresh, { path, busyLimitMs, file }) };
  } catch (error) {
    connection?.close();
    throw toFault(error, "open", path);
  }
}

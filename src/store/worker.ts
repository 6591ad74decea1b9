/** The database's threads. One file, started as the writer or as the reader by its first message. */
import type { Connection } from "./connection.ts";
import { toFault } from "./faults.ts";
import { prepareDatabase } from "./migrate.ts";
import type { Fault, OpenRequest, StoreReply, StoreRequest } from "./protocol.ts";
import { retryBusy } from "./retry.ts";
import { createWriter, type Writer } from "./writer.ts";

declare const self: Worker;

interface Opened {
  request: OpenRequest;
  connection: Connection;
  writer: Writer;
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
  const { connection, writer, request: options } = await opened;
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
  if (options.mode === "writer") emptyLog(connection);
  connection.close();
  opened = undefined;
  return null;
}

/** Writes the log back into the file, so that the file alone is a whole copy. Another process may be in the way. */
function emptyLog(connection: Connection): void {
  try {
    connection.select("PRAGMA wal_checkpoint(TRUNCATE)", []);
  } catch {
    // nothing is lost: the log stays beside the file and is read with it
  }
}

async function open(request: OpenRequest): Promise<Opened> {
  const { path, busyLimitMs } = request;
  let connection: Connection | undefined;
  try {
    const { openConnection } = await engine;
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
    return { request, connection: fresh, writer: createWriter(fresh, { path, busyLimitMs }) };
  } catch (error) {
    connection?.close();
    throw toFault(error, "open", path);
  }
}

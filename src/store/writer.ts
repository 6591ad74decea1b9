import type { Connection } from "./connection.ts";
import { busyFault, fencedFault, isBusy, toFault } from "./faults.ts";
import type { Fault } from "./protocol.ts";
import type { OpenedFile } from "./opened-file.ts";
import { jitterMs, retryBusy } from "./retry.ts";
import type { Fence, Write } from "./types.ts";
import { sleep } from "../base/time.ts";

/** Batches that share one commit at most, so that other processes get their turn. */
const MAX_GROUP = 500;

interface Job {
  writes: Write[];
  fence: Fence | undefined;
  deadlineMs: number;
  resolve(changes: number[]): void;
  reject(fault: Fault): void;
}

export interface Writer {
  /** @returns rows changed by each write; rejects with a {@link Fault} */
  write(writes: Write[], fence: Fence | undefined): Promise<number[]>;
  /** resolves when everything queued so far is committed or rejected */
  drain(): Promise<void>;
}

/**
 * Commits batches in order. All batches that have arrived share one transaction, each in a savepoint of its own,
 * so a batch that fails fails alone.
 */
export function createWriter(
  connection: Connection,
  options: { path: string; busyLimitMs: number; file: OpenedFile },
): Writer {
  const { path, busyLimitMs, file } = options;
  let queue: Job[] = [];
  let running: Promise<void> | undefined;

  async function run(): Promise<void> {
    // messages that arrive in this tick join the group
    await new Promise((resolve) => setImmediate(resolve));
    for (let attempt = 0; queue.length > 0; attempt += 1) {
      const began = begin();
      if (began === "busy") {
        rejectLate();
        await sleep(jitterMs(attempt));
        continue;
      }
      attempt = 0;
      if (began === "ready") await commitGroup(queue.splice(0, MAX_GROUP));
    }
  }

  function begin(): "ready" | "busy" | "failed" {
    try {
      connection.execute("BEGIN IMMEDIATE");
      return "ready";
    } catch (error) {
      if (isBusy(error)) return "busy";
      // nothing was begun, so only the first caller can be blamed; the others try again
      queue.shift()?.reject(toFault(error, "write", path));
      return "failed";
    }
  }

  function rejectLate(): void {
    const now = performance.now();
    for (const job of queue) if (job.deadlineMs <= now) job.reject(busyFault(path));
    queue = queue.filter((job) => job.deadlineMs > now);
  }

  async function commitGroup(group: Job[]): Promise<void> {
    const done: { job: Job; changes: number[] }[] = [];
    for (const [index, job] of group.entries()) {
      const result = runBatch(connection, job, path);
      if (result.ok) {
        done.push({ job, changes: result.changes });
        continue;
      }
      job.reject(result.fault);
      if (!connection.isInTransaction()) {
        // the engine gave up the whole transaction (a full disk does that): the others start over without this one
        queue = [...done.map((entry) => entry.job), ...group.slice(index + 1), ...queue];
        return;
      }
    }
    try {
      await retryBusy(() => connection.execute("COMMIT"), performance.now() + busyLimitMs);
    } catch (error) {
      rollBack(connection);
      const fault = toFault(error, "write", path);
      for (const { job } of done) job.reject(fault);
      return;
    }
    const loss = file.checkCommit();
    for (const { job, changes } of done) {
      if (loss === undefined) job.resolve(changes);
      else job.reject(loss);
    }
  }

  function start(): void {
    running ??= run().finally(() => {
      running = undefined;
      if (queue.length > 0) start();
    });
  }

  return {
    write: (writes, fence) =>
      new Promise((resolve, reject) => {
        queue.push({ writes, fence, deadlineMs: performance.now() + busyLimitMs, resolve, reject });
        start();
      }),
    drain: () => running ?? Promise.resolve(),
  };
}

function runBatch(
  connection: Connection,
  job: Job,
  path: string,
): { ok: true; changes: number[] } | { ok: false; fault: Fault } {
  try {
    connection.execute("SAVEPOINT batch");
    if (job.fence !== undefined && !holds(connection, job.fence)) {
      connection.execute("RELEASE batch");
      return { ok: false, fault: fencedFault(job.fence.name) };
    }
    const changes = job.writes.map((write) => connection.change(write.sql, write.args));
    connection.execute("RELEASE batch");
    return { ok: true, changes };
  } catch (error) {
    if (connection.isInTransaction()) undoBatch(connection);
    return { ok: false, fault: toFault(error, "write", path) };
  }
}

function undoBatch(connection: Connection): void {
  try {
    connection.execute("ROLLBACK TO batch; RELEASE batch");
  } catch {
    // half a batch must not be committed: give up the transaction, its other batches are run again
    rollBack(connection);
  }
}

function rollBack(connection: Connection): void {
  if (connection.isInTransaction()) connection.execute("ROLLBACK");
}

function holds(connection: Connection, fence: Fence): boolean {
  const sql = "SELECT 1 FROM leases WHERE name = ? AND holder = ? AND epoch = ?";
  return connection.select(sql, [fence.name, fence.holder, fence.epoch]).length > 0;
}

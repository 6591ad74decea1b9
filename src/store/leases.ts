import { holderState } from "./process-holder.ts";
import type { Fence, Store, Write } from "./types.ts";

/** The database's clock in whole milliseconds. */
const NOW_MS = "CAST(unixepoch('subsec') * 1000 AS INTEGER)";

interface LeaseRow {
  holder: string | null;
  epoch: number;
  expires_at_ms: number;
  now_ms: number;
}

export interface LeaseRequest {
  name: string;
  holder: string;
  /** how long it holds without renewal, by the database's clock */
  durationMs: number;
}

/**
 * Takes a lease that is free, whose holder is dead, or that has expired.
 *
 * A holder known to run on this machine keeps its lease whatever the clock says, so a clock that jumps ahead breaks
 * no turn. For holders elsewhere the expiry decides; one that lies further ahead than a lease lasts comes from a clock
 * that has since gone back, and is shortened to one duration from now. Whoever loses a lease wrongly is fenced off:
 * the epoch only grows.
 * @returns the fence of the new holder, undefined when another one holds it
 */
export async function acquireLease(store: Store, request: LeaseRequest): Promise<Fence | undefined> {
  const { name, holder, durationMs } = request;
  const row = await readLease(store, name);
  if (row === undefined) {
    const [inserted] = await store.write([insertLease(request)]);
    return inserted === 1 ? { name, holder, epoch: 1 } : undefined;
  }
  if (!isTakeable(row)) {
    if (row.expires_at_ms > row.now_ms + durationMs) await store.write([shortenLease(request, row)]);
    return undefined;
  }
  const epoch = row.epoch + 1;
  const [taken] = await store.write([
    {
      sql:
        `UPDATE leases SET holder = ?, epoch = ?, expires_at_ms = ${NOW_MS} + ? ` +
        "WHERE name = ? AND epoch = ? AND holder IS ?",
      args: [holder, epoch, durationMs, name, row.epoch, row.holder],
    },
  ]);
  return taken === 1 ? { name, holder, epoch } : undefined;
}

/** Who holds a lease that cannot be taken; undefined when it is free. */
export async function leaseHolder(store: Store, name: string): Promise<string | undefined> {
  const row = await readLease(store, name);
  return row === undefined || row.holder === null || isTakeable(row) ? undefined : row.holder;
}

/** Takes a lease that nobody can hold yet. Changes no row when it exists. */
export function insertLease(request: LeaseRequest): Write {
  return {
    sql:
      `INSERT INTO leases (name, holder, epoch, expires_at_ms) VALUES (?, ?, 1, ${NOW_MS} + ?) ` +
      "ON CONFLICT (name) DO NOTHING",
    args: [request.name, request.holder, request.durationMs],
  };
}

/** Changes no row when the lease is lost. */
export function renewLease(fence: Fence, durationMs: number): Write {
  return {
    sql: `UPDATE leases SET expires_at_ms = ${NOW_MS} + ? WHERE name = ? AND holder = ? AND epoch = ?`,
    args: [durationMs, fence.name, fence.holder, fence.epoch],
  };
}

/** Keeps the row, so that the epoch goes on growing. */
export function releaseLease(fence: Fence): Write {
  return {
    sql: "UPDATE leases SET holder = NULL, expires_at_ms = 0 WHERE name = ? AND holder = ? AND epoch = ?",
    args: [fence.name, fence.holder, fence.epoch],
  };
}

function shortenLease(request: LeaseRequest, row: LeaseRow): Write {
  return {
    sql: `UPDATE leases SET expires_at_ms = ${NOW_MS} + ? WHERE name = ? AND epoch = ? AND expires_at_ms = ?`,
    args: [request.durationMs, request.name, row.epoch, row.expires_at_ms],
  };
}

async function readLease(store: Store, name: string): Promise<LeaseRow | undefined> {
  const rows = await store.read<LeaseRow>({
    sql: `SELECT holder, epoch, expires_at_ms, ${NOW_MS} AS now_ms FROM leases WHERE name = ?`,
    args: [name],
  });
  return rows[0];
}

function isTakeable(row: LeaseRow): boolean {
  if (row.holder === null) return true;
  const state = holderState(row.holder);
  return state === "dead" || (state === "unknown" && row.expires_at_ms <= row.now_ms);
}

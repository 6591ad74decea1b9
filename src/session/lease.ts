import { isHermesError, StoreError } from "../base/errors.ts";
import { sleep } from "../base/time.ts";
import { acquireLease, type Fence, leaseHolder, renewLease, type Store } from "../store/index.ts";

/** How long a turn holds its session without a sign of life, by the database's clock. */
export const LEASE_MS = 30_000;
const RENEW_MS = 10_000;
/** longer than a repair holds a session */
const PATIENCE_MS = 1000;
const RETRY_MS = 20;

export function leaseName(sessionId: string): string {
  return `turn:${sessionId}`;
}

/** @throws {StoreError} E_SESSION_BUSY when another turn holds the session */
export async function acquireSession(store: Store, sessionId: string, holder: string): Promise<Fence> {
  const name = leaseName(sessionId);
  const fence = await acquireLease(store, { name, holder, durationMs: LEASE_MS });
  if (fence !== undefined) return fence;
  const other = await leaseHolder(store, name);
  throw new StoreError(
    "E_SESSION_BUSY",
    `session ${sessionId} is busy with a turn of ${other === undefined ? "another process" : other}`,
    { hint: "wait for it to end, or start a new session", retryable: true },
  );
}

/**
 * Takes a session for a turn. A repair, of this process or another one, holds a session for a moment: that is waited for.
 * @throws {StoreError} E_SESSION_BUSY when another turn holds the session
 */
export async function acquireSessionForTurn(store: Store, sessionId: string, holder: string): Promise<Fence> {
  const until = performance.now() + PATIENCE_MS;
  for (;;) {
    try {
      return await acquireSession(store, sessionId, holder);
    } catch (error) {
      if (!isHermesError(error) || error.code !== "E_SESSION_BUSY" || performance.now() >= until) throw error;
      await sleep(RETRY_MS);
    }
  }
}

export interface Heartbeat {
  /** fires when the lease was lost */
  lost: AbortSignal;
  stop(): void;
}

/** Renews a lease while its turn runs. Does not keep the process alive. */
export function startHeartbeat(store: Store, currentFence: () => Fence, everyMs = RENEW_MS): Heartbeat {
  const controller = new AbortController();
  let stopped = false;
  const beat = async (): Promise<void> => {
    const fence = currentFence();
    try {
      const [renewed] = await store.write([renewLease(fence, LEASE_MS)]);
      // a lease that was moved or released meanwhile is not lost
      if (renewed === 0 && currentFence() === fence && !stopped) controller.abort(lostError(fence));
    } catch {
      // a renewal that fails is tried again at the next beat; the fence guards every batch anyway
    }
  };
  const timer = setInterval(() => void beat(), everyMs);
  timer.unref();
  return {
    lost: controller.signal,
    stop() {
      stopped = true;
      clearInterval(timer);
    },
  };
}

function lostError(fence: Fence): StoreError {
  return new StoreError("E_STORE_FENCED", `the lease "${fence.name}" was taken over by another process`, {
    hint: "start the turn again",
  });
}

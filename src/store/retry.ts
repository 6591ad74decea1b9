import { sleep } from "../base/time.ts";
import { isBusy } from "./faults.ts";

/** A random pause, so that processes waiting for the same lock do not meet again. */
export function jitterMs(attempt: number): number {
  const ceiling = Math.min(50, 4 * 2 ** Math.min(attempt, 5));
  return 1 + Math.random() * ceiling;
}

/**
 * Runs a step until the database is not busy. The worker's event loop runs on between tries.
 * @throws the busy error when `deadlineMs` (monotonic) has passed; any other error at once
 */
export async function retryBusy<Result>(step: () => Result, deadlineMs: number): Promise<Result> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return step();
    } catch (error) {
      if (!isBusy(error) || performance.now() >= deadlineMs) throw error;
      await sleep(jitterMs(attempt));
    }
  }
}

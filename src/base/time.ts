import { HermesError } from "./errors.ts";
import { readEnv } from "./env.ts";

/** Where the time comes from. `now` is the wall clock, `monotonicMs` never goes back. */
export interface Clock {
  now(): Date;
  monotonicMs(): number;
}

/**
 * The system's clock. `HERMES_TEST_NOW` (ISO 8601) shifts the wall clock so that it starts at that moment and runs on.
 * @throws {HermesError} E_TEST_CLOCK when the variable is no date
 */
export function systemClock(): Clock {
  const fixed = readEnv("HERMES_TEST_NOW");
  if (fixed === undefined) return { now: () => new Date(), monotonicMs: () => performance.now() };
  const start = Date.parse(fixed);
  if (Number.isNaN(start)) {
    throw new HermesError("E_TEST_CLOCK", `HERMES_TEST_NOW: "${fixed}" is not a date`, {
      hint: "use ISO 8601, like 2026-03-15T09:24:37Z",
    });
  }
  const offset = start - Date.now();
  return { now: () => new Date(Date.now() + offset), monotonicMs: () => performance.now() };
}

/**
 * Waits, or ends early when the signal fires.
 * @throws the signal's reason when aborted
 */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason as Error);
      return;
    }
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    }, ms);
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}

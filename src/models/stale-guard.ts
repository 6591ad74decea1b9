import { ProviderError } from "../base/errors.ts";

/**
 * Passes a stream on and breaks it off when nothing came for `staleMs`.
 * @param abort called before the error is thrown, to close the connection
 * @throws {ProviderError} E_PROVIDER_TIMEOUT, retryable
 */
export async function* guardStale<Item>(
  source: AsyncIterable<Item>,
  staleMs: number,
  label: string,
  abort: () => void,
): AsyncGenerator<Item> {
  const iterator = source[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await withinTime(iterator.next(), staleMs, () => {
        abort();
        return new ProviderError("E_PROVIDER_TIMEOUT", `${label} sent nothing for ${Math.round(staleMs / 1000)} s`, {
          failure: "timeout",
          retryable: true,
          hint: "try again; HERMES_STREAM_STALE_TIMEOUT sets the limit in seconds",
        });
      });
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    // a stalled source never settles its return, so nobody may wait for it
    void Promise.resolve(iterator.return?.(undefined)).catch(() => undefined);
  }
}

function withinTime<Value>(promise: Promise<Value>, ms: number, onTimeout: () => Error): Promise<Value> {
  if (!Number.isFinite(ms)) return promise;
  const expired = Promise.withResolvers<never>();
  const timer = setTimeout(() => expired.reject(onTimeout()), ms);
  return Promise.race([promise, expired.promise]).finally(() => clearTimeout(timer));
}

/** How long a silent stream is waited for, in ms: longer for large requests, without end for local servers. */
export function staleLimitMs(options: {
  promptTokens: number;
  local: boolean;
  configuredSeconds: number | undefined;
}): number {
  if (options.configuredSeconds !== undefined) return options.configuredSeconds * 1000;
  if (options.local) return Number.POSITIVE_INFINITY;
  if (options.promptTokens > 100_000) return 300_000;
  return options.promptTokens > 50_000 ? 240_000 : 180_000;
}

import { StoreError } from "../base/errors.ts";
import { toStoreError } from "./faults.ts";
import type { OpenRequest, StoreReply, StoreRequest } from "./protocol.ts";

interface Waiting {
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/** Calls to one worker. The process may exit whenever no call is under way. */
export interface Channel {
  open(): Promise<void>;
  call(request: StoreRequest): Promise<unknown>;
  close(): Promise<void>;
}

/**
 * Talks to a worker that is started by the first call. A worker that dies fails the calls under way;
 * the next call starts another.
 */
export function createChannel(spawn: () => Worker, openRequest: OpenRequest): Channel {
  const pending = new Map<number, Waiting>();
  let worker: Worker | undefined;
  let lastId = 0;
  let closed = false;

  function start(): Worker {
    const started = spawn();
    started.addEventListener("message", (event: MessageEvent<StoreReply>) => settle(event.data));
    started.addEventListener("error", (event) => {
      event.preventDefault();
      fail(started, event.message);
    });
    started.addEventListener("close", () => fail(started, "it ended"));
    worker = started;
    return started;
  }

  function settle(reply: StoreReply): void {
    const waiting = pending.get(reply.id);
    pending.delete(reply.id);
    if (pending.size === 0) worker?.unref();
    if (reply.ok) waiting?.resolve(reply.value);
    else waiting?.reject(toStoreError(reply.fault));
  }

  function fail(from: Worker, reason: string): void {
    if (worker !== from) return;
    worker = undefined;
    const error = new StoreError("E_STORE_WORKER", `the database thread stopped: ${reason}`, {
      hint: "the call may or may not have been stored; try again",
      retryable: true,
    });
    for (const waiting of pending.values()) waiting.reject(error);
    pending.clear();
    from.terminate();
  }

  function post(target: Worker, request: StoreRequest): Promise<unknown> {
    lastId += 1;
    const id = lastId;
    return new Promise((resolve, reject) => {
      pending.set(id, { resolve, reject });
      target.ref();
      target.postMessage({ id, request }, []);
    });
  }

  async function call(request: StoreRequest): Promise<unknown> {
    if (closed) throw new StoreError("E_STORE_CLOSED", `${openRequest.path}: the database is closed`);
    if (worker !== undefined) return post(worker, request);
    const started = start();
    const opening = post(started, openRequest);
    if (request.type === "open") return opening;
    const answer = post(started, request);
    // the worker fails the request for the same reason, so the first error is enough
    return Promise.all([opening, answer]).then(([, value]) => value);
  }

  return {
    async open() {
      await call(openRequest);
    },
    call,
    async close() {
      closed = true;
      const target = worker;
      if (target === undefined) return;
      try {
        await post(target, { type: "close" });
      } finally {
        worker = undefined;
        target.terminate();
      }
    },
  };
}

import { expect, test } from "bun:test";
import { createChannel } from "../../src/store/channel.ts";
import type { StoreRequest } from "../../src/store/protocol.ts";
import { failureCode } from "./store-world.ts";

test("calls under way fail when the worker dies, and the next call starts another worker", async () => {
  const channel = createChannel(() => new Worker(new URL("./crashing-worker.ts", import.meta.url)), {
    type: "open",
    mode: "reader",
    path: "/nowhere",
    durability: "normal",
    busyLimitMs: 0,
    inode: undefined,
  });
  const read: StoreRequest = { type: "read", sql: "", args: [] };
  await channel.open();
  expect(await channel.call(read)).toBe(2);
  const codes = await Promise.all([failureCode(channel.call(read)), failureCode(channel.call(read))]);
  expect(codes).toEqual(["E_STORE_WORKER", "E_STORE_WORKER"]);
  // the new worker is told to open first
  expect(await channel.call(read)).toBe(2);
});

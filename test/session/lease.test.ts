import { expect, test } from "bun:test";
import { acquireSession, leaseName, startHeartbeat } from "../../src/session/lease.ts";
import { createStoreWorld } from "../store/store-world.ts";

test("a lease taken by another holder fires the signal of the turn that lost it", async () => {
  await using world = await createStoreWorld();
  const fence = await acquireSession(world.store, "session", "elsewhere:1:s1");
  const heartbeat = startHeartbeat(world.store, () => fence, 5);
  const lost = new Promise((resolve) => heartbeat.lost.addEventListener("abort", resolve, { once: true }));
  await world.store.write([{ sql: "UPDATE leases SET holder = 'other:1:s1', epoch = epoch + 1", args: [] }]);
  await lost;
  heartbeat.stop();
  expect(heartbeat.lost.reason).toMatchObject({ code: "E_STORE_FENCED" });
});

test("a heartbeat moves the expiry on", async () => {
  await using world = await createStoreWorld();
  const fence = await acquireSession(world.store, "session", "elsewhere:1:s1");
  await world.store.write([{ sql: "UPDATE leases SET expires_at_ms = 1", args: [] }]);
  const heartbeat = startHeartbeat(world.store, () => fence, 5);
  const expiry = async (): Promise<number> => {
    const sql = "SELECT expires_at_ms AS expiry FROM leases WHERE name = ?";
    const rows = await world.store.read<{ expiry: number }>({ sql, args: [leaseName("session")] });
    return rows[0]?.expiry ?? 0;
  };
  while ((await expiry()) === 1) await Bun.sleep(5);
  heartbeat.stop();
  expect(heartbeat.lost.aborted).toBe(false);
  expect(await expiry()).toBeGreaterThan(Date.now());
});

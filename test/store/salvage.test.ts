import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { isHealthy, openStore, repairStore } from "../../src/store/index.ts";
import { damagePage } from "./damage.ts";
import { createStoreWorld } from "./store-world.ts";

/** A closed database with 1,000 messages in two sessions. */
async function createFilledWorld() {
  const world = await createStoreWorld();
  const session = (id: string) => ({
    sql:
      "INSERT INTO sessions (id, source, model, provider, cwd, started_at, last_active_at, message_count) " +
      "VALUES (?, 'cli', 'm', 'p', '/', '2026-01-01', '2026-01-02', 500)",
    args: [id],
  });
  const message = (index: number) => ({
    sql:
      "INSERT INTO messages (session_id, seq, role, created_at, text, parts) " +
      "VALUES (?, ?, 'user', '2026-01-01', ?, '[]')",
    args: [index < 500 ? "first" : "second", index, `words of message ${index} ${"x".repeat(100)}`],
  });
  await world.store.write([session("first"), session("second")]);
  await world.store.write(Array.from({ length: 1000 }, (_, index) => message(index)));
  await world.store.close();
  return world;
}

test("a whole database is left as it is", async () => {
  await using world = await createFilledWorld();
  expect(await repairStore({ path: world.path })).toBeUndefined();
});

test("what lies outside a damaged page is copied into a fresh database, and the damaged file is kept", async () => {
  await using world = await createFilledWorld();
  damagePage(world.path, "words of message 700 ");
  const damaged = readFileSync(world.path);
  const result = await repairStore({ path: world.path });
  if (result === undefined) throw new Error("nothing was repaired");
  expect(result.sessions).toBe(2);
  expect(result.messages).toBeGreaterThan(950);
  expect(result.messages).toBeLessThan(1000);
  expect(result.lost).toBeGreaterThan(0);
  expect(readFileSync(result.kept).equals(damaged)).toBe(true);
  const store = await openStore({ path: world.path });
  expect(await isHealthy(store)).toBe(true);
  const texts = await store.read<{ text: string }>({ sql: "SELECT text FROM messages ORDER BY seq", args: [] });
  expect(texts[0]?.text).toStartWith("words of message 0 ");
  expect(texts.at(-1)?.text).toStartWith("words of message 999 ");
  await store.close();
});

test("messages whose session cannot be read get a session of their own", async () => {
  await using world = await createFilledWorld();
  damagePage(world.path, "first");
  const result = await repairStore({ path: world.path });
  expect(result).toMatchObject({ sessions: 2, messages: 1000 });
  const store = await openStore({ path: world.path });
  const rows = await store.read({ sql: "SELECT id, message_count FROM sessions ORDER BY id", args: [] });
  expect(rows).toEqual([
    { id: "first", message_count: 500 },
    { id: "second", message_count: 500 },
  ]);
  await store.close();
});

import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { openStore, type SqlValue } from "../../src/store/index.ts";
import { createStoreWorld, failureCode, putValue, readValues } from "./store-world.ts";

test("a batch is committed whole or not at all, and a failing one fails alone", async () => {
  await using world = await createStoreWorld();
  const { store } = world;
  const results = await Promise.allSettled([
    store.write([putValue("a", "1")]),
    store.write([putValue("b", "1"), putValue("b", "2")]),
    store.write([putValue("c", "1"), { sql: "INSERT INTO no_such_table VALUES (1)", args: [] }]),
    store.write([putValue("d", "1"), { sql: "UPDATE kv SET value = 'x'", args: [] }]),
  ]);
  expect(results.map((result) => result.status)).toEqual(["fulfilled", "rejected", "rejected", "fulfilled"]);
  expect(results[3]).toMatchObject({ value: [1, 2] });
  expect(await readValues(store)).toEqual({ a: "x", d: "x" });
});

test("a read sees every write that has resolved", async () => {
  await using world = await createStoreWorld();
  for (let index = 0; index < 50; index += 1) {
    await world.store.write([putValue(`key${String(index).padStart(2, "0")}`, "")]);
    expect(Object.keys(await readValues(world.store))).toHaveLength(index + 1);
  }
});

test("a batch whose fence no longer holds is refused", async () => {
  await using world = await createStoreWorld();
  const { store } = world;
  await store.write([
    { sql: "INSERT INTO leases (name, holder, epoch, expires_at_ms) VALUES ('l', 'me', 2, 0)", args: [] },
  ]);
  expect(await failureCode(store.write([putValue("old", "")], { name: "l", holder: "me", epoch: 1 }))).toBe(
    "E_STORE_FENCED",
  );
  await store.write([putValue("new", "")], { name: "l", holder: "me", epoch: 2 });
  expect(Object.keys(await readValues(store))).toEqual(["new"]);
});

test("a statement that returns rows does not block the commits after it", async () => {
  await using world = await createStoreWorld();
  await world.store.write([{ ...putValue("a", "1"), sql: `${putValue("a", "1").sql} RETURNING key` }]);
  await world.store.write([putValue("b", "2")]);
  expect(await readValues(world.store)).toEqual({ a: "1", b: "2" });
});

test("NUL and lone surrogates are replaced, other Unicode and bytes survive", async () => {
  await using world = await createStoreWorld();
  const { store } = world;
  await store.write([putValue("text", "a\0b \ud800 c 数据库 🙂")]);
  expect(await readValues(store)).toEqual({ text: "a\uFFFDb \uFFFD c 数据库 🙂" });
  const rows = await store.read<{ bytes: Uint8Array }>({ sql: "SELECT ? AS bytes", args: [new Uint8Array([0, 255])] });
  expect([...(rows[0]?.bytes ?? [])]).toEqual([0, 255]);
});

test("a value that no column can hold is an error, not a crash", async () => {
  await using world = await createStoreWorld();
  const value = true as unknown as SqlValue;
  expect(await failureCode(world.store.read({ sql: "SELECT ?", args: [value] }))).toBe("E_STORE_WRITE");
  await world.store.write([putValue("after", "1")]);
  expect(await readValues(world.store)).toEqual({ after: "1" });
});

test("the database and its folder are private", async () => {
  await using world = await createStoreWorld();
  await world.store.write([putValue("a", "1")]);
  for (const name of readdirSync(dirname(world.path))) {
    expect(statSync(join(dirname(world.path), name)).mode & 0o777).toBe(0o600);
  }
  expect(statSync(dirname(world.path)).mode & 0o777).toBe(0o700);
});

test("a file that others could read becomes private when it is opened", async () => {
  await using world = await createStoreWorld();
  await world.store.close();
  chmodSync(world.path, 0o644);
  await world.open();
  expect(statSync(world.path).mode & 0o777).toBe(0o600);
});

test("a damaged file is set aside with its bytes, and a fresh database opened", async () => {
  await using world = await createStoreWorld();
  const path = join(world.root, "damaged", "hermes.db");
  const bytes = "this is no database ".repeat(500);
  mkdirSync(dirname(path));
  writeFileSync(path, bytes);
  const store = await world.open({ path });
  await store.write([putValue("a", "1")]);
  const kept = readdirSync(dirname(path)).filter((name) => name.startsWith("hermes.db.damaged-"));
  expect(kept).toHaveLength(1);
  expect(readFileSync(join(dirname(path), kept[0] ?? ""), "utf8")).toBe(bytes);
  expect(world.warnings).toHaveLength(1);
  expect(world.warnings[0]).toContain("file is not a database");
});

test("a database of another program is set aside, never written to", async () => {
  await using world = await createStoreWorld();
  const path = join(world.root, "foreign.db");
  const foreign = new Database(path);
  foreign.run("CREATE TABLE theirs (a)");
  foreign.close();
  const before = readFileSync(path);
  await world.open({ path });
  const kept = readdirSync(world.root).filter((name) => name.startsWith("foreign.db.damaged-"));
  expect(readFileSync(join(world.root, kept[0] ?? ""))).toEqual(before);
});

test("a database of a newer hermes is refused with both versions, untouched", async () => {
  await using world = await createStoreWorld();
  await world.store.close();
  const newer = new Database(world.path);
  newer.run("PRAGMA user_version = 999");
  newer.close();
  const before = readFileSync(world.path);
  const error = await openStore({ path: world.path }).catch((reason: unknown) => reason);
  expect(error).toMatchObject({ code: "E_STORE_NEWER", exitCode: 78 });
  expect(String(error)).toMatch(/version 999.*up to \d+/);
  expect(readFileSync(world.path)).toEqual(before);
});

test("a full disk is E_STORE_FULL, and writing goes on when there is room again", async () => {
  await using world = await createStoreWorld();
  const { store } = world;
  const pages = await store.read<{ page_count: number }>({ sql: "PRAGMA page_count", args: [] });
  await store.write([{ sql: `PRAGMA max_page_count = ${(pages[0]?.page_count ?? 0) + 2}`, args: [] }]);
  const big = "x".repeat(100_000);
  const results = await Promise.allSettled([
    store.write([putValue("small", "1")]),
    store.write([putValue("big", big)]),
    store.write([putValue("other", "1")]),
  ]);
  expect(results.map((result) => result.status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  expect(results[1]).toMatchObject({ reason: { code: "E_STORE_FULL" } });
  await store.write([{ sql: "PRAGMA max_page_count = 100000", args: [] }]);
  await store.write([putValue("big", big)]);
  expect(Object.keys(await readValues(store))).toEqual(["big", "other", "small"]);
});

test("a place that cannot be written is an error that says what to do", async () => {
  const error = await openStore({ path: "/proc/hermes/hermes.db" }).catch((reason: unknown) => reason);
  expect(error).toMatchObject({ name: "StoreError", hint: expect.stringContaining("HERMES_HOME") as unknown });
});

test("a database made read-only refuses writes with E_STORE_READ_ONLY and still reads", async () => {
  await using world = await createStoreWorld();
  const { store } = world;
  await store.write([putValue("a", "1")]);
  await store.write([{ sql: "PRAGMA query_only = 1", args: [] }]);
  expect(await failureCode(store.write([putValue("b", "1")]))).toBe("E_STORE_READ_ONLY");
  expect(await readValues(store)).toEqual({ a: "1" });
});

test("calls after close fail, and what was queued before it is stored", async () => {
  await using world = await createStoreWorld();
  const pending = world.store.write([putValue("a", "1")]);
  await world.store.close();
  expect(await pending).toEqual([1]);
  expect(await failureCode(world.store.write([putValue("b", "1")]))).toBe("E_STORE_CLOSED");
  const again = await world.open();
  expect(await readValues(again)).toEqual({ a: "1" });
});

test("a process that never closes its store still ends", async () => {
  await using world = await createStoreWorld();
  const script = `
    import { openStore } from ${JSON.stringify(join(import.meta.dir, "../../src/store/index.ts"))};
    const store = await openStore({ path: ${JSON.stringify(world.path)} });
    await store.write([{ sql: "INSERT INTO kv (key, value, updated_at) VALUES ('left', 'open', '')", args: [] }]);
    await store.read({ sql: "SELECT 1", args: [] });
  `;
  const child = Bun.spawn([process.execPath, "-e", script], { stdout: "pipe", stderr: "pipe" });
  expect(await child.exited).toBe(0);
  expect(await readValues(world.store)).toEqual({ left: "open" });
});

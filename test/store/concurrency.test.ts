import { expect, test } from "bun:test";
import { join } from "node:path";
import { createStoreWorld, putValue, readValues } from "./store-world.ts";

function start(script: string, args: string[]) {
  return Bun.spawn([process.execPath, join(import.meta.dir, script), ...args], { stdout: "pipe", stderr: "pipe" });
}

/** The first line a process prints; the rest of its output is left to be read. */
async function firstLine(child: ReturnType<typeof start>): Promise<{ line: string; rest: Promise<string> }> {
  const reader = child.stdout.getReader();
  const decoder = new TextDecoder();
  let text = "";
  while (!text.includes("\n")) {
    const { value, done } = await reader.read();
    if (done) break;
    text += decoder.decode(value, { stream: true });
  }
  const [line = ""] = text.split("\n");
  const readRest = async (): Promise<string> => {
    let rest = text.slice(line.length + 1);
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return rest;
      rest += decoder.decode(value, { stream: true });
    }
  };
  return { line, rest: readRest() };
}

test("50 writers in two processes and a foreign lock of 5 s lose no row and never block their event loops", async () => {
  await using world = await createStoreWorld();
  const writers = 25;
  const rows = 8;
  const lock = start("lock-process.ts", [world.path, "5000"]);
  expect((await firstLine(lock)).line).toBe("locked");
  const children = ["a", "b"].map((name) =>
    start("writer-process.ts", [world.path, name, String(writers), String(rows)]),
  );
  const results = await Promise.all(
    children.map(async (child) => {
      const { rest } = await firstLine(child);
      const output = await rest;
      return { code: await child.exited, stderr: await new Response(child.stderr).text(), output };
    }),
  );
  await lock.exited;
  for (const { code, stderr, output } of results) {
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    // the one timing that is asserted: the design names it
    expect((JSON.parse(output) as { longestMs: number }).longestMs).toBeLessThan(100);
  }
  expect(Object.keys(await readValues(world.store))).toHaveLength(2 * writers * rows);
}, 60_000);

test("a process that is killed in the middle of its writes leaves a whole database with all confirmed rows", async () => {
  await using world = await createStoreWorld();
  const child = start("writer-process.ts", [world.path, "k", "4", "100000"]);
  await firstLine(child);
  while (Object.keys(await readValues(world.store)).length < 50) await Bun.sleep(5);
  child.kill("SIGKILL");
  await child.exited;
  const store = await world.open();
  const check = await store.read<{ integrity_check: string }>({ sql: "PRAGMA integrity_check", args: [] });
  expect(check).toEqual([{ integrity_check: "ok" }]);
  const keys = Object.keys(await readValues(store));
  expect(keys.length).toBeGreaterThanOrEqual(50);
  await store.write([putValue("after", "crash")]);
  expect((await readValues(store))["after"]).toBe("crash");
});

test("waiting for a lock ends with E_STORE_BUSY at the limit, and the connection works afterwards", async () => {
  await using world = await createStoreWorld({ busyLimitMs: 200 });
  const lock = start("lock-process.ts", [world.path, "1500"]);
  await firstLine(lock);
  const failed = await world.store.write([putValue("a", "1")]).catch((error: unknown) => error);
  expect(failed).toMatchObject({ code: "E_STORE_BUSY", retryable: true });
  await lock.exited;
  await world.store.write([putValue("b", "2")]);
  expect(await readValues(world.store)).toEqual({ b: "2" });
});

import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { copyFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isHermesError } from "../../src/base/errors.ts";
import { openStore } from "../../src/store/index.ts";
import { createStoreWorld, failureCode, putValue, readValues } from "./store-world.ts";

function recoveredFiles(path: string): string[] {
  return readdirSync(dirname(path))
    .filter((name) => name.includes(".recovered-"))
    .map((name) => join(dirname(path), name));
}

function valuesIn(path: string): string[] {
  using database = new Database(path, { readonly: true });
  expect(database.query("PRAGMA integrity_check").get()).toEqual({ integrity_check: "ok" });
  return database
    .query<{ key: string }, []>("SELECT key FROM kv ORDER BY key")
    .all()
    .map((row) => row.key);
}

const losses: [string, (path: string) => void][] = [
  ["removed", (path) => rmSync(path)],
  ["removed with its log", (path) => ["", "-wal", "-shm"].forEach((suffix) => rmSync(path + suffix))],
  ["moved away", (path) => renameSync(path, `${path}.elsewhere`)],
  ["without its log", (path) => rmSync(`${path}-wal`)],
  [
    "replaced by an older copy",
    (path) => {
      copyFileSync(path, `${path}.old`);
      renameSync(`${path}.old`, path);
    },
  ],
];

test.each(losses)("a database that is %s under a running process loses nothing and is told", async (_, lose) => {
  await using world = await createStoreWorld();
  await world.store.write([putValue("before", "1")]);
  lose(world.path);
  const error: unknown = await world.store.write([putValue("after", "1")]).catch((reason: unknown) => reason);
  if (!isHermesError(error)) throw error;
  expect(error.code).toBe("E_STORE_GONE");
  const [saved = "", ...others] = recoveredFiles(world.path);
  expect(others).toEqual([]);
  expect(error.message).toContain(saved);
  expect(error.hint).toContain(`mv ${saved} ${world.path}`);
  expect(valuesIn(saved)).toEqual(["after", "before"]);
  expect(statSync(saved).mode & 0o777).toBe(0o600);
  // what still comes is saved in the same file
  expect(await failureCode(world.store.write([putValue("later", "1")]))).toBe("E_STORE_GONE");
  expect(valuesIn(saved)).toEqual(["after", "before", "later"]);
});

test("the saved file is the database again when it is moved back as the hint says", async () => {
  await using world = await createStoreWorld();
  rmSync(world.path);
  expect(await failureCode(world.store.write([putValue("kept", "1")]))).toBe("E_STORE_GONE");
  await world.store.close();
  renameSync(recoveredFiles(world.path)[0] ?? "", world.path);
  expect(await readValues(await world.open())).toEqual({ kept: "1" });
  expect(world.warnings).toEqual([]);
});

test("closing leaves the log of the file that has taken the place", async () => {
  await using world = await createStoreWorld();
  await world.store.write([putValue("old", "1")]);
  for (const suffix of ["", "-wal", "-shm"]) rmSync(world.path + suffix);
  const other = Bun.spawn(
    [process.execPath, join(import.meta.dir, "writer-process.ts"), world.path, "n", "1", "100000"],
    { stdout: "ignore", stderr: "ignore" },
  );
  while (!(statSync(`${world.path}-wal`, { throwIfNoEntry: false })?.size ?? 0)) await Bun.sleep(5);
  const log = statSync(`${world.path}-wal`).ino;
  await world.store.close();
  expect(statSync(`${world.path}-wal`).ino).toBe(log);
  other.kill("SIGKILL");
  await other.exited;
});

test("a copy that cannot be saved is told as such", async () => {
  await using world = await createStoreWorld();
  const home = dirname(world.path);
  renameSync(home, `${home}-moved`);
  const error: unknown = await world.store.write([putValue("a", "1")]).catch((reason: unknown) => reason);
  expect(error).toMatchObject({ code: "E_STORE_GONE", message: expect.stringContaining("could not be saved") });
  renameSync(`${home}-moved`, home);
});

test("a fresh database in the place of a lost one is used by the next store", async () => {
  await using world = await createStoreWorld();
  for (const suffix of ["", "-wal", "-shm"]) rmSync(world.path + suffix);
  writeFileSync(world.path, "");
  expect(await failureCode(world.store.write([putValue("a", "1")]))).toBe("E_STORE_GONE");
  const fresh = await openStore({ path: world.path });
  await fresh.write([putValue("b", "1")]);
  expect(await readValues(fresh)).toEqual({ b: "1" });
  await fresh.close();
});

import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { getTableConfig } from "drizzle-orm/sqlite-core";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore } from "../../src/store/index.ts";
import { migrations } from "../../src/store/migrations/index.ts";
import { messages, sessions, turns } from "../../src/store/schema.ts";
import { createStoreWorld } from "./store-world.ts";

test("the tables of the query builder are the tables of the database", async () => {
  await using world = await createStoreWorld();
  for (const table of [sessions, messages, turns]) {
    const { name, columns } = getTableConfig(table);
    const rows = await world.store.read<{ name: string; type: string; notnull: number }>({
      sql: `SELECT name, type, "notnull" FROM pragma_table_info('${name}')`,
      args: [],
    });
    const stored = rows.map((row) => `${row.name} ${row.type} ${row.notnull}`).sort();
    const declared = columns.map(
      (column) => `${column.name} ${column.getSQLType().toUpperCase()} ${column.notNull && !column.primary ? 1 : 0}`,
    );
    expect(stored).toEqual(declared.sort());
  }
});

test("every migration brings the file of the version before to the newest one", async () => {
  for (let version = 0; version <= migrations.length; version += 1) {
    const folder = mkdtempSync(join(tmpdir(), "hermes-migration-"));
    try {
      const path = join(folder, "hermes.db");
      const old = new Database(path);
      for (const sql of migrations.slice(0, version)) old.run(sql);
      if (version > 0) old.run("PRAGMA application_id = 1213353299");
      old.run(`PRAGMA user_version = ${version}`);
      old.close();
      const warnings: string[] = [];
      const store = await openStore({ path, onWarning: (text) => warnings.push(text) });
      const rows = await store.read<{ user_version: number }>({ sql: "PRAGMA user_version", args: [] });
      await store.close();
      expect({ rows, warnings }).toEqual({ rows: [{ user_version: migrations.length }], warnings: [] });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
});

test("ten openings of a new database at once all succeed", async () => {
  await using world = await createStoreWorld();
  const path = join(world.root, "race", "hermes.db");
  const stores = await Promise.all(Array.from({ length: 10 }, () => world.open({ path })));
  const rows = await Promise.all(
    stores.map((store) => store.read<{ count: number }>({ sql: "SELECT count(*) AS count FROM sessions", args: [] })),
  );
  expect(rows.flat().map((row) => row.count)).toEqual(Array.from({ length: 10 }, () => 0));
  expect(world.warnings).toEqual([]);
});

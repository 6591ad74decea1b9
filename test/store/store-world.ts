import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore, type Store, type StoreOptions } from "../../src/store/index.ts";

/** A folder with a database in it, removed at the end. */
export async function createStoreWorld(options: Partial<StoreOptions> = {}) {
  const root = mkdtempSync(join(tmpdir(), "hermes-store-"));
  const path = join(root, "home", "hermes.db");
  const warnings: string[] = [];
  const opened: Store[] = [];
  const open = async (more: Partial<StoreOptions> = {}): Promise<Store> => {
    const store = await openStore({ path, onWarning: (text) => warnings.push(text), ...options, ...more });
    opened.push(store);
    return store;
  };
  return {
    root,
    path,
    warnings,
    open,
    store: await open(),
    async [Symbol.asyncDispose]() {
      await Promise.allSettled(opened.map((store) => store.close()));
      rmSync(root, { recursive: true, force: true });
    },
  };
}

/** A row for the table of small values. */
export function putValue(key: string, value: string) {
  return { sql: "INSERT INTO kv (key, value, updated_at) VALUES (?, ?, '')", args: [key, value] };
}

export async function readValues(store: Store): Promise<Record<string, string>> {
  const rows = await store.read<{ key: string; value: string }>({
    sql: "SELECT key, value FROM kv ORDER BY key",
    args: [],
  });
  return Object.fromEntries(rows.map((row) => [row.key, row.value]));
}

/** The code of the error a call fails with; empty when it does not fail. */
export async function failureCode(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return "";
  } catch (error) {
    return error instanceof Error && "code" in error ? String(error.code) : String(error);
  }
}

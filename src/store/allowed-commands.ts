import type { Store } from "./types.ts";

/** The keys of findings that the user has allowed for good, oldest first. */
export async function listAllowedCommands(store: Store): Promise<string[]> {
  const rows = await store.read<{ key: string }>({
    sql: "SELECT key FROM allowed_commands ORDER BY added_at, key",
    args: [],
  });
  return rows.map((row) => row.key);
}

/** Remembers keys of findings as allowed for good. Known ones stay as they are. */
export async function allowCommands(store: Store, keys: string[], now: Date): Promise<void> {
  await store.write(
    keys.map((key) => ({
      sql: "INSERT INTO allowed_commands (key, added_at) VALUES (?, ?) ON CONFLICT (key) DO NOTHING",
      args: [key, now.toISOString()],
    })),
  );
}

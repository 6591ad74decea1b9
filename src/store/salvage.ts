import type { Connection } from "./connection.ts";

/** What was read from a damaged file. */
export interface Salvage {
  sessions: number;
  messages: number;
  /** rows, or runs of rows, that could not be read */
  lost: number;
}

/** Parents before children; leases end with their processes, the search index is made anew. */
const TABLES = ["sessions", "messages", "turns", "allowed_commands", "kv", "blobs"];
/** Ends the search for readable rows in a file of which nothing can be read. */
const MAX_FAILURES = 100_000;

/** Copies every readable row of a damaged file into the open, fresh database. */
export function salvageInto(connection: Connection, damagedPath: string): Salvage {
  connection.execute(`ATTACH '${damagedPath.replaceAll("'", "''")}' AS damaged`);
  connection.execute("PRAGMA foreign_keys = OFF");
  try {
    const budget = { failures: 0 };
    const lost = TABLES.reduce((sum, table) => sum + copyTable(connection, table, budget), 0);
    adoptOrphans(connection);
    return { sessions: count(connection, "sessions"), messages: count(connection, "messages"), lost };
  } finally {
    connection.execute("PRAGMA foreign_keys = ON");
    connection.execute("DETACH damaged");
  }
}

interface Budget {
  failures: number;
}

function copyTable(connection: Connection, table: string, budget: Budget): number {
  const columns = connection.select(`PRAGMA main.table_info(${table})`, []).map((row) => String(row["name"]));
  const list = columns.join(", ");
  const sql =
    `INSERT OR IGNORE INTO main.${table} (${list}) SELECT ${list} FROM damaged.${table} ` +
    "WHERE rowid BETWEEN ? AND ?";
  const copy = (from: number, to: number): number => {
    try {
      connection.change(sql, [from, to]);
      return 0;
    } catch {
      // a damaged page: what lies before and behind it is read in smaller runs
      budget.failures += 1;
      if (from >= to || budget.failures > MAX_FAILURES) return 1;
      const middle = from + Math.floor((to - from) / 2);
      return copy(from, middle) + copy(middle + 1, to);
    }
  };
  return copy(1, lastRow(connection, table));
}

function lastRow(connection: Connection, table: string): number {
  try {
    return Number(connection.select(`SELECT max(rowid) AS last FROM damaged.${table}`, [])[0]?.["last"] ?? 0);
  } catch {
    // the end of the table cannot be read: no home has more rows than this
    return 2 ** 26;
  }
}

/** Messages and turns whose session could not be read get one of their own. */
function adoptOrphans(connection: Connection): void {
  connection.execute(
    "INSERT INTO main.sessions (id, source, model, provider, cwd, started_at, last_active_at, message_count) " +
      "SELECT session_id, 'cli', '', '', '/', min(created_at), max(created_at), count(*) FROM main.messages " +
      "WHERE session_id NOT IN (SELECT id FROM main.sessions) GROUP BY session_id",
  );
  connection.execute("DELETE FROM main.turns WHERE session_id NOT IN (SELECT id FROM main.sessions)");
  connection.execute("UPDATE main.sessions SET parent_id = NULL WHERE parent_id NOT IN (SELECT id FROM main.sessions)");
}

function count(connection: Connection, table: string): number {
  return Number(connection.select(`SELECT count(*) AS count FROM main.${table}`, [])[0]?.["count"] ?? 0);
}

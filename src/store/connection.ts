import Database from "libsql";
import type { SqlValue } from "./types.ts";

/** How many prepared statements a connection keeps. */
const MAX_STATEMENTS = 200;

type Row = Record<string, unknown>;

/** One local connection. Every call is synchronous, so it lives in a worker and nowhere else. */
export interface Connection {
  /** statements without arguments; the only way to begin, commit and roll back */
  execute(sql: string): void;
  /** @returns the number of changed rows */
  change(sql: string, args: SqlValue[]): number;
  select(sql: string, args: SqlValue[]): Row[];
  isInTransaction(): boolean;
  close(): void;
}

/** Opens a file that exists. Waits for no lock: a busy database is an error at once. */
export function openConnection(path: string): Connection {
  const database = new Database(path, { timeout: 0 });
  try {
    database.exec("PRAGMA busy_timeout = 0");
  } catch (error) {
    database.close();
    throw error;
  }
  const statements = new Map<string, Database.Statement>();

  function prepare(sql: string): Database.Statement {
    const known = statements.get(sql);
    if (known !== undefined) return known;
    const statement = database.prepare(sql);
    if (statements.size >= MAX_STATEMENTS) {
      const oldest = statements.keys().next().value;
      if (oldest !== undefined) statements.delete(oldest);
    }
    statements.set(sql, statement);
    return statement;
  }

  return {
    execute: (sql) => {
      database.exec(sql);
    },
    change(sql, args) {
      const statement = prepare(sql);
      // a statement that yields rows must be read to its end: left open, it makes every later COMMIT fail
      if (statement.reader) return statement.all(args).length;
      return statement.run(args).changes;
    },
    select(sql, args) {
      const rows = prepare(sql).all(args) as Row[];
      for (const row of rows) {
        for (const [name, value] of Object.entries(row)) {
          if (value instanceof ArrayBuffer) row[name] = new Uint8Array(value);
        }
      }
      return rows;
    },
    isInTransaction: () => database.inTransaction,
    close() {
      statements.clear();
      database.close();
    },
  };
}

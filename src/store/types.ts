/** What a column can hold. */
export type SqlValue = string | number | bigint | null | Uint8Array;

/** One change of rows, as data: rooms make them, the writer commits them. */
export interface Write {
  sql: string;
  args: SqlValue[];
}

/** Proof that a lease is still held; checked inside the batch. */
export interface Fence {
  name: string;
  holder: string;
  epoch: number;
}

/** The one database of a home. All calls are answered by worker threads; the caller's thread never blocks. */
export interface Store {
  readonly path: string;
  /**
   * Commits all writes or none, in order, after every earlier call.
   * @returns rows changed by each write
   * @throws {StoreError} E_STORE_FENCED when the fence no longer holds; E_STORE_FULL, E_STORE_READ_ONLY, E_STORE_WRITE
   */
  write(writes: Write[], fence?: Fence): Promise<number[]>;
  /**
   * Rows as plain objects by column name; sees everything whose `write` has resolved.
   * @throws {StoreError} E_STORE_READ
   */
  read<Row>(query: { sql: string; args: SqlValue[] }): Promise<Row[]>;
  /** Waits for pending writes, then closes. */
  close(): Promise<void>;
}

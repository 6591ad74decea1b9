import type { Fence, SqlValue, Write } from "./types.ts";

/** `full` syncs the log at every commit: survives a power cut. `normal` survives a killed process. */
export type Durability = "normal" | "full";

export interface OpenRequest {
  type: "open";
  mode: "writer" | "reader";
  path: string;
  durability: Durability;
  /** how long a call waits for a foreign lock before it fails, in milliseconds */
  busyLimitMs: number;
  /** the file that the reader expects at the path; undefined: whichever lies there */
  inode: number | undefined;
}

/** What the caller's thread asks of a worker. */
export type StoreRequest =
  | OpenRequest
  | { type: "write"; writes: Write[]; fence: Fence | undefined }
  | { type: "read"; sql: string; args: SqlValue[] }
  /** copies what can be read of a damaged file into the open one */
  | { type: "salvage"; from: string }
  | { type: "close" };

/** An error as data, since only plain data crosses threads. */
export interface Fault {
  code: string;
  message: string;
  hint?: string;
  retryable?: boolean;
  exitCode?: number;
}

export type StoreReply = { id: number; ok: true; value: unknown } | { id: number; ok: false; fault: Fault };

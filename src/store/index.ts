/** The database: one writer worker, one reader worker, repositories of rows. */
export type { Fence, SqlValue, Store, Write } from "./types.ts";

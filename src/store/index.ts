/** The database: one writer worker, one reader worker, repositories of rows. */
export { allowCommands, listAllowedCommands } from "./allowed-commands.ts";
export { openStore } from "./open.ts";
export type { StoreOptions } from "./open.ts";
export type { Fence, SqlValue, Store, Write } from "./types.ts";

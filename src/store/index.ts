/** The database: one writer worker, one reader worker, repositories of rows. */
export { allowCommands, listAllowedCommands } from "./allowed-commands.ts";
export { acquireLease, insertLease, leaseHolder, releaseLease, renewLease } from "./leases.ts";
export { isHealthy, openStore, repairStore } from "./open.ts";
export type { StoreOptions } from "./open.ts";
export { processHolder } from "./process-holder.ts";
export {
  addSessionUsage,
  countMessages,
  insertMessage,
  insertSession,
  insertTurn,
  updateSession,
  updateTurn,
} from "./rows.ts";
export type { UsageColumns } from "./rows.ts";
export type { MessageRow, SessionRow, TurnRow } from "./schema.ts";
export type { Fence, SqlValue, Store, Write } from "./types.ts";
